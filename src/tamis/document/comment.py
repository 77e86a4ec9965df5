"""One visitor's comment, or post of a forum thread: its text, who wrote it and when."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.document.render.text import lines, visible
from tamis.page import tags
from tamis.page.caching import of_page
from tamis.page.grouping import group, keys_of
from tamis.page.lexicon import BY, WordPattern, either, paired
from tamis.page.tree import BoolColumn, PageTree, contains_any

MAX_COMMENTS = 7_500  #: Comments read on one page.
MAX_LEVELS = 64  #: Replies to replies that are told apart; deeper ones belong to the comment above, so that the work stays linear.
REPEATED = 0.6  #: Share of the comments of a page from which on a line that they have in common is of their template.
MAX_NAME_WORDS = 6  #: Words of a name in a signature that no class name says to be one; more are a sentence.
AUTHOR_NAME = WordPattern(rf"(?:^|[-_ ]){either('commenter')}(?:$|[-_ ])|(?:author|user|poster|commenter)(?:name|info|link)?$")
PROFILE_ADDRESS = WordPattern(
    rf"(?:^|[/~]){either('profile')}(?:[/.-]|\.php)|[?&;](?:u|uid|user)=\d|action=profile|mode=viewprofile|(?:^|/)space-u|mod=space"
)
_DATE = WordPattern(rf"(?:^|[-_ ]){either('date of a comment')}(?:$|[-_ ])|date|time")
_BODY = WordPattern(
    rf"(?:^|[-_ ]){either('text of a comment')}(?:$| )|(?:comment|post|review|message)[-_]?(?:text|body|content|message|con$|con )"
)
MESSAGE = re.compile(r"post_?message_?\d")  #: Id of the text of a post, in Discuz! and vBulletin.
_TOOLS = WordPattern(rf"reply(?![-_]?(?:text|body|content|message|con\b))|{either('tool')}")
_OF_NAMES = WordPattern("|".join(pattern.expression for pattern in (AUTHOR_NAME, _DATE, _BODY, _TOOLS)))
_SAYS = re.compile(rf"\W*(?:(?:comment|{either('written')}|{BY})\s+)*(?:{BY})?\s*[:\s]*", re.I)
_SAID = re.compile(rf"{either('says')}\Z", re.I)
_BY = WordPattern(
    rf"\W*+(?:(?:(?:comment|post|review)(?:ed)?|left|sent|{either('written')})\s+(?:by|from)|{paired('written', 'by')})\b[:\s]*+(\S.*)"
)
_SIGNED = WordPattern(
    rf"{_BY.expression}|\W*+{either('written')}\s+(?:on\s+)?.*?\d.*\b{BY}:?\s+(\S.*)"
    rf"|(\S.*?)\s{either('says')}\b\W*(?:\d.*|on .*|at .*|am .*)?"
)
"""The line that signs a comment: "Posted by Ann | 1 May 2024", "Posted 1 May 2024 by Ann", "Ann says:"."""
_NO_NAME = re.compile(
    rf"{either('no commenter')}|\d++ ?+[a-z]+ ago|\d*+ ?+comments?\b|(?:topic|thread|original) (?:author|poster|starter)", re.I
)
_NAME_ENDS = re.compile(r"[|(@•—]|(?<!\w)\d| [-–] | on | at ")  #: The end of the name in a signature.
_LABEL = re.compile(r"[^\W\d](?:[^\W\d]| ){2,19}[:：]")  #: "Posts: 12", "积分：77".
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_ONLY_DATE = re.compile(r"[\d\s:.,/年月日时分秒TZ+–-]{6,40}")
_FOUR = re.compile(r"\d{4}")
_DATE_WORDS = 6  #: Words of a date with its time, at the most.
MAX_PROPERTIES = 200  #: Elements with properties of microdata that are read in one comment.
_AUTHORS = ("author", "creator")
_DATES = ("datepublished", "datecreated", "dateposted", "commenttime")
_TEXTS = ("text", "commenttext", "reviewbody", "articlebody", "description")
SHORT = 80  #: Characters of a name, or of a line of buttons.
PIECES = 200  #: Texts of a part that are read at the most.
_DEPTH = re.compile(r"(?:depth|level|indent)[-_]?(\d{1,2})")
_FORM = tags.lookup(tags.codes("button select textarea label input"))
_TIME, _CITE, _QUOTE = (tags.CODE[name] for name in ("time", "cite", "blockquote"))


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a page, or a post of a forum thread."""

    text: str
    author: str | None
    date: str | None  #: ISO 8601, as far as the page says it.
    level: int  #: 0 for a comment on the page, 1 for a reply to one, and so on.
    node: int  #: The element that holds it, or the first node of it; 0 where only JSON-LD states it.
    end: int = 0  #: The node after it; 0 where that is the one after the element.

    def span(self, tree: PageTree) -> tuple[int, int]:
        """Return the node that it begins with, and the node after it; none where only JSON-LD states it."""
        return (self.node, self.end or int(tree.end[self.node])) if self.node else (0, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the comment as plain values."""
        return {"text": self.text, "author": self.author, "date": self.date, "level": self.level}


def without_says(text: str) -> str:
    """Return a text without words such as "posted by" at its beginning and "says:" at its end, and without an address before the name.

    >>> without_says("Posted by: Ann Lee"), without_says("Ann Lee wrote:"), without_says("http://reed.example/ Ann Lee")
    ('Ann Lee', 'Ann Lee', 'Ann Lee')
    """
    text = _SAYS.sub("", text, count=1).rstrip().rstrip(":.…").rstrip()
    address, _, name = text.partition(" ")
    return _SAID.sub("", name if "://" in address and name else text).strip()


def name_in(signature: str) -> str | None:
    """Return the name in the line that signs a comment."""
    from tamis.document.metadata.cldr import MONTH

    if match := _SIGNED.fullmatch(signature):
        signature = next(filter(None, match.groups()))
    words = without_says(_NAME_ENDS.split(signature, maxsplit=1)[0]).split()
    named = 0 < len(words) <= MAX_NAME_WORDS and words[-1].lower() not in MONTH  # a month begins the date
    return name if named and not _NO_NAME.match(name := " ".join(words)) else None


def signing(texts: list[str]) -> list[int]:
    """Return the positions of short texts that say who wrote something."""
    return [k for k in contains_any(texts, _BY.hints, SHORT - 1) if _BY.match(texts[k])]


def is_signed(comment: Comment) -> bool:
    """Return whether the author or the date of a comment is known."""
    return bool(comment.author or comment.date)


@of_page
def written(tree: PageTree) -> BoolColumn:
    """Return the nodes of a page that are not of forms, bool ``(n,)``."""
    return ~tree.subtree_mask(tree.of_tags(_FORM))


def nesting(tree: PageTree, elements: NDArray[np.intp], first: int, count: int) -> NDArray[np.intp]:
    """Return in how many of some elements each of ``count`` nodes from ``first`` is, intp ``(count,)``."""
    begun, ended = (np.bincount(nodes - first, minlength=count + 1) for nodes in (elements, tree.end[elements]))
    return np.cumsum(begun - ended)[:count]


def each_own(tree: PageTree, items: list[int], shown: BoolColumn) -> Iterator[tuple[int, BoolColumn, int]]:
    """Yield each of ``items``, its shown nodes that are not of a reply, bool ``(e,)``, and its level."""
    for k, (node, level) in enumerate(zip(items, levels_of(tree, items), strict=True)):
        stop = int(tree.end[node])
        mine = shown[node:stop].copy()
        for inner in islice(items, k + 1, None):
            if inner >= stop:
                break
            mine[inner - node : int(tree.end[inner]) - node] = False
        yield node, mine, level


_DATED, _WRITTEN, _TOOL, _AUTHOR, _TIMED = (1 << bit for bit in range(5))
"""Bits of :attr:`Parts.kinds`."""


@lru_cache(maxsize=4096)  # the comments of a site share their names
def _kinds_of_part(name: str) -> int:
    """Return the bits for class names and properties of a part of a comment: of a date, its text, tools, an author."""
    dated, body, tools, author = (pattern.search(name) is not None for pattern in (_DATE, _BODY, _TOOLS, AUTHOR_NAME))
    return dated * _DATED | (body and not tools) * _WRITTEN | tools * _TOOL | author * _AUTHOR


class Parts:
    """Kinds of the elements in comments by names, addresses and ids: read once for all comments of a page."""

    def __init__(self, tree: PageTree, inside: BoolColumn) -> None:
        """``inside``: nodes of comments, bool ``(n,)``."""
        self.tree = tree  #: The page.
        self.quote = tree.nearest_ancestor(tree.tag == _QUOTE)
        self.kinds = np.zeros(len(tree), dtype=np.uint8)
        elements = np.flatnonzero(inside & (tree.tag != tags.TEXT))
        columns = [tree.values(name) for name in ("class", "itemprop", "rel")]
        number, first = group(keys_of(*(values.codes[elements] for values in columns)))
        said = (map([*values.distinct, ""].__getitem__, values.codes[elements[first]].tolist()) for values in columns)
        names = [" ".join(filter(None, of))[:200] for of in zip(*said, strict=True)]
        kinds = np.zeros(len(names), dtype=np.uint8)
        for k in contains_any(names, _OF_NAMES.hints):
            kinds[k] = _kinds_of_part(names[k])
        self.kinds[elements] = kinds[number]
        self.kinds[tree.tag == _TIME] |= _TIMED
        self.kinds[tree.tag == _CITE] |= _AUTHOR
        links = np.flatnonzero(inside & tree.link)
        addresses = [given.get("href", "") for given in tree.attributes_of(links.tolist())]
        self.profiles = links[[k for k in contains_any(addresses, PROFILE_ADDRESS.hints) if PROFILE_ADDRESS.search(addresses[k])]]
        self.kinds[self.profiles] |= _AUTHOR
        self.kinds[tree.values("id").where(MESSAGE.match, ("message",))] |= _WRITTEN


class _Reading:
    """A comment while its parts are read."""

    def __init__(self, parts: Parts, node: int, own: BoolColumn, dates: Dates) -> None:
        self.tree, self.node, self.own, self.dates = parts.tree, node, own, dates
        self.stop = node + len(own)
        tree, first, last = self.tree, *self.tree.texts_between(node, self.stop)
        shown = own[tree.text_nodes[first:last] - node].nonzero()[0] + first
        self.nodes: list[int] = tree.text_nodes[shown].tolist()
        self.texts = list(map(tree.texts.__getitem__, shown.tolist()))
        self.length = tree.text_length[node : self.stop] * own
        self.before = [0, *self.length.cumsum().tolist()]
        self.links: list[int] = ((own & tree.link[node : self.stop]).nonzero()[0] + node).tolist()
        self.kept = own.copy()
        self.signs, self.bodies = list[int](), list[slice]()
        self.author, self.date, self.stated_body = _properties(self)

    def line(self, part: int) -> str:
        """Return the text of a part; at most so much of it as names and dates need."""
        first = bisect_left(self.nodes, part)
        last = bisect_left(self.nodes, int(self.tree.end[part]), first, min(len(self.nodes), first + PIECES))
        return " ".join(" ".join(self.texts[first:last]).split())

    def name_of(self, part: int) -> str:
        """Return the text of the first link in a part, else all of it; in a line of names and dates, the name is the link."""
        first = bisect_left(self.links, part)
        last = bisect_left(self.links, int(self.tree.end[part]), first)
        return next(filter(None, map(self.line, self.links[first:last])), "") or self.line(part)

    def lines(self, kept: BoolColumn) -> list[str]:
        """Return lines of its text. ``kept``: which nodes of its subtree are shown, bool ``(e,)``."""
        first, last = self.tree.texts_between(self.node, self.stop)
        return list(filter(None, lines(self.tree, np.arange(first, last)[kept[self.tree.text_nodes[first:last] - self.node]])))

    def linked(self, kept: BoolColumn) -> int:
        """Return the characters of links in some nodes; of dates, too, where half of their text is linked, as in a list of threads."""
        in_link, length = self.tree.in_link[self.node : self.stop], self.length * kept
        found = int(length[in_link].sum())
        if 2 * found > length.sum():
            beside = (kept & ~in_link)[np.array(self.nodes) - self.node].nonzero()[0].tolist()
            found += sum(len(text) for k in beside if len((text := self.texts[k].strip()).split()) <= _DATE_WORDS and has_date(text))
        return found

    def read(self, part: int, kinds: int) -> None:
        """Read one part. ``kinds``: what it is, in bits."""
        span = slice(part - self.node, int(self.tree.end[part]) - self.node)
        if kinds & _TIMED or (kinds & _DATED and self.date is None):
            text = _datetime(self.tree, part) or self.line(part)
            if len(text) < 120 and (stated := self.dates.first_in(text)):
                self.signs.append(span.start)
                if self.date is None:
                    self.date = stated
                    self.kept[span] = False
                return
        if kinds & _WRITTEN and 0 < self.before[span.stop] - self.before[span.start] < self.before[-1]:
            self.bodies.append(span)
        elif kinds & _AUTHOR:
            text = self.name_of(part)
            named = len(text) < SHORT and not _NO_NAME.match(text)
            if named and len(text := without_says(text)) > text.isascii():  # a letter is an avatar
                self.signs.append(span.start)
                if self.author is None or self.author == text:
                    self.author = text
                    self.kept[span] = False
        elif kinds & _TOOL and self.kept[span.start] and len(self.line(part)) < SHORT:
            self.kept[span] = False

    def body(self) -> BoolColumn | None:
        """Return its text by class names and ids, bool ``(e,)`` or None: without author or date if the rest holds the text."""
        if not self.bodies:
            return None
        apart = [span for span in self.bodies if not any(span.start <= sign < span.stop for sign in self.signs[:2])]
        least = 0.3 * self.before[-1]
        if apart and self.length[body := self.marked(apart)].sum() > least:
            return body
        body = self.marked(self.bodies)
        return body if self.length[body].sum() > least else None

    def marked(self, spans: list[slice]) -> BoolColumn:
        """Return the nodes of some parts, bool ``(e,)``."""
        marked = np.zeros(len(self.own), dtype=np.bool_)
        for span in spans:
            marked[span] = True
        return marked


def read_comment(parts: Parts, node: int, own: BoolColumn, level: int, dates: Dates, linked: float) -> Comment:
    """Read one comment. ``own``: which nodes of its subtree are not of a reply or a form, bool ``(e,)``; ``linked``: as :data:`_LINKED`."""
    tree, reading = parts.tree, _Reading(parts, node, own, dates)
    given = tree.attributes[node]
    reading.author = given.get("data-author") or given.get("data-username") or reading.author
    kinds = parts.kinds[node : reading.stop]
    found = (own & (kinds > 0) & (parts.quote[node : reading.stop] <= node)).nonzero()[0]
    for part, kind in zip(found.tolist(), kinds[found].tolist(), strict=True):
        if part:
            reading.read(node + part, kind)
    author, date = reading.author, reading.date
    signature = "" if author else _signature(reading.lines(own))
    if signature:
        author, date = name_in(signature), date or dates.first_in(signature)
    if date is None:
        date = dates.first_in(reading.line(node)[:200]) or _date_before(tree, node, dates)
    kept, body, length = reading.kept, reading.body(), reading.length
    if reading.stated_body is not None:
        kept = own & reading.stated_body
    elif body is not None:
        kept &= body
    if linked < 1 and reading.linked(kept) > linked * length[kept].sum():
        return Comment("", author, date, level, node)
    return Comment(text_of(_spoken_lines(reading.lines(kept), signature, author, date, dates)), author, date, level, node)


def _spoken_lines(shown: list[str], signature: str, author: str | None, date: str | None, dates: Dates) -> Iterator[str]:
    """Yield the lines of a comment without signature, date and, if the author has a line, words such as "posted by"."""
    for line in shown:
        only_says = author is not None and len(line) <= SHORT and not without_says(line)
        if line != signature and not only_says and not _is_date(line, date, dates):
            yield line


def _is_date(line: str, date: str | None, dates: Dates) -> bool:
    return date is not None and _ONLY_DATE.fullmatch(line) is not None and dates.first_in(line) == date


def without_template(comments: Sequence[Comment], least: int = 3) -> tuple[Comment, ...]:
    """Drop the lines that most comments share, such as "Reply", "#3" or "Posts: 12". ``least``: comments that it takes.

    >>> said = [("Ann", "Reeds bend."), ("Bo", "They do."), ("Cy", "Not all.")]
    >>> comments = [Comment(f"#{k}\\n{text}\\nReply to {name}", name, None, 0, 0) for k, (name, text) in enumerate(said)]
    >>> [each.text for each in without_template(comments)]
    ['Reeds bend.', 'They do.', 'Not all.']
    """
    if len(comments) < least:
        return tuple(comments)
    forms = [[_form_of_line(line, comment.author) for line in comment.text.split("\n")] for comment in comments]
    count = Counter(chain.from_iterable(map(set, forms)))
    shared = {form for form, times in count.items() if times >= max(REPEATED * len(comments), least)}
    told = (
        "\n".join(line for line, form in zip(comment.text.split("\n"), of, strict=True) if form not in shared)
        for comment, of in zip(comments, forms, strict=True)
    )
    return tuple(replace(comment, text=text or comment.text) for comment, text in zip(comments, told, strict=True))


def _form_of_line(line: str, author: str | None) -> str:
    """Return a line of a comment without what varies from one to the next: numbers, the author, what follows a label."""
    if len(line) >= SHORT:
        return line
    label = _LABEL.match(line)
    return _DIGITS.sub("0", label[0] if label else line.replace(author, "@") if author else line)


def text_of(said: Iterable[str]) -> str:
    """Return the lines of a comment as a text; pages may hold all of them twice, once hidden, to quote them."""
    given = list(filter(None, said))
    half = len(given) // 2
    return visible("\n".join(given[half:] if given[:half] == given[half:] else given))


def _properties(reading: _Reading) -> tuple[str | None, str | None, BoolColumn | None]:
    """Author, date and text, bool ``(e,)``, as microdata states them."""
    tree, node, own = reading.tree, reading.node, reading.own
    marked = tree.values("itemprop")
    if not marked.distinct:
        return None, None, None
    here = (own & (marked.codes[node : reading.stop] >= 0)).nonzero()[0][:MAX_PROPERTIES].tolist()
    parts = [(name, node + part) for part in here if part for name in (marked.of(node + part) or "").lower().split(None, 4)[:4]]
    first = dict(reversed(parts))
    author, date, body = None, None, None
    if (part := _first_of(first, _AUTHORS)) is not None:
        inner = next((each for name, each in parts if name == "name" and part < each < tree.end[part]), part)
        said = tree.attribute(inner, "content") or reading.name_of(inner)
        author = without_says(said[:SHORT]) or None
    if (part := _first_of(first, _DATES)) is not None:
        date = reading.dates.first_in(tree.attribute(part, "datetime") or _datetime(tree, part) or reading.line(part))
    texts = {name: part for name, part in first.items() if tree.length_below[part]}
    if (part := _first_of(texts, _TEXTS)) is not None:
        body = np.zeros_like(own)
        body[part - node : int(tree.end[part]) - node] = True
    return author, date, body


def _first_of(parts: dict[str, int], names: tuple[str, ...]) -> int | None:
    """Return the element of the first property that there is."""
    return next((parts[name] for name in names if name in parts), None)


def _signature(said: list[str]) -> str:
    """Return the first or last line of a comment that says who wrote it; empty where none does."""
    ends = [*said[:2], *said[-2:]]
    return next((ends[k] for k in contains_any(ends, _SIGNED.hints, 2 * SHORT - 1) if _SIGNED.fullmatch(ends[k])), "")


class Dates:
    """Reads the dates of comments. ``language``: that of the page, for the order of day and month."""

    def __init__(self, language: str | None = None) -> None:
        self.language = language

    def first_in(self, text: str) -> str | None:
        """Return the first date in a text."""
        if not _FOUR.search(text):
            return None
        from tamis.document.metadata.dates import dates_in

        return next(dates_in(text, self.language), None)


def has_date(text: str) -> bool:
    """Return whether a text holds a date, in any language."""
    if not _FOUR.search(text):
        return False
    from tamis.document.metadata.dates import holds_date

    return holds_date(text, "en")


def _datetime(tree: PageTree, part: int) -> str | None:
    """Return the date for machines in a part, or in the first ``time`` in it."""
    times = np.flatnonzero(tree.tag[part : tree.end[part]] == _TIME)
    if len(times):
        return tree.attribute(part + int(times[0]), "datetime")
    given = tree.attributes[part]
    return next((value for name in ("content", "title") if _FOUR.search(value := given.get(name, ""))), None)


def _date_before(tree: PageTree, node: int, dates: Dates) -> str | None:
    """Return the date in a short element just before a comment."""
    above = int(tree.parent[node])
    before = node - 1
    if before <= above:
        return None
    while tree.parent[before] != above:
        before = int(tree.parent[before])
    first, last = tree.texts_below(before)
    text = tree.text(before) if last - first <= PIECES else ""
    return dates.first_in(text) if len(text) < PIECES else None


def levels_of(tree: PageTree, items: list[int]) -> list[int]:
    """Return the depth of each comment in its thread, by nesting or by class names."""
    levels: list[int] = []
    stack: list[int] = []
    classes = tree.values("class")
    stated = [_DEPTH.search(classes.of(node) or "") for node in items]
    least = min((int(match[1]) for match in stated if match), default=0)
    for node, match in zip(items, stated, strict=True):
        while stack and node >= tree.end[stack[-1]]:
            stack.pop()
        levels.append(max(len(stack), int(match[1]) - least if match else 0))
        stack.append(node)
    return levels
