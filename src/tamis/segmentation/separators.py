"""Separators: strips of a region that no block crosses.

The paper starts with one separator that covers the region, and each block splits it, trims it or removes it. What is left, without the
strips at the border, are the gaps in the union of the blocks' shadows on one axis, which one sweep over the sorted blocks finds.
Source: Cai 2003, section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HORIZONTAL, VERTICAL = 1, 0
"""The axis along which a separator's width is measured: a horizontal one has its width in y."""


@dataclass(frozen=True, slots=True)
class Face:
    """What a block shows to the separators around it: its box, and how it looks at its first and its last text."""

    box: tuple[float, float, float, float]
    """Left, top, right, bottom."""
    node: int
    """Its first node."""
    holder: int
    """The element that it is a part of (:meth:`Ancestry.holder <tamis.segmentation.ancestry.Ancestry.holder>`)."""
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
