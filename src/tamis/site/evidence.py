"""What a site model says of each text block of a page, as columns for the node model (:mod:`tamis.content.evidence`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.site.digest import digest
from tamis.site.model import SiteModel
from tamis.site.template import LINKS, STATIC
from tamis.tree import PageTree


def site_evidence(model: SiteModel, tree: PageTree) -> NDArray[np.float32] | None:
    """Evidence of a page's ``b`` blocks, float32 ``(b, 8)``, in the order of :data:`tamis.content.evidence.SITE`.

    Args:
        model: what was learned of the page's site.
        tree: the page.

    Returns:
        None where the model knows too few pages to say anything.
    """
    if model.template.pages < model.settings.least_pages:
        return None
    page = digest(tree)
    held = model.template.hold_against(page.digest)
    first = tree.text_nodes[page.blocks.first]
    inside = np.zeros(len(tree), dtype=np.bool_)
    for start, end in model._content(tree, page, held):
        inside[start:end] = True
    count = len(first)
    columns = (
        np.full(count, model._is_known(page.digest, held)),
        held.repeats,
        held.verdict == STATIC,
        held.verdict == LINKS,
        inside[first],
        model.select(tree).keep[first],
        np.full(count, held.stage - len(model.template.chain) + 1),
        np.full(count, model.template.pages),
    )
    return np.column_stack([np.asarray(column, dtype=np.float32) for column in columns])
