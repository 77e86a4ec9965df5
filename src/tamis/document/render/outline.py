"""What of a page is shown, as a flat sequence of runs: lines of text and images, each with the blocks it stands in.

A run stands in few blocks and a leaf has few marks, so writers compare a run's blocks with those before it and need no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tamis.document.render import Rendering
from tamis.document.render.links import image_source, resolve
from tamis.document.render.runs import LINES, LISTS, Block, Context, Image, Language, Leaf, Mark, Outline, Run, footnotes
from tamis.document.render.table import STRUCTURE, data_tables
from tamis.document.render.text import Lines, visible
from tamis.page import tags
from tamis.page.tree import NO_ATTRIBUTES, BoolColumn, PageTree

MAX_LEVELS = 12  #: Lists, quotes and the like shown within each other; the markup of deeper ones is left out, their text stays.

MAX_SHOWN = 150_000  #: Texts, images and rules that are shown with markup; the rest of a page is left out of it.

_BLOCKS = tags.lookup(tags.BLOCKS)
_PRE = tags.lookup(tags.PREFORMATTED & tags.BLOCKS)
_P, _HR, _IMG = (tags.CODE[name] for name in ("p", "hr", "img"))
_NO_TEXTS = tags.lookup(frozenset({_HR, _IMG}))
_SHOWN = tags.lookup(frozenset({tags.TEXT, _HR, _IMG}))
_LINK = tags.lookup(tags.codes("a"))
_LINE_BREAK = tags.lookup(tags.codes("br"))
_HELD = tags.lookup(
    tags.HEADINGS
    | tags.LISTS
    | (tags.PREFORMATTED & tags.BLOCKS)
    | tags.codes("blockquote li dl dt dd figure figcaption details summary table caption thead tbody tfoot tr td th")
)
"""Blocks that give what they hold its meaning."""
_ITEMS = tags.lookup(tags.codes("li dd"))
_LISTED = tags.lookup(tags.LISTS | tags.codes("dl"))
_PASSED = tags.lookup(tags.codes("div p center"))  #: Blocks that may stand between text and the block that gives it its meaning.

_KINDS = {
    **dict.fromkeys("b strong".split(), "strong"),
    **dict.fromkeys("i em cite dfn var".split(), "em"),
    **dict.fromkeys("code kbd samp tt".split(), "code"),
    **dict.fromkeys("del s strike".split(), "del"),
    **{name: name for name in "a sub sup abbr acronym bdi bdo ins mark q ruby small span time u".split()},
}
_NAMES = {"strike": "s", "tt": "code", "acronym": "abbr"}
_LANGUAGE = re.compile(r"[A-Za-z0-9-]{1,35}")


def outline(lines: Lines, keep: BoolColumn, rendering: Rendering = Rendering(), base: str | None = None) -> Outline:
    """What of a page is shown: kept texts, images and rules, and those of their ancestors that give them meaning, kept or not.

    Args:
        lines: its kept lines.
        keep: mask of kept nodes, bool ``(n,)``.
        rendering: what is shown besides text.
        base: URL that links are resolved against.
    """
    tree = lines.tree
    if (after := left_out(lines, keep)) is not None:
        keep = keep & (np.arange(len(keep)) < after)
    result = Outline(tree, {}, base, footnotes(tree, lines.nodes))
    hidden = tree.covered(np.array(list(result.notes.back), dtype=np.intp)) if result.notes.back else None
    if lines.formulas:
        hidden = lines.formulas.hidden if hidden is None else hidden | lines.formulas.hidden
    images = _images(tree, keep if hidden is None else keep & ~hidden, base) if rendering.images else {}
    rules = (keep & (tree.tag == _HR)).nonzero()[0]
    if lines.pre is not None and len(rules):
        rules = rules[~tree.covered(tree.of_tags(_PRE))[rules]]
    texts = lines.shown[keep[lines.nodes]] if after is not None else lines.shown
    texts = texts if hidden is None else texts[~hidden[tree.text_nodes[texts]]]
    others = np.sort(np.concatenate([rules, np.array(list(images), dtype=np.intp)]))
    pieces = _pieces(lines, texts, others, images)
    nodes = tree.text_nodes[texts]
    shown, filled = (np.sort(np.concatenate([of, others])) for of in (nodes, nodes[tree.text_length[nodes] > 0]))
    if len(filled):
        _Outliner(result, shown, filled, rendering).walk(pieces)
    return result


def left_out(lines: Lines, keep: BoolColumn) -> int | None:
    """The node from which on nothing is shown with markup, since there is too much; None: all is shown. Arguments as of :func:`outline`."""
    if len(keep) <= MAX_SHOWN:
        return None
    others = np.flatnonzero(keep & lines.tree.of_tags(_NO_TEXTS))
    shown = np.sort(np.concatenate([lines.nodes, others]))
    return int(shown[MAX_SHOWN]) if len(shown) > MAX_SHOWN else None


def _images(tree: PageTree, keep: BoolColumn, base: str | None) -> dict[int, Image]:
    """The kept images, by node."""
    images = {}
    nodes = np.flatnonzero(keep & (tree.tag == _IMG)).tolist()
    for node, attributes in zip(nodes, tree.attributes_of(nodes), strict=True):
        if url := image_source(attributes, base) or _picture_source(tree, node, base):
            images[node] = Image(url, " ".join(attributes.get("alt", "").split()), " ".join(attributes.get("title", "").split()))
    return images


def _picture_source(tree: PageTree, node: int, base: str | None) -> str | None:
    """What a ``picture`` around an image names, where the image itself names nothing."""
    around = int(tree.parent[node])
    if around < 0 or tree.name(around) != "picture":
        return None
    sources = (tree.attributes[child] for child in tree.children(around).tolist() if tree.name(child) == "source")
    return next(filter(None, (image_source(attributes, base) for attributes in sources)), None)


_Piece: TypeAlias = "tuple[int, str | Image | None, bool, bool, int, int]"
"""What is shown at a place: its node; a text, an image or a rule (None); whether it is blank; whether it is TeX; how many blocks begin
or end up to there; the same of ``br``."""


def _pieces(lines: Lines, texts: NDArray[np.intp], others: NDArray[np.intp], images: dict[int, Image]) -> Iterator[_Piece]:
    """The pieces of a page in order: ``texts`` by position, ``others`` by node. Texts of one line with the same marks are one piece."""
    tree = lines.tree
    nodes = tree.text_nodes[texts]
    starts = np.ones(len(nodes) + 1, dtype=np.bool_)
    marks = _ends(tree, _MARKING, nodes)
    if lines.pre is not None:  # of marks in preformatted text only links show
        marks = np.where(tree.covered(tree.of_tags(_PRE))[nodes], _ends(tree, _LINK, nodes), marks)
    line = tree.line[texts]
    starts[1:-1] = (line[1:] != line[:-1]) | (marks[1:] != marks[:-1])
    starts[nodes.searchsorted(others)] = True
    tex = lines.formulas.tex if lines.formulas else {}
    for k in np.isin(nodes, list(tex)).nonzero()[0].tolist() if tex else ():
        starts[k : k + 2] = True
    bounds = starts.nonzero()[0]
    at = np.concatenate([nodes[bounds[:-1]], others])
    order = at.argsort(kind="stable")
    source = [tree.texts[k] for k in texts.tolist()]
    joined = [source[a] if b == a + 1 else "".join(source[a:b]) for a, b in pairwise(bounds.tolist())]
    shown: list[str | Image | None] = [text if text.isascii() else visible(text) for text in joined]
    blank = np.zeros(len(at), dtype=np.bool_)
    if len(nodes):
        blank[: len(shown)] = np.maximum.reduceat(tree.text_length[nodes], bounds[:-1]) == 0
    is_tex = np.zeros(len(at), dtype=np.bool_)
    for k, node in enumerate(at.tolist() if tex else ()):
        if node in tex:
            shown[k], is_tex[k] = tex[node], True
    shown += [images.get(node) for node in others.tolist()]
    at = at[order]
    columns = (blank[order], is_tex[order], _ends(tree, _BLOCKS, at), _ends(tree, _LINE_BREAK, at))
    return zip(at.tolist(), map(shown.__getitem__, order.tolist()), *(column.tolist() for column in columns), strict=True)


def _ends(tree: PageTree, table: BoolColumn, nodes: NDArray[np.integer]) -> NDArray[np.intp]:
    """How many elements of some tags begin or end before each node or with it."""
    of = tree.of_tags(table).nonzero()[0]
    if not len(of):
        return np.zeros(len(nodes), dtype=np.intp)
    borders = np.bincount(of, minlength=len(tree) + 1) + np.bincount(tree.end[of], minlength=len(tree) + 1)
    return np.asarray(borders.cumsum()[nodes])


def _code(tree: PageTree, node: int) -> int:
    """The tag of a node, as an index into tables of tags."""
    return min(int(tree.tag[node]), len(tags.KNOWN))


class _Outliner:
    """Walks the shown nodes once; each element's context follows from its parent's."""

    def __init__(self, result: Outline, shown: NDArray[np.intp], filled: NDArray[np.intp], rendering: Rendering) -> None:
        """``shown``: texts, images and rules that are shown, rising; ``filled``: the same without blank texts."""
        self.result = result
        self.tree = tree = result.tree
        self.links = rendering.links
        top = self._top(filled)
        stop = int(tree.end[top])
        inside = shown[(shown >= top) & (shown < stop)] - top
        before = np.bincount(inside + 1, minlength=stop - top + 1).cumsum()  # how much is shown in front of each node from the top on
        holding = (before[tree.end[top:stop] - top] > before[:-1]) & ~tags.within(_SHOWN, tree.tag[top:stop])
        around = holding.nonzero()[0] + top
        given = tree.values_at(around, _STATING)
        says = np.logical_or.reduce([codes >= 0 for codes, _ in given])
        stating = around[says].tolist()
        self.stated = dict(zip(stating, tree.attributes_of(stating), strict=True))
        """Attributes of the elements that have a language, a direction or a number."""
        meant = around[says | tags.within(_MEANT, tree.tag[around])]
        if len(meant) and meant[0] == top and _HANDLERS.get(int(tree.tag[top])) is _Outliner.wrapper and tree.tag[top] != _P:
            meant = meant[1:]
        inline = meant[tags.within(_MARKS, tree.tag[meant])].tolist()
        self.marked = dict(zip(inline, tree.attributes_of(inline), strict=True))  #: Attributes of inline elements.
        self.elements = meant
        structure = np.flatnonzero(tree.of_tags(STRUCTURE))
        self.structure = structure[tree.count_below(structure, filled) > 0]  #: Elements that are more than running text.
        self.last: dict[Block, Block] = {}  #: The last item of each list.
        self.ordinals: dict[int, dict[int, int]] = {}  #: Of ordered lists the position of each item, kept or not, by their nodes.
        result.tables = data_tables(tree, filled) if rendering.tables else {}

    def _top(self, filled: NDArray[np.intp]) -> int:
        """The innermost element that holds everything shown, or an ancestor that gives it its meaning.

        A list with one shown item of several paragraphs is boxes, not points, and is left out.
        """
        tree, first, last = self.tree, int(filled[0]), int(filled[-1])
        top = max(int(tree.parent[first]), 0)
        while tree.end[top] <= last or tree.tag[top] in (_HR, _IMG):
            top = int(tree.parent[top])
        for above in tree.ancestors(top):
            if _PRE[_code(tree, above)]:
                top = above
        several = bool(np.any(tags.within(_BLOCKS & ~_LISTED & ~_ITEMS, tree.tag[first + 1 : last + 1])))
        node = top
        while not (several and _ITEMS[_code(tree, node)]):
            above, below_list = int(tree.parent[node]), bool(_LISTED[_code(tree, node)])
            if above < 0:
                break
            code = _code(tree, above)
            if (_BLOCKS[code] and not _HELD[code] and not _PASSED[code]) or (_ITEMS[code] and below_list):
                break
            if not _PASSED[code]:
                top = above
            node = above
        return top

    def walk(self, pieces: Iterable[_Piece]) -> None:
        """Outline the pieces. A blank text is part of a line, but begins none."""
        tree, runs = self.tree, self.result.runs
        elements = zip(self.elements.tolist(), tree.tag[self.elements].tolist(), tree.end[self.elements].tolist(), strict=True)
        element, code, end = next(elements, _NO_ELEMENT)
        last: Block | None = None
        text, last_border, last_break = "", -1, -1
        context = Context(Block("", -1), (), ())
        ends = [len(tree)]
        around = [context]
        for node, shown, blank, is_tex, borders, breaks in pieces:
            while element < node:
                while element >= ends[-1]:
                    ends.pop()
                    around.pop()
                if handler := _HANDLERS.get(code):
                    ends.append(end)
                    around.append(handler(self, element, tree.names[code], around[-1]))
                element, code, end = next(elements, _NO_ELEMENT)
            while node >= ends[-1]:
                ends.pop()
                around.pop()
            context = around[-1]
            block = context.block
            if block.name in _LISTING:
                block = self.flow(block)
            if block is not last or shown is None:
                apart = NEW_RUN
            elif borders == last_border and breaks == last_break:
                apart = 0
            else:
                apart = _apart(block, borders == last_border, (breaks - last_break + 1) // 2, text)
            if (blank and apart) or shown == "":
                continue
            if apart == NEW_RUN:
                run = Run(block, [], context.language)
                runs.append(run)
                _count_run(block)
                apart = 0
            last, last_border, last_break = block, borders, breaks
            if isinstance(shown, str):
                text = shown
                marks = (*context.marks, Mark("code", "tex", node)) if is_tex else context.marks
                run.leaves.append(Leaf(shown, None, marks, apart))
            elif shown is not None:
                text = ""
                run.leaves.append(Leaf("", shown, context.marks, apart))
            else:
                last = None

    def count_structure(self, node: int) -> int:
        """How many elements at or below one are more than running text (lists, headings, quotes, code, tables)."""
        return int(self.tree.count_below(np.array([node]), self.structure)[0])

    # -- contexts of elements -----------------------------------------------------------------------------------------

    def wrapper(self, node: int, name: str, above: Context) -> Context:
        """An element without meaning of its own: what it may say is its language."""
        language = self.language(node)
        return above._replace(language=language) if language else above

    def container(self, node: int, name: str, above: Context) -> Context:
        """A block that holds other blocks; counts as a level."""
        outer = self.flow(above.block)
        if outer.name == "pre" or outer.name in LINES or outer.level >= MAX_LEVELS:
            return above
        return self.open(name, node, above, outer, level=1)

    def open(self, name: str, node: int, above: Context, outer: Block, level: int = 0) -> Context:
        """The context in a new block."""
        language = (node in self.stated and self.language(node)) or above.language
        return Context(outer.within(name, level, language, node), above.marks, ())

    def flow(self, block: Block) -> Block:
        """Where text or a block that stands directly in ``block`` goes: in lists, the last item, or one that the page lacks."""
        if block.name not in _LISTING:
            return block
        last = self.last.get(block)
        if last is None or last.name == "dt":
            name = "dd" if block.name == "dl" else "li"
            last = self.last[block] = block.within(name)
            last.number = block.number + block.items
            block.items += 1
        return last

    def listing(self, node: int, name: str, above: Context) -> Context:
        """A list."""
        context = self.container(node, "ol" if name == "ol" else "ul", above)
        if name == "ol" and context is not above:
            context.block.number = _whole_number(self.stated.get(node, NO_ATTRIBUTES).get("start", ""), 1)
        return context

    def item(self, node: int, name: str, above: Context) -> Context:
        """An item of a list; outside of lists, a wrapper."""
        outer = above.block
        if outer.name not in LISTS:
            return self.wrapper(node, name, above)
        context = self.open("li", node, above, outer)
        if outer.name == "ol":
            self._number(context.block, outer)
        outer.items += 1
        self.last[outer] = context.block
        return context

    def _number(self, item: Block, outer: Block) -> None:
        """The number a reader sees at an item, those not kept counted."""
        if outer.node not in self.ordinals:
            children = self.tree.children(outer.node)
            items = children[self.tree.tag[children] == self.tree.tag[item.node]].tolist()
            self.ordinals[outer.node] = {node: k for k, node in enumerate(items, 1)}
        position = self.ordinals[outer.node].get(item.node, outer.items + 1)
        value = self.stated.get(item.node, NO_ATTRIBUTES).get("value", "")
        if value:
            outer.number = _whole_number(value, outer.number + position - 1) - position + 1
        item.number = outer.number + position - 1

    def part(self, node: int, name: str, above: Context) -> Context:
        """A block that belongs into a certain other one (``dt`` into ``dl``, cells into rows); elsewhere, a wrapper."""
        outer = above.block
        if outer.name not in _OWNERS[name] or (name == "summary" and self.count_structure(node)):
            return self.wrapper(node, name, above)
        context = self.open(name, node, above, outer)
        self.last[outer] = context.block
        return context

    def heading(self, node: int, name: str, above: Context) -> Context:
        """A heading; one around lists, tables or other headings is a wrapper."""
        outer = self.flow(above.block)
        if outer.name == "pre" or outer.name in LINES or self.count_structure(node) > 1:
            return self.wrapper(node, name, above)
        return self.open(name, node, above, outer)

    def preformatted(self, node: int, name: str, above: Context) -> Context:
        """Preformatted text; one within another is part of it."""
        outer = self.flow(above.block)
        return above if outer.name == "pre" or outer.name in LINES else self.open("pre", node, above, outer)

    def table(self, node: int, name: str, above: Context) -> Context:
        """A data table; a table that lays out the page is a wrapper."""
        return self.container(node, name, above) if node in self.result.tables else self.wrapper(node, name, above)

    def mark(self, node: int, name: str, above: Context) -> Context:
        """An inline element with a meaning."""
        name = _NAMES.get(name, name)
        if (above.block.name == "pre" and name not in ("a", "code")) or (name == "span" and not self.language(node)):
            return above
        for outer in above.marks:
            if outer.name == name:
                return above
        url, attributes = "", self.marked.pop(node)
        if node in self.result.notes.references:
            return above._replace(marks=(*above.marks, Mark("a", "note", node, attributes.get("href", ""), (), attributes)))
        if name == "a":
            url = (self.links and resolve(attributes.get("href", ""), self.result.base)) or ""
            if not url:
                return above
            attributes = attributes if len(attributes) > 1 else NO_ATTRIBUTES
        mark = Mark(name, _KINDS.get(name, name), node, url, self.language(node) if node in self.stated else (), attributes)
        return Context(above.block, (*above.marks, mark), above.language)

    def ruby_text(self, node: int, name: str, above: Context) -> Context:
        """The text over a ruby base."""
        names = [mark.name for mark in above.marks]
        return above._replace(marks=(*above.marks, Mark("rt", "rt", node))) if "ruby" in names and "rt" not in names else above

    def language(self, node: int) -> Language:
        """``lang`` and ``dir`` of a node, where they make sense."""
        attributes = self.stated.get(node)
        if attributes is None:
            return ()
        lang, direction = attributes.get("lang", ""), attributes.get("dir", "").lower()
        found = [("lang", lang)] if _LANGUAGE.fullmatch(lang) else []
        return (*found, ("dir", direction)) if direction in ("ltr", "rtl", "auto") else tuple(found)


def _apart(block: Block, unbroken: bool, breaks: int, before: str) -> int:
    """Line breaks between a leaf and the text ``before`` it in its block, or :data:`NEW_RUN`. ``breaks``: the ``br`` between them."""
    if unbroken:
        return breaks if breaks < 2 or block.name in LINES or block.name == "pre" else NEW_RUN
    if block.name == "pre":
        return breaks or int(not before.endswith("\n"))
    return max(breaks, 1) if block.name in LINES else NEW_RUN


def _count_run(block: Block) -> None:
    """Count a run where it stands, and see whether the list around it becomes loose."""
    block.runs += 1
    around: Block | None = block
    while around:
        if around.name == "li" and around.parent:
            around.parent.loose |= around is not block or block.runs > 1
            return
        around = around.parent


def _whole_number(value: str, otherwise: int) -> int:
    value = value.strip()
    return int(value) if value.isascii() and value.removeprefix("-").isdigit() and len(value) < 10 else otherwise


_NO_ELEMENT = (1 << 62, 0, 0)
NEW_RUN = -1  #: In place of a number of line breaks: a run begins.
_LISTING = (*LISTS, "dl")
_OWNERS = {
    **{"dt": ("dl",), "dd": ("dl",), "figcaption": ("figure",), "summary": ("details",), "td": ("tr",), "th": ("tr",)},
    **dict.fromkeys(("thead", "tbody", "tfoot", "caption"), ("table",)),
    "tr": ("table", "thead", "tbody", "tfoot"),
}
"""The blocks that some blocks belong into."""

_HANDLERS: dict[int, Callable[[_Outliner, int, str, Context], Context]]
_HANDLERS = dict.fromkeys(tags.BLOCKS - tags.codes("html body"), _Outliner.wrapper)
"""What each tag does to the context; others do nothing."""
for _handler, _of in (
    (_Outliner.container, "blockquote dl figure details"),
    (_Outliner.listing, "ul ol menu dir"),
    (_Outliner.item, "li"),
    (_Outliner.part, " ".join(_OWNERS)),
    (_Outliner.heading, "h1 h2 h3 h4 h5 h6"),
    (_Outliner.preformatted, "pre listing xmp plaintext"),
    (_Outliner.table, "table"),
    (_Outliner.mark, " ".join(_KINDS)),
    (_Outliner.ruby_text, "rt"),
):
    _HANDLERS.update(dict.fromkeys(tags.codes(_of), _handler))
_MARKS = tags.lookup(tags.codes(" ".join(_KINDS)))
_MARKING = _MARKS | tags.lookup(tags.codes("rt"))
_MEANT = tags.lookup(frozenset(code for code, does in _HANDLERS.items() if does is not _Outliner.wrapper) - tags.codes("span"))
"""Tags that have a meaning; the others may state a language."""
_STATING = ("lang", "dir", "start", "value")
