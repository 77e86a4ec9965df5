"""Memory: many calls of each function, and calls in which an allocation fails.

``python -m tests.attack.endurance calls --count 100000`` shares so many calls among the functions, and says by how many megabytes the
process grew after the first fifth. ``... allocations`` lets every n-th allocation of Python's allocator fail once, in a child process: the
call gives a result or an error, and the process lives. The page is parsed before: the parser (lexbor) does not survive that.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from demo import build_site
from tamis.page.parsing import from_lexbor
from tests.attack.functions import FUNCTIONS

GROWTH = 20.0
"""Megabytes that are taken for noise."""


def resident() -> float:
    """Megabytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def calls(count: int) -> int:
    """Findings of many calls."""
    pages = [page.raw[start : start + 600] for page in build_site()[:20] for start in (0, 4_000)]
    draw = random.Random(1)
    before = 0.0
    for number in range(count):
        list(FUNCTIONS.values())[number % len(FUNCTIONS)](draw.choice(pages))
        if number == count // 5:
            before = resident()
    grown = resident() - before
    print(f"{count} calls of {len(FUNCTIONS)} functions: {before:.0f} MB after a fifth of them, {grown:+.1f} MB after all")
    return int(grown > GROWTH)


def allocations(function: str, step: int, most: int) -> Counter[str]:
    """What came of calls in which one allocation fails: the result, MemoryError, another error, or the death of the process."""
    import _testcapi

    page = (
        b"<title>A page</title><body><nav><a href=/>Home</a></nav><h1>Tides</h1><p class=a id=b>One <b>text</b> \xe6\xbd\xae.</p>"
        b"<ul><li>one<li>two</ul><table><tr><th>a<th>b<tr><td>1<td>2</table>"
    )
    root = LexborHTMLParser(page, scripting=True).root
    use: Any = FUNCTIONS.get(function)
    call = partial(from_lexbor, root) if use is None else partial(use, from_lexbor(root))
    for _ in range(3):
        call()
    outcomes: Counter[str] = Counter()
    for first in range(0, most, step):
        child = os.fork()
        if not child:
            code = 3
            try:
                _testcapi.set_nomemory(first, first + 1)
                call()
                code = 0
            except MemoryError:
                code = 1
            except BaseException:
                code = 2
            finally:
                _testcapi.remove_mem_hooks()
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        signal = status & 127
        outcomes[f"signal {signal}" if signal else ("a result", "MemoryError", "another error")[status >> 8]] += 1
    return outcomes


def main() -> int:
    """Run. Exit code 1: memory grew, or a process died."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("calls", "allocations"))
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--step", type=int, default=7)
    parser.add_argument("--functions", nargs="*", default=["walk", *(name for name in FUNCTIONS if name != "duplicates")])
    options = parser.parse_args()
    if options.what == "calls":
        return calls(options.count)
    found = 0
    for function in options.functions:
        outcomes = allocations(function, options.step, options.count)
        found += sum(count for outcome, count in outcomes.items() if outcome.startswith("signal"))
        print(f"{function}: {dict(outcomes)}", flush=True)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
