"""A page tree in few bytes: equal subtrees stored once, nothing lost.

The form: the bytes ``tamis-tree`` and one byte, 3 for JSON in UTF-8, 4 for the same deflated (zlib). The JSON object holds

- ``names``: names of the tags that occur; ``own``: those that no standard has, in the order of their codes; ``attributes``: names of
  attributes; ``json_ld`` and ``notes`` of the tree;
- ``labels``: what a node is, each a list: index into names, 1 for a hyperlink or 0, indices into attributes;
- ``trees``: the distinct subtrees, children before parents, each a list: index into labels, indices of the children;
- ``roots``: the subtrees of the roots;
- ``strings``: the string of each text node in document order, then those of the attributes, by attribute, then in document order. Equal
  strings are left to zlib.

Source: the further work named by Song and Zhang (2011), section 5: to compress redundant subtrees without losing the structure.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np

from tamis.errors import SourceError
from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.structure.shapes import cons

MAGIC = b"tamis-tree"
PLAIN, DEFLATED = b"\x03", b"\x04"
MAX_NODES = 20_000_000  #: Most nodes of an unpacked tree: a few bytes can represent any number of equal subtrees.
MAX_BYTES = 1 << 30  #: Bytes that deflated data may become.


def compress(tree: PageTree, *, deflate: bool = True) -> bytes:
    """Return the tree in the form described above.

    Args:
        tree: a page.
        deflate: whether zlib comes after; without it equal subtrees are all that is saved.

    >>> from tamis import parse
    >>> tree = parse("<ul>" + "<li><a href=/>one</a>" * 1000 + "</ul>")
    >>> len(compress(tree, deflate=False)), decompress(compress(tree)).text() == tree.text()
    (12247, True)
    """
    attributes: dict[str, int] = {}
    labels: dict[tuple[int, ...], int] = {}
    node_labels, values = _labels_and_values(tree, labels, attributes)
    consed = cons(np.array(node_labels, dtype=np.int32), tree.parent, ordered=True)
    child = consed.child.tolist()
    names = {code: k for k, code in enumerate(sorted({label[0] for label in labels}))}
    packed = {
        "names": [tree.names[code] for code in names],
        "own": tree.names[len(tags.KNOWN) :],
        "attributes": list(attributes),
        "json_ld": tree.json_ld,
        "notes": tree.notes,
        "labels": [[names[code], *rest] for code, *rest in labels],
        "trees": [[label, *child[a:b]] for label, (a, b) in zip(consed.label.tolist(), pairwise(consed.start.tolist()), strict=True)],
        "roots": consed.number[tree.parent < 0].tolist(),
        "strings": [*tree.texts, *chain.from_iterable(values)],
    }
    body = json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return MAGIC + (DEFLATED + zlib.compress(body, 9) if deflate else PLAIN + body)


def _labels_and_values(tree: PageTree, labels: dict[tuple[int, ...], int], names: dict[str, int]) -> tuple[list[int], list[list[str]]]:
    """The label of every node: its tag, whether it is a link, which attributes it has; and the values of each attribute."""
    values: list[list[str]] = []
    found = []
    for code, link, own in zip(tree.tag.tolist(), tree.link.tolist(), tree.attributes, strict=True):
        label = [code, int(link)]
        for name, value in own.items():
            number = names.setdefault(name, len(names))
            label.append(number)
            if number == len(values):
                values.append([])
            values[number].append(value)
        found.append(labels.setdefault(tuple(label), len(labels)))
    return found, values


def decompress(data: bytes, *, max_nodes: int = MAX_NODES) -> PageTree:
    """Return the tree that was compressed, the same in every column, text and attribute.

    Args:
        data: what :func:`compress` made.
        max_nodes: most nodes that it may have.

    Raises:
        SourceError: the data is not a compressed tree, is damaged, or represents more than ``max_nodes`` nodes.
    """
    try:
        return _tree_of(json.loads(_without_compression(data).decode("utf-8", "surrogatepass")), max_nodes)
    except SourceError:
        raise
    except (ValueError, LookupError, TypeError, zlib.error, OverflowError, MemoryError, RecursionError, AttributeError) as error:
        raise SourceError(f"the data is a damaged compressed tree: {error}") from error


def _without_compression(data: bytes) -> bytes:
    if not data.startswith((MAGIC + PLAIN, MAGIC + DEFLATED)):
        raise SourceError("the data is not a compressed tree of this version of tamis")
    body = data[len(MAGIC) + 1 :]
    if data.startswith(MAGIC + PLAIN):
        return body
    unpacking = zlib.decompressobj()
    body = unpacking.decompress(body, MAX_BYTES)
    if not unpacking.eof:
        raise SourceError("the data is cut off, or larger than a compressed tree may be")
    return body


def _tree_of(packed: dict[str, Any], max_nodes: int) -> PageTree:
    labels, trees, roots, strings, attributes = (packed[name] for name in ("labels", "trees", "roots", "strings", "attributes"))
    if any(number < 0 for number in chain(roots, *labels, *trees)) or not all(isinstance(text, str) for text in (*strings, *attributes)):
        raise ValueError("these are not numbers or strings")
    label, parent, end = _expanded(trees, roots, max_nodes)
    own = (*tags.KNOWN, *packed["own"])
    code = {name: number for number, name in reversed(list(enumerate(own)))}
    code_of = [code[packed["names"][each[0]]] for each in labels]
    tag = np.array([code_of[k] for k in label], dtype=np.int32)
    text_nodes = np.flatnonzero(tag == tags.TEXT).astype(np.int32)
    count = Counter(chain.from_iterable(labels[k][2:] for k in label))
    if len(strings) != len(text_nodes) + count.total():
        raise ValueError("there are more or fewer strings than nodes and attributes need")
    values = iter(strings)
    texts = list(islice(values, len(text_nodes)))
    streams = [iter(list(islice(values, count[k]))) for k in range(len(attributes))]
    return PageTree(
        tag=tag,
        parent=np.array(parent, dtype=np.int32),
        end=np.array(end, dtype=np.int32),
        text_nodes=text_nodes,
        texts=texts,
        link=np.array([bool(labels[k][1]) for k in label], dtype=np.bool_),
        attributes=tuple({attributes[k]: next(streams[k]) for k in labels[one][2:]} for one in label),
        names=own,
        json_ld=tuple(packed["json_ld"]),
        notes=tuple(packed["notes"]),
    )


def _expanded(trees: list[list[int]], roots: list[int], max_nodes: int) -> tuple[list[int], list[int], list[int]]:
    """Label, parent and end of every node, in document order, within the bound."""
    size: list[int] = []
    for number, (_, *children) in enumerate(trees):
        if any(below >= number for below in children):
            raise ValueError("a subtree is part of itself")
        size.append(1 + sum(size[below] for below in children))
        if size[-1] > max_nodes:
            break
    if max(size, default=0) > max_nodes or sum(size[root] for root in roots) > max_nodes:
        raise SourceError(f"the data unpacks to more than {max_nodes} nodes, the most allowed (max_nodes)")
    label: list[int] = []
    parent: list[int] = []
    end: list[int] = []
    waiting = [(root, -1) for root in reversed(roots)]
    while waiting:
        number, above = waiting.pop()
        here = len(label)
        label.append(trees[number][0])
        parent.append(above)
        end.append(here + size[number])
        waiting += [(below, here) for below in reversed(trees[number][1:])]
    return label, parent, end
