"""Pages by site or by layout for ``python -m benchmarks similarity``, the largest of a site, and larger ones joined of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np

from tamis.errors import SourceError
from tamis.page import tags
from tamis.page.parsing import parse
from tamis.page.tree import NO_ATTRIBUTES, PageTree
from tamis.structure.shapes import shapes

Groups = dict[str, list[Path]]
CANDIDATES = 12  #: Largest files of a site among which its largest pages are looked for.


def read_groups(folder: Path) -> Groups:
    """Pages of a folder by site or layout, in the order of the folder.

    Args:
        folder: a folder of sites (``*/site.json``), or one with ``gold.json`` whose entries name a ``cluster`` or ``site`` of each file.

    Raises:
        SourceError: it is neither.
    """
    sites = sorted(path.parent for path in folder.glob("*/site.json"))
    if sites:
        return {
            site.name: [site / "pages" / page["file"] for page in json.loads((site / "pages.json").read_text("utf-8"))] for site in sites
        }
    gold = folder / "gold.json"
    if not gold.is_file():
        raise SourceError(f"{folder} holds neither sites (*/site.json) nor pages with a gold.json that names their cluster or site")
    groups: Groups = {}
    for page in json.loads(gold.read_text("utf-8")):
        name = page.get("cluster") or page.get("site")
        if name is None:
            raise SourceError(f"{gold} names no cluster or site of {page.get('file')}")
        groups.setdefault(name, []).append(folder / "pages" / page["file"])
    return groups


def largest(paths: Sequence[Path], count: int) -> list[tuple[str, PageTree]]:
    """The largest pages of a site that are not copies of each other: name and tree, largest first."""
    biggest = sorted((path for path in paths if path.is_file()), key=lambda path: -path.stat().st_size)[:CANDIDATES]
    found: dict[int, tuple[str, PageTree]] = {}
    for path in biggest:
        tree = parse(path)
        found.setdefault(nodes(tree), (path.name.split(".")[0], tree))
    return [found[size] for size in sorted(found, reverse=True)[:count]]


def nodes(tree: PageTree) -> int:
    """Nodes that count."""
    found = shapes(tree)
    return int(found.size[found.of()]) if len(found) else 0


def markup(tree: PageTree) -> str:
    """All that is in a tree as HTML: a measure for other ways to store it."""
    parts: list[str] = []
    open_: list[int] = []
    texts = iter(tree.texts)
    for node, code in enumerate(tree.tag.tolist()):
        while open_ and tree.end[open_[-1]] <= node:
            parts.append(f"</{tree.name(open_.pop())}>")
        if code == tags.TEXT:
            parts.append(escape(next(texts), quote=False))
            continue
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in tree.attributes[node].items())
        parts.append(f"<{tree.names[code]}{attributes}>")
        if code not in tags.VOID:
            open_.append(node)
    return "".join(parts) + "".join(f"</{tree.name(node)}>" for node in reversed(open_))


def join(trees: Sequence[PageTree], size: int) -> PageTree:
    """One page of the bodies of several, cut so that about ``size`` elements are in it; structure only, without texts.

    Pages are taken whole, in turn and over again, until the last, of which as many children of the body as fit.
    """
    parents, codes, names = [np.array([-1, 0], dtype=np.int64)], [np.array([tags.CODE["html"], tags.CODE["body"]])], tags.KNOWN
    total, turn = 2, 0
    while total < size and turn < 200 * len(trees):
        parent, code = _content(trees[turn % len(trees)], size - total)
        parents.append(np.where(parent < 0, 1, parent + total))
        codes.append(code)
        total, turn = total + len(parent), turn + 1
    return _tree(np.concatenate(parents), np.concatenate(codes), names)


def _content(tree: PageTree, room: int) -> tuple[np.ndarray, np.ndarray]:
    """The elements below the body, parents counted from the first of them, -1 for the body; from the front as many subtrees as fit."""
    known = np.flatnonzero((tree.tag != tags.TEXT) & (tree.tag < len(tags.KNOWN)))
    found = shapes(tree)
    body = next((node for node in known.tolist() if tree.tag[node] == tags.CODE["body"]), 0)
    inside = np.array([node for node in known.tolist() if node > body and found.nodes[0][node] >= 0], dtype=np.int64)
    place = np.full(len(tree), -2, dtype=np.int64)
    place[body] = -1
    taken: list[int] = []
    for node in inside.tolist():
        if place[tree.parent[node]] > -2 and len(taken) < room:
            place[node] = len(taken)
            taken.append(node)
    return place[tree.parent[taken]], tree.tag[taken].astype(np.int64)


def _tree(parent: np.ndarray, tag: np.ndarray, names: tuple[str, ...]) -> PageTree:
    """A tree of elements in document order."""
    end = np.arange(1, len(parent) + 1)
    for node in range(len(parent) - 1, 0, -1):
        end[parent[node]] = max(end[parent[node]], end[node])
    return PageTree(
        tag=tag.astype(np.int32),
        parent=parent.astype(np.int32),
        end=end.astype(np.int32),
        text_nodes=np.zeros(0, dtype=np.int32),
        texts=[],
        link=np.zeros(len(parent), dtype=np.bool_),
        attributes=[NO_ATTRIBUTES] * len(parent),
        names=names,
    )
