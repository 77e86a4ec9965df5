"""Pages cleaned with the template of their site, or without one.

The first stage reads every page of a shard once. Pages of a site with a stored template (:mod:`tamis.corpus.model_store`) are cleaned at
once; the others are spooled for later stages, with the hash of their address: those with the smallest hashes are learned from.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.corpus.batch import unwanted
from tamis.corpus.deduplication import Signer
from tamis.corpus.models import models_in
from tamis.corpus.spool import Spool, message, open_shard, spooled_pages
from tamis.corpus.tables import DOCUMENTS, DROPPED, FAILURES, NO_TEXT, RECORDS, SITES, UNWANTED, Writer, identity
from tamis.corpus.tasks import Work
from tamis.corpus.templates import Digests
from tamis.document.detection import as_columns
from tamis.document.document import Document
from tamis.document.metadata import Metadata, read_metadata
from tamis.document.render.text import line_starts, lines
from tamis.document.selection import Cause
from tamis.io.pages import Source
from tamis.page.parsing import parse_decoded
from tamis.page.stopwatch import part
from tamis.site.digest import digest
from tamis.site.extraction import select
from tamis.site.model import METHOD, SiteModel
from tamis.site.sites import site_of
from tamis.structure.hashing import text_hash

if TYPE_CHECKING:
    from tamis.records.finding import Region

FEWEST = 3  #: records of a list
MOST_TEMPLATE = 0.5  #: if more of a list's characters belong to the template, the list is part of it: a menu
FEWEST_FIELDS = 2  #: fields that at least half of the records of a list have: records of one field are lines of running text, or of code
METADATA = ("title", "author", "date", "language")  #: metadata that a row has


class _FailedError(Exception):
    """A page failed."""

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(f"{stage}: {reason}")
        self.stage, self.reason = stage, reason


def read_shard(work: Work) -> Mapping[str, Any]:
    """The task: ``pages.parquet`` and ``spool.bin`` (:mod:`tamis.corpus.spool`). If templates are stored, also what :func:`clean` writes,
    ``digests.parquet``, and ``sites.parquet``, which counts the pages of sites with a template."""
    needs = work.task.needs
    models = models_in(tuple(work.root / file for file in needs["known"]))
    every: set[str] = set()
    seen: Counter[str] = Counter()
    known: Counter[str] = Counter()
    pages = 0
    with ExitStack() as stack:
        spool = stack.enter_context(Spool(work, keep=needs["keep"]))
        cleaner = Cleaner(work, stack) if needs["known"] else None
        digests = stack.enter_context(Digests(work)) if needs["known"] else None
        for position, source in open_shard(work):
            pages += 1
            site, drawn = site_of(source), text_hash(source.url or source.name)
            every.add(site)
            model = models.get(site) if position not in work.lost else None
            if model is not None and cleaner is not None and digests is not None:
                seen[site] += 1
                if cleaner.clean_known(position, source, site, model, digests, drawn):
                    known[site] += 1
                    continue
            spool.add(position, source, site, drawn)
        if needs["known"]:
            with Writer(work.path("sites.parquet"), SITES) as writer:
                for site in sorted(seen):
                    writer.add({"site": site, "pages": seen[site], "known": known[site]})
        found = cleaner.finish() if cleaner is not None else {}
    return {**found, "pages": pages, "sites": len(every), "spooled bytes": spool.size}


def clean(work: Work) -> Mapping[str, Any]:
    """The task: ``documents.parquet``, ``dropped.parquet``, ``failures.parquet``; ``keys.parquet`` and ``signatures.bin``
    (:mod:`tamis.corpus.deduplication`) and ``records.parquet`` where they are asked for."""
    needs = work.task.needs
    models = models_in(tuple(work.root / file for file in needs["models"]))
    with ExitStack() as stack:
        cleaner = Cleaner(work, stack)
        for position, source, site in spooled_pages(work, set(needs["only"]) if "only" in needs else None):
            cleaner.clean(position, source, site, models.get(site))
        return cleaner.finish()


class Cleaner:
    """Cleans the pages of a task and writes the results. The task needs the settings of cleaning; ``stack`` closes the files."""

    def __init__(self, work: Work, stack: ExitStack) -> None:
        def table(name: str, columns: Mapping[str, str]) -> Writer:
            return stack.enter_context(Writer(work.path(f"{name}.parquet"), columns))

        needs = self._needs = work.task.needs
        self._work = work
        self._documents = table("documents", DOCUMENTS)
        self._failures = table("failures", FAILURES)
        self._dropped = table("dropped", DROPPED)
        self._languages = frozenset(needs["languages"])
        self._records = table("records", RECORDS) if needs["records"] else None
        self._signer = Signer() if needs["signatures"] else None
        self._counts: Counter[str] = Counter()

    def clean(self, position: int, source: Source, site: str, model: SiteModel | None) -> None:
        """Clean a page, or record why it failed."""
        self._counts["pages"] += 1
        try:
            if (lost := self._work.lost.get(position)) is not None:
                raise _FailedError(self._work.task.stage, lost)
            self._add(position, source, site, _document(source, model))
        except _FailedError as failure:
            self._fail(position, source, site, failure)

    def clean_known(self, position: int, source: Source, site: str, model: SiteModel, digests: Digests, drawn: int) -> bool:
        """Clean a page with a stored template, and digest it if it is in the sample of its site. Whether the page is done: a later stage
        cleans pages that the template does not know, that fail or have no text."""
        try:
            document = _document(source, model)
            if digests.wants(site, drawn):
                with _Step("digest"):
                    digests.add(site, drawn, digest(document.tree).digest)
            if document.selection.method != METHOD or not document.text:
                return False
            self._add(position, source, site, document)
        except _FailedError as failure:
            if failure.stage not in UNWANTED:
                return False
            self._fail(position, source, site, failure)
        return True

    def _fail(self, position: int, source: Source, site: str, failure: _FailedError) -> None:
        about = {"source": source.name, "url": source.url, "site": site, "stage": failure.stage, "reason": failure.reason}
        self._failures.add({"id": identity(self._work.task.number, position), **about})
        self._counts[{NO_TEXT: "empty", **UNWANTED}.get(failure.stage, "failed")] += 1

    def _add(self, position: int, source: Source, site: str, document: Document) -> None:
        """Write a cleaned page, or nothing of it. Raises _FailedError if it has no main text, is not wanted, or a step fails."""
        row = self._row(identity(self._work.task.number, position), source, site, document)
        with _Step("filter", "filter"):
            left_out = unwanted(document, self._languages, self._needs["quality"])
        if left_out is not None:
            raise _FailedError(*left_out)
        with _Step("render", "dropped"):
            dropped = list(_dropped(document)) if self._needs["dropped"] else []
        with _Step("records"):
            records = list(_record_rows(document, row["id"], site)) if self._records is not None else []
        with _Step("signature", "sign"):
            if self._signer is not None and row["text"]:
                self._signer.add(row)
        with part("write"):
            for why, text in dropped:
                self._dropped.add({"id": row["id"], "reason": why, "text": text})
            for record in records:
                self._records.add(record)  # type: ignore[union-attr]  # there are none if they are not asked for
            self._counts["kept characters"] += row["kept"]
            self._counts["seen characters"] += row["seen"]
            self._counts["by template"] += row["method"] == METHOD
            if not row["text"]:
                raise _FailedError(NO_TEXT, "; ".join(document.problems) or "no main text")
            self._documents.add(row)

    def _row(self, number: int, source: Source, site: str, document: Document) -> dict[str, Any]:
        with _Step("render", "metadata"):
            about = Metadata()
            if self._needs["metadata"]:  # Markdown needs all of it
                about = document.metadata if self._needs["markdown"] else read_metadata(document.tree, document.url, METADATA)
        with _Step("render"):
            lengths = document.tree.text_length
            return {
                "id": number,
                "source": source.name,
                "url": document.url,
                "site": site,
                **{name: getattr(about, name) for name in METADATA},
                **as_columns(document.detected_language if self._needs["detect language"] else None),
                "text": document.text,
                "markdown": document.markdown if self._needs["markdown"] else None,
                "method": document.selection.method,
                "kept": int(lengths[document.selection.keep].sum()),
                "seen": int(lengths.sum()),
                "problems": list(document.problems),
            }

    def finish(self) -> dict[str, Any]:
        """Write the signatures; the counts."""
        if self._signer is not None:
            with part("sign"):
                self._counts["left alone"] = self._signer.write(self._work)
        self._counts["documents"] = self._documents.count
        return dict(self._counts)


class _Step(part):
    """A step of the work on a page, which fails the page at this stage. ``name``: of the part whose time is measured."""

    def __init__(self, stage: str, name: str | None = None) -> None:
        super().__init__(name or stage)
        self._stage = stage

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        if isinstance(error[1], Exception):  # one page must not end the run
            raise _FailedError(self._stage, message(error[1])) from error[1]


def _document(source: Source, model: SiteModel | None) -> Document:
    with _Step("read"):
        served = source.read()
    with _Step("parse"):
        tree, encoding = parse_decoded(served.html, content_type=served.content_type)
    with _Step("clean", "select"):
        return Document.of(tree, select(tree, model=model), url=served.url, encoding=encoding)


def _dropped(document: Document) -> Iterator[tuple[str, str]]:
    """The text that was dropped, by reason, a line a block."""
    selection, tree = document.selection, document.tree
    gone = (~selection.keep[tree.text_nodes]).nonzero()[0]
    reason = selection.reason[tree.text_nodes[gone]]
    order = reason.argsort(kind="stable")
    gone, reason = gone[order], reason[order]
    starts = line_starts(tree, gone, reason)
    for number, group in groupby(zip(reason[starts].tolist(), lines(tree, gone, starts), strict=True), itemgetter(0)):
        text = "\n".join(filter(None, (text for _, text in group)))
        if text:
            yield selection.reasons[number], text


def _record_rows(document: Document, number: int, site: str) -> Iterator[dict[str, Any]]:
    """The rows of :data:`tamis.corpus.tables.RECORDS` of a page: its lists (results, products, posts, entries), but not the template's."""
    from tamis.records.finding import find_records

    kept = 0
    for region in find_records(document.tree, url=document.url).regions:
        if len(region) < FEWEST or _is_template(region, document):
            continue
        table = region.table
        filled = sorted(sum(value is not None for value in row) for row in table.rows)
        if filled[len(filled) // 2] < FEWEST_FIELDS:
            continue
        place = region.css
        for record, values in enumerate(table.records()):
            row = {"id": number, "url": document.url, "site": site, "region": kept, "place": place, "record": record}
            yield {**row, "values": json.dumps(values, ensure_ascii=False).encode("utf-8", "replace").decode()}
        kept += 1


def _is_template(region: Region, document: Document) -> bool:
    selection, lengths = document.selection, document.tree.text_length
    own = np.zeros(len(lengths), dtype=np.bool_)
    for spans in region.spans:
        for first, after in spans:
            own[first:after] = True
    template = own & ~selection.keep & selection.rests_on(Cause.TEMPLATE)
    return int(lengths[template].sum()) > MOST_TEMPLATE * max(int(lengths[own].sum()), 1)
