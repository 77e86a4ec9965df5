"""Clean HTML of the kept part of a page: a fragment of few elements and attributes; no script, style or event handler gets through."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from xml.sax.saxutils import escape

from tamis.document.render.code import language
from tamis.document.render.runs import LINES, Image, Language, Leaf, Mark, OpenBlock, Outline, Run, shared
from tamis.document.render.table import Cell

_ATTRIBUTES = {"abbr": "title", "dfn": "title", "time": "datetime", "del": "datetime", "ins": "datetime", "a": "title"}
"""The attribute, besides links and language, that an element keeps."""
_BARE = frozenset({"li", "td", "th", "dt", "dd", "figcaption"})  #: Blocks that hold a single run without a paragraph around it.
_SPREAD = frozenset("blockquote details dl figure ol table tbody tfoot thead tr ul".split())  #: Blocks whose end tag has a line of its own.
_FREE_LINE = re.compile(r"\n(?=[ \t]*(?:\n|$))")


def write_html(shown: Outline) -> str:
    """Return an outline as an HTML fragment."""
    return HtmlWriter(shown).write(shown.runs)


class HtmlWriter:
    """Writes run after run; the blocks of a run that were not open before are opened, others closed."""

    def __init__(self, shown: Outline, *, within: OpenBlock | None = None, free_lines: bool = True) -> None:
        """Prepare a writer. ``within``: the block around everything, not written; ``free_lines``: whether empty lines are allowed."""
        self.shown = shown
        self.tree = shown.tree
        self.free_lines = free_lines
        self.rows = {row: cells for table in shown.tables.values() for row, cells in table.rows.items()}  #: Cells of all tables, by row.
        self.parts: list[str] = []
        self.open = [shown.page, *(within.beyond([shown.page]) if within else ())]
        self.numbers = [1] * len(self.open)  #: For each open block, if it is an ordered list, the number of the item that comes next.
        self.label = ""  #: The number of the open note, before its first paragraph is written; those that are points have theirs.
        self.cells: deque[Cell] = deque()  #: Cells of the open row that are not written yet.

    def write(self, runs: Iterable[Run]) -> str:
        """Return the HTML of runs."""
        outer = len(self.open)
        for run in runs:
            self._run(run)
        self._close(outer)
        return "".join(self.parts).strip("\n")

    def _run(self, run: Run) -> None:
        block = run.block
        if not run.leaves:
            self._go(block)
            self._block("<hr>")
        elif block.name == "pre":
            self._preformatted(run)
        elif block.name in LINES:
            if text := self.inline(run.leaves):
                self._go(block)
                self.parts.append(text)
        else:
            self._paragraph(run)

    def _paragraph(self, run: Run) -> None:
        text = self.inline(run.leaves)
        if not text:
            return
        block = run.block
        self._go(block)
        text, self.label = self.label + text, ""
        bare = block.name in _BARE and block.runs == 1 and not run.language
        bare = bare or (block.name == "figure" and all(leaf.image or not leaf.text.strip() for leaf in run.leaves))
        if bare:
            self.parts.append(text)
        else:
            self._block(f"<p{_language_attributes(run.language)}>{text}</p>")

    def _preformatted(self, run: Run) -> None:
        coded = any(mark.name == "code" for mark in run.leaves[0].marks)
        parts: list[str] = []
        open_link: Mark | None = None
        for leaf in run.leaves:
            link = next((mark for mark in leaf.marks if mark.name == "a"), None)
            if link is not open_link:
                parts.append("</a>" if open_link else "")
                parts.append(self._start(link) if link else "")
                open_link = link
            text = escape("\n" * leaf.breaks + leaf.text.replace("\r\n", "\n").replace("\r", "\n"))
            parts.append(text if not leaf.image else self._image(leaf.image))
        text = "".join(parts).strip("\n") + ("</a>" if open_link else "")
        if not text.strip():
            return
        if not self.free_lines:
            text = _FREE_LINE.sub("&#10;", text)
        name = language(self.tree, run.block.node)
        if name or coded:
            text = f"<code{_attribute('class', f'language-{name}') if name else ''}>{text}</code>"
        self._go(run.block)
        self.parts.append(text)

    def _go(self, to: OpenBlock) -> None:
        beyond = to.beyond(self.open)
        self._close(to.depth + 1 - len(beyond))
        for k, block in enumerate(beyond, 1):
            self._begin(block, beyond[k].number if block.name == "ol" else 1)

    def _begin(self, block: OpenBlock, first: int) -> None:
        """Open a block; ``first``: the number of an ordered list's first item."""
        attributes = _language_attributes(block.language)
        if block.name in ("td", "th"):
            self._cells_before(block.node)
            attributes += _spans(self.cells.popleft())
        elif block.name == "div":
            self.label = f"[{self.shown.notes.notes[block.node]}] "
        elif block.name == "tr":
            self.cells = deque(self.rows[block.node])
        elif block.name == "ol":
            attributes += _attribute("start", str(first)) if first != 1 else ""
        elif block.name == "li" and block.parent and block.parent.name == "ol":
            attributes += _attribute("value", str(block.number)) if block.number != self.numbers[-1] else ""
            self.numbers[-1] = block.number + 1
        self._line()
        self.parts.append(f"<{block.name}{attributes}>")
        self.open.append(block)
        self.numbers.append(first)

    def _cells_before(self, node: int) -> None:
        """Write the cells of the open row before a node that show nothing, so that columns stay columns."""
        while self.cells and self.cells[0].node < node:
            cell = self.cells.popleft()
            name = self.tree.name(cell.node)
            self._line()
            self.parts.append(f"<{name}{_spans(cell)}></{name}>")

    def _close(self, same: int) -> None:
        while len(self.open) > same:
            block = self.open.pop()
            self.numbers.pop()
            if block.name == "tr":
                self._cells_before(len(self.tree))
            if block.name in _SPREAD:
                self._line()
            self.parts.append(f"</{block.name}>")

    def _line(self) -> None:
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")

    def _block(self, html: str) -> None:
        self._line()
        self.parts.append(html)

    def inline(self, leaves: list[Leaf]) -> str:
        """Return the leaves of a run; white space collapsed and outside of marks where it is at their edge."""
        parts: list[str] = []
        marks: tuple[Mark, ...] = ()
        pending = ""
        for leaf in leaves:
            if leaf.breaks:
                pending = "<br>\n" * leaf.breaks
            words = leaf.text.split()
            if leaf.text[:1].isspace():
                pending = pending or " "
            if leaf.sign:
                pending = pending or (" " if leaf.text[-1].isspace() else "")
                continue
            if not words and not leaf.image:
                continue
            if leaf.marks is not marks:
                same = shared(marks, leaf.marks)
                parts.extend(f"</{mark.name}>" for mark in reversed(marks[same:]))
                parts.append(pending if parts else "")
                parts.extend(map(self._start, leaf.marks[same:]))
                marks = leaf.marks
            elif parts:
                parts.append(pending)
            pending = ""
            if leaf.image:
                parts.append(self._image(leaf.image))
                continue
            parts.append(escape(" ".join(words)))
            if leaf.text[-1].isspace():
                pending = " "
        parts.extend(f"</{mark.name}>" for mark in reversed(marks))
        return "".join(parts)

    def _start(self, mark: Mark) -> str:
        written = _attribute("href", mark.url) if mark.url else ""
        name = _ATTRIBUTES.get(mark.name, "")
        if value := mark.attributes.get(name, "").strip():
            written += _attribute(name, value)
        return f"<{mark.name}{written}{_language_attributes(mark.language)}>"

    def _image(self, image: Image) -> str:
        return f"<img{_attribute('src', image.url)}{_attribute('alt', image.alt)}{_attribute('title', image.title) if image.title else ''}>"


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value, {chr(34): "&quot;"})}"'


def _language_attributes(language: Language) -> str:
    return "".join(_attribute(name, value) for name, value in language)


def _spans(cell: Cell) -> str:
    spans = _attribute("colspan", str(cell.colspan)) if cell.colspan > 1 else ""
    return spans + (_attribute("rowspan", str(cell.rowspan)) if cell.rowspan > 1 else "")
