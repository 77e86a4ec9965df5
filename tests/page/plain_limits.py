"""The work of ``native/markup.c`` in plain Python: the oracle of its tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from tamis.page import limits

NAME = rb"[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+"
"""An attribute's name, as the HTML standard's tokenizer reads it."""
VALUE = rb"""[ \t\n\r\f]*+=[ \t\n\r\f]*+(?>(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\r\f>"'][^ \t\n\r\f>]*+)?)"""
ATTRIBUTE = rb"(?:[ \t\n\r\f/]*+%s(?>(?:%s)?))" % (NAME, VALUE)
_LETTERS_AND_MORE = rb"<(?P<end>/?+)(?P<name>[a-zA-Z][^ \t\n\r\f/>]*+)"
_TAG = re.compile(
    rb"<!--(?:-?+>|.*?(?:--!?>|\Z))|%s(?P<attributes>(?>%s*))(?P<closing>[ \t\n\r\f/]*+)(?:>|\Z)|<[!?/][^>]*+(?:>|\Z)"
    % (_LETTERS_AND_MORE, ATTRIBUTE),
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rb"[ \t\n\r\f/]*+(%s)(?>(?:%s)?)" % (NAME, VALUE))
_DEEP, _FEW, _MOST_ALIKE, _MOST_ROOTS, _NEAR = 256, 8, 3, 100, 8
_FORMATTING, _OPENS_NOTHING, _RAW, _FOREIGN, _HTML_WITHIN, _HTML_AGAIN, _CLOSED_BY_KIND, *_ = limits._NAMES_BY_MEANING


class Scales:
    """The state that the parser would carry at a place in the page."""

    def __init__(self, html: bytes, scripting: bool, bounds: Sequence[int]) -> None:
        self.html = html
        self.raw = _RAW if scripting else _RAW - {b"noscript"}
        self.most = bounds
        self.steps = self.copies = self.tags = self.blocks = self.reopened = self.options = self.roots = self.crowded = 0
        self.open: Counter[bytes] = Counter()
        self.items: list[bytes] = []
        self.items_before: dict[bytes, list[int]] = {}
        self.foreign = False
        self.formatting: dict[bytes, list[tuple[bytes, int]]] = {}
        self.alike: Counter[bytes] = Counter()
        self.names: set[bytes] = {b"svg", b"math"}

    def weigh(self) -> tuple[int, int, int, bytes]:
        """Where the page ends, why (a number), how many tags lose something, and what is kept if any does."""
        kept, taken, at = b"", 0, 0
        while tag := _TAG.search(self.html, at):
            at, name, surplus = tag.end(), (tag["name"] or b"").lower(), False
            self.tags += not name or not tag["end"] or name in (b"p", b"br")
            within = list(islice(_ATTRIBUTE.finditer(tag["attributes"] or b""), self.most[0]))
            more = tag.start("attributes") + within[-1].end() if within else tag.start("closing")
            if name and tag["end"]:
                self._end(name)
            elif name:
                self.names.add(name)
                self.names.update(each[1] for each in within)
                self._formatting(name, (tag["name"] + self.html[tag.start("attributes") : more]))
                if name in (b"html", b"body") and within:
                    self.roots += 1
                    surplus = self.roots > _MOST_ROOTS
                at = self._start(name, tag)
            if reason := self._exhausted():
                return tag.start(), reason, self.crowded, kept + self.html[taken : tag.start()] if self.crowded else b""
            if name and (surplus or more < tag.start("closing")):
                self.crowded += 1
                kept += self.html[taken : tag.start() if surplus else more]
                taken = tag.end() if surplus else tag.start("closing")
        return len(self.html), 0, self.crowded, kept + self.html[taken:] if self.crowded else b""

    def _depth(self) -> int:
        return self.open.total() + len(self.items)

    def _formatting(self, name: bytes, written: bytes) -> None:
        if name not in _FORMATTING:
            self.copies += self.reopened * (self.reopened > _FEW)
            return
        self.steps += self.reopened
        if self.alike[written] < _MOST_ALIKE:
            self.alike[written] += 1
            self.reopened += 1
            self.formatting.setdefault(name, []).append((written, self.blocks))

    def _start(self, name: bytes, tag: re.Match[bytes]) -> int:
        if name == b"option":
            self.options += 1
            self.steps += self.options
        elif name == b"select":
            self.options = 0
        was_foreign = self.foreign
        self.foreign = name not in _HTML_AGAIN | _HTML_WITHIN if was_foreign else name in _FOREIGN
        closed = self.foreign and tag[0].endswith(b"/>") and tag["closing"].endswith(b"/")
        if kind := limits._ITEMS.get(name):
            if name not in _CLOSED_BY_KIND or self.items[-1:] != [kind]:
                self.items.append(kind)
        elif name not in _OPENS_NOTHING and not closed:
            self.items_before.setdefault(name, []).append(len(self.items))
            self.open[name] += 1
            self.blocks += name not in _FORMATTING
        self.steps += self._depth() * (self._depth() > _DEEP)
        if name == b"plaintext":
            return len(self.html)
        if name in self.raw and not self.foreign:
            end = re.compile(rb"</%s(?=[ \t\n\r\f/>])" % re.escape(name), re.IGNORECASE).search(self.html, tag.end())
            return end.start() if end else len(self.html)
        return tag.end()

    def _end(self, name: bytes) -> None:
        self.steps += self._depth() * (8 if name in _FORMATTING else 1) * (self._depth() > _DEEP)
        kind = limits._ITEMS.get(name)
        if self.open[name]:
            self.open[name] -= 1
            self.blocks -= name not in _FORMATTING
            del self.items[self.items_before[name].pop() :]
        elif kind in (near := self.items[-_NEAR:]):
            del self.items[len(self.items) - 1 - near[::-1].index(kind) :]
        opened = self.formatting.get(name)
        if opened and self.blocks <= opened[-1][1]:
            self.alike[opened.pop()[0]] -= 1
            self.reopened -= 1
        if name in _FOREIGN | _HTML_WITHIN:
            self.foreign = any(self.open[outer] for outer in _FOREIGN)

    def _exhausted(self) -> int:
        _, depth, steps, copies, names, tags = self.most
        over = (self._depth() > depth, self.steps > steps, self.copies > copies, len(self.names) > names, self.tags > tags)
        return over.index(True) + 1 if True in over else 0
