"""What the sample of a site says of the blocks of a page, compiled. Use :mod:`tamis.site.places`.

Columns that do not fit each other raise ValueError.
"""

from typing import Any

from numpy.typing import NDArray

Column = NDArray[Any]

def keys(step: Column, name: Column, parent: Column, /) -> bytes:
    """The keys of each element, uint64 ``(KINDS, e)``.

    Args:
        step: two hashes of each distinct element name, uint64: with its tokens, and of its tag.
        name, parent: of each element, int32.
    """

def sums(*columns: Column) -> tuple[bytes, bytes]:
    """What a page adds to a sample: of each block, float64 ``(b, PLACE)``, and below each element, float64 ``(e, CONTAINER)``.

    The columns, in order:
        parent: of each element, int32.
        element, length, link_length, words: of each block, int32.
        probability: by log-odds, int32.
        log_odds: of each block, int16.
        frequent: whether its text is on many sample pages, bool.
    """

def gather(*columns: Column | float) -> bytes:
    """The evidence of a page, float32 ``(b, COLUMNS)``.

    The columns, in order:
        step: as of :func:`keys`.
        heading: of each distinct element name, whether it is of a heading, bool.
        name, parent: of each element, int32.
        element, text, length, link_length, words: of each block; int32, the text uint64.
        probability: by log-odds, int32.
        log_odds: of each block, int16.
        texts, text_pages, texts_at_places, pages_there, places, sums, containers, sums below: of the sample, uint64 and float64 in turn.
        likeness: to the layout of sample pages that the page is most like.
        pages: of the sample; least: pages that a frequent text is on; share of the pages of a place that a text frequent there is on.
        own: whether the page is in the sample.
    """

def weigh(evidence: Column, columns: int, threshold: Column, column: Column, more: Column, unknown: Column, root: Column, /) -> bytes:
    """:meth:`tamis.site.trees.Trees.log_odds`, float64 ``(b,)``. Arguments as of its fields; evidence float32, a row a block."""
