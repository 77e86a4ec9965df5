"""The Site Style Tree as the paper tells it, node by node with objects: slow, plain, and the oracle of the tables."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from unicodedata import category

from tamis import PageTree
from tamis.page import tags
from tamis.site.style_tree import StyleSettings

UNREAD = {"script", "style", "noframes", "noembed", "iframe", "template", "link", "meta", "base", "title"}
UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x312F), (0x31A0, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F))


@dataclass(eq=False)
class Tag:
    """An element of a page, or a run of text beside elements."""

    label: str
    node: int
    children: list[Tag] = field(default_factory=list)
    texts: list[int] = field(default_factory=list)
    """Text nodes that are its content, if it is a leaf."""
    features: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(eq=False)
class Element:
    styles: dict[tuple[str, ...], Style] = field(default_factory=dict)
    contents: list[Counter[tuple[str, str]]] = field(default_factory=list)
    """Features on each page where it is a leaf."""

    @property
    def pages(self) -> int:
        return sum(style.pages for style in self.styles.values())


@dataclass(eq=False)
class Style:
    pages: int
    elements: list[Element]


def plain_words(text: str) -> list[str]:
    words: list[str] = []
    inside = False
    for character in text.lower():
        code = ord(character)
        if code >= 0xFFFF or any(a <= code <= b for a, b in UNSPACED):
            inside = False
            if code >= 0xFFFF or character.isalnum() or category(character)[0] == "M":
                words.append(character)
        elif character.isalnum() or category(character)[0] == "M":
            if inside:
                words[-1] += character
            else:
                words.append(character)
            inside = True
        else:
            inside = False
    return words


def read_page(tree: PageTree, settings: StyleSettings) -> Tag | None:
    """The page below BODY, or below the root of a fragment."""
    bodies = [node for node in range(len(tree)) if tree.name(node) == "body" and tree.parent[node] <= 0]
    if not len(tree):
        return None
    text = dict(zip(tree.text_nodes.tolist(), tree.texts, strict=True))
    return read_tag(tree, (bodies or [0])[0], settings, text, "")


def read_tag(tree: PageTree, node: int, settings: StyleSettings, text: dict[int, str], target: str) -> Tag:
    attributes = tree.attributes[node]
    if tree.link[node]:
        target = "href " + attributes["href"].strip().lstrip("./")
    tag = Tag(tree.name(node) + attribute_label(attributes, settings), node)
    children = [k for k in tree.children(node).tolist() if not unread(tree, k)]
    if not any(tree.tag[k] != tags.TEXT for k in children):
        add_content(tag, children, text, target if settings.links else "")
        if tree.name(node) == "img" and settings.images and (file := attributes.get("src") or attributes.get("data-src")):
            tag.features["src", file.strip().lstrip("./")] += 1
        return tag
    for k in children:
        if tree.tag[k] != tags.TEXT:
            tag.children.append(read_tag(tree, k, settings, text, target))
            continue
        if not tag.children or tag.children[-1].label != "#text":
            tag.children.append(Tag("#text", k))
            add_content(tag.children[-1], [], text, target if settings.links else "")
        add_content(tag.children[-1], [k], text, "")
    return tag


def unread(tree: PageTree, node: int) -> bool:
    return tree.name(node) in UNREAD or (tree.name(node) == "noscript" and tree.end[node] == node + 1)


def add_content(tag: Tag, nodes: list[int], text: dict[int, str], target: str) -> None:
    tag.texts += nodes
    for node in nodes:
        tag.features.update(("word", word) for word in plain_words(text[node]))
    if target:
        tag.features["link", target] += 1


def attribute_label(attributes, settings: StyleSettings) -> str:
    if settings.attributes == "display":
        return "|" + " ".join(f"{k}={v.lower()}" for k, v in sorted(attributes.items()) if k in ("bgcolor", "width", "align", "style"))
    return ""


def build(pages: list[Tag | None]) -> tuple[Element, list[list[tuple[Tag, Element]]]]:
    """The tree below the virtual root, and for each page the element node of each of its tags."""
    root = Element()
    matches = []
    for page in pages:
        matched: list[tuple[Tag, Element]] = []
        if page is not None:
            merge_children(root, [page], matched)
        matches.append(matched)
    return root, matches


def merge_children(element: Element, children: list[Tag], matched: list[tuple[Tag, Element]]) -> None:
    key = tuple(child.label for child in children)
    style = element.styles.setdefault(key, Style(0, [Element() for _ in children]))
    style.pages += 1
    for child, below in zip(children, style.elements, strict=True):
        matched.append((child, below))
        if not child.children:
            below.contents.append(child.features)
        merge_children(below, child.children, matched)


def node_importance(element: Element, min_pages: int) -> float:
    m = element.pages
    if m < min_pages:
        return 1.0
    return -sum(s.pages / m * math.log(s.pages / m, m) for s in element.styles.values())


def content_importance(contents: list[Counter[tuple[str, str]]], min_pages: int) -> float:
    m = len(contents)
    if m < min_pages:
        return 1.0
    features = {feature for page in contents for feature in page}
    if not features:
        return 0.0
    entropies = 0.0
    for feature in features:
        total = sum(page[feature] for page in contents)
        shares = [page[feature] / total for page in contents if page[feature]]
        entropies += -sum(share * math.log(share, m) for share in shares)
    return 1 - entropies / len(features)


@dataclass
class Scores:
    node: dict[Element, float] = field(default_factory=dict)
    composite: dict[Element, float] = field(default_factory=dict)
    peak: dict[Element, float] = field(default_factory=dict)
    floor: dict[Element, float] = field(default_factory=dict)
    content: dict[Element, float] = field(default_factory=dict)


def score(root: Element, gamma: float, min_pages: int) -> Scores:
    scores = Scores()
    score_element(root, gamma, min_pages, scores)
    return scores


def score_element(element: Element, gamma: float, min_pages: int, scores: Scores) -> None:
    m = element.pages
    means: list[tuple[int, float]] = []
    below: list[tuple[float, float]] = []
    for key, style in element.styles.items():
        if not key:
            scores.content[element] = content_importance(element.contents, min_pages)
            means.append((style.pages, scores.content[element]))
            below.append((scores.content[element], scores.content[element]))
            continue
        for child in style.elements:
            score_element(child, gamma, min_pages, scores)
            below.append((scores.peak[child], scores.floor[child]))
        means.append((style.pages, sum(scores.composite[child] for child in style.elements) / len(style.elements)))
    scores.node[element] = node_importance(element, min_pages)
    if m < min_pages:
        composite = 1.0
    elif list(element.styles) == [()]:
        composite = scores.content[element]
    else:
        weight = gamma ** len(means)
        composite = (1 - weight) * scores.node[element] + weight * sum(n / m * mean for n, mean in means)
    scores.composite[element] = composite
    scores.peak[element] = max([composite, *(peak for peak, _ in below)])
    scores.floor[element] = min([scores.peak[element], *(floor for _, floor in below)])


def removed_texts(page: Tag | None, root: Element, scores: Scores, threshold: float) -> set[int]:
    """Text nodes that mapping the page deletes."""
    removed: set[int] = set()
    if page is not None:
        map_children([page], root, scores, threshold, removed, top=True)
    return removed


def map_children(children: list[Tag], element: Element, scores: Scores, threshold: float, removed: set[int], *, top: bool = False) -> None:
    style = element.styles.get(tuple(child.label for child in children))
    if style is None:
        return  # no such style: keep
    for child, below in zip(children, style.elements, strict=True):
        if scores.peak[below] <= threshold and not top:  # BODY is not deleted as a whole
            delete(child, removed)
        elif scores.floor[below] > threshold:
            continue
        elif child.children:
            map_children(child.children, below, scores, threshold, removed)
        elif scores.content.get(below, 1.0) <= threshold:
            delete(child, removed)


def delete(tag: Tag, removed: set[int]) -> None:
    removed.update(tag.texts)
    for child in tag.children:
        delete(child, removed)
