"""Settings of the style tree: what an element and its content are taken to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tamis.errors import UsageError

AttributeUse = Literal["none", "display", "class"]


@dataclass(frozen=True, slots=True)
class StyleSettings:
    """How pages are read into a style tree. Only trees of equal settings merge.

    The defaults clean text best (see the documentation's measurements) and never read a page's attributes; :meth:`paper` is literal.

    Raises:
        UsageError: a setting is not one of its values.
    """

    attributes: AttributeUse = "none"
    """What makes two elements of a tag differ: nothing (``"none"``), the display attributes that the paper names (``"display"``:
    bgcolor, width, align, style and their like), or class names and ids with runs of digits made one (``"class"``)."""
    links: bool = False
    """Whether the target of a link is a feature of the leaves inside it."""
    images: bool = False
    """Whether the file of an image is a feature."""

    def __post_init__(self) -> None:
        if self.attributes not in get_args(AttributeUse):
            raise UsageError(f"attributes is one of {', '.join(get_args(AttributeUse))}, not {self.attributes!r}")

    @classmethod
    def paper(cls) -> StyleSettings:
        """As the paper has it: display attributes tell elements apart; words, link targets and image files are features."""
        return cls(attributes="display", links=True, images=True)


@dataclass(frozen=True, slots=True)
class Cleaning:
    """How a style tree decides what is noise.

    Raises:
        UsageError: a number is out of its range.
    """

    threshold: float | None = None
    """t: an element is noisy if it and all below it have a CompImp of at most t, 0..1; None: chosen from the tree
    (:func:`~tamis.site.style_tree.choose_threshold`)."""
    gamma: float = 0.9
    """Weight of what stands below an element against its own styles (paper: 0.9)."""
    min_pages: int = 4
    """An element on fewer pages is not noisy, however equal they are: few pages are weak evidence (paper: 2)."""

    def __post_init__(self) -> None:
        for name in ("threshold", "gamma"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {value}")
        if self.min_pages < 2:
            raise UsageError(f"min_pages is at least 2, not {self.min_pages}: one page says nothing about repetition")

    @classmethod
    def paper(cls, threshold: float | None = None) -> Cleaning:
        """As the paper has it: two pages are evidence enough. The paper sets the threshold by hand for each site."""
        return cls(threshold=threshold, min_pages=2)
