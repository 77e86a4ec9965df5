"""The gate: whole documents, out of fold, on a fixed sample of all sets, against pinned scores.

No page is scored by weights that have seen its domain or site (``benchmarks/gate_weights``, :mod:`training.folds`). The sample is fixed, so
without a change of the code or the weights every score is the same, to the last page. A line fails where its mean falls by more than the
noise: two standard errors of the difference by pages (by sites, where pages are of sites), at least .0005, and at most .005, which is what
another seed of the training changes on one set.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any

import typer
from typer import Argument, Option

from benchmarks import content
from benchmarks.command import names, progress
from benchmarks.gate_lines import MEANING, Score, Task, measure, tasks
from benchmarks.report import Report, Table, show
from tamis.errors import SourceError, TamisError, UsageError
from training.folds import FoldWeights, read_folds

DATA = Path(__file__).parents[2] / "shared" / "data"
WEIGHTS = Path(__file__).with_name("gate_weights")
PINS = Path(__file__).with_name("gate_pins.json")
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "quality.md"
LEAST_NOISE, MOST_NOISE = 0.0005, 0.005
ERRORS = 2.0  #: Standard errors that count as noise.
STEPS = 1000  #: Scores are pinned in thousandths.
SHOWN = 20  #: Pages of a line that are listed.
TIMED, TOOLS = 60, ("tamis", "resiliparse")  #: Pages that are timed, and the tools that are; no time shuts the gate.
Pages = Mapping[str, int]
"""The score of each page, in thousandths."""
Pins = dict[str, Any]
"""By line: its ``score``, and those of its ``pages`` in thousandths, in the order of their names."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the gate: now, and as it was pinned."""

    name: str
    pages: Pages
    pinned: Sequence[int] | None
    """In the order of the pages' names; None where nothing is pinned, or other pages are."""

    @property
    def score(self) -> float:
        """The mean over pages; of sites, over a site's pages, then over sites."""
        return fmean(map(fmean, self._groups(list(self.pages.values()))))

    @property
    def change(self) -> float | None:
        """How much the score has changed since it was pinned; None where it is not pinned."""
        return None if self.pinned is None else fmean(self._differences())

    @property
    def noise(self) -> float:
        """The change that says nothing."""
        if self.pinned is None or len(differences := self._differences()) < 2:
            return LEAST_NOISE
        return min(max(ERRORS * stdev(differences) / sqrt(len(differences)), LEAST_NOISE), MOST_NOISE)

    @property
    def fell(self) -> bool:
        """Whether the score fell by more than the noise."""
        return self.change is not None and self.change < -self.noise

    def most_changed(self) -> list[tuple[str, float, float]]:
        """Return the pages that changed most: file, pinned score, score now."""
        both = zip(self.pages, self.pinned or self.pages.values(), self.pages.values(), strict=True)
        changed = sorted(((page, before, now) for page, before, now in both if before != now), key=lambda each: -abs(each[2] - each[1]))
        return [(page, before / STEPS, now / STEPS) for page, before, now in changed]

    def _differences(self) -> list[float]:
        values = [now - before for now, before in zip(self.pages.values(), self.pinned or (), strict=True)]
        return [fmean(group) for group in self._groups(values)]

    def _groups(self, values: Sequence[int]) -> list[list[float]]:
        """Values by site; each single page is a group."""
        groups: dict[str, list[float]] = {}
        for page, value in zip(self.pages, values, strict=True):
            groups.setdefault(page.split("/")[1] if page.startswith("sites/") else page, []).append(value / STEPS)
        return list(groups.values())


def run(data: Path, *, only: Sequence[str] | None = None, jobs: int = 2, texts: Path | None = None) -> list[Line]:
    """Measure all lines.

    Args:
        data: the folder of data.
        only: only tasks of these kinds, sets or sites.
        jobs: processes.
        texts: a folder that gets each text that was scored.

    Raises:
        ModelError: there are no fold weights, or they are of another version.
    """
    data = data.resolve()
    chosen = [task for task in tasks(data) if only is None or not {task.kind, task.name, Path(task.name).name}.isdisjoint(only)]
    scores: dict[str, dict[str, int]] = {}
    with progress("tasks") as told, ProcessPoolExecutor(jobs, initializer=_begin) as pool:
        running = [pool.submit(_measure, task, data, texts) for task in chosen]
        for done, each in enumerate(as_completed(running), start=1):
            for score in each.result():
                scores.setdefault(score.line, {})[score.page] = round(STEPS * score.value)
            told(done, len(chosen))
    pinned = pins()
    return [_line(name, scores[name], pinned) for name in sorted(scores, key=_order)]


def _line(name: str, pages: Pages, pinned: Pins) -> Line:
    before = pinned[name]["pages"] if name in pinned else ()
    return Line(name, dict(sorted(pages.items())), before if len(before) == len(pages) else None)


def _order(line: str) -> tuple[int, list[tuple[int, str]]]:
    """Sort lines as the list of their meanings has them, numbers by their size."""
    words = line.split()
    place = next((k for k, name in enumerate(MEANING) if words[0] in name.replace(",", "").split()), len(MEANING))
    return place, [(int(word), "") if word.isdecimal() else (0, word) for word in words]


_folds: list[FoldWeights] = []
"""The weights of a worker process, read once."""


def _begin() -> None:
    _folds[:] = [read_folds(WEIGHTS)]


def _measure(task: Task, data: Path, texts: Path | None) -> list[Score]:
    def told(line: str, page: str, text: str) -> None:
        if texts is not None:
            file = texts / line / f"{page}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")

    return measure(task, data, _folds[0], told)


def pins() -> Pins:
    """Return the pinned scores; empty where there are none."""
    known: Pins = json.loads(PINS.read_text("utf-8")) if PINS.is_file() else {}
    return known


def pin(lines: Sequence[Line]) -> None:
    """Pin the scores of all lines, and write the page of the docs that shows them."""
    values: Pins = {line.name: {"score": round(line.score, 4), "pages": list(line.pages.values())} for line in lines}
    written = (f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in values.items())
    PINS.write_text("{\n" + ",\n".join(written) + "\n}\n", "utf-8")
    PAGE.write_text(docs_page(values), "utf-8")


def docs_page(pinned: Pins) -> str:
    """Return the page of the docs with the pinned scores."""
    rows = "".join(f"| {name} | {len(value['pages']):,} | {value['score']:.4f} |\n" for name, value in pinned.items())
    meanings = "".join(f"| {name} | {meaning} |\n" for name, meaning in MEANING.items())
    return _PAGE.format(rows=rows, meanings=meanings)


_PAGE = """# Quality

`make gate` scores whole documents on a fixed sample of all sets, and compares the scores with those that are pinned in
`benchmarks/gate_pins.json`. No page is scored by weights that have seen its domain or site: the weights of five folds are in
`benchmarks/gate_weights`. This page is written by `python -m benchmarks gate --pin`.

| line | pages | score |
|---|--:|--:|
{rows}
| line | what is measured |
|---|---|
{meanings}
A line fails where it falls by more than the noise: two standard errors of the change by pages (by sites, for lines of sites), at least
.0005 and at most .005, which is what another seed of the training changes on one set. `make gate EXPLAIN=LINE` lists the pages of a line
that changed most; `--texts FOLDER` writes every text that was scored, so that `diff -r` compares two revisions.

Train the weights of the folds anew when the training or its evidence changes, with the folders of the
[model](../methods/node-model-card.md): `python -m training FOLDER... --folds benchmarks/gate_weights`.
"""


def report(lines: Sequence[Line], explain: str | None = None) -> Report:
    """Return one table of all lines, and the pages of one line that changed most."""
    rows = [(line.name, len(line.pages), line.score, line.change, line.noise, _said(line)) for line in lines]
    tables = [Table("whole documents, out of fold", "line; pages|,; score|.4f; change|+.4f; noise|.4f; ", rows)]
    for line in lines:
        if line.name == explain:
            changed = line.most_changed()
            title = f"{line.name}: {len(changed)} of {len(line.pages)} pages changed"
            pages = [(page, before, now, now - before) for page, before, now in changed[:SHOWN]]
            tables.append(Table(title, "page; pinned|.3f; now|.3f; change|+.3f", pages))
    return Report(tables)


def _said(line: Line) -> str:
    if line.pinned is None:
        return "not pinned"
    change = line.change or 0.0
    return "FELL" if line.fell else "rose" if change > line.noise else "" if change else "same"


def missing(data: Path) -> Iterator[str]:
    """Yield what the gate needs and does not find."""
    if not (data / "wcxb" / "gold.jsonl.gz").is_file():
        yield f"no data in {data}"
    if not (WEIGHTS / "folds.json").is_file():
        yield f"no fold weights in {WEIGHTS}"


def command(
    data: Annotated[Path, Argument(help="The folder of data.")] = DATA,
    *,
    pin_scores: Annotated[bool, Option("--pin", help="Pin the scores, and write the page of the docs.")] = False,
    explain: Annotated[str | None, Option(help="List the pages of this line that changed most.")] = None,
    only: Annotated[str | None, Option(help="Only these sets or sites, with commas between: wcxb,dragnet,sites,records,values.")] = None,
    jobs: Annotated[int, Option("--jobs", "-j", min=1, help="Processes.")] = min(os.cpu_count() or 1, 8),
    texts: Annotated[Path | None, Option(help="Write every text that was scored into this folder.")] = None,
) -> None:
    """Whole documents out of fold, against pinned scores: a fall by more than the noise is an error."""
    try:
        if pin_scores and only is not None:
            raise UsageError("--pin takes all lines, without --only")
        if lacking := list(missing(data)):
            raise SourceError("; ".join(lacking))
        lines = run(data, only=None if only is None else names(only), jobs=jobs, texts=texts)
        if explain is not None and explain not in {line.name for line in lines}:
            raise UsageError(f"there is no line {explain!r}; lines are {', '.join(line.name for line in lines)}")
    except TamisError as error:
        typer.echo(f"benchmarks: {error}", err=True)
        raise typer.Exit(2) from error
    show(report(lines, explain))
    if only is None:
        timed = content.run([data / "wcxb"], limit=TIMED, peers=TOOLS, give_bytes=False)
        show(Report([content.times_by_size(timed, name) for name in timed.collections]))
    if pin_scores:
        pin(lines)
    elif fallen := [line.name for line in lines if line.fell]:
        typer.echo(f"the gate is shut: {', '.join(fallen)} fell; list the pages with --explain LINE, or accept it with --pin", err=True)
        raise typer.Exit(1)
