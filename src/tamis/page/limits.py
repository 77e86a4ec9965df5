"""Bounds on hostile markup, applied before it is parsed.

HTML parsing is linear but for a few shapes of input: thousands of attributes on a tag or of open elements, formatting elements left open
that every paragraph opens again, names that no standard has. Counts over the page's bytes tell whether a page may have them; only then is
it read tag by tag (:func:`cut`). A page made to deceive the counts can still cost minutes: if pages come from strangers, set a time limit
too (:mod:`tamis.corpus.workers`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tamis.native import columns as compiled

MAX_ATTRIBUTES = 1_000  #: Attributes kept on one tag.
MAX_DEPTH = 20_000  #: Elements open at a time; deeper content is left out.
MAX_STEPS = 150_000_000  #: Steps through lists of open elements and options, a few nanoseconds each; the page ends where they are used up.
MAX_COPIES = 250_000  #: Formatting elements that are opened again; the page ends where they are used up.
MAX_NAMES = 50_000  #: Names of tags and attributes that are told apart; the page ends after them.
MAX_TAGS = 500_000  #: Start tags and comments; the page ends after them.
MOST_COPIES_OPENED = 3  #: Formatting elements of one name and the same attributes that the parser opens again (HTML standard, 13.2.4.3).

NAME = rb"[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+"  #: An attribute's name, as the HTML standard's tokenizer reads it.
VALUE = rb"""[ \t\n\r\f]*+=[ \t\n\r\f]*+(?>(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\r\f>"'][^ \t\n\r\f>]*+)?)"""
"""Its value, with the sign before it."""
ATTRIBUTE = rb"(?:[ \t\n\r\f/]*+%s(?>(?:%s)?))" % (NAME, VALUE)

NEVER_WEIGHED = 8_192  #: Bytes; a page of at most this size takes a fraction of a second, whatever is in it.
_MANY_TAGS = 10_000
_MANY_COPIES = 2_000_000

_FORMATTING = frozenset(b"b big code em font i s small strike strong tt u".split())
_NAMES = b"|".join(sorted(_FORMATTING))
_WITH_ATTRIBUTES = re.compile(rb"<(?:%s)[ \t\n\r\f/]" % _NAMES, re.IGNORECASE)
_WELL_FORMED = re.compile(rb"""<(?:%s)(?>(?: ++[a-z-]++(?>(?:="[^"<>]*+"|='[^'<>]*+'|=[\w#%%.+-]++)?))+) ?+>""" % _NAMES, re.IGNORECASE)
"""Tags with a certain end, so that those of the same bytes are alike."""
_DELIMITERS = b" \t\n\r\f/>"


def bound(html: bytes, *, scripting: bool = True) -> tuple[bytes, tuple[str, ...]]:
    """Return the page within bounds, and what was cut, in words.

    Args:
        html: the page in UTF-8.
        scripting: whether it will be parsed with scripting on, as :func:`tamis.page.parsing.from_html` says.

    >>> bound(b"<p>as it is")
    (b'<p>as it is', ())
    """
    if len(html) <= NEVER_WEIGHED or not _is_suspect(html):
        return html, ()
    return cut(html, scripting=scripting)


def _is_suspect(html: bytes) -> bool:
    """Return whether the page may cost the parser too much, by numbers that it cannot exceed."""
    tags, formatting, open_tags, names, attributes = count_markup(html)
    if tags > MAX_TAGS or names > MAX_NAMES or attributes > MAX_ATTRIBUTES:
        return True
    if formatting * tags > _MANY_COPIES and _count_formatting(html) * tags > _MANY_COPIES:
        return True
    return tags > _MANY_TAGS and open_tags * tags > MAX_STEPS


def count_markup(html: bytes) -> tuple[int, int, int, int, int]:
    """Return numbers that a page cannot exceed: tags, those of formatting elements, those of elements that may stay open, names of tags and
    attributes (told apart by hashes of 18 bits; above all bounds where reading them would take long), attributes of one tag.

    Whatever looks like a tag counts, also in comments, scripts and other tags.
    """
    found: tuple[int, int, int, int, int] = compiled.look(html, _KINDS, _IS_DELIMITER)
    return found


def _count_formatting(html: bytes) -> int:
    """Return how many formatting elements the parser may have to open again: at most three with the same attributes."""
    alike = Counter(_WELL_FORMED.findall(html))
    others = sum(1 for _ in _WITH_ATTRIBUTES.finditer(html)) - alike.total()
    return others + sum(min(count, MOST_COPIES_OPENED) for count in alike.values()) + MOST_COPIES_OPENED * len(_FORMATTING)


def _name_beginnings(names: Iterable[bytes]) -> NDArray[np.uint8]:
    """1 where two bytes are how one of some names begins, with a delimiter after a name of one letter, uint8 ``(256, 256)``."""
    table = np.zeros((256, 256), dtype=np.uint8)
    for name in names:
        seconds = list(_DELIMITERS) if len(name) == 1 else [name[1], name[1] ^ 32]
        table[np.ix_([name[0], name[0] ^ 32], seconds)] = 1  # lower and upper case
    return table


_KINDS = _name_beginnings(_FORMATTING) | (2 * _name_beginnings((b"p", b"a"))) | (4 * _name_beginnings(b"br hr li td tr th dt dd".split()))
_KINDS |= (8 * _name_beginnings((b"li",))) | (16 * _name_beginnings((b"dt", b"dd")))
"""Meaning of two bytes after ``<``, in bits: 1 formatting, 2 nothing that stays open, 4 the same if the name ends there, 8 ``li``, 16
``dt`` and ``dd``, which stay open in each other."""
_KINDS[ord("/")] |= 2
_IS_DELIMITER = np.isin(np.arange(256), list(_DELIMITERS))


_DEEP = 256  #: Open elements up to which looking through them is not counted.
_FEW = 8  #: Open formatting elements up to which opening them again is not counted.
_MAX_ROOTS = 100  #: Tags ``html`` and ``body`` that may add attributes to the first one.

_CLOSED_BY_ITSELF = (
    b"area base br col embed frame hr img input link meta param source track wbr p tr td th thead tbody tfoot colgroup a button nobr head"
)
_ITEMS = {name: name for name in b"li dd optgroup rb rt rtc rp".split()} | {b"dt": b"dd"}
"""Kinds of elements whose end tags may be left out, by names."""
_CLOSED_BY_KIND = frozenset((b"li", b"dd"))  #: Kinds whose next element closes the one before, unless one of another kind is open in it.
_NEAR = 8  #: Open items that are searched for the one that an end tag closes.
_USUAL_NAMES = b"alt|class|colspan|content|height|href|id|name|rel|src|style|target|title|type|value|width"
_PAIRED = b"a b div em h1 h2 h3 h4 h5 h6 i label script small span strong style title".split()


@cache
def _markup_patterns(with_terms: bool) -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    """A tag or comment; an attribute's name; text, tags that leave nothing open, and elements that hold only text, with usual attributes.
    ``with_terms``: the page has ``dt`` or ``dd``, in which ``li`` stays open.

    Compiling them takes long, and few pages need them.
    """
    tag = re.compile(
        rb"<!--(?:-?+>|.*?(?:--!?>|\Z))"
        rb"|<(?P<end>/?+)(?P<name>[a-zA-Z][^ \t\n\r\f/>]*+)(?P<attributes>(?>%s{0,%d}))(?P<more>(?>%s*))(?P<closing>[ \t\n\r\f/]*+)(?:>|\Z)"
        rb"|<[!?/][^>]*+(?:>|\Z)" % (ATTRIBUTE, MAX_ATTRIBUTES, ATTRIBUTE),
        re.DOTALL,
    )
    attribute_name = re.compile(rb"[ \t\n\r\f/]*+(%s)(?>(?:%s)?)" % (NAME, VALUE))
    usual = rb"(?>(?:[ \t\n\r\f/]*+(?:%s)(?![^ \t\n\r\f/>=])(?>(?:%s)?)){0,%d})" % (_USUAL_NAMES, VALUE, MAX_ATTRIBUTES)
    pairs = b"|".join(rb"%s(?=[ \t\n\r\f/>])%s[ \t\n\r\f]*+>[^<]*+</%s>" % (name, usual, name) for name in _PAIRED)
    closed = b"|".join([*_CLOSED_BY_ITSELF.split(), *([] if with_terms else [b"li"])])
    leaves = rb"/?(?:%s)(?=[ \t\n\r\f/>])%s[ \t\n\r\f/]*+(?:>|\Z)" % (closed, usual)
    return tag, attribute_name, re.compile(rb"(?>(?:[^<]++|<(?:%s|%s))*)" % (leaves, pairs))


_TERM = re.compile(rb"<d[dt][ \t\n\r\f/>]", re.IGNORECASE)
_MAKES_NODE = re.compile(rb"<(?:[a-zA-Z!?]|/(?:p|br)[ \t\n\r\f/>])", re.IGNORECASE)
_OPENS_NOTHING = frozenset({*_CLOSED_BY_ITSELF.split(), b"option", b"html", b"body"})
_RAW = frozenset(b"script style textarea title xmp iframe noembed noframes noscript".split())
_FOREIGN = frozenset({b"svg", b"math"})
_HTML_WITHIN = frozenset(b"foreignobject desc title mi mo mn ms mtext annotation-xml".split())
"""Elements that hold HTML again in ``svg`` and ``math``."""
_HTML_AGAIN = frozenset(
    b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s "
    b"small span strong strike sub sup table tt u ul var".split()
)
"""Start tags that end ``svg`` and ``math``."""


def cut(html: bytes, *, scripting: bool = True) -> tuple[bytes, tuple[str, ...]]:
    """Return a page without what would cost the parser too much, and what was cut, in words.

    >>> cut(b"<p>as it is")
    (b'<p>as it is', ())
    """
    surplus = html.count(b"<") > MAX_TAGS and next(islice(_MAKES_NODE.finditer(html), MAX_TAGS, None), None)
    scales = _Scales(html[: surplus.start()] if surplus else html, _RAW if scripting else _RAW - {b"noscript"})
    bounded = scales.weigh()
    return bounded, (*scales.notes(), f"more than {MAX_TAGS} tags: the rest of the page left out") if surplus else scales.notes()


class _Scales:
    """The state that the parser would carry at a place in the page."""

    def __init__(self, html: bytes, raw: frozenset[bytes]) -> None:
        self.html = html
        self.raw = raw
        self.crowded = 0
        self.reason = ""
        self.steps = 0
        self.copies = 0
        self.open: Counter[bytes] = Counter()
        self.opened = 0  #: Open elements but for items.
        self.blocks = 0  #: Open elements that are not formatting.
        self.items: list[bytes] = []
        """Kinds of the open items (:data:`_ITEMS`)."""
        self.items_before: dict[bytes, list[int]] = {}
        """Number of them open before each open element of a name."""
        self.foreign = False
        self.formatting: dict[bytes, list[tuple[bytes, int]]] = {}
        """Open formatting elements by name: the tag as written, and the number of other elements open around it."""
        self.alike: Counter[bytes] = Counter()
        self.reopened = 0
        self.options = 0
        self.roots = 0
        self.names: set[bytes] = set()

    @property
    def depth(self) -> int:
        """Open elements."""
        return self.opened + len(self.items)

    def notes(self) -> tuple[str, ...]:
        """Return notes on what was cut."""
        crowded = f"attributes beyond {MAX_ATTRIBUTES} on one tag left out ({self.crowded} tags)" if self.crowded else ""
        return tuple(filter(None, (crowded, f"{self.reason}: the rest of the page left out" if self.reason else "")))

    def weigh(self) -> bytes:
        """Return the page within bounds."""
        html, kept, taken = self.html, list[bytes](), 0
        a_tag, self.attribute_name, plain = _markup_patterns(_TERM.search(html) is not None)
        at = 0
        while True:
            if self.depth <= _DEEP and self.reopened <= _FEW and not self.foreign:
                at = plain.match(html, at).end()  # type: ignore[union-attr]  # it matches the empty string too
            tag = a_tag.search(html, at)
            if tag is None:
                break
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
                break
            if tag["more"] or self.roots > _MAX_ROOTS:
                start, end = tag.span("more") if tag["more"] else tag.span()
                kept.append(html[taken:start])
                taken = end
                self.crowded += 1
        return b"".join((*kept, html[taken : tag.start() if tag else len(html)]))

    def _start(self, name: bytes, tag: re.Match[bytes]) -> int:
        """Take in a start tag; where to go on reading."""
        self.names.add(name)
        if tag["attributes"]:
            self.names.update(self.attribute_name.findall(tag["attributes"]))
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
        if kind := _ITEMS.get(name):
            if kind not in _CLOSED_BY_KIND or self.items[-1:] != [kind]:
                self.items.append(kind)
        elif name not in _OPENS_NOTHING and not closed:
            self.open[name] += 1
            self.opened += 1
            self.items_before.setdefault(name, []).append(len(self.items))
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
            self.opened -= 1
            self.blocks -= name not in _FORMATTING
            del self.items[self.items_before[name].pop() :]
        elif (kind := _ITEMS.get(name)) in (near := self.items[-_NEAR:]):
            del self.items[len(self.items) - 1 - near[::-1].index(kind) :]
        if name in _FORMATTING:
            self._close_formatting(name)
        elif name in _FOREIGN or name in _HTML_WITHIN:
            self.foreign = any(self.open[outer] for outer in _FOREIGN)

    def _open_formatting(self, written: bytes, name: bytes) -> None:
        self.steps += self.reopened
        if self.alike[written] < MOST_COPIES_OPENED:
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
            return "nesting too deep for the number of tags"
        if self.copies > MAX_COPIES:
            return "formatting left open that each paragraph would open again"
        return f"more than {MAX_NAMES} names of tags and attributes" if len(self.names) > MAX_NAMES else ""


def _end_of_raw(html: bytes, at: int, name: bytes) -> int:
    """Return the end of the text of an element that holds no markup."""
    end = re.compile(rb"</%s(?=[ \t\n\r\f/>])" % name, re.IGNORECASE).search(html, at)
    return end.start() if end else len(html)
