"""The walk over a parsed page, compiled. Use :mod:`tamis.page.walk`: an address that is no node's ends the process."""

from collections.abc import Callable
from typing import Any

from tamis.page.tree import Attributes

def bind(functions: tuple[int, ...], offsets: tuple[int, ...], /) -> None:
    """Give the module what it has to know of the parser, before any other call.

    Args:
        functions: addresses of the parser's functions (``tamis.page.walk_compiled.FUNCTIONS``).
        offsets: of the fields of its nodes (``tamis.page.walk_compiled.FIELDS``), and where a text node holds the address of its bytes,
            followed by their number.
    """

Columns = list[tuple[bytes, list[str]] | None]
"""Attributes as columns: indices of values, int32, -1 for none, and the values; None for an attribute that no node has."""

def walk(
    address: int,
    code_of_id: bytes,
    flags: bytes,
    code_of_name: dict[str, int],
    attributes: tuple[str, ...],
    is_wanted: Callable[[str], bool],
    /,
) -> tuple[bytes, bytes, bytes, bytes, bytes, list[str], list[str], list[str], bytes, Columns] | None:
    """The columns of the tree at an address; None if it holds a node that is no element, text, comment or document.

    Args:
        address: ``LexborNode.mem_id``; its parser must live until the call returns.
        code_of_id: our code for each fixed tag number, int32; -1 where there is none.
        flags: bits for each of our codes, uint8: 1 raw, 2 preformatted, 4 starts and ends a line, 8 link, 16 script.
        code_of_name: our codes by name.
        attributes: those that are wanted as columns, at most 24, ``type`` and ``href`` among them.
        is_wanted: whether the text of a script of some type is wanted.

    Returns:
        tag, parent, end (int32), link (bool), text_nodes (int32), texts, the names of codes from ``len(flags)`` on, the scripts
        that are wanted, the address of each node, and the attributes.
    """

def attributes(nodes: bytes, tag: bytes, none: Attributes, elements: Any, /) -> list[Attributes]:
    """The attributes of some nodes, ``none`` for a text.

    Args:
        nodes: addresses from :func:`walk`; their parser must live, and its tree be as it was.
        tag: the tree's column of tags, int32.
        elements: indices of nodes, int64; None for all.

    Raises:
        ValueError: an index is out of its column, or the columns do not fit each other.
    """
