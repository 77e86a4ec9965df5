"""Evidence: what every method says of each text block of a page, as columns of one table.

A value that is not there (no ancestor of that level, no site that was learned) is NaN, never an error. Nothing in these columns depends on
the language of a page but :data:`NAMES`, the class names. All sums are of whole numbers and no logarithm is taken, so a page gives
the same columns, bit by bit, on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import TextBlocks, text_blocks
from tamis.content.evidence.compiled import COMPILED, gather_compiled
from tamis.content.evidence.markup import MARKUP, NAMES, markup
from tamis.content.evidence.order import NEIGHBOURS, POSITION, TEXT, neighbours, position, text
from tamis.content.evidence.page import PAGE, page
from tamis.content.evidence.places import ATTENUATION, CONTAINERS, REPETITION, attenuation, containers, repetition
from tamis.content.evidence.view import PageView
from tamis.tree import PageTree

SITE = (
    "site layout",
    "site repeats",
    "site text",
    "site links",
    "site inside",
    "site keeps",
    "site steps",
    "site pages",
)
"""Evidence of the site, where one was learned: whether the page is of a known layout, the block's text repeats at its place, the place
is template text or template links, lies in the content place; whether the site model by itself keeps the block; how many steps of the
way to the content place the page lacks (0, -1, ...); how many pages were learned from."""

GROUPS: dict[str, tuple[str, ...]] = {
    "text": TEXT,
    "position": POSITION,
    "neighbours": NEIGHBOURS,
    "containers": CONTAINERS,
    "attenuation": ATTENUATION,
    "repetition": REPETITION,
    "markup": MARKUP,
    "names": NAMES,
    "page": PAGE,
    "site": SITE,
}
"""The columns by group."""
COLUMNS: tuple[str, ...] = tuple(name for names in GROUPS.values() for name in names)
"""All columns, in the order of :attr:`Evidence.values`."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence of a page of ``b`` text blocks."""

    blocks: TextBlocks
    words: NDArray[np.int64]
    """Words of each block, int64 ``(b,)``; each wide character is one."""
    values: NDArray[np.float32]
    """One row for each text block, one column for each of :data:`COLUMNS`, float32 ``(b, c)``; NaN is "not known"."""

    def column(self, name: str) -> NDArray[np.float32]:
        """One column, float32 ``(b,)``."""
        return np.asarray(self.values[:, COLUMNS.index(name)])


def gather(tree: PageTree, site: NDArray[np.float32] | None = None) -> Evidence:
    """Gather the evidence of a page.

    Args:
        tree: the page.
        site: what a model of its site says (:func:`tamis.site.evidence.site_evidence`), float32 ``(b, len(SITE))``; None: no site is known.
    """
    if COMPILED is None or not isinstance(tree.texts, list):
        return plain_gather(tree, site)
    blocks = text_blocks(tree)
    if not len(blocks):
        return Evidence(blocks, np.zeros(0, dtype=np.int64), np.zeros((0, len(COLUMNS)), dtype=np.float32))
    raw, words = gather_compiled(tree, blocks)
    return Evidence(blocks, words, _with_site(raw, site).T)


def plain_gather(tree: PageTree, site: NDArray[np.float32] | None = None) -> Evidence:
    """:func:`gather`, not compiled."""
    view = PageView.of(tree)
    if not len(view.node):
        return Evidence(view.blocks, view.characters.words, np.zeros((0, len(COLUMNS)), dtype=np.float32))
    around, named = markup(view)
    columns = {
        **text(view),
        **position(view),
        **neighbours(view),
        **containers(view),
        **attenuation(view),
        **repetition(view, named),
        **around,
    }
    of_page = page(view, around)
    values = np.empty((len(COLUMNS) - len(SITE), len(view.node)), dtype=np.float32)
    for row, name in enumerate(COLUMNS[: -len(SITE)]):
        values[row] = of_page[name] if name in of_page else columns[name]
    return Evidence(view.blocks, view.characters.words, _with_site(values, site).T)


def _with_site(values: NDArray[np.float32], site: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """All columns, one after the other, float32 ``(c, b)``."""
    return np.concatenate((values, np.full((len(SITE), values.shape[1]), np.nan, dtype=np.float32) if site is None else site.T))
