"""Template: a layout's places with counts over its pages, and the verdict on each.

The pages of a layout are merged into one tree of *places*. A place is a path of element names from the root (tag, and those
class names and ids that pages share); elements that share it on a page share the place. For every place the template knows how
many pages have it, how much of its text repeats there from page to page, how much of it is link text, and how much of the
pages' own text it holds. From this:

- a place is **noise** if its text repeats (the style tree's idea: same place, same content) or if it is made of links that vary
  (related articles, tag lists), unless it holds a share of the pages' own text that no template part holds;
- the **content place** is found by information attenuation on the merged tree: from the root down along the child that holds most of
  the pages' own text outside links and noise, while less than T of it is left aside.

Repeated text alone is never noise: it must be at the same place of the layout.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.errors import check_numbers
from tamis.native import columns as compiled
from tamis.page import tags
from tamis.page.element_names import general
from tamis.page.grouping import group, ranges
from tamis.page.tree import BoolColumn, IntColumn
from tamis.site.digest import PageDigest
from tamis.structure.hashing import Hashes, path_hashes, text_hashes

UNKNOWN, CONTENT, OUTSIDE, STATIC, LINKS = range(5)
VERDICTS = ("not decided", "content place", "outside the content place", "template text", "template links")
PLACE_AND_TEXT = np.uint64(0xD6E8FEB86659FD93)  #: Weighs a place where it is joined with a text in one number.
_CONTAINERS = (
    "html body div section article main table tbody thead tfoot tr td th form center dl dd fieldset header aside footer details figure "
    "noscript frameset"
)
"""Elements that may be a content place; a paragraph, a list or a heading is part of one."""


DESCEND = tags.lookup(tags.codes(_CONTAINERS))
_DESCEND = frozenset(_CONTAINERS.split())
MAX_KNOWN = 100_000  #: Element names whose hashes are remembered.
_NAMELESS = frozenset(("html", "body"))  #: Elements that every page has once: their class names tell pages apart, not places.


@dataclass(frozen=True, slots=True)
class TemplateSettings:
    """Settings of learning a template.

    Raises:
        UsageError: a value is out of its range.
    """

    stable: float = 0.5  #: A class name or id names a place if at least this share of the pages has it on that tag.
    repeated: float = 0.3
    """A block's text repeats if at least this share of the pages that have its place have it there (and two pages at least)."""
    static: float = 0.8
    """A place is template text if at least this share of its characters repeats; template links if this share repeats or is link text."""
    present: float = 0.3  #: Only a place on at least this share of the pages that have its parent (and on two at least) can be noise.
    own: float = 0.3  #: A place that holds this share of its pages' own text is never noise.
    threshold: float = 0.15  #: T of the descent on the merged tree (see :mod:`tamis.content.attenuation`).

    def __post_init__(self) -> None:
        check_numbers(self, shares=("stable", "repeated", "static", "present", "own", "threshold"))


@dataclass(frozen=True, slots=True, eq=False)
class PageVerdicts:
    """Verdicts of a template on a page of ``b`` blocks."""

    verdict: NDArray[np.uint8]  #: Index into :data:`VERDICTS` for the place of each block, uint8 ``(b,)``.
    repeats: BoolColumn  #: Its text is known to repeat there, bool ``(b,)``.
    roots: list[int]  #: The elements of the deepest step of the descent that the page has, as indices into its digest.
    stage: int  #: That step; -1 for none.
    known: int  #: Characters at places that the template knows.


@dataclass(frozen=True, eq=False)
class Template:
    """Common places of a layout's pages: ``p`` places, parents before children, and ``r`` repeated texts."""

    pages: int  #: Pages learned from.
    vocabulary: frozenset[str]  #: ``tag`` tab ``token`` pairs that name places.
    place: Hashes  #: Hash of each place, uint64 ``(p,)``.
    parent: IntColumn  #: Parent of each place, int32 ``(p,)``; -1 at the root.
    label: tuple[str, ...]  #: Name of each place's last step, e.g. ``div.entry``.
    on_pages: IntColumn  #: Pages that have the place, int32 ``(p,)``.
    length: NDArray[np.float64]  #: Characters at and below the place on all pages, float64 ``(p,)``.
    link_share: NDArray[np.float64]  #: Share of them within links, float64 ``(p,)``.
    repeated_share: NDArray[np.float64]  #: Share of them in repeated blocks, float64 ``(p,)``.
    own: NDArray[np.float64]
    """The pages' own text (neither link nor repeated) at and below the place: mean share over the pages that have it, float64 ``(p,)``."""
    verdict: NDArray[np.uint8]  #: Index into :data:`VERDICTS`, uint8 ``(p,)``.
    repeated_place: Hashes  #: Place of each repeated text, uint64 ``(r,)``, sorted with ``repeated_text``.
    repeated_text: Hashes  #: Hash of each repeated text, uint64 ``(r,)``.
    chain: tuple[tuple[int, ...], ...]
    """The descent to the content place: at each step the index of a place, or of several that take each other's part."""
    attenuation: tuple[float, ...]  #: Attenuation at each of them.
    steps: dict[str, int] = field(default_factory=dict, repr=False)
    """Hashes of known element names: the pages of a site share them."""

    @cached_property
    def _columns(self) -> tuple[Hashes, NDArray[np.int64], NDArray[np.uint8], IntColumn, Hashes]:
        """The columns that :func:`tamis.native.columns.hold` looks a page up in: ``sorted`` to ``repeated``."""
        order = np.argsort(self.place, kind="stable").astype(np.int64, copy=False)
        stage = np.full(len(self.place), -1, dtype=np.int32)
        for step, places in enumerate(self.chain):
            stage[list(places)] = step
        repeated = np.sort(self.repeated_place * PLACE_AND_TEXT ^ self.repeated_text)
        return self.place[order], order, self.verdict, stage, repeated

    def verdicts_of(self, page: PageDigest) -> PageVerdicts:
        """Return the template's verdicts on a page."""
        steps = name_steps(page.names, self.vocabulary, self.steps)
        found = compiled.hold(steps, page.name, page.parent, *self._columns, page.element, page.text, page.length)
        return PageVerdicts(np.frombuffer(found[0], np.uint8), np.frombuffer(found[1], np.bool_), *found[2:])

    def path(self, index: int) -> str:
        """Return the path of a place in words, e.g. ``html > body > div#main``."""
        steps = []
        while index >= 0:
            steps.append(self.label[index])
            index = int(self.parent[index])
        return " > ".join(reversed(steps))


def stable_name(name: str, vocabulary: frozenset[str] | set[str]) -> str:
    """Return an element name with the tokens that name places, as ``tag.class#id``; a token with digits may be known in general form.

    >>> stable_name("div\\t.post\\t#post-17", {"div\\t.post", "div\\t#post-0"})
    'div#post-0.post'
    """
    tag, *tokens = name.split("\t")
    if tag in _NAMELESS:
        return tag
    kept = set()
    for token in tokens:
        if f"{tag}\t{token}" in vocabulary:
            kept.add(token)
        elif f"{tag}\t{(form := general(token))}" in vocabulary:
            kept.add(form)
    return tag + "".join(sorted(kept))


@dataclass(frozen=True, eq=False)
class ElementNames:
    """The element names of pages, each once."""

    distinct: list[str]
    of_pages: list[NDArray[np.int64]]  #: For each page, its names as indices into ``distinct``.

    @staticmethod
    def of(pages: Sequence[PageDigest]) -> ElementNames:
        """Return the names of some pages."""
        seen: dict[str, int] = {}
        of_pages = [np.array([seen.setdefault(name, len(seen)) for name in page.names], dtype=np.int64) for page in pages]
        return ElementNames(list(seen), of_pages)

    def vocabulary(self, stable: float) -> frozenset[str]:
        """Return the class names and ids that name places: those on at least a share ``stable`` of the pages, and on two.

        A token with digits counts as written and in general form (every number 0), so ``post-17`` and ``post-18`` are one.
        """
        least = max(2, stable * len(self.of_pages))
        return frozenset(token for token, pages in self._pages_with.items() if pages >= least)

    @cached_property
    def _pages_with(self) -> dict[str, int]:
        """By token the pages that have it, if they are two at the least."""
        number: dict[str, int] = {}
        tokens = [[number.setdefault(token, len(number)) for token in _tokens(name)] for name in self.distinct]
        counts = np.fromiter(map(len, tokens), np.int64, len(tokens))
        ends = np.cumsum(counts)
        of_names = np.fromiter(chain.from_iterable(tokens), np.int64, int(ends[-1]) if len(ends) else 0)
        at = _concatenated(self.of_pages, np.int64)
        of_page = np.repeat(np.arange(len(self.of_pages)), [len(page) for page in self.of_pages])
        owner, place = ranges(ends[at] - counts[at], ends[at])
        pairs = of_names[place] * max(len(self.of_pages), 1) + of_page[owner]
        once = pairs[group(pairs.astype(np.uint64))[1]] // max(len(self.of_pages), 1)
        pages_with = np.bincount(once, minlength=len(number))
        return dict(zip(compress(number, pages_with > 1), pages_with[pages_with > 1].tolist(), strict=True))


def _concatenated(columns: Iterable[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([*columns, np.zeros(0, dtype=dtype)], dtype=dtype)


def _tokens(name: str) -> list[str]:
    """Return the tokens of a name, each with its tag, as written and in general form."""
    tag, _, own = name.partition("\t")
    if not own:
        return []
    form = general(own)
    tokens = own.split("\t") if form == own else [*own.split("\t"), *form.split("\t")]
    return [f"{tag}\t{token}" for token in tokens]


def name_steps(names: Sequence[str], vocabulary: frozenset[str], known: dict[str, int]) -> Hashes:
    """Return the hash of the stable form of each name, uint64 ``(len(names),)``.

    Args:
        names: element names.
        vocabulary: tokens that name places.
        known: hashes of names met before with this vocabulary, added to while there are not too many.
    """
    try:  # nearly always: the pages of a site share their names
        return np.frombuffer(array("Q", [known[name] for name in names]), dtype=np.uint64)
    except KeyError:
        unknown = [name for name in names if name not in known]
        hashes = text_hashes([stable_name(name, vocabulary) for name in unknown]).tolist()
        new = dict(zip(unknown, hashes, strict=True))
    if len(known) < MAX_KNOWN:
        known.update(new)
    return np.frombuffer(array("Q", [new[name] if name in new else known[name] for name in names]), dtype=np.uint64)


def learn_template(
    pages: Iterable[PageDigest], settings: TemplateSettings = TemplateSettings(), names: ElementNames | None = None
) -> Template:
    """Learn the template of pages of one layout. The result depends on the set of pages, not on their order.

    Args:
        pages: digests; a page given twice counts once.
        settings: thresholds.
        names: of the pages, if these are in the order of their keys, each once.
    """
    distinct = [page for _, page in sorted({page.key: page for page in pages}.items())]
    names = names or ElementNames.of(distinct)
    vocabulary = names.vocabulary(settings.stable)
    merged = _Merged(distinct, names, vocabulary)
    repeated, repeated_rows = _repetition(merged, settings)
    length = merged.below(merged.length)
    link_share = merged.below(merged.link_length) / np.maximum(length, 1)
    plain = merged.length - merged.link_length
    repeated_share = merged.below(np.where(repeated, merged.length, 0)) / np.maximum(length, 1)
    varying_share = merged.below(np.where(repeated, 0, plain)) / np.maximum(length, 1)
    own = merged.below(merged.page_shares(np.where(repeated, 0, plain))) / merged.on_pages
    verdict = _noise(merged, length, repeated_share, varying_share, own, settings)
    noisy = verdict[merged.block_place] != UNKNOWN
    weight = merged.below(merged.page_shares(np.where(repeated | noisy, 0, plain)))
    descent, attenuation = _descend(merged, weight, settings.threshold)
    _place_content(merged, verdict, descent[-1] if descent else ())
    return Template(
        pages=len(distinct),
        vocabulary=vocabulary,
        place=merged.place,
        parent=merged.parent,
        label=merged.label,
        on_pages=merged.on_pages,
        length=length,
        link_share=link_share,
        repeated_share=repeated_share,
        own=own,
        verdict=verdict,
        repeated_place=merged.place[merged.block_place[repeated_rows]],
        repeated_text=merged.text[repeated_rows],
        chain=tuple(descent),
        attenuation=tuple(attenuation),
        steps=merged.known_steps,
    )


class _Merged:
    """All pages' elements and blocks in common columns: ``p`` places by depth, ``b`` blocks page by page."""

    def __init__(self, pages: list[PageDigest], names: ElementNames, vocabulary: frozenset[str]) -> None:
        stable = [stable_name(name, vocabulary) for name in names.distinct]
        steps = text_hashes(stable)
        self.known_steps = dict(islice(zip(names.distinct, steps.tolist(), strict=True), MAX_KNOWN))
        base = np.cumsum([0, *(len(page.name) for page in pages)])
        name = _concatenated((of_page[page.name] for of_page, page in zip(names.of_pages, pages, strict=True)), np.int64)
        # Pages one after the other are a forest: what a page adds to a running sum, it takes away at its end.
        end = _concatenated((page.end + start for page, start in zip(pages, base.tolist(), strict=False)), np.int64)
        depth = (np.arange(len(end)) - np.cumsum(np.bincount(end, minlength=len(end) + 1)[: len(end)])).astype(np.int32)
        everywhere = path_hashes(steps[name], depth, end)
        of_page = np.repeat(np.arange(len(pages)), [len(page.name) for page in pages])
        number, first = group(everywhere)
        order = np.lexsort((everywhere[first], depth[first]))
        first = first[order]
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        at = rank[number]
        self.place = everywhere[first]
        self.depth = depth[first]
        starts = np.flatnonzero(np.diff(self.depth)) + 1
        """Start of the places of each depth."""
        self.levels = np.split(np.arange(len(first)), starts)
        """The places at each depth."""
        above = _concatenated((page.parent + start for page, start in zip(pages, base.tolist(), strict=False)), np.int64)[first]
        self.parent = np.where(self.depth == 0, -1, at[above] if len(at) else above).astype(np.int32)
        count = max(len(pages), 1)
        self._page_at = (at * count + of_page)[group((at * count + of_page).astype(np.uint64))[1]]
        self._count = count
        self.on_pages = np.bincount(self._page_at // count, minlength=len(first)).astype(np.int32)
        self.label = tuple(map(stable.__getitem__, name[first].tolist()))
        self.page = np.repeat(np.arange(len(pages)), [len(page.text) for page in pages])
        blocks = (start + page.element for start, page in zip(base[:-1].tolist(), pages, strict=True))
        self.block_place = at[_concatenated(blocks, np.int64)]
        self.text = _concatenated((page.text for page in pages), np.uint64)
        self.length = _concatenated((page.length for page in pages), np.int64)
        self.link_length = _concatenated((page.link_length for page in pages), np.int64)
        self.text_pages = self._text_pages()

    def tag(self, place: int) -> str:
        """Tag name of a place."""
        return re.split(r"[.#]", self.label[place], maxsplit=1)[0]

    def pages_of(self, place: int) -> set[int]:
        """Return the pages that have a place."""
        return set((self._page_at[self._page_at // self._count == place] % self._count).tolist())

    def _text_pages(self) -> NDArray[np.int64]:
        """For each block, the number of pages that have its text at its place, int64 ``(b,)``."""
        number, _ = group(self.block_place.astype(np.uint64) * PLACE_AND_TEXT ^ self.text)
        pairs = number * self._count + self.page
        return np.bincount(number[group(pairs.astype(np.uint64))[1]], minlength=1)[number] if len(number) else number

    def below(self, of_blocks: NDArray[Any]) -> NDArray[np.float64]:
        """Return a value of the blocks summed at and below each place, float64 ``(p,)``, level by level from the deepest."""
        total = np.bincount(self.block_place, weights=of_blocks, minlength=len(self.place)).astype(np.float64)
        for here in reversed(self.levels[1:]):
            np.add.at(total, self.parent[here], total[here])
        return total

    def page_shares(self, of_blocks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a value of the blocks as a share of its sum over the block's page, so that every page weighs the same."""
        total = np.bincount(self.page, weights=of_blocks, minlength=1)
        return of_blocks / np.maximum(total, 1)[self.page] if len(of_blocks) else np.zeros(0)


def _repetition(merged: _Merged, settings: TemplateSettings) -> tuple[BoolColumn, NDArray[np.intp]]:
    least = np.maximum(2, settings.repeated * merged.on_pages[merged.block_place])
    repeated = merged.text_pages >= least
    rows = np.flatnonzero(repeated)
    if not len(rows):
        return repeated, rows
    place, text = merged.place[merged.block_place[rows]], merged.text[rows]
    first = group(place * PLACE_AND_TEXT ^ text)[1]
    return repeated, rows[first[np.lexsort((text[first], place[first]))]]


def _noise(
    merged: _Merged,
    length: NDArray[np.float64],
    repeated_share: NDArray[np.float64],
    varying_share: NDArray[np.float64],
    own: NDArray[np.float64],
    settings: TemplateSettings,
) -> NDArray[np.uint8]:
    """The noise verdicts: the highest places that qualify, and all below them."""
    pages = int(merged.on_pages.max(initial=0))
    around = np.where(merged.parent >= 0, merged.on_pages[merged.parent], pages)
    may = (merged.on_pages >= np.maximum(2, settings.present * around)) & (own < settings.own) & (length > 0) & (merged.depth > 1)
    verdict = np.full(len(merged.place), UNKNOWN, dtype=np.uint8)
    verdict[may & (varying_share <= 1 - settings.static)] = LINKS
    verdict[may & (repeated_share >= settings.static)] = STATIC
    for here in merged.levels[1:]:
        above = verdict[merged.parent[here]]
        verdict[here] = np.where(above != UNKNOWN, above, verdict[here])
    return verdict


def _descend(merged: _Merged, weight: NDArray[np.float64], threshold: float) -> tuple[list[tuple[int, ...]], list[float]]:
    """Return the descent from the root to the content place, with the attenuation at each step.

    A step is one place, or several alternatives: siblings of one tag that never occur on the same page. They are one place whose name
    varies from page to page (a post's category among its class names)."""
    descent: list[tuple[int, ...]] = []
    attenuation: list[float] = []
    here: tuple[int, ...] = (0,)
    while len(merged.place) and weight[list(here)].sum() > 0:
        descent.append(here)
        below = merged.levels[len(descent)] if len(descent) < len(merged.levels) else np.zeros(0, dtype=np.intp)
        children = [child for child in below[np.isin(merged.parent[below], here)].tolist() if merged.tag(child) in _DESCEND]
        if not children:
            attenuation.append(1.0)
            break
        children.sort(key=lambda child: -weight[child])
        best = _alternatives(merged, children)
        attenuation.append(float(1 - weight[list(best)].sum() / weight[list(here)].sum()))
        if attenuation[-1] > threshold:
            break
        here = best
    return descent, attenuation


def _alternatives(merged: _Merged, children: list[int]) -> tuple[int, ...]:
    """Return the first of the children, and those of its tag that are never beside it or beside each other."""
    group = [children[0]]
    pages = merged.pages_of(children[0])
    for child in children[1:]:
        if merged.tag(child) == merged.tag(group[0]):
            others = merged.pages_of(child)
            if pages.isdisjoint(others):
                group.append(child)
                pages |= others
    return tuple(group)


def _place_content(merged: _Merged, verdict: NDArray[np.uint8], content: tuple[int, ...]) -> None:
    """Fill in what is not noise: the content place and all below it, and what lies outside."""
    inside = np.zeros(len(merged.place), dtype=np.bool_)
    inside[list(content)] = True
    for here in merged.levels[1:]:
        inside[here] |= inside[merged.parent[here]]
    verdict[(verdict == UNKNOWN) & inside] = CONTENT
    verdict[(verdict == UNKNOWN) & ~inside] = OUTSIDE
