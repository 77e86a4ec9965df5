"""From evidence to a choice, compiled. Use :mod:`tamis.content.node_model`. Columns that do not fit each other raise ValueError."""

from typing import Any

from numpy.typing import NDArray

Buffer = NDArray[Any]

def log_odds(
    evidence: Buffer, networks: tuple[tuple[Buffer, ...], ...], types: Buffer, columns: int, layers: int, outputs: int, /
) -> tuple[bytes, bytes]:
    """:func:`tamis.content.network.judge`, both float64.

    Args:
        evidence: one column after the other, float32.
        networks: the tables of each, float32.
        types: of the weights.
        columns: how many there are.
        layers: how many steps there are.
        outputs: how many values each block gets.
    """

def choose(probability: Buffer, words: Buffer, beta: float, spread: float, below: float, /) -> tuple[bytes, float, float]:
    """:func:`tamis.content.decision.choose`, of one block or more."""

def select(*given: Buffer | float) -> tuple[bytes, bytes, bytes, bytes]:
    """What each node gets: whether it is kept (bool), a reason (uint8), probability (float64) and role (uint8), as
    :func:`tamis.content.node_model.selection_of` gives them.

    The arguments, in order:
        first, last: of the blocks.
        text_nodes: of the tree.
        probability, keep, roles: of the judgement.
        threshold: the probability below which a block is kept as a title only.
        least: the least probability of a role.
        nodes: how many there are.
        steps: in which a reason tells a probability.
    """
