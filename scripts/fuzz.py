"""Feed damaged pages to tamis until the time is up; whatever raises is written to a file and ends the run.

Bad HTML never raises: that is what this looks for exceptions to.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from demo import build_site
from tamis import extract
from tamis.document.document import FORMATS

HOSTILE = [
    b"<table><td rowspan=99999 colspan=99999>",
    b"<a href=",
    b"</p></div></body></html>",
    b"<template><svg><foreignObject><math><mi>",
    b"<frameset><noscript><plaintext>",
    b"<base href='http://[::1'>",
    b'<script type="application/ld+json">{"@graph": [[[',
    b"<!--",
    b"&#x110000;&#0;&notit",
    b"\x00\xff\xfe\xed\xa0\x80",
    b"<meta charset=utf-16>",
    b"<meta charset=iso-2022-jp>\x1b$B",
    b"<ul><li>" * 300,
]


def damaged(pages: list[bytes], rng: random.Random) -> bytes:
    """A page after a few accidents: pieces cut, doubled, moved from other pages, hostile markup put in."""
    page = rng.choice(pages)
    for _ in range(rng.randint(1, 12)):
        a, b = sorted(rng.randint(0, len(page)) for _ in range(2))
        b = min(b, a + rng.choice((4, 40, 4_000)))
        other = rng.choice(pages)
        c = rng.randint(0, len(other))
        page = rng.choice(
            (
                page[:a] + page[b:],
                page[:b] + page[a:],
                page[:a] + other[c : c + 2_000] + page[a:],
                page[:a] + rng.choice(HOSTILE) + page[a:],
                page[:a] + rng.randbytes(rng.randint(1, 8)) + page[a:],
            )
        )
    return page


def use(page: bytes) -> None:
    """Everything that a caller may ask of a page."""
    document = extract(page, url="https://lantern-bay.example/news/")
    document.to_json(FORMATS)
    _ = document.blocks, document.problems


def main() -> int:
    """Run until the time is up. Exit code 1: a page raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    pages = [page.raw for page in build_site() if page.raw]
    start = time.monotonic()
    done, slowest = 0, 0.0
    while time.monotonic() - start < options.seconds:
        page = damaged(pages, rng)
        began = time.monotonic()
        try:
            use(page)
        except Exception:
            found = Path("out/fuzz-failure.html")
            found.parent.mkdir(exist_ok=True)
            found.write_bytes(page)
            print(f"page {done} of seed {options.seed} raised; it is in {found}", file=sys.stderr)
            raise
        slowest = max(slowest, time.monotonic() - began)
        done += 1
    print(f"{done} damaged pages in {options.seconds:.0f} s, none raised; the slowest took {slowest * 1000:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
