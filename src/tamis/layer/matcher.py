"""The paper's fuzzy subtree match, node by node (Yuan 2006, section 3.2).

``docs/methods/same-layer.md`` says what the walk does where the pseudo-code of the paper leaves it open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from tamis.layer.settings import Matching
from tamis.layer.strings import NodeString, Part

NORMAL, S_MOVE, T_MOVE = range(3)


@dataclass(frozen=True, slots=True)
class Match:
    """Where a block was found in another page, and how alike."""

    start: int  #: Position of its first node in the other page's string.
    tag_similarity: float  #: Share of the block's nodes that were matched.
    text_similarity: float  #: Share of its words that were matched; 1 for a block without text.


def walk(block: Part, page: NodeString, other: NodeString, start: int, settings: Matching, need: int = 0) -> Match | None:
    """Walk along a block A and another page B from one start; the match, or None.

    ``need``: give up as soon as fewer nodes than this can be matched; 0: walk on to the end, as the paper does.
    """
    tag_a, _, end_a = page.lists
    tag_b, _, end_b = other.lists
    skips, limit = settings.skips, len(tag_b)
    i, j, last, spare = start, block.first, block.last, block.size - need
    state, steps, mark = NORMAL, 0, start
    pairs: list[tuple[int, int]] = []
    while j < last:
        if i < limit and tag_a[j] == tag_b[i]:
            pairs.append((j, i))
            i, j, state = i + 1, j + 1, NORMAL
            continue
        if state == NORMAL:
            state, steps, mark = S_MOVE, 0, i
        if state == S_MOVE:
            if steps < skips and i < limit:
                i, steps = end_b[i], steps + 1
                continue
            state, steps, i = T_MOVE, 0, mark
        spare -= end_a[j] - j
        if steps == skips or spare < 0:
            return None
        j, steps = end_a[j], steps + 1
    return _judged(block, page, other, pairs, settings)


def _judged(block: Part, page: NodeString, other: NodeString, pairs: list[tuple[int, int]], settings: Matching) -> Match | None:
    """The match of a walk, if it reaches alpha and beta and is verified."""
    share = len(pairs) / block.size
    if share < settings.tag_similarity or not _verified(block, page, other, pairs):
        return None
    matched = sum(matched_words(page.texts[j], other.texts[i], settings.text_tolerance) for j, i in pairs if page.texts[j])
    likeness = matched / block.words if block.words else 1.0
    return Match(pairs[0][1], share, likeness) if likeness >= settings.text_similarity else None


def _verified(block: Part, page: NodeString, other: NodeString, pairs: list[tuple[int, int]]) -> bool:
    """The paper's second look: a depth-first string may be that of another tree, or of a forest."""
    first_a, first_b = pairs[0]
    depth_a, depth_b = page.lists[1], other.lists[1]
    down = depth_b[first_b] - depth_a[first_a]
    return pairs[-1][1] < _limit(block, other, first_b) and all(depth_b[i] - depth_a[j] == down for j, i in pairs)


def _limit(block: Part, other: NodeString, first: int) -> int:
    """Position after the last node of B that may be matched when the first one stands at ``first``."""
    if len(block.roots) == 1:
        return other.lists[2][first]
    parent = int(other.parent[first])
    return other.lists[2][parent] if parent >= 0 else len(other)


def matched_words(a: Sequence[int], b: Sequence[int], tolerance: float) -> int:
    """Words of a text that another one has in the same order, with room for small edits; 0 where they have too little in common.

    Args:
        a: the words of the block's text, as numbers.
        b: those of the other page's text.
        tolerance: least share of the longer text that the longest common subsequence must be. (Any two texts of a language share some
            words in order.)

    >>> written, by, ann, bob, comments = range(5)
    >>> matched_words([written, by, ann, 10, comments], [written, by, bob, 12, comments], 0.5)
    3
    >>> matched_words([written, by, ann], [comments, by, bob, 12], 0.5)
    0
    """
    if a == b:
        return len(a)
    longer, shorter = max(len(a), len(b)), min(len(a), len(b))
    if not shorter or shorter / longer < tolerance:
        return 0
    common = LCSseq.similarity(a, b)
    return common if common / longer >= tolerance else 0
