"""Work on the columns of a page, compiled. Columns are contiguous buffers.

Raises:
    ValueError: columns do not fit each other.
"""

from collections.abc import Callable
from typing import Any

Column = Any
"""A contiguous buffer: an array, or bytes."""

def text_hashes(texts: list[str], /) -> bytes:
    """:func:`tamis.structure.hashing.text_hashes`, uint64."""

def blocks(
    tag: Column, parent: Column, end: Column, link: Column, text_nodes: Column, texts: list[str], flags: bytes, with_hashes: bool, /
) -> tuple[bytes, bytes, bytes, bytes, bytes, Any]:
    """The text blocks of a page.

    Args:
        tag, parent, end, link, text_nodes, texts: columns of the page tree (int32, bool).
        flags: bits for each tag code, uint8: 1 block, 2 preformatted, 4 starts and ends a line, 8 holds no running text.
        with_hashes: whether a digest is wanted.

    Returns:
        of each block the element, first and last text (int32), length and length within links (int64); then None, or for a digest the
        hash of each block's text (uint64), and of the elements with a block at or below them: tree index (int64), parent, end (int32), and
        for each block its place among them.
    """

def text_lengths(texts: list[str], text_nodes: Column, nodes: int, /) -> bytes:
    """:attr:`tamis.page.tree.PageTree.text_length`, int32 ``(nodes,)``."""

def hold(
    step: Column,
    name: Column,
    parent: Column,
    sorted: Column,
    order: Column,
    verdict: Column,
    stage: Column,
    repeated: Column,
    holder: Column,
    text: Column,
    length: Column,
    /,
) -> tuple[bytes, bytes, list[int], int, int]:
    """A template held against a page.

    Args:
        step: hash of each distinct element name of the page, uint64.
        name, parent: of each element, int32.
        sorted: the template's places, uint64, rising.
        order: index of each of them, int64.
        verdict: by place, uint8.
        stage: step of the descent that a place is, or -1, int32.
        repeated: place and text of what repeats as one number, uint64, rising.
        holder, text, length: element (int32), hash (uint64) and characters (int32) of each block.

    Returns:
        verdict of each block (uint8), whether its text repeats there (bool), the elements of the deepest step of the descent that the page
        has, that step (-1: none), and the characters at places that the template knows.
    """

def spread(first: Column, last: Column, value: Column, kind: Column, text_nodes: Column, nodes: int, unread: int, between: int, /) -> bytes:
    """:meth:`tamis.page.blocks.TextBlocks.spread`, uint8 ``(nodes,)``.

    Args:
        first, last: texts of each block, int32.
        value: of each block, uint8.
        kind: of each possible value, uint8 ``(256,)``.
        text_nodes: indices of the texts, int32.
        nodes: how many nodes there are.
        unread, between: values of a text in no block, and of an element between texts of different kinds.
    """

def look(html: bytes, kinds: Column, delimiter: Column, long: int, /) -> tuple[int, int, int, list[int]]:
    """Numbers that markup cannot exceed (:mod:`tamis.page.limits`).

    Args:
        html: the page.
        kinds: for every two bytes after ``<`` what they begin, in bits, uint8, at ``256 * first + second``: 1 formatting, 2 an element that
            does not stay open, 4 one if the name ends there.
        delimiter: for every byte a bool: whether a name ends before it.
        long: bytes from one ``<`` to the next that are a long tag.

    Returns:
        tags, those of formatting elements, those of no leaf, and where tags begin that may be long.
    """

def element_names(
    tag: Column,
    classes: Column,
    ident: Column,
    tag_names: tuple[str, ...],
    class_values: list[str],
    ident_values: list[str],
    make: Callable[[str, str | None, str | None], str],
    /,
) -> tuple[bytes, list[str]]:
    """Names of elements (:func:`tamis.page.element_names.element_name`).

    Args:
        tag, classes, ident: index of each element's tag name, class names and id (-1: it has none), int32.
        tag_names, class_values, ident_values: what they point to.
        make: makes the name where a value is not plain ASCII.

    Returns:
        an index for each element (int32), and the distinct names in the order they are met.
    """

def group(keys: Column, /) -> tuple[bytes, bytes]:
    """Equal keys (uint64) numbered from 0 in the order they are met: the number of each (int64), the first place of each number (int64)."""
