"""Groups of nodes that may be the records of a page: nodes of one kind, and the runs of siblings that they begin.

Two nodes are of one kind if they have the same tag, with or without one class name, and the same parent, path of tags and class names, or
path of tags. Every kind costs one entry a node, so the work is linear in nodes times class names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.records.places import PageFeatures, header_rows
from tamis.structure.hashing import Hashes, mix, text_hash

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
    """All candidates of a page, without doubles, in the order of their first node."""
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
    """The candidate whose records are one element each."""
    return Candidate(heads, subtrees(page, heads))


def subtrees(page: PageFeatures, nodes: NDArray[np.intp]) -> Spans:
    """Records that are one element each."""
    spans = np.empty((len(nodes), 2), dtype=np.int64)
    spans[:, 0], spans[:, 1] = nodes, page.tree.end[nodes]
    return spans


def _runs(page: PageFeatures, groups: list[Candidate]) -> list[Candidate]:
    """The runs that the nodes of each group begin, largest groups first, as long as the work lasts."""
    left = MAX_RUN_WORK
    found = []
    for group in sorted(groups, key=lambda group: (-len(group.heads), int(group.heads[0]))):
        above = page.tree.parent[group.heads]
        if above[0] != above[-1] or (above != above[0]).any():
            continue
        left -= int(page.tree.end[above[0]] - above[0])
        if left < 0:
            break
        if (spans := runs_from(page, group.heads)) is not None:
            found.append(Candidate(group.heads, spans, run=True))
    return found


def without_late_titles(page: PageFeatures, found: list[Candidate]) -> list[Candidate]:
    """Drop runs if most of them end with the heading of the next record (perhaps followed by a note such as ``[edit]``) after text that is
    much longer."""
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
    """The records that run from each of these siblings to the next; None if nothing is between them.

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
