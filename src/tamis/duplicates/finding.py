"""find_duplicates: copies among documents, with or without an index of earlier ones."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, replace

from tamis.duplicates.assignment import Decision, assign
from tamis.duplicates.canonical import PARTS, page_itself
from tamis.duplicates.clusters import Cluster, Clusters, Deduplication, Member
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.intake import Intake, Progress, signed
from tamis.duplicates.rule import DuplicateEvidence
from tamis.duplicates.signature import Signature
from tamis.duplicates.store import Fate, Row, Store


def find_duplicates(
    documents: Iterable[TextDocument], settings: Deduplication = Deduplication(), *, workers: int = 1, progress: Progress | None = None
) -> Clusters:
    """Find the copies among documents, and what to keep.

    Args:
        documents: any number; taken once, in any order, without keeping their texts.
        settings: what counts as a copy, and which of several is kept.
        workers: threads that make signatures.
        progress: called with the number of documents decided on.

    Returns:
        The clusters: the same for any order of the documents, and any number of workers.

    Raises:
        UsageError: two documents with different texts have the same id.
        MissingExtraError: documents have addresses, or Chinese texts, and the extra ``dedup`` is not installed.

    >>> text = "The ferry to the islands runs again from Monday on, the harbour office says. It leaves at eight and at noon. " * 2
    >>> text += "Tickets are sold at the quay, and on board for those who come late; dogs and bicycles travel free of charge."
    >>> found = find_duplicates([TextDocument("a", text), TextDocument("b", text.upper()), TextDocument("c", "Page not found")])
    >>> found.kept_for(), found.left_alone
    ({'b': 'a'}, ('c',))
    """
    by_length = settings.survivor == "longest"
    with closing(Store(settings.rule.signature, rows_are_longer=by_length)) as store:
        return update_store(store, documents, settings, workers=workers, progress=progress, canonical_links=by_length)


def update_store(
    store: Store,
    documents: Iterable[TextDocument],
    settings: Deduplication,
    *,
    workers: int = 1,
    progress: Progress | None = None,
    canonical_links: bool = False,
) -> Clusters:
    """Decide on documents against a store and each other, and keep in the store what is kept. ``canonical_links``: whether they choose
    what is said to be kept of a cluster (:func:`~tamis.duplicates.canonical.page_itself`)."""
    with closing(Intake(settings)) as intake:
        run = _Run(store, settings, intake, canonical_links=canonical_links)
        for portion in signed(documents, settings.rule.signature, workers):
            run.take_in(portion)
        return run.decide(progress)


class _Run:
    """Documents against a store."""

    def __init__(self, store: Store, settings: Deduplication, intake: Intake, *, canonical_links: bool) -> None:
        self._store, self._settings, self._intake, self._canonical_links = store, settings, intake, canonical_links
        self._pages: dict[str, tuple[str | None, str | None]] = {}  #: Of each id the address, and the one that it states as canonical.
        self._replaced: dict[str, int | None] = {}
        self._decided: dict[str, tuple[Fate, str | None]] = {}  #: Fate of each id, and its address.
        self._crowded: list[str] = []

    def take_in(self, portion: list[tuple[TextDocument, Signature]]) -> None:
        """Take in documents; those with a known id and the same text need no decision."""
        with self._store.reading():
            for document, made in portion:
                if self._canonical_links and document.url:
                    self._pages[document.id] = document.url, document.canonical
                fate = self._store.fate(document.id)
                if fate is not None and fate.digest == made.digest:
                    self._decided[document.id] = (fate, document.url)
                    continue
                if fate is not None:
                    self._replaced[document.id] = fate.row
                self._intake.add(document, made)

    def decide(self, progress: Progress | None) -> Clusters:
        """Decide on all documents, a batch at a time."""
        done = len(self._decided)
        for waiting in self._intake.batches():
            with self._store.writing():
                self._decide_batch(waiting)
            done += len(waiting)
            if progress is not None:
                progress(done)
        return self._clusters()

    def _decide_batch(self, waiting: list[tuple[Row, Signature]]) -> None:
        hidden = {row for row in self._replaced.values() if row is not None}
        decisions = assign(waiting, self._store, self._settings, hidden)
        kept: list[tuple[Row, Signature]] = []
        fates: list[tuple[str, Fate]] = []
        first = self._store.rows
        for (row, made), decision in zip(waiting, decisions, strict=True):
            if row.id in self._replaced:
                self._store.forget(row.id)
                del self._replaced[row.id]
            is_row = decision.copy_of is None and made.letters > 0
            fates.append((row.id, _fate(decision, made, first + len(kept) if is_row else None)))
            self._decided[row.id] = (fates[-1][1], row.url)
            if is_row:
                kept.append((row, made))
            if decision.crowded:
                self._crowded.append(row.id)
        self._store.add(kept, self._settings.rule, fates)

    def _clusters(self) -> Clusters:
        members: dict[str, list[Member]] = {}
        addresses: dict[str, str | None] = {}
        for id, (fate, url) in self._decided.items():
            if (copy := fate.member) is not None:
                evidence = DuplicateEvidence(**copy["evidence"]) if copy["evidence"] is not None else None
                members.setdefault(copy["of"], []).append(Member(id, copy["likeness"], evidence, url))
                addresses[copy["of"]] = copy["url"]
        survivors = {id for id, (fate, _) in self._decided.items() if fate.member is None}
        clusters = []
        for kept, copies in members.items():
            whole = [kept, *(member.id for member in copies if member.likeness not in PARTS)]
            page, url = page_itself(kept, [(id, *self._pages.get(id, (None, None))) for id in whole]), addresses[kept]
            for number, member in enumerate(copies):
                if member.id == page:  # the two change places
                    copies[number], url = replace(member, id=kept, url=url), member.url
            if page != kept:
                survivors ^= {kept, page}
            clusters.append(Cluster(page, tuple(sorted(copies, key=lambda member: member.id)), url, kept not in self._decided))
        left_alone = sorted(id for id, (fate, _) in self._decided.items() if fate.status == "left alone")
        clusters.sort(key=lambda cluster: cluster.kept)
        return Clusters(tuple(clusters), tuple(sorted(survivors)), tuple(left_alone), tuple(sorted(self._crowded)))


def _fate(decision: Decision, made: Signature, row: int | None) -> Fate:
    if decision.copy_of is not None:
        evidence = None if decision.evidence is None else asdict(decision.evidence)
        member = {"of": decision.copy_of, "likeness": decision.likeness, "evidence": evidence, "url": decision.url}
        return Fate("removed", made.digest, None, member)
    return Fate("left alone" if decision.left_alone else "kept", made.digest, row)
