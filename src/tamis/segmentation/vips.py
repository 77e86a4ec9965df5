"""segment: one page in, its blocks out."""

from __future__ import annotations

from typing import Protocol

from tamis.appearance import Appearance
from tamis.parsing import Page, parse
from tamis.segmentation.result import Segmentation, VisualBlock
from tamis.segmentation.settings import SegmentSettings
from tamis.tree import PageTree


class Rendered(Protocol):
    """A page as a browser rendered it (:class:`tamis.browser.RenderedPage`)."""

    @property
    def tree(self) -> PageTree:
        """The page."""

    @property
    def appearance(self) -> Appearance:
        """How it looks."""


def segment(page: Page | Rendered, appearance: Appearance | None = None, settings: SegmentSettings = SegmentSettings()) -> Segmentation:
    """Cut a page into the blocks that a reader sees.

    Args:
        page: HTML as text, bytes as served, a file (``Path``), a tree, or a page that a browser rendered.
        appearance: how the nodes of the tree look; None: that of the rendered page, else estimated from the markup.
        settings: the permitted degree of coherence, and thresholds.
    """
    tree = page if isinstance(page, PageTree) else parse(page)  # type: ignore[arg-type]
    whole = VisualBlock((0,), 1, (0.0, 0.0, 0.0, 0.0), -1, (), 0)
    return Segmentation(tree, settings, appearance is None, (whole,) if len(tree) else ())
