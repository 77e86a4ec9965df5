"""Parts of records: the paths of tags from a record to each text and image that it shows.

Parts tell records apart: two records of one list share most of them, a pager or a promotion between them does not.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tamis.records.candidates import Spans
from tamis.records.places import PATH_BASE, Places
from tamis.structure.hashing import Hashes, mix

SAMPLED_LEAVES = 400
"""Texts and images of a record that are compared."""
COMMON = 0.5
"""Share of the records that have a common part."""

_INVERSE = np.uint64(pow(int(PATH_BASE), -1, 1 << 64))


@cache
def _inverse_powers(bits: int) -> Hashes:
    steps = np.full((1 << bits) + 1, _INVERSE, dtype=np.uint64)
    steps[0] = 1
    return np.cumprod(steps, dtype=np.uint64)


def parts_of(page: Places, spans: Spans, roots: NDArray[np.integer]) -> tuple[NDArray[np.intp], Hashes]:
    """The parts of some records, each once.

    Args:
        page: the page.
        spans: the records, as ranges of nodes.
        roots: for each record the element that paths begin below; it holds the record.

    Returns:
        pairs of a record's position and a part, intp and uint64 ``(pairs,)``; the first :data:`SAMPLED_LEAVES` texts and images of a
        record count.
    """
    starts = page.shown[spans[:, 0]]
    counts = np.minimum(page.shown[spans[:, 1]] - starts, SAMPLED_LEAVES)
    record = np.repeat(np.arange(len(spans)), counts)
    leaf = page.leaves[np.arange(len(record)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)]
    depth = page.tree.depth[roots]
    # Equal paths differ by a power of the base where they begin at different depths.
    scale = _inverse_powers(int(depth.max(initial=0)).bit_length())[depth]
    path = (page.below[leaf] - page.below[roots][record]) * scale[record]
    pair = np.unique(mix(path) + record.astype(np.uint64) * PATH_BASE, return_index=True)[1]
    return record[pair], path[pair]
