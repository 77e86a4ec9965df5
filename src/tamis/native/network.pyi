"""The network, compiled. Use :class:`tamis.content.network.Network`. Columns that do not fit each other raise ValueError."""

from typing import Any

from numpy.typing import NDArray

Buffer = NDArray[Any]

def log_odds(
    evidence: Buffer, scale: Buffer, entry: Buffer, page: Buffer, steps: Buffer, last: Buffer, out: Buffer, layers: int, outputs: int, /
) -> bytes:
    """:meth:`tamis.content.network.Network.log_odds`, float64.

    Args:
        evidence: one column after the other, float32.
        scale, entry, page, steps, last, out: of the network, float32.
        layers: how many steps there are.
        outputs: how many values each block gets.
    """

def squash(evidence: Buffer, scale: Buffer, /) -> bytes:
    """:meth:`tamis.content.network.Network.squash`, one column after the other, as ``evidence``; all float32."""
