"""Stub to be written."""

from __future__ import annotations

from tamis.render import Rendering
from tamis.tree import BoolColumn, PageTree


def to_markdown(tree: PageTree, keep: BoolColumn, rendering: Rendering = Rendering(), *, base: str | None = None) -> str:
    """The kept part of a page."""
    raise NotImplementedError
