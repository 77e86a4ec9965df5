"""Separators: strips of a region that no block crosses, and how much they separate.

The paper starts with one separator that covers the region, and each block splits it, trims it or removes it. What is left, without the
strips at the border, are the gaps in the union of the blocks' shadows on one axis, which one sweep over the sorted blocks finds.
Source: Cai 2003, section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from tamis.segmentation.settings import SegmentSettings

HORIZONTAL, VERTICAL = 1, 0
"""The axis along which a separator's width is measured: a horizontal one has its width in y."""


@dataclass(frozen=True, slots=True)
class Face:
    """What a block shows to the separators around it: its box, and how it looks at its first and its last text."""

    box: tuple[float, float, float, float]
    """Left, top, right, bottom."""
    node: int
    """Its first node."""
    background: int
    """Colour behind it, ``0xRRGGBB``."""
    textual: bool
    """It is text and nothing else."""
    first_font: tuple[float, int]
    """Size and weight of its first text; size 0 without text."""
    last_font: tuple[float, int]


@dataclass(frozen=True, slots=True)
class Gap:
    """A separator between the blocks before it and those after it, in the order of the sweep."""

    position: int
    """How many blocks of the sweep stand before it."""
    start: float
    stop: float
    before: int
    """The block that reaches furthest towards it."""
    after: int
    """The first block behind it."""


def sweep(order: Sequence[int], faces: Sequence[Face], axis: int, overlap: float) -> list[Gap]:
    """The gaps between blocks along an axis.

    Args:
        order: blocks by where they start along the axis.
        faces: all blocks.
        axis: :data:`HORIZONTAL` or :data:`VERTICAL`.
        overlap: pixels by which blocks may overlap and still have a gap, of width 0, between them.
    """
    gaps: list[Gap] = []
    furthest = order[0]
    reach = faces[furthest].box[axis + 2]
    for position in range(1, len(order)):
        block = order[position]
        box = faces[block].box
        start, stop = box[axis], box[axis + 2]
        if start >= reach - overlap and stop > reach:
            gaps.append(Gap(position, min(reach, start), max(reach, start), furthest, block))
        if stop > reach:
            furthest, reach = block, stop
    return gaps


def weigh(gap: Gap, faces: Sequence[Face], axis: int, holds_rule: bool, level: int, settings: SegmentSettings) -> float:
    """How much a separator separates (Cai 2003, section 4.2.2).

    Args:
        gap: the separator.
        faces: all blocks.
        axis: its direction.
        holds_rule: whether an ``<hr>`` lies in it.
        level: how deep below the page the blocks on its sides part: the number of elements with several children above both.
        settings: the weights.
    """
    above, below = faces[gap.before], faces[gap.after]
    weight = by_distance(gap.stop - gap.start, settings) + by_structure(level, settings)
    if holds_rule:
        weight += settings.rule_weight
    if above.background != below.background:
        weight += settings.background_weight
    if axis == HORIZONTAL:
        weight += by_fonts(above, below, settings) - by_likeness(above, below, settings)
    else:
        weight += settings.vertical_weight
    return weight


def by_distance(width: float, settings: SegmentSettings) -> float:
    """The wider a separator, the more it separates."""
    return 1 + log2(1 + max(width, 0.0) / settings.narrow)


def by_structure(level: int, settings: SegmentSettings) -> float:
    """What parts near the page's root separates more than what parts deep in it (ours)."""
    return settings.structure_weight * settings.structure_decay**level


def by_fonts(above: Face, below: Face, settings: SegmentSettings) -> float:
    """Different fonts on the two sides separate, the more if the font above is the smaller one."""
    upper, lower = above.last_font, below.first_font
    if not upper[0] or not lower[0] or upper == lower:
        return 0
    return settings.font_weight * (2 if upper[0] < lower[0] else 1)


def by_likeness(above: Face, below: Face, settings: SegmentSettings) -> float:
    """Text of one font on both sides belongs together."""
    if above.last_font != below.first_font or not above.last_font[0]:
        return 0
    return settings.alike_weight if above.textual and below.textual else 0
