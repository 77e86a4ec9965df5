"""The fast path of same-layer matching against the plain matcher: time for the same verdicts."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tamis.bench.same_layer_pages import Sample
from tamis.noise.same_layer import Match, Matching, NodeString, PageIndex, Part, find, node_string, parts

ROUNDS = 3
"""How often the fast path is timed; the best counts. The plain matcher is timed once."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Processor time for looking for all blocks of pages in their same-layer pages, from flattened pages to verdicts."""

    pairs: int
    """Pairs of a page and a same-layer page."""
    verdicts: int
    """Pairs of a block and a same-layer page."""
    differing: int
    """Verdicts on which the two disagree."""
    plain: float
    """Seconds of the plain matcher."""
    fast: float
    """Seconds of the fast path, making its index included."""
    flattening: float
    """Seconds of flattening all these pages, which both need."""

    @property
    def ratio(self) -> float:
        """How many times faster the fast path is."""
        return self.plain / self.fast if self.fast else 0.0

    @staticmethod
    def total(speeds: Iterable[Speed]) -> Speed:
        """The sum of measurements."""
        columns = zip(*((s.pairs, s.verdicts, s.differing, s.plain, s.fast, s.flattening) for s in speeds), strict=True)
        pairs, verdicts, differing, plain, fast, flattening = map(sum, columns)
        return Speed(int(pairs), int(verdicts), int(differing), float(plain), float(fast), float(flattening))


def speed(samples: Sequence[Sample], k: int, matching: Matching = Matching(verification="after")) -> Speed:
    """Time both on some pages, with the paper's verification."""
    return Speed.total([_timed(sample, sibling, matching) for sample in samples for sibling in range(min(k, len(sample.siblings)))])


def _timed(sample: Sample, sibling: int, matching: Matching) -> Speed:
    started = time.process_time()
    page, other = node_string(sample.page.tree), node_string(sample.siblings[sibling].tree)
    flattening = time.process_time() - started
    blocks = [part for roots in sample.blocks for part in parts(page, roots)]
    plain_seconds, slow = _plain(blocks, page, other, matching)
    rounds = [_fast(blocks, sample, sibling, matching) for _ in range(ROUNDS)]
    quick = rounds[0][1]
    differing = sum((a is None) != (b is None) for a, b in zip(quick, slow, strict=True))
    return Speed(1, len(blocks), differing, plain_seconds, min(seconds for seconds, _ in rounds), flattening)


def _plain(blocks: Sequence[Part], page: NodeString, other: NodeString, matching: Matching) -> tuple[float, list[Match | None]]:
    _ready(page, other)
    started = time.process_time()
    found = [find(block, page, other, matching) for block in blocks]
    return time.process_time() - started, found


def _fast(blocks: Sequence[Part], sample: Sample, sibling: int, matching: Matching) -> tuple[float, list[Match | None]]:
    page, other = node_string(sample.page.tree), node_string(sample.siblings[sibling].tree)
    _ready(page, other)
    started = time.process_time()
    found = PageIndex(other).find(blocks, page, matching)
    return time.process_time() - started, found


def _ready(*pages: NodeString) -> None:
    """The lists that walks read are part of flattening."""
    for page in pages:
        _ = page.lists, page.texts
