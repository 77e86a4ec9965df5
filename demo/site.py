"""The demo site as a whole: which pages there are, in which encodings, and what of them is main text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from html import unescape
from pathlib import Path
from typing import Any

from demo.assets import ASSETS
from demo.chinese import CHINESE
from demo.chrome import Entry, Frame
from demo.content import Language
from demo.dice import Dice
from demo.english import ENGLISH
from demo.forum import forum_page
from demo.handbook import handbook_page
from demo.lists import forum_list, front_page, handbook_list, news_list
from demo.markup import Role, Tag, lines, tag, to_html
from demo.news import news_body, news_page
from demo.old_pages import OLD_PAGES, old_layout
from demo.prose import Prose

SEED = "lantern-bay"
_ENCODINGS: dict[str, tuple[str, str | None]] = {
    # path: how it is written, what it declares
    "zh/news/yuelanshi.html": ("gb18030", "gb2312"),
    "zh/news/yeban.html": ("gb18030", "gb2312"),
    "zh/forum/lansheng.html": ("gb18030", None),
    "handbook/glossary.html": ("utf-8", None),
}
_UPDATED = "news/sea-wall-update.html"
_UPDATE = (
    "Update: the harbour office has measured the wall since. It moved by less than the width of a thumb and has moved back by half of "
    "that. The benches will be turned again next week."
)


@dataclass(frozen=True, slots=True)
class Gold:
    """What is known of a page."""

    layout: str
    """news, handbook, forum, list, old, or odd (pages with a fault)."""
    language: str
    encoding: str
    declared: str | None
    """The encoding that the page declares."""
    title: str
    author: str | None
    date: str | None
    """ISO 8601."""
    main: tuple[str, ...] = ()
    """Main text, line by line."""
    noise: tuple[str, ...] = ()
    """What stands around it."""
    either: tuple[str, ...] = ()
    """Title, byline, comments: neither asked for nor counted as noise."""
    note: str | None = None
    """What is wrong with the page, or which page it nearly repeats."""

    def to_dict(self) -> dict[str, Any]:
        """The gold as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page of the demo site."""

    path: str
    raw: bytes
    """As served."""
    gold: Gold
    marked: str = field(default="", repr=False)
    """The page with the role of each part in its markup; empty for the old and the odd pages."""


def build_site() -> tuple[DemoPage, ...]:
    """All pages of the demo site. The same on every call and machine."""
    return (*_language_pages(ENGLISH), *_language_pages(CHINESE), *_old_pages(), *_odd_pages())


def write_site(folder: Path) -> tuple[DemoPage, ...]:
    """Write the demo site: the pages, a style sheet and pictures, and ``gold.json``.

    Args:
        folder: where to; it is made if missing, and files of the same names are replaced.

    Returns:
        The pages, in the order of ``gold.json``.
    """
    pages = build_site()
    for page in pages:
        _write(folder / page.path, page.raw)
    for name, text in ASSETS.items():
        _write(folder / name, text.encode())
    gold = {page.path: page.gold.to_dict() for page in pages}
    _write(folder / "gold.json", (json.dumps(gold, ensure_ascii=False, indent=1) + "\n").encode())
    return pages


def _write(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _entries(language: Language) -> tuple[Entry, ...]:
    """The pages of a language that others link to."""
    dice = Dice(f"{SEED}/{language.code}/entries")
    folder = language.home.strip("/") + "/" if language.home != "/" else ""

    def entry(section: str, slug: str, title: str, author: str, teaser: str) -> Entry:
        date = f"2019-{dice.number(1, 12):02}-{dice.number(1, 28):02}"
        return Entry(section, f"{folder}{section}/{slug}.html", title, author, date, teaser)

    return (
        *(entry("news", a.slug, a.title, dice.pick(language.authors), a.paragraphs[0]) for a in language.articles),
        *(entry("handbook", c.slug, c.title, language.authors[0], c.parts[0][1].replace("`", "")) for c in language.chapters),
        *(entry("forum", t.slug, t.title, dice.pick(language.members), t.posts[0]) for t in language.threads),
    )


def _language_pages(language: Language) -> Iterator[DemoPage]:
    entries = _entries(language)
    prose = Prose(language, SEED)
    by_slug = {Path(entry.path).stem: entry for entry in entries}

    def frame(path: str) -> Frame:
        return Frame(language, entries, Dice(f"{SEED}/{path}"), prose)

    def finish(entry: Entry, tree: Tag, layout: str, **more: Any) -> DemoPage:
        encoding, declared = _ENCODINGS.get(entry.path, ("utf-8", "utf-8"))
        gold = Gold(layout, language.code, encoding, declared, entry.title, entry.author, entry.date, **_parts(tree), **more)
        raw = ("<!DOCTYPE html>\n" + to_html(tree)).encode(encoding)
        return DemoPage(entry.path, raw, gold, "<!DOCTYPE html>\n" + to_html(tree, marked=True))

    def declared(entry: Entry) -> str | None:
        return _ENCODINGS.get(entry.path, ("utf-8", "utf-8"))[1]

    for article in language.articles:
        entry = by_slug[article.slug]
        body = news_body(frame(entry.path), article)
        yield finish(entry, news_page(frame(entry.path), entry, article, body, declared(entry)), "news")
        if article.slug == "sea-wall":
            twin = replace(entry, path=_UPDATED, title=f"{entry.title} (updated)")
            around = replace(frame(_UPDATED), entries=(*entries, twin))
            tree = news_page(around, twin, article, (*body, tag("p", _UPDATE)))
            yield finish(twin, tree, "news", note=f"nearly repeats {entry.path}")
    for chapter in language.chapters:
        entry = by_slug[chapter.slug]
        yield finish(entry, handbook_page(frame(entry.path), entry, chapter, declared(entry)), "handbook")
    for thread in language.threads:
        entry = by_slug[thread.slug]
        yield finish(entry, forum_page(frame(entry.path), entry, thread, declared(entry)), "forum")
    lists = {"": front_page, "news": news_list, "handbook": handbook_list, "forum": forum_list}
    for section, layout in lists.items():
        path = frame("").href(section).lstrip("/")
        title = language.words[section or "site"]
        entry = Entry(section or "home", path, title, language.words["site"], "2019-12-31", language.words["tagline"])
        yield finish(entry, layout(frame(path), entry), "list")


def _parts(tree: Tag) -> dict[str, Any]:
    found = lines(tree)
    roles: tuple[Role, ...] = ("main", "noise", "either")
    return {role: tuple(text for of, text in found if of == role) for role in roles}


def _old_pages() -> Iterator[DemoPage]:
    for page in OLD_PAGES:
        tree = old_layout(page)
        gold = Gold("old", page.language, page.charset, page.charset, page.title, None, None, **_parts(tree))
        yield DemoPage(page.path, to_html(tree).encode(page.charset), gold)


def _odd_pages() -> Iterator[DemoPage]:
    """A broken page, an empty file, and a page that is empty until a script fills it."""
    nothing = Gold("odd", "en", "utf-8", None, "", None, None)
    yield _broken(next(page for page in _language_pages(ENGLISH) if page.path == "news/oysters.html"))
    yield DemoPage("odd/empty.html", b"", replace(nothing, note="empty file"))
    shell = b'<!DOCTYPE html>\n<title>Loading</title><div id="app"></div><script src="/app.js"></script>\n'
    yield DemoPage("odd/shell.html", shell, replace(nothing, title="Loading", note="empty until a script runs"))


def _broken(page: DemoPage) -> DemoPage:
    """A page without the end tags of paragraphs, items and boxes, cut inside a tag; its gold is what is left of the lines."""
    html = page.raw.decode()
    html = html[: html.index('<div id="comments"') + 9]
    html = re.sub(r"</(p|li|figure|section|h2)>", "", html).replace('class="lead"', 'class="lead" id=>').replace("<h1 ", "<h1 <b ")
    seen = " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())
    gold = page.gold
    left: dict[str, Any] = {role: tuple(line for line in getattr(gold, role) if line in seen) for role in ("main", "noise", "either")}
    return DemoPage("odd/broken.html", html.encode(), replace(gold, layout="odd", note="unclosed tags, cut off", **left))
