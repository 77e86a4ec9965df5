"""Evidence from the sample pages of a site for each place: sums over their blocks, and columns of evidence for the blocks of a page.

Every block of a sample page has log-odds to be main text, by the page alone (:mod:`tamis.content.node_model`). They are summed for the
place that the block is at, and for every element around it. A page of the site is then told what the blocks at the same place, in
the same containers and with the same text were on the sample pages. All sums are of whole numbers, so they depend on the set of pages,
not on their order, and the sums of two samples add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tamis.native import places as compiled
from tamis.page.element_names import general
from tamis.page.grouping import group
from tamis.site.digest import LOG_ODDS_UNIT, MOST_LOG_ODDS, PageDigest
from tamis.structure.hashing import Hashes, text_hashes

Table = NDArray[np.float64]
PLACE_AND_TEXT = np.uint64(0xD6E8FEB86659FD93)  #: Weighs a place where it is joined with a text in one number.
MAX_KNOWN = 100_000  #: Element names whose hashes are remembered.
FREQUENT, FREQUENT_PAGES = 0.3, 2
"""A text is frequent if at least this share of the sample pages has it, or this share of the pages with its place has it there, and at
least this many pages."""
NAMED = 0.15  #: A class name or id is part of a path if at least this share of the pages has it on that tag.
KINDS = ("path", "tags", "local")
"""The places of a block: the path with names; of tags; the last three steps of the first. Of paths sums below the element are kept, too."""
PLACE: tuple[str, ...] = (
    "pages",
    "blocks",
    "p",
    "log-odds",
    "words",
    "p words",
    "length",
    "linked",
    "frequent",
    "frequent p",
    "below -1",
    "above 2",
)
"""Sums over the blocks of a place. Probabilities are in 65535ths, log-odds in 256ths."""
CONTAINER = ("pages", "blocks", "p", "words", "p words", "frequent words", "linked words", "own")
"""Sums over all blocks below an element; *own* is its share of the text of its pages that is neither link nor frequent."""
_OF_PLACE = ("page count", "p", "log-odds", "p by words", "below -1", "above 2", "links", "frequent", "p of rare", "difference")
_OF_CONTAINERS = ("consensus", "lowest", *(f"{level} {what}" for level in range(3) for what in ("frequent", "links")))
COLUMNS: tuple[str, ...] = (
    "log-odds", *(f"{side} {near}" for near in range(1, 4) for side in ("before", "after")), "around 4", "around 12", "page p",
    "page highest", "page words", "words", "links", "heading", "text pages", "text page count", "text at place",
    *(f"{kind}: {what}" for kind in KINDS for what in _OF_PLACE),
    *(f"around: {what}" for what in _OF_CONTAINERS),
    "links before", "links after", "sure before", "sure after", "since sure", "until sure", "layout likeness",
)  # fmt: skip
"""The columns of evidence (``gather`` in ``native/places.c``). What is not known is NaN."""
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_NAMELESS = frozenset(("html", "body"))  #: Elements that every page has once: their class names tell pages apart, not places.
_SCALE = np.arange(-MOST_LOG_ODDS, MOST_LOG_ODDS + 1) / LOG_ODDS_UNIT
MOST_PROBABLE, LINKED = 65535, 256  #: The probability 1 in sums; a word that is wholly in links.
PROBABILITY = np.round(MOST_PROBABLE / (1 + np.exp(-_SCALE))).astype(np.int32)  #: Of log-odds as digests hold them, in 65535ths.


@dataclass(frozen=True, eq=False)
class Sample:
    """Sums over the sample pages of a site: keys rising, each with a row of sums."""

    keys: Hashes  #: Keys of the pages (:attr:`~tamis.site.digest.PageDigest.key`), and of copies of them.
    pages: int  #: Pages, without copies.
    names: frozenset[str]  #: ``tag`` tab ``token`` pairs that name places.
    text: Hashes  #: Hash of each text.
    text_pages: Table  #: Pages that have it, float64.
    text_at: Hashes  #: Place and text in one number.
    text_at_pages: Table  #: Pages that have the text there, float64.
    place: Hashes  #: Places of all :data:`KINDS`.
    place_sums: Table  #: Float64 ``(p, PLACE)``.
    container: Hashes  #: Paths of elements.
    container_sums: Table  #: Float64 ``(c, CONTAINER)``.
    _steps: dict[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def least(self) -> int:
        """Pages that a frequent text is on, at the least."""
        return least_pages(self.pages)

    def holds(self, page: PageDigest) -> bool:
        """Return whether a page is in the sample."""
        return bool((self.keys == np.uint64(page.key)).any())

    def steps(self, names: Sequence[str]) -> tuple[Hashes, NDArray[np.uint8]]:
        """Return two hashes of each element name, uint64 ``(names * 2,)``, and whether it is of a heading, uint8."""
        try:  # nearly always: the pages of a site share their names
            rows = b"".join([self._steps[name] for name in names])
        except KeyError:
            if len(self._steps) > MAX_KNOWN:
                self._steps.clear()
            unknown = [name for name in names if name not in self._steps]
            tags = [name.partition("\t")[0] for name in unknown]
            hashes = np.empty((len(unknown), 3), np.uint64)
            hashes[:, 0], hashes[:, 1] = text_hashes([stable_name(name, self.names) for name in unknown]), text_hashes(tags)
            hashes[:, 2] = [tag in _HEADINGS for tag in tags]
            self._steps.update(zip(unknown, map(np.ndarray.tobytes, hashes), strict=True))
            rows = b"".join([self._steps[name] for name in names])
        steps = np.frombuffer(rows, np.uint64).reshape(-1, 3)
        return np.ascontiguousarray(steps[:, :2]).ravel(), steps[:, 2].astype(np.uint8)

    def containers_of(self, page: PageDigest) -> NDArray[np.intp]:
        """Return the row of each element of a page in ``container``, intp ``(e,)``; -1: no other page has it."""
        keys = _keys_of(self, page)[0]
        row = np.minimum(self.container.searchsorted(keys), len(self.container) - 1)
        return np.where(self.container[row] == keys, row, -1) if len(self.container) else np.full(len(keys), -1)

    def gather(self, page: PageDigest, likeness: float) -> NDArray[np.float32]:
        """Return the evidence of the blocks of a page, float32 ``(b, COLUMNS)``. What the page itself added to the sample does not count.

        Args:
            page: with its log-odds.
            likeness: to the layout of other sample pages that it is most like.
        """
        own = self.holds(page)
        steps, heading = self.steps(page.names)
        found = compiled.gather(
            steps, heading, page.name, page.parent, page.element, page.text, page.length, page.link_length, page.words, PROBABILITY,
            page.log_odds, self.text, self.text_pages, self.text_at, self.text_at_pages, self.place, self.place_sums, self.container,
            self.container_sums, likeness, max(self.pages - own, 1), self.least, FREQUENT, own,
        )  # fmt: skip
        return np.frombuffer(found, np.float32).reshape(-1, len(COLUMNS))


def least_pages(pages: int) -> int:
    """Return the least number of pages with a frequent text, for a sample of ``pages``."""
    return max(FREQUENT_PAGES, int(np.ceil(FREQUENT * pages)))


def learn_sample(pages: Sequence[PageDigest], keys: Sequence[int], names: frozenset[str]) -> Sample:
    """Sum up what sample pages say.

    Args:
        pages: digests with log-odds, without copies.
        keys: of these pages and of their copies.
        names: tokens that name places.
    """
    empty = _empty(keys, names)
    if not pages:
        return empty
    text, text_pages = _count([page.text for page in pages])
    paths = [_keys_of(empty, page) for page in pages]
    at, at_pages = _count([own[0][page.element] * PLACE_AND_TEXT ^ page.text for own, page in zip(paths, pages, strict=True)])
    there, there_pages = _count([own[0][page.element] for own, page in zip(paths, pages, strict=True)])
    least = least_pages(len(pages))
    of_blocks, below = [], []
    for own, page in zip(paths, pages, strict=True):
        on, place = text_pages[text.searchsorted(page.text)], own[0][page.element]
        with_text = at_pages[at.searchsorted(place * PLACE_AND_TEXT ^ page.text)]
        here = (with_text >= FREQUENT_PAGES) & (with_text >= FREQUENT * there_pages[there.searchsorted(place)])
        found = compiled.sums(
            page.parent, page.element, page.length, page.link_length, page.words, PROBABILITY, page.log_odds, (on >= least) | here
        )
        of_blocks.append(np.frombuffer(found[0]).reshape(-1, len(PLACE)))
        below.append(np.frombuffer(found[1]).reshape(-1, len(CONTAINER)))
    place, place_sums = _sums_by_key([own[:, page.element] for own, page in zip(paths, pages, strict=True)], of_blocks)
    del of_blocks  # as large as the sums
    container, container_sums = _sums_by_key([own[:1] for own in paths], below)
    return Sample(empty.keys, len(pages), names, text, text_pages, at, at_pages, place, place_sums, container, container_sums)


def stable_name(name: str, known: frozenset[str]) -> str:
    """Return an element name with the tokens that name places, as ``tag.class#id``; a token with digits may be known in general form.

    >>> stable_name("div\\t.post\\t#post-17", frozenset(("div\\t.post", "div\\t#post-0")))
    'div#post-0.post'
    """
    tag, *tokens = name.split("\t")
    if tag in _NAMELESS:
        return tag
    return tag + "".join(sorted({form for token in tokens if (form := _known_form(tag, token, known))}))


def _known_form(tag: str, token: str, known: frozenset[str]) -> str:
    return next((form for form in (token, general(token)) if f"{tag}\t{form}" in known), "")


def naming_tokens(pages: Sequence[PageDigest]) -> frozenset[str]:
    """Return the class names and ids that name places, with their tags: those on a share :data:`NAMED` of the pages, and on two.

    A token with digits counts as written and in general form (every number 0), so ``post-17`` and ``post-18`` are one.
    """
    forms: dict[str, tuple[str, ...]] = {}
    for name in set(chain.from_iterable(page.names for page in pages)):
        tag, _, own = name.partition("\t")
        forms[name] = tuple({f"{tag}\t{token}" for token in (*own.split("\t"), *general(own).split("\t"))}) if own else ()
    counts = Counter(chain.from_iterable(set(chain.from_iterable(map(forms.__getitem__, page.names))) for page in pages))
    least = max(2, NAMED * len(pages))
    return frozenset(token for token, count in counts.items() if count >= least)


def _keys_of(sample: Sample, page: PageDigest) -> Hashes:
    """The keys of the elements of a page, uint64 ``(KINDS, e)``."""
    keys = compiled.keys(sample.steps(page.names)[0], page.name, page.parent)
    return np.frombuffer(keys, np.uint64).reshape(len(KINDS), -1)


def _empty(keys: Sequence[int], names: frozenset[str]) -> Sample:
    none, nothing = np.zeros(0, dtype=np.uint64), np.zeros(0)
    tables = (none, nothing, none, nothing, none, nothing.reshape(-1, len(PLACE)), none, nothing.reshape(-1, len(CONTAINER)))
    return Sample(np.array(sorted(keys), dtype=np.uint64), 0, names, *tables)


def _count(of_pages: list[Hashes]) -> tuple[Hashes, Table]:
    distinct = np.concatenate([each[group(each)[1]] for each in of_pages])
    number, first = group(distinct)
    order = np.argsort(distinct[first])
    return distinct[first][order], np.bincount(number, minlength=len(first)).astype(np.float64)[order]


def _sums_by_key(of_pages: list[Hashes], rows: list[Table]) -> tuple[Hashes, Table]:
    """The distinct keys, rising, and the sums of their rows. Of each page keys ``(kinds, rows)``; the first column counts pages."""
    keys = np.concatenate(of_pages, axis=1)
    number, first = group(keys.ravel())
    distinct = keys.ravel()[first]
    order = np.argsort(distinct)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    number = rank[number]
    sums = np.zeros((len(order), rows[0].shape[1]))
    for own in np.split(number.reshape(keys.shape), np.cumsum([len(own) for own in rows])[:-1], axis=1):
        sums[np.unique(own), 0] += 1
    for column in range(1, sums.shape[1]):
        values = np.concatenate([own[:, column] for own in rows])
        sums[:, column] = np.bincount(number, weights=np.tile(values, len(keys)), minlength=len(order))
    return distinct[order], sums
