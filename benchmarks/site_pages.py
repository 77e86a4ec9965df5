"""The pages of a site with gold, parted: some to score on, the others to learn from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from benchmarks.choosing import chosen
from benchmarks.gold import GoldPage, read_gold
from tamis.errors import SourceError
from tamis.page.decode import decode
from tamis.page.parsing import read_file

LearnFrom = Literal["all", "content"]


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page without gold."""

    url: str
    path: Path = field(repr=False)
    is_content: bool  #: Whether it is a content page: no list, tag or search page.

    def html(self) -> str:
        """The page, decoded."""
        return decode(read_file(self.path))


@dataclass(frozen=True, slots=True)
class SitePages:
    """A site's pages for one run."""

    name: str
    scored: tuple[GoldPage, ...] = field(repr=False)  #: Content pages that methods are scored on.
    others: tuple[SourcePage, ...] = field(repr=False)  #: Pages to learn from: none of the scored ones.

    def draw(self, seed: int) -> list[SourcePage]:
        """All pages to learn from in random order: the first *k* of them are a draw of *k*."""
        pages = list(self.others)
        Random(f"{seed} {self.name}").shuffle(pages)
        return pages


def site_folders(folder: Path, names: Sequence[str] | None = None) -> list[Path]:
    """The folders of sites: those in a folder of sites, or the one that is given.

    Args:
        folder: a site, or a folder of sites.
        names: only these sites.

    Raises:
        SourceError: there is no site.
        UsageError: a name is none of a site.
    """
    folder = folder.resolve()
    found = [folder] if (folder / "site.json").is_file() else sorted(path.parent for path in folder.glob("*/site.json"))
    if not found:
        raise SourceError(f"no sites in {folder}: it needs a site.json, or folders that have one")
    known = {path.name: path for path in found}
    return [known[name] for name in chosen("site", names, known)]


def read_site_pages(folder: Path, score: int | None = 25, learn_from: LearnFrom = "all") -> SitePages:
    """The pages of one site, parted.

    Args:
        folder: the site.
        score: at most so many content pages are scored, and at most half of those there are, spread evenly; None: half.
        learn_from: learn from all other pages, list and tag pages included, or from content pages only.

    Raises:
        SourceError: the folder has no content pages with gold.
        MissingExtraError: lxml or cssselect is not installed.
    """
    listed = json.loads((folder / "pages.json").read_text("utf-8"))
    content = sum(page["kind"] == "content" for page in listed)
    if content < 2:
        raise SourceError(f"{folder.name} has {content} content pages: some must be scored, others learned from")
    scored = read_gold(folder, min(score or content, (content + 1) // 2))
    taken = {page.path for page in scored}
    others = tuple(
        SourcePage(page["url"], path, page["kind"] == "content")
        for page in listed
        if (path := folder.resolve() / "pages" / page["file"]) not in taken and (learn_from == "all" or page["kind"] == "content")
    )
    return SitePages(json.loads((folder / "site.json").read_text("utf-8"))["name"], tuple(scored), others)
