"""When a result counts as right: the paper's page-level measure, made exact for gold that was not written down by its authors.

Source: Chen 2012, section 3: a page is right when the result equals the main text, or holds all of it and besides only little other
text, before or after it, at most one sentence and at most 10 % of the main text.
"""

from __future__ import annotations

import re

from benchmarks.metric import Bag, Unit, bag

MOST_EXTRA = 0.1  #: Share of the gold's characters that other text may have.
HOLDS_ALL = 0.99  #: Share of the gold's tokens from which on a text holds all of it: parsers cut words differently at tags.

_WORD_CHARACTER = re.compile(r"\w")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|[。！？]|\n")


def is_right(output: str, gold: str, ignored: str = "") -> bool:
    """Whether a result is right in the paper's sense.

    Compared are word characters (``\\w``) in lower case, in order: white space, line breaks and punctuation don't count. Lines that are
    lines of the ignored text (title, byline) and not of the gold are taken out of the result first. The gold must then be in one piece
    in the result. What stands before it and what stands after it may each be one sentence (ended by ``. ! ? …`` or a line's end), and both
    together at most 10 % of the gold. An empty gold has no right result.

    >>> gold = "One text - two sentences and some more of it: long"
    >>> is_right("Hi. One text, two sentences and some more of it: long.", gold), is_right("One text, two sentences", gold)
    (True, False)
    """
    wanted = squeezed(gold)
    text = _without(output, ignored, gold).lower()
    positions = [match.start() for match in _WORD_CHARACTER.finditer(text)]
    found = "".join(text[position] for position in positions)
    start = found.find(wanted) if wanted else -1
    if start < 0:
        return False
    end = start + len(wanted)
    if len(found) - len(wanted) > MOST_EXTRA * len(wanted):
        return False
    before = text[: positions[start]]
    after = text[positions[end - 1] + 1 :]
    return _sentences(before) <= 1 and _sentences(after) <= 1


def squeezed(text: str) -> str:
    """The word characters of a text in lower case and nothing else.

    >>> squeezed("One, two…")
    'onetwo'
    """
    return "".join(_WORD_CHARACTER.findall(text.lower()))


def holds_all(text: str, gold: Bag, unit: Unit) -> bool:
    """Whether a text has all tokens of the gold, but for :data:`HOLDS_ALL`; False for an empty gold."""
    return bool(gold) and (bag(text, unit) & gold).total() >= HOLDS_ALL * gold.total()


def _sentences(text: str) -> int:
    return sum(_WORD_CHARACTER.search(piece) is not None for piece in _SENTENCE_END.split(text))


def _without(text: str, ignored: str, gold: str) -> str:
    """The lines of a text less those of the ignored text that are no lines of the gold."""
    lines = set(map(squeezed, ignored.split("\n"))) - set(map(squeezed, gold.split("\n")))
    return "\n".join(line for line in text.split("\n") if squeezed(line) not in lines) if lines else text
