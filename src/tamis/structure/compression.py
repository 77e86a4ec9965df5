"""A page tree in few bytes: equal subtrees stored once, nothing lost.

The structure (tags and which attributes there are) is stored as its distinct subtrees, each a label and the numbers of its children;
texts and the values of attributes follow. The whole may be deflated. The form:

- the bytes ``tamis-tree`` and one byte: 1 as it is, 2 with all that follows deflated (zlib);
- a number of 4 bytes, little-endian as all numbers: the length of a header in JSON: ``names`` (names of tags), ``own`` (those that no
  standard has, in the order of their codes), ``attributes`` (names of attributes), ``json_ld``, ``notes``, ``columns`` (name, bytes of a
  number, length of each);
- the columns, one after the other: unsigned numbers of 1, 2, 4 or 8 bytes;
- the strings in UTF-8, a NUL after each; a NUL in a string is written as the bytes 1 1, a byte 1 as 1 2.

What the columns hold: ``tag`` (index into names), ``link`` (1 for a hyperlink), ``has`` (number of attributes) and ``attribute`` (indices
into attributes) say what the labels are; ``label``, ``children`` (their number) and ``child`` are the distinct subtrees, children before
parents; ``root`` the subtrees of the roots; ``string`` the string of each text node, in document order, then those of the attributes, by
attribute, then in document order. Where that column is empty, the strings stand in that order themselves: equal strings one by one are
then left to zlib, which stores them in less than the column that would name them takes.

Source: the further work named by Song and Zhang (2011), section 5: to compress redundant subtrees without losing the structure.
"""

from __future__ import annotations

import json
import zlib
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.errors import SourceError
from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.structure.consing import cons

MAGIC = b"tamis-tree"
PLAIN, DEFLATED = b"\x01", b"\x02"
MAX_NODES = 20_000_000
"""Nodes of a tree that is unpacked at the most: a few bytes can stand for any number of equal subtrees."""
MAX_BYTES = 1 << 30
"""Bytes that deflated data may become."""

Column = NDArray[np.unsignedinteger[Any]]


def compress(tree: PageTree, *, deflate: bool = True) -> bytes:
    """The tree in the form described above.

    Args:
        tree: a page.
        deflate: whether zlib comes after; without it equal subtrees and equal strings are all that is saved.

    >>> from tamis import parse
    >>> tree = parse("<ul>" + "<li><a href=/>one</a>" * 1000 + "</ul>")
    >>> len(compress(tree, deflate=False)), decompress(compress(tree)).text() == tree.text()
    (3325, True)
    """
    columns, strings, header = _packed(tree)
    if deflate:
        columns["string"] = _narrow([])
    else:
        strings, columns["string"] = _distinct(strings)
    header["columns"] = [[name, column.itemsize, len(column)] for name, column in columns.items()]
    head = json.dumps(header, separators=(",", ":")).encode()
    parts = [len(head).to_bytes(4, "little"), head, *(column.tobytes() for column in columns.values()), *map(_ended, strings)]
    body = b"".join(parts)
    return MAGIC + (DEFLATED + zlib.compress(body, 9) if deflate else PLAIN + body)


def decompress(data: bytes, *, max_nodes: int = MAX_NODES) -> PageTree:
    """The tree that was compressed, the same in every column, text and attribute.

    Args:
        data: what :func:`compress` made.
        max_nodes: most nodes that it may have.

    Raises:
        SourceError: the data is no compressed tree, is damaged, or stands for more than ``max_nodes`` nodes.
    """
    try:
        return _unpacked(_body(data), max_nodes)
    except SourceError:
        raise
    except (ValueError, LookupError, TypeError, zlib.error, OverflowError, MemoryError, RecursionError) as error:
        raise SourceError(f"the data is a damaged compressed tree: {error}") from error


# -- packing --------------------------------------------------------------------------------------------------------------------


def _packed(tree: PageTree) -> tuple[dict[str, Column], list[str], dict[str, Any]]:
    """The columns but for the strings', all strings in order, and the header of a tree."""
    attributes: dict[str, int] = {}
    labels: dict[tuple[int, ...], int] = {}
    node_labels, values = _labels(tree, labels, attributes)
    consed = cons(np.array(node_labels, dtype=np.int32), tree.parent, ordered=True)
    names = {tree.names[code]: k for k, code in enumerate(sorted({label[0] for label in labels}))}
    columns = {
        "tag": [names[tree.names[label[0]]] for label in labels],
        "link": [label[1] for label in labels],
        "has": [len(label) - 2 for label in labels],
        "attribute": list(chain.from_iterable(label[2:] for label in labels)),
        "label": consed.label.tolist(),
        "children": np.diff(consed.start).tolist(),
        "child": consed.child.tolist(),
        "root": consed.number[tree.parent < 0].tolist(),
    }
    header = {
        "names": list(names),
        "own": list(tree.names[len(tags.KNOWN) :]),
        "attributes": list(attributes),
        "json_ld": list(tree.json_ld),
        "notes": list(tree.notes),
    }
    return {name: _narrow(column) for name, column in columns.items()}, [*tree.texts, *chain.from_iterable(values)], header


def _distinct(strings: list[str]) -> tuple[list[str], Column]:
    """The distinct strings as they come, and which of them each is."""
    numbers: dict[str, int] = {}
    of = [numbers.setdefault(text, len(numbers)) for text in strings]
    return list(numbers), _narrow(of)


def _ended(text: str) -> bytes:
    """A string with a NUL after it, and none in it."""
    return text.replace("\1", "\1\2").replace("\0", "\1\1").encode("utf-8", "surrogatepass") + b"\0"


def _labels(tree: PageTree, labels: dict[tuple[int, ...], int], names: dict[str, int]) -> tuple[list[int], list[list[str]]]:
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


def _narrow(numbers: list[int]) -> Column:
    """The numbers in as few bytes each as hold them, little-endian."""
    kind = next(kind for kind in ("<u1", "<u2", "<u4", "<u8") if max(numbers, default=0) <= np.iinfo(kind).max)
    return np.array(numbers, dtype=kind)


# -- unpacking ------------------------------------------------------------------------------------------------------------------


def _body(data: bytes) -> bytes:
    if not data.startswith((MAGIC + PLAIN, MAGIC + DEFLATED)):
        raise SourceError("the data is no compressed tree of this version of tamis")
    body = data[len(MAGIC) + 1 :]
    if data[len(MAGIC) : len(MAGIC) + 1] == PLAIN:
        return body
    unpacking = zlib.decompressobj()
    body = unpacking.decompress(body, MAX_BYTES)
    if not unpacking.eof:
        raise SourceError("the data is cut off, or larger than a compressed tree may be")
    return body


def _unpacked(body: bytes, max_nodes: int) -> PageTree:
    header, columns, strings = _read(body)
    child = list(map(columns["child"].__getitem__, _slices(columns["children"])))
    size = _sizes(child, max_nodes, columns["root"])
    label, parent, end = _expanded(columns["root"], columns["label"], child, size)
    names = tuple(header["names"])
    own = (*tags.KNOWN, *header["own"])
    code = {name: number for number, name in reversed(list(enumerate(own)))}
    tag = np.array([code[names[columns["tag"][k]]] for k in label], dtype=np.int32)
    text_nodes = np.flatnonzero(tag == tags.TEXT).astype(np.int32)
    texts, values = tuple(strings[: len(text_nodes)]), strings[len(text_nodes) :]
    if len(texts) != len(text_nodes):
        raise ValueError("columns do not fit each other")
    having = [columns["attribute"][part] for part in _slices(columns["has"])]
    return PageTree(
        tag=tag,
        parent=np.array(parent, dtype=np.int32),
        end=np.array(end, dtype=np.int32),
        text_nodes=text_nodes,
        texts=texts,
        link=np.array([columns["link"][k] for k in label], dtype=np.bool_),
        attributes=_attributes(label, having, values, header["attributes"]),
        names=own,
        json_ld=tuple(header["json_ld"]),
        notes=tuple(header["notes"]),
    )


def _read(body: bytes) -> tuple[dict[str, Any], dict[str, list[int]], list[str]]:
    """Header, columns, and all strings in order."""
    at = 4 + int.from_bytes(body[:4], "little")
    header = json.loads(body[4:at])
    columns: dict[str, list[int]] = {}
    for name, width, length in header["columns"]:
        columns[name] = np.frombuffer(body, f"<u{width}", length, at).tolist()
        at += width * length
    *strings, rest = body[at:].decode("utf-8", "surrogatepass").split("\0")
    if rest:
        raise ValueError("the last string has no end")
    strings = [text.replace("\1\1", "\0").replace("\1\2", "\1") if "\1" in text else text for text in strings]
    return header, columns, [strings[k] for k in columns["string"]] if columns["string"] else strings


def _slices(lengths: list[int]) -> list[slice]:
    return [slice(start, stop) for start, stop in pairwise(accumulate(lengths, initial=0))]


def _sizes(child: list[list[int]], max_nodes: int, roots: list[int]) -> list[int]:
    """Nodes of every distinct subtree, within the bound."""
    size: list[int] = []
    for number, children in enumerate(child):
        if any(below >= number for below in children):
            raise ValueError("a subtree is part of itself")
        size.append(1 + sum(size[below] for below in children))
        if size[-1] > max_nodes:
            break
    if not size or (size[-1] <= max_nodes and sum(size[root] for root in roots) <= max_nodes):
        return size
    raise SourceError(f"the data stands for more than the {max_nodes} nodes that are unpacked at the most (max_nodes)")


def _expanded(roots: list[int], labels: list[int], child: list[list[int]], size: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Label, parent and end of every node, in document order."""
    label: list[int] = []
    parent: list[int] = []
    end: list[int] = []
    waiting = [(root, -1) for root in reversed(roots)]
    while waiting:
        number, above = waiting.pop()
        here = len(label)
        label.append(labels[number])
        parent.append(above)
        end.append(here + size[number])
        waiting += [(below, here) for below in reversed(child[number])]
    return label, parent, end


def _attributes(label: list[int], having: list[list[int]], values: list[str], names: list[str]) -> tuple[dict[str, str], ...]:
    """The attributes of every node: values are in order of attribute, then of node."""
    count = np.bincount(np.array([k for one in label for k in having[one]], dtype=np.int64), minlength=len(names)).tolist()
    if sum(count) != len(values):
        raise ValueError("columns do not fit each other")
    streams = [iter(values[part]) for part in _slices(count)]
    return tuple({names[k]: next(streams[k]) for k in having[one]} for one in label)
