"""Search for lists: score how likely a group of nodes is the page's list, find where its records begin, decide which nodes are records; and
find the records that are like a sample: a node, a CSS selector, a plain XPath or a piece of HTML, made into a key tree.

The formula of the score, and the reasons, are in ``docs/methods/records.md``. *Parts* are the paths of tags from a record to each text and
image that it shows: two records of one list share most of them, a pager or a promotion between them does not.

Source: Song and Zhang (2011), section 4, figure 6, threshold 0.8.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError, check_numbers
from tamis.page import tags
from tamis.page.css import select_css
from tamis.page.grouping import group, ranges
from tamis.page.parsing import parse
from tamis.page.tree import BoolColumn, PageTree
from tamis.records.candidates import PATH_BASE, Candidate, PageFeatures, Spans, header_rows, of_elements, runs_from, subtrees
from tamis.structure.hashing import Hashes, mix
from tamis.structure.shapes import shapes
from tamis.structure.similarity import similarities

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
        more = holding(heads, len(heads) + 1, np.inf, LEAST_SCORE if best[1].run else likely) or best
        if more[0].score < likely and not _fill(page, more[1], best[1].spans):
            more = best
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


def _fill(page: PageFeatures, found: Candidate, runs: Spans) -> bool:
    """Return whether elements with a class name in common show all that some runs show: they are records, some in another layout."""
    inside = found.spans[(found.heads >= runs[0, 0]) & (found.heads < runs[-1, 1])]
    named = set.intersection(*(set(page.classes(head)) for head in found.heads.tolist()))
    return bool(named) and np.diff(page.shown[inside]).sum() == np.diff(page.shown[runs]).sum()


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


FEW = 2  #: At most this many nodes of a sample's kind, itself included, are hardly a list.
LEAST_KIN = 0.5  #: Share of the parts common to some samples that the other records have.
_PART_OF_TABLE = re.compile(r"\s*<(tr|td|th|tbody|thead|tfoot|caption|col)\b", re.IGNORECASE)
RUN_OF_RECORDS = 1.0  #: Log-odds against a sample that only begins a record.


@dataclass(frozen=True, slots=True)
class RecordSettings:
    """Settings of the search by a sample."""

    threshold: float = 0.8  #: ST: a record is more similar to the sample than this, or equal to it (paper: 0.8).
    of_one_kind: bool = True  #: Use the kind of the sample. Without it this is the paper's method.

    def __post_init__(self) -> None:
        check_numbers(self, shares=("threshold",))

    @classmethod
    def paper(cls) -> RecordSettings:
        """Return the paper's form: similarity above ST = 0.8 decides, and nothing else."""
        return cls(threshold=0.8, of_one_kind=False)


@dataclass(frozen=True, slots=True)
class KeyTree:
    """One sample record, as the subtree of a node."""

    tree: PageTree = field(repr=False)  #: The page of the sample, or the tree of a piece of HTML.
    node: int
    on_page: bool  #: The sample is on the page that is searched.
    notes: tuple[str, ...] = ()

    def outline(self) -> list[tuple[int, str]]:
        """Return the key tree as the paper's figure 5 draws it: nodes in each subtree, and the element, indented by depth."""
        tree, top = self.tree, int(self.tree.depth[self.node])
        nodes = [node for node in range(self.node, int(tree.end[self.node])) if tree.tag[node] != tags.TEXT]
        size = tree.subtree_sum((tree.tag != tags.TEXT).astype(np.int64))
        return [(int(size[node]), "  " * (int(tree.depth[node]) - top) + tree.name(node)) for node in nodes]


def key_tree(page: PageTree, like: str | int) -> KeyTree:
    """Find the sample that ``like`` means.

    Args:
        page: the page that is searched.
        like: the index of a node; or text: a piece of HTML (starts with ``<``), a plain XPath (starts with ``/``), else a CSS
            selector. Of several nodes that match, the first that is not a row of header cells is the sample, and a note says so.

    Raises:
        UsageError: the node is not an element, nothing matches, or the text is none of these.
    """
    if isinstance(like, int):
        if not 0 <= like < len(page) or page.tag[like] == tags.TEXT:
            raise UsageError(f"node {like} is not an element of this page, which has {len(page):,} nodes")
        return KeyTree(page, like, on_page=True)
    text = like.strip()
    if not text:
        raise UsageError("the sample is empty: give a CSS selector, an XPath or a piece of HTML")
    if text.startswith("<"):
        return _of_html(text)
    found = select_xpath(page, text) if text.startswith("/") else select_css(page, (text,)).tolist()
    if not found:
        raise UsageError(f"nothing on the page matches {like!r}: give a selector of one record, or no sample at all")
    headers = header_rows(page)
    sample = next((node for node in found if not headers[node]), found[0])
    notes = (f"{like} matches {len(found):,} elements; the first is the sample",) if len(found) > 1 else ()
    return KeyTree(page, sample, on_page=True, notes=notes)


def _of_html(text: str) -> KeyTree:
    """The first element of a piece of HTML; parts of tables get the table that a parser needs around them."""
    part = _PART_OF_TABLE.match(text)
    wanted = part[1].lower() if part else ""
    tree = parse(("<table><tr>" if wanted in ("td", "th") else "<table>" if wanted else "") + text)
    if wanted:
        nodes = np.flatnonzero(tree.tag == tags.CODE[wanted])
    else:
        body = np.flatnonzero(tree.tag == tags.CODE["body"])
        nodes = np.flatnonzero((tree.parent == body[0]) & (tree.tag != tags.TEXT)) if len(body) else body
    if not len(nodes):
        raise UsageError("the sample has no element: give the HTML of one record, as <li>...</li>")
    notes = (f"the sample has {len(nodes)} elements side by side; the first is the key tree",) if len(nodes) > 1 and not wanted else ()
    return KeyTree(tree, int(nodes[0]), on_page=False, notes=notes)


_STEP = re.compile(r"(//?)([A-Za-z][\w-]*|\*)(?:\[(\d+)\])?((?:\[@[\w-]+(?:=(?:'[^']*'|\"[^\"]*\"))?\])*)")
"""A step of an XPath: slashes, name, number, attributes."""


def select_xpath(tree: PageTree, path: str) -> list[int]:
    """Return the elements that a plain XPath selects, rising: steps with ``/`` or ``//``, a name or ``*``, then a number, then attributes.

    Raises:
        UsageError: the path is not a plain XPath.

    >>> from tamis import parse
    >>> tree = parse("<body><p>one<p class=x>two")
    >>> [tree.text(node) for path in ("/html/body/p[2]", "//p[@class='x']") for node in select_xpath(tree, path)]
    ['two', 'two']
    """
    steps = list(_STEP.finditer(path))
    if "".join(step[0] for step in steps) != path:
        raise UsageError(f"{path!r} is not a plain XPath, such as /html/body/ul[2]/li or //ul[@id='boats']/li: give a CSS selector")
    selector = ""
    for slashes, name, number, attributes in map(re.Match.groups, steps):
        position = f":nth-{'child' if name == '*' else 'of-type'}({number})" if number else ""
        selector += (" > " if slashes == "/" else " ") + name.lower() + position + attributes.replace("[@", "[")
    found = select_css(tree, (selector.removeprefix(" > "),)).tolist()
    return [node for node in found if "//" in path or tree.depth[node] == len(steps) - 1]


def find_by_key(page: PageFeatures, key: KeyTree, settings: RecordSettings = RecordSettings()) -> Candidate | None:
    """Return the records like the sample, none inside another; None if there are none."""
    tree = page.tree
    if settings.of_one_kind and key.on_page:
        return of_one_kind(page, key.node)
    nodes, similar = similarity_to_key(tree, key)
    if not len(nodes):
        return None
    hits = tree.top_level(nodes[(similar > settings.threshold) | (similar == 1)])
    found = _list_of(page, hits) if settings.of_one_kind else None
    return found or (of_elements(page, hits) if len(hits) else None)


def similarity_to_key(tree: PageTree, key: KeyTree) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the elements with the key tree's tag, rising, and how similar each is to it."""
    name = key.tree.name(key.node)
    nodes = np.flatnonzero(tree.tag == (tree.names.index(name) if name in tree.names else -1))
    if not len(nodes):
        return nodes, np.zeros(0)
    seen = shapes(tree if key.on_page else [tree, key.tree])
    return nodes, similarities(seen, seen.of(key.node, 0 if key.on_page else 1), seen.nodes[0][nodes])


def of_one_kind(page: PageFeatures, sample: int) -> Candidate:
    """Return the list that a node of the page is a record of; the node alone if nothing else is of its kind."""
    found = _list_of(page, np.array([sample]))
    if found is not None and len(found.heads) > FEW:
        if not found.run and weigh(page, found).parts < 2:  # elements of all sorts: those like the sample count
            found = _of_samples(page, found, [sample])[0]
        without_odd_rows = drop_outlier_rows(page, found)
        return without_odd_rows if sample in without_odd_rows.heads else found
    return found or of_elements(page, np.array([sample], dtype=np.intp))


def of_samples(page: PageFeatures, samples: Sequence[int]) -> Candidate:
    """Return the list in which each of several nodes is, or begins, a record of its own (docs/methods/records.md)."""
    own = [of_one_kind(page, sample) for sample in dict.fromkeys(samples)]
    lists = _of_samples(page, own[0], samples) or [each for candidate in page.candidates for each in _of_samples(page, candidate, samples)]
    if lists:
        return max(lists, key=lambda each: weigh(page, each).score - RUN_OF_RECORDS * each.run)
    return of_elements(page, page.tree.top_level(np.unique(np.concatenate([each.heads for each in own]))))


def _of_samples(page: PageFeatures, candidate: Candidate, samples: Sequence[int]) -> list[Candidate]:
    """The records of a candidate that are like some samples, alone and as runs; none where two samples are not records of their own."""
    heads = candidate.heads
    places = np.flatnonzero(np.isin(heads, samples))
    if len(places) < len(samples):
        return []
    record, part = parts_below(page, heads)
    kinds, having = np.unique(part[np.isin(record, places)], return_counts=True)
    common = kinds[having == len(samples)]
    is_like = np.bincount(record[np.isin(part, common)], minlength=len(heads)) >= LEAST_KIN * len(common)
    if is_like.all():
        return [candidate]
    is_like[places] = True
    alone = drop_outlier_rows(page, of_elements(page, heads[is_like]))
    runs = runs_from(page, heads[is_like])
    return [alone] if runs is None else [alone, Candidate(heads[is_like], runs, run=True)]


def _list_of(page: PageFeatures, nodes: NDArray[np.intp]) -> Candidate | None:
    """Of the candidates that hold at least half of some nodes the one that looks most like a list."""
    holding = [candidate for candidate in page.candidates if 2 * np.isin(nodes, candidate.heads).sum() >= len(nodes)]
    likely = [  # two nodes that have hardly a part in common are not a list: the sample is the only record
        (each.score, candidate)
        for each, candidate in zip(weighed(page, holding), holding, strict=True)
        if each.likeness > 0 or len(candidate.heads) > FEW
    ]
    return max(likely, key=lambda each: each[0], default=(0.0, None))[1]
