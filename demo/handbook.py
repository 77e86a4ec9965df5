"""The layout of the handbook: a tree of chapters at the left, the text, a list of headings at the right."""

from __future__ import annotations

from collections.abc import Callable

from demo.chrome import Entry, Frame, page, previous_next
from demo.content import Chapter, rows, table
from demo.markup import Node, Tag, inline, link, tag
from demo.table import table_of


def handbook_page(frame: Frame, entry: Entry, chapter: Chapter, charset: str | None = "utf-8") -> Tag:
    """A chapter's page."""
    text = tag(
        "div",
        tag("h1", entry.title, link("#top", "¶", class_="headerlink"), role="either"),
        tag("div", *(_part(frame, kind, text) for kind, text in chapter.parts), *_background(frame), class_="section", role="main"),
        previous_next(frame, entry),
        _feedback(frame),
        id="content",
        class_="document",
    )
    return page(frame, entry, (_chapters(frame, entry), text, _headings(frame, chapter)), kind="handbook", charset=charset)


def _background(frame: Frame) -> list[Tag]:
    """A section of composed paragraphs."""
    paragraphs = (frame.prose.paragraph(frame.language.handbook_sentences, frame.dice.number(3, 5)) for _ in range(2))
    return [tag("h2", frame.word("background")), *(tag("p", paragraph) for paragraph in paragraphs)]


def _part(frame: Frame, kind: str, text: str) -> Tag:
    if kind.startswith("code-"):
        language = kind.removeprefix("code-")
        return tag("div", tag("pre", tag("code", text, class_=f"language-{language}")), class_=f"highlight-{language}")
    if kind == "note":
        return tag("div", tag("p", frame.word("note"), class_="admonition-title"), tag("p", *inline(text)), class_="admonition note")
    parts: dict[str, Callable[[str], Tag]] = {
        "p": lambda text: tag("p", *inline(text)),
        "h2": lambda text: tag("h2", text),
        "ul": lambda text: _list("ul", text),
        "ol": lambda text: _list("ol", text),
        "dl": _definitions,
        "table": lambda text: table_of(table(text)),
    }
    return parts[kind](text)


def _list(name: str, text: str) -> Tag:
    """A list; lines that start with a hyphen are a list inside the item above."""
    items: list[tuple[str, list[Node]]] = []
    for row in rows(text):
        if row.startswith("- "):
            items[-1][1].append(tag("li", *inline(row[2:])))
        else:
            items.append((row, []))
    return tag(name, *(tag("li", *inline(item), *([tag("ul", *below)] if below else [])) for item, below in items))


def _definitions(text: str) -> Tag:
    children: list[Node] = []
    for row in rows(text):
        term, meaning = row.split(": ", 1)
        children += [tag("dt", term), tag("dd", tag("p", *inline(meaning)))]
    return tag("dl", *children)


def _chapters(frame: Frame, entry: Entry) -> Tag:
    entries = (
        tag("li", link(other.href, other.title), class_="current" if other == entry else "other") for other in frame.section("handbook")
    )
    versions = tag("p", f"{frame.word('version')} 3.2")
    return tag("nav", tag("h3", frame.word("handbook")), versions, tag("ul", *entries), class_="toctree")


def _headings(frame: Frame, chapter: Chapter) -> Tag:
    entries = [tag("li", link(f"#h{k}", text)) for k, (kind, text) in enumerate(chapter.parts) if kind == "h2"]
    return tag("nav", tag("h4", frame.word("contents")), tag("ul", *entries), class_="local-toc")


def _feedback(frame: Frame) -> Tag:
    answers = [tag("button", frame.word(name)) for name in ("yes", "no")]
    edit = link(f"https://code.example/tidewire/edit/{frame.dice.number(100, 999)}", frame.word("edit"))
    return tag("div", tag("span", frame.word("helpful")), *answers, edit, class_="feedback")
