"""An appearance guessed from the markup alone, for pages that no browser has rendered."""

from __future__ import annotations

from tamis.segmentation.estimate.layout import estimate_appearance

__all__ = ["estimate_appearance"]
