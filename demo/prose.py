"""Paragraphs put together from sentences that were written by hand."""

from __future__ import annotations

import re

from demo.content import Language
from demo.dice import Dice

_SLOT = re.compile(r"\{(\w+)\}")


class Prose:
    """A writer who goes through all sentences before using one again, with other names and numbers."""

    def __init__(self, language: Language, seed: str) -> None:
        self._language = language
        self._dice = Dice(f"{seed}/{language.code}")
        self._left: dict[int, list[str]] = {}

    def sentence(self, sentences: tuple[str, ...]) -> str:
        """The next sentence of a stock, its slots filled."""
        left = self._left.setdefault(id(sentences), [])
        if not left:
            left.extend(self._dice.some(sentences, len(sentences)))
        return self.fill(left.pop())

    def paragraph(self, sentences: tuple[str, ...], length: int) -> str:
        """``length`` sentences."""
        return self._language.joiner.join(self.sentence(sentences) for _ in range(length))

    def fill(self, pattern: str) -> str:
        """A pattern with its ``{slots}`` filled."""
        text = _SLOT.sub(lambda slot: self._dice.pick(self._language.slots[slot[1]]), pattern)
        return text[0].upper() + text[1:]
