"""Pages with gold: main text, noise, and text that does not count.

Four layouts are read:

- *single pages*: ``gold.jsonl.gz`` (``id``, ``page_type``, ``url``, ``main_content``; ``comments`` and ``optional`` where known) beside
  ``html/ID.html.gz`` (the WCXB layout);
- *sites*: a folder with ``site.json`` (language; selectors for ``main``, ``ignore`` and ``drop``; line rules), ``pages.json`` and
  ``pages/*.html.gz``; or a folder of such folders. Every text node has the label of its innermost labelled ancestor
  (``drop`` before ``ignore`` before ``main``), and is noise where it has none. The selectors ``comments`` name areas of comments;
- *articles*: ``datamap.json`` (``key``, ``href``) beside ``source/KEY.html`` and ``expected/KEY.json`` (``title``, which does not count,
  and ``text``): the folder ``test/reallife`` of the npm package ``article``;
- *labelled packages*: an unpacked package whose pages were labelled block by block (:mod:`benchmarks.labels`).
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchmarks.labels import labelled_records, with_texts
from benchmarks.metric import Score, Unit, compare, unit_of
from tamis.errors import SourceError, needs_extra
from tamis.page.decode import decode
from tamis.page.parsing import read_file

if TYPE_CHECKING:
    from lxml.etree import _Element

Label = Literal["main", "noise", "ignore"]
LABELS: tuple[Label, ...] = ("main", "noise", "ignore")

_UNREAD = frozenset("script style noscript template iframe svg head object canvas".split())
_BLOCKS = frozenset(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol optgroup option p pre section select summary table tbody td tfoot th "
    "thead title tr ul".split()
)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_SPACE = re.compile(r"\s+")
_BLANKS = re.compile(r"[ \t\r\f\v\u00a0]+")
_LINE_BREAKS = re.compile(r"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page with its gold. The page itself is read from its file on demand."""

    collection: str  #: Name of the folder that was given.
    site: str  #: Name of its site; for single pages, that of the collection.
    id: str
    page_type: str
    url: str
    path: Path = field(repr=False)
    main: str = field(repr=False)  #: The gold main text; may be empty, and then every output scores 0.
    noise: str | None = field(repr=False)  #: The text that is noise; None if the gold does not label noise.
    ignored: str = field(repr=False)  #: Text that does not count for or against a tool.
    unit: Unit  #: Whether texts are compared by words or by characters.
    comments: str = field(default="", repr=False)
    """Visitors' comments, if the gold labels them: noise; of a site's page, the text of their areas without forms."""
    title: str = field(default="", repr=False)  #: If the gold says it.
    author: str = field(default="", repr=False)  #: If the gold says it.
    language: str = field(default="", repr=False)  #: A tag, if the gold says it.

    def raw(self) -> bytes:
        """The page as served."""
        return read_file(self.path)

    def html(self) -> str:
        """The page, decoded."""
        return decode(self.raw())

    def score(self, text: str) -> Score:
        """How well a text fits the gold main text."""
        return compare(text, self.main, ignored=self.ignored, unit=self.unit)


@dataclass(frozen=True, slots=True)
class SiteGold:
    """How a site's pages are labelled (``site.json``)."""

    selectors: tuple[tuple[Label, Any], ...]  #: Labels with compiled selectors, a later one wins on the same element.
    line_rules: tuple[tuple[re.Pattern[str], Label], ...]  #: Lines of the main text that match belong to another label.

    @classmethod
    def read(cls, selectors: Mapping[str, Sequence[Any]]) -> SiteGold:
        """Compile the ``selectors`` of a ``site.json``.

        Raises:
            MissingExtraError: lxml or cssselect is not installed.
        """
        with needs_extra("reading a site's gold", "bench"):
            from lxml.cssselect import CSSSelector
        lists: tuple[tuple[str, Label], ...] = (("main", "main"), ("ignore", "ignore"), ("drop", "noise"))
        return cls(
            tuple((label, CSSSelector(css, translator="html")) for name, label in lists for css in selectors.get(name, ())),
            tuple((re.compile(pattern), label) for pattern, label in selectors.get("line_rules", ())),
        )

    def split(self, html: str) -> dict[Label, str]:
        """The text of a page by label: one line per block, white space collapsed outside ``pre``."""
        body = _body(html)
        texts: dict[Label, list[str]] = {label: [] for label in LABELS}
        if body is not None:
            labels = {element: label for label, select in self.selectors for element in select(body.getroottree())}
            for label, piece in _pieces(body, labels):
                texts[label].append(piece)
        tidy = {label: _LINE_BREAKS.sub("\n", _BLANKS.sub(" ", "".join(pieces))).strip() for label, pieces in texts.items()}
        return self._apply_line_rules(tidy) if self.line_rules else tidy

    def _apply_line_rules(self, texts: dict[Label, str]) -> dict[Label, str]:
        lines: dict[Label, list[str]] = {label: [text] if text and label != "main" else [] for label, text in texts.items()}
        for line in texts["main"].split("\n"):
            lines[next((label for rule, label in self.line_rules if rule.search(line)), "main")].append(line)
        return {label: "\n".join(lines[label]) if label == "main" else "\n".join(lines[label]).strip() for label in texts}


def read_gold(folder: Path, limit: int | None = None) -> list[GoldPage]:
    """The content pages of a folder with gold.

    Args:
        folder: single pages, one site, or a folder of sites.
        limit: at most so many pages, of each site where there are sites, spread evenly.

    Raises:
        SourceError: the folder holds no gold, or it cannot be read, or labels were made for other blocks.
        MissingExtraError: lxml or cssselect is not installed (sites).
    """
    folder = folder.resolve()
    if (folder / "gold.jsonl.gz").is_file():
        return _read_single_pages(folder, limit)
    if (folder / "datamap.json").is_file():
        return _read_articles(folder, limit)
    if labelled := labelled_records(folder):
        return [_single(folder, labelled[k]["file"], with_texts(folder, labelled[k])) for k in spread(len(labelled), limit)]
    if (folder / "site.json").is_file():
        return list(_read_site(folder, folder.name, limit))
    sites = sorted(path.parent for path in folder.glob("*/site.json")) if folder.is_dir() else []
    if not sites:
        raise SourceError(f"no gold in {folder}: it needs a gold.jsonl.gz, a site.json, or folders that have a site.json")
    return [page for site in sites for page in _read_site(site, folder.name, limit)]


def holds_single_pages(folder: Path) -> bool:
    """Whether a folder holds single pages with gold, not sites."""
    return any((folder / name).is_file() for name in ("gold.jsonl.gz", "datamap.json")) or bool(labelled_records(folder))


def spread(count: int, limit: int | None) -> list[int]:
    """At most ``limit`` of the numbers 0 to ``count`` - 1, spread evenly.

    >>> spread(10, 4)
    [0, 2, 5, 7]
    """
    return list(range(count)) if limit is None or limit >= count else [k * count // limit for k in range(limit)]


def read_records(folder: Path, limit: int | None = None) -> list[dict[str, Any]]:
    """The records of a ``gold.jsonl.gz``, at most ``limit``, spread evenly. Raises OSError if there is none."""
    lines = [line for line in gzip.decompress((folder / "gold.jsonl.gz").read_bytes()).decode("utf-8").split("\n") if line.strip()]
    return [json.loads(lines[k]) for k in spread(len(lines), limit)]


def _read_single_pages(folder: Path, limit: int | None) -> list[GoldPage]:
    return [_single(folder, f"html/{record['id']}.html.gz", record) for record in read_records(folder, limit)]


def _read_articles(folder: Path, limit: int | None) -> list[GoldPage]:
    listed = json.loads((folder / "datamap.json").read_text("utf-8"))
    urls = {one["key"]: one["href"] for one in listed if (folder / "expected" / f"{one['key']}.json").is_file()}
    keys, pages = sorted(urls), []
    for key in (keys[k] for k in spread(len(keys), limit)):
        gold = json.loads((folder / "expected" / f"{key}.json").read_text("utf-8"))
        record = {"id": key, "page_type": "article", "url": urls[key], "main_content": gold["text"], "optional": gold["title"]}
        record["title"] = gold["title"]
        pages.append(_single(folder, f"source/{key}.html", record))
    return pages


def _single(folder: Path, file: str, record: Mapping[str, Any]) -> GoldPage:
    """A single page by its file and its record of a ``gold.jsonl.gz``."""
    main = record["main_content"] or ""
    return GoldPage(
        collection=folder.name,
        site=folder.name,
        id=record["id"],
        page_type=record["page_type"],
        url=record.get("url") or "",
        path=folder / file,
        main=main,
        noise=None,
        ignored=record.get("optional") or "",
        unit=unit_of(record.get("language"), main),
        comments=record.get("comments") or "",
        title=record.get("title") or "",
        author=record.get("author") or "",
        language=record.get("language") or "",
    )


def _read_site(folder: Path, collection: str, limit: int | None) -> Iterator[GoldPage]:
    site = json.loads((folder / "site.json").read_text("utf-8"))
    listed = [page for page in json.loads((folder / "pages.json").read_text("utf-8")) if page["kind"] == "content"]
    gold = SiteGold.read(site["selectors"])
    areas = SiteGold.read({"main": site["selectors"].get("comments", ()), "drop": ["form"]})
    for k in spread(len(listed), limit):
        path = folder / "pages" / listed[k]["file"]
        html = decode(read_file(path))
        texts = gold.split(html)
        yield GoldPage(
            collection=collection,
            site=site["name"],
            id=listed[k]["file"].removesuffix(".gz").removesuffix(".html"),
            page_type=listed[k]["page_type"],
            url=listed[k]["url"],
            path=path,
            main=texts["main"],
            noise=texts["noise"],
            ignored=texts["ignore"],
            unit=unit_of(site.get("lang"), texts["main"]),
            comments=areas.split(html)["main"],
            language=site.get("lang") or "",
        )


def _body(html: str) -> _Element | None:
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    html = _DECLARATION.sub("", html.replace("\0", ""))
    try:
        return document_fromstring(html, parser=HTMLParser(encoding=None, huge_tree=True)).find(".//body")
    except etree.ParserError:  # a page without any markup
        return None


def _pieces(body: _Element, labels: Mapping[_Element, Label]) -> Iterator[tuple[Label, str]]:
    """The texts of a page in document order, each with its label; a block or a change of label is a line break on both sides."""
    from lxml.etree import iterwalk

    outer: list[tuple[Label, bool]] = [("noise", False)]
    walk = iterwalk(body, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        around, preformatted = outer[-1]
        if event == "start":
            if element.tag in _UNREAD:
                walk.skip_subtree()
                outer.append(outer[-1])
                continue
            label = labels.get(element, around)
            inside = preformatted or element.tag == "pre"
            if element.tag in _BLOCKS or label != around:
                yield from ((label, "\n"), (around, "\n"))
            yield label, _shown(element.text, inside)
            outer.append((label, inside))
            continue
        if event == "end":
            label = outer.pop()[0]
            around, preformatted = outer[-1]
            if element.tag not in _UNREAD and (element.tag in _BLOCKS or label != around):
                yield from ((label, "\n"), (around, "\n"))
        if element is not body:
            yield around, _shown(element.tail, preformatted)


def _shown(text: str | None, preformatted: bool) -> str:
    """Line breaks of the source are layout only inside ``pre``."""
    return text if text and preformatted else _SPACE.sub(" ", text or "")
