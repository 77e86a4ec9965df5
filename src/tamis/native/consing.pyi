"""Equal subtrees numbered, compiled. Columns are contiguous buffers.

Raises:
    ValueError: columns do not fit each other.
"""

from typing import Any

Column = Any
"""A contiguous buffer: an array, or bytes."""

def cons(label: Column, parent: Column, ordered: bool, /) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]:
    """Equal subtrees numbered in the order they are met from the last node to the first.

    Args:
        label: of each node, int32; nodes are in document order.
        parent: of each node, int32; below 0 for a root.
        ordered: whether the order of children counts.

    Returns:
        the number of each node's subtree; and of each distinct subtree its label, where its children begin (one more at the end), the
        numbers of the children, its size (int64), its height; all others int32.
    """
