"""Evidence, compiled. Use :mod:`tamis.content.evidence`."""

from typing import Any

from numpy.typing import NDArray

Buffer = NDArray[Any]

def gather(
    tag: Buffer,
    parent: Buffer,
    end: Buffer,
    text_nodes: Buffer,
    texts: list[str],
    element: Buffer,
    first: Buffer,
    last: Buffer,
    length: Buffer,
    link_length: Buffer,
    hint: Buffer,
    named: Buffer,
    learned_near: Buffer,
    learned_above: Buffer,
    kinds: Buffer,
    tag_bits: Buffer,
    holder_bits: Buffer,
    hidden: Buffer,
    /,
) -> tuple[bytes, bytes]:
    """The evidence of a page's ``b`` blocks, one column after the other (float32), and the words of each (int64).

    Args:
        tag: the tree's column (int32), as are parent, end, text_nodes and texts.
        element: of the blocks (int32), as are first, last, length (int64) and link_length (int64).
        hint: what the names of each node hint at, in bits, uint64.
        named: a number for the class names of each node, uint64.
        learned_near: weight of the learned names of each node, int32, as is learned_above.
        kinds: what each character is, in bits, uint8 ``(65536,)``.
        tag_bits: evidence of each tag code, uint64; the last entry is for all others, as in the next.
        holder_bits: evidence of the tag that holds a block, uint64.
        hidden: whether the page hides each block, uint8.

    Raises:
        ValueError: the columns do not fit each other.
    """

def read_names(
    names: list[str], keys: Buffer, bits: Buffer, learned: Buffer, near: Buffer, above: Buffer, /
) -> tuple[bytes, bytes, bytes, bytes]:
    """What each element name hints at, in bits, a number that elements with the same class names share, uint64 each, and the weights of
    its learned names beside a text, and farther up, int32 each.

    Args:
        names: as :attr:`tamis.page.tree.LazyAttributes.names` gives them.
        keys: the known beginnings of words by their hash, an open table, uint64; 0 for none.
        bits: what each hints at, uint64.
        learned: of :attr:`tamis.content.evidence.vocabulary.Vocabulary.table`, uint32, as are near and above, int16.
    """
