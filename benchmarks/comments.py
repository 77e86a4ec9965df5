"""Comments apart: how well visitors' comments are found, and how far they are left out of the main text.

Gold: single pages with a field ``comments``, and sites with a selector for them. What is found is compared as multisets of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import tamis
from benchmarks.command import Folders, Limit, bench
from benchmarks.gold import read_gold
from benchmarks.metric import compare, noise_removed
from benchmarks.report import Report, Table
from benchmarks.timing import Progress, unseen

LEAST_AREA = 250  #: Characters of an area on a page of a site; one with less may hold no comment but words such as "no comments yet".


@dataclass(frozen=True, slots=True)
class CommentScore:
    """One folder."""

    name: str
    pages: int  #: Pages whose gold has comments.
    f1: float  #: Of the comments' text, names included, mean over these pages.
    missed: int  #: Of these pages those where no comment is found.
    left_in: float  #: Share of the gold comments that the main text holds beyond the gold main text, mean over these pages.
    claimed: int  #: Pages whose gold has no comments where some are found.
    others: int  #: Pages whose gold has no comments.
    main_f1: float  #: Of the main text of all pages, comments left out.
    main_f1_with: float  #: The same with ``extract(comments=True)``.


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    scores: tuple[CommentScore, ...]

    @property
    def total(self) -> CommentScore:
        """All folders as one: every page counts the same."""
        with_gold, all_pages = [score.pages for score in self.scores], [score.pages + score.others for score in self.scores]
        return CommentScore(
            name="all",
            pages=sum(with_gold),
            f1=_mean([score.f1 for score in self.scores], with_gold),
            missed=sum(score.missed for score in self.scores),
            left_in=_mean([score.left_in for score in self.scores], with_gold),
            claimed=sum(score.claimed for score in self.scores),
            others=sum(score.others for score in self.scores),
            main_f1=_mean([score.main_f1 for score in self.scores], all_pages),
            main_f1_with=_mean([score.main_f1_with for score in self.scores], all_pages),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"folders": [asdict(score) for score in self.scores], "all": asdict(self.total)}


def run(folders: Folders, *, limit: Limit = None, progress: Progress = unseen) -> Result:
    """How well visitors' comments are found and kept out of the main text."""
    return Result(tuple(_score(folder.resolve(), limit, progress) for folder in folders))


def _score(folder: Path, limit: int | None, progress: Progress) -> CommentScore:
    pages = read_gold(folder, limit)
    found, left, claimed, main, main_with = [], [], [], [], []
    for k, page in enumerate(pages):
        tree = tamis.parse(page.html())
        document, kept = tamis.extract(tree), tamis.extract(tree, comments=True)
        main.append(page.score(document.text).f1)
        main_with.append(page.score(kept.text).f1)
        wanted = page.comments.strip()
        if not wanted:
            claimed.append(bool(document.comments))
        elif page.noise is None or len(wanted) >= LEAST_AREA:
            text = "\n".join(f"{comment.author or ''}\n{comment.text}" for comment in document.comments)
            found.append(compare(text, wanted, unit=page.unit).f1)
            optional = page.ignored if page.noise is None else ""  # on sites this holds the comments, too
            left.append(1 - (noise_removed(document.text, page.main, wanted, ignored=optional, unit=page.unit) or 0.0))
        progress(k + 1, len(pages))
    return CommentScore(
        name=folder.name,
        pages=len(found),
        f1=_mean(found),
        missed=sum(value == 0 for value in found),
        left_in=_mean(left),
        claimed=sum(claimed),
        others=len(claimed),
        main_f1=_mean(main),
        main_f1_with=_mean(main_with),
    )


def _mean(values: Sequence[float], counts: Sequence[int] | None = None) -> float:
    """The mean of some values, of which each stands for so many pages."""
    return fmean(values, counts) if values and (counts is None or any(counts)) else 0.0


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """One row a folder, and one for all of them."""
    columns = (
        "folder; pages with comments; F1 of comments|.3f; none found; left in text|.1%; pages without; some found; "
        "F1 of main text|.3f; with comments|.3f"
    )
    scores = result.scores if len(result.scores) == 1 else (*result.scores, result.total)
    rows = [(s.name, s.pages, s.f1, s.missed, s.left_in, s.others, s.claimed, s.main_f1, s.main_f1_with) for s in scores]
    return Report([Table("visitors' comments", columns, rows)])


command = bench(run, report, "pages")
