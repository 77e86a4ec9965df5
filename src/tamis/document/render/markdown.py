"""GitHub-flavoured Markdown of the kept part of a page.

HTML is written for what Markdown lacks: tables with merged cells, ``details``, ``sub``, ``sup``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tamis.document.render.code import language
from tamis.document.render.escapes import code_span, escape, escape_line, longest_run
from tamis.document.render.html import HtmlWriter
from tamis.document.render.inline import InlineLine, simple
from tamis.document.render.runs import LINES, LISTS, Image, Leaf, OpenBlock, Outline, Run
from tamis.document.render.table import ShownTable
from tamis.document.render.text import collapsed
from tamis.native.outline import plain

_STRONG = frozenset({"strong"})
_EMPHASIS = frozenset({"em"})  #: Left out of terms, which are bold: parameters of signatures are often emphasised.
_WITHIN = {"dt": ("strong", "**"), "figcaption": ("em", "*"), "caption": ("em", "*")}
"""Blocks that are emphasised: the mark, and how it is written."""
_BOLD = re.compile(r"\*\*((?:\\.|(?!\*\*)[^\\])+)\*\*", re.DOTALL)  #: A cell that is bold as a whole.
_DIGIT, _FIGURE = re.compile(r"\d"), re.compile(r"[^\w\s]{0,4}\d")
_MAX_PADDED = 100_000  #: Most places in a table whose short rows are filled up; Markdown allows them to be short.


def write_markdown(shown: Outline) -> str:
    """Return an outline as GitHub-flavoured Markdown."""
    return _MarkdownWriter(shown).write()


class _Level(NamedTuple):
    """Line beginnings of an open block."""

    prefix: str
    bare: str  #: The same, of an empty line.
    delimiter: str = ""


class _MarkdownWriter:
    """Writes run after run; the blocks of a run that were not open before are opened, others closed."""

    def __init__(self, shown: Outline) -> None:
        self.shown = shown
        self.tree = shown.tree
        self.parts: list[str] = []
        self.open = [shown.page]  #: Open blocks, outermost first.
        self.levels = [_Level("", "")]  #: Levels of the open blocks.
        self.first = ""  #: Beginning of the next line, if it differs from the lines after it (item markers).
        self.begun: set[OpenBlock] = set()  #: Items in cells whose marker is written.
        self.lead = ""  #: Text before the next line, after ``<details>``.
        self.images: set[str] = set()  #: Addresses of the images that are written.
        self.image = ""  #: That of the last one, where no text was written since.
        self.folded = {run.block.parent for run in shown.runs if run.block.name == "summary"}  #: The ``details`` that have a title.

    def write(self) -> str:
        """Return the whole document."""
        table: list[Run] = []
        for run in self.shown.runs:
            around = run.block.table
            if table and around is not table[0].block.table:
                self._table(table)
                table = []
            if around:
                table.append(run)
            elif run.leaves:
                _WRITERS.get(run.block.name, _MarkdownWriter._paragraph)(self, run)
            else:
                self._open(run.block)
                self._lines(["---" if self.first == self.levels[-1].prefix else "___"])  # "- ---" would be a rule and no item
        if table:
            self._table(table)
        self._close(1)
        return "".join(self.parts)

    def _paragraph(self, run: Run, within: OpenBlock | None = None) -> None:
        text = self._line(run, "  \n")
        if not text:
            return
        self._open(within or run.block)
        if "\n" in text or self.lead:
            self._lines(list(map(escape_line, text.split("\n"))))
        else:
            self.parts.append(self.first + (text if text[0].isalpha() else escape_line(text)))
            self.first = self.levels[-1].prefix

    def _heading(self, run: Run) -> None:
        if len(run.leaves) > 1 or run.leaves[0].marks:
            run = run._replace(leaves=self._without_permalinks(run))
        text = self._line(run, " ", _STRONG)
        if text:
            self._open(run.block.parent)
            if text.endswith("#"):  # a run of them would count as the end of the heading's markup
                text = text[:-1] + "\\#"
            self._lines(["#" * int(run.block.name[1]) + " " + text])

    def _without_permalinks(self, run: Run) -> list[Leaf]:
        """Return a heading's leaves without its links to itself: those that hold all of it, or lead to no other place of the page."""
        links = {mark.node: self.tree.attribute(mark.node, "href") or "" for leaf in run.leaves for mark in leaf.marks if mark.kind == "a"}
        own = {node for node, address in links.items() if address.startswith("#")}
        if any(own.isdisjoint(mark.node for mark in leaf.marks) for leaf in run.leaves if leaf.text.strip()):
            own = {node for node in own if self._leads_to(run.block.node, links[node][1:])}
        return [leaf._replace(marks=tuple(mark for mark in leaf.marks if mark.node not in own)) for leaf in run.leaves]

    def _leads_to(self, heading: int, name: str) -> bool:
        places, end = self.tree.values("id").nodes(name.__eq__).tolist(), self.tree.end
        return all(place <= heading < end[place] or heading <= place < end[heading] for place in places)

    def _summary(self, run: Run) -> None:
        text = HtmlWriter(self.shown).inline(run.leaves).replace("\n", "")
        if text:
            self._open(run.block.parent)
            self._lines([f"<summary>{text}</summary>"], tight=True)

    def _preformatted(self, run: Run) -> None:
        text = "".join("\n" * leaf.breaks + leaf.text for leaf in run.leaves).replace("\r\n", "\n").replace("\r", "\n").strip("\n")
        if not text.strip():
            return
        fence = "`" * max(3, longest_run(text) + 1)
        self._open(run.block.parent)
        self._lines([fence + (language(self.tree, run.block.node) or ""), *text.split("\n"), fence])

    def _line(self, run: Run, line_break: str, without: frozenset[str] = frozenset()) -> str:
        if len(run.leaves) == 1 and not (run.leaves[0].image or run.leaves[0].marks):
            words = run.leaves[0].text
            easy = plain(words)
            if words := escape(collapsed(words)) if easy is None else easy:
                self.image = ""
            around = _WITHIN.get(run.block.name, ("", ""))[1] if words else ""
            return f"{around}{words}{around}"
        leaves = [leaf for leaf in run.leaves if leaf.image is None or self._is_new(leaf.image)]
        if run.block.name in ("td", "th") and run.block.runs == len(run.leaves) == 1:
            leaves = run.leaves  # in a cell, a picture has a meaning each time
        if self.image and any(leaf.text.strip() for leaf in leaves):
            self.image = ""
        within = _WITHIN.get(run.block.name, ())[:1]
        if run.block.name == "dt":
            without |= _EMPHASIS
        if not within and (text := simple(leaves, line_break, without)) is not None:
            return text
        return InlineLine(line_break, without, within, self.shown.notes.references).compose(leaves)

    def _is_new(self, image: Image) -> bool:
        """Return whether an image is shown for the first time, or again with words of its own and not right below its twin."""
        again = image.url == self.image or (not image.alt and image.url in self.images)
        self.image = image.url
        self.images.add(image.url)
        return not again

    def _open(self, block: OpenBlock | None) -> None:
        """Close and open blocks up to one; leaves the output where it begins."""
        assert block is not None
        beyond = block.beyond(self.open) if block is not self.open[-1] else []
        same = block.depth + 1 - len(beyond)
        closed: tuple[OpenBlock, str] | None = None
        if same < len(self.open):
            closed = self.open[same], self.levels[same].delimiter
            self._close(same)
        if self.parts:
            tight = len(beyond) > 0 and same > 1 and self._is_tight(beyond)
            self.parts.append("\n" if tight else f"\n{self.levels[-1].bare}\n")
        self.first = self.levels[-1].prefix
        for inner in beyond:
            self._push(inner, closed)
            closed = None

    def _is_tight(self, opened: list[OpenBlock]) -> bool:
        """Return whether there is no blank line before some blocks, since they are an item of a tight list that begins."""
        above = self.open[-1]
        if opened[0].name == "li":
            return not above.loose
        if above.name != "li" or above.parent is None or not above.runs:
            return False
        # a list below a line of text needs a free line where its number is not 1
        return not above.parent.loose and (opened[0].name == "ul" or (opened[0].name == "ol" and _item_number(opened[1]) == 1))

    def _push(self, block: OpenBlock, closed: tuple[OpenBlock, str] | None) -> None:
        prefix, delimiter = self.levels[-1].prefix, ""
        if block.name == "blockquote":
            self.first += "> "
            prefix += "> "
        elif block.name in LISTS:
            delimiter = "." if block.name == "ol" else "-"
            same = closed and closed[0].name == block.name and closed[1] == delimiter
            if closed and same and block.number != closed[0].number + closed[0].items:  # it does not go on counting
                delimiter = ")" if block.name == "ol" else "*"  # or both would be one list
        elif block.node in self.shown.notes.notes:
            self.first += f"[^{self.shown.notes.notes[block.node]}]: "
            prefix += "    "
        elif block.name == "li":
            above = self.levels[-1].delimiter
            marker = f"{_item_number(block)}{above} " if above in ".)" else f"{above} "
            self.first += marker + self._task(block.node)
            prefix += " " * len(marker)
        elif block in self.folded:
            self.parts.append(self.lead + self.first + "<details>")
            self.first = prefix
            self.lead = "\n" + prefix.rstrip() + "\n"
        self.open.append(block)
        self.levels.append(_Level(prefix, prefix.rstrip(), delimiter))

    def _task(self, item: int) -> str:
        for node in range(item + 1, int(self.tree.end[item])) if item >= 0 else ():
            name = self.tree.name(node)
            if name == "input" and self.tree.attribute(node, "type") == "checkbox":
                return "[x] " if "checked" in self.tree.attributes[node] else "[ ] "
            if name not in ("p", "label", "span", "div"):
                return ""
        return ""

    def _close(self, same: int) -> None:
        while len(self.open) > same:
            prefix, bare, _ = self.levels.pop()
            if self.open.pop() in self.folded:
                self.parts.append(f"\n{bare}\n{prefix}</details>")

    def _lines(self, lines: list[str], tight: bool = False) -> None:
        """Write lines of one block; the first one after the markers of the blocks that it opens. ``tight``: right below ``<details>``."""
        prefix, bare, _ = self.levels[-1]
        if self.lead:
            self.parts.append("\n" if tight else self.lead)
            self.lead = ""
        self.parts.append(self.first + lines[0] if lines[0] else bare)
        self.parts += ["\n" + (prefix + line if line else bare) for line in lines[1:]]
        self.first = prefix

    def _table(self, runs: list[Run]) -> None:
        block = runs[0].block.table
        assert block is not None
        table = self.shown.tables[block.node]
        if table.merged:
            lines = HtmlWriter(self.shown, within=block.parent, free_lines=False).write(runs).split("\n")
            self._open(block.parent)
            self._lines(lines)
            return
        before, cells, after = self._cells(runs)
        for caption in before:
            self._paragraph(caption, block.parent)
        self._open(block.parent)
        self._lines(list(_grid(table, cells)))
        for caption in after:
            self._paragraph(caption, block.parent)

    def _cells(self, runs: list[Run]) -> tuple[list[Run], dict[int, str], list[Run]]:
        """Return the captions before the table, the Markdown of its cells, the captions after it."""
        before: list[Run] = []
        after: list[Run] = []
        cells: defaultdict[int, list[str]] = defaultdict(list)
        for run in runs:
            if run.block.name == "caption":
                (after if cells else before).append(run)
                continue
            cell, items = run.block, []
            while cell.name not in ("td", "th") and cell.parent:
                items += [cell] if cell.name == "li" else []
                cell = cell.parent
            if text := self._in_cell(run, items):
                cells[cell.node].append(text)
        return before, {node: "<br>".join(lines) for node, lines in cells.items()}, after

    def _in_cell(self, run: Run, items: list[OpenBlock]) -> str:
        """Return a run in a cell: points, code and paragraphs are lines between ``<br>``, indented by their depth in lists.

        ``items``: the list items in the cell around it, innermost first.
        """
        if run.block.name == "pre":
            lines = "".join("\n" * leaf.breaks + leaf.text for leaf in run.leaves).strip("\n").splitlines()
            return "<br>".join(code_span(line) if line.strip() else "" for line in lines).replace("|", "\\|")
        text = self._line(run, "<br>").replace("|", "\\|")
        if not (text and items) or items[0] in self.begun:
            return text
        self.begun.add(items[0])
        ordered = items[0].parent is not None and items[0].parent.name == "ol"
        return "&nbsp;&nbsp;" * (len(items) - 1) + (f"{_item_number(items[0])}. " if ordered else "- ") + text


def _grid(table: ShownTable, cells: dict[int, str]) -> Iterable[str]:
    """Yield the lines of a table without empty rows and columns; without names of columns the first one is empty, since Markdown wants one.

    Names of columns are also the bold cells of a first row, if no other row is bold as a whole, and words above figures.
    """
    rows = [[cells.get(cell.node, "") for cell in row] for row in table.rows.values()]
    filled = sorted({at for row in rows for at, cell in enumerate(row) if cell})
    rows = [[row[at] for at in filled if at < len(row)] for row in rows]
    padded = len(rows) * len(filled) <= _MAX_PADDED
    bold = [] if table.head else [all(_BOLD.fullmatch(cell) for cell in row if cell) for row in rows]
    if bold[1:] and bold[0] and not any(bold[1:]) and sum(map(bool, rows[0])) > 1:
        rows[0] = [cell and cell[2:-2] for cell in rows[0]]
    elif not table.head and not _stands_above_figures(rows):
        rows.insert(0, [])
    rows[1:] = filter(any, rows[1:])
    for number, row in enumerate(rows):
        missing = len(filled) - len(row) if padded or number == 0 else 0
        yield "| " + " | ".join(row + [""] * missing) + " |"
        if number == 0:
            yield "| " + " | ".join(["---"] * len(filled)) + " |"


def _stands_above_figures(rows: list[list[str]]) -> bool:
    """Return whether the first row holds words above a column of figures; with two columns both, since they may be names and values."""
    words, others = rows[0], rows[1:]
    if len(others) < 2 or len(words) < 2 or not all(words[1:]) or _DIGIT.search("".join(words)):
        return False
    columns = ([row[at] for row in others if at < len(row) and row[at]] for at in range(len(words)))
    figures = sum(len(cells) > 1 and all(map(_FIGURE.match, cells)) for cells in columns)
    return figures > 0 and (figures == len(words) or len(words) > 2)


def _item_number(item: OpenBlock) -> int:
    """Return the number of an item, as Markdown can write it."""
    return item.number if 0 <= item.number <= 999_999_999 else 1


_WRITERS: dict[str, Callable[[_MarkdownWriter, Run], None]] = {
    **dict.fromkeys(LINES - {"summary", "caption"}, _MarkdownWriter._heading),
    "summary": _MarkdownWriter._summary,
    "pre": _MarkdownWriter._preformatted,
}
