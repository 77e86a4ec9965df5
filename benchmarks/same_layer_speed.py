"""The fast path of same-layer matching against the plain matcher: time for the same verdicts."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

from benchmarks.same_layer_pages import Sample
from tamis.layer.matcher import BlockMatch, PageIndex, walk
from tamis.layer.settings import Matching
from tamis.layer.strings import NodeString, Part, node_string, parts
from tamis.page.tree import PageTree

ROUNDS = 3  #: How often the fast path is timed; the best counts. The plain matcher is timed once.


@dataclass(frozen=True, slots=True)
class Speed:
    """Processor time for looking for all blocks of pages in their same-layer pages, from flattened pages to verdicts."""

    pairs: int  #: Pairs of a page and a same-layer page.
    verdicts: int  #: Pairs of a block and a same-layer page.
    differing: int  #: Verdicts on which the two disagree.
    plain: float  #: Seconds of the plain matcher.
    fast: float  #: Seconds of the fast path, making its index included.
    flattening: float  #: Seconds of flattening all these pages, which both need.

    @property
    def ratio(self) -> float:
        """How many times faster the fast path is."""
        return self.plain / self.fast if self.fast else 0.0

    @staticmethod
    def total(speeds: Iterable[Speed]) -> Speed:
        """The sum of measurements."""
        return Speed(*map(sum, zip(*map(astuple, speeds), strict=True)))


def speed(samples: Sequence[Sample], k: int) -> Speed:
    """Time both on some pages with ``k`` same-layer pages each."""
    return Speed.total([_timed([sample.page.tree, *(page.tree for page in sample.siblings[:k])], sample.blocks) for sample in samples])


def find(block: Part, page: NodeString, other: NodeString, settings: Matching = Matching()) -> BlockMatch | None:
    """Look for a block of a page in another page: the first place where it matches, or None. The plain algorithm: every start is tried."""
    return next(filter(None, (walk(block, page, other, start, settings) for start in range(len(other)))), None)


def _timed(trees: Sequence[PageTree], roots: Sequence[Sequence[int]]) -> Speed:
    flattening, (page, *others) = _flattened(trees)
    blocks = [part for each in roots for part in parts(page, each)]
    started = time.process_time()
    slow = [[find(block, page, other) for block in blocks] for other in others]
    plain = time.process_time() - started
    rounds = [_fast(trees, blocks) for _ in range(ROUNDS)]
    pairs = [(a, b) for one, other in zip(rounds[0][1], slow, strict=True) for a, b in zip(one, other, strict=True)]
    differing = sum((a is None) != (b is None) for a, b in pairs)
    return Speed(len(others), len(pairs), differing, plain, min(seconds for seconds, _ in rounds), flattening)


def _fast(trees: Sequence[PageTree], blocks: Sequence[Part]) -> tuple[float, list[list[BlockMatch | None]]]:
    _, (page, *others) = _flattened(trees)
    started = time.process_time()
    found = [PageIndex(other).find(blocks, page) for other in others]
    return time.process_time() - started, found


def _flattened(trees: Sequence[PageTree]) -> tuple[float, list[NodeString]]:
    """The pages anew, with the lists that walks read, and the seconds that took."""
    started = time.process_time()
    pages = [node_string(tree) for tree in trees]
    for page in pages:
        _ = page.lists, page.texts
    return time.process_time() - started, pages
