"""Layouts: the pages of a site grouped by the template they were made with.

A page's *sketch* is the set of its element names (tag with one class name or id, numbers generalised), as hashes; of a page with few
names also the set of its tag paths. Pages are compared with the leaders of earlier groups, so the cost grows with pages times
layouts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from tamis.page import tags
from tamis.page.element_names import general
from tamis.page.tree import PageTree
from tamis.structure.hashing import Hashes, path_hashes, text_hashes

Sketch = frozenset[int]

OWN = 0.2  #: A page that shares a smaller part of its sketch with any other page is of no layout but its own.
MAX_KNOWN = 100_000  #: Names whose hashes are remembered.
FEW_NAMES = 8  #: A page with fewer class names and ids is compared by its tag paths, too.
MAX_LAYOUTS = 64  #: Groups that are kept apart; pages like none of them are of no layout.


@dataclass(frozen=True, slots=True)
class Layout:
    """A group of pages made with one template."""

    sketch: Sketch  #: Names that at least half of its pages share.
    members: tuple[int, ...]  #: Positions of its pages among the pages grouped, rising.


def tag_paths(tree: PageTree, names: Iterable[str]) -> Hashes:
    """Return the distinct paths of tags to the elements that hold no others, uint64, rising; none for a page with enough names.

    Like free matching (Song and Zhang 2011, definition 2.1), a set of paths ignores the order and number of parts, and
    it groups the same pages, in linear time (``docs/methods/similarity.md``).

    Args:
        tree: the page.
        names: its distinct element names.
    """
    if sum(name.count("\t") for name in names) >= FEW_NAMES:
        return np.zeros(0, dtype=np.uint64)
    element = tree.tag != tags.TEXT
    holds = np.zeros(len(tree) + 1, dtype=np.bool_)  # the last for the root's parent, -1
    holds[tree.parent[element]] = True
    paths = path_hashes(text_hashes(tree.names)[tree.tag], tree.depth, tree.end)
    return np.unique(paths[element & ~holds[:-1]])


def sketch(names: Iterable[str], paths: Hashes | None = None, known: dict[str, tuple[int, ...]] | None = None) -> Sketch:
    """Return the sketch of a page from its distinct element names (see :class:`tamis.site.digest.PageDigest`).

    Bare tags, which all pages of the web share, count only on a page that has nothing else. ``paths``: :func:`tag_paths`. ``known``: hashes
    of names met before, added to while there are not too many; for many pages of one site.
    """
    known = {} if known is None else known
    names = list(names)
    try:
        hashes = frozenset(chain.from_iterable([known[name] for name in names]))
    except KeyError:
        new = _token_hashes([name for name in names if name not in known])
        if len(known) < MAX_KNOWN:
            known.update(new)
        hashes = frozenset(chain.from_iterable(new[name] if name in new else known[name] for name in names))
    hashes = hashes if paths is None else hashes.union(paths.tolist())
    return hashes or frozenset(text_hashes(names).tolist())


def _token_hashes(names: list[str]) -> dict[str, tuple[int, ...]]:
    """For each element name the hashes of its class names and id, each with its tag, numbers generalised."""
    tokens: list[str] = []
    ends = []
    for name in names:
        tag, _, own = name.partition("\t")
        if own:
            tokens += [f"{tag}\t{token}" for token in general(own).split("\t")]
        ends.append(len(tokens))
    hashes = text_hashes(tokens).tolist()
    return {name: tuple(hashes[start:end]) for name, start, end in zip(names, [0, *ends], ends, strict=False)}


def likeness(a: Sketch, b: Sketch) -> float:
    """Share of two sketches that they have in common (Jaccard), 0..1.

    >>> likeness(frozenset({1, 2, 3}), frozenset({2, 3, 4}))
    0.5
    """
    if not a and not b:
        return 1.0
    common = len(a & b)
    return common / (len(a) + len(b) - common)


def group(sketches: Sequence[Sketch], alike: float = 0.5) -> tuple[Layout, ...]:
    """Group pages by layout, largest group first.

    Args:
        sketches: one per page, in an order that does not depend on chance (by page key): the grouping follows it.
        alike: least likeness to a group's leader.
    """
    count = Counter(chain.from_iterable(sketches))
    # A name that only one page uses says nothing of layouts.
    reduced = [frozenset(name for name in page if count[name] > 1) for page in sketches]
    groups: list[tuple[Sketch, list[int]]] = []
    for index in sorted(range(len(reduced)), key=lambda index: (-len(reduced[index]), index)):
        place, score = best([likeness(reduced[index], leader) for leader, _ in groups])
        if score >= alike and place >= 0 and len(reduced[index]) >= OWN * len(sketches[index]):
            groups[place][1].append(index)
        elif len(groups) < MAX_LAYOUTS:
            groups.append((reduced[index], [index]))
    groups.sort(key=lambda found: (-len(found[1]), min(found[1])))
    return tuple(Layout(_common_names([reduced[index] for index in members]), tuple(sorted(members))) for _, members in groups)


def best(scores: Sequence[float]) -> tuple[int, float]:
    """Return the first of the highest scores, by position, and the score; -1 and 0 where there are none."""
    if not scores:
        return -1, 0.0
    highest = max(scores)
    return scores.index(highest), highest


class KnownLayouts:
    """Layouts that many pages are compared with. What no layout has is not compared."""

    def __init__(self, sketches: Sequence[Sketch]) -> None:
        self._all: Sketch = frozenset().union(*sketches)
        self._layouts = list(sketches)
        self._known: dict[str, tuple[int, ...]] = {}

    def likeness(self, names: Sequence[str], paths: Hashes | None = None) -> list[float]:
        """Return the likeness of a page to each layout, by the page's distinct element names and tag paths."""
        page = sketch(names, paths, self._known) & self._all
        return [likeness(page, layout) for layout in self._layouts]


def _common_names(members: list[Sketch]) -> Sketch:
    count = Counter(chain.from_iterable(members))
    return frozenset(name for name, pages in count.items() if 2 * pages >= len(members))
