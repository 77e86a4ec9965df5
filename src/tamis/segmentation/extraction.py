"""Visual block extraction: which items of a page, or of a block, are blocks.

Source: Cai 2003, section 4.1 (DivideDomtree). The rules decide item by item, in document order, without recursion.
"""

from __future__ import annotations

from dataclasses import dataclass

from tamis.segmentation.facts import Facts
from tamis.segmentation.rules import Action, Place, coherence, decide, on_other_background
from tamis.segmentation.settings import SegmentSettings


@dataclass(frozen=True, slots=True)
class Extracted:
    """An item that a rule kept."""

    item: int
    doc: int
    """Degree of coherence that the rule gives."""
    rule: int
    """Number of the rule."""


def extract_blocks(facts: Facts, root: int, settings: SegmentSettings) -> list[Extracted]:
    """The blocks below one item, in document order, in one round: ``root`` itself is divided if it can be (rule 3)."""
    pool: list[Extracted] = []
    undivided: set[int] = set()
    other_background: set[int] = set()
    todo: list[tuple[int, int]] = [(root, -1)]
    while todo:
        item, previous = todo.pop()
        if item in other_background:
            rule, action = 8, Action.KEEP
        else:
            rule, action = decide(facts, item, Place(item == root, previous in undivided), settings)
        if action is Action.DIVIDE:
            if rule == 8:
                other_background.update(on_other_background(facts, item))
            children = facts.children[item]
            todo.extend(reversed(list(zip(children, [-1, *children[:-1]], strict=True))))
            continue
        undivided.add(item)
        if action is Action.KEEP:
            pool.append(Extracted(item, coherence(facts, item, rule), rule))
    return pool
