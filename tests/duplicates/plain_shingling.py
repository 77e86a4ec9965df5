"""Tokens, shingles and numbers of a text as hashes, with NumPy: the oracle for ``native/shingles.c``."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.signature import COUNT, Hashes, Signature, SignatureSettings
from tests.duplicates.plain_tokens import Tokens, tokens

CHARACTER_BASE = 0xD1342543DE82EF95
TOKEN_BASE = 0x9E3779B97F4A7C15
"""Odd numbers that weigh the places of characters in a token, and of tokens in a shingle."""


def signature(text: str, settings: SignatureSettings) -> Signature:
    """:func:`tamis.duplicates.signature.signature` in NumPy."""
    found = tokens(text, settings.simplified)
    none = np.zeros(0, np.uint32)
    shingles, numbers, words, letters, whole = none, none, none, 0, 0
    if len(found):
        token = _token_hashes(found)
        distinct, first = np.unique(_shingles(token, found.alone, 2 * settings.words), return_index=True)
        shingles, numbers, words = distinct[np.argsort(first)], np.unique(_short(token[found.number])), _words(token)
        letters = int((found.end - found.start).sum())
        whole = int((token * _powers(TOKEN_BASE, len(token))).sum())
    salt = whole.to_bytes(8, "little") + letters.to_bytes(8, "little")
    return Signature(shingles, numbers, words, letters, blake2b(shingles.tobytes(), digest_size=16, salt=salt).digest(), settings)


def _words(token: NDArray[np.uint64]) -> Hashes:
    key, first, count = np.unique(_short(token) & ~np.uint32(COUNT), return_index=True, return_counts=True)
    words: Hashes = (key | np.minimum(count, COUNT).astype(np.uint32))[np.argsort(first)]
    return words


def among(shingles: Hashes, others: Hashes) -> NDArray[np.bool_]:
    """Which shingles of one text the other has too, bool ``(len(shingles),)``."""
    return np.isin(shingles, others)


def overlap(
    shingles: Hashes, others: Hashes, bound: int, passage: int, passages: int, demanded: int, window: int, share: float
) -> tuple[int, int, int]:
    """How much of one text another has.

    Args:
        shingles: of the text, in order.
        others: of the other.
        bound: shingles below this are features.
        passage: features in a passage; the last has the rest, too.
        passages: how many passages there are.
        demanded: features of a passage that have to be in the other for the passage to be found.
        window: shingles in a window; the last has the rest, too.
        share: of a window's shingles that have to be in the other, and at least one.

    Returns:
        Shingles that both have; passages found; windows found.
    """
    hits = among(shingles, others)
    feature_hits = hits[shingles < bound]
    place = np.minimum(np.arange(len(feature_hits)) // passage, max(passages - 1, 0))
    found = np.bincount(place, feature_hits, minlength=passages) >= demanded
    start = np.arange(max(len(hits) // window, 1)) * window
    length = np.diff(np.append(start, len(hits)))
    in_window = np.add.reduceat(hits.astype(np.intp), start) if len(hits) else np.zeros(1, dtype=np.intp)
    return int(hits.sum()), int(found[:passages].sum()), int(((in_window >= 1) & (in_window >= share * length)).sum())


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread 64-bit values over all bits (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _token_hashes(found: Tokens) -> NDArray[np.uint64]:
    length = found.end - found.start
    first = np.cumsum(length) - length
    offset = np.arange(int(length.sum())) - np.repeat(first, length)
    terms = (found.character[np.repeat(found.start, length) + offset].astype(np.uint64) + np.uint64(1)) * _powers(
        CHARACTER_BASE, int(length.max())
    )[offset]
    return mix(np.add.reduceat(terms, first))


def _shingles(token: NDArray[np.uint64], alone: NDArray[np.bool_], width: int) -> Hashes:
    """The shingle that starts at each token: as many tokens as it takes for the width."""
    reached = np.append(0, np.cumsum(np.where(alone, 1, 2)))
    end = np.searchsorted(reached, reached[:-1] + width)
    end = end[end <= len(token)]  # later ones would go beyond the text
    start = np.arange(len(end))
    total = np.zeros(len(end), dtype=np.uint64)
    weight = _powers(TOKEN_BASE, width)
    for place in range(width):
        at = start + place
        total += np.where(at < end, token[np.minimum(at, len(token) - 1)] * weight[place], np.uint64(0))
    return _short(mix(total))


def _short(values: NDArray[np.uint64]) -> Hashes:
    return (values >> np.uint64(32)).astype(np.uint32)


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    weights = np.full(count, base, dtype=np.uint64)
    weights[:1] = 1
    return np.cumprod(weights, dtype=np.uint64)
