"""Evidence, compiled. Use :mod:`tamis.content.evidence`. Columns that do not fit each other raise ValueError."""

from typing import Any

from numpy.typing import NDArray

Buffer = NDArray[Any]

def gather(*columns: Buffer | list[str] | bool) -> Any:
    """The evidence of a page's ``b`` blocks, one column after the other (float32), and the words of each (int64).

    With keys also the number of words as hashes by block and source (int32 ``(2 * b,)``), and these (uint32), block by block; then the
    columns of learned words are not set.

    The arguments, in order:
        tag, parent, end, link, text_nodes, texts: of the tree.
        element, first, last, length, link_length: of the blocks.
        classes, class_values, ident, ident_values, href, hrefs: class, id and address of each node (:class:`tamis.page.tree.Values`).
        hidden, marks, posts: whether the page hides each node, bool; what it is, in bits, uint8; what it has to do with posts, uint8.
        kinds: what each character is, in bits, uint8 ``(65536,)``.
        tag_bits, holder_bits: evidence of each tag code, and of the tag that holds a block, uint64; the last entry is for all others. The
            highest bit of ``tag_bits``: its names say nothing.
        keys, bits: known beginnings of words by their hash, an open table, uint64, 0 for none; and what each hints at, uint64.
        learned, near, above: of :attr:`tamis.content.evidence.vocabulary.Vocabulary.table`, uint32, int16, int16.
        known, weight: of :attr:`tamis.content.evidence.words.Words.table`, uint32, int8.
        wants_keys: whether keys are given, too.
    """
