"""Visitors' comments and forum posts: who wrote them and when.

They are elements of one class name that hold an author, a date or both, and most of the text of where comments are
(:mod:`tamis.document.comment_places`), or of a thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from tamis.document.comment import (
    AUTHOR_NAME,
    MAX_COMMENTS,
    MAX_LEVELS,
    PIECES,
    SHORT,
    Comment,
    Dates,
    Parts,
    each_own,
    has_date,
    is_signed,
    name_in,
    read_comment,
    signing,
    text_of,
    without_template,
    written,
)
from tamis.document.comment_places import LEAST_TEXT, NOT_AREA, comment_areas, headed_spans, names_in, runs
from tamis.document.forum import is_forum, is_thread
from tamis.document.render.text import lines
from tamis.document.selection import Cause, Reason, Selection
from tamis.document.structured_comments import OPENING, POSTS, REVIEWS, is_stated_thread, read_items, read_json_ld_comments
from tamis.page import tags
from tamis.page.caching import of_name, of_page
from tamis.page.element_names import MAX_TOKEN, MAX_TOKENS, element_names, general
from tamis.page.garbage import gc_paused
from tamis.page.grouping import group, keys_of
from tamis.page.lexicon import WordPattern, either
from tamis.page.microdata import COMMENTS, items_of
from tamis.page.tree import PageTree, contains_any

MAX_AREAS = 200  #: Areas of comments read on one page, the first ones; real pages have one, or one for each post.
MAX_PLAIN_AREAS = 20  #: Areas that are found by their headings, or read signature by signature, the first ones.
LEAST_PROSE = 150  #: Characters of the longest line of a comment that nobody signs.
COMMENT = Reason("left out: a visitor's comment", Cause.COMMENT)
KEPT_COMMENT = Reason("kept: a visitor's comment", Cause.COMMENT)

_ITEM = re.compile(
    rf"(?:[a-z]+[-_]){{0,2}}{either('comment')}(?:[-_]?(?:{either('part of a comment')}|\d++))*"
    r"|(?:div-|li-|p)?comment[-_]?\d+|c\d{2,}|singlecomment|commentary|thread-(?:even|odd)|depth-\d+",
    re.I,
)
_POST = re.compile(either("post"), re.I)
_AGO = WordPattern(rf"\b{either('ago')}\b|前")
_CLOCK = re.compile(r"[0-9](?::\d\d ?[ap]\.?m\b|(?<!\w\d)\d*+ ?[smhdwy]\b)", re.I)  #: "3:07 pm", "5 h"; begins with what it must find.
_NUMBERS = tuple("0123456789")
_DIGITS = re.compile(r"\d+")
_LOOKED_AT = 20  #: Comments, and areas of them, that are read at the most to see whether they are signed.
_COVERED = 0.4  #: Share of the text of an area, or of the group with the most text, that a group of comments holds at the least.
_LINKED = 0.8  #: Share of linked text above which what looks like a comment has no text but a link to another page.
_UP = 4  #: Most levels from the second post of a thread up to the parent of the first.
_FIRST = OPENING | {"question"}  #: Items that are the first post of a thread.
_GROUPS = 40  #: Groups that are compared, those with the most text first.

_PARTS = tags.lookup(tags.codes("div section article aside ul ol li dl dt dd table tbody tr td blockquote main a p span b strong em"))
_ITEMS = tags.lookup(tags.codes("div section article li dl dd table tbody tr td blockquote p"))
_FIELD = tags.lookup(tags.codes("textarea"))
_APART = tags.lookup(tags.HEADINGS | tags.codes("button select textarea label input"))


@gc_paused()
def read_comments(tree: PageTree, language: str | None = None, kept: NDArray[np.integer] | None = None) -> tuple[Comment, ...]:
    """Return the comments on a page, in order. ``language``: of the page, for day and month in dates; ``kept``: its main text.

    Without a named area, they follow a heading after the first of ``kept``, nodes of texts, rising, intp ``(k,)``, or are a run
    of blocks after it that say when they were written.
    """
    dates = Dates(language)
    areas = [(area, int(tree.end[area])) for area in comment_areas(tree)[:MAX_AREAS].tolist()]
    stated = list(read_items(tree, _stated_on_page(tree, kept), dates))
    read = [] if stated and is_stated_thread(tree) else list(filter(None, _read_areas(tree, areas, dates)))
    found = list(chain.from_iterable(read))
    if len(read) > 1 and not any(map(is_signed, found)):  # a manual comments on its functions, too
        found = []
    if not found and not stated:
        begin = kept[0] if kept is not None and len(kept) else 0
        found = _read_best(tree, (span for span in headed_spans(tree) if span[0] > begin), dates)
        if not found and kept is not None and not is_forum(tree):
            found = _prose(_read_best(tree, runs(tree, kept), dates))
    chosen = stated if stated and _signed(stated) >= _signed(found) else found
    if not chosen and tree.json_ld:
        chosen = list(read_json_ld_comments(tree, dates))
    return without_template(chosen[:MAX_COMMENTS])


def _read_best(tree: PageTree, headed: Iterable[tuple[int, int]], dates: Dates) -> list[Comment]:
    """Return the comments of the area in which most are signed."""
    return max(_read_areas(tree, list(islice(headed, MAX_PLAIN_AREAS))[::-1], dates), key=_signed, default=[])


def _stated_on_page(tree: PageTree, kept: NDArray[np.integer] | None) -> NDArray[np.intp]:
    """Return the comments and reviews of microdata, but for reviews that are the main text, such as that of a film."""
    items, reviews = items_of(tree, COMMENTS), items_of(tree, REVIEWS)
    if kept is not None and len(reviews):
        own = np.zeros(len(tree), dtype=np.int64)
        own[kept] = tree.text_length[kept]
        reviews = reviews[2 * tree.subtree_sum(own, reviews) <= own.sum()]
    return np.sort(np.concatenate((items, reviews)))


def _read_areas(tree: PageTree, areas: list[tuple[int, int]], dates: Dates) -> Iterator[list[Comment]]:
    """Yield the comments of each area; if most are not signed, the long ones. In the first areas they need no elements of their own."""
    if not areas:
        return
    signs, left = _Signs(tree, areas), MAX_COMMENTS
    for number, (first, end) in enumerate(areas):
        read = list(islice(_comments_between(signs, first, end, dates), left))  # areas may hold each other
        left -= len(read)
        if number < MAX_PLAIN_AREAS and (len(read) < 2 or not all(map(is_signed, read))):
            between = list(_between_signatures(signs, first, end, dates))
            read = max(read, between, key=_signed) if len(between) > 1 else read
        yield read if _signed(read) >= 0 else [each for each in read if _is_prose(each.text) and not _holds_form(tree, each)]


def _holds_form(tree: PageTree, comment: Comment) -> bool:
    """Return whether a comment holds the field for the next one: what nobody signs is then said about it."""
    fields, (first, end) = tree.tagged(_FIELD), comment.span(tree)
    return bool(fields.searchsorted(end) > fields.searchsorted(first))


def _is_prose(text: str) -> bool:
    """Return whether a text is long enough to be a comment rather than a form or a count."""
    return max(map(len, text.split("\n")), default=0) >= LEAST_PROSE


def _signed(comments: list[Comment]) -> int:
    return sum(1 if is_signed(comment) else -1 for comment in comments)


def read_posts(tree: PageTree, url: str | None = None) -> tuple[Comment, ...]:
    """Return the posts of a forum thread, in order; none if neither the page nor its address shows that it is a forum."""
    return _posts(tree) if len(tree) and is_forum(tree, url) else ()


@of_page
@gc_paused()
def _posts(tree: PageTree) -> tuple[Comment, ...]:
    from tamis.document.metadata.languages import language_tag

    dates = Dates(language_tag(tree.attribute(0, "lang") or ""))
    wanted = items_of(tree, POSTS if len(items_of(tree, POSTS)) else OPENING | COMMENTS)
    stated: tuple[Comment, ...] = ()
    if len(wanted) > 1 and len(items_of(tree, _FIRST)):
        stated = tuple(read_items(tree, wanted, dates))
    if len(stated) > 1:
        whole, first = stated[:2]  # what holds the whole thread may state its beginning once more
        return stated[1:] if first.node < tree.end[whole.node] and first.date == whole.date else stated
    found = tuple(_comments_between(_Signs(tree, [(0, len(tree))]), 0, len(tree), dates, posts=True))
    return without_template(max(found, stated, key=len), 2)


def _between_signatures(signs: _Signs, first: int, end: int, dates: Dates) -> Iterator[Comment]:
    """Comments without elements of their own: the texts before or after short elements of one class that hold an author or a date."""
    tree, here = signs.tree, signs.between(first, end)
    here = here[signs.length[here] > 0]
    kinds = list(zip(tree.parent[here].tolist(), tree.values("class").codes[here].tolist(), strict=True))
    groups: dict[tuple[int, int], list[int]] = {}
    for k in ((signs.length[here] < 2 * SHORT) & ((signs.dates[here] > 0) | (signs.authors[here] > 0))).nonzero()[0].tolist():
        groups.setdefault(kinds[k], []).append(int(here[k]))
    kind = max(groups, key=lambda kind: len(groups[kind]), default=(0, 0))
    signatures = groups.get(kind, [])
    if len(signatures) < 2:
        return
    if 2 * len(signatures) < kinds.count(kind) and not all(signs.authors[node] or has_date(tree.text(node)) for node in signatures):
        return  # a few of many paragraphs say "today"
    holder, texts = int(tree.parent[signatures[0]]), tree.text_nodes
    start, stop = max(first, holder) + 1, min(end, int(tree.end[holder]))
    apart = tree.subtree_mask(tree.of_tags(_APART) | tree.link)
    before = texts[slice(*tree.texts_between(start, signatures[0]))]
    spans = list(zip([start, *tree.end[signatures].tolist()], [*signatures, stop], strict=True))
    ends = tree.text_length[before[~apart[before]]].any()
    spans = spans[:-1] if ends else spans[1:]
    for node, (after, to) in zip(signatures, spans, strict=True):
        shown = np.arange(*tree.texts_between(after, to))
        said = lines(tree, shown[~apart[texts[shown]]])
        text = text_of(line for line in said if any(map(str.isalnum, line)))  # of links that are left out there may be bars
        signature = tree.text(node)
        if text:
            yield Comment(text, name_in(signature), dates.first_in(signature), 0, min(node, after), max(int(tree.end[node]), to))


def _comments_between(signs: _Signs, first: int, end: int, dates: Dates, posts: bool = False) -> Iterator[Comment]:
    """Yield the comments between two nodes, or the posts."""
    tree, elements = signs.tree, signs.between(first, end)
    if not len(elements):
        return
    items = _items(signs, first, end, elements, posts)
    if posts:
        items = _opening(tree, items, signs) + items
    before: Comment | None = None  # a signature with an element of its own
    for node, mine, level in each_own(tree, items, signs.own):
        comment = read_comment(signs.parts, node, mine, level, dates, 1.0 if posts else _LINKED)
        if not comment.text:
            before = comment
            continue
        if before is not None and comment.author is None:
            comment = replace(comment, author=before.author, date=comment.date or before.date)
        before = None
        yield comment


class _Signs:
    """Counts of authors, dates, titles and text in each node of some areas, made once for all of them."""

    def __init__(self, tree: PageTree, areas: Iterable[tuple[int, int]]) -> None:
        """``areas``: the node before each, and the one after it."""
        self.tree = tree
        inside, authors, dates = np.zeros(len(tree), dtype=np.bool_), np.zeros(len(tree), dtype=np.bool_), tree.tag == tags.CODE["time"]
        for first, end in areas:
            inside[first + 1 : end] = True
        self.elements = np.flatnonzero(inside & tree.of_tags(_PARTS))
        index, names = element_names(tree, self.elements)
        named = np.zeros(len(names), dtype=np.bool_)
        named[[k for k in contains_any(names, AUTHOR_NAME.hints) if _is_author(names[k])]] = True
        authors[self.elements[named[index]]] = True
        self.parts = Parts(tree, inside)
        authors[self.parts.profiles] = True
        shown = np.flatnonzero(inside[tree.text_nodes])
        texts = list(map(tree.texts.__getitem__, shown.tolist()))
        dated = [k for k in contains_any(texts, _AGO.hints, PIECES - 1) if _AGO.search(texts[k])]
        dated += [k for k in contains_any(texts, _NUMBERS, PIECES - 1) if _CLOCK.search(texts[k]) or has_date(texts[k])]
        authors[tree.text_nodes[shown[signing(texts)]]] = True
        dates[tree.text_nodes[shown[dated]]] = True
        self.authors, self.dates, self.titles = map(tree.subtree_sum, (authors, dates, tree.tag == tags.CODE["h1"]))
        self.length = tree.length_below
        self.own = written(tree)

    def between(self, first: int, end: int) -> NDArray[np.intp]:
        """Return the elements of an area that may be comments or parts of one."""
        return self.elements[slice(*self.elements.searchsorted((first + 1, end)))]


def _items(signs: _Signs, first: int, end: int, elements: NDArray[np.intp], posts: bool) -> list[int]:
    """Return those of an area's elements that are comments; arguments as in :func:`_comments_between`.

    Comments are the elements with a name for comments; without one, and for posts, the elements of one class name with most of the text,
    with author or date, or both if possible.
    """
    tree = signs.tree
    index, names = element_names(tree, elements)
    if not posts:
        is_item = list(map(_is_item, names))
        called = elements[np.array(is_item)[index]]
        named = _whole(tree, called[signs.length[called] > 0].tolist(), signs, 1)
        if len(named) > 1 or any(signs.authors[node] or signs.dates[node] for node in named):
            return named[:MAX_COMMENTS]
    found = _largest_group(signs, first, end, *_groups(tree, elements, index, names), posts=posts)
    if found or posts or first < 0:
        return found[:MAX_COMMENTS]
    return [first] if _kinds_of_element(tree, first) or (signs.authors[first] > 0 and signs.dates[first] > 0) else []


def _largest_group(
    signs: _Signs, first: int, end: int, member: NDArray[np.int64], group: NDArray[np.int64], words: list[str], posts: bool
) -> list[int]:
    """Return the comments of the group of elements with the most text, with an author and a date, or one of them; else none."""
    tree, length = signs.tree, signs.length[member]
    tier = (signs.authors[member] > 0).astype(np.int64) + (signs.dates[member] > 0)
    for wanted in (2, 1):
        here = (tier >= wanted) & (length > 0)
        m, g = member[here], group[here]
        start = m + g * (len(tree) + 1)
        inner = np.append(-1, np.maximum.accumulate(tree.end[m] + g * (len(tree) + 1)))[:-1] > start
        covered = np.bincount(g, weights=length[here] * ~inner, minlength=len(words))
        count = np.bincount(g, minlength=len(words))
        covered[count < 2] = 0
        if posts and wanted < 2:
            covered[[k for k in covered.nonzero()[0].tolist() if not _POST.search(words[k])]] = 0
        most = covered.max(initial=0)
        enough = 0.6 * most if posts else max(_COVERED * tree.text_length[first:end].sum(), _COVERED * most)
        best: list[int] = []
        best_weight = 0.0
        for k in np.argsort(-covered, kind="stable")[:_GROUPS].tolist():
            if covered[k] < max(enough, 1):
                break
            weight = 2.0 if posts and (not words[k] or _POST.search(words[k])) else 1.0
            if weight * count[k] > best_weight:
                found = _whole(tree, m[g == k].tolist(), signs, wanted)
                if weight * len(found) > best_weight:
                    best, best_weight = found, weight * len(found)
        if len(best) > 1:
            return best
    return []


def _groups(
    tree: PageTree, elements: NDArray[np.intp], index: NDArray[np.int32], names: list[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """Return the elements by class name and by id without numbers, else by parent and tag; the group of each, both int64 ``(p,)``; names of
    groups."""
    numbers: dict[str, int] = {}
    wanted = tree.of_tags(_ITEMS)[elements]
    elements, index = elements[wanted], index[wanted]
    of_name = [[0]] * len(names)
    for k in np.unique(index).tolist():
        words = dict.fromkeys(general(names[k]).split("\t")[1:])
        of_name[k] = [numbers.setdefault(word, len(numbers)) for word in words] or [-1]
    member = np.repeat(elements, np.array(list(map(len, of_name)))[index])
    kind = np.fromiter(chain.from_iterable(map(of_name.__getitem__, index.tolist())), dtype=np.int64, count=len(member))
    bare = (kind < 0).nonzero()[0]
    number, first = group(keys_of(tree.parent[member[bare]], tree.tag[member[bare]]))
    kind[bare] = number + len(numbers)
    order = np.lexsort((member, kind))
    return member[order], kind[order], [*numbers, *[""] * len(first)]


@of_name
def _is_item(name: str) -> bool:
    return any(_ITEM.fullmatch(word) and not NOT_AREA.search(word) for word in names_in(name))


@of_name
def _is_author(name: str) -> bool:
    return AUTHOR_NAME.search(" ".join(names_in(name))) is not None


def _whole(tree: PageTree, members: list[int], signs: _Signs, least: int) -> list[int]:
    """Of elements of one kind, perhaps in each other, those that are whole comments: neither a part of one nor around several."""
    sums = (signs.authors, signs.dates, signs.length)
    kept: list[list[int]] = []  # a comment and its replies
    stack: list[tuple[int, list[list[int]], list[int]]] = [(-1, kept, [0, 0, 0])]
    for node in [*members, len(tree)]:
        while len(stack) > 1 and node >= tree.end[stack[-1][0]]:
            outer, inner, nested = stack.pop()
            found = [int(of[outer]) for of in sums]
            own = sum(every > theirs for every, theirs in zip(found[:2], nested, strict=False))
            titled = any(nested) and signs.titles[outer] > 0  # around the whole thread
            alike = [each for each in inner if tree.tag[each[0]] == tree.tag[outer] and _is_reply(tree, each[0], outer, signs)]
            parts = len(inner) - len(alike)
            if titled or (own < least and len(inner) > 1 and parts != 1):
                stack[-1][1].extend(inner)
            else:
                replies = alike if own >= least or parts == 1 or found[2] > nested[2] else []
                stack[-1][1].append([outer, *chain.from_iterable(replies)])
            for k, value in enumerate(found):
                stack[-1][2][k] += value
        if len(stack) <= MAX_LEVELS:
            stack.append((node, [], [0, 0, 0]))
    return sorted(chain.from_iterable(kept))


def _is_reply(tree: PageTree, inner: int, outer: int, signs: _Signs) -> bool:
    """Return whether an element in a comment is another comment rather than a part: it is named like one, or has an author and a date."""
    both = bool(signs.authors[inner] > 0 and signs.dates[inner] > 0)
    return both or bool(_kinds_of_element(tree, inner) & _kinds_of_element(tree, outer)) or not _kinds_of_element(tree, outer)


def _kinds_of_element(tree: PageTree, node: int) -> set[str]:
    """Return the class names and the id of an element that comments have, without numbers."""
    given = f"{tree.attribute(node, 'class') or ''} {tree.attribute(node, 'id') or ''}"
    return {_DIGITS.sub("0", word) for word in given.split()[:MAX_TOKENS] if _ITEM.fullmatch(word[:MAX_TOKEN])}


def _opening(tree: PageTree, items: list[int], signs: _Signs) -> list[int]:
    """Return the first post of a thread, where it is not of the class of the others: the signed element before them."""
    if not items:
        return []
    holder = items[0]
    for _ in range(_UP):
        above = int(tree.parent[holder])
        if above < 0:
            return []
        before = tree.children(above)
        before = before[before < holder]
        signed = (signs.authors[before] > 0) & (signs.dates[before] > 0)
        signed &= signs.titles[before] == 0  # the head of the page may name who began the thread
        linked = tree.linked_before[tree.end[before]] - tree.linked_before[before]
        signed &= signs.length[before] - linked > SHORT
        if signed.any():
            return [int(before[signed][-1])]
        holder = above
    return []


def without_comments(tree: PageTree, selection: Selection, url: str | None = None) -> Selection:
    """Return a selection without visitors' comments; unchanged if nearly all of the text is comments, or the page is a forum thread."""
    kept = tree.text_nodes[selection.keep[tree.text_nodes]]
    areas, headed, run = comment_areas(tree, kept), list(headed_spans(tree, reviews=False)), list(runs(tree, kept))
    if not (len(areas) or headed or run) or is_thread(tree, url):
        return selection
    if len(areas) and _hold_comments(tree, areas):
        inside = tree.subtree_mask(areas)
    else:
        inside = _unnamed_comments(tree, kept, (headed,) if is_forum(tree, url) else (headed, run))
    if not inside.any() or tree.text_length[selection.keep & ~inside].sum() < LEAST_TEXT:
        return selection
    return selection.without(inside, COMMENT)


def _hold_comments(tree: PageTree, areas: NDArray[np.intp]) -> bool:
    """Return whether the first of some areas holds comments, half of them signed."""
    spans = [(area, int(tree.end[area])) for area in areas[:_LOOKED_AT].tolist()]
    signs = _Signs(tree, spans)
    read = (comment for first, end in spans for comment in _comments_between(signs, first, end, Dates()))
    signed = list(map(is_signed, islice(read, _LOOKED_AT)))
    return 2 * sum(signed) >= max(len(signed), 1)


def _unnamed_comments(tree: PageTree, kept: NDArray[np.integer], places: Iterable[list[tuple[int, int]]]) -> NDArray[np.bool_]:
    """Return the nodes of comments in the first of some places, spans below headings or runs, that has any after the text ``kept``, bool
    ``(n,)``; none if a named area holds comments."""
    inside = np.zeros(len(tree), dtype=np.bool_)
    after = kept[np.cumsum(tree.text_length[kept]).searchsorted(LEAST_TEXT) :]
    for spans in places:
        chosen = [(first, end) for first, end in spans if 0 < after.searchsorted(first) < after.searchsorted(end)]
        if chosen and not (len(areas := comment_areas(tree)) and _hold_comments(tree, areas)):
            for comment in _prose(_read_best(tree, chosen, Dates())):
                inside[slice(*comment.span(tree))] = True
        if inside.any():
            break
    return inside


def _prose(comments: list[Comment]) -> list[Comment]:
    """Comments that nothing names: two or more, if all are signed and one is long; else none."""
    sure = len(comments) > 1 and all(map(is_signed, comments)) and any(_is_prose(comment.text) for comment in comments)
    return comments if sure else []


def with_comments(tree: PageTree, selection: Selection) -> Selection:
    """Return a selection with visitors' comments, each with author and date, but without forms and links such as "Reply".

    >>> from tamis import extract
    >>> said = "<cite>Ann</cite> <time datetime=2024-03-01>1 March</time> <p>They bend, too.</p>"
    >>> extract(f"<main><p>Reeds grow.</main><div id=comments><div class=comment>{said}</div></div>", comments=True).text.splitlines()
    ['Reeds grow.', 'Ann 1 March', 'They bend, too.']
    """
    kept, own = tree.text_nodes[selection.keep[tree.text_nodes]], written(tree)
    added = np.zeros(len(tree), dtype=np.bool_)
    for comment in read_comments(tree, None, kept):
        added[_texts_of(tree, comment, own)] = True
    return selection.adding(added, KEPT_COMMENT)


def _texts_of(tree: PageTree, comment: Comment, own: NDArray[np.bool_]) -> NDArray[np.integer]:
    """Return the texts of a comment, its author and its date, intp ``(k,)``. ``own``: nodes that are not of forms, bool ``(n,)``."""
    first, last = tree.texts_between(*comment.span(tree))
    nodes, texts = tree.text_nodes[first:last], tree.texts[first:last]
    shown = own[nodes]
    linked = np.flatnonzero(shown & tree.in_link[nodes])
    for k in linked.tolist() if len(linked) <= PIECES else ():
        text = " ".join(texts[k].split())
        shown[k] = text == comment.author or text in comment.text or (len(text) < SHORT and Dates().first_in(text) is not None)
    return nodes[shown]
