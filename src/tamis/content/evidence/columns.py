"""The names of the columns of evidence, by group; those of tags and class names are in :mod:`tamis.content.evidence.markup`."""

from __future__ import annotations

TEXT = (
    "weight",
    "words",
    "links",
    "commas",
    "stops",
    "stop share",
    "sign share",
    "digit share",
    "ends in stop",
    "copies",
    "first copy",
    "copy",
)
"""Evidence of the block's own text; the last three of how often the same text stands on the page, whether this is the first, and how far
that one is."""
LEVELS = 6
"""Containers around a block that are looked at: its own element, and each time the next ancestor that holds more blocks."""
_MEASURES = ("share", "weight", "links", "blocks", "mean", "stops", "prose")
CONTAINERS = tuple(f"container {level} {measure}" for level in range(LEVELS) for measure in _MEASURES)
"""Evidence of the containers: share of the page's text, weight, link density, number of blocks, text per block, punctuation,
share of the page's paragraphs."""
_DESCENTS = ("topic", "loose topic", "prose topic")
ATTENUATION = (*(f"{name} {what}" for name in _DESCENTS for what in ("inside", "after", "share")), "way left", "way share")
"""Evidence of three descents (T = 0.34; T = 0.6; T = 0.3 on paragraphs only) and of where the block leaves the way of the last."""
REPETITION = (
    *(f"{kind} {what}" for kind in ("path", "named") for what in ("blocks", "share", "links", "mean", "stops", "prose", "span")),
    "siblings",
    "siblings above",
    "siblings two above",
)
"""Evidence of the blocks at the same path of tags, at the same path of tags and class names, and of siblings."""
HIDDEN = ("hidden",)
"""Whether the page hides the block, or shows it in a dialog only (:func:`tamis.content.evidence.compiled.hidden_nodes`)."""
