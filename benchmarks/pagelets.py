"""Template pagelets (Bar-Yossef and Rajagopalan, 2002): the baseline that the style tree was measured against.

A *pagelet* is a part of a page with one theme, taken to be an element with at least *k* links none of whose children has as many. Pagelets
that read alike on several pages are templates. Alike means: of an equal *shingle*, a hash that few small changes leave as it is. It is
made of the least hashes of the pagelet's runs of words (Broder, 1997): two pagelets that share the part *r* of their runs
have an equal shingle with the chance :math:`r^s` for *s* least hashes.

In contrast to the style tree, a pagelet has no place in the layout, and what stands outside of pagelets is never noise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tamis.document.selection import Cause, Reason, Selection
from tamis.page import tags
from tamis.page.tree import PageTree
from tamis.structure.hashing import Hashes, mix, powers, words

REASONS = (
    Reason("in no pagelet", Cause.CONTENT),
    Reason("in a pagelet of this page alone", Cause.CONTENT),
    Reason("in a template pagelet", Cause.TEMPLATE),
    Reason("title or script: not page text", Cause.UNREAD),
)
_FREE, _OWN, _TEMPLATE, _UNREAD = range(4)
_UNSEEN = tags.lookup(tags.UNSEEN)


LINKS = 3  #: k: links that make an element a pagelet (paper: 3).
WIDTH = 4  #: Words in a run.
MINIMA = 4  #: s: least hashes in a shingle; the more, the more alike pagelets must be.
MIN_PAGES = 2  #: Pages that a shingle is on to be a template's (paper: 2).


@dataclass(frozen=True, eq=False)
class PageletModel:
    """The shingles of a site's pagelets, and on how many pages each is."""

    shingle: Hashes = field(repr=False)  #: Shingles, uint64 ``(s,)``, rising.
    pages: NDArray[np.int64] = field(repr=False)  #: Pages with a pagelet of this shingle, int64 ``(s,)``.


def learn(pages: Iterable[PageTree]) -> PageletModel:
    """Count the pages of each shingle."""
    found = [np.unique(shingles(page, pagelets(page))) for page in pages]
    shingle = np.concatenate(found) if found else np.zeros(0, dtype=np.uint64)
    return PageletModel(*np.unique(shingle[shingle != 0], return_counts=True))


def select(tree: PageTree, model: PageletModel, min_pages: int = MIN_PAGES) -> Selection:
    """Keep what stands outside of the templates' pagelets; ``min_pages``: pages that a template is on.

    >>> from tamis import parse
    >>> menu = "<ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About</a></ul>"
    >>> pages = [parse(menu + "<p>One text."), parse(menu + "<p>Another text.")]
    >>> selection = select(pages[0], learn(pages))
    >>> [text for text, node in zip(pages[0].texts, pages[0].text_nodes) if selection.keep[node]]
    ['One text.']
    """
    root = pagelets(tree)
    shingle = shingles(tree, root)
    template = np.isin(shingle, model.shingle[model.pages >= min_pages])
    reason = np.full(len(tree), _FREE, dtype=np.uint8)
    reason[tree.subtree_mask(root)] = _OWN
    reason[tree.subtree_mask(root[template])] = _TEMPLATE
    reason[tree.subtree_mask(np.flatnonzero(tree.of_tags(_UNSEEN)))] = _UNREAD
    return Selection("pagelets", reason <= _OWN, reason, REASONS)


def pagelets(tree: PageTree, links: int = LINKS) -> NDArray[np.intp]:
    """The page's pagelets: elements with at least ``links`` links that have no such child, intp, rising; none lies inside another."""
    rich = tree.subtree_sum(tree.link.astype(np.int32)) >= links
    has_rich_child = np.zeros(len(tree) + 1, dtype=np.bool_)
    has_rich_child[tree.parent[rich]] = True  # the root's parent is the entry at the end
    return np.flatnonzero(rich & ~has_rich_child[:-1])


def shingles(tree: PageTree, root: NDArray[np.intp], minima: int = MINIMA) -> Hashes:
    """The shingle of each pagelet, uint64 ``(len(root),)``; 0 for one without words.

    Args:
        tree: the page.
        root: its pagelets, none inside another, rising.
        minima: number of the least hashes.
    """
    shingle = np.zeros(len(root), dtype=np.uint64)
    found = words(tree.texts)
    node = tree.text_nodes[found.text]
    owner = np.searchsorted(root, node, side="right") - 1
    inside = np.flatnonzero((owner >= 0) & (node < tree.end[root[owner]])) if len(root) else np.zeros(0, dtype=np.intp)
    owner, word = owner[inside], mix(found.hash[inside])
    if not len(owner):
        return shingle
    first = np.flatnonzero(np.append(True, np.diff(owner) > 0))
    stop = np.append(first[1:], len(owner))
    run = _runs(word, owner)
    # runs cut short by the pagelet's end count only where no run is whole
    whole = np.arange(len(owner)) + WIDTH <= np.repeat(stop, stop - first)
    whole[first] = True
    run, start = run[whole], np.searchsorted(np.flatnonzero(whole), first)
    salt, weight = mix(np.arange(1, minima + 1, dtype=np.uint64)), powers(minima)
    for k in range(minima):
        shingle[owner[first]] += mix(np.minimum.reduceat(mix(run ^ salt[k]), start)) * weight[k]
    return shingle


def _runs(word: Hashes, owner: NDArray[np.intp]) -> Hashes:
    """Hash of the run of up to :data:`WIDTH` words that starts at each word and stays in its pagelet."""
    run = word.copy()
    weight = powers(WIDTH)
    for k in range(1, min(WIDTH, len(word))):
        run[:-k] += np.where(owner[:-k] == owner[k:], word[k:] * weight[k], np.uint64(0))
    return run
