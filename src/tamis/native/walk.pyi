"""The walk over a parsed page, compiled. Use :mod:`tamis.page.walk`: an address that is no node's ends the process."""

from collections.abc import Callable

from tamis.page.tree import Attributes

def bind(functions: tuple[int, ...], offsets: tuple[int, ...], /) -> None:
    """Give the module what it has to know of the parser, before any other call.

    Args:
        functions: addresses of the parser's functions (``tamis.page.walk_compiled.FUNCTIONS``).
        offsets: of the fields of its nodes (``tamis.page.walk_compiled.FIELDS``), and where a text node holds the address of its bytes,
            followed by their number.
    """

def walk(
    address: int,
    code_of_id: bytes,
    flags: bytes,
    code_of_name: dict[str, int],
    wants_nodes: bool,
    /,
) -> tuple[bytes, bytes, bytes, bytes, bytes, list[str], list[str], list[tuple[str, str]], bytes] | None:
    """The columns of the tree at an address; None if it holds a node that is no element, text, comment or document.

    Args:
        address: ``LexborNode.mem_id``; its parser must live until the call returns.
        code_of_id: our code for each fixed tag number, int32; -1 where there is none.
        flags: bits for each of our codes, uint8: 1 raw, 2 preformatted, 4 starts and ends a line, 8 link, 16 script.
        code_of_name: our codes by name.
        wants_nodes: whether the addresses of the nodes are wanted.

    Returns:
        tag, parent, end (int32), link (bool), text_nodes (int32), texts, the names of codes from ``len(flags)`` on, type
        and text of each script that may be JSON-LD, and the address of each node as the functions below want them (none if not wanted).
    """

def attributes(address: int, tag: bytes, none: Attributes, /) -> list[Attributes]:
    """The attributes of each node of a tree whose column of tags is ``tag`` (``none`` for a text).

    Raises:
        RuntimeError: the parser's tree has fewer elements than the column.
    """

def attributes_at(nodes: bytes, wanted: list[int], /) -> list[Attributes]:
    """The attributes of some nodes.

    Args:
        nodes: addresses from :func:`walk`; their parser must live, and its tree be as it was.
        wanted: indices into them.

    Raises:
        IndexError: there is no such node.
    """

def marks(
    nodes: bytes, tag: bytes, end: bytes, near: int, window: tuple[int, int, int], hints: bytes, /
) -> tuple[list[tuple[int, str]], list[tuple[int, str]], list[tuple[int, str]]]:
    """What elements say they are: what :class:`tamis.page.tree.Marks` holds.

    Args:
        nodes: as in :func:`attributes_at`.
        tag, end: columns of the tree, int32.
        near: index of a node.
        window: elements with some text but at most so many text nodes (the third) count: so many before ``near``, and from there on.
        hints: words in lower case ASCII, a byte 0 after each.
    """

def element_names(
    address: int,
    nodes: bytes,
    tag: bytes,
    elements: bytes,
    tag_names: tuple[str, ...],
    make: Callable[[str, str | None, str | None], str],
    /,
) -> tuple[bytes, list[str]]:
    """Names of elements by tag, class names and id (:func:`tamis.page.element_names.element_name`).

    Args:
        address: as in :func:`walk`.
        nodes: as in :func:`attributes_at`; empty where nodes are to be found from ``address`` on.
        tag: the tree's column of tags, int32.
        elements: indices into it, int64, rising, none of a text.
        tag_names: names by code.
        make: makes the name where class names or id are not plain ASCII.

    Returns:
        an index for each element (int32), and the distinct names in the order they are met.

    Raises:
        RuntimeError: the parser's tree has fewer elements than the column.
    """
