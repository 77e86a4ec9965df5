"""Texts compared with room for small edits: words may be inserted, left out or replaced (a date, a counter, a name)."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq


def matched_words(a: Sequence[int], b: Sequence[int], tolerance: float) -> int:
    """Words of a text that another one has in the same order; 0 where they have too little in common.

    Args:
        a: the words of the block's text, as numbers.
        b: those of the other page's text.
        tolerance: least share of the longer text that the longest common subsequence must be. (Any two texts of a language share words in
            order, and a word here and there is no likeness.)

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
