"""Context, sums of a forest, and reasons of nodes by NumPy: what the compiled forms must agree with, bit by bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.content.context import _BESIDE, _LIKELY, _STEPS, _WINDOWS, CONTEXT, FAR, MILLION, Table
from tamis.content.decision import Choice
from tamis.content.evidence import Relations
from tamis.content.forest import Forest
from tamis.content.node_model import _BETWEEN, _KEPT, _UNREAD
from tamis.page.blocks import TextBlocks
from tamis.page.tree import PageTree


def plain_context(own: NDArray[np.int64], words: NDArray[np.int64], relations: Relations, choice: Choice) -> Table:
    """:func:`context`, not compiled.

    Args:
        own: probability of each block in millionths, int64 ``(b,)``.
        words: of each block, int64 ``(b,)``.
        relations: how the blocks stand to each other.
        choice: the blocks that one would take by these probabilities.
    """
    count = len(own)
    size = np.maximum(words, 1)
    content = np.append(0, np.cumsum(own * size))
    length = np.append(0, np.cumsum(size))
    total = max(int(content[-1]), 1)

    def mean(low: NDArray[np.integer], high: NDArray[np.integer]) -> NDArray[np.float64]:
        return np.asarray((content[high] - content[low]) / np.maximum(length[high] - length[low], 1))

    place = np.arange(count)
    steps = place + np.array(_STEPS)[:, None]
    windows = np.clip(place + np.array(_WINDOWS).T[:, :, None], 0, count)
    low, high = relations.low, relations.high
    inside = content[high] - content[low]
    section = np.cumsum(relations.heading)
    bounds = np.append(np.searchsorted(section, np.arange(section[-1] + 1)), count)
    bounds = np.concatenate((bounds[:1], bounds, bounds[-1:]))  # an empty section before the first and after the last
    of_section = mean(bounds[:-1], bounds[1:])
    rows = np.empty((len(CONTEXT), count), dtype=np.float32)
    at = 0
    for values in (
        own,
        np.where((steps >= 0) & (steps < count), own[np.clip(steps, 0, count - 1)], np.nan),
        mean(windows[0], windows[1]),
        inside / np.maximum(length[high] - length[low], 1),
        inside / total * MILLION,
        mean(np.maximum(low - _BESIDE, 0), low),
        mean(high, np.minimum(high + _BESIDE, count)),
        *_alike(relations, own * size, size, total),
        *(_distances((own > least * MILLION) & (words >= many)) for least, many in _LIKELY),
        of_section[section + 1],
        (content[bounds[section + 2]] - content[bounds[section + 1]]) / total * MILLION,
        (bounds[section + 2] - bounds[section + 1]) * MILLION,
        of_section[section],
        of_section[section + 2],
        content[:-1] / total * MILLION,
        np.full(count, content[-1]),
        np.full(count, content[-1] / max(int(length[-1]), 1)),
        np.full(count, choice.expected * MILLION),
        np.full(count, choice.threshold * MILLION),
        own - choice.threshold * MILLION,
    ):
        table = np.atleast_2d(values)
        rows[at : at + len(table)] = table / MILLION
        at += len(table)
    return rows.T


def _alike(
    relations: Relations, content: NDArray[np.int64], size: NDArray[np.int64], total: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean probability and share of the content of the blocks at the same path, float64 ``(2, b)`` each, in millionths."""
    means, shares = [], []
    for origin in relations.alike:
        # Sums of whole numbers below 2**53 are exact as floats.
        of_place, words = np.bincount(origin, content)[origin], np.bincount(origin, size)[origin]
        means.append(of_place / words)
        shares.append(of_place / total * MILLION)
    return np.array(means), np.array(shares)


def _distances(wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Blocks since, and until, the nearest wanted one, in millionths, intp ``(2, b)``."""
    place = np.arange(len(wanted))
    since = place - np.maximum.accumulate(np.where(wanted, place, -FAR))
    until = np.minimum.accumulate(np.where(wanted, place, len(wanted) + FAR)[::-1])[::-1] - place
    return np.asarray(np.minimum(np.stack((since, until)), FAR) * MILLION)


def plain_scores(forest: Forest, rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """:meth:`Forest.score`, not compiled."""
    trees, depth = forest.column.shape
    total = np.tile(forest.bias, (len(rows), 1))
    step = max(1, (1 << 20) // max(trees * depth, 1))
    powers = (1 << np.arange(depth)).astype(np.uint8)
    which = np.arange(trees)
    for start in range(0, len(rows), step):
        asked = rows[start : start + step, forest.column.ravel()].reshape(-1, trees, depth)
        leaf = ((asked > forest.border) * powers).sum(axis=2, dtype=np.uint8)
        # Tree by tree in one fixed order: sums of floats depend on the order.
        total[start : start + step] += np.cumsum(forest.value[which, leaf], axis=1, dtype=np.float64)[:, -1]
    return total


def plain_spread(
    tree: PageTree, blocks: TextBlocks, reason: NDArray[np.uint8], probability: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Reason and probability of each node from those of the blocks, uint8 and float64 ``(n,)``.

    An element has the reason of the text before it where that and the next one are both kept, or both not.
    """
    counts = blocks.last - blocks.first
    texts = np.repeat(blocks.first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
    of_text = np.full(len(tree.text_nodes), _UNREAD, dtype=np.uint8)
    of_text[texts] = np.repeat(reason, counts)
    share = np.zeros(len(tree))
    share[tree.text_nodes[texts]] = np.repeat(probability, counts)
    index = np.arange(len(tree))
    before = np.maximum(np.searchsorted(tree.text_nodes, index, side="right") - 1, 0)
    after = np.minimum(np.searchsorted(tree.text_nodes, index), len(of_text) - 1)
    one, other = of_text[before], of_text[after]
    kept = (one >= _KEPT) & (one < _UNREAD)
    return np.where(kept == ((other >= _KEPT) & (other < _UNREAD)), one, _BETWEEN).astype(np.uint8), share
