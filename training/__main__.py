"""``python -m training``: the weights of the node model from pages with gold, and how well they do on pages not seen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from tamis.cli import terminal
from tamis.errors import UsageError
from training.papers_evidence import judge_papers
from training.site_command import make_manuals, train_site

if TYPE_CHECKING:
    from training.evaluation import Evaluation
    from training.examples import Example
    from training.network import Training

PROGRAMS: dict[str, Callable[..., None]] = {"site": train_site, "papers": judge_papers, "manuals": make_manuals}
"""By the first argument: the trees of sites, what two papers add to them, and more sites to train on, instead of the node model."""
Folders = Annotated[
    list[Path],
    typer.Argument(
        metavar="FOLDER...",
        help="Folders with gold: single pages (gold.jsonl.gz and html/, or the articles of an npm package), or a folder of sites.",
    ),
]


def train(
    folders: Folders,
    *,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Train on all pages; the weights go here.")] = None,
    folds: Annotated[
        Path | None,
        typer.Option(
            "--folds", metavar="FOLDER", help="Train without each fold of the domains and sites; the weights go into this folder."
        ),
    ] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Cross-validate: no page is judged by what its domain or site taught.")
    ] = False,
    leave_out: Annotated[
        bool,
        typer.Option(
            "--leave-out",
            help="Judge each folder by what the other folders taught (with --folds: write these weights, too); needs two or more.",
        ),
    ] = False,
    ablate: Annotated[bool, typer.Option("--ablate", help="Cross-validate without each group of evidence, too. Takes its time.")] = False,
    passes: Annotated[int | None, typer.Option(help="How often the network is shown each page.", min=1, show_default=False)] = None,
    drop: Annotated[str | None, typer.Option(help="Groups of evidence to do without, with commas between.")] = None,
    seed: Annotated[int | None, typer.Option(help="Where chance begins.", show_default=False)] = None,
    boxes: Annotated[int, typer.Option(help="Articles that boxes of other pages are inserted into, at the most.", min=0)] = 1400,
    more: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="More sites with gold, only to train on (python -m training manuals).")
    ] = None,
    lists: Annotated[bool, typer.Option(help="Make lists of each site's pages, too.")] = True,
    limit: Annotated[int | None, typer.Option(help="At most so many of the single pages, spread evenly.", min=1)] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the evaluation to this file.")] = None,
) -> None:
    """Train the node model, or measure by cross-validation what training gives.

    The same pages, settings and seed give the same weights on one machine, with the same versions of NumPy and scikit-learn.
    Needs the extra *train*. ``python -m training site --help``: the trees of a site's stage; ``python -m training manuals --help``: more
    sites for them.

    Examples:

    - `python -m training wcxb sites --more manuals/taught -o node_model.npz`
    - `python -m training wcxb sites --evaluate --json evaluation.json`
    - `python -m training wcxb articles/dragnet sites --leave-out`
    - `python -m training wcxb --evaluate --drop names`
    - `python -m training wcxb articles/dragnet sites --folds benchmarks/gate_weights`
    """
    if output is None and folds is None and not (evaluate or ablate or leave_out):
        raise UsageError(
            "name a file for the weights with --output or a folder for fold weights with --folds, or ask for --evaluate or --leave-out"
        )
    if leave_out and len(folders) < 2:
        raise UsageError("--leave-out needs two folders or more: each is judged by what the others taught")
    from dataclasses import replace

    from training.examples import make_lists
    from training.network import Training

    settings = Training(drop=tuple(name.strip() for name in drop.split(",")) if drop else ())
    settings = replace(settings, seed=settings.seed if seed is None else seed, passes=settings.passes if passes is None else passes)
    examples = _read(folders, limit)
    made = [*_insert_boxes(examples, boxes, settings.seed), *(make_lists(examples) if lists else ())]
    examples += made
    if more is not None:
        examples += _read([more], None, more=True)
    if folds is not None:
        _write_folds(examples, settings, folds, sets=leave_out)
        leave_out = False
    results: dict[str, Any] = {}
    if evaluate or ablate:
        results["all evidence" if not settings.drop else f"without {', '.join(settings.drop)}"] = _evaluate(examples, settings)
    if ablate:
        from tamis.content.evidence import GROUPS

        for group in GROUPS:
            if group not in settings.drop:
                without = replace(settings, drop=(*settings.drop, group))
                results[f"without {', '.join(without.drop)}"] = _evaluate(examples, without)
    if leave_out:
        results["each folder left out"] = _evaluate(examples, settings, leave_out=True)
    if json_file is not None:
        from benchmarks.report import write_json

        write_json({"settings": repr(settings), "pages": len(examples), "results": results}, json_file)
    if output is not None:
        _write(examples, settings, output)


def _read(folders: list[Path], limit: int | None, *, more: bool = False) -> list[Example]:
    from benchmarks.command import progress
    from benchmarks.gold import holds_single_pages
    from training.examples import read_single_pages, read_sites

    examples: list[Example] = []
    for folder in folders:
        with progress(f"reading {folder.name}") as told:
            if holds_single_pages(folder):
                examples.extend(read_single_pages(folder, limit=limit, progress=told))
            else:
                examples.extend(read_sites(folder, more=more, progress=told))
    return examples


def _insert_boxes(examples: list[Example], count: int, seed: int) -> list[Example]:
    from benchmarks.command import progress
    from training.examples import plan_boxed

    plans = plan_boxed(examples, count, seed) if count else []
    made = []
    with progress("inserting boxes") as told:
        for number, plan in enumerate(plans, start=1):
            made.append(plan.make())
            told(number, len(plans))
    return [example for example in made if example is not None]


def _evaluate(examples: list[Example], settings: Training, *, leave_out: bool = False) -> dict[str, Any]:
    from benchmarks.command import progress
    from training.evaluation import cross_validate, leave_sets_out

    with progress("folders" if leave_out else "parts") as told:
        evaluation = (leave_sets_out if leave_out else cross_validate)(examples, settings, progress=told)
    _show(evaluation, settings)
    return evaluation.to_dict()


def _show(evaluation: Evaluation, settings: Training) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    values = evaluation.to_dict()
    console.print(f"page types told right: {values.pop('page types told right'):.1%}")
    calibration, worse = values.pop("calibration"), values.pop("worse with a site model")
    for collection, by_disguise in values.items():
        without = f", without {', '.join(settings.drop)}" if settings.drop else ""
        table = Table(title=f"{collection}: F1 on pages of domains and sites not seen{without}")
        table.add_column("")
        for disguise in by_disguise:
            table.add_column(disguise, justify="right")
        for row in next(iter(by_disguise.values())):
            table.add_row(row, *(f"{means[row]:.3f}" for means in by_disguise.values()))
        console.print(table)
        table = Table(title=f"{collection}: pages by the F1 that was expected")
        for name in ("from", "pages", "expected", "F1"):
            table.add_column(name, justify="right")
        for row in calibration[collection]:
            table.add_row(f"{row['from']:.2f}", f"{row['pages']}", f"{row['expected']:.3f}", f"{row['f1']:.3f}")
        console.print(table)
    for way, sites in worse.items():
        console.print(
            f"{way}: {len(sites)} sites worse than by themselves by more than .005"
            + "".join(f"; {name} {by:.3f}" for name, by in sites.items())
        )


def _write(examples: list[Example], settings: Training, output: Path) -> None:
    from training.run import train as fit_all

    weights = fit_all(examples, settings)
    try:
        weights.save(output)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}") from error
    terminal.say(f"weights from {len(examples)} pages, {output.stat().st_size / 1000:.0f} kB: {output}")


def _write_folds(examples: list[Example], settings: Training, folder: Path, *, sets: bool) -> None:
    from benchmarks.command import progress
    from training.folds import train_folds

    with progress("trainings") as told:
        train_folds(examples, settings, folder, sets=sets, progress=told)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1000
    terminal.say(f"fold weights from {len(examples)} pages, {size:.0f} kB: {folder}")


class _Command(TyperCommand):
    """A command whose errors end in one sentence."""

    def main(self, *args: Any, **settings: Any) -> Any:
        terminal.reset()
        return super().main(*args, **settings)

    def invoke(self, ctx: Any) -> Any:
        with terminal.errors_in_a_sentence():
            return super().invoke(ctx)


def _program(run: Callable[..., None]) -> typer.Typer:
    program = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    program.command(cls=_Command)(run)
    return program


app = _program(train)

if __name__ == "__main__":
    if sys.argv[1:] and (run := PROGRAMS.get(sys.argv[1])):
        _program(run)(sys.argv[2:])
    app()
