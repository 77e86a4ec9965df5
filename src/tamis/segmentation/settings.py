"""Settings of the segmentation, each named, with its source."""

from __future__ import annotations

from dataclasses import dataclass

from tamis.errors import UsageError


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """Settings of VIPS.

    Raises:
        UsageError: a value is out of its range.
    """

    pdoc: int = 5
    """Permitted degree of coherence, 1 to 10: a block that is as coherent as this is not cut further."""

    def __post_init__(self) -> None:
        if not 1 <= self.pdoc <= 10:
            raise UsageError(f"pdoc is a degree of coherence from 1 to 10, not {self.pdoc}")
