"""Run every regular expression of tamis on inputs made to be hard for it; print those that do not come to an end in time.

A program of its own (``python -m tests.worst_cases``), because a pattern that is worse than linear can only be stopped from outside of it.
The hard inputs are derived from each pattern: its own literals and classes, alone and in pairs, again and again, with an end that fits
nothing. The hardest of them at a small size are run at 10,000 and 100,000 characters.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import re
import re._parser as parser
import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tamis.page.lexicon import WordPattern

SOURCE = Path(__file__).parent.parent / "src"
METHODS = ("match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split")
SECONDS = 2.0
"""Processor time for 100,000 characters, less for fewer; what is linear takes milliseconds."""
SIZES = (10_000, 100_000)
SMALL = 1_500
HARDEST = 3

_METADATA = "tamis.document.metadata"
BOUNDED = {
    "tamis.document.comments._ITEM": 81,
    f"{_METADATA}.authors._AFTER": 242,
    f"{_METADATA}.authors._DATE_AHEAD": 242,
    f"{_METADATA}.titles._SEPARATOR": 501,
}
"""Patterns that are worse than linear, and the most characters of one line, white space collapsed, that they are given
(:func:`tamis.document.metadata.clean_text.line`)."""


def patterns() -> Iterator[tuple[str, re.Pattern[Any], set[str]]]:
    """Every compiled pattern by module and name, and every pattern that is used in place, with the methods that are called on it."""
    for path in sorted((SOURCE / "tamis").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used: dict[str, set[str]] = defaultdict(set)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                holder = node.value.value if isinstance(node.value, ast.Subscript) else node.value
                if isinstance(holder, ast.Name):
                    used[holder.id].add(node.attr)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                of, *arguments = node.func.value, *node.args
                if isinstance(of, ast.Name) and of.id == "re" and isinstance(arguments[0], ast.Constant):
                    yield f"{path.stem}:{node.lineno}", re.compile(arguments[0].value, re.IGNORECASE), {node.func.attr}
        if not re.search(r"re\.compile|WordPattern\(", path.read_text(encoding="utf-8")):
            continue
        module = ".".join(path.with_suffix("").relative_to(SOURCE).parts)
        for name, value in vars(importlib.import_module(module)).items():
            found = list(value.values()) if isinstance(value, dict) else [value]
            for number, pattern in enumerate(each.regex if isinstance(each, WordPattern) else each for each in found):
                if isinstance(pattern, re.Pattern):
                    key = f"{module}.{name}" + (f"[{number}]" if isinstance(value, dict) else "")
                    yield key, pattern, used.get(name) or {"search"}


def literals(parsed: Any) -> Iterator[str]:
    """A character for each literal, class and category of a pattern."""
    for op, value in parsed:
        kind = str(op)
        if kind in ("LITERAL", "NOT_LITERAL"):
            yield chr(value)
        elif kind == "RANGE":
            yield chr(value[0])
        elif kind == "CATEGORY":
            yield {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}.get(str(value), "!")
        elif kind in ("IN", "ATOMIC_GROUP"):
            yield from literals(value)
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield from literals(value[2])
        elif kind == "SUBPATTERN":
            yield from literals(value[3])
        elif kind == "BRANCH":
            yield from itertools.chain.from_iterable(map(literals, value[1]))
        elif kind in ("ASSERT", "ASSERT_NOT"):
            yield from literals(value[1])


def hard_inputs(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Beginnings, and what is repeated after them."""
    written = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    symbols = list(dict.fromkeys([" ", "a", "1", *literals(parser.parse(pattern.pattern, pattern.flags))]))[:14]
    words = list(dict.fromkeys(re.findall(r"[A-Za-z]{2,}", written)))[:6]
    repeated = [
        *symbols,
        *map("".join, itertools.permutations(symbols[:8], 2)),
        *words,
        *(word + symbol for word in words for symbol in " =-"),
    ]
    return [(start, again) for start in ("", *words[:2]) for again in repeated]


def run(pattern: re.Pattern[Any], method: str, start: str, again: str, size: int) -> None:
    """Use a pattern on an input as its module does."""
    text: Any = start + again * (size // len(again)) + "\0"
    if pattern in ONE_LINE:
        text = " ".join(text.split())
    text = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
    if method in ("sub", "subn"):
        getattr(pattern, method)(text[:0], text)
    elif method == "finditer":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)


def too_slow(pattern: re.Pattern[Any], methods: set[str], most: int) -> str | None:
    """The input that a pattern does not come to an end with; None where it does with all."""
    ranked = []
    for method, (start, again) in itertools.product(sorted(methods), hard_inputs(pattern)):
        begun = time.process_time_ns()
        if not ends(pattern, method, start, again, min(SMALL, most)):
            return described(method, start, again, SMALL)
        ranked.append((time.process_time_ns() - begun, method, start, again))
    ranked.sort(reverse=True)
    for size, (_, method, start, again) in itertools.product(SIZES, ranked[:HARDEST]):
        if not ends(pattern, method, start, again, min(size, most)):
            return described(method, start, again, size)
    return None


def ends(pattern: re.Pattern[Any], method: str, start: str, again: str, size: int) -> bool:
    """Whether a pattern comes to an end with an input in time."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS * size / SIZES[-1] + 0.2)
    try:
        run(pattern, method, start, again, size)
    except TimeoutError:
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return True


def described(method: str, start: str, again: str, size: int) -> str:
    """An input in words."""
    return f"{method} on {start!r} and {again!r} again and again, {size:,} characters"


def _stop(number: int, frame: object) -> None:
    raise TimeoutError


PASSED_ON = {"tamis.document.comments._ITEM": {"fullmatch"}, "tamis.document.comments._POST": {"fullmatch"}}
"""Patterns that are handed to a function, and how it uses them."""
ONE_LINE: set[re.Pattern[Any]] = set()


def main() -> None:
    """Print a line for each pattern that is worse than linear, and how many were tried."""
    signal.signal(signal.SIGVTALRM, _stop)
    tried = set()
    for name, pattern, called in patterns():
        methods = PASSED_ON.get(name, called)
        if name in BOUNDED:
            ONE_LINE.add(pattern)
        if (pattern, tuple(methods)) not in tried:
            tried.add((pattern, tuple(methods)))
            if (said := too_slow(pattern, methods, BOUNDED.get(name, 1 << 60))) is not None:
                print(f"{name}: {said}", flush=True)
    print(f"{len(tried)} patterns")


if __name__ == "__main__":
    main()
