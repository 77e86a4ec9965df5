"""The names of the columns of evidence, by group; those of tags and class names are in :mod:`tamis.content.evidence.markup`."""

from __future__ import annotations

_NEAR = (-2, -1, 1, 2)
_WINDOWS = (3, 10, 30)
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
POSITION = ("text before", "block", "block share", "blocks after", "depth", "heading before", "heading after", "h1 before", "h1 after")
"""Where the block stands: share of the text before it, its number, distances in blocks to headings."""
NEIGHBOURS = (
    *(f"{what} at {step:+d}" for step in _NEAR for what in ("weight", "links")),
    *(f"{what} within {width}" for width in _WINDOWS for what in ("mean", "links", "stops")),
    "title before",
    "title after",
    "prose before",
    "prose after",
)
"""What the blocks around it are: of single ones, of windows, distances to the page's title and to paragraphs."""
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
COUNTED = ("img", "form", "input", "button", "table", "time", "article", "h1", "h2")
TYPES: dict[str, tuple[str, ...]] = {
    "article": ("Article", "Posting", "NewsArticle", "TechArticle", "BlogPosting", "ScholarlyArticle"),
    "product": ("Product", "ProductGroup"),
    "forum": ("DiscussionForumPosting", "QAPage"),
    "list": ("ItemList", "CollectionPage"),
}
"""What a page's JSON-LD may say it is."""
_PARTS = (
    "in main",
    "in article",
    "in section",
    "in pre",
    "in table",
    "in form",
    "holder p",
    "holder li",
    "holder cell",
    "holder h2",
    "holder h3",
)
PAGE = (
    *(f"page {what}" for what in ("weight", "links", "blocks", "mean", "prose", "largest", "digits", "money")),
    *(f"page <{tag}>" for tag in COUNTED),
    *(f"page {part}" for part in _PARTS),
    *(f"page type {kind}" for kind in TYPES),
)
"""Evidence of the page: its text, how many elements of a tag it has, which share of the text stands where, what its JSON-LD says it is."""
HIDDEN = ("hidden",)
"""Whether the page hides the block, or shows it in a dialog only (:func:`tamis.content.evidence.compiled.hidden_nodes`)."""
