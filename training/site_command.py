"""``python -m training site``: the trees of a site's stage, and how well they do on sites not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tamis.cli import terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.site.trees import Trees
    from training.folds import FoldWeights
    from training.site import Rows


def train_site(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of sites with gold.")],
    *,
    folds: Annotated[
        Path, typer.Option("--folds", metavar="FOLDER", help="Weights of the page model by fold (python -m training --folds).")
    ],
    listings: Annotated[Path | None, typer.Option(metavar="FILE", help="Gold of the records of list pages (gold.json).")] = None,
    more: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="More sites with gold, only to train on (python -m training manuals).")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Train on all sites; the trees go here.")] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Cross-validate: no site is judged by weights or trees that have seen it.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Write the trees of each fold beside the weights.")] = False,
    sizes: Annotated[str, typer.Option(help="Numbers of sample pages that are measured, with commas between.")] = "2,5,30",
    sites: Annotated[str | None, typer.Option(help="Only these sites, with commas between.")] = None,
    scored: Annotated[int, typer.Option(help="Content pages of each site that are scored.", min=1)] = 10,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the scores to this file.")] = None,
) -> None:
    """Train the trees that weigh what the sample of a site says, or measure them by cross-validation. Needs the extra *train*.

    Examples:

    - `python -m training site sites --folds benchmarks/gate_weights --more manuals/taught -o src/tamis/site/site_model.npz`
    - `python -m training site sites --folds benchmarks/gate_weights --evaluate --sizes 2,3,5,10,20,30,50,100`
    """
    if output is None and not (evaluate or write):
        raise UsageError("name a file for the trees with --output, or ask for --evaluate or --write")
    from benchmarks.command import progress
    from benchmarks.report import write_json
    from benchmarks.site_pages import site_folders
    from training.folds import fold_of, read_folds
    from training.site import evaluate_site, fit, fit_parts, report

    known = read_folds(folds)
    folders = {path.name: path for path in site_folders(folder, sites.split(",") if sites else None)}
    with progress("sites") as told:
        rows = _rows(folders, known, listings, told)
    added: list[Rows] = []
    if more is not None:
        with progress("more sites") as told:
            added = list(_rows({path.name: path for path in site_folders(more)}, known, None, told).values())
    if output is not None:
        trees = fit(list(rows.values()), added)
        _write(trees, output)
        terminal.say(f"trees from {len(rows) + len(added)} sites, {output.stat().st_size / 1000:.0f} kB: {output}")
    if not (evaluate or write):
        return
    parts = fit_parts(rows, added)
    for fold, trees in enumerate(parts if write else ()):
        _write(trees, folds / f"site-{fold}.npz")
    if evaluate:
        scores = {}
        numbers = tuple(sorted({int(size) for size in sizes.split(",")}))
        with progress("scored") as told:
            for done, (name, path) in enumerate(folders.items()):
                scores[name] = evaluate_site(path, known.of_group(name), parts[fold_of(name)], numbers, scored)
                told(done + 1, len(folders))
        terminal.say("\n".join(report(scores)))
        if json_file is not None:
            write_json({site: {str(size): asdict(own) for size, own in by.items()} for site, by in scores.items()}, json_file)


def make_manuals(output: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the sites go.")]) -> None:
    """Download manuals from Debian and write them as sites with gold: to train on in FOLDER/taught, to measure in FOLDER/held-out.

    Example: `python -m training manuals manuals`
    """
    from training.manuals import write_manuals

    for name, pages in write_manuals(output):
        terminal.say(f"{name}: {pages} pages")


def _rows(folders: Mapping[str, Path], known: FoldWeights, listings: Path | None, told: Callable[[int, int], None]) -> dict[str, Rows]:
    """Return the blocks of each site to train on; pages of the next site of the same fold are mixed into its samples."""
    from training.folds import fold_of
    from training.site import read_listings, read_rows, read_site

    records = None if listings is None else read_listings(listings)
    pages = {name: read_site(path, known.of_group(name), records) for name, path in folders.items()}
    rows = {}
    for done, name in enumerate(pages):
        others = [other for other in pages if fold_of(other) == fold_of(name)]
        after = others[(others.index(name) + 1) % len(others)]
        rows[name] = read_rows(pages[name], pages[after] if after != name else [], name)
        told(done + 1, len(pages))
    return rows


def _write(trees: Trees, path: Path) -> None:
    try:
        trees.save(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
