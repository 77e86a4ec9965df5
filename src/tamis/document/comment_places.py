"""Find the comments on a page: in areas named for them, below a heading, or in a run of dated blocks after an article."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from tamis.document.comment import SHORT
from tamis.page import tags
from tamis.page.caching import of_page
from tamis.page.element_names import MAX_TOKEN, MAX_TOKENS
from tamis.page.lexicon import WordPattern, either
from tamis.page.tree import PageTree

LEAST_TEXT = 60  #: Characters of text besides comments from which a page is more than its comments.
_AREA = WordPattern(rf"(?:[a-z0-9]+[-_])*{either('comments')}(?:[-_]?(?:{either('area')}|\d++))*|{either('area of comments')}")
NOT_AREA = re.compile(either("not of comments"), re.I)
_HEADING = WordPattern(
    r"\W*+(?:\d++\s+)?(?:(?:readers?|users?|your|visitors?|all|the|latest|previous|posted)['’]?s?\s+){0,2}"
    rf"{either('comments', 'views')}(?:[^\w,;].{{0,40}})?\W*+\d*+\W*+"
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAMED = re.compile(r"[^\W\d]+(?: [^\W\d]+)*")  #: The words that similar headings share: "Comments (3)", "comments: none".
_COUNTS = 4  #: So many headings alike are links to comments on several pages.
_MINUTE = re.compile(r"\d[:：][0-5]\d")
_OF_MINUTES = tuple(f"{sign}{digit}" for sign in ":：" for digit in range(6))  #: One of these is in each of them.
_FEW_NUMBERS = 3  #: Numbers that are fewer than those of a day and a minute.
_LONGER = 2  #: Most length of a run without a name or heading, as a multiple of the text before it.
_FEW = 0.3  #: Share of linked text below which a run is not one of links.
_AREAS = tags.lookup(tags.codes("div section article aside ul ol dl table"))
_NO_HEADINGS = tags.lookup(tags.PREFORMATTED | tags.codes("th"))
_DIGITS = re.compile(r"\d+")
_UP = 4  #: Elements around a text that says the minute, that may be what repeats.
_GROUPS = 40  #: Groups that are compared, the largest first.


def comment_areas(tree: PageTree, kept: NDArray[np.integer] | None = None) -> NDArray[np.intp]:
    """Return the outermost elements with the comments of a page, rising, intp ``(k,)``. ``kept``: nodes of texts; each area must hold one.

    >>> from tamis import parse
    >>> tree = parse('<article><p>Reeds.</article><div id=comments><div class=comment>I like them.</div></div>')
    >>> [tree.css(node) for node in comment_areas(tree)]
    ['html > body > div:nth-of-type(1)']
    """
    elements = _named_areas(tree)
    if not len(elements):
        return elements
    return tree.top_level(elements[tree.count_below(elements, tree.text_nodes if kept is None else kept) > 0])


@of_page
def _named_areas(tree: PageTree) -> NDArray[np.intp]:
    """Return the elements whose class names or ids say that they hold comments, rising, intp ``(k,)``."""
    classes, ids = (tree.values(name).nodes(_is_area, _AREA.hints) for name in ("class", "id"))
    named = np.union1d(classes, ids) if len(classes) and len(ids) else classes if len(classes) else ids
    return named[tags.within(_AREAS, tree.tag[named])]


def sides_alike(tree: PageTree, signatures: list[int]) -> tuple[bool, bool]:
    """Return whether the same text follows the last signature as the first, and whether the same text precedes the first as the second."""
    beside = tree.children(int(tree.parent[signatures[0]]))
    beside = beside[tree.length_below[beside] > 0]
    at = beside.searchsorted(signatures)
    tag, name = (np.append(column[beside], -2) for column in (tree.tag, tree.values("class").codes))
    same = (tag[at + 1] == tag[at[0] + 1]) & (name[at + 1] == name[at[0] + 1])
    alike = (tag[at - 1] == tag[at[1] - 1]) & (name[at - 1] == name[at[1] - 1])
    return bool(same[-1]), bool(alike[0])


@of_page
def _speaking(tree: PageTree) -> list[int]:
    """Return the positions of texts such as "3 comments" among the texts of a page, but those in code and those that head a column."""
    found = [k for k in tree.contains_any(_HEADING.hints, SHORT) if _HEADING.fullmatch(tree.texts[k].strip())]
    apart = tree.subtree_mask(tree.of_tags(_NO_HEADINGS)) if found else None
    return found if apart is None else [k for k in found if not apart[tree.text_nodes[k]]]


def headed_spans(tree: PageTree, reviews: bool = True) -> Iterator[tuple[int, int]]:
    """Yield spans below a heading such as "3 comments", up to the end of the element around: first node before it, first node after it.

    Many such texts, or texts with different numbers, are not headings: they count comments on the pages of a list. ``reviews``: also "3
    reviews"."""
    if not (speaking := _speaking(tree)):
        return
    alike = defaultdict[str, list[tuple[int, str]]](list)
    for k in speaking:
        text = tree.texts[k].strip()
        if reviews or "review" not in text.lower():
            alike[_NAMED.findall(text)[0].lower()].append((int(tree.text_nodes[k]), "".join(_DIGITS.findall(text))))
    single = [nodes for nodes in alike.values() if len(nodes) < _COUNTS and len({number for _, number in nodes if number}) < 2]
    for node, _ in sorted(chain.from_iterable(single)):
        inner = node
        for above in islice(tree.ancestors(node), 8):
            end, after = int(tree.end[above]), int(tree.end[inner])
            if tree.before[end] - tree.before[after] > 2 * SHORT:
                if tree.length_below[inner] <= SHORT:
                    yield after - 1, end
                break
            inner = above


def runs(tree: PageTree, kept: NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    """Yield runs of the last siblings of one tag and class if half of them state a time of day: first node before it, first node after it.

    A run follows an article, and has no headings, counts of comments and much linked text, as lists of pages have them.
    """
    groups: dict[tuple[int, int, int], dict[int, None]] = {}
    if not (said := tree.contains_any(_OF_MINUTES, 2 * SHORT)):
        return
    names, shown = tree.values("class").codes, np.append(0, np.cumsum(tree.text_length[kept]))
    for k in said if shown[-1] > LEAST_TEXT else ():
        if _MINUTE.search(tree.texts[k]) and len(_DIGITS.findall(tree.texts[k])) > _FEW_NUMBERS:
            around = list(islice(tree.ancestors(int(tree.text_nodes[k])), _UP))
            for above in around if tags.PREFORMATTED.isdisjoint(tree.tag[around].tolist()) else ():
                groups.setdefault((int(tree.parent[above]), int(tree.tag[above]), int(names[above])), {})[above] = None
    headings = np.sort(np.concatenate((tree.headings, tree.text_nodes[_speaking(tree)]))) if groups else kept
    for (parent, tag, name), members in sorted(groups.items(), key=lambda group: -len(group[1]))[:_GROUPS]:
        if len(members) < 2 or parent < 0:
            continue
        every, beside = list(members), tree.children(parent)
        first, end = every[0], int(tree.end[every[-1]])
        alike = ((tree.tag[beside] == tag) & (names[beside] == name) & (beside >= first)).sum()
        titled = headings.searchsorted(first) < headings.searchsorted(end) or alike > 2 * len(every)
        if tree.length_below[first] < 2 * SHORT:  # signatures
            at, following = beside.searchsorted(every[:2]).tolist()
            first = first if sides_alike(tree, every)[0] else int(beside[max(0, 2 * at - following + 1)])
            end = int(tree.end[parent])
        length, linked = (column[end] - column[first] for column in (tree.before, tree.linked_before))
        before = shown[kept.searchsorted(first)]
        if not titled and before >= LEAST_TEXT and length < _LONGER * before and linked < _FEW * length:
            yield first - 1, end


def names_in(name: str) -> list[str]:
    """Return class names and id of what :func:`~tamis.page.element_names.element_names` gives."""
    return [word[1:] for word in name.split("\t")[1:]]


def _is_area(names: str) -> bool:
    return any(_names_area(word[:MAX_TOKEN]) for word in names.split()[:MAX_TOKENS])


@lru_cache(maxsize=4096)  # the pages of a site share their names
def _names_area(word: str) -> bool:
    if not any(map(word.lower().__contains__, _AREA.hints)):
        return False
    return any(_AREA.fullmatch(form) for form in {word, _HUMP.sub("-", word)}) and NOT_AREA.search(word) is None
