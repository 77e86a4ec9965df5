"""Bounds on hostile markup, applied before it is parsed.

HTML parsing is linear but for a few shapes of input. Each attribute of a tag is compared with those before it; a start tag looks
through the open elements; each new paragraph opens again all the formatting elements (``b``, ``font``) that the page left open,
so that 50 kB of markup can become gigabytes of tree; names that no standard has fill up a table. Such pages would take minutes or all
memory.

A look at the page's bytes says whether it may be one of them; it costs a few per cent of an extraction. Only then is the page gone
through tag by tag (:mod:`tamis.page.weighing`) and cut. A page made to deceive the look can still cost minutes, with a tag of thousands of
attributes that hold what looks like tags; where pages come from strangers, set a time limit too (:mod:`tamis.corpus.workers`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tamis.native import columns as compiled
from tamis.page.budget import ALIKE, ATTRIBUTE, MAX_ATTRIBUTES, MAX_STEPS

NEVER_WEIGHED = 8_192
"""Bytes; a page of at most this size takes a fraction of a second, whatever is in it."""
ALWAYS_WEIGHED = 2_097_152
"""Bytes; a larger page may have more names than the parser's tables are good for."""
_MANY_TAGS = 10_000
_MANY_COPIES = 2_000_000
_LONG_TAG = 16_384

_CROWDED_TAG = re.compile(rb"<[a-zA-Z][^ \t\n\r\f/>]*+%s{%d}" % (ATTRIBUTE, MAX_ATTRIBUTES + 1))
_FIRST_TAG = re.compile(rb"<[a-zA-Z]")
_NAMES = rb"b|big|code|em|font|i|s|small|strike|strong|tt|u"
_WITH_ATTRIBUTES = re.compile(rb"<(?:%s)[ \t\n\r\f/]" % _NAMES, re.IGNORECASE)
_WELL_FORMED = re.compile(rb"""<(?:%s)(?: ++[a-z-]++(?:="[^"<>]*+"|='[^'<>]*+'|=[\w#%%.+-]++)?+)++ ?+>""" % _NAMES, re.IGNORECASE)
"""Tags of which it is certain where they end, so that those of the same bytes are alike."""
_FORMATTING = "b? bi co em fo i? s? sm st tt u?"
"""How the names of formatting elements begin; ``?`` is where a name ends. Some other names begin like them."""
_LEAVES = "p? a?"
_LEAVES_OF_TWO = "br hr li td tr th dt dd"
"""Names of elements that do not stay open, as far as two bytes tell."""
_DELIMITERS = b" \t\n\r\f/>"


def bound(html: bytes, *, scripting: bool = True) -> tuple[bytes, tuple[str, ...]]:
    """The page within bounds, and what was cut, in words.

    Args:
        html: the page in UTF-8.
        scripting: whether it will be parsed with scripting on, as :func:`tamis.page.parsing.from_html` says.

    >>> bound(b"<p>as it is")
    (b'<p>as it is', ())
    """
    if len(html) <= NEVER_WEIGHED or not _is_suspect(html):
        return html, ()
    from tamis.page import weighing  # its patterns take long to compile, and few pages need them

    return weighing.cut(html, scripting=scripting)


def _is_suspect(html: bytes) -> bool:
    """Whether the page may cost the parser too much, by numbers that it cannot exceed."""
    if len(html) > ALWAYS_WEIGHED:
        return True
    tags, formatting, open_tags, long_ones = look(html)
    if formatting * tags > _MANY_COPIES and _count_formatting(html) * tags > _MANY_COPIES:
        return True
    if tags > _MANY_TAGS and open_tags * tags > MAX_STEPS:
        return True
    return any(_CROWDED_TAG.match(html, start) for start in chain(long_ones, _unclosed_tags(html)))


def look(html: bytes) -> tuple[int, int, int, list[int]]:
    """Tags, those of formatting elements, those of elements that may stay open, and where tags begin that may be long: before long
    runs of bytes without ``<``."""
    return compiled.look(html, _TABLES[0], _TABLES[1], _TABLES[2], _TABLES[3], _LONG_TAG)


def _count_formatting(html: bytes) -> int:
    """How many formatting elements the parser may have to open again: of those with the same attributes three at the most."""
    alike = Counter(_WELL_FORMED.findall(html))
    others = sum(1 for _ in _WITH_ATTRIBUTES.finditer(html)) - alike.total()
    return others + sum(min(count, ALIKE) for count in alike.values()) + ALIKE * (_NAMES.count(b"|") + 1)


def _unclosed_tags(html: bytes) -> Iterator[int]:
    """Where tags begin that may be long: in long runs of bytes without ``>``."""
    start = 0
    while len(html) - start > _LONG_TAG:  # looks back from the end of each block, not at every byte
        found = html.rfind(b">", start, start + _LONG_TAG)
        if found < 0:
            found = html.find(b">", start + _LONG_TAG)
            found = len(html) if found < 0 else found
            if tag := _FIRST_TAG.search(html, start, found):
                yield tag.start()
        start = found + 1


def _table(beginnings: str) -> NDArray[np.bool_]:
    """Whether two bytes are among the beginnings of names, bool ``(256, 256)``."""
    table = np.zeros((256, 256), dtype=np.bool_)
    for name in beginnings.split():
        ends = _DELIMITERS if name[1] == "?" else (name[1] + name[1].upper()).encode()
        for first in (name[0], name[0].upper()):
            table[ord(first), list(ends)] = True
    return table


_BEGINS_FORMATTING = _table(_FORMATTING)
_IS_LEAF = _table(_LEAVES)
_IS_LEAF[ord("/")] = True
_MAY_BE_LEAF = _table(_LEAVES_OF_TWO)
_IS_DELIMITER = np.isin(np.arange(256), list(_DELIMITERS))
_TABLES = tuple(table.tobytes() for table in (_BEGINS_FORMATTING, _IS_LEAF, _MAY_BE_LEAF, _IS_DELIMITER))
