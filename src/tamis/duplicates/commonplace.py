"""What many documents share says nothing about two of them: features of a template, and passages that only a few have.

A feature is *commonplace* when at least :data:`MANY` kept documents have it. Kept documents differ from one another, so copies do not
make their text commonplace, while the menus, notices and forms of a site's pages are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.candidates import Batch, counts
from tamis.duplicates.postings import Packed
from tamis.duplicates.shingling import among
from tamis.duplicates.signature import Signature

MANY = 6
"""Kept documents from which on a feature is commonplace."""
OWN_FOUND = 0.85
"""Share of a document's own features that must be in the other, of the share of its commonplace ones that are."""
FEWEST_OWN = 3
"""Documents with fewer features of their own have nothing by which a reader could tell them apart."""
PASSAGE, PASSAGE_SHARE = 12, 0.04
"""Shingles in a row, and share of all shingles in such rows, that make two documents of a template differ."""
EXCERPT = 48
"""Shingles in a row that make two documents the same: 60 words, some of which may be repeated."""
EXCERPT_SHARE = 0.3
"""Share of the shorter document that such a passage must be."""
MOSTLY_OWN, EXCERPT_OF_OWN = 0.2, 0.6
"""A document of which a larger share is commonplace was not cleaned; then the passage must be this share of its own features."""
AROUND = 0.25
"""Share from which on what stands around a common passage is no frame of its own; then numbers and subjects must agree."""
_UPPER, _LOWER = np.uint64(32), np.uint64(0xFFFFFFFF)

Flags = NDArray[np.bool_]


def commonplace(texts: Batch, segments: Sequence[Packed]) -> Flags:
    """Which features of some texts are commonplace, bool ``(f,)``.

    Args:
        texts: features of the texts.
        segments: postings of the kept documents.
    """
    return np.asarray(counts(list(segments), texts) >= MANY)


def only_template(a: Signature, b: Signature, of_a: Flags, of_b: Flags) -> bool:
    """Whether most of what two documents share is commonplace, and what is their own differs.

    Args:
        a, b: the documents, the shorter first.
        of_a, of_b: which of their features are commonplace.
    """
    found = among(a.features, b.features)
    shared = int((found & of_a).sum())
    if 2 * shared <= int(found.sum()):
        return False
    own, others = int((~of_a).sum()), int((~of_b).sum())
    if own < FEWEST_OWN:
        return others >= FEWEST_OWN + own
    return int((found & ~of_a).sum()) < OWN_FOUND * own * shared / int(of_a.sum())


def differs_in_passage(a: Signature, b: Signature, of_a: Flags) -> bool:
    """Whether most of what two documents share is commonplace, and a passage of the shorter one is not in the longer.

    Edits leave short gaps all over a text; two pages of a template differ in a whole passage.
    """
    found = among(a.shingles, b.shingles)
    features = found[a.is_feature]
    if 2 * int((features & of_a).sum()) <= int(features.sum()):
        return False
    gaps = np.diff(np.concatenate([[-1], np.flatnonzero(found), [len(found)]])) - 1
    return int(gaps[gaps >= PASSAGE].sum()) >= max(PASSAGE, PASSAGE_SHARE * len(a))


def few_share(postings: Packed, rows: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of rows, the later first, that share at least two features which are not commonplace.

    Args:
        postings: of the rows, sorted.
        rows: which of them count, bool.
    """
    own = postings[rows[(postings & _LOWER).astype(np.intp)]]
    feature, row = own >> _UPPER, (own & _LOWER).astype(np.intp)
    if not len(own):
        return row, row
    first = np.flatnonzero(np.append(True, feature[1:] != feature[:-1]))
    size = np.diff(first, append=len(own))
    kept = np.repeat((size > 1) & (size < MANY), size)
    feature, row = feature[kept], row[kept]
    pairs = []
    for distance in range(1, MANY - 1):
        same = feature[distance:] == feature[:-distance]
        pairs.append(row[distance:][same] * len(rows) + row[:-distance][same])
    found, times = np.unique(np.concatenate(pairs), return_counts=True)
    found = found[times > 1]
    return found // len(rows), found % len(rows)


def common_passage(a: Signature, b: Signature, of_a: Flags) -> float | None:
    """How much of what stands around the longest common passage in the shorter document is in the longer too, as a share of shingles.

    None where the passage is too short or commonplace.
    """
    found = among(a.shingles, b.shingles)
    missing = np.concatenate([[-1], np.flatnonzero(~found), [len(found)]])
    longest = int(np.argmax(np.diff(missing)))
    low, high = int(missing[longest]) + 1, int(missing[longest + 1])
    length = high - low
    if length < EXCERPT or length < EXCERPT_SHARE * len(a):
        return None
    before = np.append(0, np.cumsum(a.is_feature))
    own, inside = int((~of_a).sum()), ~of_a[before[low] : before[high]]
    is_raw = own < (1 - MOSTLY_OWN) * len(of_a)
    if 2 * inside.sum() < len(inside) or (is_raw and inside.sum() < EXCERPT_OF_OWN * own):
        return None
    return (int(found.sum()) - length) / max(len(a) - length, 1)
