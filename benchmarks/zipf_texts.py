"""Synthetic documents with planted copies, as many as wanted, one after the other.

- Words follow Zipf's law. Three in a hundred are rarer than the vocabulary, by a law without an end: so there are always words that were
  never there before, and the vocabulary of a collection grows with a power of its length (Heaps' law).
- One sentence in eight is of a stock that all documents share, by Zipf's law, too: phrases of the trade.
- Every document is of a site; of the number of sites, which grows, large ones have many documents and most have few. Half of the documents
  end with the notice of their site, which was not cleaned away.
- Three documents in ten are made of an earlier one, whichever: a copy, words dropped, a 60 % excerpt, paragraphs moved, or a menu and links
  around it. The id of each names its group: ``17`` and ``17/excerpt 3`` are one.

A document is made from its number: nothing of those before it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.documents import TextDocument

VOCABULARY = 50_000
RARER, TAIL = 0.03, 1.5  #: Share of words that are none of the vocabulary; exponent of how rare they are.
STOCK = 2_000  #: Sentences that all documents share.
STOCK_SHARE = 0.125
SITE = 20  #: Documents of a site, on average.
NOTICES = 0.5  #: Share of documents with the notice of their site.
WORDS = 220  #: Words of a document: median of a log-normal distribution.
SPREAD = 0.6
COPIES = 0.3  #: Share of documents that are made of an earlier one.
_KINDS = ("copy", "dropped", "excerpt", "moved", "framed")
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va")
_DOCUMENT, _NOTICE = 0, 1  #: What dice are for.

Paragraphs = list[list[str]]  #: Sentences by paragraph.


class ZipfTexts:
    """A stream of documents, the same for the same seed; a longer one begins with a shorter one."""

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        self._next = 0
        dice = np.random.default_rng(seed)
        letters = np.array(list("aaabcdeeeefghiiklmnnooprrsstttuvwy"))
        self._words = np.array(["".join(dice.choice(letters, dice.integers(2, 10))) for _ in range(VOCABULARY)], dtype=object)
        self._chance = _zipf(VOCABULARY)
        self._stock_chance = _zipf(STOCK)
        self._stock = self._sentences(dice.integers(6, 22, STOCK), dice)

    def documents(self, count: int) -> Iterator[TextDocument]:
        """The next documents."""
        for _ in range(count):
            number, self._next = self._next, self._next + 1
            dice, of = self._begun(number)
            if of is None:
                yield TextDocument(str(number), _text(self._paragraphs(number, dice)))
                continue
            while (above := self._begun(of))[1] is not None:
                of = above[1]
            kind = _KINDS[int(dice.integers(len(_KINDS)))]
            yield TextDocument(f"{of}/{kind} {number}", self._edited(self._paragraphs(of, above[0]), kind, dice))

    def _begun(self, number: int) -> tuple[np.random.Generator, int | None]:
        """The dice of a document, and the earlier one that it is made of, if it is."""
        dice = np.random.default_rng((self._seed, _DOCUMENT, number))
        is_copy = dice.random() < COPIES and number > 0
        return dice, int(dice.integers(number)) if is_copy else None

    def _paragraphs(self, number: int, dice: np.random.Generator) -> Paragraphs:
        words = max(int(dice.lognormal(np.log(WORDS), SPREAD)), 40)
        lengths = dice.integers(6, 22, words // 6)
        lengths = lengths[: int(np.searchsorted(np.cumsum(lengths), words)) + 1]
        sentences = self._sentences(lengths, dice)
        for place in np.flatnonzero(dice.random(len(sentences)) < STOCK_SHARE).tolist():
            sentences[place] = self._stock[int(np.searchsorted(self._stock_chance, dice.random()))]
        paragraphs = [sentences[start : start + 4] for start in range(0, len(sentences), 4)]
        if dice.random() < NOTICES:
            paragraphs.append(self._notice(int((number / SITE + 1) ** dice.random())))
        return paragraphs

    def _notice(self, site: int) -> list[str]:
        dice = np.random.default_rng((self._seed, _NOTICE, site))
        return self._sentences(dice.integers(6, 22, 2), dice)

    def _sentences(self, lengths: NDArray[np.int64], dice: np.random.Generator) -> list[str]:
        ends = np.cumsum(lengths).tolist()
        words = self._words[np.searchsorted(self._chance, dice.random(ends[-1]))].tolist()
        for place in np.flatnonzero(dice.random(ends[-1]) < RARER).tolist():
            words[place] = _rare_word(int(VOCABULARY * (1 - dice.random()) ** -TAIL))
        return [f"{' '.join(words[start:end]).capitalize()}." for start, end in pairwise([0, *ends])]

    def _edited(self, paragraphs: Paragraphs, kind: str, dice: np.random.Generator) -> str:
        if kind == "moved":
            return _text([paragraphs[place] for place in dice.permutation(len(paragraphs))])
        text = _text(paragraphs)
        if kind == "dropped":
            keep = dice.random(text.count(" ") + 1) >= 0.08
            return " ".join(word for word, kept in zip(text.split(" "), keep.tolist(), strict=True) if kept)
        if kind == "excerpt":
            start = int(0.4 * len(text) * dice.random())
            return text[start : start + int(0.6 * len(text))]
        if kind == "framed":
            frame = [" ".join(self._words[dice.integers(0, 400, 3)].tolist()) for _ in range(12)]
            return "\n".join([*frame[:5], text, *frame[5:]])
        return text


def group_of(id: str) -> str:
    """The group that a document's id names.

    >>> group_of("17/excerpt 3"), group_of("17")
    ('17', '17')
    """
    return id.split("/", 1)[0]


def _rare_word(rank: int) -> str:
    """A word for a rank."""
    syllables = []
    while rank:
        rank, place = divmod(rank, len(_SYLLABLES))
        syllables.append(_SYLLABLES[place])
    return "".join(syllables)


def _text(paragraphs: Paragraphs) -> str:
    return "\n".join(" ".join(paragraph) for paragraph in paragraphs)


def _zipf(count: int) -> NDArray[np.float64]:
    """Chances by Zipf's law, summed up."""
    weights = np.cumsum(1 / np.arange(1, count + 1))
    return np.asarray(weights / weights[-1])
