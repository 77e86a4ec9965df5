from typing import Any

from numpy.typing import NDArray

_Column = NDArray[Any]

def candidates(
    every: list[_Column],
    rarest: list[_Column] | None,
    size: list[_Column],
    demand: list[_Column],
    feature: _Column,
    order: _Column,
    texts: _Column,
    start: int,
    most: int,
) -> tuple[int, bytes]:
    """The first text that is not done, and text, row and strength of each pair, uint32 ``(c, 3)``."""

def counts(every: list[_Column], feature: _Column, order: _Column) -> bytes: ...
