"""Evidence of the page as a whole: the same for all its blocks. It tells what kind of page this is."""

from __future__ import annotations

import re

import numpy as np

from tamis import tags
from tamis.content.evidence.view import PageView

_COUNTED = ("img", "form", "input", "button", "table", "time", "article", "h1", "h2")
_TYPES = {
    "article": re.compile(r'"(?:News|Tech|Blog|Scholarly)?(?:Article|Posting)"'),
    "product": re.compile(r'"Product(?:Group)?"'),
    "forum": re.compile(r'"DiscussionForumPosting"|"QAPage"'),
    "list": re.compile(r'"ItemList"|"CollectionPage"'),
}
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
    *(f"page <{tag}>" for tag in _COUNTED),
    *(f"page {part}" for part in _PARTS),
    *(f"page type {kind}" for kind in _TYPES),
)
"""Evidence of the page: its text, how many elements of a tag it has, which share of the text stands where, what its JSON-LD says it is."""


def page(view: PageView, columns: dict[str, np.ndarray]) -> dict[str, float]:
    """Evidence of :data:`PAGE`, one value each. ``columns``: evidence of the blocks from which shares are taken."""
    weight, blocks = int(view.weight.sum()), len(view.node)
    count = np.bincount(np.minimum(view.tree.tag, len(tags.KNOWN)), minlength=len(tags.KNOWN) + 1)
    described = " ".join(view.tree.json_ld)
    return {
        "page weight": weight,
        "page links": (weight - int(view.plain.sum())) / max(weight, 1),
        "page blocks": blocks,
        "page mean": view.total / max(blocks, 1),
        "page prose": view.total_prose / view.total,
        "page largest": int(view.plain.max(initial=0)) / view.total,
        "page digits": int(view.characters.digits.sum()) / max(int(view.blocks.length.sum()), 1),
        "page money": view.characters.money,
        **{f"page <{tag}>": int(count[tags.CODE[tag]]) for tag in _COUNTED},
        **{f"page {part}": int(view.plain[columns[part] > 0].sum()) / view.total for part in _PARTS},
        **{f"page type {kind}": float(bool(pattern.search(described))) for kind, pattern in _TYPES.items()},
    }
