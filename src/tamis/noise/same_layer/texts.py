"""Texts compared with room for small edits: a date, a counter, a name."""

from __future__ import annotations

from math import ceil

from rapidfuzz.distance import LCSseq


def matched_length(a: str, b: str, tolerance: float) -> int:
    """Characters of a text that another one has in the same order; 0 where they have too little in common.

    Args:
        a: the block's text.
        b: the other page's text.
        tolerance: least share of the longer text that a common subsequence must be. (Any two texts of a language share letters in order, about
            half of them, so a subsequence counts only where it is most of both.)

    >>> matched_length("Written by Ann, 3 comments", "Written by Bob, 12 comments", 0.6)
    22
    >>> matched_length("An article on birds", "Another thing altogether", 0.6)
    0
    """
    if a == b:
        return len(a)
    return LCSseq.similarity(a, b, score_cutoff=max(1, ceil(tolerance * max(len(a), len(b)) - 1e-9)))
