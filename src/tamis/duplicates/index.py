"""DuplicateIndex: documents that later ones are compared with, on disk or in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

from tamis.duplicates.candidates import batch, search
from tamis.duplicates.clusters import Clusters, Deduplication
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.finding import update_store
from tamis.duplicates.intake import Progress, signed
from tamis.duplicates.rule import DuplicateEvidence, DuplicateRule, matches
from tamis.duplicates.signature import Signature, signature
from tamis.duplicates.store import Fate, Row, Store
from tamis.errors import UsageError


@dataclass(frozen=True, slots=True)
class Match:
    """A document of the index that is the same as the one asked for."""

    id: str
    url: str | None
    evidence: DuplicateEvidence  #: Of the document asked for to this one.


class DuplicateIndex:
    """An index of documents that others are compared with: complete, incremental, and safe if the process is killed.

    On disk it is a folder (LMDB). One process writes at a time, any number read at the same time, each seeing the state at which
    its question began. Every batch of documents is one transaction: after a crash the index holds all of a batch or nothing of it, and the
    same call again goes on where it stopped, since documents are known by id. An object is for one thread.

    Args:
        path: a folder; None: in memory.
        rule: what counts as the same; None: that of the folder, or the default. It is fixed when the folder is made.
        readonly: only query.

    Raises:
        ModelError: the folder holds no index that this tamis can read.
        UsageError: the folder was made by another rule.
        MissingExtraError: an index on disk needs the extra ``dedup``.

    >>> text = "The ferry to the islands runs again from Monday on, the harbour office says. It leaves at eight and at noon, is "
    >>> text += "back at four and at nine. Tickets are sold at the quay, and on board for those who come late; dogs travel free."
    >>> with DuplicateIndex() as index:
    ...     index.add([TextDocument("monday", text)])
    ...     [(match.id, match.evidence.relation) for match in index.matches(text + " So it was said.")]
    1
    [('monday', 'near')]
    """

    def __init__(self, path: str | PathLike[str] | None = None, rule: DuplicateRule | None = None, *, readonly: bool = False) -> None:
        self._store: Store
        if path is None:
            self.rule = rule or DuplicateRule()
            self._store = Store(self.rule.signature)
        else:
            from tamis.duplicates.lmdb_store import LmdbStore

            on_disk = LmdbStore(Path(path), rule, readonly=readonly)
            self.rule, self._store = on_disk.rule, on_disk
        self._readonly = readonly

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __len__(self) -> int:
        return self._store.documents

    def __contains__(self, id: str) -> bool:
        return self.fate(id) is not None

    def fate(self, id: str) -> Fate | None:
        """Return the fate of a document: kept, left alone, or removed as a copy of another; None for an unknown id."""
        with self._store.reading():
            return self._store.fate(id)

    def matches(self, document: TextDocument | str) -> list[Match]:
        """Return every document of the index that the rule accepts for this one, and no other, in the order they came in.

        A document with the same id is not among them. A text that says too little has none.
        """
        text, id = (document, None) if isinstance(document, str) else (document.text, document.id)
        made = signature(text, self.rule.signature)
        if not self.rule.has_enough(made):
            return []
        with self._store.reading():
            postings, store = self._store.postings(), self._store
            found: dict[int, DuplicateEvidence] = {}
            for pairs in search(batch([made], self.rule), postings):
                found.update(matches(made, pairs.row, postings.sizes(pairs.row), store.shingles, store.signature, self.rule))
            rows = [(store.row(row), evidence) for row, evidence in sorted(found.items())]
        return [Match(row.id, row.url, evidence) for row, evidence in rows if row.id != id]

    def add(self, documents: Iterable[TextDocument], *, workers: int = 1) -> int:
        """Put documents into the index, copies too; how many were put in.

        A document whose id is known by the same text changes nothing; by another text, it replaces the one before.
        """
        self._must_write()
        count = 0
        for portion in signed(documents, self.rule.signature, workers):
            with self._store.writing():
                count += self._add_batch(portion)
        return count

    def _add_batch(self, portion: list[tuple[TextDocument, Signature]]) -> int:
        new: dict[str, tuple[Row, Signature]] = {}
        for document, made in portion:
            fate = self._store.fate(document.id)
            if fate is not None and fate.digest == made.digest and fate.status != "removed":
                new.pop(document.id, None)
                continue
            new[document.id] = (Row(document.id, document.url, None), made)
        for id in new:
            self._store.forget(id)
        first = self._store.rows
        fates = [(id, Fate("kept", made.digest, first + place)) for place, (id, (_, made)) in enumerate(new.items())]
        self._store.add(list(new.values()), self.rule, fates)
        return len(new)

    def update(
        self,
        documents: Iterable[TextDocument],
        settings: Deduplication | None = None,
        *,
        workers: int = 1,
        progress: Progress | None = None,
    ) -> Clusters:
        """Find the copies among documents and of those in the index; the rest comes into the index.

        Documents of earlier runs go before those of this one, whatever the order of keeping. A document whose id is known by the same
        text is reported as it was decided then; by another text, it is decided anew, and the copies of the text before still name its id.

        Raises:
            UsageError: the settings have another rule than the index.
        """
        self._must_write()
        settings = settings or Deduplication(rule=self.rule)
        if settings.rule != self.rule:
            raise UsageError("the rule of an index is fixed when it is made; use Deduplication(rule=index.rule)")
        return update_store(self._store, documents, settings, workers=workers, progress=progress)

    def close(self) -> None:
        """Let go of files. What was put in is safe already."""
        self._store.close()

    def _must_write(self) -> None:
        if self._readonly:
            raise UsageError("the index was opened to be read only")
