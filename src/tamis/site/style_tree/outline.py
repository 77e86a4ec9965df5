"""A style tree, printed: element nodes with their importances, and between them the styles with the pages that have each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tamis.site.style_tree.cleaning import MEANINGFUL, MIXED, NAMES, NOISY, SimplifiedTree
from tamis.site.style_tree.importance import Importance
from tamis.site.style_tree.rows import LEAF, ElementPlaces
from tamis.site.style_tree.table import StyleTree

STYLES = 3  #: Styles of an element that are shown.
_VERDICTS = {NOISY: "noisy", MEANINGFUL: "meaningful", MIXED: ""}


@dataclass(frozen=True, slots=True)
class Line:
    """A line: an element node, or a style node."""

    words: str  #: The element's tag, or the tags of the style; indented by depth.
    row: int | None  #: The element's row in the style tree; None for a style.
    pages: int  #: Pages that have the element or style.
    styles: int = 0  #: Styles below the element.
    verdict: str = ""  #: ``noisy``, ``meaningful``, or empty where its parts differ.


def outline(tree: StyleTree, simplified: SimplifiedTree, scores: Importance, page: ElementPlaces) -> Iterator[Line]:
    """Go through a style tree from the top, down to the maximal noisy and meaningful elements; the styles of ``page`` come first."""
    elements, styles = tree.elements, tree.styles
    if not len(tree):
        return
    order = np.lexsort((elements.position, elements.beside, elements.above))
    members: dict[tuple[int, int], list[int]] = {}
    for row in order.tolist():
        if row:
            members.setdefault((int(elements.above[row]), int(elements.beside[row])), []).append(row)
    start = np.searchsorted(styles.place, elements.place)
    stop = np.append(start[1:], len(styles.place))
    verdict = dict(zip(simplified.place.tolist(), simplified.verdict.tolist(), strict=True))
    on_page = set(zip(page.place.tolist(), page.style.tolist(), strict=True))
    bodies = [row for rows in members.values() for row in rows if elements.depth[row] == 1]
    bodies.sort(key=lambda row: (elements.place[row] != page.place[:1]).all())
    waiting = [Line(NAMES[elements.tag[row]], row, 0) for row in reversed(bodies)]
    while waiting:
        line = waiting.pop()
        if line.row is None:
            yield line
            continue
        row, place = line.row, int(elements.place[line.row])
        own = range(int(start[row]), int(stop[row]))
        decided = verdict.get(place, MIXED)
        yield Line(line.words, row, int(styles.pages[start[row] : stop[row]].sum()), len(own), _VERDICTS[decided])
        if decided != MIXED:
            continue
        indent = " " * (len(line.words) - len(line.words.lstrip()) + 1)
        below: list[Line] = []
        by_pages = sorted(own, key=lambda k: ((place, int(styles.style[k])) not in on_page, -int(styles.pages[k]), k))
        for k in by_pages[:STYLES]:
            rows = members.get((place, int(styles.style[k])), [])
            if styles.style[k] != LEAF and rows:
                below.append(Line(f"{indent}= {' '.join(NAMES[elements.tag[each]] for each in rows)}", None, int(styles.pages[k])))
                below += [Line(f"{indent} {NAMES[elements.tag[each]]}", each, 0) for each in rows]
        if len(by_pages) > STYLES:
            rest = by_pages[STYLES:]
            below.append(Line(f"{indent}= {len(rest):,} other styles", None, int(styles.pages[rest].sum())))
        waiting += below[::-1]
