"""The language of a text, told from the text itself by py3langid (BSD; its model is part of its wheel)."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from tamis.errors import needs_extra

LONGEST = 5_000  #: Characters of a text that are looked at.
_VARIETIES = {"wuu": "zh", "yue": "zh", "arz": "ar", "ary": "ar"}  #: Of a language that has a code of two letters.
SHORTEST = 20  #: Letters below which a text tells nothing; one of Chinese, Japanese or Korean counts as four.
_EAST_ASIAN = "\u2e80"  #: The first of their letters.


class DetectedLanguage(NamedTuple):
    """A language and how sure the detector is."""

    language: str  #: ISO 639-1, such as ``en``; three letters (ISO 639-3) where that has none.
    confidence: float  #: Probability, 0..1.


DETECTED = ("detected_language", "language_confidence")  #: Names of the columns of rows.


def as_columns(found: DetectedLanguage | None) -> dict[str, str | float | None]:
    """Return a detected language in the columns of a row."""
    return dict(zip(DETECTED, found or (None, None), strict=True))


def detect_language(text: str) -> DetectedLanguage | None:
    """Return the language of a text; None if it is too short to tell.

    Raises:
        MissingExtraError: py3langid is not installed (``pip install '.[language]'``).
    """
    text = text[:LONGEST].strip()
    if len(text) < SHORTEST and len(text) + 3 * sum(letter >= _EAST_ASIAN for letter in text) < SHORTEST:
        return None
    language, confidence = _detector().classify(text)
    return DetectedLanguage(_VARIETIES.get(str(language), str(language)), round(float(confidence), 4))


def language_of(detected: str | None, stated: str | None) -> str:
    """Return the language of a document: the detected one, or else the page's own without its region; empty for none.

    >>> language_of("de", "en"), language_of(None, "en-GB"), language_of(None, None)
    ('de', 'en', '')
    """
    return detected or (stated or "").partition("-")[0].lower()


def known_languages() -> frozenset[str]:
    """Return the languages that :func:`detect_language` may tell. Raises as it does."""
    return frozenset(_VARIETIES.get(str(name), str(name)) for name in _detector().nb_classes)


@cache
def _detector() -> Any:
    with needs_extra("telling the language of a text", "language"):
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
