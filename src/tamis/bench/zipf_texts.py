"""Synthetic documents with planted copies, as many as wanted, one after the other.

Words follow Zipf's law, so that rare words are rare and frequent ones meet everywhere. Sentences are words at random, but one in eight is
of a stock that all documents share, by Zipf's law, too: phrases of the trade. A share of the documents is made of an earlier one: a copy,
words dropped, a 60 % excerpt, paragraphs moved, or a frame around it. The id of each names its group: ``17`` and ``17/excerpt 3`` are one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.documents import TextDocument

VOCABULARY = 50_000
STOCK = 2_000
"""Sentences that all documents share."""
STOCK_SHARE = 0.125
WORDS = 220
"""Words of a document: median of a log-normal distribution."""
SPREAD = 0.6
COPIES = 0.3
"""Share of documents that are made of an earlier one."""
REMEMBERED = 5_000
"""Originals, the first ones, that copies are made of."""
_KINDS = ("copy", "dropped", "excerpt", "moved", "framed")

Paragraphs = list[list[str]]
"""Sentences by paragraph."""


class ZipfTexts:
    """A stream of documents, the same for the same seed; a longer one begins with a shorter one."""

    def __init__(self, seed: int = 1) -> None:
        self._dice = np.random.default_rng(seed)
        letters = np.array(list("aaabcdeeeefghiiklmnnooprrsstttuvwy"))
        self._words = np.array(["".join(self._dice.choice(letters, self._dice.integers(2, 10))) for _ in range(VOCABULARY)], dtype=object)
        self._chance = _zipf(VOCABULARY)
        self._stock_chance = _zipf(STOCK)
        self._stock = [self._sentence(length) for length in self._dice.integers(6, 22, STOCK).tolist()]
        self._originals: list[tuple[int, Paragraphs]] = []

    def documents(self, count: int) -> Iterator[TextDocument]:
        """The next documents."""
        for number in range(count):
            if self._originals and self._dice.random() < COPIES:
                group, paragraphs = self._originals[int(self._dice.integers(len(self._originals)))]
                kind = _KINDS[int(self._dice.integers(len(_KINDS)))]
                yield TextDocument(f"{group}/{kind} {number}", self._edited(paragraphs, kind))
                continue
            paragraphs = self._paragraphs()
            if len(self._originals) < REMEMBERED:
                self._originals.append((number, paragraphs))
            yield TextDocument(str(number), _text(paragraphs))

    def _paragraphs(self) -> Paragraphs:
        left = max(int(self._dice.lognormal(np.log(WORDS), SPREAD)), 40)
        paragraphs: Paragraphs = [[]]
        for length, is_stock in zip(self._dice.integers(6, 22, left // 6).tolist(), self._dice.random(left // 6).tolist(), strict=True):
            if left <= 0:
                break
            place = int(np.searchsorted(self._stock_chance, self._dice.random()))
            paragraphs[-1].append(self._stock[place] if is_stock < STOCK_SHARE else self._sentence(length))
            left -= length
            if len(paragraphs[-1]) == 4:
                paragraphs.append([])
        return [paragraph for paragraph in paragraphs if paragraph]

    def _sentence(self, length: int) -> str:
        words = self._words[np.searchsorted(self._chance, self._dice.random(length))]
        return f"{' '.join(words.tolist()).capitalize()}."

    def _edited(self, paragraphs: Paragraphs, kind: str) -> str:
        if kind == "moved":
            return _text([paragraphs[place] for place in self._dice.permutation(len(paragraphs))])
        text = _text(paragraphs)
        if kind == "dropped":
            keep = self._dice.random(text.count(" ") + 1) >= 0.08
            return " ".join(word for word, kept in zip(text.split(" "), keep.tolist(), strict=True) if kept)
        if kind == "excerpt":
            start = int(0.4 * len(text) * self._dice.random())
            return text[start : start + int(0.6 * len(text))]
        if kind == "framed":
            frame = [" ".join(self._words[self._dice.integers(0, 400, 3)].tolist()) for _ in range(12)]
            return "\n".join([*frame[:5], text, *frame[5:]])
        return text


def group_of(id: str) -> str:
    """The group that a document's id names.

    >>> group_of("17/excerpt 3"), group_of("17")
    ('17', '17')
    """
    return id.split("/", 1)[0]


def _text(paragraphs: Paragraphs) -> str:
    return "\n".join(" ".join(paragraph) for paragraph in paragraphs)


def _zipf(count: int) -> NDArray[np.float64]:
    """Chances by Zipf's law, summed up."""
    weights = np.cumsum(1 / np.arange(1, count + 1))
    return np.asarray(weights / weights[-1])
