"""Paragraph frequency: a block of text that stands on many pages of a site is noise. The plainest baseline there is.

A block is what a reader sees as one line or paragraph (:mod:`tamis.page.blocks`). Nothing else counts: neither its place in the layout nor
what is around it. So a sentence that many texts share is lost, and what changes from page to page (links to related pages, dates) stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tamis.document.selection import Cause, Reason, Selection
from tamis.page.blocks import TextBlocks, text_blocks
from tamis.page.tree import PageTree
from tamis.structure.hashing import Hashes, text_hashes

REASONS = (
    Reason("on few of the site's pages", Cause.CONTENT),
    Reason("on many of the site's pages", Cause.TEMPLATE),
    Reason("title or script: not page text", Cause.UNREAD),
)
_RARE, _FREQUENT, _UNREAD = range(3)


SHARE = 0.1  #: Share of the pages from which on a block is noise.
MIN_PAGES = 2  #: Pages that it is on at the least.


@dataclass(frozen=True, eq=False)
class ParagraphModel:
    """How many of the pages learned from have each block of text."""

    text: Hashes = field(repr=False)  #: Hash of each block's text, lower-cased, uint64 ``(b,)``, rising.
    on_pages: NDArray[np.int64] = field(repr=False)  #: Pages that have it, int64 ``(b,)``.
    pages: int  #: Pages learned from.

    def frequent(self, share: float = SHARE) -> Hashes:
        """The texts that are noise, uint64, rising."""
        return self.text[self.on_pages >= max(MIN_PAGES, share * self.pages)]


def learn(pages: Iterable[PageTree]) -> ParagraphModel:
    """Count on how many pages each block of text is."""
    found = [np.unique(_hashes(page, text_blocks(page))) for page in pages]
    text = np.concatenate([*found, np.zeros(0, dtype=np.uint64)])
    return ParagraphModel(*np.unique(text, return_counts=True), len(found))


def select(tree: PageTree, model: ParagraphModel, share: float = SHARE) -> Selection:
    """Keep the blocks that stand on few pages.

    >>> from tamis import parse
    >>> pages = [parse("<p>All rights reserved<p>One text."), parse("<p>All rights reserved<p>Another text.")]
    >>> selection = select(pages[0], learn(pages))
    >>> [text for text, node in zip(pages[0].texts, pages[0].text_nodes) if selection.keep[node]]
    ['One text.']
    """
    blocks = text_blocks(tree)
    frequent = np.isin(_hashes(tree, blocks), model.frequent(share))
    reason = np.full(len(tree), _UNREAD, dtype=np.uint8)
    reason[blocks.nodes(tree, ~frequent)] = _RARE
    reason[blocks.nodes(tree, frequent)] = _FREQUENT
    return Selection("paragraph-frequency", reason == _RARE, reason, REASONS)


def _hashes(tree: PageTree, blocks: TextBlocks) -> Hashes:
    return text_hashes([text.lower() for text in blocks.texts(tree)])
