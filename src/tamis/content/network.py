r"""A small network over the sequence of a page's blocks: from evidence to log-odds of being main text.

A paragraph between comments, a teaser among teasers and a line after the last paragraph are told by the blocks around them. So each layer
looks at a block and at two others, 1, 2, 4, 8, 16 and 32 blocks before and after it, and adds what it finds to what is known of the block;
before the first, each block is told the mean over the page. Evidence of any scale is brought to -1..1 by :math:`x / (|x| + s)`, with
*s* the median of the column; what is not known is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tamis.document import selection
from tamis.errors import ModelError
from tamis.native import network as compiled

Table = NDArray[np.float32]
LAYERS = 6
ROLES = selection.ROLES[1:]
"""Roles of a block beside main text: a visitor's comment, the title of the main text, its author or date or the like."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A network of ``w`` channels for ``c`` columns of evidence. The last row of each table of weights is added.

    Raises:
        ModelError: the shapes do not fit each other.
    """

    scale: Table  #: *s* of each column, float32 ``(c,)``.
    entry: Table  #: From evidence to channels, float32 ``(c + 1, w)``.
    page: Table  #: Of the mean over the page, float32 ``(w + 1, w)``.
    steps: Table  #: Of the blocks before, at and after, for each layer, float32 ``(LAYERS, 3 * w + 1, w)``.
    last: Table  #: Float32 ``(w + 1, w)``.
    out: Table  #: From channels to log-odds of main text and of :data:`ROLES`, float32 ``(w + 1, 1 + r)``; *r* may be 0.

    def __post_init__(self) -> None:
        width, outputs = len(self.out) - 1, self.out.shape[-1]
        square = (width + 1, width)
        shapes = ((len(self.scale),), (len(self.scale) + 1, width), square, (LAYERS, 3 * width + 1, width), square, (width + 1, outputs))
        if any(getattr(self, field.name).shape != shape for field, shape in zip(fields(self), shapes, strict=True)):
            raise ModelError("the weights of a network do not fit each other")
        for field in fields(self):
            object.__setattr__(self, field.name, np.ascontiguousarray(getattr(self, field.name), np.float32))

    @property
    def tables(self) -> tuple[Table, ...]:
        """The fields, in order."""
        return self.scale, self.entry, self.page, self.steps, self.last, self.out


def predict(networks: tuple[Network, ...], types: Table, evidence: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Judge the blocks of a page.

    Args:
        networks: at most four of one shape.
        types: from the mean of the page's evidence, brought to -1..1 by the first network's scale, to scores of page types, float32
            ``(c + 1, k)``; the last row is added.
        evidence: of the blocks, float32 ``(b, c)``.

    Returns:
        The mean of the networks' log-odds that each block is main text, and has each role, float64 ``(b, 1 + r)``; and the probability of
        each page type, float64 ``(k,)``.
    """
    by_column, outputs = np.ascontiguousarray(evidence.T, dtype=np.float32), networks[0].out.shape[1]
    tables = tuple(network.tables for network in networks)
    found, shares = compiled.log_odds(by_column, tables, np.ascontiguousarray(types, np.float32), len(by_column), LAYERS, outputs)
    return np.frombuffer(found).reshape(outputs, -1).copy().T, np.frombuffer(shares)
