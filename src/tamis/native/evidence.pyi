"""Evidence, compiled. Use :mod:`tamis.content.evidence`. Columns that do not fit each other raise ValueError."""

from typing import Any

from numpy.typing import NDArray

Buffer = NDArray[Any]

def gather(*columns: Buffer | list[str]) -> tuple[bytes, bytes]:
    """The evidence of a page's ``b`` blocks, one column after the other (float32), and the words of each (int64).

    The columns, in order:
        tag, parent, end, text_nodes, texts: of the tree.
        element, first, last, length, link_length: of the blocks.
        classes, class_values, ident, ident_values: class and id of each node (:class:`tamis.page.tree.Values`).
        hidden: whether the page hides each node, bool.
        kinds: what each character is, in bits, uint8 ``(65536,)``.
        tag_bits, holder_bits: evidence of each tag code, and of the tag that holds a block, uint64; the last entry is for all others. The
            highest bit of ``tag_bits``: its names say nothing.
        keys, bits: known beginnings of words by their hash, an open table, uint64, 0 for none; and what each hints at, uint64.
        learned, near, above: of :attr:`tamis.content.evidence.vocabulary.Vocabulary.table`, uint32, int16, int16.
        others: further evidence of the blocks, one column after the other, float32; it comes last.
    """
