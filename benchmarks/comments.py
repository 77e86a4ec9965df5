"""Comments apart: how well visitors' comments are found, and how far they are left out of the main text.

Gold: single pages (``gold.jsonl.gz``) with a field ``comments``. What is found is compared as multisets of words.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import tamis
from benchmarks.gold import spread
from benchmarks.metric import compare, content_lost, unit_of
from benchmarks.timing import Progress, unseen
from tamis.errors import SourceError
from tamis.page.decode import decode
from tamis.page.parsing import read_file


@dataclass(frozen=True, slots=True)
class CommentScore:
    """One folder."""

    name: str
    pages: int
    """Pages whose gold has comments."""
    f1: float
    """Of the comments' text, names included, mean over these pages."""
    missed: int
    """Of these pages those where no comment is found."""
    left_in: float
    """Share of the gold comments' words that the main text holds beyond the gold main text, mean over these pages."""
    main_f1: float
    """Of the main text of all pages, comments left out."""
    main_f1_with: float
    """The same with ``extract(comments=True)``."""


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    scores: tuple[CommentScore, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"bench": "comments", "folders": [asdict(score) for score in self.scores]}


def run(folders: Sequence[Path], *, limit: int | None = None, progress: Progress = unseen) -> Result:
    """Score folders of single pages.

    Args:
        folders: each with a ``gold.jsonl.gz`` whose records have ``comments``.
        limit: at most so many pages of each, spread evenly.
        progress: called after each page with pages done, of how many.

    Raises:
        SourceError: a folder has no gold.
    """
    return Result(tuple(_score(folder.resolve(), limit, progress) for folder in folders))


def _score(folder: Path, limit: int | None, progress: Progress) -> CommentScore:
    gold = folder / "gold.jsonl.gz"
    if not gold.is_file():
        raise SourceError(f"no gold in {folder}: it needs a gold.jsonl.gz")
    records = [json.loads(line) for line in gzip.decompress(gold.read_bytes()).decode("utf-8").split("\n") if line.strip()]
    chosen = [records[k] for k in spread(len(records), limit)]
    found, left, main, main_with = [], [], [], []
    for k, record in enumerate(chosen):
        tree = tamis.parse(decode(read_file(folder / "html" / f"{record['id']}.html.gz")))
        document, kept = tamis.extract(tree), tamis.extract(tree, comments=True)
        wanted, body = (record.get("comments") or "").strip(), record["main_content"] or ""
        unit = unit_of(record.get("language"), body)
        main.append(compare(document.text, body, unit=unit).f1)
        main_with.append(compare(kept.text, body, unit=unit).f1)
        if wanted:
            text = "\n".join(f"{comment.author or ''}\n{comment.text}" for comment in document.comments)
            found.append(compare(text, wanted, unit=unit).f1 if text else 0.0)
            before, after = (content_lost(each, wanted, unit) or 0.0 for each in (body, f"{body}\n{document.text}"))
            left.append(max(before - after, 0.0))
        progress(k + 1, len(chosen))
    return CommentScore(
        name=folder.name,
        pages=len(found),
        f1=_mean(found),
        missed=sum(value == 0 for value in found),
        left_in=_mean(left),
        main_f1=_mean(main),
        main_f1_with=_mean(main_with),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
