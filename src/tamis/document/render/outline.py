"""What of a page is to be shown, as a flat sequence of runs: lines of text and images, each with the blocks it stands in.

Both markup renderers write an outline. Whatever the nesting of the page, a run stands in few blocks (lists, quotes, cells;
wrappers without meaning are gone) and a leaf has few marks (link, emphasis; each kind once), so that writers
compare a run's blocks with those before it, close some, open some, and need no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tamis.document.render import Rendering
from tamis.document.render.code import gutters
from tamis.document.render.formulas import formulas
from tamis.document.render.links import image_source, resolve
from tamis.document.render.marks import permalinks, visible
from tamis.document.render.notes import footnotes
from tamis.document.render.runs import LINES, LISTS, Block, Context, Image, Language, Leaf, Mark, Outline, Run
from tamis.document.render.table import data_tables, structure_below
from tamis.page import tags
from tamis.page.tree import NO_ATTRIBUTES, Attributes, BoolColumn, PageTree

MAX_LEVELS = 12
"""Lists, quotes and the like shown within each other; the markup of deeper ones is left out, their text stays."""

_BLOCKS = tags.lookup(tags.BLOCKS)
_CELL = tags.lookup(tags.CELLS)
_PRE = tags.lookup(tags.PREFORMATTED & tags.BLOCKS)
_P, _BR, _HR, _IMG = (tags.CODE[name] for name in ("p", "br", "hr", "img"))
_HELD = tags.lookup(
    tags.HEADINGS
    | tags.LISTS
    | (tags.PREFORMATTED & tags.BLOCKS)
    | tags.codes("blockquote li dl dt dd figure figcaption details summary table caption thead tbody tfoot tr td th")
)
"""Blocks that give what they hold its meaning."""
_ITEMS = tags.lookup(tags.codes("li dd"))
_LISTED = tags.lookup(tags.LISTS | tags.codes("dl"))
_PASSED = tags.lookup(tags.codes("div p center"))
"""Blocks that may stand between text and the block that gives it its meaning."""

_KINDS = {
    **dict.fromkeys("b strong".split(), "strong"),
    **dict.fromkeys("i em cite dfn var".split(), "em"),
    **dict.fromkeys("code kbd samp tt".split(), "code"),
    **dict.fromkeys("del s strike".split(), "del"),
    **{name: name for name in "a sub sup abbr acronym bdi bdo ins mark q ruby small span time u".split()},
}
_NAMES = {"strike": "s", "tt": "code", "acronym": "abbr"}
_LANGUAGE = re.compile(r"[A-Za-z0-9-]{1,35}")


def outline(tree: PageTree, keep: BoolColumn, rendering: Rendering = Rendering(), base: str | None = None) -> Outline:
    """What of a page is to be shown.

    Args:
        tree: the page.
        keep: mask of kept nodes, bool ``(n,)``. Kept texts, images and rules are shown, and of their ancestors those that
            give them meaning, kept or not, from the innermost element that holds everything kept.
        rendering: what is shown besides text.
        base: URL that links are resolved against.
    """
    leaves, blank, images = _leaves(tree, keep, rendering, base)
    notes = footnotes(tree)
    if notes.back:
        leaves &= ~tree.covered(np.array(list(notes.back), dtype=np.intp))
    found = formulas(tree)
    if found:
        leaves &= ~found.hidden
        images = {node: image for node, image in images.items() if leaves[node]}
    if not leaves.any():
        return Outline(tree, {}, base)
    below = tree.subtree_sum(leaves.astype(np.int64))
    structure = structure_below(tree, below > 0)
    tables = data_tables(tree, leaves, structure) if rendering.tables else {}
    outliner = _Outliner(Outline(tree, tables, base, notes), structure, rendering.links)
    outliner.walk(_top(tree, leaves, below), leaves, blank, images, found.tex if found else {})
    return outliner.result


def _leaves(tree: PageTree, keep: BoolColumn, rendering: Rendering, base: str | None) -> tuple[BoolColumn, BoolColumn, dict[int, Image]]:
    """Which nodes are texts, images or rules to show; texts of nothing but (no-break) spaces; the images."""
    leaves = keep & ((tree.tag == _HR) | (tree.tag == tags.TEXT))
    blank = np.zeros(len(tree), dtype=np.bool_)
    empty = (tree.text_length[tree.text_nodes] == 0).nonzero()[0].tolist()
    blank[[tree.text_nodes[k] for k in empty if tree.texts[k].isspace()]] = True
    pres, cells = np.flatnonzero(tree.of_tags(_PRE)), np.flatnonzero(tree.of_tags(_CELL))
    if len(pres):
        leaves &= ~(tree.covered(pres) & (tree.tag == _HR))
        if len(cells):
            leaves &= ~tree.covered(gutters(tree, cells, pres))
    if (marks := permalinks(tree)) is not None:
        leaves &= ~marks
    images: dict[int, Image] = {}
    found = np.flatnonzero(keep & (tree.tag == _IMG)).tolist() if rendering.images else []
    for node, attributes in zip(found, tree.attributes_of(found), strict=True):
        if url := image_source(attributes, base) or _picture_source(tree, node, base):
            images[node] = Image(url, " ".join(attributes.get("alt", "").split()), " ".join(attributes.get("title", "").split()))
    leaves[list(images)] = True
    return leaves & ~blank, leaves & blank, images


def _picture_source(tree: PageTree, node: int, base: str | None) -> str | None:
    """What a ``picture`` around an image names, where the image itself names nothing."""
    around = int(tree.parent[node])
    if around < 0 or tree.name(around) != "picture":
        return None
    sources = (tree.attributes[child] for child in tree.children(around).tolist() if tree.name(child) == "source")
    return next(filter(None, (image_source(attributes, base) for attributes in sources)), None)


def _top(tree: PageTree, leaves: BoolColumn, below: NDArray[np.int64]) -> int:
    """The element to start at: the innermost one that holds everything shown, or an ancestor that gives it its meaning.

    Of a list with one shown item that holds several paragraphs, the page makes boxes, not points: it is left out.
    """
    around = np.flatnonzero((below == below[0]) & ~leaves)
    top = int(around[-1]) if len(around) else 0
    for above in tree.ancestors(top):
        if _PRE[_code(tree, above)]:
            top = above
    shown = np.flatnonzero(leaves)
    opened = np.flatnonzero(tree.of_tags(_BLOCKS & ~_LISTED & ~_ITEMS))
    several = bool(np.any((opened > shown[0]) & (opened <= shown[-1])))
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


def _code(tree: PageTree, node: int) -> int:
    """The tag of a node, as an index into tables of tags."""
    return min(int(tree.tag[node]), len(tags.KNOWN))


class _Outliner:
    """Walks the shown nodes once; each element's context follows from its parent's."""

    def __init__(self, result: Outline, structure: NDArray[np.int64], links: bool) -> None:
        self.result = result
        self.tree = result.tree
        self.tag = result.tree.tag
        self.structure = structure
        self.links = links
        given = result.tree.values_at(None, _STATING)
        stating = np.logical_or.reduce([codes >= 0 for codes, _ in given]).nonzero()[0].tolist()
        self.stated = dict(zip(stating, result.tree.attributes_of(stating), strict=True))
        """Attributes of the elements that have a language, a direction or a number."""
        self.ordinals: dict[int, NDArray[np.intp]] = {}
        """The items of ordered lists, kept or not."""
        self.marked: dict[int, Attributes] = {}
        """Attributes of inline elements."""

    def walk(self, top: int, leaves: BoolColumn, blank: BoolColumn, images: dict[int, Image], tex: dict[int, str]) -> None:
        """Outline the subtree of ``top``. A blank text is part of a line, but begins none. ``tex``: TeX in place of a text, by node."""
        tree, runs = self.tree, self.result.runs
        last: Block | None = None
        text, last_border, last_break = "", -1, -1
        context = Context(Block("", -1), (), ())
        ends = [len(tree)]
        around = [context]
        for node, code, end, leaf, at, space, border, brs in self._nodes(top, leaves | blank, blank):
            while node >= ends[-1]:
                ends.pop()
                around.pop()
            context = around[-1]
            if not leaf:
                if handler := _HANDLERS.get(code):
                    ends.append(end)
                    around.append(handler(self, node, code, context))
                continue
            if code != tags.TEXT:  # trees of lxml may have text in an image or a rule
                ends.append(end)
                around.append(context)
            block = context.block
            if block.name in _LISTING:
                block = _flow(block)
            if block is not last or code == _HR:
                apart = NEW_RUN
            elif border == last_border and brs == last_break:
                apart = 0
            else:
                apart = _apart(block, border == last_border, (brs - last_break + 1) // 2, text)
            if space and apart:
                continue
            marks = context.marks
            text = tree.texts[at] if code == tags.TEXT else ""
            if apart == NEW_RUN:
                run = Run(block, [], context.language)
                runs.append(run)
                _count_run(block)
            if node in tex:
                run.leaves.append(Leaf(tex[node], None, (*marks, Mark("code", "tex", node)), max(apart, 0)))
            elif shown := visible(text):
                run.leaves.append(Leaf(shown, None, marks, max(apart, 0)))
            elif node in images:
                run.leaves.append(Leaf("", images[node], marks, max(apart, 0)))
            last, last_border, last_break = None if code == _HR else block, border, brs

    def _nodes(self, top: int, leaves: BoolColumn, blank: BoolColumn) -> Iterator[tuple[Any, ...]]:
        """The leaves below ``top`` and the elements around them that have a meaning: index, tag, end of the subtree, whether it is a leaf,
        position among the texts, whether it is blank, blocks that begin or end up to there, and the same of ``br``."""
        tree = self.tree
        wanted = tree.of_tags(_MEANT)
        wanted[list(self.stated)] = True
        wanted[:top] = wanted[tree.end[top] :] = False
        wanted &= (tree.subtree_sum(leaves) > 0) & ~leaves
        if _HANDLERS.get(int(self.tag[top])) is _Outliner.wrapper and self.tag[top] != _P:
            wanted[top] = False
        nodes = np.flatnonzero(wanted | leaves)
        inline = nodes[tree.of_tags(_MARKS)[nodes]].tolist()
        self.marked = dict(zip(inline, tree.attributes_of(inline), strict=True))
        borders, breaks = (_borders(tree, of)[nodes] for of in (tree.of_tags(_BLOCKS), tree.tag == _BR))
        position = np.searchsorted(tree.text_nodes, nodes)
        columns = (nodes, tree.tag[nodes], tree.end[nodes], leaves[nodes], position, blank[nodes], borders, breaks)
        return zip(*(column.tolist() for column in columns), strict=True)

    # -- contexts of elements -----------------------------------------------------------------------------------------

    def wrapper(self, node: int, code: int, above: Context) -> Context:
        """An element without meaning of its own: what it may say is its language."""
        language = self.language(node)
        return above._replace(language=language) if language else above

    def container(self, node: int, code: int, above: Context, name: str = "") -> Context:
        """A block that holds other blocks; counts as a level."""
        outer = _flow(above.block)
        if outer.name == "pre" or outer.name in LINES or outer.level >= MAX_LEVELS:
            return above
        return self.open(name or self.tree.names[code], node, above, outer, level=1)

    def open(self, name: str, node: int, above: Context, outer: Block, level: int = 0) -> Context:
        """The context in a new block."""
        block = Block(name, node, outer, (), outer.level + level, self.language(node) or above.language)
        block.path = (*outer.path, block)
        return Context(block, above.marks, ())

    def listing(self, node: int, code: int, above: Context) -> Context:
        """A list."""
        name = "ol" if self.tree.names[code] == "ol" else "ul"
        context = self.container(node, code, above, name)
        if name == "ol" and context is not above:
            context.block.number = _whole_number(self.stated.get(node, NO_ATTRIBUTES).get("start", ""), 1)
        return context

    def item(self, node: int, code: int, above: Context) -> Context:
        """An item of a list; outside of lists, a wrapper."""
        outer = above.block
        if outer.name not in LISTS:
            return self.wrapper(node, code, above)
        context = self.open("li", node, above, outer)
        if outer.name == "ol":
            self._number(context.block, outer)
        outer.items += 1
        outer.last = context.block
        return context

    def _number(self, item: Block, outer: Block) -> None:
        """The number a reader sees at an item, those not kept counted."""
        position = outer.items + 1
        if self.tree.parent[item.node] == outer.node:
            items = self.ordinals.get(outer.node)
            if items is None:
                children = self.tree.children(outer.node)
                items = self.ordinals[outer.node] = children[self.tag[children] == self.tag[item.node]]
            position = int(np.searchsorted(items, item.node)) + 1
        value = self.stated.get(item.node, NO_ATTRIBUTES).get("value", "")
        if value:
            outer.number = _whole_number(value, outer.number + position - 1) - position + 1
        item.number = outer.number + position - 1

    def part(self, node: int, code: int, above: Context) -> Context:
        """A block that belongs into a certain other one (``dt`` into ``dl``); elsewhere, a wrapper."""
        name = self.tree.names[code]
        outer = above.block
        if outer.name != _OWNERS[name] or (name in LINES and self.structure[node]):
            return self.wrapper(node, code, above)
        context = self.open(name, node, above, outer)
        outer.last = context.block
        return context

    def heading(self, node: int, code: int, above: Context) -> Context:
        """A heading; one around lists, tables or other headings is a wrapper."""
        outer = _flow(above.block)
        if outer.name == "pre" or outer.name in LINES or self.structure[node] > 1:
            return self.wrapper(node, code, above)
        return self.open(self.tree.names[code], node, above, outer)

    def preformatted(self, node: int, code: int, above: Context) -> Context:
        """Preformatted text; one within another is part of it."""
        outer = _flow(above.block)
        if outer.name == "pre" or outer.name in LINES:
            return above
        return self.open("pre", node, above, outer)

    def table(self, node: int, code: int, above: Context) -> Context:
        """A data table; a table that lays out the page is a wrapper."""
        return self.container(node, code, above) if node in self.result.tables else self.wrapper(node, code, above)

    def table_part(self, node: int, code: int, above: Context) -> Context:
        """A section, row or cell of a data table."""
        name = self.tree.names[code]
        if above.block.name not in _TABLE_OWNERS[name]:
            return self.wrapper(node, code, above)
        return self.open(name, node, above, above.block)

    def mark(self, node: int, code: int, above: Context) -> Context:
        """An inline element with a meaning."""
        name = self.tree.names[code]
        name = _NAMES.get(name, name)
        if above.block.name == "pre" and name not in ("a", "code"):
            return above
        for outer in above.marks:
            if outer.name == name:
                return above
        if name == "span" and not self.language(node):
            return above
        url, attributes = "", self.marked.pop(node)
        if node in self.result.notes.references:
            return above._replace(marks=(*above.marks, Mark("a", "note", node, attributes.get("href", ""), (), attributes)))
        if name == "a":
            url = (self.links and resolve(attributes.get("href", ""), self.result.base)) or ""
            if not url:
                return above
            attributes = attributes if len(attributes) > 1 else NO_ATTRIBUTES
        mark = Mark(name, _KINDS.get(name, name), node, url, self.language(node), attributes)
        return Context(above.block, (*above.marks, mark), above.language)

    def ruby_text(self, node: int, code: int, above: Context) -> Context:
        """What stands over a ruby base."""
        if not any(mark.name == "ruby" for mark in above.marks) or any(mark.name == "rt" for mark in above.marks):
            return above
        return above._replace(marks=(*above.marks, Mark("rt", "rt", node)))

    def language(self, node: int) -> Language:
        """``lang`` and ``dir`` of a node, where they make sense."""
        attributes = self.stated.get(node)
        if attributes is None:
            return ()
        lang, direction = attributes.get("lang", ""), attributes.get("dir", "").lower()
        found = [("lang", lang)] if _LANGUAGE.fullmatch(lang) else []
        return (*found, ("dir", direction)) if direction in ("ltr", "rtl", "auto") else tuple(found)


def _apart(block: Block, unbroken: bool, breaks: int, before: str) -> int:
    """Line breaks between a leaf and the one before it in the same block, or that it begins a run.

    Args:
        block: where both stand.
        unbroken: whether no block begins or ends between them.
        breaks: the ``br`` between them; each begins and ends, and trees of lxml may have text in one.
        before: the text of the one before.
    """
    if unbroken:
        return breaks if breaks < 2 or block.name in LINES or block.name == "pre" else NEW_RUN
    if block.name == "pre":
        return breaks or int(not before.endswith("\n"))
    return max(breaks, 1) if block.name in LINES else NEW_RUN


def _borders(tree: PageTree, of: BoolColumn) -> NDArray[np.int64]:
    """How many of some elements begin or end before each node or with it, int64 ``(n + 1,)``."""
    nodes = np.flatnonzero(of)
    return np.cumsum(np.bincount(nodes, minlength=len(tree) + 1) + np.bincount(tree.end[nodes], minlength=len(tree) + 1))


def _flow(block: Block) -> Block:
    """Where text or a block that stands directly in ``block`` goes: in lists, the last item, or one that the page lacks."""
    if block.name not in _LISTING:
        return block
    if block.last is None or block.last.name == "dt":
        block.last = item = Block("dd" if block.name == "dl" else "li", -1, block, (), block.level, number=block.number + block.items)
        item.path = (*block.path, item)
        block.items += 1
    return block.last


def _count_run(block: Block) -> None:
    """Count a run where it stands, and see whether the list around it becomes loose."""
    block.runs += 1
    for around in reversed(block.path):
        if around.name == "li" and around.parent:
            around.parent.loose |= around is not block or block.runs > 1
            return


def _whole_number(value: str, otherwise: int) -> int:
    value = value.strip()
    return int(value) if value.isascii() and value.removeprefix("-").isdigit() and len(value) < 10 else otherwise


NEW_RUN = -1
"""In place of a number of line breaks: a run begins."""
_LISTING = (*LISTS, "dl")
_OWNERS = {"dt": "dl", "dd": "dl", "figcaption": "figure", "summary": "details"}
_SECTIONS = ("thead", "tbody", "tfoot")
_TABLE_OWNERS = {
    **dict.fromkeys((*_SECTIONS, "caption"), ("table",)),
    "tr": ("table", *_SECTIONS),
    "td": ("tr",),
    "th": ("tr",),
}

_Handler: TypeAlias = Callable[[_Outliner, int, int, Context], Context]


def _handlers() -> dict[int, _Handler]:
    """What each tag does to the context; tags that are not here do nothing."""
    by_name: list[tuple[_Handler, str]] = [
        (_Outliner.container, "blockquote dl figure details"),
        (_Outliner.listing, "ul ol menu dir"),
        (_Outliner.item, "li"),
        (_Outliner.part, " ".join(_OWNERS)),
        (_Outliner.heading, "h1 h2 h3 h4 h5 h6"),
        (_Outliner.preformatted, "pre listing xmp plaintext"),
        (_Outliner.table, "table"),
        (_Outliner.table_part, " ".join(_TABLE_OWNERS)),
        (_Outliner.mark, " ".join(_KINDS)),
        (_Outliner.ruby_text, "rt"),
    ]
    handlers: dict[int, _Handler] = dict.fromkeys(tags.BLOCKS - tags.codes("html body"), _Outliner.wrapper)
    for handler, names in by_name:
        handlers.update(dict.fromkeys(tags.codes(names), handler))
    return handlers


_HANDLERS = _handlers()
_MARKS = tags.lookup(tags.codes(" ".join(_KINDS)))
_MEANT = tags.lookup(frozenset(code for code, does in _HANDLERS.items() if does is not _Outliner.wrapper) - tags.codes("span"))
"""Tags that have a meaning; the others may state a language."""
_STATING = ("lang", "dir", "start", "value")
