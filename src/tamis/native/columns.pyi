"""Work on the columns of a page, compiled. Columns are contiguous buffers. Columns that do not fit each other raise ValueError."""

from collections.abc import Callable
from typing import Any

Column = Any
"""An array, or bytes."""
VERSION: int

def text_hashes(texts: list[str], /) -> bytes:
    """:func:`tamis.structure.hashing.text_hashes`, uint64."""

def blocks(
    tag: Column, parent: Column, end: Column, link: Column, text_nodes: Column, texts: list[str], flags: bytes, with_hashes: bool, /
) -> tuple[bytes | None, bytes]:
    """For a digest the elements with a block at or below them (``element`` in ``columns.c``), and the text blocks of a page (``block``).

    ``flags``, uint8 for each tag code: 1 block, 2 preformatted, 4 starts and ends a line, 8 holds no running text.
    """

def measure(flags: bytes, tag: Column, end: Column, link: Column, text_nodes: Column, texts: list[str], /) -> tuple[bytes, ...]:
    """What :class:`tamis.page.tree.PageTree` counts, its columns ``before``, ``linked_before``, ``lines_before``, ``text_length``,
    ``in_link`` and ``aside``.

    ``flags``, uint8 for each tag code: 1 starts and ends a line, 2 stands aside.
    """

def hold(*columns: Column) -> tuple[bytes, bytes, list[int], int, int]:
    """:meth:`tamis.site.template.Template.verdicts_of`: the fields of ``PageVerdicts``.

    The columns, in order:
        step: hash of each distinct element name of the page, uint64.
        name, parent: of each element, int32.
        sorted, order: the template's places, uint64, rising, and the index of each, int64.
        verdict, stage: of each place: uint8, and the step of the descent that it is, or -1, int32.
        repeated: place and text of what repeats as one number, uint64, rising.
        holder, text, length: element (int32), hash (uint64) and characters (int32) of each block.
    """

def spread(first: Column, last: Column, value: Column, text_nodes: Column, nodes: int, unread: int, between: int, /) -> bytes:
    """:meth:`tamis.page.blocks.TextBlocks.spread`, uint8 ``(nodes,)``."""

def covered(end: Column, roots: Column, /) -> bytes:
    """:meth:`tamis.page.tree.PageTree.covered`, bool; ``roots``: bool for each node."""

def nearest(parent: Column, marked: Column, /) -> bytes:
    """:meth:`tamis.page.tree.PageTree.nearest`, int32."""

def survey(flags: bytes, *columns: Column | int) -> tuple[bytes, bytes, int]:
    """:func:`tamis.document.units.subtree_stats`: uint8 ``(n,)``; ``state`` of ``columns.c``, for each node and after the last; all bits.

    ``flags``, uint8 for each tag code: 1 unit, 2 list, 4 term, 8 definition, 16 body, 32 holds no running text, 64 heading or the like.
    ``columns``, of the nodes: tag, parent, end, characters, characters before, those in links before, aside, kept, reason; then the reason
    of what stays dropped.
    """

def teasers(boxes: bytes, *columns: Column) -> tuple[bytes, bytes]:
    """The boxes and the outermost teasers that :func:`tamis.document.teasers.without_teasers` leaves out, rising, int32.

    ``boxes``, uint8 for each tag code: whether it may be a box. ``columns``: tag, parent, end, codes of class names, characters, of the
    nodes; the lines and the characters before each node; kept, probability, float64, in a link, a link, of the nodes.
    """

def lines(texts: list[str], shown: Column, starts: Column, verbatim: Column, collapsed: Callable[[str], str], /) -> list[str]:
    """The lines that some texts make, without white space around them.

    Args:
        texts: of the page.
        shown: positions of those that are shown, int64.
        starts: index into ``shown`` of the first text on each line, rising, int64.
        verbatim: lines that stay as they are, bool.
        collapsed: makes the lines with white space besides single spaces, or unprintable characters.
    """

def look(html: bytes, kinds: Column, delimiter: Column, /) -> tuple[int, int, int, int, int]:
    """:func:`tamis.page.limits.look`.

    Args:
        html: the page.
        kinds: what two bytes after ``<`` begin, in bits, uint8, at ``256 * first + second``.
        delimiter: for every byte a bool: whether the name of a tag ends before it.
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
    """:func:`tamis.page.element_names.element_names`.

    Args:
        tag, classes, ident: index of each element's tag name, class names and id (-1: it has none), int32.
        tag_names, class_values, ident_values: what they point to.
        make: makes the name where a value is not plain ASCII.
    """

def triples(values: list[str], longest: int, /) -> bytes:
    """Which triples of letters values hold, by their last five bits. ``longest``: as of :func:`holding`."""

def holding(values: list[str], words: tuple[str, ...], longest: int = ..., seen: bytes = ..., /) -> list[int]:
    """Positions of the values that hold one of at most 64 words, in any case. ``words``: in lower case.

    ``longest``: their characters at the most; longer values are passed over. ``seen``: their :func:`triples`.
    """

def group(keys: Column, /) -> tuple[bytes, bytes]:
    """:func:`tamis.page.grouping.group`, int32."""
