"""Settings of the segmentation, each named, with its source."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tamis.errors import UsageError

_SHARES = ("small_text", "small_child")


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """Settings of VIPS. The paper names the thresholds and gives no values; these were chosen on half of the hand-marked pages.

    Raises:
        UsageError: a value is out of its range.
    """

    pdoc: int = 5
    """Permitted degree of coherence, 1 to 10: a block that is as coherent as this is not cut further."""
    small_text: float = 0.1
    """Rule 9: an element with text of its own is kept if it covers less than this share of the page."""
    small_child: float = 0.05
    """Rule 10: an element is kept if its largest child covers less than this share of the page."""
    overflow: float = 1.02
    """Rule 7: an element is divided if its children's sizes add up to more than so many times its own (above 1: boxes are rounded)."""
    overlap: float = 3.0
    """Pixels by which two blocks may overlap and still have a separator between them."""
    narrow: float = 4.0
    """Pixels: each doubling of a separator's width over this adds 1 to its weight."""
    rule_weight: int = 3
    """Added to the weight of a separator that holds an ``<hr>``."""
    background_weight: int = 2
    """Added where the backgrounds on the two sides differ."""
    font_weight: int = 1
    """Added where the fonts on the two sides of a horizontal separator differ, and once more where the font above is the smaller one."""
    alike_weight: int = 1
    """Taken off the weight of a horizontal separator with text of the same font on both sides."""

    def __post_init__(self) -> None:
        if not 1 <= self.pdoc <= 10:
            raise UsageError(f"pdoc is a degree of coherence from 1 to 10, not {self.pdoc}")
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share of the page from 0 to 1, not {getattr(self, name)}")
        for name in {field.name for field in fields(self)} - {"pdoc", *_SHARES}:
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is not negative, but {getattr(self, name)} is")
        if not self.narrow:
            raise UsageError("narrow is a number of pixels above 0")
