"""The gold of a site, node by node: what each text of a page's tree is, main text, noise, or neither.

:mod:`benchmarks.gold` gives the texts of a page by label; here the labels stay where they belong, so that blocks can be judged by what
is in them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gold import LABELS, Label
from tamis.page import tags
from tamis.page.blocks import text_blocks
from tamis.page.css import select_css
from tamis.page.tree import PageTree

MAIN, NOISE, IGNORE = (LABELS.index(label) for label in LABELS)
UNREAD = len(LABELS)  #: Not text that a reader sees, or outside the body.
_UNREAD = tags.lookup(tags.codes("script style noscript template iframe svg head object canvas"))


@dataclass(frozen=True)
class NodeGold:
    """How a site's pages are labelled (``site.json``)."""

    selectors: tuple[tuple[int, tuple[str, ...]], ...]  #: Labels with their selectors; where several match one element the later wins.
    line_rules: tuple[tuple[re.Pattern[str], Label], ...]  #: Lines of the main text that match belong to another label.

    @classmethod
    def read(cls, site: Path) -> NodeGold:
        """The gold of a site's folder."""
        stated = json.loads((site / "site.json").read_text("utf-8"))["selectors"]
        order = ((MAIN, "main"), (IGNORE, "ignore"), (NOISE, "drop"))
        return cls(
            tuple((label, tuple(stated.get(name, ()))) for label, name in order),
            tuple((re.compile(pattern), label) for pattern, label in stated.get("line_rules", ())),
        )

    def labels(self, tree: PageTree) -> NDArray[np.uint8]:
        """The label of each node, uint8 ``(n,)``: that of its innermost labelled ancestor or itself, :data:`NOISE` where it has none."""
        own = np.full(len(tree), UNREAD, dtype=np.uint8)
        own[tree.tag == tags.CODE["body"]] = NOISE
        for code, selectors in self.selectors:
            own[select_css(tree, selectors)] = code
        holder = tree.nearest_ancestor(own != UNREAD)
        label = np.where(holder >= 0, own[holder], UNREAD).astype(np.uint8)
        label[tree.subtree_mask(np.flatnonzero(tree.of_tags(_UNREAD)))] = UNREAD
        self._apply_line_rules(tree, label)
        return label

    def _apply_line_rules(self, tree: PageTree, label: NDArray[np.uint8]) -> None:
        """Give lines of the main text that match a rule the rule's label."""
        if not self.line_rules:
            return
        blocks = text_blocks(tree)
        for text, first, last in zip(blocks.texts(tree), blocks.first.tolist(), blocks.last.tolist(), strict=True):
            nodes = tree.text_nodes[first:last]
            if label[nodes[0]] == MAIN:
                to = next((to for rule, to in self.line_rules if rule.search(text)), None)
                if to is not None:
                    label[nodes] = LABELS.index(to)
