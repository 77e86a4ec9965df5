"""Settings of same-layer noise removal."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tamis.errors import UsageError, check_numbers

ENOUGH = 2  #: Same-layer pages that settle what a block is; of three, two are required.


@dataclass(frozen=True, slots=True)
class Matching:
    """Settings for finding a block in another page.

    Raises:
        UsageError: a value is out of its range.
    """

    tag_similarity: float = 0.8  #: alpha: least share of the block's nodes that must be matched (paper: 0.8).
    text_similarity: float = 0.6  #: beta: least share of its words (paper: 0.6).
    skips: int = 3  #: MAX: subtrees that one slide may skip (the paper names no number).
    text_tolerance: float = 0.5
    """Two texts are matched if so much of the longer one is a common subsequence of words, which then count; 1: equal texts only."""

    def __post_init__(self) -> None:
        check_numbers(self, parts=("tag_similarity", "text_similarity", "text_tolerance"))
        if self.skips < 0:
            raise UsageError(f"skips is a number of subtrees from 0, not {self.skips}")

    @classmethod
    def paper(cls) -> Matching:
        """Return the paper's thresholds, (alpha, beta) = (0.8, 0.6); MAX and the tolerance for texts are ours."""
        return cls(tag_similarity=0.8, text_similarity=0.6)


@dataclass(frozen=True, slots=True)
class SameLayer:
    """Settings for judging blocks by same-layer pages. The defaults measured best; :meth:`paper` is the paper's form.

    Raises:
        UsageError: a value is out of its range.
    """

    matching: Matching = Matching()
    numbers_alike: bool = True
    """Treat all numbers as the same, so that dates and counters do not distinguish a block from its copies (the paper says nothing)."""
    min_support: int | None = None
    """Same-layer pages in which a block must match to be noise (paper: 1). None: as many as the evidence needs, two, or one where that page
    has an exact copy of the block or the block is a list of links. A slot needs two pages, or the only one there is."""
    repeated_share: float | None = 0.9
    """A block that matches is kept if less than this share of the text at its location (the same path of tags, classes and ids) matches
    too: a caption that other articles happen to have is among captions that they lack. Blocks of links are exempt. A heading that
    matches is kept where the text below it is kept. None: whatever matches is noise (the paper)."""
    container_share: float | None = 0.5
    """A matching block of plain elements (paragraphs, headings, tables without a name) that follows text of the page's own in the same
    parent is kept if less than this share of the parent's text matches. None: the parent does not matter (the paper)."""
    slot_share: float | None = 0.8
    """A block that does not match is noise if it is part of a *slot*, an element with a class or id that same-layer pages have at the same
    location, and at least this share of the slot's words are links, words of the page's title, or repeated there: related pages, previous
    and next, breadcrumbs, contents, tags. None: only what matches is noise (the paper)."""
    left_share: float | None = 0.1
    """Blocks that match, but are neither exact copies nor lists of links, are kept if all else that is kept has less than this share of
    their words, and hardly any: similar short pages, such as products. None: the page may end without text (the paper)."""
    slot_links: float = 0.5  #: At least this share of the slot's words must be links, or words of the title beside links.

    def __post_init__(self) -> None:
        if self.min_support is not None and self.min_support < 1:
            raise UsageError(f"min_support is a number of pages from 1, or None, not {self.min_support}")
        check_numbers(self, shares=("slot_links",), parts=("repeated_share", "container_share", "slot_share", "left_share"))

    @classmethod
    def paper(cls, matching: Matching | None = None) -> SameLayer:
        """Return the paper's form: what matches in one page is noise, and nothing else."""
        plain = cls(matching or Matching.paper(), numbers_alike=False, min_support=1)
        return replace(plain, repeated_share=None, container_share=None, slot_share=None, left_share=None)

    def needed(self, pages: int) -> int:
        """Return how many of the same-layer pages must have a block, unless there is other evidence."""
        return self.min_support if self.min_support is not None else max(min(pages, ENOUGH), 1)
