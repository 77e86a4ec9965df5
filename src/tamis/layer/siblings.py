"""Same-layer pages of a page: links under the same node of the site that do not lead to the same article.

Step 1 of same-layer noise removal (Yuan, Zhang, Jiang, Zhao 2006). Text that pages of one article share is content, so these pages are left
out. Nothing here fetches: :func:`tamis.crawl.siblings` does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import PurePosixPath
from urllib.parse import quote, urldefrag

import numpy as np

from tamis.content import attenuation
from tamis.document.metadata import address_of
from tamis.errors import TamisError, UsageError
from tamis.io.addresses import Address, ArticlePart, read_address
from tamis.io.pages import FilePage, Source
from tamis.page.hyperlinks import Hyperlink, hyperlinks, moves_on
from tamis.page.parsing import parse
from tamis.page.tree import PageTree
from tamis.structure.hashing import Hashes, mix, words

SAME_PATTERN = 0.8  #: Addresses with a likeness of at least this (:func:`pattern_likeness`) are of one pattern.
SHARED_TEXT = 0.7  #: Pages whose main texts share more than this, by the shorter one, count as the same article.
SHINGLE = 6  #: Words in a row that count as shared.
LEAST_SHINGLES = 20  #: A main text with fewer says nothing about what it shares.
MAX_COMPARED = 1_000_000  #: Characters of a main text that are compared.
OTHER_FILES = frozenset(
    "7z aac atom avi bmp bz2 css csv doc docx epub exe gif gz ico jpeg jpg js json m4a mkv mov mp3 mp4 odt ogg pdf png ppt pptx ps rar rss "
    "svg tar tgz tif tiff txt wav webm webp woff woff2 xls xlsx xml xz zip".split()
)
"""Suffixes of addresses that lead to no page."""
TRIES = 12  #: Pages that are read beyond the same-layer pages that are wanted, at most.
_STUB = 100  #: Words; a page with fewer that redirects its readers is not a page of the site.
_FOLLOWS = frozenset({"next", "prev"})


@dataclass(frozen=True, slots=True)
class Sibling:
    """A link that may lead to a same-layer page, and the reasons for its rank."""

    url: str
    same_directory: bool  #: It is in the same folder.
    likeness: float  #: Likeness of the addresses' patterns, 0..1 (:func:`pattern_likeness`).
    shared: int  #: Folders that both addresses have in common, from the host on.


def rank_siblings(url: str, links: Iterable[str]) -> list[Sibling]:
    """Return the links of a page as candidates for same-layer pages, the most promising first.

    Only pages of the same host, each once. Links to the page itself, to another part of the same article (:func:`same_article_address`) and
    to files that are not pages by their suffix are left out. Order: pages of the same folder, then by likeness of the pattern, then by the
    length of the shared prefix, then as on the page.

    Args:
        url: address of the page.
        links: absolute addresses.

    >>> page = "https://example.org/news/oysters.html"
    >>> links = ["/", "/news/oysters_2.html", "/forum/boats.html", "/news/sea-wall.html", "/news/tides.html", "/a.pdf"]
    >>> [sibling.url[19:] for sibling in rank_siblings(page, ["https://example.org" + link for link in links])]
    ['/news/tides.html', '/news/sea-wall.html', '/forum/boats.html', '/']
    """
    here = read_address(url)
    found: dict[tuple[str, ...], Sibling] = {}
    for link in links:
        there = read_address(link)
        if there.host != here.host or there.leaf.rpartition(".")[2].lower() in OTHER_FILES or _same_parts(here.part, there.part):
            continue
        key = (*there.segments, *map("=".join, there.query))
        if key not in found:
            same = there.directory == here.directory
            folders = takewhile(lambda pair: pair[0] == pair[1], zip(here.directory, there.directory, strict=False))
            found[key] = Sibling(urldefrag(link).url, same, pattern_likeness(here, there), len(list(folders)))
    return sorted(found.values(), key=lambda sibling: (not sibling.same_directory, -sibling.likeness, -sibling.shared))


def pattern_likeness(here: Address, there: Address) -> float:
    """Return the likeness of the patterns of two addresses, 0..1: the mean of four shares.

    Depth (1 where equal, less by the difference), generalised folders that are equal in their place, kind of the last segment (slug,
    number, word, suffix, slash), names in the query that both have.
    """
    a, b = here.pattern, there.pattern
    depth = 1 / (1 + abs(len(a) - len(b)))
    folders = _share_of([x == y for x, y in zip(a[:-1], b[:-1], strict=False)], max(len(a), len(b), 1) - 1)
    last = _leaf_likeness(here, there)
    keys = _share_of([True] * len(here.keys & there.keys), len(here.keys | there.keys))
    return round((depth + folders + last + keys) / 4, 4)


def _share_of(hits: Sequence[bool], of: int) -> float:
    return sum(hits) / of if of else 1.0


def _leaf_likeness(here: Address, there: Address) -> float:
    """Half for the kind of the name, 0.3 for suffix and slash, 0.2 for the number of words: titles have more of them than menus."""
    a, b = (address.pattern[-1].partition(".") if address.pattern else ("", "", "") for address in (here, there))
    kind = 0.5 if a[0] == b[0] else 0.3 if {a[0], b[0]} == {"w", "*"} else 0.0
    ending = 0.3 if a[1:] == b[1:] and here.slash == there.slash else 0.0
    return kind + ending + 0.2 * min(here.words, there.words) / max(here.words, there.words, 1)


@dataclass(frozen=True, eq=False)
class SeenPage:
    """A page that has been read, with its address where that is known."""

    tree: PageTree = field(repr=False)
    url: str | None = None
    source: Source | None = None  #: Source of the page.

    @property
    def name(self) -> str:
        """Its address, or the path of its file."""
        return self.url or (self.source.name if self.source is not None else "a page")

    @cached_property
    def links(self) -> list[Hyperlink]:
        """Its links (:func:`tamis.page.hyperlinks.hyperlinks`)."""
        return hyperlinks(self.tree, self.url)

    @cached_property
    def follows(self) -> frozenset[tuple[str, ...]]:
        """Keys of the pages that it calls next or previous."""
        return frozenset(_address_key(link.url) for link in self.links if link.rel & _FOLLOWS)

    @cached_property
    def shingles(self) -> Hashes:
        """Hashes of all runs of :data:`SHINGLE` words of its main text (information attenuation), uint64, each once, sorted."""
        keep = attenuation.select(self.tree).keep[self.tree.text_nodes]
        run = words([" ".join(text for text, kept in zip(self.tree.texts, keep.tolist(), strict=True) if kept)[:MAX_COMPARED]]).hash
        length = len(run) - SHINGLE + 1
        if length < LEAST_SHINGLES:
            return np.zeros(0, dtype=np.uint64)
        weights = mix(np.arange(1, SHINGLE + 1, dtype=np.uint64))
        return np.unique(np.sum([run[k : k + length] * weights[k] for k in range(SHINGLE)], axis=0, dtype=np.uint64))


def see(source: Source) -> SeenPage:
    """Read a page. One that names no address of its own has the one it declares as canonical, if any.

    Raises:
        SourceError: it cannot be read.
    """
    served = source.read()
    tree = parse(served.html, content_type=served.content_type)
    return SeenPage(tree, address_of(tree, served.url), source)


def same_article(page: SeenPage, other: SeenPage) -> str | None:
    """Return why another page may be of the same article, or None.

    A part of the same article by its address, called next or previous by either page, or a main text that shares more than
    :data:`SHARED_TEXT`."""
    if page.url and other.url:
        if (reason := same_article_address(page.url, other.url)) is not None:
            return reason
        if _address_key(other.url) in page.follows or _address_key(page.url) in other.follows:
            return "one page calls the other its next or previous page"
    shared = shared_text(page, other)
    return f"{shared:.0%} of the main text is the same" if shared > SHARED_TEXT else None


def objection(page: SeenPage, taken: Sequence[SeenPage], other: SeenPage) -> str | None:
    """Return why a page is not taken as a sibling: it may be of the same article, or repeat one that is taken. None if it can be taken."""
    if (words := len(other.tree.text().split())) < _STUB and (not words or _sends_on(other)):
        return "has no text of its own: it sends its readers on" if words else "has no text"
    if (reason := same_article(page, other)) is not None:
        return f"may be of the same article: {reason}"
    twin = next((sibling for sibling in taken if shared_text(sibling, other) > SHARED_TEXT), None)
    return f"says the same as {twin.name}" if twin is not None else None


def _sends_on(page: SeenPage) -> bool:
    """Return whether a page with little text sends its readers on: by a ``meta`` element, or by a script beside its only link."""
    return moves_on(page.tree) or len({page.tree.attribute(link, "href") for link in page.tree.link.nonzero()[0].tolist()}) == 1


def same_article_address(url: str, other: str) -> str | None:
    """Return why two addresses may be of one article: another view of the page, or numbered parts (``_2.html``, ``?page=2``, ``/2/``).

    >>> same_article_address("https://example.org/tides.html", "https://example.org/tides-2.html")
    'the addresses are those of parts 1 and 2 of one article'
    >>> same_article_address("https://example.org/node/12", "https://example.org/node/13")
    """
    a, b = read_address(url).part, read_address(other).part
    if not _same_parts(a, b):
        return None
    if (a.number or 1) == (b.number or 1):
        return "the addresses are those of one page"
    return f"the addresses are those of parts {a.number or 1} and {b.number or 1} of one article"


def _same_parts(a: ArticlePart, b: ArticlePart) -> bool:
    """Return whether two parts are of one article. Numbers alone under a plain name, ``/node/12/``, name articles."""
    if a.article != b.article:
        return False
    both_alone = a.bare and b.bare and a.number != b.number
    return not (both_alone and re.fullmatch(r"[^\W\d_]*", a.article[-1] if len(a.article) > 1 else ""))


def shared_text(page: SeenPage, other: SeenPage) -> float:
    """Return the share of the shorter main text that the other one has, too, 0..1; 0 if one has hardly any."""
    a, b = page.shingles, other.shingles
    if not len(a) or not len(b):
        return 0.0
    return len(np.intersect1d(a, b, assume_unique=True)) / min(len(a), len(b))


def _address_key(url: str) -> tuple[str, ...]:
    address = read_address(url)
    return (address.host, *address.segments, *map("=".join, address.query))


@dataclass(frozen=True, eq=False)
class Layer:
    """A page and its same-layer pages."""

    page: SeenPage
    pages: tuple[SeenPage, ...]  #: The same-layer pages, best first; at most as many as asked for.
    passed: tuple[tuple[str, str], ...] = ()  #: Pages that were looked at and not taken: address or path, and why.


def choose_siblings(page: Source | SeenPage, among: Iterable[Source], k: int = 3) -> Layer:
    """Return same-layer pages of a page among pages at hand, such as those of a folder.

    They are ranked by address, files by path, then read until ``k`` are found. Where none can be compared with the page, as with a page
    of the web and a folder of files, they are taken in their order.

    Args:
        page: the page.
        among: pages to choose from; the page itself may be one of them.
        k: how many are wanted.

    Raises:
        SourceError: the page cannot be read. Others that cannot be read are passed over.
        UsageError: ``k`` is below 1.
    """
    if k < 1:
        raise UsageError(f"k must be 1 or more, not {k}")
    page = see(page) if isinstance(page, Source) else page
    here = _address_to_rank(page.source, page.url)
    at = {_address_to_rank(source, None): source for source in among}
    ranked = [at[sibling.url] for sibling in rank_siblings(here, at) if sibling.url in at] or list(at.values())
    taken: list[SeenPage] = []
    passed: list[tuple[str, str]] = []
    for source in ranked[: k + TRIES]:
        if len(taken) == k:
            break
        try:
            other = see(source)
        except TamisError as error:
            passed.append((source.name, str(error)))
            continue
        reason = objection(page, taken, other)
        if reason is None:
            taken.append(other)
        else:
            passed.append((other.name, reason))
    return Layer(page, tuple(taken), tuple(passed))


def _address_to_rank(source: Source | None, url: str | None) -> str:
    """Return an address for ranking: the known one, or one made of the path."""
    if source is not None and source.url:
        return source.url
    if isinstance(source, FilePage):
        return "file:///" + quote(PurePosixPath(source.path).as_posix().lstrip("/"), errors="surrogatepass")
    return url or f"file:///{quote(source.name, errors='surrogatepass') if source is not None else ''}"
