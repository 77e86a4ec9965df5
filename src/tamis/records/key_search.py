"""Find the records that are like a sample: a node, a CSS selector, a plain XPath or a piece of HTML, made into a key tree.

Source: Song and Zhang (2011), section 4, figure 6, threshold 0.8. The decisions are in ``docs/methods/records.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError, check_numbers
from tamis.page import tags
from tamis.page.css import select_css
from tamis.page.parsing import parse
from tamis.page.tree import PageTree
from tamis.records.candidates import Candidate, PageFeatures, header_rows, of_elements, runs_from
from tamis.records.ranking import SAMPLED_RECORDS, common_below, drop_outlier_rows, parts_below, weigh, weighed
from tamis.structure.shapes import shapes
from tamis.structure.similarity import similarities

FEW = 2  #: A sample with at most this many nodes of its kind, itself included, is probably inside a wrapper of its own.
WRAPPERS = 3  #: Levels above the sample below which its kin are looked for.
LEAST_KIN = 0.5  #: Share of the common parts of a list that a sample of another class has, and of the sample's own parts that are common.
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
    return kin_of(page, sample) or found or of_elements(page, np.array([sample], dtype=np.intp))


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


def kin_of(page: PageFeatures, sample: int) -> Candidate | None:
    """Return the best list of the sample that has the sample's parts, from at most two levels higher or lower; None without one."""
    tree = page.tree
    scope = [sample, *islice(tree.ancestors(sample), WRAPPERS)][-1]
    inside = np.arange(scope + 1, int(tree.end[scope]))
    inside = inside[(page.shown[tree.end[inside]] > page.shown[inside]) & (tree.tag[inside] != tags.TEXT)]
    overlapping = (inside < tree.end[sample]) & (tree.end[inside] > sample)
    inside = inside[(abs(tree.depth[inside] - tree.depth[sample]) < WRAPPERS) & ~overlapping]
    own = parts_below(page, np.array([sample]))[1]
    kin = []
    for candidate in page.candidates:
        heads = candidate.heads
        if candidate.run or len(heads) <= FEW or not np.isin(heads, inside).all():
            continue
        common = common_below(page, heads[:SAMPLED_RECORDS])
        if len(common) > 1 and np.isin(common, own).sum() >= LEAST_KIN * max(len(common), len(own)):
            kin.append(candidate)
    best = max(kin, key=lambda each: weigh(page, each).score, default=None)
    return None if best is None else of_elements(page, np.union1d(best.heads, [sample]).astype(np.intp))


def _list_of(page: PageFeatures, nodes: NDArray[np.intp]) -> Candidate | None:
    """Of the candidates that hold at least half of some nodes the one that looks most like a list."""
    holding = [candidate for candidate in page.candidates if 2 * np.isin(nodes, candidate.heads).sum() >= len(nodes)]
    likely = [  # two nodes that have hardly a part in common are not a list: the sample is the only record
        (each.score, candidate)
        for each, candidate in zip(weighed(page, holding), holding, strict=True)
        if each.likeness > 0 or len(candidate.heads) > FEW
    ]
    return max(likely, key=lambda each: each[0], default=(0.0, None))[1]
