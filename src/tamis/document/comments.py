"""Visitors' comments and forum posts: where they are on a page, who wrote them and when.

Comments are found by what pages call them, in class names, ids, microdata and ARIA roles of many content management systems and several
languages. Within the part of the page that holds them, a comment is an element that is called one, or one of the siblings that repeat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.document.render.marks import visible
from tamis.document.render.text import lines
from tamis.document.selection import KEPT_BY_RULE, Cause, Reason, Selection
from tamis.page import tags
from tamis.page.element_names import element_names
from tamis.page.tree import BoolColumn, PageTree

MAX_COMMENTS = 10_000
"""Comments read on one page."""
MAX_LEVELS = 64
"""Replies to replies that are told apart; deeper ones belong to the comment above, so that the work stays linear."""
LEAST_TEXT = 250
"""Characters of text besides comments from which a page is more than its comments."""
COMMENT = Reason("left out: a visitor's comment", Cause.COMMENT)

_WORD = (
    "comments?|kommentare?|kommentarer|commentaires?|comentarios?|coment[aá]rios|commenti|commento|reacties|reactions|komentarze|koment[aá][rř]e|"
    "yorumlar|yorum|комментарии|kommentarii|responses|replies|reviews|guestbook|talkback|reader-?comments|user-?comments|"
    "discussion|leserkommentare|pinglun|评论|留言|コメント|댓글"
)
_HINTS = tuple(
    "comment koment coment kommen commento reacti yorum \u043a\u043e\u043c\u043c\u0435\u043d respons repl review "
    "guestbook talkback discussion pinglun 评论 留言 コメント 댓글 "
    "disqus dsq- livefyre idc- echo-stream ds-thread fyre".split()
)
"""What names of areas hold, lower case: looking for these first is many times as fast."""
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
    r"hidden|login|new-comment|teaser|pagina|disabled|stats?|user-reviews-link|tab",
    re.I,
)
_ITEM = re.compile(
    r"(?:[a-z]+[-_])?(?:comment|kommentar|commentaire|comentario|commento|reactie|komentarz|yorum|review|reply|opinion|dsq-comment|"
    r"fyre-comment-article|idc-c|ds-post)(?:[-_]?(?:item|entry|block|box|body|wrap|wrapper|container|row|single|li|node|post|content|inner|\d++))*"
    r"|(?:div-|li-|p)?comment[-_]?\d+|c\d{2,}|singlecomment|commentary|thread-(?:even|odd)|depth-\d+",
    re.I,
)
_POST = re.compile(
    r"(?:forum|topic|thread|message|bbp|vb|mybb|phpbb|js)?[-_]?(?:post|message|reply|topic|msg)(?:[-_]?(?:item|entry|block|box|body|wrap|wrapper|"
    r"container|row|bit|\d++))*|postbit\w*|post_?container|cooked|topic-body|reply_?\d+|postcontainer|threadpost",
    re.I,
)
_AUTHOR = re.compile(
    r"(?:^|[-_ ])(?:author|fn|user-?name|user|by-?line|nick(?:name)?|poster|commenter|cite|posted-?by|name|autor|auteur|member)(?:$|[-_ ])|"
    r"(?:author|user|poster|commenter)(?:name|info|link)?$",
    re.I,
)
_DATE = re.compile(
    r"(?:^|[-_ ])(?:date|time|timestamp|posted|published|when|datum|fecha|permalink|metadata|meta|ago)(?:$|[-_ ])|date|time", re.I
)
_BODY = re.compile(
    r"(?:^|[-_ ])(?:text|body|content|message|comment-?text|commenttext|comment-?body|comment-?content|entry|desc(?:ription)?|copy)"
    r"(?:$|[-_ ])|"
    r"(?:comment|post|review)[-_]?(?:text|body|content|message)",
    re.I,
)
_TOOLS = re.compile(
    r"reply|respond|report|flag|vote|like|share|avatar|actions?|toolbar|controls|moderat|edit|quote-?link|permalink|login|signature", re.I
)
_DEPTH = re.compile(r"(?:depth|level|indent)[-_]?(\d{1,2})")
_SAYS = re.compile(
    r"^\W*(?:(?:posted|comment|written|von|par|por|by)\s+)*(?:by|von|par|por)?\s*[:\s]*|"
    r"\s*(?:says|said|wrote|schrieb|a dit|dice|disse)?\s*[:.…]*\s*$",
    re.I,
)

_REPLIES = re.compile(r"children|replies|reply|nested|thread", re.I)
_THREAD_ADDRESS = re.compile(
    r"forum|boards?\.|community\.|discuss(?:ion)?s?\b|/threads?[/-]|/topics?[/-]|viewtopic|showthread|/t/[\w-]+/\d|/r/\w+/comments|"
    r"news\.ycombinator|slashdot|lobste\.rs|lemmy|reddit|stackexchange|/questions/\d",
    re.I,
)
_THREAD_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(?:https?://schema.org/)?(?:DiscussionForumPosting|QAPage)"')
_SHORT = 80
"""Characters of a name, or of a line of buttons."""
_PIECES = 200
_LOOKED_AT = 20
"""Comments that are read to see whether they are signed."""

_PARTS = tags.lookup(tags.codes("div section article aside ul ol li dl dt dd table tbody tr td blockquote main a p span"))
_AREAS = tags.lookup(tags.codes("div section article aside ul ol dl table"))
_FORM = tags.lookup(tags.codes("button select textarea label input"))
_TIME, _CITE = tags.CODE["time"], tags.CODE["cite"]
_PAGE = tags.lookup(tags.codes("html body"))


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a page, or a post of a forum thread."""

    text: str
    author: str | None
    date: str | None
    """ISO 8601, as far as the page says it."""
    level: int
    """0 for a comment on the page, 1 for a reply to one, and so on."""
    node: int
    """The element that holds it."""

    def to_dict(self) -> dict[str, Any]:
        """The comment as plain values."""
        return {"text": self.text, "author": self.author, "date": self.date, "level": self.level}


def comment_areas(tree: PageTree, among: BoolColumn | None = None) -> NDArray[np.intp]:
    """The outermost elements that hold the comments on a page, rising, intp ``(k,)``.

    Args:
        tree: the page.
        among: the nodes that are looked at, bool ``(n,)``; None: all.

    >>> from tamis import parse
    >>> tree = parse('<article><p>Reeds.</article><div id=comments><div class=comment>I like them.</div></div>')
    >>> [tree.css(node) for node in comment_areas(tree)]
    ['html > body > div:nth-of-type(1)']
    """
    elements = np.flatnonzero(tree.of_tags(_AREAS) if among is None else tree.of_tags(_AREAS) & among)
    if not len(elements):
        return elements
    index, names = element_names(tree, elements)
    joined = "\n".join(names).lower()
    if not any(map(joined.__contains__, _HINTS)):
        return elements[:0]
    wanted = np.fromiter(map(_is_area, names, joined.split("\n")), np.bool_, len(names))
    found = elements[wanted[index]]
    texts = np.searchsorted(tree.text_nodes, tree.end[found]) > np.searchsorted(tree.text_nodes, found)
    return tree.outermost(found[texts])


def read_comments(tree: PageTree, language: str | None = None) -> tuple[Comment, ...]:
    """The comments on a page, in order.

    Args:
        tree: the page.
        language: its language, for the order of day and month in dates.
    """
    areas = comment_areas(tree)
    return tuple(comment for area in areas.tolist() for comment in _read(tree, area, _ITEM, language))[:MAX_COMMENTS]


def read_posts(tree: PageTree, language: str | None = None) -> tuple[Comment, ...]:
    """The posts of a forum thread, in order; none where fewer than two are found."""
    found = _read(tree, 0, _POST, language) if len(tree) else iter(())
    signed = [post for post in found if post.author or post.date]
    return tuple(signed) if len(signed) > 1 else ()


def _words(name: str) -> list[str]:
    """Class names and id of what :func:`~tamis.page.element_names.element_names` gives."""
    return [word[1:] for word in name.split("\t")[1:]]


def _is_area(name: str, lower: str) -> bool:
    if not any(map(lower.__contains__, _HINTS)):
        return False
    return any(_AREA.fullmatch(word) and not _NOT_AREA.search(word) for word in _words(name))


def _is_item(name: str, pattern: re.Pattern[str]) -> bool:
    return any(pattern.fullmatch(word) and not _NOT_AREA.search(word) for word in _words(name))


def _read(tree: PageTree, area: int, pattern: re.Pattern[str], language: str | None) -> Iterator[Comment]:
    """The comments in an area, one by one."""
    inside = np.arange(area + 1, int(tree.end[area]))
    elements = inside[tree.of_tags(_PARTS)[inside]]
    if not len(elements):
        return
    index, names = element_names(tree, elements)
    called = elements[np.array([_is_item(name, pattern) for name in names])[index]]
    items = _items(tree, called)
    if not items and pattern is _ITEM:
        items = _repeated(tree, area, elements, index)
    own = np.ones(len(inside) + 1, dtype=np.bool_)
    for form in np.flatnonzero(tree.of_tags(_FORM)[area : tree.end[area]]).tolist():
        own[form : int(tree.end[form + area]) - area] = False
    levels = _levels(tree, items)
    for k, node in enumerate(items):
        end = int(tree.end[node])
        mine = own[node - area : end - area].copy()
        for inner in islice(items, k + 1, None):
            if inner >= end:
                break
            mine[inner - node : int(tree.end[inner]) - node] = False
        comment = _comment(tree, node, mine, levels[k], language)
        if comment is not None:
            yield comment


def _items(tree: PageTree, called: NDArray[np.intp]) -> list[int]:
    """Of elements that are called comments, those that are whole comments and not a part of one."""
    texts = np.searchsorted(tree.text_nodes, tree.end[called]) - np.searchsorted(tree.text_nodes, called)
    chosen: list[int] = []
    stack: list[int] = []
    for node in called[texts > 0].tolist():
        while stack and node >= tree.end[stack[-1]]:
            stack.pop()
        if stack and (len(stack) >= MAX_LEVELS or not _is_reply(tree, node, stack[-1])):
            continue
        chosen.append(node)
        stack.append(node)
    return chosen[:MAX_COMMENTS]


def _is_reply(tree: PageTree, node: int, outer: int) -> bool:
    """Whether an element within a comment is another comment: it has the same tag, and a list or what is called replies between."""
    if tree.tag[node] != tree.tag[outer]:
        return False
    for above in islice(tree.ancestors(node), MAX_LEVELS):
        if above == outer:
            break
        if tree.name(above) in ("ul", "ol") or _REPLIES.search(tree.attribute(above, "class") or ""):
            return True
    words = (set((tree.attribute(each, "class") or "").split()) for each in (node, outer))
    return bool(set.intersection(*words)) and int(tree.parent[node]) == outer


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


def _repeated(tree: PageTree, area: int, elements: NDArray[np.intp], index: NDArray[np.int32]) -> list[int]:
    """The siblings of one name that hold most of an area's text."""
    length = tree.subtree_sum(tree.text_length)
    groups: dict[tuple[int, int, int], list[int]] = {}
    for node, name in zip(elements.tolist(), index.tolist(), strict=True):
        if length[node] and tree.name(node) not in ("a", "span"):
            groups.setdefault((int(tree.parent[node]), int(tree.tag[node]), name), []).append(node)
    best = max(
        groups.values(), key=lambda nodes: (sum(int(length[node]) for node in nodes), -nodes[0]) if len(nodes) > 1 else (0, 0), default=[]
    )
    if len(best) > 1 and sum(int(length[node]) for node in best) > 0.4 * length[area]:
        return best
    return [area]


def _comment(tree: PageTree, node: int, own: BoolColumn, level: int, language: str | None) -> Comment | None:
    """Read one comment; None where it has no text. ``own``: which nodes of its subtree are not of a reply or a form, bool ``(e,)``."""
    from tamis.document.metadata.dates import dates_in

    author: str | None = None
    date: str | None = None
    kept = own.copy()
    bodies: list[tuple[int, int]] = []
    length = np.where(own, tree.text_length[node : node + len(own)], 0)
    total = int(length.sum())
    parts = np.flatnonzero(own & (tree.tag[node : node + len(own)] != tags.TEXT))[1:] + node
    for part, attributes in zip(parts.tolist(), tree.attributes_of(parts.tolist()), strict=True):
        name = " ".join(filter(None, (attributes.get("class"), attributes.get("itemprop"), attributes.get("rel"))))[:200]
        timed = tree.tag[part] == _TIME
        if not (name or timed or tree.tag[part] == _CITE):
            continue
        span = slice(part - node, int(tree.end[part]) - node)
        in_body = bool(bodies) and part < bodies[-1][1]
        if timed or (date is None and _DATE.search(name)):
            text = _datetime(tree, part) or _line(tree, part, own[span])
            if len(text) < 120 and (said := next(iter(dates_in(text, language)), None)):
                date = date or said
                kept[span] = False
                continue
        if in_body:
            continue
        if _BODY.search(name) and not _TOOLS.search(name) and 0 < length[span].sum() < total:
            bodies.append((part, int(tree.end[part])))
        elif tree.tag[part] == _CITE or _AUTHOR.search(name):
            text = _first_link(tree, part, own[span]) or _line(tree, part, own[span])
            if len(text) < _SHORT:
                author = author or _SAYS.sub("", text).strip() or None
                kept[span] = False
        elif _TOOLS.search(name) and len(_line(tree, part, own[span])) < _SHORT:
            kept[span] = False
    if date is None:
        date = next(iter(dates_in(_line(tree, node, own)[:200], language)), None)
    body = np.zeros(len(own), dtype=np.bool_)
    for first, end in bodies:
        body[first - node : end - node] = True
    if length[body].sum() > 0.5 * total:
        kept &= body
    first, last = np.searchsorted(tree.text_nodes, (node, node + len(own)))
    text = visible("\n".join(filter(None, lines(tree, np.arange(first, last)[kept[tree.text_nodes[first:last] - node]]))))
    return Comment(text, author, date, level, node) if text else None


def _datetime(tree: PageTree, part: int) -> str | None:
    """What the first ``time`` in a part says to machines."""
    times = np.flatnonzero(tree.tag[part : tree.end[part]] == _TIME)
    return tree.attribute(part + int(times[0]), "datetime") if len(times) else None


def _first_link(tree: PageTree, part: int, own: BoolColumn) -> str:
    """The text of the first link in a part; of names that stand in one line with dates, the name is the link."""
    for link in (np.flatnonzero(tree.link[part : tree.end[part]]) + part).tolist():
        if text := _line(tree, link, own[link - part : int(tree.end[link]) - part]):
            return text
    return ""


def _line(tree: PageTree, node: int, own: BoolColumn) -> str:
    """The text of a part of a comment; at most so much of it as names and dates need."""
    first, last = np.searchsorted(tree.text_nodes, (node, node + len(own)))
    texts = (tree.texts[k] for k in range(first, min(last, first + _PIECES)) if own[tree.text_nodes[k] - node])
    return " ".join(" ".join(texts).split())


def without_comments(tree: PageTree, selection: Selection, url: str | None = None) -> Selection:
    """A selection without visitors' comments; as it was where nearly all of the text are comments, or the page is a forum thread.

    Args:
        tree: the page.
        selection: what a method selected.
        url: where the page comes from; it may say that it is a thread.
    """
    areas = comment_areas(tree, tree.subtree_sum((selection.keep & (tree.tag == tags.TEXT)).astype(np.int32)) > 0)
    if not len(areas):
        return selection
    inside = tree.covered(areas)
    drop = inside & selection.keep
    if KEPT_BY_RULE in selection.reasons:
        drop &= selection.reason != selection.reasons.index(KEPT_BY_RULE)
    length = tree.text_length
    if not length[drop].any() or length[selection.keep & ~inside].sum() < LEAST_TEXT:
        return selection
    read = (comment for area in areas.tolist() for comment in _read(tree, area, _ITEM, None))
    if not any(comment.author or comment.date for comment in islice(read, _LOOKED_AT)) or is_thread(tree, url):
        return selection
    reason = selection.reason.copy()
    reason[drop] = len(selection.reasons)
    return replace(selection, keep=selection.keep & ~drop, reason=reason, reasons=(*selection.reasons, COMMENT))


def is_thread(tree: PageTree, url: str | None = None) -> bool:
    """Whether a page is a thread of a forum or the like, by its address and its JSON-LD: comments are then its text."""
    from tamis.document.metadata import read_metadata

    address = url or read_metadata(tree, None, ("canonical_url",)).canonical_url or ""
    return bool(_THREAD_ADDRESS.search(address)) or any(_THREAD_TYPE.search(block) for block in tree.json_ld)
