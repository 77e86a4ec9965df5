"""Which documents are kept where only some languages are wanted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tamis.document.detection import detect_language
from tamis.document.document import Document
from tamis.errors import UsageError


def check_languages(languages: Sequence[str]) -> None:
    """See that these are codes of languages, and that languages can be told.

    Raises:
        UsageError: one is no code of ISO 639-1.
        MissingExtraError: the extra ``language`` is not installed.
    """
    if wrong := [name for name in languages if not (name.isascii() and name.isalpha() and name.islower() and len(name) == 2)]:
        raise UsageError(f"languages are codes of two letters such as en, not {', '.join(wrong)}")
    if languages:
        detect_language("A text that is long enough to tell its language. " * 10)


def other_language(document: Document, languages: Collection[str]) -> str | None:
    """Why a document is left out where only some languages are wanted; None where it is kept.

    The language is told from the text, or where that is too short, as the page states it.
    """
    if not languages or not document.text:
        return None
    found = document.detected_language
    language = found.language if found is not None else (document.metadata.language or "").partition("-")[0].lower()
    return None if language in languages else f"the text is in another language: {language or 'unknown'}"
