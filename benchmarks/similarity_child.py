"""One comparison in its own process: ``python -m benchmarks.similarity_child METHOD``, two compressed trees on standard input.

The first 8 bytes are the length of the first tree. Prints JSON: the value, and the processor seconds of the comparison alone: of our
methods from the page trees on, of the others from the form that they take. Our methods and quick ones are run again, the best time counts.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks import plain_similarity as plain
from tamis.page.tree import PageTree
from tamis.structure.compression import decompress
from tamis.structure.shapes import Shapes, shapes
from tamis.structure.similarity import similarity

Comparison = Callable[[], float]
MAX_RUNS = 5


def main(method: str) -> None:
    """Compare and print."""
    data = sys.stdin.buffer.read()
    cut = 8 + int.from_bytes(data[:8], "little")
    comparison = COMPARISONS[method](decompress(data[8:cut]), decompress(data[cut:]))
    sys.setrecursionlimit(20_000)
    value, best, spent = 0.0, float("inf"), 0.0
    for _ in range(MAX_RUNS):
        start = time.process_time()
        value = comparison()
        seconds = time.process_time() - start
        best, spent = min(best, seconds), spent + seconds
        if spent > 0.5:
            break
    print(json.dumps({"value": value, "seconds": best}))


def _ours(method: Any) -> Callable[[PageTree, PageTree], Comparison]:
    return lambda a, b: lambda: similarity(a, b, method)


def _plain(compare: Callable[..., float], size: Callable[[plain.Node], int]) -> Callable[[PageTree, PageTree], Comparison]:
    def make(a: PageTree, b: PageTree) -> Comparison:
        first, second, _ = _linked(a, b)
        return lambda: compare(first, second, size)

    return make


def _linked(a: PageTree, b: PageTree) -> tuple[plain.Node, plain.Node, Shapes]:
    found = shapes([a, b])
    return plain.nodes_of(a, found), plain.nodes_of(b, found, 1), found


def _apted(a: PageTree, b: PageTree) -> Comparison:
    from apted import APTED

    first, second, _ = _linked(a, b)
    return lambda: 1 - APTED(first, second).compute_edit_distance() / (first.size + second.size)


def _zss(a: PageTree, b: PageTree) -> Comparison:
    from zss import simple_distance

    first, second, _ = _linked(a, b)

    def compare() -> float:
        distance = simple_distance(
            first, second, get_children=lambda node: node.children, get_label=lambda node: node.name, label_dist=lambda x, y: int(x != y)
        )
        return float(1 - distance / (first.size + second.size))

    return compare


def _html_similarity(a: PageTree, b: PageTree) -> Comparison:
    from html_similarity import structural_similarity

    first, second, _ = _linked(a, b)
    pages = (_markup(first), _markup(second))
    return lambda: float(structural_similarity(*pages))


def _markup(root: plain.Node) -> str:
    """The elements as HTML."""
    parts: list[str] = []
    waiting: list[plain.Node | str] = [root]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            parts.append(one)
            continue
        parts.append(f"<{one.name}>")
        waiting += [f"</{one.name}>", *reversed(one.children)]
    return "".join(parts)


COMPARISONS: dict[str, Callable[[PageTree, PageTree], Comparison]] = {
    "free": _ours("free"),
    "ordered": _ours("ordered"),
    "free, plain": _plain(plain.free, plain.kept),
    "free, paper": _plain(plain.free, plain.counted),
    "ordered, plain": _plain(plain.ordered, plain.kept),
    "ordered, paper": _plain(plain.ordered, plain.counted),
    "apted": _apted,
    "zss": _zss,
    "html-similarity": _html_similarity,
}
"""Methods by name: made with two trees, then called for the value."""


if __name__ == "__main__":
    main(sys.argv[1])
