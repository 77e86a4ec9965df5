"""Similarity of subtrees by their structure: free matching and ordered matching (and by it, simple tree matching).

Source: Song and Zhang (2011), definitions 2.1 and 2.2; Yang (1991). The definitions are in ``docs/methods/similarity.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tamis.errors import UsageError
from tamis.page.parsing import Page, parse
from tamis.structure.matching import Matched, match
from tamis.structure.shapes import Shapes, Shaping, shapes

Method = Literal["free", "ordered"]
Similarities = NDArray[np.float64]


def similarity(a: Page, b: Page, method: Method = "free", shaping: Shaping = Shaping()) -> float:
    """Structural similarity of two pages, 0..1; 1 for a page and itself.

    Args:
        a: a page: HTML, bytes, a file (``Path``), a tree.
        b: another.
        method: ``free`` or ``ordered``.
        shaping: what subtrees are compared by; ``ordered`` in it is set as the method needs it.

    Raises:
        SourceError: a file cannot be read.
        UsageError: an unknown method, or one of the pages has an unknown type.

    >>> two, three = "<ul><li>1<li>2</ul>", "<ul><li>1<li>2<li>3</ul>"
    >>> similarity(two, three), round(similarity(two, three, "ordered"), 4)
    (1.0, 0.9231)
    """
    found = shapes([parse(a), parse(b)], shaping_for(method, shaping))
    return float(similarities(found, found.of(), found.of(tree=1)))


def similarities(found: Shapes, a: NDArray[np.integer] | int, b: NDArray[np.integer] | int) -> Similarities:
    """Return the similarity of pairs of shapes ``a[i]``, ``b[i]`` (they broadcast), float64; ordered where the shapes are, else free.

    Every distinct pair of shapes that is met on the way down is compared once, for all pairs asked for together. So one sample
    against many nodes is ``similarities(found, found.of(node), found.nodes[0][nodes])``, and all pairs of some subtrees are
    ``similarities(found, s[:, None], s[None, :])``. A node that is left out (:data:`~tamis.structure.shapes.NO_SHAPE`) is like none: 0.

    >>> found = shapes(parse("<body><p><b>1</b><p><i>2</i><p>3"))
    >>> paragraphs = found.nodes[0][[3, 6, 9]]
    >>> similarities(found, paragraphs[:, None], paragraphs[None, :]).round(3).tolist()
    [[1.0, 0.5, 0.667], [0.5, 1.0, 0.667], [0.667, 0.667, 1.0]]
    """
    return matched(found, a, b).values


def matched(found: Shapes, a: NDArray[np.integer] | int, b: NDArray[np.integer] | int) -> Matched:
    """Do what :func:`similarities` does, with whether all values are exact and with every pair compared on the way."""
    first, second = np.broadcast_arrays(np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64))
    done = match(found, first.ravel(), second.ravel())
    return replace(done, values=done.values.reshape(first.shape))


def shaping_for(method: Method, shaping: Shaping = Shaping()) -> Shaping:
    """Return the shaping that a method works on.

    Raises:
        UsageError: an unknown method.
    """
    if method not in get_args(Method):
        raise UsageError(f"methods are {' and '.join(get_args(Method))}, not {method!r}")
    return replace(shaping, ordered=method == "ordered")
