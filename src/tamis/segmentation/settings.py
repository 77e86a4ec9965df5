"""Settings of the segmentation, each named, with its source."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tamis.errors import UsageError, check_numbers

_SHARES = ("small_text", "small_child", "structure_decay")


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """Settings of VIPS. The paper names the thresholds and gives no values: these were chosen on half of the hand-marked pages.

    Raises:
        UsageError: a value is out of its range.
    """

    pdoc: int = 5  #: Permitted degree of coherence, 1 to 10: a block that is as coherent as this is not cut further.
    small_text: float = 0.1  #: Rule 9: an element with text of its own is kept if it covers less than this share of the page.
    small_child: float = 0.15  #: Rule 10: an element is kept if its largest child covers less than this share of the page.
    overflow: float = 1.02
    """Rule 7: an element is divided if its children's sizes add up to more than this many times its own (above 1: boxes are rounded)."""
    overlap: float = 2.0  #: Pixels by which two blocks may overlap and still have a separator between them.
    narrow: float = 12.0  #: Pixels: a separator weighs 1, and 1 more for each doubling of its width and this together.
    rule_weight: float = 2.0  #: Added to the weight of a separator that holds an ``<hr>``.
    background_weight: float = 1.0  #: Added where the backgrounds on the two sides differ.
    font_weight: float = 0.5
    """Added where the fonts on the two sides of a horizontal separator differ, and once more where the font above is the smaller one. Taken
    off below a heading, because it belongs to what follows."""
    heading: float = 3.0
    """A heading is text of one font, larger or bolder than what follows, and lower than this many times its font size (at most two lines).
    0: no headings (ours)."""
    alike_weight: float = 1.0
    """Taken off the weight of a horizontal separator with text of one font and one element on both sides; the tree does not count there."""
    articles: int = 3
    """An element with at least this many children of one tag and of several lines each is divided (rule 14, ours), and these children are
    parted from each other at the default degree; 0: they count like other elements."""
    vertical_weight: float = 2.0  #: Added to vertical separators that are tall, and taken off those that have no height (ours).
    tall: float = 100.0
    """Pixels: a vertical separator of this height or more parts columns; of a lower one, distance and the weight above count in proportion;
    0: height does not matter."""
    structure_weight: float = 10.0
    """Added where what lies on the two sides has only the page's outermost elements in common (ours); 0 is the paper's weight."""
    structure_decay: float = 0.5  #: That times this for each further element with several children that holds both sides.
    half_weight: float = 4.5
    """A block whose heaviest separator weighs this has half the full degree of coherence: the degree is 10 / (1 + weight / this)."""

    def __post_init__(self) -> None:
        if not 1 <= self.pdoc <= 10:
            raise UsageError(f"pdoc is a degree of coherence from 1 to 10, not {self.pdoc}")
        check_numbers(self, positive=("narrow", "half_weight"), natural=(field.name for field in fields(self)), shares=_SHARES)

    @classmethod
    def paper(cls, pdoc: int = 5) -> SegmentSettings:
        """Return the paper's weights alone, without what the page's tree and the height of separators add."""
        return cls(pdoc=pdoc, heading=0.0, articles=0, vertical_weight=0.0, tall=0.0, structure_weight=0.0)
