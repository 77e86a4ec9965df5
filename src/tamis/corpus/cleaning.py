"""Second pass: every page cleaned with the template of its site, or by itself where there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from tamis.content.attenuation import Attenuation
from tamis.corpus.pages import open_shard
from tamis.corpus.tables import DOCUMENTS, DROPPED, FAILURES, Writer
from tamis.corpus.tasks import Work
from tamis.corpus.templates import Shelf
from tamis.document import Document
from tamis.errors import TamisError
from tamis.extraction import extract
from tamis.metadata import Metadata
from tamis.pages import Source
from tamis.parsing import parse_decoded
from tamis.render.text import lines
from tamis.site.model import SiteModel
from tamis.site.sites import site_of

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
    """The task: ``documents.parquet``, ``dropped.parquet``, ``failures.parquet``."""
    needs = work.task.needs
    shelf = Shelf([work.root / file for file in needs["models"]])
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        documents, dropped, failures = (
            stack.enter_context(Writer(work.path(f"{name}.parquet"), columns))
            for name, columns in (("documents", DOCUMENTS), ("dropped", DROPPED), ("failures", FAILURES))
        )
        only = set(needs["only"]) if "only" in needs else None
        for position, source in enumerate(open_shard(work) if only is None or only else ()):
            if only is not None and position not in only:
                continue
            number = identity(work.task.number, position)
            site = site_of(source)
            counts["pages"] += 1
            try:
                if (lost := work.lost.get(position)) is not None:
                    raise _FailedError(lost.stage, lost.reason)
                work.note(position)
                document = _clean(source, shelf.get(site))
                row = _row(number, source, site, document, markdown=needs["markdown"], metadata=needs["metadata"])
            except _FailedError as failure:
                failures.add(_failure(number, source, site, failure))
                counts["failed"] += 1
                continue
            counts["kept characters"] += row["kept"]
            counts["seen characters"] += row["seen"]
            counts["by template"] += row["method"] == "site"
            if needs["dropped"]:
                for reason, text in _dropped(document):
                    dropped.add({"id": number, "reason": reason, "text": text})
            if row["text"]:
                documents.add(row)
            else:
                failures.add(_failure(number, source, site, _FailedError(NO_TEXT, "; ".join(document.problems) or "no main text")))
                counts["empty"] += 1
        counts["documents"] = documents.count
    return dict(counts)


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
        document = extract(tree, url=served.url, method=Attenuation()) if model is None else model.clean(tree, url=served.url)
        return replace(document, encoding=encoding)
    except TamisError as error:
        raise _FailedError(stage, str(error)) from error
    except MemoryError as error:
        raise _FailedError(stage, "not enough memory for this page") from error
    except Exception as error:  # one page must not end the run
        raise _FailedError(stage, f"{type(error).__name__}: {error}") from error


def _row(number: int, source: Source, site: str, document: Document, *, markdown: bool, metadata: bool) -> dict[str, Any]:
    lengths = document.tree.text_length
    try:
        about = document.metadata if metadata else Metadata()
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
        raise _FailedError("render", f"{type(error).__name__}: {error}") from error


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
