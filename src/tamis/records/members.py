"""Which nodes belong to a list once it is found: rows that are not records leave, records that stand elsewhere join.

Both are decided by the *common parts* (:mod:`tamis.records.ranking`), those that at least half of the records have.
"""

from __future__ import annotations

import numpy as np

from tamis.records.candidates import Candidate, of_elements
from tamis.records.places import Places
from tamis.records.ranking import COMMON, common_below, parts_below, parts_of

LEAST = 1 / 3  #: Share of the common parts that a row needs to be a record whatever else it shows.
MOST_PEELED = 0.34  #: Share of the rows that may leave; where more lack the common parts, the list is of several kinds and stays whole.
KIN = 0.66  #: Share of the common parts that an element has to have to join.
BATCH = 3.0  #: A record with so many times the parts of a usual one may be a batch.
MAX_COMPARED = 20_000  #: Texts and images of elements that are compared in search of kin; a page with more has none.


def peeled(page: Places, candidate: Candidate) -> Candidate:
    """The candidate without the rows that are not records."""
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


def with_kin(page: Places, candidate: Candidate) -> Candidate:
    """The candidate with elements that are records as much as its own, and batches replaced by what they hold."""
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
    nodes = nodes[~tree.covered(heads)[nodes] & ~is_around & near | tree.covered(batches)[nodes]]
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
    fitting = fitting[~tree.covered(heads)[fitting] | tree.covered(batches)[fitting]]
    if not len(fitting):
        return candidate
    return of_elements(page, tree.outermost(np.union1d(np.setdiff1d(heads, batches), fitting)))
