"""Pages cleaned with the template of their site, or without one.

The first stage reads every page of a shard once. Pages of a site with a stored template (:mod:`tamis.corpus.model_store`) are cleaned at
once; the others are spooled for later stages, with the hash of their address: those with the smallest hashes are learned from.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.content.node_model import WITH_SITE
from tamis.corpus.deduplication import Signer
from tamis.corpus.models import SiteModels, models_in
from tamis.corpus.page_steps import FailedPageError, PageStep, characters, document_of, unwanted
from tamis.corpus.previous_run import fingerprint, previous_results
from tamis.corpus.spool import Spool, may_pass, open_shard, spooled_pages
from tamis.corpus.tables import DOCUMENTS, DROPPED, FAILURES, LEFT_OUT, NO_TEXT, RECORDS, RESULTS, SITES, UNWANTED, Writer, identity
from tamis.corpus.tasks import Work
from tamis.corpus.templates import Digests
from tamis.document.detection import as_columns
from tamis.document.document import Document
from tamis.document.metadata import Metadata, read_metadata
from tamis.document.render.text import line_starts, made_of
from tamis.document.selection import Cause
from tamis.io.addresses import Patterns
from tamis.io.pages import Served, Source
from tamis.page.stopwatch import timed
from tamis.site.sites import refused, site_of
from tamis.structure.hashing import text_hash

if TYPE_CHECKING:
    from tamis.records.finding import Region

FEWEST = 3  #: records of a list
MOST_TEMPLATE = 0.5  #: if more of a list's characters belong to the template, the list is part of it: a menu
FEWEST_FIELDS = 2  #: fields that at least half of the records of a list have: records of one field are lines of running text, or of code
METADATA = ("canonical_url", "title", "author", "date", "site_name", "language")  #: metadata that a row has


def read_shard(work: Work) -> Mapping[str, Any]:
    """Run the task: write ``pages.parquet`` and ``spool.bin`` (:mod:`tamis.corpus.spool`). If templates are stored, also what :func:`clean`
    writes, ``digests.parquet``, and ``sites.parquet``, which counts the pages of sites with a template."""
    known_files, config = work.task.needs["known"], work.config
    models = models_in(tuple(work.root / file for file in known_files))
    every: set[str] = set()
    seen: Counter[str] = Counter()
    known: Counter[str] = Counter()
    counts = Counter(pages=0)
    example = ""
    patterns = Patterns(config.include, config.exclude) if config.include or config.exclude else None
    with ExitStack() as stack:
        spool = stack.enter_context(Spool(work, keep=config.spool))
        cleaner = Cleaner(work, models, stack) if known_files else None
        digests = stack.enter_context(Digests(work)) if known_files else None
        for position, source in open_shard(work):
            if patterns is not None and (address := refused(source, patterns)) is not None:
                counts[LEFT_OUT] += 1
                example = example or address
                continue
            counts["pages"] += 1
            site, drawn = site_of(source), text_hash(source.url or source.name)
            every.add(site)
            if cleaner is not None and digests is not None and site in models and position not in work.lost:
                seen[site] += 1
                if cleaner.clean_known(cleaner.page(position, source, site), digests, drawn):
                    known[site] += 1
                    continue
            spool.add(position, source, site, drawn)
        if known_files:
            with Writer(work.path("sites.parquet"), SITES) as writer:
                for site in sorted(seen):
                    writer.add({"site": site, "pages": seen[site], "known": known[site]})
        found = cleaner.finish() if cleaner is not None else {}
    hosts = digests.hosts if digests is not None else {}
    return {**found, **counts, "sites": len(every), "hosts": hosts, "spooled bytes": spool.size, "for example": example}


def clean(work: Work) -> Mapping[str, Any]:
    """Run the task: write ``documents.parquet``, ``dropped.parquet``, ``failures.parquet``, ``results.parquet``
    (:mod:`tamis.corpus.previous_run`); ``keys.parquet`` and ``signatures.bin`` (:mod:`tamis.corpus.deduplication`) and ``records.parquet``
    where they are asked for."""
    needs = work.task.needs
    models = models_in(tuple(work.root / file for file in needs["models"]))
    with ExitStack() as stack:
        cleaner = Cleaner(work, models, stack)
        for position, source, site in spooled_pages(work, set(needs["only"]) if "only" in needs else None):
            cleaner.clean(cleaner.page(position, source, site), work.lost.get(position))
        return cleaner.finish()


@dataclass(slots=True)
class _Page:
    """A page under work."""

    id: int
    source: Source
    site: str
    fingerprint: bytes = b""  #: once it is read (:func:`tamis.corpus.previous_run.fingerprint`)


class Cleaner:
    """Cleans the pages of a task and writes the results. ``stack`` closes the files."""

    def __init__(self, work: Work, models: SiteModels, stack: ExitStack) -> None:
        def table(name: str, columns: Mapping[str, str]) -> Writer:
            return stack.enter_context(Writer(work.path(f"{name}.parquet"), columns))

        config, earlier = work.config, work.task.needs["earlier"]
        self._config = config
        self._work = work
        self._models = models
        self._earlier = previous_results(*(work.root / file for file in earlier)) if earlier else None
        self._documents = table("documents", DOCUMENTS)
        self._failures = table("failures", FAILURES)
        self._dropped = table("dropped", DROPPED)
        self._results = table("results", RESULTS)
        self._languages = frozenset(config.languages)
        self._records = table("records", RECORDS) if config.records else None
        self._signer = Signer() if config.duplicates else None
        self._counts: Counter[str] = Counter()

    def page(self, position: int, source: Source, site: str) -> _Page:
        """Return a page of the task."""
        return _Page(identity(self._work.task.number, position), source, site)

    def clean(self, page: _Page, lost: str | None) -> None:
        """Clean a page, or record why it failed. ``lost``: why it killed an earlier attempt."""
        self._counts["pages"] += 1
        try:
            if lost is not None:
                raise FailedPageError(self._work.task.stage, lost, lost=True)
            served = self._served(page)
            if not self._is_unchanged(page):
                self._add(page, document_of(served, self._models.get(page.site), method=self._config.method))
        except FailedPageError as failure:
            self._fail(page, failure)

    def clean_known(self, page: _Page, digests: Digests, drawn: int) -> bool:
        """Clean a page with a stored template, and digest it if it is in the sample of its site. Whether the page is done: a later stage
        cleans pages that the template does not know, that fail or have no text."""
        try:
            served, wanted = self._served(page), digests.wants(page.site, drawn)
            if self._is_unchanged(page):
                if wanted:
                    digests.add(page.site, drawn, None)
                return True
            document = document_of(served, self._models.get(page.site), method=self._config.method)
            if wanted:
                with PageStep("digest"):
                    digests.add(page.site, drawn, document.tree, served.url)
            if document.selection.method != WITH_SITE or not document.text:
                return False
            self._add(page, document)
        except FailedPageError as failure:
            if failure.stage not in UNWANTED:
                return False
            self._fail(page, failure)
        return True

    def _served(self, page: _Page) -> Served:
        with PageStep("read"):
            served = page.source.read()
            page.fingerprint = fingerprint(served, self._models.state(page.site))
            return served

    def _is_unchanged(self, page: _Page) -> bool:
        """Return whether an earlier run had the same page; its results are then written."""
        if self._earlier is None:
            return False
        with timed("reuse"):
            found = self._earlier.get(page.fingerprint)
        if found is None:
            return False
        own = {"id": page.id, "site": page.site}
        for failure in found["failures"]:
            self._fail(page, FailedPageError(failure["stage"], failure["reason"]))
        for document in found["documents"]:
            row = {**document, **own, "source": page.source.name}
            self._write(row, [{**each, **own} for each in found["dropped"]], [{**each, **own} for each in found.get("records", ())])
        self._keep(page)
        self._counts["unchanged"] += 1
        return True

    def _keep(self, page: _Page) -> None:
        self._results.add({"id": page.id, "fingerprint": page.fingerprint})

    def _fail(self, page: _Page, failure: FailedPageError) -> None:
        about = {"source": page.source.name, "url": page.source.url, "site": page.site, "stage": failure.stage, "reason": failure.reason}
        self._failures.add({"id": page.id, **about})
        self._counts[{NO_TEXT: "empty", **UNWANTED}.get(failure.stage, "failed")] += 1
        if failure.lost or may_pass(failure.__cause__ or failure, page.source):
            self._counts["to retry"] += 1

    def _add(self, page: _Page, document: Document) -> None:
        """Write a cleaned page, or nothing of it. Raises FailedPageError if it has no main text, is not wanted, or a step fails."""
        row = self._row(page, document)
        with PageStep("filter", "filter"):
            left_out = unwanted(document, self._languages, self._config.quality, self._config.filters)
        if left_out is not None:
            self._keep(page)
            raise FailedPageError(*left_out)
        with PageStep("render", "dropped"):
            dropped = list(_dropped_rows(document, page.id)) if self._config.dropped else []
        with PageStep("records"):
            records = list(_record_rows(document, page)) if self._records is not None else []
        self._write(row, dropped, records)
        if not row["text"]:
            raise FailedPageError(NO_TEXT, "; ".join(document.problems) or "no main text")
        self._keep(page)

    def _write(self, row: Mapping[str, Any], dropped: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]]) -> None:
        """Write the rows of a page. Raises FailedPageError if its text cannot be signed."""
        with PageStep("signature", "sign"):
            if self._signer is not None and row["text"]:
                self._signer.add(row)
        with timed("write"):
            for each in dropped:
                self._dropped.add(each)
            for record in records:
                self._records.add(record)  # type: ignore[union-attr]  # there are none if they are not asked for
            self._counts["kept characters"] += row["kept"]
            self._counts["seen characters"] += row["seen"]
            self._counts["by template"] += row["method"] == WITH_SITE
            if row["text"]:
                self._documents.add(row)

    def _row(self, page: _Page, document: Document) -> dict[str, Any]:
        with PageStep("render", "metadata"):
            about = Metadata()
            if self._config.metadata:  # Markdown needs all of it
                about = document.metadata if self._config.with_markdown else read_metadata(document.tree, document.url, METADATA)
        with PageStep("render"):
            kept, seen = characters(document)
            return {
                "id": page.id,
                "source": page.source.name,
                "url": document.url,
                "site": page.site,
                **{name: getattr(about, name) for name in METADATA},
                **as_columns(document.detected_language if self._config.detects_language else None),
                "text": document.text,
                "markdown": document.markdown if self._config.with_markdown else None,
                "method": document.selection.method,
                "kept": kept,
                "seen": seen,
                "problems": list(document.problems),
            }

    def finish(self) -> dict[str, Any]:
        """Write the signatures; the counts."""
        if self._signer is not None:
            with timed("sign"):
                self._counts["left alone"] = self._signer.write(self._work)
        self._counts["documents"] = self._documents.count
        return dict(self._counts)


_NUMBERS = re.compile(r" \(\d+ of \d+\)$")  # at the end of a reason


def _dropped_rows(document: Document, id: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of :data:`tamis.corpus.tables.DROPPED` of a page: the text that was dropped, by reason, a line a block."""
    selection, tree = document.selection, document.tree
    gone = (~selection.keep[tree.text_nodes]).nonzero()[0]
    said = [_NUMBERS.sub("", words) for words in selection.reasons]  # one row for a reason, whatever number follows it
    same = np.array([said.index(words) for words in said], dtype=np.uint8)
    reason = same[selection.reason[tree.text_nodes[gone]]]
    order = reason.argsort(kind="stable")
    gone, reason = gone[order], reason[order]
    starts = line_starts(tree, gone, reason)
    for number, group in groupby(zip(reason[starts].tolist(), made_of(tree.texts, gone, starts), strict=True), itemgetter(0)):
        text = "\n".join(filter(None, (text for _, text in group)))
        if text:
            yield {"id": id, "reason": said[number], "text": text}


def _record_rows(document: Document, page: _Page) -> Iterator[dict[str, Any]]:
    """Yield the rows of :data:`tamis.corpus.tables.RECORDS` of a page: its lists (results, products, posts), not the template's."""
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
            row = {"id": page.id, "url": document.url, "site": page.site, "region": kept, "place": place, "record": record}
            yield {**row, "values": json.dumps(values, ensure_ascii=False).encode("utf-8", "replace").decode()}
        kept += 1


def _is_template(region: Region, document: Document) -> bool:
    selection, lengths = document.selection, document.tree.text_length
    own = np.zeros(len(lengths), dtype=np.bool_)
    for first, after in region.spans:
        own[first:after] = True
    template = own & ~selection.keep & selection.rests_on(Cause.TEMPLATE)
    return int(lengths[template].sum()) > MOST_TEMPLATE * max(int(lengths[own].sum()), 1)
