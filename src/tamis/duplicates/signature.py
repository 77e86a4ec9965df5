"""Signatures of texts for comparison: shingles, a sample of them as features, and the features in passages.

A *shingle* is a run of tokens as wide as three words (or six characters of a script without spaces), as a 32-bit hash. The *features* are
the shingles whose hash lies below a bound, so that equal passages have equal features. Runs of features are *passages*.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tamis.duplicates.characters import composed, folds_for, kinds, unfinished
from tamis.errors import UsageError
from tamis.native import shingles as compiled

Hashes = NDArray[np.uint32]

LONGEST_TITLE = 160  #: Characters of a first line that may be a title.
COUNT = 15  #: Bits of a word that hold its count, which ends at this number.
_ALL = 1 << 32
_THREE = struct.Struct("iii")
_HAS_TO_BE_COMPOSED = 0x80  #: A bit at the kind of a character.


@dataclass(frozen=True, slots=True)
class SignatureSettings:
    """Settings of signatures. Only signatures of the same settings can be compared.

    Raises:
        UsageError: a number makes no sense.
    """

    words: int = 3  #: Words in a shingle; two characters of a script without spaces count as one.
    one_in: int = 4  #: One in this many shingles is a feature.
    passage: int = 12  #: Features in a passage of a long text.
    fewest_passages: int = 5
    """Shorter texts have shorter passages, so that there are as many as this, as long as a passage has 4 features."""
    simplified: bool = True  #: Take traditional Chinese characters for the simplified ones.

    def __post_init__(self) -> None:
        if not 1 <= self.words <= 32:
            raise UsageError(f"words of a shingle are 1 to 32, not {self.words}")
        if self.one_in < 1 or self.passage < SMALLEST_PASSAGE or self.fewest_passages < 1:
            raise UsageError(f"one_in and fewest_passages must be 1 or more, passage {SMALLEST_PASSAGE} or more")

    @property
    def bound(self) -> int:
        """Shingles below this are features."""
        return _ALL // self.one_in


SMALLEST_PASSAGE = 4
DEMANDING, DEMANDED = 8, 2  #: Passages of at least 8 features need 2 of them to be found, shorter ones 1.


@dataclass(frozen=True, eq=False)
class Signature:
    """Signature of a text."""

    shingles: Hashes  #: Its distinct shingles in the order they first appear in, uint32 ``(s,)``.
    numbers: Hashes  #: Its distinct tokens of digits, uint32 ``(k,)``, rising.
    words: Hashes
    """Its distinct tokens in the order they first appear in, with how often each is there in the last four bits, uint32 ``(w,)``."""
    letters: int  #: Number of letters and digits: the length that comparisons use.
    digest: bytes  #: 16 bytes that are the same for texts of the same tokens.
    settings: SignatureSettings
    title: int = 0  #: Number of the first words that are in its title: a short first line.

    def __len__(self) -> int:
        return len(self.shingles)

    @cached_property
    def is_feature(self) -> NDArray[np.bool_]:
        """Mask of the shingles that are features, bool ``(s,)``."""
        return self.shingles < self.settings.bound

    @cached_property
    def features(self) -> Hashes:
        """The features, in order, uint32 ``(f,)``."""
        return self.shingles[self.is_feature]

    @cached_property
    def passage_length(self) -> int:
        """Features in each passage but the last, which has up to twice as many less one."""
        return max(SMALLEST_PASSAGE, min(len(self.features) // self.settings.fewest_passages, self.settings.passage))

    @cached_property
    def passages(self) -> int:
        """Number of passages; 0 without features."""
        return max(len(self.features) // self.passage_length, 1) if len(self.features) else 0

    @property
    def demanded(self) -> int:
        """Number of a passage's features that another text needs for the passage to be found there."""
        return DEMANDED if self.passage_length >= DEMANDING else 1


def signature(text: str, settings: SignatureSettings = SignatureSettings()) -> Signature:
    """Return the signature of a text.

    Raises:
        MissingExtraError: the text is Chinese, and the table of simplified characters is not installed.

    >>> one, other = signature("The ferry is back, and runs daily."), signature("THE FERRY IS BACK AND RUNS DAILY")
    >>> len(one), one.letters, one.digest == other.digest
    (5, 26, True)
    """
    table, width = folds_for(text, settings.simplified), 2 * settings.words
    found = compiled.shingled(text, _marked_kinds(), table, width)
    if found is None:
        found = compiled.shingled(composed(text), kinds(), table, width)
    assert found is not None  # a composed text has no character that could still be composed
    *columns, letters, whole = found
    shingles, numbers, words = (np.frombuffer(column, np.uint32) for column in columns)
    salt = whole.to_bytes(8, "little") + letters.to_bytes(8, "little")
    digest = blake2b(shingles.tobytes(), digest_size=16, salt=salt).digest()
    end = text.find("\n", 0, min(LONGEST_TITLE, len(text) // 2))
    title = compiled.shingled(composed(text[:end]), kinds(), table, width) if end > 0 else None
    return Signature(shingles, numbers, words, letters, digest, settings, len(title[2]) // words.itemsize if title else 0)


@cache
def _marked_kinds() -> NDArray[np.uint8]:
    """Return the kinds of characters, with a bit at those for which the text has to be composed first."""
    marked = kinds().copy()
    marked[unfinished()] |= _HAS_TO_BE_COMPOSED
    return marked


def among(shingles: Hashes, others: Hashes) -> NDArray[np.bool_]:
    """Return which shingles of one text the other has too, bool ``(len(shingles),)``."""
    return np.frombuffer(compiled.among(shingles, others), np.bool_)


def overlaps(
    shingles: Hashes, others: Sequence[Hashes], bound: int, passage: int, passages: int, demanded: int, window: int, share: float
) -> list[tuple[int, int, int]]:
    """Return the overlap of one text with each of several others: shingles that both have; passages found; windows found.

    A shingle below ``bound`` is a feature. ``passage`` features make a passage; there are ``passages``. The other text must have
    ``demanded`` features of a passage, and a ``share`` of the ``window`` shingles in a window, at least one. The last passage or window has
    the rest, too."""
    return list(_THREE.iter_unpack(compiled.overlaps(shingles, list(others), bound, passage, passages, demanded, window, share)))
