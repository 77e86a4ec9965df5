"""Appearance: how a page looks, measured by a browser (:mod:`tamis.io.browser`) or estimated (:mod:`tamis.segmentation`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Appearance:
    """Boxes, fonts and colours of the ``n`` nodes of a PageTree, in its order. Lengths are CSS pixels, from the page's top left."""

    box: NDArray[np.float32]  #: Left, top, width and height of each node, float32 ``(n, 4)``; zeros where the node has no box.
    visible: NDArray[np.bool_]  #: The node is visible: it has a box and is not hidden, bool ``(n,)``.
    inline: NDArray[np.bool_]
    """The node is in a line of text (computed ``display`` inline, inline-block and the like; text nodes), bool ``(n,)``."""
    font_size: NDArray[np.float32]  #: Computed font size in pixels, float32 ``(n,)``; a text node has its parent's.
    font_weight: NDArray[np.int16]  #: Computed font weight, 100 to 900, int16 ``(n,)``.
    color: NDArray[np.uint32]  #: Computed text colour as ``0xRRGGBBAA``, uint32 ``(n,)``.
    background: NDArray[np.uint32]
    """The node's own background colour as ``0xRRGGBBAA``, uint32 ``(n,)``; alpha 0 where nothing is painted."""
    width: float  #: Width of the page.
    height: float  #: Height of the page.
    estimated: bool = False  #: A guess from the markup alone, made without a browser.

    def __len__(self) -> int:
        return len(self.visible)
