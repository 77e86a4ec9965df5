"""Evaluation: how well a model does on pages whose domain or site it has not seen, by grouped cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.node_model import of_page, threshold_for_type
from tamis.content.weights import Weights, probability_of
from training.examples import PLAIN, Example, weigh_asides, without
from training.folds import fold_of
from training.network import Training
from training.run import fit_parts, train

Progress = Callable[[int, int], None]
BORDERS = (0.6, 0.7, 0.8, 0.9, 0.95)
"""Of what is expected, by which pages are told apart in :meth:`Evaluation.calibration`."""
MEASURES = ("f1", "precision", "recall", "expected", "lost", "removed", "best", "ceiling")
"""What is measured of each page: numbers of :class:`Judged`."""
THRESHOLDS = 60
"""Thresholds that are tried for the best one, at the most."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the model made of one page in one disguise, or with one template of its site."""

    example: int
    disguise: str
    f1: float
    precision: float
    recall: float
    expected: float
    """The F1 that the model expected."""
    lost: float
    """Share of the main text's words that is missing, 0..1."""
    removed: float
    """Share of the noise's words that is gone, 0..1."""
    best: float
    """The F1 of the best of all choices by one threshold: what a perfect decision would make of the same probabilities."""
    ceiling: float
    """The F1 of the blocks that are main text by their labels, or of that choice if it is better: more cannot be reached with whole
    blocks. What is missing to 1 is gold text that is not on the page, or a part of a block."""
    page_type: str | None
    """The type that the model took the page for."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A whole cross-validation."""

    examples: tuple[Example, ...] = field(repr=False)
    judged: tuple[Judged, ...] = field(repr=False)

    def mean(self, collection: str, disguise: str = PLAIN, what: str = "f1", **where: str) -> float:
        """Mean over the scored pages of a collection; of sites, over a site's pages, then over sites.

        Args:
            collection: name of the folder.
            what: one of :data:`MEASURES`.
            disguise: how the pages were given.
            where: only examples of this ``page_type``, or ``group``.
        """
        sites: dict[str, list[float]] = {}
        for one in self.judged:
            example = self.examples[one.example]
            if one.disguise != disguise or not example.scored or example.collection != collection:
                continue
            if all(getattr(example, name) == value for name, value in where.items()):
                sites.setdefault("" if example.single else example.group, []).append(getattr(one, what))
        return float(np.mean([np.mean(scores) for scores in sites.values()])) if sites else float("nan")

    def worse_sites(self, pages: int, by: float = 0.005) -> dict[str, float]:
        """Sites whose F1 with a template of so many pages is less than without one, by more than ``by``: how much less."""
        sites = sorted({example.group for example in self.examples if example.sites and example.scored})
        collection = {example.group: example.collection for example in self.examples}
        lost = {
            site: self.mean(collection[site], PLAIN, group=site) - self.mean(collection[site], with_site(pages), group=site)
            for site in sites
        }
        return {site: value for site, value in lost.items() if value > by}

    def accuracy(self) -> float:
        """Share of the pages whose type was told right."""
        right = [
            one.page_type == self.examples[one.example].page_type
            for one in self.judged
            if one.disguise == PLAIN and self.examples[one.example].typed
        ]
        return float(np.mean(right)) if right else float("nan")

    def calibration(self, collection: str) -> list[dict[str, float]]:
        """How good the expected F1 is: scored pages by what was expected of them (:data:`BORDERS`), how many, and both means."""
        pages = [
            (one.expected, one.f1)
            for one in self.judged
            if one.disguise == PLAIN and self.examples[one.example].scored and self.examples[one.example].collection == collection
        ]
        result = []
        for low, high in zip((0.0, *BORDERS), (*BORDERS, 1.01), strict=True):
            taken = np.array([page for page in pages if low <= page[0] < high])
            if len(taken):
                expected, found = taken.mean(axis=0).tolist()
                result.append({"from": low, "pages": len(taken), "expected": expected, "f1": found})
        return result

    def to_dict(self) -> dict[str, Any]:
        """Plain values by collection and disguise: the means, F1 of each page type or site; calibration by collection."""
        result: dict[str, Any] = {"page types told right": self.accuracy()}
        for collection in dict.fromkeys(example.collection for example in self.examples):
            own = [example for example in self.examples if example.collection == collection]
            by = "page_type" if own[0].single else "group"
            values = sorted({getattr(example, by) for example in own if example.scored})
            result[collection] = {
                disguise: {
                    "mean": self.mean(collection, disguise),
                    **{what: self.mean(collection, disguise, what) for what in MEASURES[1:]},
                    **{value: self.mean(collection, disguise, **{by: value}) for value in values},
                }
                for disguise in ways_of(own[0])
            }
        sizes = sorted({pages for example in self.examples for pages in example.sites})
        return result | {
            "calibration": {name: self.calibration(name) for name in result if name != "page types told right"},
            "worse with a site model": {with_site(pages): self.worse_sites(pages) for pages in sizes},
        }


def ways_of(example: Example) -> list[str]:
    """How a page is judged: in each disguise, and with each template of its site."""
    return [*example.disguises, *map(with_site, example.sites)]


def with_site(pages: int) -> str:
    """The name of judging a page with a template of so many pages."""
    return f"site of {pages}"


def cross_validate(examples: Sequence[Example], settings: Training, *, progress: Progress | None = None) -> Evaluation:
    """Train on all parts of the domains and sites but one, judge that one, for each.

    Args:
        examples: pages with gold.
        settings: of the training.
        progress: told how many steps are done, of how many.
    """
    judged: list[Judged] = []
    for fold, weights in enumerate(fit_parts(examples, settings, progress)):
        judged += _judge_all(examples, weights, settings, [fold_of(example.group) == fold for example in examples])
    return Evaluation(tuple(examples), tuple(judged))


def leave_sets_out(examples: Sequence[Example], settings: Training, *, progress: Progress | None = None) -> Evaluation:
    """Train on all collections but one, judge that one, for each. Arguments as of :func:`cross_validate`."""
    collections = list(dict.fromkeys(example.collection for example in examples))
    judged: list[Judged] = []
    for done, left_out in enumerate(collections):
        others = [example for example in examples if example.collection != left_out]
        weights = train(others, settings)
        judged += _judge_all(examples, weights, settings, [example.collection == left_out for example in examples])
        if progress is not None:
            progress(done + 1, len(collections))
    return Evaluation(tuple(examples), tuple(judged))


def _judge_all(examples: Sequence[Example], weights: Weights, settings: Training, wanted: Sequence[bool]) -> Iterator[Judged]:
    for number, example in enumerate(examples):
        if not wanted[number]:
            continue
        if len(example.label):
            yield from _judge(number, example, weights, settings)
        else:
            yield from (Judged(number, way, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, None) for way in ways_of(example))


def _judge(number: int, example: Example, weights: Weights, settings: Training) -> Iterator[Judged]:
    known = {
        disguise: without(example.evidence(disguise, weights.vocabulary, weights.words), settings.drop) for disguise in example.disguises
    }
    found, types = dict[str, NDArray[np.float64]](), dict[str, str | None]()
    for way, evidence in known.items():
        log_odds, shares = of_page(evidence, weigh_asides(example.said, weights.words), example.stated, example.anchored, weights)
        found[way], types[way] = log_odds[:, 0], weights.type_of(shares)
    page_type = types[PLAIN]
    for pages, said in example.sites.items():
        found[with_site(pages)] = found[PLAIN] + (0 if said is None else said)
    for way, own in found.items():
        yield _judged(number, example, way, probability_of(own), types.get(way, page_type), page_type)


def _judged(
    number: int, example: Example, way: str, probability: NDArray[np.float64], type_here: str | None, page_type: str | None
) -> Judged:
    choice = threshold_for_type(probability, example.length, type_here)
    keep = choice.keep
    main = example.label * example.length
    noise = np.clip(1 - example.label - example.excused, 0, 1) * example.length
    f1, precision, recall = example.compare(keep)
    tried = np.unique(probability)
    tried = tried if len(tried) <= THRESHOLDS else np.quantile(tried, np.linspace(0, 1, THRESHOLDS))
    best = max(f1, *(example.f1(probability >= least) for least in tried))
    return Judged(
        example=number,
        disguise=way,
        f1=f1,
        precision=precision,
        recall=recall,
        expected=choice.expected,
        lost=float(main[~keep].sum() / max(main.sum(), 1)),
        removed=float(noise[~keep].sum() / noise.sum()) if noise.sum() else 1.0,
        best=best,
        ceiling=max(best, example.f1(example.label >= 0.5)),
        page_type=page_type,
    )
