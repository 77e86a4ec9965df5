"""Characters that are not for the reader: permalink marks, soft hyphens, zero-width characters."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree

_INVISIBLE = "\u00ad\u200b\u2060\ufeff"
_PERMALINKS = frozenset(f"{before}{mark}{after}" for mark in "¶#§🔗⚓∞" for before in ("", " ") for after in ("", " "))
_NEAR = tags.lookup(tags.HEADINGS | tags.codes("dt caption figcaption summary"))
_NAMED = re.compile(r"\b(?:header-?link|perma-?link|heading-?(?:anchor|link)|anchor(?:js)?-?(?:link)?|hash-?link|anchorlink)\b", re.I)
_UP = 4
"""How far above a permalink its heading stands."""


def collapsed(text: str) -> str:
    """A visible text with its white space collapsed and none around it.

    >>> collapsed(" one\u00a0 two\u200b ")
    'one two'
    """
    if text.isprintable() and "  " not in text:  # no white space but single spaces, and nothing invisible
        return text.strip(" ")
    return " ".join(visible(text).split())


def visible(text: str) -> str:
    """A text without soft hyphens, zero-width spaces, word joiners and byte order marks; joiners that shape letters stay.

    >>> visible("Dampf\\u00adschiff\\u200b")
    'Dampfschiff'
    """
    if not text.isascii():
        for character in _INVISIBLE:
            if character in text:
                text = text.replace(character, "")
    return text


def permalinks(tree: PageTree, shown: NDArray[np.intp]) -> BoolColumn | None:
    """The texts that are nothing but the mark of a heading's link to itself, or MediaWiki's "[edit]", bool ``(n,)``; None for none.

    Args:
        tree: the page.
        shown: positions of the texts that are looked at, intp ``(s,)``.

    >>> from tamis import parse
    >>> tree = parse('<h2>Reeds<a href="#reeds">¶</a></h2><p>Use <a href="#c">#</a>')
    >>> [tree.texts[k] for k, mark in enumerate(permalinks(tree, np.arange(3))[tree.text_nodes]) if mark]
    ['¶']
    """
    single = shown[tree.text_length[tree.text_nodes[shown]] == 1].tolist()
    found = [int(tree.text_nodes[k]) for k in single if tree.texts[k] in _PERMALINKS and _is_mark(tree, int(tree.text_nodes[k]))]
    edits = tree.values("class").where(lambda names: "mw-editsection" in names)
    if not found and not edits.any():
        return None
    mask = tree.covered(edits.nonzero()[0])
    mask[found] = True
    return mask


def _is_mark(tree: PageTree, node: int) -> bool:
    linked = False
    for above, _ in zip(tree.ancestors(node), range(_UP), strict=False):
        attributes = tree.attributes[above]
        if tree.link[above]:
            if "#" not in attributes.get("href", ""):
                return False
            linked = True
            if _NAMED.search(attributes.get("class", "")):
                return True
        elif linked and tags.within(_NEAR, tree.tag[above : above + 1])[0]:
            return True
    return False
