"""PageTree: a page as parallel arrays in document order, the language that all methods share.

Node ``i`` of a tree has the subtree ``[i, end[i])``, so every sum over subtrees is one difference of prefix sums and no method
has to recurse. Trees are immutable; methods return new arrays.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.native import columns as compiled
from tamis.page import tags
from tamis.page.budget import Budget
from tamis.page.caching import cached_property, of_name
from tamis.page.lexicon import WordPattern, either

IntColumn = NDArray[np.int32]
BoolColumn = NDArray[np.bool_]

Attributes = Mapping[str, str]
NO_ATTRIBUTES: Attributes = {}
_NO_NODES = np.frombuffer(b"", np.int64)

MAX_NODES = 100_000
"""Nodes of a page that :meth:`PageTree.bounded` keeps where it is told no other number."""
MAX_LIST_NODES = 150_000  #: Nodes that are searched for records, which cost less; what comes after them is left out.
MAX_NODE_DEPTH = 512
"""Ancestors of a node that the same methods look at; a Chromium opens no more elements either (``kMaximumHTMLParserDOMTreeDepth``)."""
MAX_TITLES = 40  #: Elements that may be the title, titles of drawings among them.


Words = tuple[str, ...] | frozenset[str]
_Sought = Words | tuple[int, Words]  #: The words; for texts also the most characters of one that is searched.


class _Search:
    """Sets of words that rules search in the values of one attribute or in texts, grown as they ask first: one search finds all of them."""

    def __init__(self) -> None:
        self.sets: dict[_Sought, tuple[int, tuple[str, ...]]] = {}
        self.finder: object = None

    def add(self, sought: _Sought, words: Words, longest: int) -> None:
        """Search some more words."""
        if len(self.sets) == _MOST_SOUGHT:
            del self.sets[next(iter(self.sets))]
        self.sets[sought] = longest, tuple(words)
        self.finder = compiled.finder(self.sets)


_Found = Mapping[_Sought, Sequence[int]]
_searches = defaultdict[str, _Search](_Search)  #: By the name of the attribute; texts have none.
_MOST_SOUGHT = 64  #: Most sets of words searched at a time.


def _holding(name: str, values: list[str], sought: _Sought, words: Words, longest: int = sys.maxsize) -> _Found:
    """Positions of the values with a word of each set that rules search in them, some ``words`` of at most ``longest`` characters, too."""
    search = _searches[name]
    if sought not in search.sets:
        search.add(sought, words, longest)
    found: _Found = dict.fromkeys(search.sets, ()) | compiled.holding(values, search.finder)
    return found


def contains_any(values: list[str], words: Words, longest: int = sys.maxsize) -> list[int]:
    """Return positions of values of at most ``longest`` characters with one of some words, in any case. ``words``: in lower case."""
    found: dict[int, list[int]] = compiled.holding(values, _finder(longest, words))
    return found.get(0, [])


@lru_cache(_MOST_SOUGHT)
def _finder(longest: int, words: Words) -> object:
    return compiled.finder({0: (longest, tuple(words))})


class _Coded(NamedTuple):
    codes: IntColumn  #: Position of each node's value in ``distinct``, int32 ``(n,)``; -1 for nodes without the attribute.
    distinct: list[str]  #: Its values; empty for an attribute without a value.


class Values(_Coded):
    """One attribute of ``n`` nodes."""

    name = ""  #: Of the attribute, where it is known.
    held: _Found = MappingProxyType({})  #: Positions of the values with words that rules search.

    def of(self, node: int) -> str | None:
        """Return the value of a node, or None."""
        code = int(self.codes[node])
        return self.distinct[code] if code >= 0 else None

    def where(self, test: Callable[[str], object], words: Words = ()) -> BoolColumn:
        """Return nodes whose value passes a test, bool ``(n,)``. Arguments as in :meth:`passing`."""
        return self.of_codes(self.passing(test, words))

    def nodes(self, test: Callable[[str], object], words: Words = ()) -> NDArray[np.intp]:
        """Return the nodes of :meth:`where`, rising, intp ``(k,)``; fast where there are none."""
        codes = self.passing(test, words)
        return self.nodes_of(codes) if codes else _NO_NODES

    def passing(self, test: Callable[[str], object], words: Words = ()) -> list[int]:
        """Return positions of the distinct values that pass a test. Each is tested once.

        ``words``: in lower case; a value must hold one of them, in any case, to pass. Searching them is faster. They are the same for all
        pages."""
        distinct = self.distinct
        if not distinct:
            return []
        tested = self.held.get(words) if words else range(len(distinct))
        if tested is None:
            self.held = _holding(self.name, distinct, words, words)
            tested = self.held[words]
        return [code for code in tested if test(distinct[code])] if tested else []

    def of_codes(self, codes: list[int]) -> BoolColumn:
        """Return the nodes whose value is one of some, bool ``(n,)``. ``codes``: their positions in :attr:`distinct`."""
        if not codes:
            return np.zeros(len(self.codes), dtype=np.bool_)
        return np.frombuffer(self._table(codes), np.bool_).take(self.codes, mode="wrap")

    def nodes_of(self, codes: list[int]) -> NDArray[np.intp]:
        """Return the nodes of :meth:`of_codes`, rising, intp ``(k,)``."""
        return np.frombuffer(compiled.tagged(self._table(codes), self.codes), np.int64) if codes else _NO_NODES

    def _table(self, codes: list[int]) -> bytearray:
        table = bytearray(len(self.distinct) + 1)  # the last one is for nodes without a value
        for code in codes:
            table[code] = 1
        return table


COLUMNS: tuple[str, ...] = ("class", "id", "style", "hidden", "open", "role", "rel", "itemprop", "itemtype", "data-testid", "type", "lang")
COLUMNS += ("dir", "start", "value", "colspan", "rowspan", "aria-expanded", "aria-controls", "name", "data-tex", "href")
COLUMNS += ("property", "shadowrootmode", "action")
"""Attributes that are asked for as columns; a walk over the parser's nodes reads them on its way."""
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_FOR_READERS = WordPattern(rf"(?:^|[\s_-]){either('for readers')}(?:$|[\s_-])")
"""Class names by which templates hide what is meant for screen readers alone."""
_HIDING = WordPattern(rf"{_FOR_READERS.expression}|(?<!\S){either('hidden')}(?!\S)")
_SHOWING = re.compile(r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl):|d-(?:sm|md|lg|xl|xxl)-)(?:block|flex|grid|inline|table|contents)", re.IGNORECASE)
"""Class names that show an element on wider screens (Tailwind, Bootstrap), though another one hides it on small ones."""


class LazyAttributes(Sequence[Attributes]):
    """The attributes of every node, read from the parser's nodes when they are looked at and not before.

    Many jobs never look at an attribute or at few, and reading them all doubles the cost of a pass. Pickling reads them,
    so that a tree can travel between processes.

    Args:
        length: how many nodes there are.
        read: reads the attributes of some nodes; of all where it is given None.
        columns: the columns of :data:`COLUMNS` by name, where they were read already.
    """

    __slots__ = ("_attributes", "_length", "_read", "columns")

    def __init__(self, length: int, read: Callable[[list[int] | None], list[Attributes]], columns: dict[str, Values] | None = None) -> None:
        self._length = length
        self._read = read
        self._attributes: list[Attributes] | None = None
        self.columns = columns

    def all(self) -> list[Attributes]:
        """Return the attributes of all nodes, one mapping each."""
        if self._attributes is None:
            self._attributes = self._read(None)
        return self._attributes

    def of(self, nodes: list[int]) -> list[Attributes]:
        """Return the attributes of some nodes."""
        every = self._attributes
        return self._read(nodes) if every is None else [every[node] for node in nodes]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, node: Any) -> Any:
        places = range(self._length)[node]  # of a part, all are not kept
        return self.of(list(places)) if isinstance(node, slice) else self.of([places])[0]

    def __iter__(self) -> Iterator[Attributes]:
        return iter(self.all())

    def __reduce__(self) -> tuple[type[tuple[Any, ...]], tuple[list[Attributes]]]:
        return (tuple, (self.all(),))


def _plain_values(attributes: Iterable[Attributes], name: str) -> Values:
    indices: dict[str, int] = {}
    index = [indices.setdefault(own[name], len(indices)) if name in own else -1 for own in attributes]
    return Values(np.array(index, dtype=np.int32), list(indices))


@of_name
def _hides(classes: str) -> bool:
    return _HIDING.search(classes) is not None and not _SHOWING.search(classes)


@dataclass(frozen=True, eq=False)
class PageTree:
    """A page as arrays over its ``n`` nodes (elements and non-blank text nodes) in document order.

    Comments are left out, and so is text that is not for readers (scripts, styles). White space in texts is
    collapsed as a browser does it, outside preformatted elements; a text that follows white space begins with one space.
    """

    tag: IntColumn  #: Tag code of each node, int32 ``(n,)``; 0 is a text node (:mod:`tamis.page.tags`).
    parent: IntColumn  #: Index of the parent, int32 ``(n,)``; -1 at the root.
    end: IntColumn  #: First index after the node's subtree, int32 ``(n,)``.
    text_nodes: IntColumn  #: Indices of the ``m`` text nodes, int32 ``(m,)``, rising.
    texts: list[str]  #: Their texts, ``m`` strings.
    link: BoolColumn  #: The node is a hyperlink: ``a``, ``area`` or a custom element with ``href``, bool ``(n,)``.
    attributes: Sequence[Attributes] = field(repr=False)  #: Attributes of each node, ``n`` mappings (empty for text).
    names: tuple[str, ...] = field(default=tags.KNOWN, repr=False)
    """Tag names by code: the known ones, then those that only this page uses."""
    json_ld: tuple[str, ...] = field(default=(), repr=False)  #: The page's JSON-LD blocks, as text.
    notes: tuple[str, ...] = ()  #: Notes on what was cut while the tree was built (limits), in words.
    written: IntColumn | None = field(default=None, repr=False)
    """Tag codes as the page writes them, int32 ``(n,)``, where roles or styles say that some elements are others; else None."""
    sheet: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Declarations of the page's style sheets about the layout of classes, by name (:mod:`tamis.page.styles`)."""

    _held: ClassVar[_Found] = Values.held

    def __len__(self) -> int:
        return len(self.tag)

    def __repr__(self) -> str:
        return f"PageTree({len(self)} nodes, {len(self.texts)} texts)"

    def bounded(self, nodes: int = MAX_NODES, depth: int | None = MAX_NODE_DEPTH) -> PageTree:
        """Return the page up to a number of nodes, or to the first one with more ancestors than ``depth`` (None: any).

        Nodes keep their indices, and a note says what was cut. It is the page itself where that is within the bounds.
        """
        deep = np.flatnonzero(self.depth[:nodes] > (len(self) if depth is None else depth))
        if len(self) <= nodes and not len(deep):
            return self
        note = f"nesting deeper than {depth}" if len(deep) else f"more than {nodes} elements and texts"
        nodes = int(deep[0]) if len(deep) else nodes
        texts = int(np.searchsorted(self.text_nodes, nodes))
        return replace(
            self,
            tag=self.tag[:nodes],
            written=None if self.written is None else self.written[:nodes],
            parent=self.parent[:nodes],
            end=np.minimum(self.end[:nodes], np.int32(nodes)),
            text_nodes=self.text_nodes[:texts],
            texts=self.texts[:texts],
            link=self.link[:nodes],
            attributes=LazyAttributes(nodes, lambda some: list(self.attributes[:nodes]) if some is None else self.attributes_of(some)),
            notes=(*self.notes, f"{note}: the rest of the page left out"),
        )

    # -- columns derived on demand -------------------------------------------------------------------------------

    @cached_property
    def depth(self) -> IntColumn:
        """Number of ancestors, int32 ``(n,)``: nodes before it less subtrees that have ended."""
        closed = np.cumsum(np.bincount(self.end, minlength=len(self) + 1)[: len(self)])
        return (np.arange(len(self)) - closed).astype(np.int32)

    def _count(self, wanted: str) -> Any:
        """One of the columns that are counted in one pass; all of them are kept."""
        found = compiled.measure(_FLAGS, self.tag, self.end, self.link, self.text_nodes, self.texts)
        for (name, dtype), column in zip(_COUNTED, found, strict=True):
            vars(self)[name] = np.frombuffer(column, dtype)
        return vars(self)[wanted]

    @cached_property
    def text_length(self) -> IntColumn:
        """Characters of a text node's own text, without outer white space, int32 ``(n,)``; 0 for elements."""
        return self._count("text_length")  # type: ignore[no-any-return]

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """Characters of all texts before each node, and of the page, int64 ``(n + 1,)``."""
        return self._count("before")  # type: ignore[no-any-return]

    @cached_property
    def linked_before(self) -> NDArray[np.int64]:
        """Characters of all texts in hyperlinks before each node, and of the page, int64 ``(n + 1,)``."""
        return self._count("linked_before")  # type: ignore[no-any-return]

    @cached_property
    def lines_before(self) -> IntColumn:
        """Lines that begin before each node, and on the page, int32 ``(n + 1,)``: block boundaries and ``br`` part lines."""
        return self._count("lines_before")  # type: ignore[no-any-return]

    @cached_property
    def line(self) -> IntColumn:
        """Line of each text node, int32 ``(m,)``, from 0."""
        return self._count("line")  # type: ignore[no-any-return]

    @cached_property
    def in_link(self) -> BoolColumn:
        """The node is in a hyperlink or is one, bool ``(n,)``."""
        return self._count("in_link")  # type: ignore[no-any-return]

    def contains_any(self, words: Words, longest: int) -> Sequence[int]:
        """Return positions of texts of at most ``longest`` characters with one of ``words`` (lower case, the same for all pages)."""
        sought = longest, words
        found = self._held.get(sought)
        if found is None:
            vars(self)["_held"] = _holding("", self.texts, sought, words, longest)
            found = self._held[sought]
        return found

    @cached_property
    def link_around(self) -> IntColumn:
        """The innermost hyperlink that each node is or lies in, int32 ``(n,)``; -1 for none."""
        return self.nearest_ancestor(self.link)

    @cached_property
    def in_chrome(self) -> BoolColumn:
        """The node is in navigation, an aside, a header, a footer or a form beside most of the text, or is one, bool ``(n,)``."""
        return self._count("in_chrome")  # type: ignore[no-any-return]

    @cached_property
    def length_below(self) -> NDArray[np.int64]:
        """Characters of all texts at or below each node, int64 ``(n,)``."""
        return self._count("length_below")  # type: ignore[no-any-return]

    @cached_property
    def headings(self) -> NDArray[np.intp]:
        """The headings, rising, intp ``(k,)``."""
        return self.tagged(_HEADINGS)

    @property
    def title(self) -> str:
        """The text of the first ``title`` element that is not of a drawing; empty where there is none."""
        for node in np.flatnonzero(self.tag == tags.CODE["title"])[:MAX_TITLES].tolist():
            if all(self.tag[above] != tags.CODE["svg"] for above in self.ancestors(node)):
                return self.text(node)
        return ""

    @cached_property
    def ordinal(self) -> IntColumn:
        """Position among the siblings of the same tag, from 1, int32 ``(n,)``: the number in an XPath step."""
        tag = self.tag if self.written is None else self.written
        order = np.lexsort((tag, self.parent))
        first = np.ones(len(self), dtype=np.bool_)
        first[1:] = (np.diff(self.parent[order]) != 0) | (np.diff(tag[order]) != 0)
        starts = np.flatnonzero(first)
        position = np.arange(len(self)) - np.repeat(starts, np.diff(np.append(starts, len(self))))
        result = np.empty(len(self), dtype=np.int32)
        result[order] = position + 1
        return result

    @cached_property
    def non_text(self) -> BoolColumn:
        """Nodes in elements that hold no running text (:data:`tamis.page.tags.UNSEEN`), those included, bool ``(n,)``."""
        return self.subtree_mask(self.of_tags(_UNSEEN))

    @cached_property
    def hidden(self) -> BoolColumn:
        """Elements that the page itself says are not shown, bool ``(n,)``; what lies in them is not marked.

        They have the attribute ``hidden``, an inline style that hides them, or a class name by which templates hide what is meant for
        screen readers or for later, unless another class shows them on wider screens; or they are a ``template``, or a ``dialog`` that is
        not open. What ``aria-hidden`` marks is seen on the screen, and readers open a closed ``details``: both are shown.
        """
        styles, hidden = self.values("style"), self.values("hidden")
        found = self.values("class").where(_hides, _HIDING.hints)
        if hidden.distinct:
            found |= hidden.codes >= 0
        if len(closed := self.tagged(_CLOSED)):
            found[closed[(self.values("open").codes[closed] < 0) | (self.tag[closed] == tags.CODE["template"])]] = True
        if codes := styles.passing(_HIDDEN_STYLE.search, ("display", "visibility")):
            found |= styles.of_codes(codes)
        return found

    @property
    def for_readers(self) -> NDArray[np.intp]:
        """The elements with a class name by which templates hide what is meant for screen readers alone, rising, intp ``(k,)``."""
        return self.values("class").nodes(_FOR_READERS.search, _FOR_READERS.hints)

    # -- attributes ------------------------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> dict[str, Values]:
        """Columns by the name of the attribute; pages with the same attributes share them."""
        return getattr(self.attributes, "columns", None) or {}

    def values(self, name: str) -> Values:
        """Return one attribute of all nodes as a column; fast for those of :data:`COLUMNS`."""
        found: Values | None = self._columns.get(name)
        if found is None:
            found = self._columns[name] = _plain_values(self.attributes, name)
            found.name = name
        return found

    def attributes_of(self, nodes: list[int]) -> list[Attributes]:
        """Return the attributes of some nodes."""
        given = self.attributes
        return given.of(nodes) if isinstance(given, LazyAttributes) else [given[node] for node in nodes]

    # -- sums and sets over subtrees ------------------------------------------------------------------------------

    def subtree_sum(self, values: NDArray[Any], nodes: NDArray[np.integer] | None = None) -> NDArray[Any]:
        """Sum of ``values`` ``(n,)`` over the subtree of each node, or of some ``nodes``, itself included, int64 or float64.

        It is one difference of prefix sums.
        """
        prefix = np.zeros(len(values) + 1, dtype=np.float64 if values.dtype.kind == "f" else np.int64)
        np.cumsum(values, out=prefix[1:])
        return prefix[self.end] - prefix[:-1] if nodes is None else prefix[self.end[nodes]] - prefix[nodes]

    def count_below(self, nodes: NDArray[np.integer], of: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return how many nodes of ``of``, rising, are in the subtree of each of ``nodes``, themselves included, intp."""
        return np.asarray(of.searchsorted(self.end[nodes]) - of.searchsorted(nodes))

    def subtree_mask(self, roots: NDArray[Any]) -> BoolColumn:
        """Return the nodes in the subtrees of ``roots``, the roots included, bool ``(n,)``. ``roots``: indices, or bool ``(n,)``."""
        marked = roots
        if roots.dtype != np.bool_:
            marked = np.zeros(len(self), dtype=np.bool_)
            marked[roots] = True
        return np.frombuffer(compiled.covered(self.end, marked), np.bool_).copy()

    def nearest_ancestor(self, marked: BoolColumn) -> IntColumn:
        """Return the innermost marked node that each node is or lies in, int32 ``(n,)``; -1 for none. ``marked``: bool ``(n,)``."""
        return np.frombuffer(compiled.nearest(self.parent, marked), np.int32)

    def top_level(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some nodes, rising, that are in no other of them.

        >>> from tamis import parse
        >>> parse("<ul><li>1<li>2</ul>").top_level(np.array([3, 4, 5])).tolist()
        [3]
        """
        return np.frombuffer(compiled.outermost(self.end, np.ascontiguousarray(nodes, np.int64)), np.int64)

    def lines_below(self, nodes: NDArray[np.integer]) -> IntColumn:
        """Return lines that begin in the subtree of each of some nodes, int32."""
        return np.asarray(self.lines_before[self.end[nodes]] - self.lines_before[nodes])

    def texts_below(self, node: int) -> tuple[int, int]:
        """Position of the first text at or below a node among the page's texts, and the position after the last."""
        return self.texts_between(node, int(self.end[node]))

    def texts_between(self, first: int, after: int) -> tuple[int, int]:
        """Return the positions among the page's texts where those of a range of nodes begin and end."""
        bounds = np.array((first, after), dtype=self.text_nodes.dtype)  # NumPy would copy the column to compare it with another type
        start, stop = self.text_nodes.searchsorted(bounds).tolist()
        return start, stop

    def of_tags(self, wanted: NDArray[np.bool_]) -> BoolColumn:
        """Return the nodes whose tag is in a table made by :func:`tamis.page.tags.lookup`, bool ``(n,)``."""
        return tags.within(wanted, self.tag)

    def tagged(self, wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return the nodes of :meth:`of_tags`, rising, intp ``(k,)``."""
        found = compiled.tagged(wanted, self.tag)
        return np.frombuffer(found, np.int64) if found else _NO_NODES

    def children(self, node: int) -> NDArray[np.intp]:
        """Return indices of a node's children, in order."""
        return np.flatnonzero(self.parent[node + 1 : self.end[node]] == node) + node + 1

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield the ancestors of a node, from its parent to the root."""
        node = int(self.parent[node])
        while node >= 0:
            yield node
            node = int(self.parent[node])

    # -- text ---------------------------------------------------------------------------------------------------

    def text(self, node: int = 0) -> str:
        """Return all text below a node, white space collapsed.

        >>> from tamis import parse
        >>> parse("<p>one <b>two</b>").text()
        'one two'
        """
        return self.text_between(*self.texts_below(node)) if len(self) else ""

    def text_between(self, first: int, last: int) -> str:
        """Return all text of the texts from one position to another, white space collapsed."""
        if last == first + 1:
            return " ".join(self.texts[first].split())
        line = self.line[first:last].tolist()
        pieces = [("\n" if k and line[k] != line[k - 1] else "") + text for k, text in enumerate(self.texts[first:last])]
        return " ".join("".join(pieces).split())

    # -- naming a node to the user ----------------------------------------------------------------------------------

    def name(self, node: int) -> str:
        """Tag name of a node; ``#text`` for a text node."""
        return self.names[int(self.tag[node])]

    def attribute(self, node: int, name: str) -> str | None:
        """Return one attribute of a node, or None."""
        value: str | None = self.attributes[node].get(name)
        return value

    def budget(self, part: int = 0) -> Budget:
        """Return a budget for what is copied out of the page, in proportion to its elements and texts; for an element its share."""
        budget = Budget(_MARKUP * len(self) + int(self.before[-1]))
        if part:
            budget.left = budget.left * int(self.end[part] - part) // len(self)
        return budget

    def xpath(self, node: int) -> str:
        """Return the XPath of a node in the browser's tree of the page; a text node is named by its parent. On pages so deep that the paths
        of all elements would be out of proportion, the place of the element among all elements: ``/descendant::*[207]``.

        >>> from tamis import parse
        >>> tree = parse("<body><p>one<p>two")
        >>> tree.xpath(len(tree) - 1)
        '/html[1]/body[1]/p[2]'
        """
        if not self._with_long_paths:
            return self._path(node, css=False)
        node = int(self.parent[node]) if self.tag[node] == tags.TEXT else node
        return f"/descendant::*[{np.count_nonzero(self.tag[: node + 1] != tags.TEXT)}]" if node >= 0 else ""

    @cached_property
    def _with_long_paths(self) -> bool:
        steps = np.array([len(name) + len("/[1]") for name in self.names])[self.tag]
        return not self.budget().take(int(steps @ (self.end - np.arange(len(self)))) // _SELDOM)

    def css(self, node: int) -> str:
        """Return a CSS path that selects just this node, or the parent of a text node; empty on pages as deep as :meth:`xpath` names.

        >>> from tamis import parse
        >>> tree = parse("<body><p>one<p>two")
        >>> tree.css(len(tree) - 1)
        'html > body > p:nth-of-type(2)'
        """
        return "" if self._with_long_paths else self._path(node, css=True).removeprefix(" > ")

    @cached_property
    def _paths(self) -> dict[bool, tuple[int, str]]:
        """The element that a path was last made below, and its own path, for CSS and XPath: siblings are often asked for together."""
        return {}

    def _path(self, node: int, *, css: bool) -> str:
        node = int(self.parent[node]) if self.tag[node] == tags.TEXT else node
        if node < 0:
            return ""
        parent = int(self.parent[node])
        above, path = self._paths.get(css, (-1, ""))
        if above != parent:
            path = "".join(self._step(step, css) for step in reversed(list(self.ancestors(node))))
            self._paths[css] = parent, path
        return path + self._step(node, css)

    def _step(self, node: int, css: bool) -> str:
        name = self.names[int((self.tag if self.written is None else self.written)[node])]
        if not css:
            return f"/{name}[{self.ordinal[node]}]"
        return f" > {name}" if name in ("html", "body") else f" > {name}:nth-of-type({self.ordinal[node]})"


_MARKUP = 40  #: Characters that a node is taken to have in the page besides its text.
_SELDOM = 4  #: Paths are counted by this part of their length: hardly anyone asks for those of all elements.
_FLAGS = tags.flags(tags.BREAKS, tags.codes("nav aside footer header"), tags.codes("form"))
_COUNTED = (
    *((name, np.int64) for name in ("before", "linked_before", "length_below")),
    *((name, np.int32) for name in ("lines_before", "text_length", "line")),
    *((name, np.bool_) for name in ("in_link", "in_chrome")),
)
"""Names of the results of ``native.columns.measure``."""
_HEADINGS, _UNSEEN = tags.lookup(tags.HEADINGS), tags.lookup(tags.UNSEEN)
_CLOSED = tags.lookup(tags.codes("dialog template"))
