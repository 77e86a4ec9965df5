"""The trees of a site's stage: trained on draws of sample pages from sites with gold, and cross-validated by site.

A draw is a sample of k pages and some target pages of the same site. The page model's log-odds of all of them must come from weights that
have not seen the site (:mod:`training.folds`); trees trained on others trust the page model too much.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tamis
from benchmarks.content import Outcome
from benchmarks.content import judge as judge_text
from benchmarks.site_pages import read_site_pages
from tamis.content.node_model import NodeModel, predict
from tamis.content.weights import Weights
from tamis.errors import MissingExtraError, UsageError
from tamis.page.decode import decode
from tamis.page.parsing import parse, read_file
from tamis.site.digest import LOG_ODDS_UNIT, PageDigest, digest, judged_digest, with_log_odds
from tamis.site.model import SiteModel, learn_digests
from tamis.site.places import COLUMNS, FREQUENT
from tamis.site.trees import Trees, start
from tamis.structure.layouts import likeness, sketch
from training.examples import _HEADING, OPEN, _labels_by_rules, _matches
from training.folds import FOLDS, fold_of
from training.trees import export

SIZES = (2, 3, 5, 5, 10, 10, 20, 30, 30)
"""Sample pages of the draws of each site."""
TARGETS = 6
"""Target pages of a draw."""
LISTS = 0.3
"""Share of the sample that may be list pages, in every second draw; and what remains, on a list page, of the probability of text that the
sample repeats."""
LIST_TARGETS, TITLES = 3, 4
"""List pages that are targets of a draw, and how much more titles weigh there."""
SMALL, UNLIKE = 10, 0.4
"""Samples of at most so many pages are, in this share of the draws, the pages least like the first target."""
MIXED = 0.25
"""Share of the draws with as many pages of another site in the sample: a layout may have few of its pages."""
INSIDE, MOST_INSIDE = 0.25, 2
"""Share of the draws where the sample holds targets, and how many."""
ROWS = 3500
"""Blocks of a site that are trained on, drawn by weight."""
TREES, SEEDS = 30, (1, 2, 3)
"""Trees that are fitted with each of some seeds. Their mean harms fewer sites than as many trees of one seed."""
MORE = 0.25
"""What main text weighs of a site that is one of many of a kind, and only trained on (:mod:`training.manuals`). Noise, of which manuals
have little, counts in full. What many of its pages have (Description, See also) is main text there and hardly anywhere else: it teaches
nothing."""
LOST = 0.35
"""How much more it weighs that main text is lost than that noise is kept."""
SETTINGS: Mapping[str, Any] = {
    "objective": "cross_entropy",
    "num_leaves": 20,
    "learning_rate": 0.25,
    "min_data_in_leaf": 200,
    "lambda_l2": 60,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "max_bin": 63,
    "path_smooth": 10,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "verbose": -1,
}
"""Settings of LightGBM."""
Table = NDArray[np.float32]
Progress = Callable[[int, int], None]
_AT_LEAST, _SMOOTH, _NOISE = 20, 0.3, 0.25
_TEXT_PAGES = COLUMNS.index("text pages")


@dataclass(frozen=True, slots=True, eq=False)
class SitePage:
    """A page of a site with gold: what the sample and the stage see of it, and what its ``b`` blocks are."""

    file: str
    is_content: bool
    """Whether it is a content page: no list, tag or search page."""
    digest: PageDigest = field(repr=False)
    """With log-odds of weights that have not seen the site."""
    label: NDArray[np.float64]
    """Share of each block that is main text, float64 ``(b,)``."""
    excused: NDArray[np.float64]
    """Share of each block that is neither rewarded nor punished, float64 ``(b,)``."""
    heading: NDArray[np.bool_]
    """Whether each block is a heading, bool ``(b,)``."""
    listed: NDArray[np.bool_]
    """Whether each block is of a record of a list, as far as there is gold for the list, bool ``(b,)``."""

    def target(self, evidence: Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the blocks should be, 0 to 1, and what each weighs, float64 ``(b,)``.

        A list page has no gold for its main text. It should be what the page model says, but for text that the sample repeats, and for
        titles of records that the gold lists, which are main text: headings, or what is not improbable where there is none.
        """
        words = self.digest.words.astype(np.float64)
        label, excused, titles = self.label, self.excused, np.zeros(len(words), dtype=np.bool_)
        if not self.is_content:
            alone = 1 / (1 + np.exp(-self.digest.log_odds / LOG_ODDS_UNIT))
            headed = self.listed & self.heading
            titles = headed if headed.any() else self.listed & (alone >= LISTS)
            label = np.where(titles, 1.0, np.where(evidence[:, _TEXT_PAGES] >= FREQUENT, LISTS * alone, alone))
            excused = np.zeros(len(words))
        gold = max(float((label * words).sum()), _AT_LEAST)
        weight = (words + _SMOOTH) / (gold + _NOISE * max(float(words.sum()) - gold, 0))
        weight *= np.clip(1 - excused, np.where(self.heading, 0.001, OPEN), 1) * np.where(titles, TITLES, 1)
        return np.clip(label, 0, 1), weight


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Blocks to train on."""

    evidence: Table
    """Float32 ``(r, COLUMNS)``."""
    label: NDArray[np.float64]
    """What each should be, float64 ``(r,)``."""
    weight: NDArray[np.float64]
    """Float64 ``(r,)``."""


def read_site(folder: Path, weights: Weights, listings: Mapping[str, str] | None = None) -> list[SitePage]:
    """Read all pages of a site with gold.

    Args:
        folder: the site.
        weights: of the page model, which have not seen the site.
        listings: selectors of the records of list pages, by ``sites/SITE/pages/FILE``.
    """
    selectors = json.loads((folder / "site.json").read_text("utf-8"))["selectors"]
    pages = []
    for listed in json.loads((folder / "pages.json").read_text("utf-8")):
        tree = parse(decode(read_file(folder / "pages" / listed["file"])))
        found, alone = digest(tree), predict(tree, NodeModel(weights=weights))
        if not len(found.blocks):
            continue
        label, excused, _ = _labels_by_rules(tree, found.blocks, selectors)
        heading = np.nan_to_num(alone.evidence.values[:, _HEADING]).max(axis=1, initial=0) > 0
        page = with_log_odds(found.digest, alone.evidence.words, alone.log_odds)
        selector = (listings or {}).get(f"sites/{folder.name}/pages/{listed['file']}")
        records = tree.subtree_mask(_matches(tree, (selector,) if selector else ()))[tree.text_nodes[found.blocks.first]]
        pages.append(SitePage(listed["file"], listed["kind"] == "content", page, label, excused, heading, records))
    return pages


def read_listings(file: Path) -> dict[str, str]:
    """Return the selectors of the records of list pages, by file, from the gold of listings."""
    return {page["file"]: page["record_selector"] for page in json.loads(file.read_text("utf-8"))}


def draws(pages: Sequence[SitePage], others: Sequence[SitePage], dice: Random) -> Iterator[tuple[SiteModel, list[SitePage]]]:
    """Yield models of samples of a site, and target pages: content pages, and list pages where the site has any.

    ``others``: pages of another site, which are mixed into some samples.
    """
    content = [page for page in pages if page.is_content and page.label.sum() > 0]
    lists = [page for page in pages if not page.is_content]
    of = {page.file: sketch(page.digest.names, page.digest.paths) for page in pages}
    for number, size in enumerate(SIZES):
        targets = dice.sample(content, min(TARGETS, len(content)))
        rest = [page for page in content if page not in targets]
        if size <= SMALL and dice.random() < UNLIKE:
            likeness_of = {page.file: likeness(of[page.file], of[targets[0].file]) + 0.1 * dice.random() for page in (*rest, *lists)}
            sample = sorted((*rest, *lists), key=lambda page: likeness_of[page.file])[:size]
        else:
            among = dice.sample(lists, min(len(lists), dice.randint(0, max(1, round(LISTS * size))))) if number % 2 else []
            sample = [*among, *dice.sample(rest, min(max(size - len(among), 0), len(rest)))]
        if dice.random() < INSIDE and len(sample) > 1:
            inside = min(MOST_INSIDE, len(sample) - 1)
            sample = [*sample[:-inside], *targets[:inside]]
        if dice.random() < MIXED:
            sample += dice.sample(others, min(size, len(others)))
        model = learn_digests(page.digest for page in sample)
        if model.sample.pages > 1:
            yield model, [*targets, *dice.sample(lists, min(LIST_TARGETS, len(lists)))]


def read_rows(pages: Sequence[SitePage], others: Sequence[SitePage], name: str) -> Rows:
    """Return the blocks of a site to train on: :data:`ROWS` of those of the draws, by weight, each as heavy as those it stands for."""
    evidence, labels, weights = [], [], []
    for model, targets in draws(pages, others, Random(name)):
        for page in targets:
            rows = model.evidence_of_digest(page.digest)
            label, weight = page.target(rows)
            evidence.append(rows)
            labels.append(label)
            weights.append(weight)
    return _thinned(Rows(np.concatenate(evidence), np.concatenate(labels), np.concatenate(weights)), name)


def _thinned(rows: Rows, name: str) -> Rows:
    low, high = 0.0, float(rows.weight.max()) * len(rows.weight)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(1, rows.weight / middle).sum() > ROWS else (low, middle)
    chance = np.minimum(1, rows.weight / high)
    kept = np.random.default_rng(list(name.encode())).random(len(chance)) < chance
    return Rows(rows.evidence[kept], rows.label[kept], (rows.weight / np.maximum(chance, 1e-12))[kept])


def fit(rows: Sequence[Rows], more: Sequence[Rows] = ()) -> Trees:
    """Fit trees to the blocks of some sites, and of more sites that weigh less (:data:`MORE`). The same blocks give the same trees on one
    machine.

    Raises:
        MissingExtraError: LightGBM is not installed.
    """
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtraError("training the trees of a site", "train") from error
    rows = [*rows, *map(as_more, more)]
    evidence, label, weight = (np.concatenate([getattr(each, name) for each in rows]) for name in ("evidence", "label", "weight"))
    weight = weight * (1 + LOST * label)
    given = {"label": label, "weight": weight / weight.mean(), "init_score": start(evidence)}
    models = [lightgbm.train({**SETTINGS, "seed": seed}, lightgbm.Dataset(evidence, **given), TREES) for seed in SEEDS]
    return export(models, list(range(len(COLUMNS))))


def as_more(rows: Rows) -> Rows:
    """Return the blocks of a site that is only trained on, as heavy as :data:`MORE` says."""
    main = np.where(rows.evidence[:, _TEXT_PAGES] >= FREQUENT, 0, MORE)
    return replace(rows, weight=rows.weight * np.where(rows.label < 0.5, 1, main))


def fit_parts(rows: Mapping[str, Rows], more: Sequence[Rows] = ()) -> list[Trees]:
    """Fit trees for each fold of the sites, to the sites of all other folds. ``rows``: by site; ``more``: for every fold."""
    parts = [[own for site, own in rows.items() if fold_of(site) != fold] for fold in range(FOLDS)]
    if not all(parts):
        raise UsageError("all sites are in one fold: cross-validation needs more")
    return [fit(part, more) for part in parts]


# -- evaluation -------------------------------------------------------------------------------------------------------------


MEASURED = (2, 5, 30)
"""Numbers of sample pages that are measured."""
SCORED = 10
"""Content pages of a site that are scored."""
HARM = 0.005
"""F1 that a site may lose by its model."""


@dataclass(frozen=True, slots=True)
class Scores:
    """How well the pages of a site do, means over pages."""

    f1: float
    lost: float
    """Share of the main text that is missing."""
    removed: float
    """Share of the noise that is gone."""


def evaluate_site(folder: Path, weights: Weights, trees: Trees, sizes: Sequence[int] = MEASURED, scored: int = SCORED) -> dict[int, Scores]:
    """Return the scores of a site through :func:`tamis.extract` by number of sample pages; 0: every page alone.

    Args:
        folder: the site.
        weights: of the page model, and ``trees``: of the stage; neither has seen the site.
        sizes: numbers of sample pages.
        scored: content pages that are scored; none of them is in a sample.
    """
    method = NodeModel(weights=weights)
    pages = read_site_pages(folder, scored)
    digests = [judged_digest(parse(page.html()), method) for page in pages.draw(0)[: max(sizes)]]
    models = {size: replace(learn_digests(digests[:size]), trees=trees) for size in sizes}
    outcomes: dict[int, list[Outcome]] = {0: [], **{size: [] for size in sizes}}
    for index, page in enumerate(pages.scored):
        tree = parse(page.html())
        for size, found in outcomes.items():
            text = tamis.extract(tree, method=method, model=models.get(size), url=page.url).text
            found.append(judge_text(page, index, text, None))
    return {
        size: Scores(fmean(each.score.f1 for each in found), *(_mean(found, name) for name in ("content_lost", "noise_removed")))
        for size, found in outcomes.items()
    }


def _mean(outcomes: Sequence[Outcome], name: str) -> float:
    known = [value for each in outcomes if (value := getattr(each, name)) is not None]
    return fmean(known) if known else float(name == "noise_removed")


def report(scores: Mapping[str, Mapping[int, Scores]]) -> list[str]:
    """Return the means over sites by number of sample pages, and the sites that are harmed, as lines."""
    lines = ["pages   F1     worst                     noise removed  content lost  worse than alone"]
    for size in next(iter(scores.values())):
        of = {site: own[size] for site, own in scores.items()}
        worst = min(of, key=lambda site: of[site].f1)
        worse = {site: scores[site][0].f1 - own.f1 for site, own in of.items() if scores[site][0].f1 - own.f1 > HARM}
        means = [fmean(getattr(own, name) for own in of.values()) for name in ("f1", "removed", "lost")]
        named = ", ".join(f"{site} -{by:.3f}" for site, by in sorted(worse.items(), key=lambda each: -each[1]))
        lines.append(
            f"{size or 'alone':>5}  {means[0]:.4f}  {of[worst].f1:.3f} {worst:20}  {means[1]:.4f}         {means[2]:.4f}        "
            f"{len(worse)} {named}"
        )
    return lines
