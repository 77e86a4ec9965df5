"""Text blocks: the lines of a page as arrays, each with the element that holds it.

A block is what a reader sees as one line or paragraph: the text nodes between two block boundaries. A preformatted element is one block
however many lines it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.native import columns as compiled
from tamis.page import tags
from tamis.page.caching import keep, kept
from tamis.page.grouping import ranges
from tamis.page.tree import BoolColumn, IntColumn, PageTree


@dataclass(frozen=True, slots=True, eq=False)
class TextBlocks:
    """The ``b`` text blocks of a page, in order."""

    element: IntColumn  #: The innermost block-level element that holds the block, int32 ``(b,)``.
    first: IntColumn  #: Position of its first text among the page's text nodes, int32 ``(b,)``.
    last: IntColumn  #: Position after its last text, int32 ``(b,)``.
    length: NDArray[np.int64]  #: Characters, int64 ``(b,)``.
    link_length: NDArray[np.int64]  #: Characters within links, int64 ``(b,)``.

    def __len__(self) -> int:
        return len(self.first)

    def texts(self, tree: PageTree) -> list[str]:
        """Return the text of each block, white space collapsed."""
        source = tree.texts
        return [
            " ".join((source[a] if b == a + 1 else "".join(source[a:b])).split())
            for a, b in zip(self.first.tolist(), self.last.tolist(), strict=True)
        ]

    def nodes(self, tree: PageTree, chosen: BoolColumn) -> BoolColumn:
        """Return the text nodes of the chosen blocks as a mask over all nodes, bool ``(n,)``. ``chosen``: bool ``(b,)``."""
        change = np.zeros(len(tree.text_nodes) + 1, dtype=np.int32)
        change[self.first[chosen]] += 1
        change[self.last[chosen]] -= 1
        mask = np.zeros(len(tree), dtype=np.bool_)
        mask[tree.text_nodes[np.cumsum(change[:-1]) > 0]] = True
        return mask

    def to_nodes(self, tree: PageTree, value: NDArray[np.uint8], *, unread: int, between: int) -> NDArray[np.uint8]:
        """Return the values of the blocks spread over all nodes, uint8 ``(n,)``.

        A text has the value of its block. An element has that of the text before it, if the text after it has the same.

        Args:
            tree: the page.
            value: of each block, uint8 ``(b,)``.
            unread: of a text that is in no block.
            between: of an element between texts of different values.
        """
        of_text, is_text = np.full(len(tree.text_nodes), unread, dtype=np.uint8), (tree.tag == tags.TEXT).astype(np.int32)
        owner, places = ranges(self.first, self.last)
        of_text[places] = value[owner]
        around = np.concatenate((of_text[:1], of_text, of_text[-1:])) if len(of_text) else np.full(2, between, dtype=np.uint8)
        at = is_text.cumsum() - is_text
        return np.where((is_text > 0) | (around[at] == around[at + 1]), around[at + 1], np.uint8(between))


_FLAGS = tags.flags(tags.BLOCKS, tags.PREFORMATTED, tags.BREAKS, tags.UNSEEN)
_BLOCK = np.dtype(
    [("length", "i8"), ("link_length", "i8"), ("hash", "u8"), *((name, "i4") for name in ("element", "first", "last", "holder"))]
)
"""``block`` of ``native/columns.c``."""
_KEPT = "blocks"  #: Under this name a page keeps its blocks.


def text_blocks(tree: PageTree) -> TextBlocks:
    """Return the text blocks of a page; text that no reader sees (:data:`tamis.page.tags.UNSEEN`) is in none of them."""
    found: TextBlocks | None = kept(tree, _KEPT)  # a page is digested before it is judged with its site
    return blocks_for_digest(tree, with_hashes=False)[0] if found is None else found


def blocks_for_digest(tree: PageTree, *, with_hashes: bool = True) -> tuple[TextBlocks, Any, bytes | None]:
    """Return :func:`text_blocks`, and what a digest needs besides (``native.columns.blocks``)."""
    columns = (tree.tag, tree.parent, tree.end, tree.link, tree.text_nodes, tree.texts)
    element, first, last, length, linked, *hashed = compiled.blocks(*columns, _FLAGS, with_hashes)
    element, first, last = (np.frombuffer(column, np.int32) for column in (element, first, last))
    blocks = TextBlocks(element, first, last, np.frombuffer(length, np.int64), np.frombuffer(linked, np.int64))
    return keep(tree, _KEPT, blocks), np.frombuffer(hashed[1], _BLOCK) if hashed else None, hashed[0] if hashed else None
