"""What hostile pages cost, by shape and public function: the table in ``docs/reference/hostile-pages.md``.

``python -m tests.attack.hostile_table --write`` measures all shapes and writes the page, row by row; ``--shapes`` chooses some. For each
shape and size one process parses and extracts the page once and calls every function, with limits on time and memory. A function that
reaches them is noted, and another process goes on behind it. Time is processor time, memory the peak of the processes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.attack.functions import DOCUMENT, NAMES, each
from tests.attack.shapes import SHAPES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "hostile-pages.md"
SIZES = (1_000_000, 10_000_000)
"""Bytes; the exponent of growth is measured between the two."""
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
        costs.megabytes = max(costs.megabytes, used.ru_maxrss / 1024 - held / 1e6)
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


def exponent(small: Costs, large: Costs) -> float:
    """The steepest growth of any function's time with the size, of those that take more than a second."""
    between = math.log(SIZES[1] / SIZES[0])
    return max((math.log(s / max(small.seconds.get(name, s), 0.001)) / between for name, s in large.seconds.items() if s > 1), default=0.0)


def is_high(small: Costs, large: Costs) -> bool:
    """Something is above a bound."""
    slow = max(large.seconds.values(), default=0.0) > MAX_SECONDS
    return bool(large.errors) or slow or large.megabytes > MAX_MEGABYTES or exponent(small, large) > MAX_EXPONENT


def page(rows: dict[str, tuple[Costs, Costs]]) -> str:
    """The page of the docs: seconds by shape and function, the most memory, the growth, and what was cut."""
    lines = [
        "# Hostile pages\n",
        f"What pages of {SIZES[1] / 1e6:g} MB cost that are large in one way each: seconds of processor time by function, from bytes to "
        f"the result, and the most memory while all are called one after the other on the same tree. Bounds: {MAX_SECONDS:g} s and "
        f"{MAX_MEGABYTES} MB; what is above them is in bold. *n*: from {SIZES[0] / 1e6:g} MB on the time grows with the size to the "
        "power of n at most (times above a second).",
        "",
        "A note, as in `Document.problems`, says where a page was cut. Measured by `make hostile-pages`, which writes this page.",
        "",
        f"| page | {' | '.join(NAMES)} | MB | n | cut |",
        f"|---|{'---:|' * len(NAMES)}---:|---:|---|",
    ]
    for shape, (small, large) in rows.items():
        cells = [
            _bold(
                large.errors.get(name, f"{large.seconds.get(name, 0.0):.1f}"),
                name in large.errors or large.seconds.get(name, 0.0) > MAX_SECONDS,
            )
            for name in NAMES
        ]
        growth = exponent(small, large)
        noted = dict.fromkeys(note.partition(":")[0] for note in large.notes if "more than" in note or "left" in note)
        cells += [_bold(f"{large.megabytes:.0f}", large.megabytes > MAX_MEGABYTES)]
        cells += [_bold(f"{growth:.2f}", growth > MAX_EXPONENT) if growth > 0 else ""]
        lines.append(f"| {shape} | {' | '.join(cells)} | {'; '.join(noted)} |")
    return "\n".join(lines) + "\n"


def _bold(text: str, bold: object) -> str:
    return f"**{text}**" if bold else text


def main() -> int:
    """Measure; print each row, write the page where asked. Exit code 1: something is above the bounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    for _ in each(b"<p>loads all modules"):
        pass
    rows: dict[str, tuple[Costs, Costs]] = {}
    for shape in options.shapes:
        small, large = rows[shape] = measure(shape, SIZES[0]), measure(shape, SIZES[1])
        worst = ", ".join(f"{name} {s:.1f}" for name, s in sorted(large.seconds.items(), key=lambda item: -item[1])[:3])
        said = "; ".join(f"{name}: {error}" for name, error in large.errors.items())
        mark = "!" if is_high(small, large) else " "
        print(f"{mark} {shape:28} {worst:50} {large.megabytes:6.0f} MB {exponent(small, large):5.2f} {said}", flush=True)
        if options.write:
            PAGE.write_text(page(rows), encoding="utf-8")
    return int(any(is_high(*costs) for costs in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
