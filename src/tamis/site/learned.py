"""Settings of a site model, and manual rules."""

from __future__ import annotations

from dataclasses import dataclass

from tamis.page.css import check_css


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """Settings of a site model."""

    alike: float = 0.5  #: Least likeness of a page to its layout (:func:`tamis.structure.layouts.likeness`).
    least_pages: int = 2  #: Pages a template is learned from at the least; with fewer a page is cleaned by itself.
    most_pages: int = 1000  #: Pages a template is learned from at the most: of more a sample is taken, so that memory is bounded.


@dataclass(frozen=True, slots=True)
class Rules:
    """Manual rules: CSS selectors that win over what was learned; where both match, drop wins.

    Raises:
        UsageError: a selector is not valid CSS.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for selector in (*self.keep, *self.drop):
            check_css(selector)
