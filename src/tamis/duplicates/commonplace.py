"""Features that many documents share are the template of their site, and no evidence that two documents are copies.

A feature is *commonplace* when at least :data:`MANY` kept documents have it. Kept documents differ from one another, so copies do not
make their text commonplace, while the menus, notices and forms of a site's pages are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.candidates import Batch, Packed, counts
from tamis.duplicates.signature import Signature, among

MANY = 6
"""Kept documents from which on a feature is commonplace."""
OWN_FOUND = 0.85
"""Share of a document's own features that must be in the other, of the share of its commonplace ones that are."""
FEWEST_OWN = 3
"""Documents with fewer features of their own have nothing by which a reader could tell them apart."""
PASSAGE, PASSAGE_SHARE = 12, 0.04
"""Shingles in a row, and share of all shingles in such rows, that make two documents of a template differ."""

Flags = NDArray[np.bool_]


def commonplace(texts: Batch, segments: Sequence[Packed]) -> Flags:
    """Which features of some texts are commonplace, bool ``(f,)``.

    Args:
        texts: features of the texts.
        segments: postings of the kept documents.
    """
    return np.asarray(counts(list(segments), texts) >= MANY)


def only_template(a: Signature, b: Signature, everywhere: Flags, of_a: Flags, of_b: Flags) -> bool:
    """Whether most of what two documents share is commonplace, and what is their own differs.

    Either a passage of the shorter one is not in the longer (edits leave short gaps all over a text; two pages of a template differ in a
    whole passage), or its own features are found there much less often than its commonplace ones.

    Args:
        a, b: the documents, the shorter first.
        everywhere: which features of ``a`` are commonplace among all documents, copies too.
        of_a, of_b: which of their features are commonplace among those that are kept.
    """
    found = among(a.shingles, b.shingles)
    features = found[a.is_feature]
    common = int(features.sum())
    if 2 * int((features & everywhere).sum()) > common:
        gaps = np.diff(np.concatenate([[-1], np.flatnonzero(found), [len(found)]])) - 1
        if int(gaps[gaps >= PASSAGE].sum()) >= max(PASSAGE, PASSAGE_SHARE * len(a)):
            return True
    shared = int((features & of_a).sum())
    if 2 * shared <= common:
        return False
    own, others = int((~of_a).sum()), int((~of_b).sum())
    if own < FEWEST_OWN:
        return others >= FEWEST_OWN + own
    return int((features & ~of_a).sum()) < OWN_FOUND * own * shared / int(of_a.sum())
