"""Words, compiled. Use :mod:`tamis.content.evidence.words`. Columns that do not fit each other raise ValueError."""

from typing import Any

from numpy.typing import NDArray

Buffer = NDArray[Any]

def read(*columns: Buffer | list[str] | int) -> Any:
    """Columns of a page's ``b`` blocks, one after the other (float32).

    With keys also their number by block and source (int32 ``(2 * b,)``), and the keys (uint32), block by block.

    The arguments, in order:
        end, text_nodes, texts: of the tree.
        first, last: of the blocks.
        href, link, hrefs: index of each node's address, int32, -1 for none; whether it is a link, bool; the addresses.
        kinds: what each character is, in bits, uint8 ``(65536,)``.
        known, weight: keys as an open table, uint32, 0 for none; and what each weighs, int8.
        wants_keys: whether keys are given, too; then the columns of weights are not set.
    """
