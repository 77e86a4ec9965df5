from typing import Any

from numpy.typing import NDArray

_Buffer = bytes | NDArray[Any]

def shingled(text: str, kinds: _Buffer, folds: _Buffer, width: int) -> tuple[bytes, bytes, bytes, int, int] | None: ...
def among(shingles: _Buffer, others: _Buffer) -> bytes: ...
def overlaps(
    shingles: _Buffer, others: list[_Buffer], bound: int, passage: int, passages: int, demanded: int, window: int, share: float
) -> bytes: ...
