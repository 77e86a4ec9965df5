"""Every page cleaned with the template of its site, or by itself where there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from tamis.corpus.batch import other_language
from tamis.corpus.models import models_in
from tamis.corpus.signing import Signer
from tamis.corpus.spool import spooled_pages
from tamis.corpus.survey import Digests
from tamis.corpus.tables import DOCUMENTS, DROPPED, FAILURES, LANGUAGE, NO_TEXT, RECORDS, Writer, identity
from tamis.corpus.tasks import Work
from tamis.document.document import Document
from tamis.document.metadata import Metadata, read_metadata
from tamis.document.render.text import lines
from tamis.errors import TamisError
from tamis.io.pages import Served, Source
from tamis.page.decode import Encoding
from tamis.page.parsing import parse_decoded
from tamis.page.stopwatch import part
from tamis.page.tree import PageTree
from tamis.site.digest import PageDigest, digest
from tamis.site.extraction import select
from tamis.site.model import METHOD, SiteModel
from tamis.site.sites import site_of

METADATA = ("title", "author", "date", "language")
"""Metadata that a row has."""


class _FailedError(Exception):
    """A page failed."""

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(f"{stage}: {reason}")
        self.stage = stage
        self.reason = reason


def clean(work: Work) -> Mapping[str, Any]:
    """The task: ``documents.parquet``, ``dropped.parquet``, ``failures.parquet``; ``keys.parquet`` and ``signatures.bin``
    (:mod:`tamis.corpus.signing`) and ``records.parquet`` where they are asked for."""
    needs = work.task.needs
    models = models_in(tuple(work.root / file for file in needs["models"]))
    with ExitStack() as stack:
        cleaner = Cleaner(work, stack)
        for position, source in spooled_pages(work, set(needs["only"]) if "only" in needs else None):
            site = site_of(source)
            cleaner.clean(position, source, site, models.get(site))
        return cleaner.finish()


class Cleaner:
    """Cleans the pages of a task, and writes what comes of them.

    Args:
        work: the task. It needs ``markdown``, ``metadata``, ``dropped``, ``records``, ``signatures`` (whether these are made) and
            ``languages`` (which are kept; none: all).
        stack: closes the files.
    """

    def __init__(self, work: Work, stack: ExitStack) -> None:
        def table(name: str, columns: Mapping[str, str]) -> Writer:
            return stack.enter_context(Writer(work.path(f"{name}.parquet"), columns))

        needs = work.task.needs
        self._work = work
        self._documents, self._failures, self._dropped = (
            table("documents", DOCUMENTS),
            table("failures", FAILURES),
            table("dropped", DROPPED),
        )
        self._write_dropped: bool = needs["dropped"]
        self._markdown: bool = needs["markdown"]
        self._metadata: bool = needs["metadata"]
        self._languages = frozenset(needs["languages"])
        self._records = table("records", RECORDS) if needs["records"] else None
        self._find_records: Callable[[Document, int, str], Iterable[dict[str, Any]]] = lambda *page: ()
        if needs["records"]:
            from tamis.corpus.record_rows import record_rows

            self._find_records = record_rows
        self._signer = Signer() if needs["signatures"] else None
        self._counts: Counter[str] = Counter()

    def clean(self, position: int, source: Source, site: str, model: SiteModel | None) -> None:
        """Clean a page; one that fails is written down with the reason."""
        self._counts["pages"] += 1
        try:
            if (lost := self._work.lost.get(position)) is not None:
                raise _FailedError(lost.stage, lost.reason)
            tree, served, encoding = _parse(source)
            self._add(position, source, site, _document(tree, served, encoding, model))
        except _FailedError as failure:
            self._fail(position, source, site, failure)

    def clean_known(self, position: int, source: Source, site: str, model: SiteModel, digests: Digests, drawn: int) -> bool:
        """Clean a page with a stored template, and digest it where it is of the sample of its site.

        Returns:
            Whether the page is done. One that the template does not know, that fails or has no text is left to a later stage.
        """
        try:
            tree, served, encoding = _parse(source)
            if digests.wants(site, drawn) and (page := _digest(tree)) is not None:
                digests.add(site, drawn, page)
            document = _document(tree, served, encoding, model)
            if document.selection.method != METHOD or not document.text:
                return False
            self._add(position, source, site, document)
        except _FailedError as failure:
            if failure.stage != LANGUAGE:
                return False
            self._fail(position, source, site, failure)
        return True

    def _fail(self, position: int, source: Source, site: str, failure: _FailedError) -> None:
        about = {"source": source.name, "url": source.url, "site": site, "stage": failure.stage, "reason": failure.reason}
        self._failures.add({"id": identity(self._work.task.number, position), **about})
        self._counts[{NO_TEXT: "empty", LANGUAGE: "other languages"}.get(failure.stage, "failed")] += 1

    def _add(self, position: int, source: Source, site: str, document: Document) -> None:
        """Write a page that was cleaned: nothing of it where a step fails.

        Raises:
            _FailedError: it has no main text, is in another language, or a step fails.
        """
        stage = "render"
        try:
            row = self._row(identity(self._work.task.number, position), source, site, document)
            stage = LANGUAGE
            with part("language"):
                left_out = other_language(document, self._languages)
            if left_out is not None:
                raise _FailedError(LANGUAGE, left_out)
            stage = "render"
            with part("dropped"):
                dropped = list(_dropped(document)) if self._write_dropped else []
            stage = "records"
            with part("records"):
                records = list(self._find_records(document, row["id"], site))
            stage = "signature"
            with part("sign"):
                if self._signer is not None and row["text"]:
                    self._signer.add(row)
        except _FailedError:
            raise
        except Exception as error:  # one page must not end the run
            raise _FailedError(stage, _message(error)) from error
        with part("write"):
            for why, text in dropped:
                self._dropped.add({"id": row["id"], "reason": why, "text": text})
            for record in records:
                self._records.add(record)  # type: ignore[union-attr]  # there are none where they are not asked for
            self._counts["kept characters"] += row["kept"]
            self._counts["seen characters"] += row["seen"]
            self._counts["by template"] += row["method"] == METHOD
            if not row["text"]:
                raise _FailedError(NO_TEXT, "; ".join(document.problems) or "no main text")
            self._documents.add(row)

    def _row(self, number: int, source: Source, site: str, document: Document) -> dict[str, Any]:
        with part("render"):
            lengths = document.tree.text_length
            kept, seen, text = int(lengths[document.selection.keep].sum()), int(lengths.sum()), document.text
        with part("metadata"):
            about = self._about(document)
        with part("render"):
            return {
                "id": number,
                "source": source.name,
                "url": document.url,
                "site": site,
                **{name: getattr(about, name) for name in METADATA},
                "text": text,
                "markdown": document.markdown if self._markdown else None,
                "method": document.selection.method,
                "kept": kept,
                "seen": seen,
                "problems": list(document.problems),
            }

    def _about(self, document: Document) -> Metadata:
        """The metadata of a row; all of them where Markdown is made, which needs some of the others."""
        if not self._metadata:
            return Metadata()
        return document.metadata if self._markdown else read_metadata(document.tree, document.url, METADATA)

    def finish(self) -> dict[str, Any]:
        """Write the signatures; what was counted."""
        if self._signer is not None:
            with part("sign"):
                self._signer.write(self._work)
            self._counts["left alone"] = self._signer.left_alone
        self._counts["documents"] = self._documents.count
        return dict(self._counts)


def _message(error: Exception) -> str:
    if isinstance(error, TamisError):
        return str(error)
    return "not enough memory for this page" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"


def _parse(source: Source) -> tuple[PageTree, Served, Encoding | None]:
    stage = "read"
    try:
        with part("read"):
            served = source.read()
        stage = "parse"
        with part("parse"):
            tree, encoding = parse_decoded(served.html, content_type=served.content_type)
    except Exception as error:  # one page must not end the run
        raise _FailedError(stage, _message(error)) from error
    return tree, served, encoding


def _document(tree: PageTree, served: Served, encoding: Encoding | None, model: SiteModel | None) -> Document:
    try:
        with part("select"):
            return Document.of(tree, select(tree, model=model), url=served.url, encoding=encoding)
    except Exception as error:  # one page must not end the run
        raise _FailedError("clean", _message(error)) from error


def _digest(tree: PageTree) -> PageDigest | None:
    try:
        with part("digest"):
            return digest(tree).digest
    except Exception:  # one page must not end the run
        return None


def _dropped(document: Document) -> Iterator[tuple[str, str]]:
    """The text that was dropped, by reason, a line a block."""
    selection, tree = document.selection, document.tree
    gone = np.flatnonzero(~selection.keep[tree.text_nodes])
    reason = selection.reason[tree.text_nodes[gone]]
    for number in np.unique(reason).tolist():
        text = "\n".join(filter(None, lines(tree, gone[reason == number])))
        if text:
            yield selection.reasons[number], text
