"""``python -m training papers``: do verdicts of two papers' methods help the site decision, as further columns of its evidence?

Pages of each site are drawn as samples, and others as targets. Every block of a target has the columns of the decision
(:mod:`tamis.site.places`) and, in two variants, those that a method of the papers gives it by the same sample: CompImp and the verdict of
its style tree, or the verdict and the similarities of three same-layer pages. Trees are trained for each variant on the sites of all other
folds, and judged by the blocks that they keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import tamis
from tamis.cli import terminal
from tamis.content.weights import Weights
from tamis.errors import MissingExtraError, UsageError
from tamis.layer.siblings import SeenPage
from tamis.page.decode import decode
from tamis.page.parsing import parse, read_file
from tamis.page.tree import PageTree
from tamis.site.digest import digest
from tamis.site.model import learn_digests
from tamis.site.places import COLUMNS
from tamis.site.style_tree import StyleTreeMethod
from tamis.site.trees import start
from training.folds import FOLDS, fold_of, read_folds
from training.site import LOST, SEEDS, SETTINGS, TREES, SitePage, read_site

SIBLINGS = 3
"""Pages of the sample that the same-layer method compares a target with."""
BASE, STYLE, LAYER = range(len(COLUMNS)), range(len(COLUMNS), len(COLUMNS) + 2), range(len(COLUMNS) + 2, len(COLUMNS) + 5)
VARIANTS: Mapping[str, tuple[int, ...]] = {
    "without": (*BASE,),
    "style tree": (*BASE, *STYLE),
    "same layer": (*BASE, *LAYER),
}
"""The columns of each variant."""
Table = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The ``b`` blocks of a page that is judged with a sample of its site."""

    size: int
    """Pages of the sample."""
    evidence: Table = field(repr=False)
    """Float32 ``(b, columns of all variants)``."""
    page: SitePage = field(repr=False)

    def f1(self, log_odds: NDArray[np.float64]) -> float:
        """Return F1 of the blocks that are kept, by words; what the gold leaves open does not count."""
        words = self.page.digest.words * (1 - self.page.excused)
        main, kept = words * self.page.label, words * (log_odds > 0)
        right = float((main * (log_odds > 0)).sum())
        return 2 * right / max(float(main.sum() + kept.sum()), 1e-9)


def judge_papers(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of sites with gold.")],
    *,
    folds: Annotated[
        Path, typer.Option("--folds", metavar="FOLDER", help="Weights of the page model by fold (python -m training --folds).")
    ],
    sizes: Annotated[str, typer.Option(help="Numbers of sample pages, with commas between.")] = "2,5,30",
    targets: Annotated[int, typer.Option(help="Pages of each site that are judged with a sample of each size.", min=1)] = 6,
    sites: Annotated[str | None, typer.Option(help="Only these sites, with commas between.")] = None,
) -> None:
    """Measure by cross-validation whether the style tree and same-layer pages help the site decision. Needs the extra *train*.

    Examples:

    - `python -m training papers sites --folds benchmarks/gate_weights`
    """
    from benchmarks.command import progress
    from benchmarks.site_pages import site_folders

    known, numbers = read_folds(folds), [int(size) for size in sizes.split(",")]
    found: dict[str, list[Target]] = {}
    folders = site_folders(folder, sites.split(",") if sites else None)
    with progress("sites") as told:
        for done, path in enumerate(folders):
            found[path.name] = list(read_targets(path, known.of_group(path.name), numbers, targets))
            told(done + 1, len(folders))
    terminal.to_stdout(f"{len(found)} sites; F1 by blocks, mean over sites, by sample pages\n")
    rows = [(name, *(f"{score:.4f}" for score in scores(found, columns, numbers))) for name, columns in VARIANTS.items()]
    terminal.to_stdout(terminal.columns(("evidence", *map(str, numbers)), rows))


def read_targets(folder: Path, weights: Weights, sizes: Sequence[int], count: int) -> Iterator[Target]:
    """Yield content pages of a site, each with the evidence of a sample of the other pages.

    Args:
        folder: the site.
        weights: of the page model, which have not seen the site.
        sizes: numbers of sample pages.
        count: targets for each size.
    """
    dice = Random(folder.name)
    pages = read_site(folder, weights)
    content = [page for page in pages if page.is_content and page.label.sum() > 0]
    trees: dict[str, PageTree] = {}

    def tree_of(page: SitePage) -> PageTree:
        if page.file not in trees:
            trees[page.file] = parse(decode(read_file(folder / "pages" / page.file)))
        return trees[page.file]

    for size in sizes:
        targets = dice.sample(content, min(count, len(content)))
        rest = [page for page in pages if page not in targets]
        sample = dice.sample(rest, min(size, len(rest)))
        if len(sample) < 2:
            continue
        model = learn_digests(page.digest for page in sample)
        style = StyleTreeMethod().learn(map(tree_of, sample))
        others = [SeenPage(tree_of(page), f"https://site.invalid/{page.file}") for page in sample[:SIBLINGS]]
        for page in targets:
            tree = tree_of(page)
            text = tree.text_nodes[digest(tree).blocks.first]
            mapped = style.map_page(tree)
            columns = [mapped.scores["importance"][text], mapped.keep[text], *_same_layer(tree, others)[:, text]]
            yield Target(size, np.column_stack([model.evidence_of_digest(page.digest), *columns]).astype(np.float32), page)


def _same_layer(tree: PageTree, others: Sequence[SeenPage]) -> NDArray[np.float64]:
    """Verdict, Tag and Text similarity of each node of a page by same-layer pages, float64 ``(3, n)``."""
    found = np.full((3, len(tree)), np.nan)
    for verdict in tamis.denoise(tree, others).verdicts:
        best = max(verdict.occurrences, key=lambda each: each.text_similarity, default=None)
        for node in verdict.nodes:
            found[:, node : tree.end[node]] = np.array(
                [[verdict.noise], [best.tag_similarity if best else 0], [best.text_similarity if best else 0]]
            )
    return found


def scores(found: Mapping[str, Sequence[Target]], columns: Sequence[int], sizes: Sequence[int]) -> list[float]:
    """Return F1 by blocks for each size, mean over sites, each judged by trees that have not seen its fold.

    Args:
        found: targets by site.
        columns: those of the evidence that are used.
        sizes: numbers of sample pages.

    Raises:
        UsageError: all sites are in one fold.
        MissingExtraError: LightGBM is not installed.
    """
    by_size: dict[int, list[float]] = {size: [] for size in sizes}
    for fold in range(FOLDS):
        judged = {site: own for site, own in found.items() if fold_of(site) == fold}
        if not judged:
            continue
        learned = [target for site, own in found.items() if site not in judged for target in own]
        if not learned:
            raise UsageError("all sites are in one fold: cross-validation needs more")
        models = _fitted(learned, columns)
        for own in judged.values():
            for size in sizes:
                values = [target.f1(_log_odds(models, target.evidence, columns)) for target in own if target.size == size]
                by_size[size] += [fmean(values)] if values else []
    return [fmean(by_size[size]) if by_size[size] else 0.0 for size in sizes]


def _fitted(targets: Sequence[Target], columns: Sequence[int]) -> list[Any]:
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtraError("training the trees of a site", "train") from error
    evidence = np.concatenate([target.evidence for target in targets])
    label, weight = (np.concatenate(each) for each in zip(*(target.page.target(target.evidence) for target in targets), strict=True))
    weight = weight * (1 + LOST * label)
    given = {"label": label, "weight": weight / weight.mean(), "init_score": start(evidence)}
    data = np.ascontiguousarray(evidence[:, list(columns)])
    return [lightgbm.train({**SETTINGS, "seed": seed}, lightgbm.Dataset(data, **given), TREES) for seed in SEEDS]


def _log_odds(models: Sequence[Any], evidence: Table, columns: Sequence[int]) -> NDArray[np.float64]:
    own = np.ascontiguousarray(evidence[:, list(columns)])
    return np.asarray(start(evidence) + np.mean([model.predict(own, raw_score=True) for model in models], axis=0))
