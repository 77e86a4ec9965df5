"""A page of a known site by two judges: the site's template, and the node model.

The template knows what repeats on the site, and where its content stands: what it drops stays dropped. The model knows what main text
looks like: what it holds for nearly impossible is dropped, too. On a page that the template does not know, the model decides alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tamis.content import node_model
from tamis.content.node_model import NodeModel
from tamis.document.selection import Selection
from tamis.page.tree import PageTree
from tamis.site.model import TEMPLATE, SiteModel

UNLIKELY = 0.1
"""Probability below which a block that the template keeps is dropped."""
METHOD = "site, model"
REASON = f"in the content place of the site, but main text with a probability below {UNLIKELY}"


def select(model: SiteModel, tree: PageTree, settings: NodeModel = NodeModel()) -> Selection:
    """Select the main text of a page of a site.

    Args:
        model: what was learned of the site.
        tree: the page.
        settings: of the node model, for pages that the template does not know.
    """
    found = model.learned_selection(tree)
    if found.method != TEMPLATE:
        return model.apply_rules(tree, replace(node_model.select(tree, settings), notes=found.notes))
    judged = node_model.judge(tree, settings)
    unlikely = judged.blocks.nodes(tree, judged.probability < UNLIKELY) & found.keep
    reason = np.where(unlikely, len(found.reasons), found.reason).astype(np.uint8)
    return model.apply_rules(
        tree, replace(found, method=METHOD, keep=found.keep & ~unlikely, reason=reason, reasons=(*found.reasons, REASON))
    )
