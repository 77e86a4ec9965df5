"""Bounds on hostile markup, applied before it is parsed.

HTML parsing is linear but for two shapes of input: the check for a repeated attribute looks at every attribute of the tag so
far, and the search for an open element looks at every open element. A page made of a million attributes or a
million open elements would take hours. Both shapes are recognised by counting bytes, which costs a few per cent of a parse;
only then is the page walked tag by tag and cut.
"""

from __future__ import annotations

import re

import numpy as np

MAX_ATTRIBUTES = 1_000
"""Attributes kept on one tag."""
MAX_DEPTH = 20_000
"""Elements open at a time; what stands deeper is left out."""
_SUSPECT_TAG = 65_536
_SUSPECT_PAGE = 262_144

_ATTRIBUTE = rb"""(?:[\s/]++[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+))?+)"""
_CROWDED_TAG = re.compile(rb"(<[a-zA-Z][^\s/>]*+%s{%d})%s++" % (_ATTRIBUTE, MAX_ATTRIBUTES, _ATTRIBUTE))
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*+)[^>]*+>")
_CLOSED_BY_ITSELF = frozenset(
    b"area base br col embed frame hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option "
    b"optgroup colgroup a button nobr rb rt rtc rp body html head".split()
)


def bound(html: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The page within bounds, and what was cut, in words. ``html``: UTF-8.

    >>> bound(b"<p>as it is")
    (b'<p>as it is', ())
    """
    if len(html) <= _SUSPECT_PAGE:
        return html, ()
    notes: list[str] = []
    crowded = 0
    for start, end in _long_gaps(html):
        gap, cut = _CROWDED_TAG.subn(rb"\1", html[start:end])
        if cut:
            html = html[:start] + gap + html[end:]
            crowded += cut
    if crowded:
        notes.append(f"attributes beyond {MAX_ATTRIBUTES} on one tag left out ({crowded} tags)")
    tags = np.count_nonzero(np.frombuffer(html, np.uint8) == ord("<"))  # bytes.count is slow for what is found often
    if tags > MAX_DEPTH and (position := _too_deep(html)) is not None:
        html = html[:position]
        notes.append(f"nesting deeper than {MAX_DEPTH}: the rest of the page left out")
    return html, tuple(notes)


def _long_gaps(html: bytes) -> list[tuple[int, int]]:
    """Runs of more than 64 KiB without ``>``, last first: looks back from the end of each block, not at every byte."""
    gaps: list[tuple[int, int]] = []
    start = 0
    while len(html) - start > _SUSPECT_TAG:
        found = html.rfind(b">", start, start + _SUSPECT_TAG)
        if found < 0:
            found = html.find(b">", start + _SUSPECT_TAG)
            found = len(html) if found < 0 else found
            gaps.append((start, found))
        start = found + 1
    return gaps[::-1]


def _too_deep(html: bytes) -> int | None:
    """Where more than MAX_DEPTH elements would be open, or None. An upper bound: end tags are taken to close one element."""
    depth = 0
    for match in _TAG.finditer(html):
        if match[2].lower() in _CLOSED_BY_ITSELF:
            continue
        depth = max(depth - 1, 0) if match[1] else depth + 1
        if depth > MAX_DEPTH:
            return match.start()
    return None
