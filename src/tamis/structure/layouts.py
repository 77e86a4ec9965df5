"""Layouts: the pages of a site grouped by the template they were made with.

A page's *sketch* is the set of its element names (tag with one class name or id, numbers generalised), as hashes: two pages of one
layout share nearly all of them, whatever their text. Pages are compared with the leaders of the groups found so far, never with
each other, so the cost grows with pages times layouts, and layouts are few.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.structure.hashing import Hashes, text_hash

_DIGITS = re.compile(r"\d+")
OWN = 0.2
"""A page that shares a smaller part of its sketch with any other page is of no layout but its own."""
MAX_KNOWN = 100_000
"""Tokens whose hashes are remembered."""
MAX_LAYOUTS = 64
"""Groups that are kept apart; pages like none of them are of no layout."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A group of pages made with one template."""

    sketch: Hashes
    """What at least half of its pages have in common, sorted, uint64."""
    members: NDArray[np.intp]
    """Positions of its pages among the pages grouped, rising."""


def sketch(names: Sequence[str], known: dict[str, int] | None = None) -> Hashes:
    """The sketch of a page from its element names (see :class:`tamis.site.digest.PageDigest`), sorted, uint64.

    Bare tags, which all pages of the web share, count only on a page that has no class names or ids.

    Args:
        names: distinct element names of the page.
        known: hashes of tokens met before, added to while there are not too many; for many pages of one site.
    """
    known = {} if known is None else known
    hashes: set[int] = set()
    for name in names:
        tag, *own = name.split("\t")
        for token in own:
            key = f"{tag}\t{token}"
            value = known.get(key)
            if value is None:
                value = text_hash(f"{tag}\t{_DIGITS.sub('0', token)}")
                if len(known) < MAX_KNOWN:
                    known[key] = value
            hashes.add(value)
    return np.sort(np.array(list(hashes or map(text_hash, set(names))), dtype=np.uint64))


def likeness(a: Hashes, b: Hashes) -> float:
    """Share of two sketches that they have in common (Jaccard), 0..1.

    >>> likeness(np.array([1, 2, 3], dtype=np.uint64), np.array([2, 3, 4], dtype=np.uint64))
    0.5
    """
    if not len(a) and not len(b):
        return 1.0
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)


def group(sketches: Sequence[Hashes], alike: float = 0.5) -> tuple[Layout, ...]:
    """Group pages by layout, largest group first.

    Args:
        sketches: one per page, in an order that does not depend on chance (by page key): the grouping follows it.
        alike: least likeness to a group's leader.
    """
    shared = _shared(sketches)
    reduced = [page[np.isin(page, shared, assume_unique=True)] for page in sketches]
    groups: list[tuple[Hashes, list[int]]] = []
    for index in sorted(range(len(reduced)), key=lambda index: (-len(reduced[index]), index)):
        scores = [likeness(reduced[index], leader) for leader, _ in groups]
        best = int(np.argmax(scores)) if scores else -1
        of_its_own = len(reduced[index]) < OWN * len(sketches[index])
        if best >= 0 and scores[best] >= alike and not of_its_own:
            groups[best][1].append(index)
        elif len(groups) < MAX_LAYOUTS:
            groups.append((reduced[index], [index]))
    groups.sort(key=lambda found: (-len(found[1]), min(found[1])))
    return tuple(Layout(_common([reduced[index] for index in members]), np.array(sorted(members))) for _, members in groups)


def nearest(page: Hashes, layouts: Sequence[Hashes]) -> tuple[int, float]:
    """The layout that a page is most like, and how much; -1 where there are none. What no layout has is not compared."""
    if not layouts:
        return -1, 0.0
    known = page[np.isin(page, np.concatenate(layouts))]
    scores = [likeness(known, layout) for layout in layouts]
    best = int(np.argmax(scores))
    return best, scores[best]


def _shared(sketches: Sequence[Hashes]) -> Hashes:
    """What more than one page has: names that only one page uses say nothing of layouts."""
    values, count = np.unique(np.concatenate([*sketches, np.zeros(0, dtype=np.uint64)]), return_counts=True)
    return values[count > 1]


def _common(members: list[Hashes]) -> Hashes:
    count = Counter(value for member in members for value in member.tolist())
    return np.sort(np.array([value for value, pages in count.items() if 2 * pages >= len(members)], dtype=np.uint64))
