"""Metadata of a page: title, author, date, site name, language, canonical URL, description."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tamis.tree import PageTree


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says of itself; None where it says nothing."""

    title: str | None = None
    author: str | None = None
    date: str | None = None
    site_name: str | None = None
    language: str | None = None
    canonical_url: str | None = None
    description: str | None = None
    base: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The metadata as plain values."""
        return asdict(self)


def read_metadata(tree: PageTree, url: str | None = None) -> Metadata:
    """Read the metadata of a page."""
    return Metadata(base=url)
