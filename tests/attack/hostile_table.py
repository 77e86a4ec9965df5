"""What hostile pages cost, by shape and public function: the table in ``docs/reference/hostile-pages.md``.

``python -m tests.attack.hostile_table --write`` measures all shapes and writes the page; ``--shapes`` and ``--functions`` choose some.
Each measurement is a process of its own with limits on time and memory. Time is processor time, memory its peak.
"""

from __future__ import annotations

import argparse
import math
import os
import pickle
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.attack.functions import FUNCTIONS
from tests.attack.shapes import SHAPES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "hostile-pages.md"
SIZE = 10_000_000
STEP = 4
"""The growth exponent is measured between a page of ``SIZE / STEP`` bytes and one of ``SIZE``."""
MAX_SECONDS, MAX_MEGABYTES, MAX_EXPONENT = 5.0, 800, 1.15
LIMIT_SECONDS, LIMIT_BYTES = 120, 6 << 30


@dataclass(frozen=True, slots=True)
class Cost:
    """What one function cost on one shape."""

    seconds: float
    megabytes: float
    exponent: float
    problems: tuple[str, ...] = ()
    error: str = ""

    @property
    def high(self) -> bool:
        """It is above a bound."""
        return bool(self.error) or self.seconds > MAX_SECONDS or self.megabytes > MAX_MEGABYTES or self.steep

    @property
    def steep(self) -> bool:
        """Time grows faster than the page, by more than noise: short times say nothing."""
        return self.exponent > MAX_EXPONENT and self.seconds > 1


def measure(shape: str, function: str, size: int = SIZE, limit: int = LIMIT_SECONDS) -> Cost:
    """Run one function on two sizes of a shape in a child process. ``limit``: seconds of processor time after which it is ended.

    Memory is the peak beyond what this process holds.
    """
    reading, writing = os.pipe()
    held = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()  # a forked child begins with it
    child = os.fork()
    if not child:
        os.close(reading)
        os.write(writing, pickle.dumps(_run(shape, function, size, limit)))
        os._exit(0)
    os.close(writing)
    answer = b"".join(iter(lambda: os.read(reading, 1 << 16), b""))
    os.close(reading)
    _, status, used = os.wait4(child, 0)
    if not answer:
        return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024 - held / 1e6, 0.0, error=f"ended by signal {status & 127}")
    first, second, problems, error = pickle.loads(answer)
    exponent = math.log(max(second, 0.001) / max(first, 0.001)) / math.log(STEP)
    return Cost(second, used.ru_maxrss / 1024 - held / 1e6, exponent, tuple(problems), error)


def _run(shape: str, function: str, size: int, limit: int) -> tuple[float, float, list[str], str]:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    times: list[float] = []
    problems: list[str] = []
    try:
        for each in (size // STEP, size):
            page = SHAPES[shape](each)
            start = time.process_time()
            problems = FUNCTIONS[function](page)
            times.append(time.process_time() - start)
    except BaseException as error:
        return 0.0, time.process_time(), [], f"{type(error).__name__}: {error}"[:200]
    return times[0], times[1], problems, ""


def page(rows: dict[str, dict[str, Cost]], size: int) -> str:
    """The page of the docs: seconds by shape and function, the highest memory, and what was cut."""
    functions = list(next(iter(rows.values())))
    lines = [
        "---\norphan: true\n---\n\n# Hostile pages",
        f"What pages of {size / 1e6:g} MB cost that are large in one way each: seconds of processor time by function, from bytes to the "
        f"result, and the most memory of any. Bounds: {MAX_SECONDS:g} s and {MAX_MEGABYTES} MB; what is above them is in bold. *n*: "
        f"between a quarter of the size and the whole, the time grows with the size to the power of n at most (times above a second).",
        "",
        "A note, as in `Document.problems`, says where a page was cut. Measured by `make hostile-pages`, which writes this page.",
        "",
        f"| page | {' | '.join(functions)} | MB | n | cut |",
        f"|---|{'---:|' * len(functions)}---:|---:|---|",
    ]
    for shape, costs in rows.items():
        cells = [
            _bold(f"{cost.seconds:.1f}" if not cost.error else cost.error, cost.error or cost.seconds > MAX_SECONDS)
            for cost in costs.values()
        ]
        most = max(cost.megabytes for cost in costs.values())
        steepest = max((cost.exponent for cost in costs.values() if cost.seconds > 1), default=0.0)
        noted = dict.fromkeys(
            note.partition(":")[0] for cost in costs.values() for note in cost.problems if "more than" in note or "left" in note
        )
        cells += [_bold(f"{most:.0f}", most > MAX_MEGABYTES), _bold(f"{steepest:.2f}", steepest > MAX_EXPONENT) if steepest > 0 else ""]
        lines.append(f"| {shape} | {' | '.join(cells)} | {'; '.join(noted)} |")
    return "\n".join(lines) + "\n"


def _bold(text: str, bold: object) -> str:
    return f"**{text}**" if bold else text


def main() -> int:
    """Measure; print each row, write the page where asked. Exit code 1: something is above the bounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES))
    parser.add_argument("--functions", nargs="*", default=list(FUNCTIONS))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    for function in FUNCTIONS.values():
        function(b"<p>loads all modules")
    rows: dict[str, dict[str, Cost]] = {}
    for shape in options.shapes:
        rows[shape] = {}
        for function in options.functions:
            cost = rows[shape][function] = measure(shape, function, options.size)
            numbers = f"{cost.seconds:7.2f} s {cost.megabytes:6.0f} MB {cost.exponent:5.2f}"
            said = (cost.error or "; ".join(cost.problems))[:90]
            print(f"{'!' if cost.high else ' '} {shape:28} {function:18} {numbers} {said}", flush=True)
        if options.write:
            PAGE.write_text(page(rows, options.size), encoding="utf-8")
    return int(any(cost.high for costs in rows.values() for cost in costs.values()))


if __name__ == "__main__":
    sys.exit(main())
