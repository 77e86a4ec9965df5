"""How much a separator separates, and how coherent that leaves a block.

Source: Cai 2003, section 4.2.2, whose five rules give no numbers. Two things are ours: what the page's tree says, and that a vertical
separator has to be high to part columns: the gap between two words of a menu is as wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from tamis.segmentation.separators import Face
from tamis.segmentation.settings import SegmentSettings


@dataclass(frozen=True, slots=True)
class Strip:
    """A separator where it stands."""

    before: Face
    """The block that touches it from above, or from the left."""
    after: Face
    """The block that touches it from below, or from the right."""
    width: float
    """Pixels between them."""
    vertical: bool = False
    length: float = 0.0
    """How far it reaches: the height or width of the region."""
    holds_rule: bool = False
    """An ``<hr>`` lies in it."""
    level: int = 0
    """How deep it cuts: the number of elements with several children above the lowest element that has blocks on both sides."""
    through: int = 0
    """How many of those levels lie below the lowest element of the whole region: 0 where the strip cuts between its children."""
    edge: bool = False
    """It lies below the page's header or above its footer."""


def weigh(strip: Strip, settings: SegmentSettings) -> int:
    """The weight of a separator, at least 1."""
    distance = by_distance(strip.width, settings)
    structure = by_structure(strip.level, settings) - settings.through_weight * strip.through
    if strip.vertical:
        shape = by_height(distance, strip.length, settings)
    elif are_alike(strip.before, strip.after):
        shape, structure = distance - settings.alike_weight, 0.0
    else:
        shape = distance + by_fonts(strip.before, strip.after, settings)
    rule = settings.rule_weight if strip.holds_rule else 0.0
    background = settings.background_weight if strip.before.background != strip.after.background else 0.0
    edge = settings.edge_weight if strip.edge else 0.0
    return max(1, round(shape + rule + background + structure + edge))


def by_distance(width: float, settings: SegmentSettings) -> float:
    """The wider a separator, the more it separates: 1 where blocks touch, and 1 more for each doubling.

    >>> by_distance(0, SegmentSettings()), by_distance(12, SegmentSettings()), by_distance(36, SegmentSettings())
    (1.0, 2.0, 3.0)
    """
    return 1 + log2(1 + max(width, 0.0) / settings.narrow)


def by_height(distance: float, height: float, settings: SegmentSettings) -> float:
    """What the width of a vertical separator is worth: all of it and more where it is high, little between the words of a line."""
    share = min(1.0, height / settings.tall) if settings.tall else 1.0
    return share * distance + (2 * share - 1) * settings.vertical_weight


def by_structure(level: int, settings: SegmentSettings) -> float:
    """What parts the page near its root separates more than what parts it deep within."""
    return settings.structure_weight * settings.structure_decay**level


def by_fonts(above: Face, below: Face, settings: SegmentSettings) -> float:
    """Different fonts on the two sides separate, the more if the font above is the smaller one."""
    upper, lower = above.last_font, below.first_font
    if not upper[0] or not lower[0] or upper == lower:
        return 0.0
    return settings.font_weight * (2 if upper[0] < lower[0] else 1)


def are_alike(above: Face, below: Face) -> bool:
    """Whether both are text of one font and parts of one element: running text, which belongs together wherever it stands."""
    return above.textual and below.textual and above.holder == below.holder and above.last_font == below.first_font


def coherence_of(heaviest: int, settings: SegmentSettings) -> int:
    """Degree of coherence, 1 to 9, of a block by its heaviest separator: the heavier, the less.

    >>> [coherence_of(weight, SegmentSettings()) for weight in (1, 3, 5, 8, 12, 40)]
    [8, 6, 4, 3, 2, 1]
    """
    return max(1, int(10 / (1 + heaviest / settings.half_weight)))
