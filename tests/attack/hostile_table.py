"""What hostile pages cost, by shape and public function: the table in ``docs/reference/hostile-pages.md``.

``python -m tests.attack.hostile_table --write`` measures all shapes and writes the page, row by row; ``--shapes`` chooses some. For each
shape and size one process parses and extracts the page once and calls every function, with limits on time and memory. A function that
reaches them is noted, and another process goes on behind it. Time is processor time, memory the peak of the processes.

Growth is measured over three doublings. Where the time of a function grows faster than the bound in two doublings that follow each other,
the shape is measured a second time, the lesser times count, and what is still above the bound is counted in instructions, with Valgrind.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from itertools import pairwise
from math import log2
from pathlib import Path

from tests.attack.functions import DOCUMENT, FUNCTIONS, NAMES, each
from tests.attack.shapes import SHAPES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "hostile-pages.md"
SIZES = (1_250_000, 2_500_000, 5_000_000, 10_000_000)
"""Bytes."""
MAX_SECONDS, MAX_MEGABYTES, MAX_EXPONENT = 5.0, 800, 1.15
LIMIT_SECONDS, LIMIT_BYTES = 60, 6 << 30


@dataclass(slots=True)
class Costs:
    """What the functions cost on one page."""

    seconds: dict[str, float] = field(default_factory=dict)
    """From bytes to the result: parsing, and for what is asked of a document its extraction, count too."""
    megabytes: float = 0.0
    """The most memory beyond what the measuring process holds."""
    notes: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Row:
    """What one shape costs."""

    costs: list[Costs]
    """By size."""
    counted: dict[str, float] = field(default_factory=dict)
    """Growth in instructions of the functions whose time grows too fast."""

    def growth(self, name: str) -> float:
        """The exponent with which the time of a function grows over two doublings that follow each other, the greatest of them.

        A single doubling says little: a pass may be made above a bound only, or a shorter time may be measured by chance.
        """
        seconds = [max(each.seconds.get(name, 0.0), 0.001) for each in self.costs]
        return max(map(min, pairwise(log2(b / a) for a, b in pairwise(seconds))))

    def growing(self) -> dict[str, float]:
        """The functions that take more than a second on the largest page, by the growth of their time, the fastest first."""
        found = {name: self.growth(name) for name, seconds in self.costs[-1].seconds.items() if seconds > 1}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @property
    def exponent(self) -> float:
        """The steepest growth of any function, in instructions where they were counted."""
        return max((self.counted.get(name, growth) for name, growth in self.growing().items()), default=0.0)

    @property
    def is_high(self) -> bool:
        """Something is above a bound."""
        large = self.costs[-1]
        slow = max(large.seconds.values(), default=0.0) > MAX_SECONDS
        return bool(large.errors) or slow or large.megabytes > MAX_MEGABYTES or self.exponent > MAX_EXPONENT


def measured(shape: str) -> Row:
    """Measure a shape in all sizes; what grows too fast a second time, and then in instructions."""
    row = Row([measure(shape, size) for size in SIZES])
    if next(iter(row.growing().values()), 0.0) > MAX_EXPONENT:
        for first, size in zip(row.costs, SIZES, strict=True):
            again = measure(shape, size).seconds
            first.seconds = {name: min(seconds, again.get(name, seconds)) for name, seconds in first.seconds.items()}
        if shutil.which("valgrind"):
            row.counted = {name: instructions(shape, name) for name, growth in row.growing().items() if growth > MAX_EXPONENT}
    return row


def instructions(shape: str, name: str) -> float:
    """The exponent with which the instructions of a function grow over the last two doublings; what each process begins with drops out."""
    small, middle, large = (_instructions(shape, name, size) for size in SIZES[1:])
    return log2((large - middle) / (middle - small))


def _instructions(shape: str, name: str, size: int) -> int:
    counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command = [sys.executable, "-m", "tests.attack.hostile_table", "--shapes", shape, "--once", name, str(size)]
    done = subprocess.run([*counting, *command], capture_output=True, text=True, check=True)
    return int(re.search(r"I +refs: +([\d,]+)", done.stderr)[1].replace(",", ""))  # type: ignore[index]


def measure(shape: str, size: int, limit: int = LIMIT_SECONDS) -> Costs:
    """Call every function on a shape. ``limit``: seconds of processor time that one may take."""
    costs = Costs()
    own: dict[str, float] = {}
    held = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()  # a forked child begins with it
    while len(own) + len(costs.errors) < len(NAMES):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _serve(shape, size, limit, own.keys() | costs.errors.keys(), writing)
        os.close(writing)
        with os.fdopen(reading) as answers:
            for name, seconds, notes in map(json.loads, answers):
                if name == "error":
                    costs.errors[next(each for each in NAMES if each not in own | costs.errors)] = seconds
                    break
                own[name] = seconds
                costs.notes += notes
        _, status, used = os.wait4(child, 0)
        costs.megabytes = max(costs.megabytes, (used.ru_maxrss * 1024 - held) / 1e6)
        if status & 127:
            failed = next(each for each in NAMES if each not in own | costs.errors)
            late = status & 127 in (signal.SIGXCPU, signal.SIGKILL)
            costs.errors[failed] = f"over {limit} s" if late else f"signal {status & 127}"
        if not own.keys() >= {"parse", "extract"}:
            break
    for name, seconds in own.items():
        before = ("parse",) * (name not in ("parse", "duplicates")) + ("extract",) * (name in DOCUMENT)
        costs.seconds[name] = seconds + sum(own[each] for each in before)
    return costs


def _serve(shape: str, size: int, limit: int, done: set[str], writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    page = SHAPES[shape](size)

    def allow() -> None:
        used = math.ceil(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
        resource.setrlimit(resource.RLIMIT_CPU, (used + limit, resource.RLIM_INFINITY))

    answer: list[object]
    try:
        allow()
        for name, seconds, notes in each(page, done):
            if name not in done:
                os.write(writing, (json.dumps([name, seconds, notes]) + "\n").encode())
            allow()
    except BaseException as error:
        answer = ["error", f"{type(error).__name__}: {error}"[:200], []]
        os.write(writing, (json.dumps(answer) + "\n").encode())
    os._exit(0)


def page(rows: dict[str, Row]) -> str:
    """The page of the docs: seconds by shape and function, the most memory, the growth, and what was cut."""
    sizes = ", ".join(f"{size / 1e6:g}" for size in SIZES)
    lines = [
        "# Hostile pages\n",
        _filled(
            f"What pages of {SIZES[-1] / 1e6:g} MB cost that are large in one way each: seconds of processor time by function, from bytes "
            f"to the result, and the most memory while all are called one after the other on the same tree. Bounds: {MAX_SECONDS:g} s and "
            f"{MAX_MEGABYTES} MB; what is above them is in bold. Measured by `make hostile-pages`, which writes this page."
        ),
        _filled(
            f"*n*: the time grows with the size to the power of n (functions above a second; asked: {MAX_EXPONENT:g} at the "
            f"most). Pages of {sizes} MB are compared, and the steepest growth over two doublings in a row counts. Where n is "
            "above the bound, the shape is measured a second time, and the lesser times count. Two figures: the growth of the "
            "time, and in brackets that of the instructions of the same functions, counted with Valgrind; then it is the second "
            "that has to be within the bound. Hash tables of a text of 10 MB are larger than the caches of the processor, and "
            "each access takes longer: the time grows faster, the work does not."
        ),
        _filled("A note, as in `Document.problems`, says where a page was cut."),
        f"| page | {' | '.join(NAMES)} | MB | n | cut |",
        f"|---|{'---:|' * len(NAMES)}---:|---:|---|",
    ]
    for shape, row in rows.items():
        large = row.costs[-1]
        cells = [
            _bold(
                large.errors.get(name, f"{large.seconds.get(name, 0.0):.1f}"),
                name in large.errors or large.seconds.get(name, 0.0) > MAX_SECONDS,
            )
            for name in NAMES
        ]
        noted = dict.fromkeys(note.partition(":")[0] for note in large.notes if "more than" in note or "left" in note)
        cells += [_bold(f"{large.megabytes:.0f}", large.megabytes > MAX_MEGABYTES)]
        growth = max(row.growing().values(), default=0.0)
        counted = f" ({max(row.counted.values()):.2f})" if row.counted else ""
        cells += [_bold(f"{growth:.2f}{counted}", row.exponent > MAX_EXPONENT) if growth > 0 else ""]
        lines.append(f"| {shape} | {' | '.join(cells)} | {'; '.join(noted)} |")
    return "\n".join(lines) + "\n"


def _filled(text: str) -> str:
    return textwrap.fill(text, 120, break_on_hyphens=False) + "\n"


def _bold(text: str, bold: object) -> str:
    return f"**{text}**" if bold else text


def main() -> int:
    """Measure; print each row, write the page where asked. Exit code 1: something is above the bounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)  # function and size: call it once, to count instructions
    options = parser.parse_args()
    if options.once:
        name, size = options.once
        FUNCTIONS[name](SHAPES[options.shapes[0]](int(size)))
        return 0
    for _ in each(b"<p>loads all modules"):
        pass
    rows: dict[str, Row] = {}
    for shape in options.shapes:
        row = rows[shape] = measured(shape)
        large = row.costs[-1]
        worst = ", ".join(f"{name} {s:.1f}" for name, s in sorted(large.seconds.items(), key=lambda item: -item[1])[:3])
        growing = ", ".join(
            f"{name} {growth:.2f}" + (f" ({row.counted[name]:.2f})" if name in row.counted else "")
            for name, growth in row.growing().items()
            if growth > 1
        )
        said = "; ".join(f"{name}: {error}" for name, error in large.errors.items())
        print(f"{'!' if row.is_high else ' '} {shape:28} {worst:50} {large.megabytes:6.0f} MB {growing} {said}", flush=True)
        if options.write:
            PAGE.write_text(page(rows), encoding="utf-8")
    return int(any(row.is_high for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
