"""Segmentation: a page cut into the blocks that a reader sees (VIPS; Cai, Yu, Wen, Ma 2003)."""

from __future__ import annotations

from tamis.segmentation.result import Segmentation, Separator, VisualBlock
from tamis.segmentation.settings import SegmentSettings
from tamis.segmentation.vips import segment

__all__ = ["SegmentSettings", "Segmentation", "Separator", "VisualBlock", "segment"]
