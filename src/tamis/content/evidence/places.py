"""Evidence of places: the containers around a block, attenuation on the way to it, and what stands at places like it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.view import Counts, PageView
from tamis.page import tags
from tamis.structure.hashing import mix, path_hashes

Columns = dict[str, NDArray[np.generic]]

LEVELS = 6
"""Containers around a block that are looked at: its own element, and each time the next ancestor that holds more blocks."""
_MEASURES = ("share", "weight", "links", "blocks", "mean", "stops", "prose")
CONTAINERS = tuple(f"container {level} {measure}" for level in range(LEVELS) for measure in _MEASURES)
"""Evidence of the containers: share of the page's text, weight, link density, number of blocks, text per block, punctuation,
share of the page's paragraphs."""
_DESCENTS = ("topic", "loose topic", "prose topic")
ATTENUATION = (*(f"{name} {what}" for name in _DESCENTS for what in ("inside", "after", "share")), "way left", "way share")
"""Evidence of three descents (T = 0.34; T = 0.6; T = 0.3 on paragraphs only) and of where the block leaves the way of the last."""
REPETITION = (
    *(f"{kind} {what}" for kind in ("path", "named") for what in ("blocks", "share", "links", "mean", "stops", "prose", "span")),
    "siblings",
    "siblings above",
    "siblings two above",
)
"""Evidence of the blocks at the same path of tags, at the same path of tags and class names, and of siblings."""


def containers(view: PageView) -> Columns:
    """Evidence of :data:`CONTAINERS`; NaN beyond the root."""
    columns: Columns = {}
    here = view.element
    for level in range(LEVELS):
        at = np.maximum(here, 0)
        plain, weight, blocks = view.plain_below[at], view.weight_below[at], view.blocks_below[at]
        values = (
            plain / view.total,
            weight,
            (weight - plain) / np.maximum(weight, 1),
            blocks,
            plain / np.maximum(blocks, 1),
            view.stops_below[at] / np.maximum(weight, 1),
            view.prose_below[at] / view.total_prose,
        )
        for measure, value in zip(_MEASURES, values, strict=True):
            columns[f"container {level} {measure}"] = np.where(here >= 0, value, np.nan)
        here = np.where(here >= 0, view.wider[at], -1)
    return columns


def attenuation(view: PageView) -> Columns:
    """Evidence of :data:`ATTENUATION`."""
    tree, node = view.tree, view.node
    columns: Columns = {}
    way = _way(view, view.plain_below)
    ways = (way[: _stop(view.plain_below, way, 0.34)], way[: _stop(view.plain_below, way, 0.6)])
    way = _way(view, view.prose_below)
    on_prose = way[: _stop(view.prose_below, way, 0.3)]
    for name, path in zip(_DESCENTS, (*ways, on_prose), strict=True):
        last = path[-1]
        columns[f"{name} inside"] = (node >= last) & (node < tree.end[last])
        columns[f"{name} after"] = node >= tree.end[last]
        columns[f"{name} share"] = np.full(len(node), view.plain_below[last] / view.total)
    steps = np.asarray(on_prose)
    # The way is a chain of ancestors, so a block is below the first k of it: those that begin before it and end after it.
    shared = np.minimum(np.searchsorted(steps, node, side="right"), np.searchsorted(-tree.end[steps], -node, side="left")) - 1
    columns["way left"] = len(steps) - 1 - shared
    columns["way share"] = view.plain_below[steps[shared]] / view.total
    return columns


def _way(view: PageView, below: Counts) -> list[int]:
    """From the root always to the child with most below it, the first of equals."""
    end, text, amount = view.tree.end.tolist(), (view.tree.tag == tags.TEXT).tolist(), below.tolist()
    way, node = [0], 0
    while amount[node]:
        best, child = node, node + 1
        while child < end[node]:
            if not text[child] and (best == node or amount[child] > amount[best]):
                best = child
            child = end[child]
        if best == node:
            break
        node = best
        way.append(node)
    return way


def _stop(below: Counts, way: list[int], threshold: float) -> int:
    """How many steps of a way are gone until more than ``threshold`` of what is below would be left aside."""
    amount = below[way]
    left = amount[:-1] - amount[1:] > threshold * amount[:-1]
    return int(np.argmax(left)) + 1 if left.any() else len(way)


def repetition(view: PageView, named: NDArray[np.uint64]) -> Columns:
    """Evidence of :data:`REPETITION`. ``named``: a number for the class name of each node, uint64 ``(n,)``."""
    tree = view.tree
    columns: Columns = {}
    step = mix(tree.tag.astype(np.uint64) + np.uint64(1))
    for kind, steps in (("path", step), ("named", step ^ mix(named + np.uint64(1)))):
        columns.update(_alike(view, kind, path_hashes(steps, tree.depth, tree.end)[view.element]))
    children = np.bincount(tree.parent[1:][tree.tag[1:] != tags.TEXT], minlength=len(tree))
    here = view.element
    for name in ("siblings", "siblings above", "siblings two above"):
        here = np.maximum(tree.parent[here], 0)
        columns[name] = children[here]
    return columns


def _alike(view: PageView, kind: str, place: NDArray[np.uint64]) -> Columns:
    """What the blocks at each block's place are like, all taken together."""
    count = len(place)
    _, first, group, blocks = np.unique(place, return_index=True, return_inverse=True, return_counts=True)

    def summed(values: Counts) -> NDArray[np.float64]:
        return np.bincount(group, weights=values, minlength=len(first)).astype(np.float64)

    plain, weight = summed(view.plain), summed(view.weight)
    last = np.zeros(len(first), dtype=np.intp)
    last[group] = np.arange(count)  # of several blocks the last one stays
    values = {
        "blocks": blocks,
        "share": plain / view.total,
        "links": (weight - plain) / np.maximum(weight, 1),
        "mean": plain / blocks,
        "stops": summed(view.characters.stops + view.characters.commas) / np.maximum(weight, 1),
        "prose": summed(np.where(view.prose, view.plain, 0)) / view.total_prose,
        "span": (last - first) / count,
    }
    return {f"{kind} {what}": value[group] for what, value in values.items()}


def plain_relations(view: PageView, named: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The table of :class:`tamis.content.evidence.Relations`, not compiled, int32 ``(2 * LEVELS + 3, b)``. Arguments as of
    :func:`repetition`."""
    tree, count = view.tree, len(view.node)
    table = np.zeros((2 * LEVELS + 3, count), dtype=np.int32)
    first, last = view.range_below
    here = view.element
    for level in range(LEVELS):
        at = np.maximum(here, 0)
        table[level] = np.where(here >= 0, first[at], 0)
        table[LEVELS + level] = np.where(here >= 0, last[at], count)
        here = np.where(here >= 0, view.wider[at], -1)
    step = mix(tree.tag.astype(np.uint64) + np.uint64(1))
    for row, steps in enumerate((step, step ^ mix(named + np.uint64(1)))):
        _, origin, group = np.unique(path_hashes(steps, tree.depth, tree.end)[view.element], return_index=True, return_inverse=True)
        table[2 * LEVELS + row] = origin[group]
    table[-1] = tree.covered(np.flatnonzero(tree.of_tags(tags.lookup(tags.HEADINGS))))[view.node]
    return table
