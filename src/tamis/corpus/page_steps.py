"""One page from its source to a document: the steps of every cleaner; each fails the page at its stage."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction, isgeneratorfunction
from pathlib import Path
from typing import Any, TypeAlias, cast

from tamis.content.attenuation import Site
from tamis.document.detection import known_languages, language_of
from tamis.document.document import Document
from tamis.document.quality import check_rules
from tamis.errors import TamisError, UsageError
from tamis.io.pages import Served
from tamis.page.parsing import parse_decoded
from tamis.page.stopwatch import timed
from tamis.site.extraction import DEFAULT, Method, select

MAX_REASON = 500  #: Characters of the reason why a page fails or is left out.


class FailedPageError(Exception):
    """A page failed at a stage of the work, for a reason. ``lost``: its worker process died of it, or was ended."""

    def __init__(self, stage: str, reason: str, *, lost: bool = False) -> None:
        super().__init__(f"{stage}: {reason}")
        self.stage, self.reason, self.lost = stage, reason, lost


class PageStep(timed):
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
    if isinstance(error, MemoryError):
        return "not enough memory for this page"
    try:
        return _in_a_line(f"{type(error).__name__}: {error}")
    except Exception:  # of a filter, which cannot be said
        return type(error).__name__


def _in_a_line(reason: str) -> str:
    return " ".join(reason[:MAX_REASON].split())


def document_of(
    served: Served, model: Site | None = None, *, method: Method = DEFAULT, comments: bool = False, encoding: str | None = None
) -> Document:
    """Return the document of a page that was read. Arguments as in :func:`tamis.extract`.

    Raises:
        FailedPageError: the page fails at the stage ``parse`` or ``extract``.
    """
    with PageStep("parse"):
        tree, found = parse_decoded(served.html, content_type=served.content_type, encoding=encoding)
    with PageStep("extract", "select"):
        return Document.from_selection(tree, select(tree, method, model), url=served.url, encoding=found, comments=comments)


Filter: TypeAlias = Callable[[Document], object]
"""A function that says of a document whether it is kept: None or True; False, or the reason as a string, leaves it out."""


@cache
def load_filter(name: str) -> Filter:
    """Load a filter by its name, ``module:function``; modules in the working folder are found, too.

    Raises:
        UsageError: there is no such function.
    """
    module, _, function = name.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        with redirect_stdout(sys.stderr):
            found = getattr(import_module(module), function)
    except (Exception, SystemExit) as error:  # whatever the module does
        raise UsageError(
            f"a filter is named module:function, such as my_filters:long_enough; {name!r} cannot be loaded: {error}"
        ) from error
    if not callable(found) or isgeneratorfunction(found) or iscoroutinefunction(found):
        raise UsageError(f"the filter {name} is not a function that answers at once")
    return cast("Filter", found)


def check_wanted(languages: Sequence[str], rules: Sequence[str], filters: Sequence[str], *, detected: bool = False) -> None:
    """Check what :func:`unwanted` is asked for. Where there are languages, or they are to be ``detected``, the extra ``language`` must be
    installed (MissingExtraError).

    Raises:
        UsageError: a language is not a code of ISO 639-1 that the detector knows, or a rule or filter does not exist.
    """
    if wrong := [name for name in languages if not (name.isascii() and name.isalpha() and name.islower() and len(name) == 2)]:
        raise UsageError(f"languages are codes of two letters such as en, not {', '.join(wrong)}")
    if (languages or detected) and (unknown := sorted(set(languages) - known_languages())):
        raise UsageError(f"the detector does not know the language {', '.join(unknown)}")
    check_rules(rules)
    for name in filters:
        load_filter(name)


def unwanted(document: Document, languages: Collection[str], rules: Sequence[str], filters: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return why a document is left out (``language``, ``quality`` or ``filter``, and a reason); None if it is kept.

    The language is detected from the text; if that is too short, the language that the page states counts. ``filters``: names of
    functions (:data:`Filter`).
    """
    if languages and document.text:
        found = document.detected_language
        language = found.language if found is not None else language_of(None, document.metadata.language)
        if language not in languages:
            return "language", f"the text is in another language: {language or 'unknown'}"
    if rules and document.text and (broken := [name for name in document.quality.broken if name.startswith(tuple(rules))]):
        return "quality", f"the text breaks {', '.join(broken)}"
    for name in filters if document.text else ():
        try:
            with redirect_stdout(sys.stderr):  # standard output is for documents
                answer = load_filter(name)(document)
        except (SystemExit, GeneratorExit) as error:
            raise RuntimeError(f"the filter {name} ends the program") from error
        if isinstance(answer, str) or not (answer is None or answer):
            return "filter", _in_a_line(answer) if isinstance(answer, str) and answer else f"the filter {name} leaves it out"
    return None


def characters(document: Document) -> tuple[int, int]:
    """Count the characters of a page's texts, without white space around them: kept, and in all."""
    lengths = document.tree.text_length
    return int(lengths[document.selection.keep].sum()), int(lengths.sum())
