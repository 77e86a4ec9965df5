"""Evidence of order: where a block stands on the page, and what stands beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.view import PageView
from tamis.page import tags
from tamis.page.blocks import TextBlocks
from tamis.page.tree import PageTree

Columns = dict[str, NDArray[np.generic]]

FAR = 200
"""Blocks; what is farther away, or not there at all, counts as this far."""
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
_H1 = tags.CODE["h1"]
_HEADING = tags.lookup(tags.HEADINGS)


def text(view: PageView) -> Columns:
    """Evidence of :data:`TEXT`."""
    characters, length = view.characters, np.maximum(view.blocks.length, 1)
    copies, distance = _copies(view)
    return {
        "weight": view.weight,
        "words": characters.words,
        "links": view.blocks.link_length / length,
        "commas": characters.commas,
        "stops": characters.stops,
        "stop share": (characters.stops + characters.commas) / np.maximum(view.weight, 1),
        "sign share": characters.signs / length,
        "digit share": characters.digits / length,
        "ends in stop": characters.ends_in_stop,
        "copies": copies,
        "first copy": distance == 0,
        "copy": np.minimum(distance, FAR),
    }


def _copies(view: PageView) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many blocks have the same text as each, and how many blocks ago the first of them was."""
    numbers: dict[str, int] = {}
    texts, first, last = view.tree.texts, view.blocks.first.tolist(), view.blocks.last.tolist()
    pieces = (texts[a].strip() if b == a + 1 else "".join(texts[a:b]).strip() for a, b in zip(first, last, strict=True))
    number = np.fromiter((numbers.setdefault(piece, len(numbers)) for piece in pieces), np.intp, len(first))
    place = np.arange(len(number))
    origin = np.zeros(len(numbers), dtype=np.intp)
    origin[number[::-1]] = place[::-1]  # of several the first one stays
    return np.bincount(number, minlength=1)[number], place - origin[number]


def position(view: PageView) -> Columns:
    """Evidence of :data:`POSITION`."""
    count = len(view.node)
    place = np.arange(count)
    tag = view.tree.tag
    headings = view.tree.covered(np.flatnonzero(view.tree.of_tags(_HEADING)))[view.node]
    first_headings = tag[view.element] == _H1
    return {
        "text before": np.cumsum(view.plain) / view.total,
        "block": place,
        "block share": place / max(count, 1),
        "blocks after": count - 1 - place,
        "depth": view.tree.depth[view.element],
        "heading before": _since(headings),
        "heading after": _until(headings),
        "h1 before": _since(first_headings),
        "h1 after": _until(first_headings),
    }


def neighbours(view: PageView) -> Columns:
    """Evidence of :data:`NEIGHBOURS`; NaN beyond the first and the last block."""
    columns: Columns = {}
    count = len(view.node)
    links = view.blocks.link_length / np.maximum(view.blocks.length, 1)
    for step in _NEAR:
        columns[f"weight at {step:+d}"] = _shifted(view.weight, step)
        columns[f"links at {step:+d}"] = _shifted(links, step)
    marks = view.characters.stops + view.characters.commas
    sums = [np.append(0, np.cumsum(values)) for values in (view.weight, view.plain, marks)]
    place = np.arange(count)
    for width in _WINDOWS:
        low, high = np.maximum(place - width, 0), np.minimum(place + width + 1, count)
        weight, plain, stops = (prefix[high] - prefix[low] for prefix in sums)
        columns[f"mean within {width}"] = plain / np.maximum(high - low, 1)
        columns[f"links within {width}"] = (weight - plain) / np.maximum(weight, 1)
        columns[f"stops within {width}"] = stops / np.maximum(weight, 1)
    for name, wanted in (("title", find_titles(view.tree, view.blocks)), ("prose", view.prose)):
        columns[f"{name} before"] = _since(wanted)
        columns[f"{name} after"] = _until(wanted)
    return columns


def find_titles(tree: PageTree, blocks: TextBlocks) -> NDArray[np.bool_]:
    """Blocks whose text makes up much of the page's title, bool ``(b,)``."""
    of_tag = np.flatnonzero(tree.tag == tags.CODE["title"])
    found = np.zeros(len(blocks), dtype=np.bool_)
    if not len(of_tag):
        return found
    source = tree.texts
    start, end = np.searchsorted(tree.text_nodes, (of_tag[0], tree.end[of_tag[0]])).tolist()
    title = " ".join("".join(source[start:end]).split())
    likely = np.flatnonzero((blocks.length > 0.4 * len(title)) & (blocks.length <= len(title)) & (blocks.length > 3))
    for block, first, last in zip(likely.tolist(), blocks.first[likely].tolist(), blocks.last[likely].tolist(), strict=True):
        # Most are no part of it, which their first letters tell.
        if source[first].lstrip()[:2].rstrip() in title:
            found[block] = " ".join("".join(source[first:last]).split()) in title
    return found


def _shifted(values: NDArray[np.generic], step: int) -> NDArray[np.float64]:
    """The value ``step`` blocks on."""
    result = np.full(len(values), np.nan)
    if step > 0:
        result[:-step] = values[step:]
    else:
        result[-step:] = values[:step]
    return result


def _since(wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many blocks ago the last wanted one was; 0 for itself."""
    place = np.arange(len(wanted))
    last = np.maximum.accumulate(np.where(wanted, place, -FAR)) if len(wanted) else place
    return np.minimum(place - last, FAR)


def _until(wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
    """In how many blocks the next wanted one comes; 0 for itself."""
    return _since(wanted[::-1])[::-1]
