"""From the parser's nodes to a :class:`~tamis.page.tree.PageTree`.

The compiled walk (:mod:`tamis.page.walk_compiled`) is used if it was built and agrees with the plain one (:mod:`tamis.page.walk_plain`) on
a sample page; the environment variable ``TAMIS_PLAIN=1`` turns it off.
"""

from __future__ import annotations

import os
from collections import deque
from typing import Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis.page import walk_plain
from tamis.page.tree import PageTree


def _choose() -> tuple[Literal["compiled", "plain"], str]:
    if os.environ.get("TAMIS_PLAIN", "0") not in ("", "0"):
        return "plain", "the environment variable TAMIS_PLAIN is set"
    try:
        from tamis.page import walk_compiled
    except ImportError as error:
        return "plain", str(error)
    return ("compiled", "") if walk_compiled.agrees() else ("plain", "the compiled walk disagrees with the plain one on a sample page")


WALKER, REASON = _choose()  #: The walk in use, and the reason if it is the plain one (empty for the compiled one).

if WALKER == "compiled":
    from tamis.page.walk_compiled import walk
else:
    from tamis.page.walk_plain import walk


def from_lexbor(root: LexborNode | None, *, notes: tuple[str, ...] = (), own: bool = False) -> PageTree:
    """Return a PageTree of a selectolax (lexbor) node and all below it.

    Args:
        root: the node.
        notes: what was cut before it was parsed.
        own: nobody else has the node's parser, so nobody will change its tree.

    A fragment may have several roots and no node that holds them: it is read as the page of its markup.
    """
    if root is not None and not own and _is_fragment(root):
        root = LexborHTMLParser(root.html or "", scripting=True).root
    return walk_plain.empty(notes) if root is None else walk(root, notes=notes, own=own)


def _is_fragment(root: LexborNode) -> bool:
    """Return whether a node represents several: the content of a ``template``, or the first node of a fragment and its siblings."""
    if root.tag_id == walk_plain.UNDEFINED and root.first_child is not None:
        return True
    if root.parent is not None:
        return False
    last = deque(root.traverse(include_text=True), maxlen=1).pop()
    while (above := last.parent) is not None and last.mem_id != root.mem_id:
        last = above
    return last.mem_id != root.mem_id
