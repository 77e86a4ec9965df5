"""Hostile pages gone through tag by tag: what would cost the parser too much is cut (:mod:`tamis.page.limits`).

Tags are read as the HTML standard's tokenizer does, but for some corners of ``svg`` and ``math``. Of the parser's state only
upper bounds are kept: how many elements are open, and which formatting elements it would open again.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from tamis.page.budget import ALIKE, ATTRIBUTE, MAX_ATTRIBUTES, MAX_COPIES, MAX_DEPTH, MAX_NAMES, MAX_STEPS, MAX_TAGS, NAME, VALUE

_DEEP = 256
"""Open elements up to which looking through them is not counted."""
_FEW = 8
"""Open formatting elements up to which opening them again is not counted."""
_MAX_ROOTS = 100
"""Tags ``html`` and ``body`` that may add attributes to the first one."""

_ATTRIBUTE_NAME = re.compile(rb"[ \t\n\r\f/]*+(%s)(?:%s)?+" % (NAME, VALUE))
_CLOSED_BY_ITSELF = (
    b"area base br col embed frame hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot "
    b"optgroup colgroup a button nobr rb rt rtc rp head"
)
_TAG = re.compile(
    rb"<!--(?:-?+>|.*?(?:--!?>|\Z))"
    rb"|<(?P<end>/?+)(?P<name>[a-zA-Z][^ \t\n\r\f/>]*+)(?P<attributes>%s{0,%d}+)(?P<more>%s*+)(?P<closing>[ \t\n\r\f/]*+)(?:>|\Z)"
    rb"|<[!?/][^>]*+(?:>|\Z)" % (ATTRIBUTE, MAX_ATTRIBUTES, ATTRIBUTE),
    re.DOTALL,
)
_MAKES_NODE = re.compile(rb"<(?:[a-zA-Z!?]|/(?:p|br)[ \t\n\r\f/>])", re.IGNORECASE)
_END = rb"[ \t\n\r\f/]*+(?:>|\Z)"
_RAW_NAMES = b"script style textarea title xmp iframe noembed noframes noscript"
_USUAL = rb"(?:[ \t\n\r\f/]*+(?:%s)(?![^ \t\n\r\f/>=])(?:%s)?+)" % (
    b"alt|class|colspan|content|height|href|id|name|rel|src|style|target|title|type|value|width",
    VALUE,
)
_PAIRED = b"a b div em h1 h2 h3 h4 h5 h6 i label script small span strong style title".split()
_PAIRS = b"|".join(rb"%s(?=[ \t\n\r\f/>])(?:%s){0,%d}+[ \t\n\r\f]*+>[^<]*+</%s>" % (name, _USUAL, MAX_ATTRIBUTES, name) for name in _PAIRED)
_PLAIN = re.compile(
    rb"(?:[^<]++|<(?:/?(?:%s)(?=[ \t\n\r\f/>])(?:%s){0,%d}+%s|%s))*+"
    % (_CLOSED_BY_ITSELF.replace(b" ", b"|"), _USUAL, MAX_ATTRIBUTES, _END, _PAIRS)
)
"""Text, tags that leave nothing open, and elements that hold only text, with usual attributes."""

_LEAVES = frozenset({*_CLOSED_BY_ITSELF.split(), b"option", b"html", b"body"})
_FORMATTING = frozenset(b"b big code em font i s small strike strong tt u".split())
_RAW = frozenset(_RAW_NAMES.split())
_FOREIGN = frozenset({b"svg", b"math"})
_HTML_WITHIN = frozenset(b"foreignobject desc title mi mo mn ms mtext annotation-xml".split())
"""What holds HTML again in ``svg`` and ``math``."""
_HTML_AGAIN = frozenset(
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s "
    b"small span strong strike sub sup table tt u ul var".split()
)
"""Start tags that end ``svg`` and ``math``."""


def cut(html: bytes, *, scripting: bool = True) -> tuple[bytes, tuple[str, ...]]:
    """A page without what would cost the parser too much, and what was cut, in words.

    >>> cut(b"<p>as it is")
    (b'<p>as it is', ())
    """
    surplus = html.count(b"<") > MAX_TAGS and next(islice(_MAKES_NODE.finditer(html), MAX_TAGS, None), None)
    scales = _Scales(html[: surplus.start()] if surplus else html, _RAW if scripting else _RAW - {b"noscript"})
    bounded = scales.weigh()
    return bounded, (*scales.notes(), f"more than {MAX_TAGS} tags: the rest of the page left out") if surplus else scales.notes()


class _Scales:
    """What the parser would have to carry at a place in the page."""

    def __init__(self, html: bytes, raw: frozenset[bytes]) -> None:
        self.html = html
        self.raw = raw
        self.kept: list[bytes] = []
        self.taken = 0
        """Where the part of the page begins that is not in ``kept`` yet."""
        self.crowded = 0
        self.reason = ""
        self.steps = 0
        self.copies = 0
        self.open: Counter[bytes] = Counter()
        self.depth = 0
        self.blocks = 0
        """Open elements that are not formatting."""
        self.foreign = False
        self.formatting: dict[bytes, list[tuple[bytes, int]]] = {}
        """Open formatting elements by name: the tag as written, and how many elements that are none were open around it."""
        self.alike: Counter[bytes] = Counter()
        self.reopened = 0
        self.options = 0
        self.roots = 0
        self.names: set[bytes] = set()

    def notes(self) -> tuple[str, ...]:
        """What was cut."""
        crowded = f"attributes beyond {MAX_ATTRIBUTES} on one tag left out ({self.crowded} tags)" if self.crowded else ""
        return tuple(filter(None, (crowded, f"{self.reason}: the rest of the page left out" if self.reason else "")))

    def weigh(self) -> bytes:
        """The page within bounds."""
        html = self.html
        at = 0
        while True:
            if self.depth <= _DEEP and self.reopened <= _FEW and not self.foreign:
                at = _PLAIN.match(html, at).end()  # type: ignore[union-attr]  # it matches the empty string too
            tag = _TAG.search(html, at)
            if tag is None:
                return self._page(len(html))
            at = tag.end()
            if tag["name"] is None:
                continue
            name = tag["name"].lower()
            if tag["end"]:
                self._end(name)
            else:
                at = self._start(name, tag)
            self.reason = self._exhausted()
            if self.reason:
                return self._page(tag.start())
            if tag["more"] or self.roots > _MAX_ROOTS:
                self._leave_out(*(tag.span("more") if tag["more"] else tag.span()))

    def _leave_out(self, start: int, end: int) -> None:
        self.kept.append(self.html[self.taken : start])
        self.taken = end
        self.crowded += 1

    def _page(self, end: int) -> bytes:
        """What is kept of the page up to an index."""
        if not self.taken and end == len(self.html):
            return self.html
        return b"".join((*self.kept, self.html[self.taken : end]))

    def _start(self, name: bytes, tag: re.Match[bytes]) -> int:
        """Take in a start tag; where to go on reading."""
        self.names.add(name)
        if tag["attributes"]:
            self.names.update(_ATTRIBUTE_NAME.findall(tag["attributes"]))
        if name in _FORMATTING:
            self._open_formatting(name + tag["attributes"], name)
        elif self.reopened > _FEW:
            self.copies += self.reopened
        if name == b"option":
            self.options += 1
            self.steps += self.options
        elif name == b"select":
            self.options = 0
        elif name in (b"html", b"body"):
            self.roots += bool(tag["attributes"])
        closed = self._switch(name) and tag["closing"].endswith(b"/")
        if name not in _LEAVES and not closed:
            self.open[name] += 1
            self.depth += 1
            self.blocks += name not in _FORMATTING
        if self.depth > _DEEP:
            self.steps += self.depth
        if name == b"plaintext":
            return len(self.html)
        return _end_of_raw(self.html, tag.end(), name) if name in self.raw and not self.foreign else tag.end()

    def _switch(self, name: bytes) -> bool:
        """Go from HTML to ``svg`` and ``math`` or back, as a start tag demands. Whether the tag may close itself."""
        if self.foreign and (name in _HTML_AGAIN or name in _HTML_WITHIN):
            self.foreign = False
            return False
        self.foreign = self.foreign or name in _FOREIGN
        return self.foreign

    def _end(self, name: bytes) -> None:
        if self.depth > _DEEP:
            self.steps += 8 * self.depth if name in _FORMATTING else self.depth  # the standard's adoption agency goes round 8 times
        if self.open[name]:
            self.open[name] -= 1
            self.depth -= 1
            self.blocks -= name not in _FORMATTING
        if name in _FORMATTING:
            self._close_formatting(name)
        elif name in _FOREIGN or name in _HTML_WITHIN:
            self.foreign = any(self.open[outer] for outer in _FOREIGN)

    def _open_formatting(self, written: bytes, name: bytes) -> None:
        self.steps += self.reopened
        if self.alike[written] < ALIKE:
            self.alike[written] += 1
            self.reopened += 1
            self.formatting.setdefault(name, []).append((written, self.blocks))

    def _close_formatting(self, name: bytes) -> None:
        """An end tag inside of other elements than the start tag closes nothing for good: the element goes on in them."""
        opened = self.formatting.get(name)
        if opened and self.blocks <= opened[-1][1]:
            self.alike[opened.pop()[0]] -= 1
            self.reopened -= 1

    def _exhausted(self) -> str:
        if self.depth > MAX_DEPTH:
            return f"nesting deeper than {MAX_DEPTH}"
        if self.steps > MAX_STEPS:
            return "nesting too deep for so many tags"
        if self.copies > MAX_COPIES:
            return "formatting left open that each paragraph would open again"
        return f"more than {MAX_NAMES} names of tags and attributes" if len(self.names) > MAX_NAMES else ""


def _end_of_raw(html: bytes, at: int, name: bytes) -> int:
    """Where the text of an element that holds no markup ends."""
    end = re.compile(rb"</%s(?=[ \t\n\r\f/>])" % name, re.IGNORECASE).search(html, at)
    return end.start() if end else len(html)
