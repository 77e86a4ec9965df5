"""Visitors' comments and forum posts: where they are on a page, who wrote them and when.

The area of the comments is found by its class name or id, or by its heading; comments and posts are elements of one class name that hold
an author, a date or both, and most of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.document.render.text import lines, visible
from tamis.document.selection import Cause, Reason, Selection
from tamis.native import columns as compiled
from tamis.page import tags
from tamis.page.element_names import MAX_TOKEN, MAX_TOKENS, element_names
from tamis.page.garbage import uncollected
from tamis.page.tree import Attributes, BoolColumn, PageTree

MAX_COMMENTS = 7_500  #: Comments read on one page.
MAX_AREAS = 200  #: Areas of comments read on one page, the first ones; real pages have one, or one for each post.
MAX_PLAIN_AREAS = 20  #: Areas that are found by their headings, or read signature by signature, the first ones.
LEAST_PROSE = 150  #: Characters of the longest line of a comment that nobody signs.
MAX_NAME_WORDS = 6  #: Words of a name in a signature that no class name says to be one; more are a sentence.
MAX_LEVELS = 64  #: Replies to replies that are told apart; deeper ones belong to the comment above, so that the work stays linear.
LEAST_TEXT = 250  #: Characters of text besides comments from which a page is more than its comments.
COMMENT = Reason("left out: a visitor's comment", Cause.COMMENT)

_WORD = (
    "comments?|kommentare?|kommentarer|commentaires?|comentarios?|coment[aá]rios|commenti|commento|reacties|reactions|komentarze|koment[aá][rř]e|"
    "yorumlar|yorum|комментарии|kommentarii|responses|replies|reviews|guestbook|talkbacks?|reader-?comments|user-?comments|"
    "discussion|leserkommentare|pinglun|评论|留言|コメント|댓글"
)
_HINTS = tuple(
    "comment koment coment kommen commento reacti yorum \u043a\u043e\u043c\u043c\u0435\u043d respons repl review "
    "guestbook talkback discussion pinglun 评论 留言 コメント 댓글 "
    "disqus dsq- livefyre idc- echo-stream ds-thread fyre".split()
)
"""What names of areas hold, lower case: looking for these first is many times as fast."""
_ASCII_HINTS = tuple(filter(str.isascii, _HINTS))
_AREA = re.compile(
    rf"(?:[a-z0-9]+[-_])*(?:{_WORD})(?:[-_]?(?:area|block|body|box|container|content|div|holder|inner|list|module|page|panel|section|"
    rf"stream|tree|thread|threads|wrap|wrapper|wrapping|region|index|main|all|roll|group|view|items|\d++))*"
    r"|commentlist|comment[-_]?(?:list|s|section|area|wrap(?:per)?|container|box|thread|tree|block|roll)|disqus_thread|dsq-(?:content|comments)|"
    r"post-comments?|livefyre.*|idc-(?:container|cover)|echo-stream-body|ds-thread|fyre-comment-stream|js-kit-comments?|gig-comments-.*",
    re.I,
)
_NOT_AREA = re.compile(
    r"count|link|number|num$|icon|meta|button|btn|closed|open$|form|respond|add|leave|write|submit|policy|feed|rss|recent|latest|popular|"
    r"widget|sidebar|most|top-?comments|bubble|jump|anchor|head|title|nav|no-?comments|without|has-|with-|show|hide|toggle|info|total|share|"
    r"hidden|login|new[-_]?comment|teaser|pagina|disabled|stats?|user-reviews-link|tab|category|menu|sprite",
    re.I,
)
_ITEM = re.compile(
    r"(?:[a-z]+[-_])?(?:comment|kommentar|commentaire|comentario|commento|reactie|komentarz|yorum|review|reply|opinion|dsq-comment|"
    r"fyre-comment-article|idc-c|ds-post)(?:[-_]?(?:item|entry|block|box|body|wrap|wrapper|container|row|single|li|node|post|content|inner|\d++))*"
    r"|(?:div-|li-|p)?comment[-_]?\d+|c\d{2,}|singlecomment|commentary|thread-(?:even|odd)|depth-\d+",
    re.I,
)
_POST = re.compile(r"post|message|msg|repl(?:y|ies)|answer|comment|topic|thread|cooked|kommentar|antwort|mensaje|entry|item|review", re.I)
_AUTHOR = re.compile(
    r"(?:^|[-_ ])(?:author|fn|user-?name|user|by-?line|nick(?:name)?|poster|commenter|cite|posted-?by|name|autor|auteur|"
    r"member|submitted)(?:$|[-_ ])|"
    r"(?:author|user|poster|commenter)(?:name|info|link)?$",
    re.I,
)
_PROFILE = re.compile(
    r"(?:^|[/~])(?:users?|u|members?|profiles?|people|author)(?:[/.-]|\.php)|[?&;](?:u|uid|user)=\d|action=profile|mode=viewprofile", re.I
)
_DATE = re.compile(
    r"(?:^|[-_ ])(?:date|time|timestamp|posted|published|when|datum|fecha|permalink|metadata|meta|ago)(?:$|[-_ ])|date|time", re.I
)
_AGO = re.compile(r"\d:\d\d ?[ap]\.?m\b|\bago\b|\byesterday\b|\btoday\b|\bgestern\b|\bheute\b|\bhier\b|\bayer\b|前|\b\d+ ?[smhdwy]\b", re.I)
_BODY = re.compile(
    r"(?:^|[-_ ])(?:text|body|content|message|entry|desc(?:ription)?|copy)(?:$| )|"
    r"(?:comment|post|review|message)[-_]?(?:text|body|content|message)",
    re.I,
)
_TOOLS = re.compile(
    r"reply|respond|report|flag|vote|like|share|avatar|actions?|toolbar|controls|moderat|edit|quote-?link|permalink|login|signature", re.I
)
_DEPTH = re.compile(r"(?:depth|level|indent)[-_]?(\d{1,2})")
_SAYS = re.compile(
    r"^\W*(?:(?:posted|comment|written|submitted|von|par|por|by)\s+)*(?:by|von|par|por)?\s*[:\s]*|"
    r"\s*(?:says|said|wrote|schrieb|a dit|dice|disse)?\s*[:.…]*\s*$",
    re.I,
)
_THREAD_ADDRESS = re.compile(
    r"forum|boards?\.|community\.|discuss(?:ion)?s?\b|/threads?[/-]|topics?[/=-]|viewtopic|showthread|showtopic|/t/(?:[\w-]+/)?\d|tapatalk\.com/groups|/r/\w+/comments|"
    r"news\.ycombinator\.com/item|slashdot|lobste\.rs|lemmy|reddit|stackexchange|/questions/\d",
    re.I,
)
_THREAD_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(?:https?://schema.org/)?(?:DiscussionForumPosting|QAPage)"')
_FORUM_WORDS = tuple("phpbb vbulletin xenforo bbp- bbpress postbit postbody forum".split())
_FORUM = re.compile("|".join(_FORUM_WORDS), re.I)
_HEADING = re.compile(
    rf"\W*+(?:\d++\s+)?(?:(?:readers?|users?|your|visitors?|all|the|latest|previous|posted)['’]?s?\s+){{0,2}}(?:{_WORD}|feedback|"
    r"your say|have your say|your views|what (?:do )?you think|thoughts)(?:[^\w,;].{0,40})?"
    r"\W*+\d*+\W*+",
    re.I,
)
_BY = re.compile(r"\W*+(?:(?:comment|post|review)(?:ed)?|written|submitted|left|sent)\s+(?:by|from)\b[:\s]*+(\S.*)", re.I)
_SIGNED = re.compile(
    rf"{_BY.pattern}|\W*+(?:posted|written|submitted)\s+(?:on\s+)?.*?\d.*\bby:?\s+(\S.*)"
    r"|(\S.*?)\s(?:says|said|wrote|writes|schrieb|a écrit|dice|disse|skrev|schreef|napisał)\b\W*(?:\d.*|on .*|at .*|am .*)?",
    re.I,
)
"""The line that signs a comment: "Posted by Ann | 1 May 2024", "Posted 1 May 2024 by Ann", "Ann says:"."""
_NO_NAME = re.compile(
    r"(?:sign|log) ?(?:in|up|out)\b|register|view\b|sort\b|profile$|reply|"
    r"\d++ ?+[a-z]+ ago|\d*+ ?+comments?\b|promoted|filter|customi",
    re.I,
)
_NAME_ENDS = re.compile(r"[|(\d@•—]| [-–] | on | at ")  #: Where the name in a signature ends.
_DIGITS = re.compile(r"\d+")
_FOUR = re.compile(r"\d{4}")
_SHORT = 80  #: Characters of a name, or of a line of buttons.
_PIECES = 200
_LOOKED_AT = 20  #: Comments, and areas of them, that are read at the most to see whether they are signed.
_COVERED = 0.4  #: Share of the text of an area, or of the group with the most text, that a group of comments holds at the least.
_LINKED = 0.8  #: Share of linked text above which what looks like a comment has no text but a link to another page.
_UP = 4  #: How far above the second post of a thread the first one may stand.
_GROUPS = 40  #: Groups that are compared, those with the most text first.

_PARTS = tags.lookup(tags.codes("div section article aside ul ol li dl dt dd table tbody tr td blockquote main a p span b strong em"))
_ITEMS = tags.lookup(tags.codes("div section article li dl dd table tbody tr td blockquote p"))
_AREAS = tags.lookup(tags.codes("div section article aside ul ol dl table"))
_FORM = tags.lookup(tags.codes("button select textarea label input"))
_APART = tags.lookup(tags.HEADINGS | tags.codes("button select textarea label input"))
_TIME, _CITE, _QUOTE = (tags.CODE[name] for name in ("time", "cite", "blockquote"))


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a page, or a post of a forum thread."""

    text: str
    author: str | None
    date: str | None  #: ISO 8601, as far as the page says it.
    level: int  #: 0 for a comment on the page, 1 for a reply to one, and so on.
    node: int  #: The element that holds it.

    def to_dict(self) -> dict[str, Any]:
        """The comment as plain values."""
        return {"text": self.text, "author": self.author, "date": self.date, "level": self.level}


def comment_areas(tree: PageTree, kept: NDArray[np.integer] | None = None) -> NDArray[np.intp]:
    """The outermost elements that hold the comments on a page, rising, intp ``(k,)``. ``kept``: texts of which each area must hold one.

    >>> from tamis import parse
    >>> tree = parse('<article><p>Reeds.</article><div id=comments><div class=comment>I like them.</div></div>')
    >>> [tree.css(node) for node in comment_areas(tree)]
    ['html > body > div:nth-of-type(1)']
    """
    named = np.zeros(len(tree), dtype=np.bool_)
    of_tag = tree.of_tags(_AREAS)
    for values in (tree.values("class"), tree.values("id")):
        if hinted := compiled.holding(values.distinct, _ASCII_HINTS):
            met = set(values.codes[values.of_codes(hinted) & of_tag].tolist())
            named |= values.of_codes([code for code in met if _is_area(values.distinct[code])])
    elements = (named & of_tag).nonzero()[0]
    return tree.outermost(elements[tree.count_below(elements, tree.text_nodes if kept is None else kept) > 0])


@uncollected()
def read_comments(tree: PageTree, language: str | None = None, kept: NDArray[np.integer] | None = None) -> tuple[Comment, ...]:
    """The comments on a page, in order. ``language``: that of the page, for the order of day and month in dates; ``kept``: its main text.

    Without a named area, they follow a heading that stands after the first of ``kept``, nodes of texts, rising, intp ``(k,)``.
    """
    areas = [(area, int(tree.end[area])) for area in comment_areas(tree)[:MAX_AREAS].tolist()]
    found = list(chain.from_iterable(_read_areas(tree, areas, language)))
    if not found:
        begin = int(kept[0]) if kept is not None and len(kept) else 0
        headed = list(islice((span for span in _headed(tree) if span[0] > begin), MAX_PLAIN_AREAS))
        found = max(_read_areas(tree, headed[::-1], language), key=_signed, default=[])
    return tuple(found[:MAX_COMMENTS])


def _read_areas(tree: PageTree, areas: list[tuple[int, int]], language: str | None) -> Iterator[list[Comment]]:
    """The comments of each area; if most are not signed, the long ones. In the first areas they need no elements of their own."""
    if not areas:
        return
    signs = _Signs(tree, areas)
    for number, (first, end) in enumerate(areas):
        read = list(_read(signs, first, end, language))
        if number < MAX_PLAIN_AREAS and (len(read) < 2 or not all(map(_is_signed, read))):
            between = list(_between_signatures(signs, first, end, language))
            read = max(read, between, key=_signed) if len(between) > 1 else read
        yield read if _signed(read) >= 0 else [each for each in read if _is_prose(each.text)]


def _is_prose(text: str) -> bool:
    """Whether a text is long enough for what somebody says, rather than a form or a count."""
    return max(map(len, text.split("\n")), default=0) >= LEAST_PROSE


def _signed(comments: list[Comment]) -> int:
    """How many comments are signed, less those that are not."""
    return sum(1 if _is_signed(comment) else -1 for comment in comments)


@uncollected()
def read_posts(tree: PageTree, language: str | None = None, url: str | None = None) -> tuple[Comment, ...]:
    """The posts of a forum thread, in order; none if neither the page nor its address shows that it is a forum."""
    if not len(tree) or not is_forum(tree, url):
        return ()
    return tuple(_read(_Signs(tree, [(0, len(tree))]), 0, len(tree), language, posts=True))


def is_forum(tree: PageTree, url: str | None = None) -> bool:
    """Whether a page is a thread, or class names or ids say that a forum's software made it."""
    if is_thread(tree, url):
        return True
    if not any(compiled.holding(tree.values(name).distinct, _FORUM_WORDS) for name in ("class", "id")):
        return False
    _, names = element_names(tree, tree.of_tags(_AREAS).nonzero()[0])
    return any(map(_FORUM.search, names))


def _between_signatures(signs: _Signs, first: int, end: int, language: str | None) -> Iterator[Comment]:
    """Comments without elements of their own: the texts before or after short elements of one class that hold an author or a date."""
    tree, here = signs.tree, signs.between(first, end)
    here = here[(signs.length[here] < 2 * _SHORT) & ((signs.dates[here] > 0) | (signs.authors[here] > 0))]
    groups: dict[tuple[int, str], list[int]] = {}
    for node, parent, name in zip(here.tolist(), tree.parent[here].tolist(), tree.values("class").codes[here].tolist(), strict=True):
        groups.setdefault((parent, name), []).append(node)
    signatures = max(groups.values(), key=len, default=[])
    if len(signatures) < 2:
        return
    holder, texts = int(tree.parent[signatures[0]]), tree.text_nodes
    start, stop = max(first, holder) + 1, min(end, int(tree.end[holder]))
    apart = tree.covered(tree.of_tags(_APART) | tree.link)
    before = texts[slice(*tree.texts_between(start, signatures[0]))]
    spans = list(zip([start, *tree.end[signatures].tolist()], [*signatures, stop], strict=True))
    spans = spans[:-1] if tree.text_length[before[~apart[before]]].any() else spans[1:]
    for node, (after, to) in zip(signatures, spans, strict=True):
        shown = np.arange(*tree.texts_between(after, to))
        text = visible("\n".join(filter(None, lines(tree, shown[~apart[texts[shown]]]))))
        signature = tree.text(node)
        if text:
            yield Comment(text, _name_in(signature), _date_in(signature, language), 0, node)


def _name_in(signature: str) -> str | None:
    """Who signs a comment, by the line that does."""
    from tamis.document.metadata.dates import MONTH

    if match := _SIGNED.fullmatch(signature):
        signature = next(filter(None, match.groups()))
    words = _SAYS.sub("", _NAME_ENDS.split(signature, maxsplit=1)[0]).split()
    named = 0 < len(words) <= MAX_NAME_WORDS and words[-1].lower() not in MONTH  # a month begins the date
    return name if named and not _NO_NAME.match(name := " ".join(words)) else None


def _is_signed(comment: Comment) -> bool:
    return bool(comment.author or comment.date)


def _headed(tree: PageTree) -> Iterator[tuple[int, int]]:
    """What follows a heading such as "3 comments", up to the end of the element around: first node before it, first node after it."""
    for node, text in zip(tree.text_nodes.tolist(), tree.texts, strict=True):
        if len(text) > _SHORT or not _HEADING.fullmatch(text.strip()):
            continue
        inner = node
        for above in islice(tree.ancestors(node), 8):
            end, after = int(tree.end[above]), int(tree.end[inner])
            if tree.text_length[after:end].sum() > 2 * _SHORT:
                yield after - 1, end
                break
            inner = above


def _words(name: str) -> list[str]:
    """Class names and id of what :func:`~tamis.page.element_names.element_names` gives."""
    return [word[1:] for word in name.split("\t")[1:]]


def _is_area(names: str) -> bool:
    """Whether class names or an id say that an element holds comments."""
    lower = names.lower()
    if not any(map(lower.__contains__, _HINTS)):
        return False
    return any(_names_area(word[:MAX_TOKEN]) for word in names.split()[:MAX_TOKENS])


@lru_cache(maxsize=4096)  # the pages of a site share their names
def _names_area(word: str) -> bool:
    """Whether a class name or id says that an element holds comments."""
    return _AREA.fullmatch(word) is not None and _NOT_AREA.search(word) is None


def _read(signs: _Signs, first: int, end: int, language: str | None, posts: bool = False) -> Iterator[Comment]:
    """The comments between two nodes, or the posts."""
    tree, elements = signs.tree, signs.between(first, end)
    if not len(elements):
        return
    items = _items(signs, first, end, elements, posts)
    if posts:
        items = _opening(tree, items, signs) + items
    levels = _levels(tree, items)
    before: Comment | None = None  # a signature with an element of its own
    for k, node in enumerate(items):
        stop = int(tree.end[node])
        mine = signs.own[node:stop].copy()
        for inner in islice(items, k + 1, None):
            if inner >= stop:
                break
            mine[inner - node : int(tree.end[inner]) - node] = False
        comment = _comment(tree, node, mine, levels[k], language, 1.0 if posts else _LINKED)
        if not comment.text:
            before = comment
            continue
        if before is not None and comment.author is None:
            comment = replace(comment, author=before.author, date=comment.date or before.date)
        before = None
        yield comment


class _Signs:
    """How many authors, dates and titles, and how much text, each node of some areas holds: counted once for all of them."""

    def __init__(self, tree: PageTree, areas: Iterable[tuple[int, int]]) -> None:
        """``areas``: the node before each, and the one after it."""
        self.tree = tree
        inside, authors, dates = np.zeros(len(tree), dtype=np.bool_), np.zeros(len(tree), dtype=np.bool_), tree.tag == _TIME
        for first, end in areas:
            inside[first + 1 : end] = True
        self.elements = np.flatnonzero(inside & tree.of_tags(_PARTS))
        index, names = element_names(tree, self.elements)
        signed = np.array([bool(_AUTHOR.search(" ".join(_words(name)))) for name in names], dtype=np.bool_)
        authors[self.elements[signed[index]]] = True
        links = np.flatnonzero(inside & tree.link).tolist()
        profiles = [_PROFILE.search(given.get("href", "")) is not None for given in tree.attributes_of(links)]
        authors[list(compress(links, profiles))] = True
        for node, text in compress(zip(tree.text_nodes.tolist(), tree.texts, strict=True), inside[tree.text_nodes].tolist()):
            if len(text) < _SHORT and _BY.match(text):
                authors[node] = True
            if len(text) < _PIECES and (_AGO.search(text) or _date_in(text, "en")):
                dates[node] = True
        columns = (authors, dates, tree.tag == tags.CODE["h1"], tree.text_length, np.where(tree.in_link, 0, tree.text_length))
        self.authors, self.dates, self.titles, self.length, self.unlinked = map(tree.subtree_sum, columns)
        self.own = ~tree.covered(tree.of_tags(_FORM))

    def between(self, first: int, end: int) -> NDArray[np.intp]:
        """The elements of an area that may be comments or parts of one."""
        return self.elements[slice(*self.elements.searchsorted((first + 1, end)))]


def _items(signs: _Signs, first: int, end: int, elements: NDArray[np.intp], posts: bool) -> list[int]:
    """Those of an area's elements that are comments; arguments as of :func:`_read`.

    Comments are the elements with such a name; without one, and for posts, the elements of one class name with most of the text, with
    author or date, or both if possible.
    """
    tree = signs.tree
    index, names = element_names(tree, elements)
    if not posts:
        is_item = [any(_ITEM.fullmatch(word) and not _NOT_AREA.search(word) for word in _words(name)) for name in names]
        called = elements[np.array(is_item)[index]]
        named = _whole(tree, called[signs.length[called] > 0].tolist(), signs, 1)
        if len(named) > 1 or any(signs.authors[node] or signs.dates[node] for node in named):
            return named[:MAX_COMMENTS]
    member, group, words = _groups(tree, elements, index, names)
    length = signs.length[member]
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
            covered[[k for k, word in enumerate(words) if not _POST.search(word)]] = 0
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
            return best[:MAX_COMMENTS]
    whole = not posts and first >= 0 and (_kinds(tree, first) or (signs.authors[first] > 0 and signs.dates[first] > 0))
    return [first] if whole else []


def _groups(
    tree: PageTree, elements: NDArray[np.intp], index: NDArray[np.int32], names: list[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """Elements by class name and by id without numbers, else by parent and tag; the group of each, both int64 ``(p,)``; names of groups."""
    numbers: dict[str | tuple[int, int], int] = {}
    of_name = [[numbers.setdefault(_DIGITS.sub("0", word), len(numbers)) for word in dict.fromkeys(name.split("\t")[1:])] for name in names]
    nodes: list[int] = []
    groups: list[int] = []
    wanted = tree.of_tags(_ITEMS)[elements]
    elements = elements[wanted]
    columns = (elements, index[wanted], tree.parent[elements], tree.tag[elements])
    for node, name, parent, code in zip(*(column.tolist() for column in columns), strict=True):
        mine = of_name[name] or [numbers.setdefault((parent, code), len(numbers))]
        groups += mine
        nodes += [node] * len(mine)
    member, group = np.array(nodes, dtype=np.int64), np.array(groups, dtype=np.int64)
    order = np.lexsort((member, group))
    return member[order], group[order], [word if isinstance(word, str) else "" for word in numbers]


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
    """Whether an element in a comment is another one, rather than a part of it: it is named alike, or has an author and a date."""
    both = bool(signs.authors[inner] > 0 and signs.dates[inner] > 0)
    return both or bool(_kinds(tree, inner) & _kinds(tree, outer)) or not _kinds(tree, outer)


def _kinds(tree: PageTree, node: int) -> set[str]:
    """The class names and the id of an element that comments have, without numbers."""
    given = f"{tree.attribute(node, 'class') or ''} {tree.attribute(node, 'id') or ''}"
    return {_DIGITS.sub("0", word) for word in given.split()[:MAX_TOKENS] if _ITEM.fullmatch(word[:MAX_TOKEN])}


def _opening(tree: PageTree, items: list[int], signs: _Signs) -> list[int]:
    """The first post of a thread, where it is not of the class of the others: the signed element before them."""
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
        signed &= signs.unlinked[before] > _SHORT
        if signed.any():
            return [int(before[signed][-1])]
        holder = above
    return []


def _levels(tree: PageTree, items: list[int]) -> list[int]:
    """How deep each comment stands in a thread, by nesting or by what its classes say."""
    levels: list[int] = []
    stack: list[int] = []
    stated = [_DEPTH.search(tree.attribute(node, "class") or "") for node in items]
    least = min((int(match[1]) for match in stated if match), default=0)
    for node, match in zip(items, stated, strict=True):
        while stack and node >= tree.end[stack[-1]]:
            stack.pop()
        levels.append(max(len(stack), int(match[1]) - least if match else 0))
        stack.append(node)
    return levels


def _comment(tree: PageTree, node: int, own: BoolColumn, level: int, language: str | None, linked: float) -> Comment:
    """Read one comment. ``own``: which nodes of its subtree are not of a reply or a form, bool ``(e,)``; ``linked``: as :data:`_LINKED`."""
    given, date = tree.attributes[node], None
    author = given.get("data-author") or given.get("data-username") or None
    kept = own.copy()
    length = np.where(own, tree.text_length[node : node + len(own)], 0)
    total, signs = int(length.sum()), list[int]()
    bodies: list[slice] = []
    tag = tree.tag[node : node + len(own)]
    parts = np.flatnonzero(own & (tag != tags.TEXT))[1:] + node
    quoted = tree.covered(parts[tree.tag[parts] == _QUOTE])
    for part, attributes in zip(parts.tolist(), tree.attributes_of(parts.tolist()), strict=True):
        name = " ".join(filter(None, (attributes.get("class"), attributes.get("itemprop"), attributes.get("rel"))))[:200]
        timed = tree.tag[part] == _TIME
        profile = bool(tree.link[part]) and _PROFILE.search(attributes.get("href", "")) is not None
        if quoted[part] or not (name or timed or profile or tree.tag[part] == _CITE):
            continue
        span = slice(part - node, int(tree.end[part]) - node)
        if timed or (date is None and _DATE.search(name)):
            text = _datetime(tree, part, attributes) or _line(tree, part, own[span])
            if len(text) < 120 and (stated := _date_in(text, language)):
                signs.append(part)
                if date is None:
                    date = stated
                    kept[span] = False
                continue
        if _BODY.search(name) and not _TOOLS.search(name) and 0 < length[span].sum() < total:
            bodies.append(span)
        elif profile or tree.tag[part] == _CITE or _AUTHOR.search(name):
            text = _first_link(tree, part, own[span]) or _line(tree, part, own[span])
            named = len(text) < _SHORT and not _NO_NAME.match(text)
            if named and len(text := _SAYS.sub("", text).strip()) > text.isascii():  # a letter is an avatar
                signs.append(part)
                if author is None or author == text:
                    author = text
                    kept[span] = False
        elif _TOOLS.search(name) and len(_line(tree, part, own[span])) < _SHORT:
            kept[span] = False
    signature = "" if author else _signature(_lines(tree, node, own))
    if signature:
        author, date = _name_in(signature), date or _date_in(signature, language)
    if date is None:
        date = _date_in(_line(tree, node, own)[:200], language) or _date_before(tree, node, language)
    body = _body(bodies, length, [sign - node for sign in signs[:2]])
    if body.any() and length[body].sum() > 0.3 * total:
        kept &= body
    if length[kept & tree.in_link[node : node + len(own)]].sum() > linked * length[kept].sum():
        return Comment("", author, date, level, node)
    shown = (line for line in _lines(tree, node, kept) if line != signature and (author is None or _SAYS.sub("", line)))
    return Comment(visible("\n".join(shown)), author, date, level, node)


def _lines(tree: PageTree, node: int, kept: BoolColumn) -> list[str]:
    """Lines of a comment's text. ``kept``: which nodes of its subtree are shown, bool ``(e,)``."""
    first, last = tree.texts_between(node, node + len(kept))
    return list(filter(None, lines(tree, np.arange(first, last)[kept[tree.text_nodes[first:last] - node]])))


def _signature(said: list[str]) -> str:
    """The first or last line of a comment that says who wrote it; empty where none does."""
    return next((line for line in [*said[:2], *said[-2:]] if len(line) < 2 * _SHORT and _SIGNED.fullmatch(line)), "")


def _body(bodies: list[slice], length: NDArray[np.int32], signs: list[int]) -> BoolColumn:
    """The text of a comment, bool ``(e,)``: its bodies, without those that contain the author or the date if the others hold the text."""
    apart, every = np.zeros(len(length), dtype=np.bool_), np.zeros(len(length), dtype=np.bool_)
    for span in bodies:
        every[span] = True
        apart[span] |= not any(span.start <= sign < span.stop for sign in signs)
    return apart if length[apart].sum() > 0.3 * length.sum() else every


def _date_in(text: str, language: str | None) -> str | None:
    """The first date in a text."""
    from tamis.document.metadata.dates import dates_in

    return next(dates_in(text, language), None)


def _datetime(tree: PageTree, part: int, attributes: Attributes) -> str | None:
    """What a part, or the first ``time`` in it, says to machines."""
    times = np.flatnonzero(tree.tag[part : tree.end[part]] == _TIME)
    if len(times):
        return tree.attribute(part + int(times[0]), "datetime")
    return next((value for name in ("content", "title") if _FOUR.search(value := attributes.get(name, ""))), None)


def _date_before(tree: PageTree, node: int, language: str | None) -> str | None:
    """The date in a short element just before a comment."""
    before = tree.children(int(tree.parent[node])) if node else np.zeros(0, dtype=np.intp)
    before = before[before < node]
    if not len(before):
        return None
    first, last = tree.texts_below(int(before[-1]))
    text = tree.text(int(before[-1])) if last - first <= _PIECES else ""
    return _date_in(text, language) if len(text) < _PIECES else None


def _first_link(tree: PageTree, part: int, own: BoolColumn) -> str:
    """The text of the first link in a part; of names that stand in one line with dates, the name is the link."""
    for link in (np.flatnonzero(tree.link[part : tree.end[part]]) + part).tolist():
        if text := _line(tree, link, own[link - part : int(tree.end[link]) - part]):
            return text
    return ""


def _line(tree: PageTree, node: int, own: BoolColumn) -> str:
    """The text of a part of a comment; at most so much of it as names and dates need."""
    first, last = tree.texts_between(node, node + len(own))
    texts = (tree.texts[k] for k in range(first, min(last, first + _PIECES)) if own[tree.text_nodes[k] - node])
    return " ".join(" ".join(texts).split())


def without_comments(tree: PageTree, selection: Selection, url: str | None = None) -> Selection:
    """A selection without visitors' comments; unchanged if nearly all of the text is comments, or the page is a forum thread."""
    kept = tree.text_nodes[selection.keep[tree.text_nodes]]
    areas = comment_areas(tree, kept)
    if not len(areas):
        return selection
    inside = tree.covered(areas)
    if tree.text_length[selection.keep & ~inside].sum() < LEAST_TEXT:
        return selection
    spans = [(area, int(tree.end[area])) for area in areas[:_LOOKED_AT].tolist()]
    signs = _Signs(tree, spans)
    read = (comment for first, end in spans for comment in _read(signs, first, end, None))
    signed = [_is_signed(comment) for comment in islice(read, _LOOKED_AT)]
    if 2 * sum(signed) < max(len(signed), 1) or is_thread(tree, url):
        return selection
    return selection.without(inside, COMMENT)


def is_thread(tree: PageTree, url: str | None = None) -> bool:
    """Whether a page is a thread of a forum or the like, by its address and its JSON-LD: comments are then its text."""
    from tamis.document.metadata import read_metadata

    address = url or read_metadata(tree, None, ("canonical_url",)).canonical_url or ""
    return bool(_THREAD_ADDRESS.search(address)) or any(_THREAD_TYPE.search(block) for block in tree.json_ld)
