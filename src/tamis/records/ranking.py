"""Score how likely a group of nodes is the page's list, find where its records begin, and decide which nodes are records.

The formula of the score, and the reasons, are in ``docs/methods/records.md``. *Parts* are the paths of tags from a record to each text and
image that it shows: two records of one list share most of them, a pager or a promotion between them does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.grouping import group, ranges
from tamis.page.tree import BoolColumn
from tamis.records.candidates import PATH_BASE, Candidate, PageFeatures, Spans, of_elements, subtrees
from tamis.structure.hashing import Hashes, mix

SAMPLED_LEAVES = 400  #: Texts and images of a record that are compared.
COMMON = 0.5  #: Share of the records that have a common part.
LEAST_ALIKE = 1 / 3  #: Share of their parts that two different records of a list have in common, on the mean.

_INVERSE = np.uint64(pow(int(PATH_BASE), -1, 1 << 64))


def parts_of(page: PageFeatures, spans: Spans, roots: NDArray[np.integer]) -> tuple[NDArray[np.intp], Hashes]:
    """Return the parts of records, each once: pairs of a record's position and a part, intp and uint64 ``(pairs,)``.

    Args:
        page: the page.
        spans: the records, as ranges of nodes; of each the first :data:`SAMPLED_LEAVES` texts and images count.
        roots: for each record the element around it that paths begin below.
    """
    record, path = _paths(page, spans, roots)
    pair = group(mix(path) + record.astype(np.uint64) * PATH_BASE)[1]
    return record[pair], path[pair]


def _paths(page: PageFeatures, spans: Spans, roots: NDArray[np.integer]) -> tuple[NDArray[np.intp], Hashes]:
    starts = page.shown[spans[:, 0]]
    record, shown = ranges(starts, np.minimum(page.shown[spans[:, 1]], starts + SAMPLED_LEAVES))
    leaf = page.leaves[shown]
    depth = page.tree.depth[roots]
    # Equal paths differ by a power of the base where they begin at different depths.
    scale = _INVERSE ** depth.astype(np.uint64)
    return record, (page.below[leaf] - page.below[roots][record]) * scale[record]


def parts_below(page: PageFeatures, nodes: NDArray[np.intp]) -> tuple[NDArray[np.intp], Hashes]:
    """Return the parts of elements, as :func:`parts_of` does; paths begin below each element."""
    return parts_of(page, subtrees(page, nodes), nodes)


def common_below(page: PageFeatures, nodes: NDArray[np.intp]) -> Hashes:
    """Return the parts that at least half of some elements have, uint64, rising."""
    kinds, having = np.unique(parts_below(page, nodes)[1], return_counts=True)
    return np.asarray(kinds[having >= COMMON * len(nodes)])


SAMPLED_RECORDS = 60  #: Records of a candidate that are compared: spread evenly where there are more.
ENOUGH, TOGETHER = 60, 20  #: Candidates of a page that are compared at least, and those that are compared at a time.
LEAST_SCORE = 3.3  #: Groups with a lower score are not lists.
_TEXT, _NUMBER, _LIKENESS, _PARTS = 0.5, 1.0, 3.0, 1.5
"""Powers of the characters, the number of records, their likeness, the number of common parts."""
_LINKED, _ASIDE, _MAIN = 0.5, 1.0, 0.3
"""Weights: for records with links, against records beside the content, for records in ``main`` or an element called results."""
_MOST_RECORDS, _MOST_PARTS = 25, 6  #: Numbers from which on more do not count.


@dataclass(frozen=True, slots=True)
class RankingEvidence:
    """Evidence that a candidate is ranked by."""

    records: int
    characters: int
    linked: float  #: Share of records that have a link.
    aside: float  #: 0: in the content, to 2: surely beside it.
    main: float  #: Share of the records within ``main`` or an element called after a list of results.
    likeness: float  #: 0..1.
    parts: int  #: Common parts.
    score: float  #: The logarithm of the score; minus infinity for records without text. Of rows of a data table it is ``whole``.
    whole: float  #: The score if a part counts as often as a record has it: the third of three like cells is a part of its own.


def _score(records: Any, characters: Any, linked: Any, aside: Any, main: Any, likeness: Any, parts: Any) -> NDArray[np.float64]:
    """:attr:`RankingEvidence.score` of many candidates. Arguments as the other fields, as arrays."""
    score = (
        _TEXT * np.log1p(characters)
        + _NUMBER * np.log(np.minimum(records, _MOST_RECORDS))
        + _LIKENESS * np.log(likeness + 0.05)
        + _PARTS * np.log(np.minimum(parts, _MOST_PARTS) + 0.3)
        + _LINKED * linked
        - _ASIDE * aside * (aside + 1) / 2  # two signs are surer than two times one
        + _MAIN * main
    )
    return np.where(characters == 0, -np.inf, score)


Kind = tuple[int, tuple[str, ...]]  #: An element by its tag and class names.
Scored = tuple[RankingEvidence, Candidate]  #: A candidate and the evidence for it.


def weigh(page: PageFeatures, candidate: Candidate) -> RankingEvidence:
    """Return the evidence for one candidate."""
    return weighed(page, [candidate])[0]


def weighed(page: PageFeatures, found: list[Candidate]) -> list[RankingEvidence]:
    """Return the evidence for some candidates."""
    if not found:
        return []
    shown = _Counted.of(page, found)
    parts, repeated = _likeness(page, found)
    whole = _score(*shown, *repeated)
    of_data = np.array([not each.run and bool(np.all(page.table_of[each.heads] >= 0)) for each in found])
    columns = (*shown, *parts, np.where(of_data, whole, _score(*shown, *parts)), whole)
    return [RankingEvidence(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


class _Counted(NamedTuple):
    """Counts over the records of ``k`` candidates, as arrays: the fields of :class:`RankingEvidence` that need no comparison."""

    records: NDArray[np.int64]
    characters: NDArray[np.int64]
    linked: NDArray[np.float64]
    aside: NDArray[np.float64]
    main: NDArray[np.float64]

    @staticmethod
    def of(page: PageFeatures, found: list[Candidate]) -> _Counted:
        records = np.array([len(candidate.spans) for candidate in found], dtype=np.int64)
        first, after = np.concatenate([candidate.spans for candidate in found]).T
        above = page.tree.parent[first]  # a record's own names say nothing about its place
        linked, main = (page.links[after] > page.links[first]).astype(np.int64), page.main[above].astype(np.int64)
        columns = (page.characters[after] - page.characters[first], linked, page.aside[above], main)
        characters, *sums = (np.add.reduceat(column, np.cumsum(records) - records) for column in columns)
        return _Counted(records, characters, *(total / records for total in sums))


_Likeness = tuple[
    NDArray[np.float64], NDArray[np.int64]
]  #: Likeness of the records of each candidate, and the number of their common parts.


def _likeness(page: PageFeatures, found: list[Candidate]) -> tuple[_Likeness, _Likeness]:
    """Likeness of the records of each candidate, 0 where they show nothing or are unlike, and the number of their common parts; then the
    same with a part as often as a record has it."""
    sampled = [_sampled(candidate.spans) for candidate in found]
    counts = np.array([len(spans) for spans in sampled])
    spans = np.concatenate(sampled)
    record, path = _paths(page, spans, page.tree.parent[spans[:, 0]])
    pair, first = group(mix(path) + record.astype(np.uint64) * PATH_BASE)
    times = np.minimum(np.bincount(pair, minlength=len(first)), _MOST_PARTS)
    again, ordinal = ranges(np.zeros(len(times), dtype=np.int64), times)
    of = np.repeat(np.arange(len(found)), counts)[record[first]][again]
    number, each = group(mix(path[first][again]) + of.astype(np.uint64) * PATH_BASE + ordinal.astype(np.uint64))
    having, of, once = np.bincount(number, minlength=len(each)), of[each], ordinal[each] == 0

    def alike(chosen: BoolColumn) -> _Likeness:
        squares, total, common = (
            np.bincount(of[chosen], weights[chosen], minlength=len(found))
            for weights in (having * having, having, having >= COMMON * counts[of])
        )
        unlike = squares - total < LEAST_ALIKE * total * (counts - 1)
        return np.where(unlike, 0, squares / np.maximum(total * counts, 1)), common.astype(np.int64)

    return alike(once), alike(np.ones_like(once))


def _sampled(spans: Spans) -> Spans:
    """The records that are compared."""
    if len(spans) <= SAMPLED_RECORDS:
        return spans
    return spans[np.linspace(0, len(spans) - 1, SAMPLED_RECORDS).astype(np.intp)]


def ranked(page: PageFeatures, found: list[Candidate]) -> list[Scored]:
    """Return candidates with their scores, the best first, without those below :data:`LEAST_SCORE`.

    Records are compared only of the :data:`ENOUGH` candidates that can score highest, and of those that can be the best of all.
    """
    bounds = _bounds(page, found)
    order = [k for k in np.argsort(-bounds, kind="stable").tolist() if bounds[k] >= LEAST_SCORE]
    scored: list[Scored] = []
    best = -np.inf
    for start in range(0, len(order), TOGETHER):
        batch = order[start : start + TOGETHER]
        if start >= ENOUGH and bounds[batch[0]] <= best:
            break
        for k, evidence in zip(batch, weighed(page, [found[k] for k in batch]), strict=True):
            if start >= ENOUGH and bounds[k] <= best:
                break
            best = max(best, evidence.score)
            if evidence.score >= LEAST_SCORE:
                scored.append((evidence, found[k]))
    scored.sort(key=lambda each: (-each[0].score, int(each[1].heads[0]), each[1].run))
    return scored


def _bounds(page: PageFeatures, found: list[Candidate]) -> NDArray[np.float64]:
    """The score of each candidate if its records were all alike, rich and linked, float64 ``(len(found),)``."""
    if not found:
        return np.zeros(0)
    shown = _Counted.of(page, found)
    return _score(*shown._replace(linked=np.ones(len(found))), 1.0, _MOST_PARTS)


MARGIN = 0.3  #: Most that another candidate may score less, as a logarithm.
GAIN = 1.5  #: Most records that the enclosing candidate may have, as a multiple: some of its records lack the part.
MOST_IN_TURN = 0.8  #: Share of the elements that have what only those of their turn have.
UNLIKE = 0.1  #: Most difference in likeness between elements of several kinds and the runs of one of each.
MAX_TURNS = 400  #: Elements that are looked at for whether they take turns.
MOSTLY = 0.5  #: Records with a link from this share on are not fields of other records.
MAX_WRAPPERS = 50  #: Levels that a record is followed up at most.


def choose_record_level(page: PageFeatures, found: list[Scored], best: Scored) -> Scored:
    """Return the ranked candidate that holds the whole records of ``best``: up from the records as long as every one has
    a parent of its own, or they are fields of their parents, and the parents are a candidate, too. Runs between records are the records if
    some records have an extra class name, and the runs are a candidate."""
    depth, tag = page.tree.depth, page.tree.tag
    elements = [each for each in found if not each[1].run]

    def holding(nodes: NDArray[np.integer], least: int, most: float, score: float) -> Scored | None:
        """Return the best candidate made of the nodes and others of their level, within bounds of count and score; None without one."""
        fitting = (
            each
            for each in elements
            if each[0].score >= score
            and least <= len(each[1].heads) <= most
            and (depth[each[1].heads[0]], tag[each[1].heads[0]]) == (depth[nodes[0]], tag[nodes[0]])
            and np.all(np.isin(nodes, each[1].heads))
        )
        return max(fitting, key=lambda each: each[0].score, default=None)

    heads, likely = best[1].heads, best[0].score - MARGIN
    if best[1].run or page.table_of[heads[0]] >= 0:  # rows of several tables are one list
        more = holding(heads, len(heads) + 1, np.inf, likely) or best
        return best if best[1].run and as_runs(page, more)[1].run else as_runs(page, more)
    for _ in range(MAX_WRAPPERS):
        above = page.tree.parent[best[1].heads]
        parents = np.unique(above)
        if parents[0] < 0:
            break
        around = holding(parents, len(parents), GAIN * len(parents), likely) if len(parents) == len(above) else None
        if around is None and len(parents) < len(above):
            around = holding(parents, len(parents), GAIN * len(parents), LEAST_SCORE)
            if around is not None and (best[0].linked >= MOSTLY or around[0].whole <= best[0].whole):
                around = None
        if around is None:
            break
        best, likely = around, min(likely, around[0].score - MARGIN)
    return as_runs(page, best)


def in_turn(page: PageFeatures, heads: NDArray[np.intp]) -> bool:
    """Return whether every two siblings are one record: they are of two kinds in turn (a row with the title, one with the details). Each
    kind has parts by tags that the other lacks, and each elements that show something by tags and class names, or names of the rows of a
    table."""
    tree = page.tree
    if len(heads) % 2 or not 6 <= len(heads) <= MAX_TURNS or np.any(tree.parent[heads] != tree.parent[heads[0]]):
        return False
    kinds: list[set[Kind]] = []
    for head in heads.tolist():
        above = tree.parent[page.leaves[page.shown[head] : page.shown[tree.end[head]]]].tolist()
        shown = [head, *above] if tree.tag[head] == tags.CODE["tr"] else above
        kinds.append({(int(tree.tag[node]), page.names[node]) for node in shown})
    first, second = (_common_kinds(kinds[turn::2]) for turn in (0, 1))
    own = first - second, second - first
    fits = np.mean([bool(each & own[k % 2]) for k, each in enumerate(kinds)])
    strays = any(each & own[1 - k % 2] for k, each in enumerate(kinds))
    parts, others = (common_below(page, heads[turn::2]).tolist() for turn in (0, 1))
    return bool(fits >= MOST_IN_TURN and not strays and parts != others)


def _common_kinds(kinds: Sequence[set[Kind]]) -> set[Kind]:
    having = Counter(kind for own in kinds for kind in own)
    return {kind for kind, count in having.items() if count >= COMMON * len(kinds)}


def as_runs(page: PageFeatures, scored: Scored) -> Scored:
    """Return a list of elements, as runs where these take turns."""
    heads = scored[1].heads
    if scored[1].run or not in_turn(page, heads):
        return scored
    spans = np.stack([heads[::2], page.tree.end[heads[1::2]]], axis=1).astype(np.int64)
    runs = Candidate(heads[::2], spans, run=True)
    evidence = weigh(page, runs)
    return (evidence, runs) if evidence.likeness >= scored[0].likeness + UNLIKE else scored


LEAST = 1 / 3  #: Share of the common parts that a row needs to be a record whatever else it shows.
MOST_PEELED = 0.34  #: Share of the rows that may leave; where more lack the common parts, the list is of several kinds and stays whole.
KIN = 0.66  #: Share of the common parts that an element has to have to join.
BATCH = 3.0  #: A record with this many times the parts of a usual one may be a batch.
MAX_COMPARED = 20_000  #: Texts and images of elements that are compared in search of kin; a page with more has none.


def drop_outlier_rows(page: PageFeatures, candidate: Candidate) -> Candidate:
    """Return the candidate without the rows that are not records."""
    spans, count = candidate.spans, len(candidate.spans)
    if count < 3:
        return candidate
    record, part = parts_of(page, spans, page.tree.parent[spans[:, 0]])
    _, number, having = np.unique(part, return_inverse=True, return_counts=True)
    common = having >= COMMON * count
    if common.sum() < 2:
        return candidate
    held = np.bincount(record[common[number]], minlength=count)
    own = np.bincount(record[~common[number]], minlength=count)
    odd = (own > 0) & (held < LEAST * common.sum())
    aside = page.aside[page.tree.parent[spans[:, 0]]]
    odd |= aside > np.median(aside)
    if not odd.any() or odd.sum() > MOST_PEELED * count:
        return candidate
    return Candidate(candidate.heads[~odd], spans[~odd], candidate.run)


def add_missing_rows(page: PageFeatures, candidate: Candidate) -> Candidate:
    """Return the candidate with elements that are records as much as its own, and batches replaced by what they hold."""
    heads = candidate.heads
    if candidate.run or len(heads) < 3:
        return candidate
    tree = page.tree
    common = common_below(page, heads)
    if len(common) < 3:
        return candidate
    leaves = page.shown[tree.end] - page.shown[:-1]
    usual = float(np.median(leaves[heads]))
    batches = heads[leaves[heads] >= BATCH * usual]
    lowest = next(node for node in tree.ancestors(int(heads[0])) if tree.end[node] >= tree.end[heads].max())
    scope = max(int(tree.parent[lowest]), 0)
    nodes = np.arange(scope + 1, int(tree.end[scope]))
    nodes = nodes[(tree.tag[nodes] == tree.tag[heads[0]]) & (leaves[nodes] >= KIN * len(common)) & (leaves[nodes] < BATCH * usual)]
    is_around = np.searchsorted(heads, tree.end[nodes]) > np.searchsorted(heads, nodes)
    near = abs(tree.depth[nodes] - tree.depth[heads[0]]) <= 1
    nodes = nodes[~tree.subtree_mask(heads)[nodes] & ~is_around & near | tree.subtree_mask(batches)[nodes]]
    if not len(nodes):
        return candidate
    siblings = np.isin(tree.parent[nodes], tree.parent[heads])
    names = {page.names[head] for head in heads.tolist()}
    named = np.array([bool(page.names[node]) and page.names[node] in names for node in nodes.tolist()])
    nodes = nodes[(siblings | named) & (page.aside[tree.parent[nodes]] <= np.median(page.aside[tree.parent[heads]]))]
    if not len(nodes) or leaves[nodes].sum() > MAX_COMPARED:
        return candidate
    of, part = parts_below(page, nodes)
    fitting = nodes[np.bincount(of[np.isin(part, common)], minlength=len(nodes)) >= KIN * len(common)]
    batches = batches[np.searchsorted(fitting, tree.end[batches]) - np.searchsorted(fitting, batches) > 1]
    fitting = fitting[~tree.subtree_mask(heads)[fitting] | tree.subtree_mask(batches)[fitting]]
    if not len(fitting):
        return candidate
    return of_elements(page, tree.top_level(np.union1d(np.setdiff1d(heads, batches), fitting)))
