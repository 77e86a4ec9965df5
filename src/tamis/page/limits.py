"""Bounds on hostile markup, applied before it is parsed.

HTML parsing is linear but for a few shapes of input: thousands of attributes on a tag or of open elements, formatting elements left open
that every paragraph opens again, names that no standard has. So each page is read tag by tag first, and ends where it would cost too much.
A page made to deceive this reading can still cost minutes: if pages come from strangers, set a time limit too
(:mod:`tamis.corpus.workers`)."""

from __future__ import annotations

import numpy as np

from tamis.native import markup

MAX_ATTRIBUTES = 1_000  #: Attributes kept on one tag.
MAX_DEPTH = 20_000  #: Elements open at a time; deeper content is left out.
MAX_STEPS = 150_000_000  #: Steps through lists of open elements and options, a few nanoseconds each; the page ends where they are used up.
MAX_COPIES = 250_000  #: Formatting elements that are opened again; the page ends where they are used up.
MAX_NAMES = 50_000  #: Names of tags and attributes that are told apart; the page ends after them.
MAX_TAGS = 500_000  #: Start tags and comments; the page ends after them.

_FORMATTING = frozenset(b"b big code em font i s small strike strong tt u".split())
_CLOSED_BY_ITSELF = (
    b"area base br col embed frame hr img input link meta param source track wbr p tr td th thead tbody tfoot colgroup a button nobr head"
)
_ITEMS = {name: name for name in b"li dd optgroup rb rt rtc rp".split()} | {b"dt": b"dd"}
"""Kinds of elements whose end tags may be left out, by names."""
_RAW = frozenset(b"script style textarea title xmp iframe noembed noframes noscript".split())
_NAMES_BY_MEANING = (
    _FORMATTING,
    frozenset({*_CLOSED_BY_ITSELF.split(), b"option", b"html", b"body"}),
    _RAW,
    frozenset({b"svg", b"math"}),
    frozenset(b"foreignobject desc title mi mo mn ms mtext annotation-xml".split()),
    frozenset(
        b"b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre "
        b"ruby s small span strong strike sub sup table tt u ul var".split()
    ),
    frozenset(name for name, kind in _ITEMS.items() if kind in (b"li", b"dd")),
    frozenset({b"option"}),
    frozenset({b"select"}),
    frozenset({b"html", b"body"}),
    frozenset({b"plaintext"}),
    frozenset({b"p", b"br"}),
)
"""Meanings of names, a bit each: formatting; nothing that stays open; text without markup; ``svg`` and ``math``; what holds HTML again in
them; what ends them; items whose next one closes them, unless one of another kind is open in it; ``option``; ``select``; tags that add
attributes to the first one; ``plaintext``; end tags that make an element."""
_KINDS_OF_ITEMS = sorted(set(_ITEMS.values()))


def _meanings(raw: frozenset[bytes]) -> dict[bytes, int]:
    """Meanings of names, in bits; from bit 12 on the kind of item."""
    found = {name: (_KINDS_OF_ITEMS.index(kind) + 1) << 12 for name, kind in _ITEMS.items()}
    for bit, names in enumerate(_NAMES_BY_MEANING):
        for name in raw if names is _RAW else names:
            found[name] = found.get(name, 0) | 1 << bit
    return found


_MEANINGS = {scripting: _meanings(_RAW if scripting else _RAW - {b"noscript"}) for scripting in (True, False)}
_BOUNDS = np.array([MAX_ATTRIBUTES, MAX_DEPTH, MAX_STEPS, MAX_COPIES, MAX_NAMES, MAX_TAGS])
_REASONS = (
    "",
    f"nesting deeper than {MAX_DEPTH}",
    "nesting too deep for the number of tags",
    "formatting left open that each paragraph would open again",
    f"more than {MAX_NAMES} names of tags and attributes",
    f"more than {MAX_TAGS} tags",
)


def bound(html: bytes, *, scripting: bool = True) -> tuple[bytes, tuple[str, ...]]:
    """Return the page within bounds, and what was cut, in words.

    Args:
        html: the page in UTF-8.
        scripting: whether it will be parsed with scripting on, as :func:`tamis.page.parsing.from_html` says.

    >>> bound(b"<p>as it is")
    (b'<p>as it is', ())
    """
    end, reason, crowded, kept = markup.weigh(html, _MEANINGS[scripting], _BOUNDS)
    attributes = f"attributes beyond {MAX_ATTRIBUTES} on one tag left out ({crowded} tags)" if crowded else ""
    rest = f"{_REASONS[reason]}: the rest of the page left out" if reason else ""
    return kept if crowded else html[:end], tuple(filter(None, (attributes, rest)))
