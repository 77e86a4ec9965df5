"""Records that are like a sample: extraction by key tree.

Depth first over the page: a node with the tag of the key tree's root whose structure is similar to it above a threshold is a record,
and its inside is not searched; otherwise the search goes on below it. Similarity is free matching, so that a record may have more of
the same parts than the sample.

Source: Song and Zhang (2011), section 4, figure 6, threshold 0.8. Decisions: the indentation of the pseudo-code ends the search below
a node of the same tag whose similarity is too low; the text, and lists within lists, say otherwise, and so it goes on.

Records of one list may differ more than the threshold allows: one has a picture, another a sale price. And a record may be more than one
element: a heading and the paragraphs after it. The sample says which list is meant; so, unless asked for the paper's method alone, the
nodes *of one kind* with the sample (:mod:`tamis.records.candidates`) are what is looked for, as long as they resemble it at least a
little, or the runs of siblings that they begin. Of several kinds that hold the sample the one counts that looks most like a list.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError
from tamis.records.candidates import Candidate, Spans, candidates
from tamis.records.places import Places
from tamis.records.ranking import Ranking, weigh
from tamis.records.sample import KeyTree
from tamis.structure.shapes import shapes
from tamis.structure.similarity import similarities


@dataclass(frozen=True, slots=True)
class KeySearch:
    """Settings of the search.

    Raises:
        UsageError: a threshold is not within 0..1.
    """

    threshold: float = 0.8
    """ST: least similarity of a record to the sample (paper: 0.8)."""
    of_one_kind: bool = True
    """Whether the kind of the sample counts. Without it this is the paper's method."""
    least: float = 0.2
    """Least similarity of nodes of one kind with the sample."""

    def __post_init__(self) -> None:
        for name in ("threshold", "least"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {getattr(self, name)}")


def find_by_key(page: Places, key: KeyTree, settings: KeySearch = KeySearch(), ranking: Ranking = Ranking()) -> Candidate | None:
    """The records that are like the sample; none lies in another. None where there are none.

    Source: Song and Zhang (2011), section 4.
    """
    tree = page.tree
    code = next((code for code, name in enumerate(tree.names) if name == key.tag), -1)
    nodes = np.flatnonzero(tree.tag == code)
    if not len(nodes):
        return None
    similar = similarity_to(page, key, nodes)
    hits = outermost(tree.end, nodes[similar >= settings.threshold])
    kin = _kin(page, np.array([key.node]) if key.on_page else hits, ranking) if settings.of_one_kind else None
    if kin is None:
        return Candidate(hits, _subtrees(page, hits), run=False, kind=0) if len(hits) else None
    alike = kin.heads if kin.run else kin.heads[similar[np.searchsorted(nodes, kin.heads)] >= settings.least]
    if kin.run:
        return kin
    return Candidate(alike, _subtrees(page, alike), run=False, kind=kin.kind) if len(alike) else None


def similarity_to(page: Places, key: KeyTree, nodes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Free-matching similarity of the sample to some nodes, float64 ``(len(nodes),)``; the trees are of tags."""
    found = shapes(page.tree if key.on_page else [page.tree, key.tree])
    return similarities(found, found.of(key.node, 0 if key.on_page else 1), found.nodes[0][nodes])


def _kin(page: Places, seeds: NDArray[np.intp], ranking: Ranking) -> Candidate | None:
    """Of the candidates that hold at least half of some nodes the one that looks most like a list."""
    holding = [candidate for candidate in candidates(page) if 2 * np.isin(seeds, candidate.heads).sum() >= len(seeds) > 0]
    return max(holding, key=lambda candidate: weigh(page, candidate).score(ranking), default=None)


def outermost(end: NDArray[np.integer], nodes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Those of some nodes, rising, that lie in no other of them. ``end``: where the subtree of each node of the page ends."""
    if not len(nodes):
        return nodes
    apart = np.append(True, nodes[1:] >= np.maximum.accumulate(end[nodes])[:-1])
    return np.asarray(nodes[apart])


def _subtrees(page: Places, nodes: NDArray[np.intp]) -> Spans:
    return np.stack([nodes, page.tree.end[nodes]], axis=1).astype(np.int64)
