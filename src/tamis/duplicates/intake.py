"""Incoming documents: their signatures, each id once, sorted by which document is to be kept first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from tamis.duplicates.clusters import Deduplication, Survivor
from tamis.duplicates.documents import TextDocument, badness, instant
from tamis.duplicates.signature import Signature, SignatureSettings, signature
from tamis.duplicates.spool import SignatureSpool
from tamis.duplicates.store import Row
from tamis.errors import UsageError
from tamis.io.addresses import canonical

BATCH = 4096  #: Documents that are decided on, and written, together.
_PORTION = 256  #: Documents whose signatures are made together.

MOST_LETTERS = 1 << 25  #: Letters of documents that are held at a time: no more are taken up beyond.

_ORDERS: dict[Survivor, tuple[int, ...]] = {"longest": (0, 1, 2), "earliest": (1, 0, 2), "best address": (2, 0, 1)}
"""By which of length, time and address documents are sorted first."""

Progress = Callable[[int], None]  #: Called with the number of documents that are done.

Signed = tuple[TextDocument, Signature]
T = TypeVar("T")


def portions(items: Iterable[T], size: int, letters: Callable[[T], int], most: int = 0) -> Iterator[list[T]]:
    """Yield items in lists of a size; shorter ones where they have ``most`` letters (0: :data:`MOST_LETTERS`), and at the end."""
    portion: list[T] = []
    weight = 0
    for item in items:
        portion.append(item)
        weight += letters(item)
        if len(portion) == size or weight >= (most or MOST_LETTERS):
            yield portion
            portion, weight = [], 0
    if portion:
        yield portion


def signed(documents: Iterable[TextDocument], settings: SignatureSettings, workers: int = 1) -> Iterator[list[Signed]]:
    """Yield documents and their signatures, in order, in batches; taken as they are needed, some ahead. ``workers``: threads."""
    if workers < 1:
        raise UsageError(f"workers must be 1 or more, not {workers}")
    return portions(_each_signed(documents, settings, workers), BATCH, lambda one: len(one[0].text))


def _each_signed(documents: Iterable[TextDocument], settings: SignatureSettings, workers: int) -> Iterator[Signed]:
    def work(portion: list[TextDocument]) -> list[Signed]:
        return [(document, signature(document.text, settings)) for document in portion]

    if workers == 1:
        for portion in portions(documents, _PORTION, _letters):
            yield from work(portion)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting = portions(documents, _PORTION, _letters)
        running = [pool.submit(work, portion) for portion in islice(waiting, workers + 1)]
        while running:
            done = running.pop(0).result()
            running += [pool.submit(work, portion) for portion in islice(waiting, 1)]
            yield from done


def _letters(document: TextDocument) -> int:
    if not isinstance(document, TextDocument):
        raise UsageError(f"documents are TextDocument(id, text), not {type(document).__name__}")
    return len(document.text)


class Intake:
    """Documents of one run, without their texts."""

    def __init__(self, settings: Deduplication) -> None:
        self._settings = settings
        self._spool = SignatureSpool(settings.rule.signature)
        self._rows: list[Row] = []
        self._times: list[float | None] = []
        self._lengths: list[int] = []
        self._numbers: dict[str, int] = {}
        self._digests: list[bytes] = []

    def add(self, document: TextDocument, made: Signature) -> None:
        """Take a document in.

        Raises:
            UsageError: there is another text by this id.
        """
        before = self._numbers.setdefault(document.id, len(self._rows))
        if before < len(self._rows):
            if self._digests[before] != made.digest:
                raise UsageError(f"two documents with different texts have the id {document.id!r}; an id names one document")
            return
        address = canonical(document.url) if document.url and self._settings.addresses else None
        self._rows.append(Row(document.id, document.url, address))
        self._times.append(instant(document.time))
        self._lengths.append(made.letters)
        self._digests.append(made.digest)
        self._spool.add(made)

    def batches(self) -> Iterator[list[tuple[Row, Signature]]]:
        """Yield all documents in batches, the one to be kept first at the beginning."""
        for portion in portions(sorted(range(len(self._rows)), key=self._rank), BATCH, self._lengths.__getitem__):
            yield [(self._rows[number], self._spool.get(number)) for number in portion]

    def close(self) -> None:
        """Let go of the temporary file."""
        self._spool.close()

    def _rank(self, number: int) -> tuple[object, ...]:
        """By what a document is sorted: the one that is kept first has the least."""
        moment = self._times[number]
        keys = (-self._lengths[number], float("inf") if moment is None else moment, badness(self._rows[number].url))
        return (*(keys[k] for k in _ORDERS[self._settings.survivor]), self._rows[number].id)
