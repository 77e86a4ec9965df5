"""One page from its source to a document: the steps of every cleaner, each of which fails the page at its stage."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from tamis.document.detection import language_of
from tamis.document.document import Document
from tamis.errors import TamisError
from tamis.io.pages import Served
from tamis.page.parsing import parse_decoded
from tamis.page.stopwatch import part
from tamis.site.extraction import DEFAULT, Method, select
from tamis.site.model import SiteModel


class FailedPageError(Exception):
    """A page failed at a stage of the work, for a reason. ``lost``: its worker process died of it, or was ended."""

    def __init__(self, stage: str, reason: str, *, lost: bool = False) -> None:
        super().__init__(f"{stage}: {reason}")
        self.stage, self.reason, self.lost = stage, reason, lost


class Step(part):
    """A step of the work on a page. What goes wrong in it fails the page at this stage. ``name``: of the part whose time is measured."""

    def __init__(self, stage: str, name: str | None = None) -> None:
        super().__init__(name or stage)
        self._stage = stage

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        if isinstance(error[1], Exception):  # one page must not end the run
            raise FailedPageError(self._stage, message(error[1])) from error[1]


def message(error: Exception) -> str:
    """Say what went wrong with a page."""
    if isinstance(error, TamisError):
        return str(error)
    return "not enough memory for this page" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"


def document_of(
    served: Served, model: SiteModel | None = None, *, method: Method = DEFAULT, comments: bool = False, encoding: str | None = None
) -> Document:
    """Return the document of a page that was read. Arguments as of :func:`tamis.extract`.

    Raises:
        FailedPageError: the page fails at the stage ``parse`` or ``extract``.
    """
    with Step("parse"):
        tree, found = parse_decoded(served.html, content_type=served.content_type, encoding=encoding)
    with Step("extract", "select"):
        return Document.of(tree, select(tree, method, model), url=served.url, encoding=found, comments=comments)


def unwanted(document: Document, languages: Collection[str], rules: Sequence[str]) -> tuple[str, str] | None:
    """Return why a document is left out (``language`` or ``quality``, and a reason); None if it is kept.

    The language is detected from the text; if that is too short, the language that the page states counts.
    """
    if languages and document.text:
        found = document.detected_language
        language = found.language if found is not None else language_of(None, document.metadata.language)
        if language not in languages:
            return "language", f"the text is in another language: {language or 'unknown'}"
    if rules and document.text and (broken := [name for name in document.quality.broken if name.startswith(tuple(rules))]):
        return "quality", f"the text breaks {', '.join(broken)}"
    return None


def characters(document: Document) -> tuple[int, int]:
    """Count the characters of a page's texts, without white space around them: kept, and in all."""
    lengths = document.tree.text_length
    return int(lengths[document.selection.keep].sum()), int(lengths.sum())
