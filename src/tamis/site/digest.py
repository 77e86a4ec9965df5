"""Page digest: what learning needs of one page, small enough to keep, to send and to merge.

A digest holds the elements that have text below them (their tags, classes and ids, not their other attributes) and the page's text
blocks as hashes and lengths. It does not hold the text.
"""

from __future__ import annotations

import struct
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content import attenuation
from tamis.content.node_model import NodeModel, has_too_many_lines, predict
from tamis.document.selection import Selection
from tamis.page.blocks import TextBlocks, blocks_for_digest
from tamis.page.caching import of_page
from tamis.page.element_names import element_names
from tamis.page.tree import IntColumn, PageTree
from tamis.structure.hashing import Hashes
from tamis.structure.layouts import tag_paths

LOG_ODDS_UNIT = 256  #: Steps of log-odds that a digest tells apart, by one.
BY_ATTENUATION = 0.5  #: Log-odds of text that attenuation keeps, where the node model does not judge; below 0 by as much of other text.
CHARACTERS = 6  #: Of a word, about, where words are not counted.
MOST_LOG_ODDS = 8 * LOG_ODDS_UNIT  #: The highest log-odds that it holds, in these steps.


@dataclass(frozen=True, eq=False)
class PageDigest:
    """One page as learning sees it: ``e`` elements in preorder, ``b`` text blocks."""

    names: tuple[str, ...]
    """Distinct element names of the page: ``tag``, then class names as ``.name`` and the id as ``#id``, tab-separated."""
    name: IntColumn  #: Name of each element, index into ``names``, int32 ``(e,)``.
    parent: IntColumn  #: Parent of each element, int32 ``(e,)``; -1 at the root.
    end: IntColumn  #: First element after each subtree, int32 ``(e,)``.
    element: IntColumn  #: Element that holds each block, int32 ``(b,)``.
    text: Hashes
    """Hash of each block's text, uint64 ``(b,)``: of its words outside links where it has any ("Tags: a, b" is "Tags"). In a text of 16
    letters or more (7 of Chinese) every number counts as 0 ("Viewing posts 1 to 15"), but not in a value ("12 kg")."""
    length: NDArray[np.int32]  #: Characters of each block, int32 ``(b,)``.
    link_length: NDArray[np.int32]  #: Characters of each block within links, int32 ``(b,)``.
    paths: Hashes = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    """Tag paths of a page with few class names (:func:`tamis.structure.layouts.tag_paths`), uint64."""
    words: IntColumn = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """Words of each block, int32 ``(b,)``; empty until the page is judged (:func:`judged`)."""
    log_odds: NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, dtype=np.int16))
    """Log-odds of each block to be main text, by the page alone, in 256ths and at most 8 either way, int16 ``(b,)``; empty as before."""

    @cached_property
    def key(self) -> int:
        """Hash of the page's content: its identity, whatever its URL or place in the input."""
        columns = b"".join(column.tobytes() for column in (self.name, self.parent, self.element, self.text))
        whole = blake2b("\n".join(self.names).encode("utf-8", "surrogatepass"), digest_size=8)
        whole.update(columns)
        return int.from_bytes(whole.digest(), "little")


_COLUMNS = {
    "text": "<u8",
    "paths": "<u8",
    **dict.fromkeys(("name", "parent", "end", "element", "length", "link_length", "words"), "<i4"),
    "log_odds": "<i2",
}
_HEAD = struct.Struct("<10I")  # of the columns the lengths; then hashes begin at a multiple of their size


def judged_digest(tree: PageTree, settings: NodeModel = NodeModel()) -> PageDigest:
    """Digest one page, with what the page model says of its blocks: what learning needs of a sample page."""
    page = digest(tree).digest  # first: the node model then takes its blocks
    if has_too_many_lines(tree):
        return attenuated_digest(tree, attenuation.select(tree))
    found = predict(tree, settings)
    return with_log_odds(page, found.evidence.words, found.log_odds)


def attenuated_digest(tree: PageTree, attenuated: Selection) -> PageDigest:
    """Digest one page, with what attenuation selected of its blocks (:data:`BY_ATTENUATION`)."""
    page = digest(tree)
    keep = attenuated.keep[tree.text_nodes[page.blocks.first]]
    return with_log_odds(page.digest, page.digest.length // CHARACTERS, np.where(keep, BY_ATTENUATION, -BY_ATTENUATION))


def with_log_odds(page: PageDigest, words: NDArray[np.integer], log_odds: NDArray[np.float64]) -> PageDigest:
    """Return a digest with the words of each block and its log-odds to be main text, by the page alone, float64 ``(b,)``."""
    steps = (log_odds * LOG_ODDS_UNIT).round().clip(-MOST_LOG_ODDS, MOST_LOG_ODDS)
    judged = copy(page)  # with its key, which is of what stays
    vars(judged).update(words=words.astype(np.int32), log_odds=steps.astype(np.int16), key=page.key)
    return judged


def to_bytes(page: PageDigest) -> bytes:
    """Return a digest as bytes: its columns, then its names with a character between that no page has."""
    columns = [getattr(page, name).astype(kind, copy=False) for name, kind in _COLUMNS.items()]
    return b"".join((_HEAD.pack(*map(len, columns)), *columns, "\0".join(page.names).encode("utf-8", "surrogatepass")))


def from_bytes(data: bytes) -> PageDigest:
    """Return a digest of bytes, which it keeps."""
    columns: dict[str, NDArray[Any]] = {}
    end = _HEAD.size
    for (name, kind), length in zip(_COLUMNS.items(), _HEAD.unpack_from(data), strict=True):
        columns[name] = np.frombuffer(data, kind, length, end)
        end += columns[name].nbytes
    names = data[end:].decode("utf-8", "surrogatepass")
    return PageDigest(tuple(names.split("\0")) if names else (), **columns)


@dataclass(frozen=True, slots=True, eq=False)
class Digested:
    """A digest with the way back to the page it was made of."""

    digest: PageDigest
    blocks: TextBlocks
    elements: NDArray[np.intp]  #: Tree index of each element of the digest, intp ``(e,)``.


_ELEMENT = np.dtype([("node", "i8"), ("parent", "i4"), ("end", "i4")])
"""``element`` of ``native/columns.c``."""


@of_page
def digest(tree: PageTree) -> Digested:
    """Digest one page. The tree keeps it: a corpus run digests a page, and the template then asks again."""
    blocks, rows, kept = blocks_for_digest(tree)
    held = np.frombuffer(kept or b"", _ELEMENT)
    elements = np.ascontiguousarray(held["node"])
    name, names = element_names(tree, elements)
    page = PageDigest(
        names=tuple(names),
        name=name,
        parent=np.ascontiguousarray(held["parent"]),
        end=np.ascontiguousarray(held["end"]),
        element=np.ascontiguousarray(rows["holder"]),
        text=np.ascontiguousarray(rows["hash"]),
        length=blocks.length.astype(np.int32),
        link_length=blocks.link_length.astype(np.int32),
        paths=tag_paths(tree, names),
    )
    return Digested(page, blocks, elements)
