"""What of a page is shown with markup, compiled. Columns are contiguous buffers. Columns that do not fit each other raise ValueError."""

from typing import Any

Column = Any
"""An array, or bytes."""

def outline(
    tag: Column, parent: Column, end: Column, length: Column, text_nodes: Column, shown: Column, others: Column, flags: Column,
    first: int, last: int, /,
) -> bytes:  # fmt: skip
    """The pieces that are shown and the elements around them, in document order.

    Args:
        tag, parent, end, length, text_nodes: columns of a page (:class:`tamis.page.tree.PageTree`), int32.
        shown: positions of the shown texts among them, int64, rising.
        others: nodes of shown images, rules and texts that join no other, int64, rising.
        flags: ``tamis.document.render.outline._FLAGS``, uint16 for each tag code.
        first, last: the first and the last node that is shown and not blank.

    Returns:
        int32 ``(k, 7)``; the first row is the innermost element that gives all that is shown its meaning. Of a piece: its node, its tag,
        the index in ``shown`` of its first text and after its last (else 0), whether it is blank, how many blocks begin or end from the
        top up to it, and the same of ``br``; texts of one line with the same marks are one piece. Of an element: its node, its tag, its
        end, 0, whether it has a meaning, and -1 twice.
    """

def plain(text: str, /) -> str | None:
    r"""A text without spaces around it; None where its white space is to be collapsed, or where it holds a character of ``\\`*_<&[]~``."""
