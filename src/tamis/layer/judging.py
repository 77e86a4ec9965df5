"""Judge which blocks of a page are noise by its same-layer pages, each with the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.document.selection import Cause, Reason
from tamis.layer.matcher import BlockMatch
from tamis.layer.places import LayerPage, SlotText, slot_share
from tamis.layer.settings import ENOUGH, SameLayer
from tamis.layer.strings import NodeString, Part, parts
from tamis.page import tags
from tamis.page.tree import BoolColumn

_HEADING = tags.lookup(tags.HEADINGS)
_LINK = tags.lookup(tags.codes("a"))
REASONS = (
    Reason("not found in any same-layer page", Cause.CONTENT),
    Reason("found in same-layer pages", Cause.TEMPLATE),
    Reason("found in same-layer pages, but among text that is not", Cause.CONTENT),
    Reason("links at a location that same-layer pages fill with links", Cause.TEMPLATE),
    Reason("found in one same-layer page only, and not as an exact copy", Cause.CONTENT),
    Reason("like blocks of same-layer pages, but nearly nothing else is left", Cause.CONTENT),
    Reason("in no block", Cause.CONTENT),
    Reason("title or script: not page text", Cause.UNREAD),
)
OWN, REPEATED, COMMONPLACE, SLOT, UNCONFIRMED, LEFT, OUTSIDE, UNREAD = range(len(REASONS))
MOSTLY_LINKS = 0.5  #: Share of a block's words in links from which on the block is a list of links.
MOST_PLAIN = 300  #: Words beside links of a slot at the most: a page with more of them in one place has a text there.
FEW_WORDS = 50  #: A page with fewer words left may have lost its text.
_NOISE = (REPEATED, SLOT)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A block found in a same-layer page."""

    page: int  #: Index of the same-layer page.
    node: int  #: Index of the first node there, in that page's tree.
    tag_similarity: float  #: Share of the block's nodes that were matched, 0..1.
    text_similarity: float  #: Share of its words, 0..1; in a slot that of its words that are links or repeated.

    @property
    def is_copy(self) -> bool:
        """Every node and word was matched."""
        return self.tag_similarity == 1 and self.text_similarity == 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on a block, and its reasons."""

    nodes: tuple[int, ...]  #: Roots of the block's subtrees, indices of the page's tree; siblings.
    noise: bool
    reason: int  #: Index into :data:`REASONS`.
    occurrences: tuple[Occurrence, ...]  #: One for each same-layer page that has it.

    @property
    def support(self) -> int:
        """In how many same-layer pages it was found."""
        return len(self.occurrences)


def judge(
    page: LayerPage, blocks: Sequence[Sequence[int]], siblings: Sequence[LayerPage], settings: SameLayer = SameLayer()
) -> tuple[Verdict, ...]:
    """Judge every block of a page.

    Source: Yuan 2006, section 3.1, step 3, and four rules of ours that settings can switch off.

    Args:
        page: the page.
        blocks: roots of each block's subtrees; a block whose roots are not siblings is judged in parts.
        siblings: its same-layer pages.
        settings: alpha, beta, and the rest.
    """
    found = [part for roots in blocks for part in parts(page.string, roots)]
    matches = [sibling.index.find(found, page.string, settings.matching) for sibling in siblings]
    occurrences = [_occurrences(siblings, k, matches) for k in range(len(found))]
    reason = np.array([_by_matches(page, part, each, settings) for part, each in zip(found, occurrences, strict=True)], dtype=np.uint8)
    if settings.slot_share is not None:
        for k, in_slot in _in_slots(page, found, reason, siblings, settings):
            if len(in_slot) >= settings.needed(len(siblings)):
                reason[k], occurrences[k] = SLOT, in_slot
    if settings.repeated_share is not None:
        is_links = np.array([page.link_share(part) >= MOSTLY_LINKS for part in found], dtype=np.bool_)
        reason[_commonplace(page, found, reason == REPEATED, settings.repeated_share) & ~is_links] = COMMONPLACE
        if settings.container_share is not None:
            reason[_in_running_text(page, found, reason, settings.container_share) & ~is_links] = COMMONPLACE
        _keep_headings(page, found, reason)
    if settings.left_share is not None:
        reason[_all_there_is(page, found, reason, occurrences, settings.left_share)] = LEFT
    node = page.string.node
    return tuple(
        Verdict(tuple(int(node[root]) for root in part.roots), why in _NOISE, why, proof)
        for part, why, proof in zip(found, reason.tolist(), occurrences, strict=True)
    )


def _by_matches(page: LayerPage, block: Part, occurrences: Sequence[Occurrence], settings: SameLayer) -> int:
    if not occurrences:
        return OWN
    if settings.min_support is not None:
        return REPEATED if len(occurrences) >= settings.min_support else OWN
    if len(occurrences) >= ENOUGH or any(found.is_copy for found in occurrences):
        return REPEATED
    links = page.tree.of_tags(_LINK)[page.string.node[block.first : block.last]].sum()
    return REPEATED if links > 1 and page.link_share(block) >= MOSTLY_LINKS else UNCONFIRMED


def _occurrences(siblings: Sequence[LayerPage], block: int, matches: list[list[BlockMatch | None]]) -> tuple[Occurrence, ...]:
    return tuple(
        Occurrence(k, int(sibling.string.node[match.start]), match.tag_similarity, match.text_similarity)
        for k, (sibling, of_page) in enumerate(zip(siblings, matches, strict=True))
        if (match := of_page[block]) is not None
    )


def _commonplace(page: LayerPage, found: list[Part], matched: BoolColumn, share: float) -> BoolColumn:
    """Matched blocks at whose places most of the text is not matched, bool ``(len(found),)``.

    A place is all nodes of the page with one way from the root, by tags, class names and ids: the paragraphs of an article, the
    items of a menu. Those that lie within a larger block do not count: nothing was found out about them.
    """
    string = page.string
    inside = _covered(string, found)
    inside[[root for part in found for root in part.roots]] = False
    repeated = _covered(string, [found[k] for k in np.flatnonzero(matched).tolist()])
    _, place = np.unique(page.within[string.node], return_inverse=True)
    weights = (np.where(inside, 0, _sum_below(string, words)) for words in (string.length, np.where(repeated, string.length, 0)))
    in_all, in_repeated = (np.bincount(place, weights=weight) for weight in weights)
    result = np.zeros(len(found), dtype=np.bool_)
    for k in np.flatnonzero(matched).tolist():
        at = np.unique(place[list(found[k].roots)])
        result[k] = found[k].words > 0 and in_repeated[at].sum() < share * in_all[at].sum()
    return result


def _in_running_text(page: LayerPage, found: list[Part], reason: NDArray[np.uint8], share: float) -> BoolColumn:
    """Matched blocks of plain elements that follow text of the page's own in a parent most of whose text is not matched.

    Such are the sections that pages about like things share word for word. Bool ``(len(found),)``.
    """
    string = page.string
    own = np.where(_covered(string, [part for part, why in zip(found, reason.tolist(), strict=True) if why in _NOISE]), 0, string.length)
    before = np.append(0, np.cumsum(own))
    total = np.append(0, np.cumsum(string.length))
    is_named = (page.name != 0) & ~page.tree.of_tags(_HEADING)
    heading = page.tree.nearest_ancestor(page.tree.of_tags(_HEADING))
    result = np.zeros(len(found), dtype=np.bool_)
    for k in np.flatnonzero(reason == REPEATED).tolist():
        parent, first = int(string.parent[found[k].first]), found[k].first
        nodes = string.node[list(found[k].roots)]
        is_heading = heading[nodes[-1]] >= 0  # it goes with what it heads
        if parent >= 0 and found[k].words and not is_heading and not is_named[nodes].any():
            end = int(string.end[parent])
            follows = before[first] > before[parent]
            result[k] = follows and before[end] - before[parent] > (1 - share) * (total[end] - total[parent])
    return result


def _all_there_is(
    page: LayerPage, found: list[Part], reason: NDArray[np.uint8], occurrences: Sequence[Sequence[Occurrence]], share: float
) -> BoolColumn:
    """Return the blocks that are the text of the page if hardly any other text is left: noise without an exact copy on a same-layer page,
    and not a list of links. Bool ``(len(found),)``."""
    words, is_noise = np.array([part.words for part in found], dtype=np.intp), np.isin(reason, _NOISE)
    unlike = [
        bool(noise) and page.link_share(part) < MOSTLY_LINKS and not any(each.is_copy for each in proof)
        for part, noise, proof in zip(found, is_noise, occurrences, strict=True)
    ]
    left = words[~is_noise].sum()
    return np.array(unlike, dtype=np.bool_) & bool(left < FEW_WORDS and left < share * words[unlike].sum())


def _keep_headings(page: LayerPage, found: list[Part], reason: NDArray[np.uint8]) -> None:
    """A heading that is noise by itself is kept if the next block that is not a heading is kept."""
    heading = page.tree.nearest_ancestor(page.tree.of_tags(_HEADING))
    stays = False
    for k in range(len(found) - 1, -1, -1):
        first, last = (int(page.string.node[at]) for at in (found[k].first, found[k].last - 1))
        if heading[first] >= 0 and last < page.tree.end[heading[first]]:
            if stays and reason[k] in _NOISE:
                reason[k] = COMMONPLACE
        elif found[k].words:
            stays = reason[k] not in _NOISE


def _in_slots(
    page: LayerPage, found: list[Part], reason: NDArray[np.uint8], siblings: Sequence[LayerPage], settings: SameLayer
) -> Iterator[tuple[int, tuple[Occurrence, ...]]]:
    """Yield the blocks of its own that a page has in slots, each with the same-layer pages that fill the slot alike."""
    repeated = _covered(page.string, [found[k] for k in np.flatnonzero(reason == REPEATED).tolist()])
    evidence: dict[int | None, tuple[Occurrence, ...]] = {None: ()}
    for k in np.flatnonzero((reason == OWN) | (reason == UNCONFIRMED)).tolist():
        place = page.slot_of(found[k]) if page.list_share(found[k]) >= settings.slot_links else None
        if place is not None and place not in evidence:
            evidence[place] = _slot_evidence(place, page.read_slot(place, repeated), siblings, settings)
        yield k, evidence[place]


def _slot_evidence(place: int, here: SlotText | None, siblings: Sequence[LayerPage], settings: SameLayer) -> tuple[Occurrence, ...]:
    """Return the same-layer pages that have a slot, filled in the same way."""
    found: list[Occurrence] = []
    if here is None or here.list_share < settings.slot_links or len(here.plain) > MOST_PLAIN:
        return ()
    for k, sibling in enumerate(siblings):
        there = sibling.slot_text(place)
        if there is not None and (likeness := slot_share(here, there)) >= (settings.slot_share or 0):
            node = int(np.flatnonzero(sibling.across == np.uint64(place))[0])
            found.append(Occurrence(k, node, 1.0, likeness))
    return tuple(found)


def _covered(string: NodeString, found: Sequence[Part]) -> BoolColumn:
    """Return the nodes that are in any of the parts, bool ``(len(string),)``."""
    edges = np.zeros(len(string) + 1, dtype=np.int64)
    np.add.at(edges, [part.first for part in found], 1)
    np.add.at(edges, [part.last for part in found], -1)
    return np.asarray(np.cumsum(edges[:-1]) > 0)


def _sum_below(string: NodeString, words: NDArray[np.intp]) -> NDArray[np.intp]:
    """Sum over the subtree of each node of a string, intp ``(n,)``."""
    total = np.append(0, np.cumsum(words))
    return np.asarray(total[string.end] - total[:-1])
