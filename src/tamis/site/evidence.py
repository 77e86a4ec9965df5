"""What a site's template says of each text block of a page, as columns beside the evidence of the page itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.site.digest import PageDigest
from tamis.site.template import LINKS, STATIC, Held, Template


def site_evidence(template: Template, page: PageDigest, held: Held, decision: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What a template says of a page, float32 ``(b, c)`` (:data:`tamis.content.context.SITE`).

    Args:
        template: what was learned.
        page: the page's digest.
        held: what the template says of it.
        decision: the template's reason for each block (:data:`tamis.site.model.REASONS`), uint8 ``(b,)``.
    """
    places = template.places(page)
    known = template.find(places)
    here, steps = page.element.astype(np.intp), np.zeros(len(page.element), dtype=np.int64)
    while (unknown := (known[here] < 0) & (page.parent[here] >= 0)).any():
        here = np.where(unknown, page.parent[here], here)
        steps += unknown
    at = np.maximum(known[here], 0)
    length = page.length.astype(np.int64)
    total = max(int(length.sum()), 1)
    of_page = (
        template.pages,
        held.known / total,
        len(template.chain) - 1 - held.stage,
        int(length[held.repeats].sum()) / total,
        int(length[(held.verdict == STATIC) | (held.verdict == LINKS)].sum()) / total,
        int(length[decision == 0].sum()) / total,
    )
    columns = (
        decision,
        held.verdict,
        held.repeats,
        template.text_pages(places[page.element], page.text) / np.maximum(template.on_pages[at], 1),
        steps,
        *_of_places(template, at),
        *_of_places(template, np.maximum(template.parent[at], 0)),
        *(np.full(len(length), value) for value in of_page),
    )
    return np.stack(columns, axis=1).astype(np.float32) if len(length) else np.zeros((0, len(columns)), dtype=np.float32)


def _of_places(template: Template, at: NDArray[np.intp]) -> tuple[NDArray[np.float64], ...]:
    """The columns of places, float64 ``(b,)`` each."""
    pages = np.maximum(template.on_pages[at], 1)
    around = np.where(template.parent[at] >= 0, template.on_pages[np.maximum(template.parent[at], 0)], template.pages)
    return (
        pages / max(template.pages, 1),
        pages / np.maximum(around, 1),
        template.elements[at] / pages,
        np.round(template.length[at]) / pages,
        template.link_share[at],
        template.repeated_share[at],
        template.own[at],
    )
