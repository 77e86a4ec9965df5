"""Evidence of names: semantic tags and roles, and what class names and ids hint at.

A block has a hint where any element around it has it, and a stronger one where one of the nearest three has. Semantic tags say the same in
every language. Class names are English words that some authors use: they are a group of their own, and a page without them, or
with meaningless ones, must do as well.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tamis import tags
from tamis.content.evidence.view import PageView
from tamis.tree import Attributes, LazyAttributes, PageTree

Columns = dict[str, NDArray[np.generic]]

_AROUND: dict[str, tuple[str, str]] = {
    # evidence: tags, roles
    "nav": ("nav menu", "navigation menu menubar"),
    "header": ("header", "banner"),
    "footer": ("footer", "contentinfo"),
    "aside": ("aside", "complementary"),
    "main": ("main", "main"),
    "article": ("article", "article"),
    "section": ("section", "region"),
    "form": ("form fieldset", "search form"),
    "table": ("table", "table grid"),
    "list": ("ul ol", "list"),
    "item": ("li", "listitem"),
    "button": ("button label", "button tab"),
    "figure": ("figure", "figure"),
    "heading": ("h1 h2 h3 h4 h5 h6", "heading"),
    "dialog": ("dialog", "dialog alertdialog"),
    "emphasis": ("b strong em i", ""),
    "small": ("small time address", ""),
    "pre": ("pre", ""),
}
_HIDDEN = len(_AROUND)
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
_HINTS: dict[str, str] = {
    "comment": "comment disqus respond response repl",
    "nav": "nav menu crumb breadcrumb toc=",
    "side": "side widget rail= aside",
    "foot": "foot copyright legal colophon",
    "head": "head banner topbar hero masthead",
    "related": "relat recommend popular similar more= also= trending suggest upsell crosssell teaser promo latest recent",
    "share": "shar social follow twitter facebook",
    "advert": "ad= ads= adv= advert sponsor",
    "modal": "cookie consent modal popup newsletter subscri signup overlay drawer dialog gdpr notice alert",
    "content": "content body text entry rte= prose markdown",
    "article": "article post story blog",
    "main": "main",
    "product": "product pdp= description desc= detail spec feature overview about",
    "title": "title headline heading name=",
    "meta": "meta author byline date time tag= tags= categor avatar profile user",
    "price": "price cart basket buy shop checkout wish stock qty quantity swatch variant option",
    "review": "review rating testimonial star= stars=",
    "item": "item card list grid result row tile collection",
    "message": "message thread topic question answer forum",
    "hidden": "hidden sr= visually screen collapse tooltip skip",
    "media": "caption credit figure image img= photo gallery media slide carousel swiper",
    "search": "search filter sort facet refine pagin pager toolbar",
    "faq": "faq accordion tab= tabs=",
    "place": "lang currency country locale region",
}
"""Beginnings of words in class names and ids; with ``=`` a whole word."""
MARKUP = (*(f"in {name}" for name in _AROUND), "in hidden", *(f"holder {name}" for name in _HOLDERS))
"""Evidence of tags, roles and hidden parts."""
NAMES = tuple(f"hint {name}" for name in _HINTS)
"""Evidence of class names and ids."""

_ROLES = {role: 1 << bit for bit, (_, roles) in enumerate(_AROUND.values()) for role in roles.split()}
_DIGITS = re.compile(r"\d+")
"""Numbers in class names are all alike: ``post-17`` and ``post-18`` are one."""
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.I)
_NO_PLACE = frozenset((tags.CODE["html"], tags.CODE["body"]))


def _table(names: dict[str, str]) -> NDArray[np.uint64]:
    table = np.zeros(len(tags.KNOWN) + 1, dtype=np.uint64)
    for bit, of_name in enumerate(names.values()):
        table[list(tags.codes(of_name))] |= np.uint64(1 << bit)
    return table


_TAG_BITS = _table({name: of_name for name, (of_name, _) in _AROUND.items()})
_HOLDER_BITS = _table(_HOLDERS)


def _beginnings() -> dict[str, int]:
    found: dict[str, int] = {}
    for bit, words in enumerate(_HINTS.values()):
        for word in words.split():
            found[word] = found.get(word, 0) | 1 << bit
    return found


_BEGINNINGS = _beginnings()
_LONGEST = max(map(len, _BEGINNINGS))
_SHORTEST = 2
_WORDS = re.compile(r"[A-Za-z][a-z]+")
"""``sideBar-left`` is three words: side, bar, left."""


@lru_cache(maxsize=1 << 14)
def _hint(word: str) -> int:
    """What a word hints at, by its longest known beginning."""
    word = word.lower()
    if bits := _BEGINNINGS.get(f"{word}="):
        return bits
    for length in range(min(len(word), _LONGEST), _SHORTEST, -1):
        if bits := _BEGINNINGS.get(word[:length]):
            return bits
    return 0


def hints(name: str) -> int:
    """What a class name or id hints at, in bits in the order of :data:`NAMES`.

    >>> [NAMES[bit] for bit in range(len(NAMES)) if hints("post-comments") >> bit & 1]
    ['hint comment', 'hint article']
    """
    bits = 0
    for word in _WORDS.findall(name):
        bits |= _hint(word)
    return bits


def _own_bits(attributes: Attributes) -> int:
    bits = _ROLES.get(attributes.get("role", "").lower(), 0)
    if "hidden" in attributes or attributes.get("aria-hidden") == "true" or _NOT_SHOWN.search(attributes.get("style", "")):
        bits |= 1 << _HIDDEN
    return bits


_TELLING = frozenset(("role", "hidden", "aria-hidden", "style"))


def _attribute_bits(tree: PageTree) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
    """For each node what its own role says, what its class and id hint at, and a number for its class name, uint64 ``(n,)`` each."""
    role, hint, named = (np.zeros(len(tree), dtype=np.uint64) for _ in range(3))
    known: dict[str, int] = {}
    numbers: dict[str, int] = {}
    general: dict[str, int] = {}
    everything = tree.attributes.all() if isinstance(tree.attributes, LazyAttributes) else tree.attributes
    tag = tree.tag.tolist()
    for node, attributes in enumerate(everything):
        if not attributes or tag[node] in _NO_PLACE:
            continue
        classes = attributes.get("class", "")
        name = f"{classes} {attributes.get('id', '')}"
        if name != " ":
            bits = known.get(name)
            if bits is None:
                bits = known[name] = hints(name)
            hint[node] = bits
            if classes:
                number = numbers.get(classes)
                if number is None:
                    number = numbers[classes] = general.setdefault(_DIGITS.sub("0", classes), len(general) + 1)
                named[node] = number
        if not _TELLING.isdisjoint(attributes):
            role[node] = _own_bits(attributes)
    return role, hint, named


def _handed_down(tree: PageTree, bits: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Bits of each node and its two nearest ancestors, and of it and all its ancestors."""
    above = np.maximum(tree.parent, 0)
    near = bits | bits[above]
    near |= bits[above[above]]
    everywhere, up = bits, above
    while up.any():
        everywhere = everywhere | everywhere[up]
        up = up[up]
    return near, everywhere | bits[0] if len(bits) else everywhere


def markup(view: PageView) -> tuple[Columns, NDArray[np.uint64]]:
    """Evidence of :data:`MARKUP` and :data:`NAMES`, and for each node a number that nodes with the same class name share."""
    tree = view.tree
    known_tag = np.minimum(tree.tag, len(tags.KNOWN))
    role, hint, named = _attribute_bits(tree)
    near, around = _handed_down(tree, _TAG_BITS[known_tag] | role)
    near_hint, around_hint = _handed_down(tree, hint)
    columns: Columns = {}
    for names, strong, weak in ((MARKUP[: _HIDDEN + 1], near, around), (NAMES, near_hint, around_hint)):
        strong_here, weak_here = strong[tree.parent[view.node]], weak[view.node]
        for bit, name in enumerate(names):
            mask, shift = np.uint64(1 << bit), np.uint64(bit)
            columns[name] = ((strong_here & mask) >> shift) + ((weak_here & mask) >> shift)
    holder = _HOLDER_BITS[known_tag[view.element]]
    for bit, name in enumerate(_HOLDERS):
        columns[f"holder {name}"] = (holder >> np.uint64(bit)) & np.uint64(1)
    return columns, named
