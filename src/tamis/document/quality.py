"""Counts of a text, and the rules that corpora are filtered by: Gopher (Rae et al. 2021, A.1.1) and FineWeb (Penedo et al. 2024, 3.6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from unicodedata import category

import numpy as np

from tamis.errors import UsageError
from tamis.page.lexicon import concepts

_UNSPACED = "\u0e00-\u0eff\u0f40-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_OTHER_PUNCTUATION = "\u0f0b-\u0f14\u3000-\u3004\u3008-\u3020\uff01-\uff0f\uff1a-\uff1f"
WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}{_OTHER_PUNCTUATION}]+")
"""A word; in scripts that have no spaces (Han, kana, Thai, Lao, Tibetan, Khmer, Burmese) a character."""
_UNSTOPPED = re.compile("[\u0e00-\u0eff]")  # Thai and Lao: a space separates sentences
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]")  # Han, kana, Hangul
_STOPS = "։؟۔܀܁܂।॥།༎။።፧។៕᠃᠉。．！？｡"
"""Ends of sentences that are not those of the Latin script: Armenian, Arabic, Syriac, Indian, Tibetan, Burmese, Ethiopic, and so on."""
_ENDS_OF_SENTENCES = re.compile(rf"(?<![.!?…])[.!?…]++(?=\s|$|[\"'”’)])|[{_STOPS}]++")
_LATIN = re.compile(r"[a-zà-öø-ɏḁ-ỿ]")
_STOP_WORDS = tuple(map(frozenset, concepts()["frequent"].values()))
_TERMINAL = (".", "!", "?", '"', "”", "’", "»", "」", "』", "…", *_STOPS)
_BULLETS = ("•", "-", "*", "‣", "◦", "·", "–")
MOST_WORDS = 100_000  #: Words of a text at the most (Gopher).
SHORT_LINE = 30  #: Characters up to which a line is short (FineWeb); those of Chinese, Japanese and Korean count twice.


@dataclass(frozen=True, slots=True)
class Quality:
    """Counts of a text and the rules that it breaks."""

    words: int  #: Separated by white space; of scripts without spaces, characters (:func:`words_of`).
    characters: int
    sentences: int
    lines: int
    repeated_lines: float  #: Share of lines that occurred before, 0..1.
    repeated_line_characters: float  #: Share of characters in these lines, 0..1.
    broken: tuple[str, ...]  #: Names of the rules (:data:`RULES`) that the text breaks, in their order.

    @property
    def gopher(self) -> bool:
        """The text passes all of Gopher's rules."""
        return not any(name.startswith("gopher-") for name in self.broken)

    @property
    def fineweb(self) -> bool:
        """The text passes all of FineWeb's rules."""
        return not any(name.startswith("fineweb-") for name in self.broken)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and verdicts as plain values."""
        values = {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(self).items()}
        return values | {"broken": list(self.broken)}


RULES = (
    "gopher-words",
    "gopher-word-length",
    "gopher-symbols",
    "gopher-bullets",
    "gopher-ellipses",
    "gopher-letters",
    "gopher-stop-words",
    "gopher-repeated-lines",
    "gopher-repeated-line-characters",
    "gopher-top-2-grams",
    "gopher-top-3-grams",
    "gopher-top-4-grams",
    *(f"gopher-duplicate-{k}-grams" for k in range(5, 11)),
    "fineweb-line-punctuation",
    "fineweb-short-lines",
    "fineweb-repeated-line-characters",
    "fineweb-new-lines",
)
"""Names of the rules. ``gopher-word-length`` and ``gopher-stop-words`` are made for English: text mostly in other scripts than the Latin
one does not break them, and in other languages in Latin script their own frequent words count. Text mostly in Thai or Lao, which have
no full stop, does not break ``fineweb-line-punctuation``."""


def check_rules(names: Sequence[str]) -> None:
    """Check that these are names of rules, or of all of Gopher's or FineWeb's (UsageError)."""
    if wrong := [name for name in names if name not in ("gopher", "fineweb", *RULES)]:
        raise UsageError(f"rules of quality are gopher, fineweb, or one of {', '.join(RULES)}; not {', '.join(wrong)}")


_TOP = {2: 0.20, 3: 0.18, 4: 0.16}
_DUPLICATE = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}
"""Most of the text, by words of a run, that may be in the most frequent run, and in runs that occurred before."""


def words_of(text: str) -> list[str]:
    """Return the words of a text, in order; each character of scripts that have no spaces is one.

    >>> words_of("Reeds grow."), words_of("水静，用 Python 写")
    (['Reeds', 'grow.'], ['水', '静', '用', 'Python', '写'])
    """
    return text.split() if text.isascii() else WORD.findall(text)


def quality(text: str) -> Quality:
    """Count a text and judge it by the rules.

    >>> found = quality("Reeds grow where the water is calm.\\nRead more\\nRead more")
    >>> found.words, found.sentences, round(found.repeated_lines, 2), found.fineweb
    (11, 1, 0.33, False)
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    words = words_of(text)
    total, times, words = len(words), Counter(words), words[:MOST_WORDS]
    seen: set[str] = set()
    again = [line for line in lines if line in seen or seen.add(line)]  # type: ignore[func-returns-value]
    characters = sum(map(len, lines))
    n, count = max(len(lines), 1), max(total, 1)
    repeated, repeated_characters = len(again) / n, sum(map(len, again)) / max(characters, 1)
    bare = {word: word.strip(".,;:!?\"'()[]").lower() for word in times}
    said = set(bare.values())
    latin = 2 * sum(times[word] for word in times if _LATIN.search(bare[word])) >= total
    verdicts = {
        "gopher-words": 50 <= total <= MOST_WORDS,
        "gopher-word-length": not latin or 3 <= sum(times[word] * len(bare[word]) for word in times) / count <= 10,
        "gopher-symbols": max(text.count("#"), text.count("...") + text.count("…")) / count <= 0.1,
        "gopher-bullets": sum(line.startswith(_BULLETS) for line in lines) / n <= 0.9,
        "gopher-ellipses": sum(line.endswith(("...", "…")) for line in lines) / n <= 0.3,
        "gopher-letters": sum(times[word] for word in times if _is_word(word)) / count >= 0.8,
        "gopher-stop-words": not latin or any(len(stop_words & said) >= 2 for stop_words in _STOP_WORDS),
        "gopher-repeated-lines": repeated <= 0.3,
        "gopher-repeated-line-characters": repeated_characters <= 0.2,
        **{f"gopher-top-{k}-grams": _top_share(words, k) <= most for k, most in _TOP.items()},
        **{f"gopher-duplicate-{k}-grams": share <= _DUPLICATE[k] for k, share in _duplicate_shares(words).items()},
        "fineweb-line-punctuation": 2 * len(_UNSTOPPED.findall(text)) > total or sum(line.endswith(_TERMINAL) for line in lines) / n > 0.12,
        "fineweb-short-lines": sum(len(line) + len(_WIDE.findall(line)) < SHORT_LINE for line in lines) / n < 0.67,
        "fineweb-repeated-line-characters": repeated_characters < 0.1,
        "fineweb-new-lines": len(lines) / count <= 0.3,
    }
    return Quality(
        words=total,
        characters=len(text),
        sentences=len(_ENDS_OF_SENTENCES.findall(text)),
        lines=len(lines),
        repeated_lines=repeated,
        repeated_line_characters=repeated_characters,
        broken=tuple(name for name in RULES if not verdicts[name]),
    )


def _is_word(word: str) -> bool:
    """Return whether a word has a letter, or is a sign that belongs to one."""
    return any(map(str.isalpha, word)) or category(word[0]) in ("Mn", "Mc")


def _top_share(words: list[str], k: int) -> float:
    """Share of the words' characters in the most frequent run of ``k`` words; 0 where none occurs twice."""
    if len(words) < k:
        return 0.0
    runs = Counter(zip(*(words[offset:] for offset in range(k)), strict=False))
    top, times = max(runs.items(), key=lambda item: (item[1], sum(map(len, item[0]))))
    return times * sum(map(len, top)) / sum(map(len, words)) if times > 1 else 0.0


def _duplicate_shares(words: list[str]) -> dict[int, float]:
    """By the lengths of :data:`_DUPLICATE`: share of the words' characters in runs that occurred before, each counted once.

    >>> {k: round(share, 2) for k, share in _duplicate_shares(["a", "b", "c", "d", "e"] * 2).items() if share}
    {5: 0.5}
    """
    numbers: dict[str, int] = {}
    word = np.array([numbers.setdefault(each, len(numbers)) for each in words], dtype=np.int64)
    length = np.array(list(map(len, words)), dtype=np.int64)
    run, shares = word, dict.fromkeys(_DUPLICATE, 0.0)
    for k in range(2, max(_DUPLICATE) + 1):
        run = run[:-1] * (len(numbers) + 1) + word[k - 1 :]  # the run that is a word longer
        if not len(run):
            break
        _, first, run = np.unique(run, return_index=True, return_inverse=True)
        again = (first[run] < np.arange(len(run))).nonzero()[0]
        if not len(again):
            break  # nor does a longer one
        if k in shares:
            edges = np.zeros(len(words) + 1, dtype=np.int64)
            np.add.at(edges, again, 1)
            np.add.at(edges, again + k, -1)
            shares[k] = float(length[edges[:-1].cumsum() > 0].sum() / length.sum())
    return shares
