"""Second pass: every page cleaned with the template of its site, or by itself where there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from tamis.corpus.lifting import lift
from tamis.corpus.pages import open_shard
from tamis.corpus.signing import Signer
from tamis.corpus.tables import DOCUMENTS, DROPPED, FAILURES, RECORDS, Writer
from tamis.corpus.tasks import Work
from tamis.corpus.templates import Shelf
from tamis.document.document import Document
from tamis.document.metadata import Metadata, read_metadata
from tamis.document.render.text import lines
from tamis.errors import TamisError
from tamis.io.pages import Source
from tamis.page.parsing import parse_decoded
from tamis.site.extraction import extract
from tamis.site.model import METHOD, SiteModel
from tamis.site.sites import site_of

METADATA = ("title", "author", "date", "language")
"""Metadata that a row has."""
NO_TEXT = "select"
"""The stage at which a page without main text is listed: it did not fail."""
POSITION = (1 << 32) - 1
"""The part of a page's number that is its position in the shard."""


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
    shelf = Shelf([work.root / file for file in needs["models"]])
    only = set(needs["only"]) if "only" in needs else None
    with ExitStack() as stack:
        tables = _Tables(work, stack)
        for position, source in open_shard(work) if only is None or only else ():
            if only is not None and position not in only:
                continue
            number = identity(work.task.number, position)
            site = site_of(source)
            tables.counts["pages"] += 1
            try:
                if (lost := work.lost.get(position)) is not None:
                    raise _FailedError(lost.stage, lost.reason)
                document = _clean(source, shelf.get(site))
                tables.add(_row(number, source, site, document, markdown=needs["markdown"], metadata=needs["metadata"]), document)
            except _FailedError as failure:
                tables.failures.add(_failure(number, source, site, failure))
                tables.counts["empty" if failure.stage == NO_TEXT else "failed"] += 1
        return tables.finish()


class _Tables:
    """What the task writes."""

    def __init__(self, work: Work, stack: ExitStack) -> None:
        def table(name: str, columns: Mapping[str, str]) -> Writer:
            return stack.enter_context(Writer(work.path(f"{name}.parquet"), columns))

        needs = work.task.needs
        self._work = work
        self.documents, self.failures = table("documents", DOCUMENTS), table("failures", FAILURES)
        self._dropped = table("dropped", DROPPED)
        self._write_dropped: bool = needs["dropped"]
        self._records = table("records", RECORDS) if needs["records"] else None
        self._signer = Signer() if needs["signatures"] else None
        self.counts: Counter[str] = Counter()

    def add(self, row: dict[str, Any], document: Document) -> None:
        """A page that was cleaned: nothing of it is written when a step fails.

        Raises:
            _FailedError: it has no main text, or a step fails.
        """
        stage = "render"
        try:
            dropped = [{"id": row["id"], "reason": why, "text": text} for why, text in _dropped(document)] if self._write_dropped else []
            stage = "records"
            records = list(lift(document, row["id"], row["site"])) if self._records is not None else []
            stage = "signature"
            if self._signer is not None and row["text"]:
                self._signer.add(row)
        except Exception as error:  # one page must not end the run
            raise _FailedError(stage, _said(error)) from error
        for kept in dropped:
            self._dropped.add(kept)
        if self._records is not None:
            for record in records:
                self._records.add(record)
        self.counts["kept characters"] += row["kept"]
        self.counts["seen characters"] += row["seen"]
        self.counts["by template"] += row["method"] == METHOD
        if not row["text"]:
            raise _FailedError(NO_TEXT, "; ".join(document.problems) or "no main text")
        self.documents.add(row)

    def finish(self) -> dict[str, Any]:
        """Write what waits to the end; what was counted."""
        if self._signer is not None:
            self._signer.write(self._work)
            self.counts["left alone"] = self._signer.left_alone
        self.counts["documents"] = self.documents.count
        return dict(self.counts)


def _said(error: Exception) -> str:
    if isinstance(error, TamisError):
        return str(error)
    return "not enough memory for this page" if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"


def identity(shard: int, position: int) -> int:
    """The number of a page: of its shard, and of its position there."""
    return (shard << 32) | position


def _clean(source: Source, model: SiteModel | None) -> Document:
    stage = "read"
    try:
        served = source.read()
        stage = "parse"
        tree, encoding = parse_decoded(served.html, content_type=served.content_type)
        stage = "clean"
        document = extract(tree, url=served.url, model=model)
        return replace(document, encoding=encoding)
    except Exception as error:  # one page must not end the run
        raise _FailedError(stage, _said(error)) from error


def _row(number: int, source: Source, site: str, document: Document, *, markdown: bool, metadata: bool) -> dict[str, Any]:
    lengths = document.tree.text_length
    try:
        about = _about(document, markdown=markdown) if metadata else Metadata()
        return {
            "id": number,
            "source": source.name,
            "url": document.url,
            "site": site,
            "title": about.title,
            "author": about.author,
            "date": about.date,
            "language": about.language,
            "text": document.text,
            "markdown": document.markdown if markdown else None,
            "method": document.selection.method,
            "kept": int(lengths[document.selection.keep].sum()),
            "seen": int(lengths.sum()),
            "problems": list(document.problems),
        }
    except Exception as error:  # one page must not end the run
        raise _FailedError("render", _said(error)) from error


def _about(document: Document, *, markdown: bool) -> Metadata:
    """The metadata of a row; all of them where Markdown is made, which needs some of the others."""
    return document.metadata if markdown else read_metadata(document.tree, document.url, METADATA)


def _dropped(document: Document) -> Iterator[tuple[str, str]]:
    """The text that was dropped, by reason, a line a block."""
    selection, tree = document.selection, document.tree
    gone = np.flatnonzero(~selection.keep[tree.text_nodes])
    reason = selection.reason[tree.text_nodes[gone]]
    for number in np.unique(reason).tolist():
        text = "\n".join(filter(None, lines(tree, gone[reason == number])))
        if text:
            yield selection.reasons[number], text


def _failure(number: int, source: Source, site: str, failure: _FailedError) -> dict[str, Any]:
    return {"id": number, "source": source.name, "url": source.url, "site": site, "stage": failure.stage, "reason": failure.reason}
