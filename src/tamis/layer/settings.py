"""Settings of same-layer noise removal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tamis.errors import UsageError

Verification = Literal["during", "after"]


@dataclass(frozen=True, slots=True)
class Matching:
    """How a block is looked for in another page.

    Raises:
        UsageError: a value is out of its range.
    """

    tag_similarity: float = 0.8
    """alpha: least share of the block's nodes that must be matched (paper: 0.8)."""
    text_similarity: float = 0.6
    """beta: least share of its words (paper: 0.6)."""
    skips: int = 3
    """MAX: subtrees that one slide may skip (the paper names no number)."""
    text_tolerance: float = 0.5
    """Two texts are matched if so much of the longer one is a common subsequence of words, which then count; 1: equal texts only."""
    verification: Verification = "after"
    """When depths are compared: ``"after"`` a whole match (the paper), or of each pair ``"during"`` it, so that a wrong pair is a mismatch
    to slide past."""

    def __post_init__(self) -> None:
        for name in ("tag_similarity", "text_similarity", "text_tolerance"):
            if not 0 < getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share above 0 and up to 1, not {getattr(self, name)}")
        if self.skips < 0:
            raise UsageError(f"skips is a number of subtrees from 0, not {self.skips}")
        if self.verification not in get_args(Verification):
            raise UsageError(f"verification is {' or '.join(get_args(Verification))}, not {self.verification!r}")


@dataclass(frozen=True, slots=True)
class SameLayer:
    """How blocks are judged by same-layer pages. The defaults are what works best (see the measurements); :meth:`paper` is literal.

    Raises:
        UsageError: a value is out of its range.
    """

    matching: Matching = Matching()
    numbers_alike: bool = True
    """Whether numbers are taken for the same, so that dates and counters do not tell a block from its copies (the paper says nothing)."""
    min_support: int = 1
    """Same-layer pages in which a block must match to be noise (paper: 1)."""
    repeated_share: float | None = 0.9
    """A block that matches stays if less than this share of the text at its places in the page matches, too: a caption that other
    articles happen to have stands among others that they have not. And a heading that matches stays where what it heads stays.
    None: whatever matches is noise (the paper)."""
    slot_share: float | None = 0.8
    """A block that does not match is noise if it stands in a *slot*, an element with a class or id that same-layer pages have at the same
    place, and at least this share of the slot's text is links or repeated there: related pages, previous and next, contents, tags.
    None: only what matches is noise (the paper)."""
    slot_links: float = 0.5
    """And at least this share of the slot's text must be links."""

    def __post_init__(self) -> None:
        if self.min_support < 1:
            raise UsageError(f"min_support is a number of pages from 1, not {self.min_support}")
        for name in ("repeated_share", "slot_share"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 1:
                raise UsageError(f"{name} is a share above 0 and up to 1, or None, not {value}")
        if not 0 <= self.slot_links <= 1:
            raise UsageError(f"slot_links is a share from 0 to 1, not {self.slot_links}")

    @classmethod
    def paper(cls, tag_similarity: float = 0.8, text_similarity: float = 0.6) -> SameLayer:
        """As the paper has it: what matches in one page is noise, and nothing else; depths are compared after a match."""
        return cls(Matching(tag_similarity, text_similarity), numbers_alike=False, repeated_share=None, slot_share=None)
