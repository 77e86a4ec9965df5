"""Learning one site once, in a process of its own: ``python -m benchmarks.learning_child METHOD SITE PAGES``.

Started by :mod:`benchmarks.learning`. Pages are made, parsed and learned one after the other, as a reader of files would give them; none
is kept but by the method. It answers with one line of JSON: seconds of learning alone and of parsing, resident memory in bytes before
learning and the most there was.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.cleaners import choose_cleaners
from benchmarks.planting import Original, read_site
from benchmarks.worker import memory
from tamis.page.parsing import parse
from tamis.page.tree import PageTree

MOST_ORIGINALS = 200
"""Real pages that variants are made of."""


class Source:
    """Makes and parses pages, and knows how long that took."""

    def __init__(self, originals: Sequence[Original], count: int) -> None:
        self._originals = originals
        self._count = count
        self.seconds_made = 0.0
        self.seconds_parsed = 0.0

    def __iter__(self) -> Iterator[PageTree]:
        for number in range(self._count):
            start = time.perf_counter()
            html = self._originals[number % len(self._originals)].variant(number)
            made = time.perf_counter()
            tree = parse(html)
            self.seconds_made += made - start
            self.seconds_parsed += time.perf_counter() - made
            yield tree


def main(method: str, folder: str, count: int) -> None:
    """Learn and answer."""
    (cleaner,) = choose_cleaners([method])
    site = read_site(Path(folder))
    originals = [site.original(page) for page in range(min(len(site.pages), MOST_ORIGINALS))]
    source = Source(originals, count)
    before = memory("VmRSS")
    start = time.perf_counter()
    model = cleaner.learn(source)
    total = time.perf_counter() - start
    answer = {
        "seconds": total - source.seconds_made - source.seconds_parsed,
        "parse_seconds": source.seconds_parsed,
        "before": before,
        "peak": memory("VmHWM"),
        "layouts": len(model.layouts),
    }
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
