"""Features of every node, as arrays; groups of nodes that may be the page's records: nodes of one kind, and runs of their siblings.

Two nodes are of one kind if they have the same tag, with or without one class name, and the same parent, path of tags and class names, or
path of tags. Every kind costs one entry a node, so the work is linear in nodes times class names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from tamis.document.render.table import ShownTable as DataTable
from tamis.document.render.table import data_tables
from tamis.page import tags
from tamis.page.element_names import general
from tamis.page.grouping import group
from tamis.page.lexicon import WordPattern, either
from tamis.page.tree import Attributes, BoolColumn, PageTree
from tamis.structure.hashing import Hashes, mix, path_hashes, path_sums, text_hash

PATH_BASE = np.uint64(0x9E3779B97F4A7C15)  #: Base of the weights of a path's steps by depth in :attr:`PageFeatures.below`.
MAX_NAMES = 12  #: Class names of one element that count.
MAX_IN_CELL = 6  #: Texts and images of a cell from which on, on the mean, cells without headers above them are records.
MAX_NAME = 80  #: Characters of a name that count.

IMAGES = tags.lookup(tags.codes("img picture svg video"))
_ASIDE = tags.lookup(tags.codes("nav aside footer header form dialog"))
_PAGE = tags.lookup(tags.codes("html body"))
_CELLS = tags.lookup(tags.CELLS)
_TH, _TR, _THEAD = tags.CODE["th"], tags.CODE["tr"], tags.CODE["thead"]
_ASIDE_NAME = WordPattern(rf"{either('aside')}|\bads?\b")
"""Words in class names, ids and roles that templates give to content in the margins."""
_MAIN_NAME = WordPattern(either("records"))
"""Class names and ids that templates give to the list that a page is about."""


@dataclass(frozen=True, eq=False)
class PageFeatures:
    """A page as looking for records sees it: ``n`` nodes."""

    tree: PageTree
    length: NDArray[np.int64]  #: Characters of each text node that a reader sees, int64 ``(n,)``; 0 for elements and hidden text.
    characters: NDArray[np.int64]
    """Characters before each node, int64 ``(n + 1,)``: those of a span ``a, b`` are ``characters[b] - characters[a]``."""
    linked: NDArray[np.int64]  #: Characters of links before each node, int64 ``(n + 1,)``.
    links: NDArray[np.int64]  #: Links before each node, int64 ``(n + 1,)``.
    leaves: NDArray[np.intp]  #: Nodes that show something: texts and images, rising.
    shown: NDArray[np.int64]  #: Shown texts and images before each node, int64 ``(n + 1,)``.
    aside: NDArray[np.float64]
    """Evidence that a node is beside the content: 1 within ``nav``, ``aside`` and the like, plus 1 within an element named so, plus 1 if
    that element has check boxes or radio buttons (filters); float64 ``(n,)``."""
    main: BoolColumn  #: Nodes within ``main``, or within an element that is called after a list of results, bool ``(n,)``.
    names: tuple[tuple[str, ...], ...]  #: Generalised names of each node: class names, ``#id``, ``@type``.
    by_tags: Hashes  #: Hash of each node's path of tags, uint64 ``(n,)``.
    by_names: Hashes  #: Hash of each node's path of tags and class names, uint64 ``(n,)``.
    tables: dict[int, DataTable]  #: The tables of data, by their nodes.
    table_of: NDArray[np.intp]  #: The table of data that a row without headers is of, intp ``(n,)``; -1 for other nodes.
    below: Hashes  #: Running sum behind ``by_tags``: the difference of two nodes is the path between them, for nodes of one depth alike.

    def classes(self, node: int) -> tuple[str, ...]:
        """Return the class names of a node, generalised."""
        return tuple(name for name in self.names[node] if not name.startswith(("#", "@")))

    @cached_property
    def candidates(self) -> list[Candidate]:
        """All candidates of the page (:func:`candidates`)."""
        return candidates(self)


def places(tree: PageTree) -> PageFeatures:
    """Look a page over, once."""
    unread = tree.non_text | tree.subtree_mask(tree.hidden)
    length = np.where(unread, 0, tree.text_length).astype(np.int64)
    shown = (length > 0) | (tree.of_tags(IMAGES) & ~unread)
    names, name_hash = _names_of_nodes(tree)
    tag_hash = mix(tree.tag.astype(np.uint64) + np.uint64(1))
    leaves = np.flatnonzero(shown)
    tables = {node: table for node, table in data_tables(tree, leaves).items() if _is_of_rows(tree, table, leaves)}
    table_of = np.full(len(tree), -1, dtype=np.intp)
    for table in tables.values():
        table_of[list(table.rows)] = table.node
    table_of[header_rows(tree)] = -1
    powers = np.cumprod(np.full(int(tree.depth.max(initial=0)) + 1, PATH_BASE), dtype=np.uint64)
    return PageFeatures(
        tree=tree,
        length=length,
        characters=_before(length),
        linked=_before(np.where(tree.subtree_mask(tree.link), length, 0)),
        links=_before(tree.link & ~unread),
        leaves=leaves,
        shown=_before(shown),
        aside=_aside(tree, length),
        main=_main(tree),
        names=names,
        by_tags=path_hashes(tag_hash, tree.depth, tree.end),
        by_names=path_hashes(mix(tag_hash + name_hash), tree.depth, tree.end),
        tables=tables,
        table_of=table_of,
        below=path_sums(tag_hash * powers[tree.depth], tree.end),
    )


def _is_of_rows(tree: PageTree, table: DataTable, leaves: NDArray[np.intp]) -> bool:
    """Return whether the rows of a table are records: two or more, and its cells hold no whole records (:data:`MAX_IN_CELL`)."""
    cells = np.array([cell.node for cells in table.rows.values() for cell in cells], dtype=np.intp)
    filled = tree.count_below(cells, leaves)
    return len(table.rows) > 1 and bool(table.head or filled.sum() < MAX_IN_CELL * np.count_nonzero(filled))


def generalised(attributes: Attributes) -> tuple[str, ...]:
    """Return the names that tell the kind of an element: class names, a numbered id, the type of its microdata.

    >>> generalised({"class": "post hot", "id": "p17"}), generalised({"id": "main"})
    (('post', 'hot', '#p0'), ())
    """
    found = [general(name[:MAX_NAME]) for name in attributes.get("class", "").split()[:MAX_NAMES]]
    ident = attributes.get("id", "").strip()[:MAX_NAME]
    if ident != general(ident) or "0" in ident:  # an id without a number is unique on the page and makes no kind
        found.append("#" + general(ident))
    if kind := attributes.get("itemtype", "").strip():
        found.append("@" + kind.rsplit("/", 1)[-1][:MAX_NAME])
    return tuple(dict.fromkeys(found))


def header_rows(tree: PageTree) -> BoolColumn:
    """Return rows of a table that hold the names of its columns: those of ``thead``, or of two header cells or more and, but for empty
    ones, no others, bool ``(n,)``."""
    cells = np.flatnonzero(tree.of_tags(_CELLS) & (tree.parent >= 0))
    rows, is_header = tree.parent[cells], tree.tag[cells] == _TH
    filled = is_header | (tree.end[cells] > cells + 1)
    headers = np.bincount(rows[is_header], minlength=len(tree))
    named = (headers > 1) & (headers == np.bincount(rows[filled], minlength=len(tree)))
    return np.asarray((tree.tag == _TR) & (named | (tree.tag[tree.parent] == _THEAD)))


def _names_of_nodes(tree: PageTree) -> tuple[tuple[tuple[str, ...], ...], Hashes]:
    """Names of each node, and a hash of them, uint64 ``(n,)``; 0 for none."""
    columns = {name: tree.values(name) for name in ("class", "id", "itemtype")}
    key = np.zeros(len(tree), dtype=np.uint64)
    for column in columns.values():
        key = key * np.uint64(len(column.distinct) + 1) + (column.codes + 1).astype(np.uint64)
    number, first = group(key)
    found = [generalised({name: column.of(node) or "" for name, column in columns.items()}) for node in first.tolist()]
    hashes = np.array([text_hash(" ".join(sorted(names))) if names else 0 for names in found], dtype=np.uint64)
    return tuple(map(found.__getitem__, number.tolist())), hashes[number]


def _choices(tree: PageTree) -> BoolColumn:
    """Check boxes and radio buttons, bool ``(n,)``."""
    inputs = np.flatnonzero(tree.tag == tags.CODE["input"])
    kinds = [attributes.get("type", "").strip().lower() for attributes in tree.attributes_of(inputs.tolist())]
    found = np.zeros(len(tree), dtype=np.bool_)
    found[inputs] = [kind in ("checkbox", "radio") for kind in kinds]
    return found


def _aside(tree: PageTree, length: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute :attr:`PageFeatures.aside`. An element only named so, or a form, is content if it holds three quarters of the page's text."""
    most = tree.subtree_sum(length) >= 0.75 * max(int(length.sum()), 1)
    called = _nodes_named(tree, _ASIDE_NAME, ("class", "id", "role")) & ~most
    of_choices = np.zeros(len(tree), dtype=np.bool_)
    around = tree.nearest_ancestor(called)[_choices(tree)]
    of_choices[around[around >= 0]] = True
    signs = (tree.of_tags(_ASIDE) & ~(most & (tree.tag == tags.CODE["form"])), called, of_choices)
    return np.asarray(np.sum([tree.subtree_mask(sign) for sign in signs], axis=0), dtype=np.float64)


def _main(tree: PageTree) -> BoolColumn:
    """Nodes within ``main``, or within an element that is called after a list of results, bool ``(n,)``."""
    said = tree.values("role").where(lambda role: role == "main") | (tree.tag == tags.CODE["main"])
    named = _nodes_named(tree, _MAIN_NAME, ("class", "id")) & ~tree.of_tags(_PAGE)  # which are called after the whole page
    return tree.subtree_mask(named | said)


def _nodes_named(tree: PageTree, pattern: WordPattern, names: tuple[str, ...]) -> BoolColumn:
    """Return the elements with a name, in one of the attributes, that the pattern matches, bool ``(n,)``."""
    fitting = [tree.values(name).where(lambda value: pattern.search(value[:200]), pattern.hints) for name in names]
    return np.asarray(np.logical_or.reduce(fitting))


def _before(values: NDArray[np.int64] | BoolColumn) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(values, dtype=np.int64)))


_LINE_ENDS = tags.lookup(tags.BREAKS)
_HEADING = tags.lookup(tags.HEADINGS)
_PRE = tags.CODE["pre"]
Spans = NDArray[np.int64]  #: Records as ranges of nodes in preorder, int64 ``(r, 2)``: first node, first node after.

NOTE = 12  #: Characters of a note on a heading.
MAX_GROUPS = 10_000  #: Groups of a page that are candidates, the largest first.
MAX_RUN_WORK = 4_000_000  #: Nodes that are gone through in search of runs of siblings; the runs of smaller groups are left out beyond it.


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A group of nodes of one kind, and the records that they may be or begin."""

    heads: NDArray[np.intp]  #: The nodes, rising.
    spans: Spans  #: The records: the subtrees of the heads, or runs of siblings from head to head.
    run: bool = False  #: Records are runs of siblings.


def candidates(page: PageFeatures) -> list[Candidate]:
    """Return all candidates of a page, without doubles, in the order of their first node."""
    tree = page.tree
    with_headers = tree.subtree_mask(np.array([node for node, table in page.tables.items() if table.head], dtype=np.intp))
    may_be = (tree.tag != tags.TEXT) & (tree.parent >= 0) & (page.shown[tree.end] > page.shown[:-1]) & ~header_rows(tree)
    nodes = np.flatnonzero(may_be & (~with_headers | (page.table_of >= 0)))
    if not len(nodes):
        return []
    kind, member = _kinds_of_nodes(page, nodes)
    order = np.lexsort((member, kind))
    kind, member = kind[order], member[order]
    starts = np.flatnonzero(np.append(True, kind[1:] != kind[:-1]))
    ends = np.append(starts[1:], len(kind))
    whole = np.add.reduceat(mix(member.astype(np.uint64) + np.uint64(99)), starts)  # the same for the same nodes, whatever the kind
    groups: dict[tuple[int, int], int] = {}
    for k in np.flatnonzero(ends - starts >= 2).tolist():
        groups.setdefault((int(whole[k]), int(ends[k] - starts[k])), k)
    largest = sorted(groups.values(), key=lambda k: (starts[k] - ends[k], member[starts[k]]))[:MAX_GROUPS]
    found = [of_elements(page, member[starts[k] : ends[k]]) for k in largest]
    if page.tables:
        found = [each for each in found if _is_of_one_table(page, each.heads)]
    found += _runs(page, found)
    return sorted(found, key=lambda candidate: (int(candidate.heads[0]), candidate.run, -len(candidate.heads)))


def _is_of_one_table(page: PageFeatures, heads: NDArray[np.intp]) -> bool:
    """Return whether the nodes that are rows of data tables belong to one table, or to several with the same headers."""
    own = np.unique(page.table_of[heads])
    own = own[own >= 0]
    return len(own) < 2 or len({_kind_of_table(page, table) for table in own.tolist()}) == 1


def _kind_of_table(page: PageFeatures, table: int) -> object:
    """Return a key for the kind of a table: its column headers, without headers the class names of its rows, else the table itself."""
    first = next(iter(page.tables[table].rows))
    if page.tables[table].head:
        return page.tree.text(first)
    return page.classes(first) or table


def of_elements(page: PageFeatures, heads: NDArray[np.intp]) -> Candidate:
    """Return the candidate whose records are one element each."""
    return Candidate(heads, subtrees(page, heads))


def subtrees(page: PageFeatures, nodes: NDArray[np.intp]) -> Spans:
    """Return records that are one element each."""
    spans = np.empty((len(nodes), 2), dtype=np.int64)
    spans[:, 0], spans[:, 1] = nodes, page.tree.end[nodes]
    return spans


def _runs(page: PageFeatures, groups: list[Candidate]) -> list[Candidate]:
    """The runs that the nodes of each group begin, largest groups first, as long as the work lasts."""
    left = MAX_RUN_WORK
    found = []
    for own in sorted(groups, key=lambda own: (-len(own.heads), int(own.heads[0]))):
        above = page.tree.parent[own.heads]
        if above[0] != above[-1] or (above != above[0]).any():
            continue
        left -= int(page.tree.end[above[0]] - above[0])
        if left < 0:
            break
        if (spans := runs_from(page, own.heads)) is not None:
            found.append(Candidate(own.heads, spans, run=True))
    return found


def without_late_titles(page: PageFeatures, found: list[Candidate]) -> list[Candidate]:
    """Drop runs if most end with the heading of the next record (with a note such as ``[edit]``) after much longer text."""
    in_titles = np.where(page.tree.subtree_mask(page.tree.of_tags(_HEADING)), page.length, 0)
    titles, before = np.flatnonzero(in_titles), np.append(0, np.cumsum(in_titles))  # texts of titles, and their characters before each node

    def is_late(spans: Spans) -> bool:
        first, after = spans[:-1].T
        longer = page.characters[after] - page.characters[first] > 4 * (before[after] - before[first])
        last = np.append(titles, -1)[np.searchsorted(titles, after) - 1]
        follows = page.characters[after] - page.characters[last + 1] <= NOTE
        return bool(np.mean((last > first) & (last != page.leaves[page.shown[first]]) & follows & longer) > 0.5)

    return [candidate for candidate in found if not (candidate.run and is_late(candidate.spans))]


def _kinds_of_nodes(page: PageFeatures, nodes: NDArray[np.intp]) -> tuple[Hashes, NDArray[np.intp]]:
    """Every pair of a kind and a node of it: hashes, and nodes."""
    hash_of = cache(text_hash)
    named = [(node, hash_of(name)) for node in nodes.tolist() for name in page.names[node]]
    extra = np.array(named, dtype=np.uint64).reshape(-1, 2)
    member = np.concatenate((nodes, extra[:, 0].astype(np.intp)))
    name = np.concatenate((np.zeros(len(nodes), dtype=np.uint64), extra[:, 1]))
    own = mix(mix(page.tree.tag[member].astype(np.uint64) + np.uint64(1)) + mix(name + np.uint64(3)))
    above = page.tree.parent[member]
    places = (mix(above.astype(np.uint64) + np.uint64(11)), page.by_names[above], page.by_tags[above])
    # A kind by path comes first where groups are equal: it means the same on another page.
    by_place = [mix(mix(place + np.uint64(how + 1)) ^ own) for how, place in enumerate(places)]
    return np.concatenate(by_place), np.tile(member, len(places))


def runs_from(page: PageFeatures, heads: NDArray[np.intp]) -> Spans | None:
    """Return the records that run from each of these siblings to the next; None if nothing is between them.

    The last one ends before a sibling whose tag and names none of the others has, or is as long as the longest of the others.
    """
    tree = page.tree
    above = tree.parent[heads]
    if len(heads) < 2 or (above != above[0]).any():
        return None
    between = page.shown[heads[1:]] > page.shown[tree.end[heads[:-1]]]
    if np.count_nonzero(between) < 0.5 * len(between):
        return None
    siblings = tree.children(int(above[0]))
    place = np.searchsorted(siblings, heads)
    # Siblings have one path above them, so equal paths are equal tags and names.
    usual = set(page.by_names[siblings[place[0] : place[-1]]].tolist())
    last, longest = int(place[-1]), int(np.diff(place).max())
    after = siblings[last + 1 : last + longest].tolist()
    unusual = [node for node in after if int(page.by_names[node]) not in usual]
    if unusual:  # an id with a number makes a kind, but none of these
        known = {(tree.tag[node], page.classes(node)) for node in siblings[place[0] : place[-1]].tolist()}
        unusual = [node for node in unusual if (tree.tag[node], page.classes(node)) not in known]
    stop = unusual[0] if unusual else -1
    starts = line_starts(page, heads, siblings, place)
    ends = np.append(starts[1:], stop if stop >= 0 else tree.end[siblings[min(last + longest, len(siblings)) - 1]])
    return np.stack([starts, ends], axis=1).astype(np.int64)


def line_starts(page: PageFeatures, heads: NDArray[np.intp], siblings: NDArray[np.intp], place: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where records begin that have one of these siblings each: at the sibling, or with the text before it on its line
    (``0.9 <a>Gannet</a><br>``) where at least half of them have that."""
    tree = page.tree
    ends = tags.within(_LINE_ENDS, tree.tag[siblings])
    if ends[place[0]]:
        return heads
    begins = np.append(True, ends[:-1])
    if any(tree.tag[node] == _PRE for node in tree.ancestors(int(heads[0]))):
        texts = np.flatnonzero(tree.tag[siblings] == tags.TEXT)
        for k, text in zip(texts.tolist(), np.searchsorted(tree.text_nodes, siblings[texts]).tolist(), strict=True):
            begins[k] |= tree.texts[text].startswith("\n")
            begins[k + 1 : k + 2] |= tree.texts[text].endswith("\n")
    line = np.maximum.accumulate(np.where(begins, np.arange(len(siblings)), 0))[place]
    begin = siblings[line]
    leading = (page.shown[heads] > page.shown[begin]) & (line > np.append(-1, place[:-1]))
    return np.where(leading, begin, heads) if np.count_nonzero(leading[1:]) >= 0.5 * (len(heads) - 1) else heads
