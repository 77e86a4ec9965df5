"""One page as rows of the style tree: every element's place, and the content of the leaves.

The *place* of an element is the path of choices that leads to it: at each ancestor, the style (the sequence of child elements) and the
position in it. Equal places on two pages are the same element node of the site's style tree, so a place needs no
tree to be looked up in: it is a hash that one pass of array work gives for all elements of a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError, check_numbers
from tamis.page import tags
from tamis.page.tree import BoolColumn, IntColumn, PageTree
from tamis.structure.hashing import Hashes, mix, path_sums, powers, text_hash, text_hashes, words

AttributeUse = Literal["none", "display"]


@dataclass(frozen=True, slots=True)
class StyleSettings:
    """Settings for reading pages into a style tree. Only trees of equal settings merge.

    The defaults clean text best (see the documentation's measurements), and of attributes read only the files of images; :meth:`paper` is
    literal.

    Raises:
        UsageError: a setting is not one of its values.
    """

    attributes: AttributeUse = "none"
    """Attributes that distinguish elements of a tag: none (``"none"``), or the display attributes that the paper names (``"display"``:
    bgcolor, width, align, style and their like)."""
    links: bool = False  #: The target of a link is a feature of the leaves inside it.
    images: bool = True  #: The file of an image is a feature: without it, images in one place are all the same.

    def __post_init__(self) -> None:
        if self.attributes not in get_args(AttributeUse):
            raise UsageError(f"attributes is one of {', '.join(get_args(AttributeUse))}, not {self.attributes!r}")

    @classmethod
    def paper(cls) -> StyleSettings:
        """Return the paper's settings: display attributes tell elements apart; words, link targets and image files are features."""
        return cls(attributes="display", links=True, images=True)


@dataclass(frozen=True, slots=True)
class StyleCleaning:
    """Settings for telling noise by a style tree.

    Raises:
        UsageError: a number is out of its range.
    """

    threshold: float | None = None
    """t: an element is noisy if it and all below it have a CompImp of at most t, 0..1; None: chosen from the tree
    (:func:`~tamis.site.style_tree.choose_threshold`)."""
    gamma: float = 0.9  #: Weight of content below an element against its own styles (paper: 0.9).
    min_pages: int = 4  #: An element on fewer pages is not noisy, however equal they are: few pages are weak evidence (paper: 2).

    def __post_init__(self) -> None:
        check_numbers(self, shares=("threshold", "gamma"))
        if self.min_pages < 2:
            raise UsageError(f"min_pages is at least 2, not {self.min_pages}: one page says nothing about repetition")

    @classmethod
    def paper(cls, threshold: float | None = None) -> StyleCleaning:
        """Return the paper's settings: two pages are evidence enough. The paper sets the threshold by hand for each site."""
        return cls(threshold=threshold, min_pages=2)


ROOT = np.uint64(0)  #: The place of the virtual root above every BODY.
LEAF = np.uint64(0)  #: The style of an element without child elements: the hash of the empty sequence.

_UNREAD = tags.lookup((tags.RAW - tags.codes("noscript")) | tags.codes("link meta base title"))
_BODY, _IMAGE, _NOSCRIPT = (tags.CODE[name] for name in ("body", "img", "noscript"))
_KNOWN_NAMES: Hashes = np.array([text_hash(name) for name in tags.KNOWN], dtype=np.uint64)
_STEP_DOWN = np.uint64(0xA0761D6478BD642F)
_DISPLAY = (
    "align background bgcolor border bordercolor cellpadding cellspacing color colspan face height hspace nowrap rowspan size style text "
    "valign vspace width"
).split()


@dataclass(frozen=True, slots=True, eq=False)
class ElementPlaces:
    """The element nodes of a page in document order: ``e`` elements and anonymous texts (texts beside elements)."""

    node: NDArray[np.intp]  #: Their indices in the PageTree, intp ``(e,)``, rising.
    place: Hashes  #: Place of each, uint64 ``(e,)``.
    above: Hashes  #: Place of the element above, uint64 ``(e,)``.
    beside: Hashes  #: Its style (of the element above), uint64 ``(e,)``.
    position: IntColumn  #: Its position in that style, from 0, int32 ``(e,)``.
    style: Hashes  #: The style below it on this page, uint64 ``(e,)``; ``LEAF`` if it has no child element.
    depth: IntColumn  #: Elements above it, the virtual root included, int32 ``(e,)``: 1 for BODY.
    texts: NDArray[np.intp]  #: Indices into ``tree.texts`` of the ``k`` texts in the page's body, intp ``(k,)``, rising.
    holder: NDArray[np.intp]  #: For each of these texts, the leaf (index into the columns above) whose content it is, intp ``(k,)``.


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Content of a page's leaves: words, link targets, image files."""

    leaf: NDArray[np.intp]  #: Index of the leaf in the columns of :class:`ElementPlaces`, intp ``(f,)``.
    feature: Hashes  #: Hash of the feature, uint64 ``(f,)``; no (leaf, feature) twice.
    count: NDArray[np.int64]  #: Times that the feature occurs in the leaf, int64 ``(f,)``.


def places(tree: PageTree, settings: StyleSettings = StyleSettings()) -> ElementPlaces:
    """Return the places of a page's elements, below BODY and itself; of a fragment without BODY, below its root.

    The path hash of an element is the sum, over itself and the elements above it, of its mixed (style, position) weighed by depth.
    """
    body, stop = _body_range(tree)
    tag = tree.tag[body:stop]
    unread = _unread(tree, body, stop)
    seen = np.flatnonzero(~unread)
    is_text = tag[seen] == tags.TEXT
    up = tree.parent[body:stop][seen] - body
    up[:1] = 0  # BODY's parent is outside
    beside_elements = np.zeros(stop - body, dtype=np.bool_)
    beside_elements[up[~is_text][1:]] = True
    step = ~is_text | beside_elements[up]
    run_on = is_text[1:] & is_text[:-1] & (up[1:] == up[:-1])  # two texts parted by a comment or a script are one
    step[1:] &= ~run_on
    number = np.cumsum(step) - 1  # of the element node at or before each node: for a text, the leaf that holds it
    node = seen[step]
    index = np.full(stop - body + 1, -1, dtype=np.intp)
    index[node] = np.arange(len(node))
    parent = index[up[step]]
    parent[:1] = -1
    label = _label_hashes(tree, node + body, settings)
    position = _positions_among(parent)
    style = np.zeros(len(node) + 1, dtype=np.uint64)  # the last entry is the virtual root's
    np.add.at(style, parent, mix(label) * powers(int(position.max(initial=0)) + 1)[position])
    beside = style[parent]
    depth = tree.depth[body:stop][node] - (tree.depth[body] if len(node) else 0) + 1
    own = mix(beside + position.astype(np.uint64) * _STEP_DOWN) * powers(int(depth.max(initial=0)) + 1)[depth]
    place = path_sums(own, np.searchsorted(node, tree.end[body:stop][node] - body))
    first, last = tree.texts_between(body, stop)
    return ElementPlaces(
        node=node + body,
        place=place,
        above=place - own,
        beside=beside,
        position=position,
        style=style[:-1],
        depth=depth.astype(np.int32),
        texts=np.flatnonzero(~unread[tree.text_nodes[first:last] - body]) + first,
        holder=number[is_text],
    )


def _body_range(tree: PageTree) -> tuple[int, int]:
    """First node of the body, and the first after it."""
    top = np.flatnonzero((tree.tag == _BODY) & (tree.parent <= 0))
    body = int(top[0]) if len(top) else 0
    return body, int(tree.end[body]) if len(tree) else 0


def _unread(tree: PageTree, body: int, stop: int) -> BoolColumn:
    """Scripts, styles and what else shows nothing, and all in them: no part of the layout."""
    tag = tree.tag[body:stop]
    raw = tags.within(_UNREAD, tag)
    empty_noscript = (tag == _NOSCRIPT) & (tree.end[body:stop] == np.arange(body, stop) + 1)  # not empty where scripting is off
    return tree.subtree_mask(np.flatnonzero(raw | empty_noscript) + body)[body:stop]


def _positions_among(parent: NDArray[np.intp]) -> IntColumn:
    order = np.argsort(parent.astype(np.int16) if len(parent) < 0x7FFF else parent, kind="stable")
    first = np.ones(len(parent), dtype=np.bool_)
    np.not_equal(parent[order[1:]], parent[order[:-1]], out=first[1:])
    start = np.flatnonzero(first)
    position = np.empty(len(parent), dtype=np.int32)
    position[order] = np.arange(len(parent)) - np.repeat(start, np.diff(np.append(start, len(parent))))
    return position


def _label_hashes(tree: PageTree, node: NDArray[np.intp], settings: StyleSettings) -> Hashes:
    """Hash of the tag, with the attributes that count."""
    known = len(tags.KNOWN)
    names = _KNOWN_NAMES
    if len(tree.names) > known:
        names = np.append(names, np.array([text_hash(name) for name in tree.names[known:]], dtype=np.uint64))
    label = names[tree.tag[node]]
    if settings.attributes != "none":
        attributes = tree.attributes
        known_labels: dict[str, int] = {}
        described = np.zeros(len(node), dtype=np.uint64)
        for k, i in enumerate(node.tolist()):
            own = attributes[i]
            if own and (text := _display(own)):
                if text not in known_labels:
                    known_labels[text] = text_hash(text)
                described[k] = known_labels[text]
        label = label + described
    return label


def _display(attributes: Mapping[str, str]) -> str:
    """The display attributes, in one order and spelling."""
    return " ".join(f"{name}={''.join(attributes[name].lower().split())}" for name in _DISPLAY if name in attributes)


def features(tree: PageTree, page: ElementPlaces, settings: StyleSettings = StyleSettings()) -> Features:
    """Return the features of a page's leaves, counted: the words of their texts, the target of the link around them, their image file."""
    first, last = (int(page.texts[0]), int(page.texts[-1]) + 1) if len(page.texts) else (0, 0)
    texts = tree.texts[first:last] if last - first == len(page.texts) else [tree.texts[k] for k in page.texts]
    found = words(texts)
    kinds = [(page.holder[found.text], found.hash)]
    if settings.links:
        kinds.append(_targets(tree, page))
    if settings.images:
        kinds.append(_image_leaves(tree, page))
    return _counted(np.concatenate([leaf for leaf, _ in kinds]), np.concatenate([feature for _, feature in kinds]))


def _counted(leaf: NDArray[np.intp], feature: Hashes) -> Features:
    """Occurrences grouped by leaf and feature: sorted by one number that tells both apart."""
    key = feature + mix(leaf.astype(np.uint64))
    order = np.argsort(key)
    key = key[order]
    first = np.ones(len(key), dtype=np.bool_)
    np.not_equal(key[1:], key[:-1], out=first[1:])
    start = np.flatnonzero(first)
    chosen = order[start]
    return Features(leaf[chosen], feature[chosen], np.diff(np.append(start, len(key))))


def _targets(tree: PageTree, page: ElementPlaces) -> tuple[NDArray[np.intp], Hashes]:
    """Leaves inside links, and their links' targets."""
    link = np.flatnonzero(tree.link)
    leaf = np.flatnonzero(page.style == LEAF)
    nearest = np.searchsorted(link, page.node[leaf], side="right") - 1
    inside = nearest >= 0
    inside[inside] = tree.end[link[nearest[inside]]] > page.node[leaf[inside]]
    leaf, nearest = leaf[inside], nearest[inside]
    used = np.unique(nearest)
    attributes = tree.attributes
    target = np.zeros(len(link), dtype=np.uint64)
    target[used] = _address_hashes("href ", [attributes[i].get("href", "") for i in link[used].tolist()])
    return leaf, target[nearest]


def _image_leaves(tree: PageTree, page: ElementPlaces) -> tuple[NDArray[np.intp], Hashes]:
    """Leaves that are images, and their files."""
    image = np.flatnonzero(tree.tag[page.node] == _IMAGE)
    attributes = tree.attributes
    files = [cast("str", attributes[i].get("src") or attributes[i].get("data-src") or "") for i in page.node[image].tolist()]
    named = [k for k, file in enumerate(files) if file]
    return image[named], _address_hashes("src ", [files[k] for k in named])


def _address_hashes(kind: str, addresses: list[str]) -> Hashes:
    """Hashes of addresses without a leading ``./``, ``../`` or ``/``: pages in different folders name one target so."""
    return text_hashes([kind + address.strip().lstrip("./") for address in addresses])
