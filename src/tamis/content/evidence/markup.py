"""Evidence of names: semantic tags, and what class names and ids hint at.

A block has a hint where any element around it has it, and a stronger one where one of the nearest three has. Semantic tags say the same in
every language. Class names are English words that some authors use: they are a group of their own, and a page without them, or
with meaningless ones, must do as well.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.lexicon import concepts, entries

_AROUND = {
    "nav": "nav menu",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "main": "main",
    "article": "article",
    "section": "section",
    "form": "form fieldset",
    "table": "table",
    "list": "ul ol",
    "item": "li",
    "button": "button label",
    "figure": "figure",
    "heading": "h1 h2 h3 h4 h5 h6",
    "dialog": "dialog details",
    "emphasis": "b strong em i",
    "small": "small time address",
    "pre": "pre",
}
_HOLDERS = {
    "div": "div section article main body center",
    "p": "p",
    "li": "li",
    "cell": "td th",
    "term": "dt dd",
    "h1": "h1",
    "h2": "h2",
    "h3": "h3 h4 h5 h6",
    "caption": "figcaption caption legend",
}
_HINTS = [name for name in concepts() if name.startswith("hint ")]  #: Concepts of class names and ids.
MARKUP = (*(f"in {name}" for name in _AROUND), *(f"holder {name}" for name in _HOLDERS))
"""Evidence of tags: 1 where any element around the block has one of them, 2 where one of the nearest three has."""
NAMES = tuple(_HINTS)  #: Evidence of class names and ids.


def _codes_of_names(names: dict[str, str]) -> NDArray[np.uint64]:
    table = np.zeros(len(tags.KNOWN) + 1, dtype=np.uint64)
    for bit, of_name in enumerate(names.values()):
        table[list(tags.codes(of_name))] |= np.uint64(1 << bit)
    return table


TAG_BITS = _codes_of_names(_AROUND)
TAG_BITS[list(tags.codes("html body"))] |= np.uint64(1 << 63)  # there is one on every page: its names say nothing
HOLDER_BITS = _codes_of_names(_HOLDERS)


def _beginnings() -> dict[str, int]:
    found: dict[str, int] = {}
    for bit, name in enumerate(_HINTS):
        for word in entries(name):
            found[word] = found.get(word, 0) | 1 << bit
    return found


_BEGINNINGS = _beginnings()


@cache
def hint_table() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the beginnings as an open table: hashes (FNV-1a), and what each hints at."""
    keys, bits = np.zeros((2, 1024), dtype=np.uint64)
    for word, of_word in _BEGINNINGS.items():
        key = 0xCBF29CE484222325
        for byte in word.encode():
            key = (key ^ byte) * 0x100000001B3 % (1 << 64)
        slot = key % len(keys)
        while keys[slot]:
            slot = (slot + 1) % len(keys)
        keys[slot], bits[slot] = key, of_word
    return keys, bits
