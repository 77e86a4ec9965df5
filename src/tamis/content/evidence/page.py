"""Evidence of the page as a whole: the same for all its blocks. It tells what kind of page this is."""

from __future__ import annotations

import numpy as np

from tamis.content.evidence.view import PageView
from tamis.page import tags
from tamis.page.tree import PageTree

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


def page(view: PageView, columns: dict[str, np.ndarray]) -> dict[str, float]:
    """Evidence of :data:`PAGE`, one value each. ``columns``: evidence of the blocks from which shares are taken."""
    weight, blocks = int(view.weight.sum()), len(view.node)
    count = np.bincount(np.minimum(view.tree.tag, len(tags.KNOWN)), minlength=len(tags.KNOWN) + 1)
    return {
        "page weight": weight,
        "page links": (weight - int(view.plain.sum())) / max(weight, 1),
        "page blocks": blocks,
        "page mean": view.total / max(blocks, 1),
        "page prose": view.total_prose / view.total,
        "page largest": int(view.plain.max(initial=0)) / view.total,
        "page digits": int(view.characters.digits.sum()) / max(int(view.blocks.length.sum()), 1),
        "page money": view.characters.money,
        **{f"page <{tag}>": int(count[tags.CODE[tag]]) for tag in COUNTED},
        **{f"page {part}": int(view.plain[columns[part] > 0].sum()) / view.total for part in _PARTS},
        **dict(zip(PAGE[-len(TYPES) :], page_types(view.tree), strict=True)),
    }


def page_types(tree: PageTree) -> list[float]:
    """For each of :data:`TYPES` 1 where the page's JSON-LD names it, else 0."""
    described = " ".join(tree.json_ld)
    return [float(bool(described) and any(f'"{name}"' in described for name in names)) for names in TYPES.values()]
