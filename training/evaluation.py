"""Evaluation: how well a model does on pages whose domain or site it has not seen, by grouped cross-validation."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.decision import choose
from tamis.content.weights import Weights
from tamis.site.fused import UNLIKELY
from training.examples import PLAIN, Example
from training.fitting import Training, without
from training.run import page_rows, train

Progress = Callable[[int, int], None]
BORDERS = (0.6, 0.7, 0.8, 0.9, 0.95)
"""Of what is expected, by which pages are told apart in :meth:`Evaluation.calibration`."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the model made of one page in one disguise."""

    example: int
    disguise: str
    f1: float
    expected: float
    """The F1 that the model expected."""
    lost: float
    """Share of the main text's words that is missing, 0..1."""
    removed: float
    """Share of the noise's words that is gone, 0..1."""
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
            what: ``f1``, ``expected``, ``lost`` or ``removed``.
            disguise: how the pages were given.
            where: only examples of this ``page_type``, or ``group``.
        """
        sites: dict[str, list[float]] = {}
        for one in self.judged:
            example = self.examples[one.example]
            if one.disguise != disguise or not example.scored or example.collection != collection:
                continue
            if all(getattr(example, name) == value for name, value in where.items()):
                sites.setdefault("" if example.typed else example.group, []).append(getattr(one, what))
        return float(np.mean([np.mean(scores) for scores in sites.values()])) if sites else float("nan")

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
            by = "page_type" if own[0].typed else "group"
            values = sorted({getattr(example, by) for example in own if example.scored})
            result[collection] = {
                disguise: {
                    "mean": self.mean(collection, disguise),
                    **{what: self.mean(collection, disguise, what) for what in ("expected", "lost", "removed")},
                    **{value: self.mean(collection, disguise, **{by: value}) for value in values},
                }
                for disguise in (*own[0].disguises, *own[0].templates)
            }
        return result | {"calibration": {name: self.calibration(name) for name in result if name != "page types told right"}}


def fold_of(group: str, folds: int) -> int:
    """The fold of a domain or site: the same in every run and on every machine."""
    return zlib.crc32(group.encode()) % folds


def cross_validate(examples: Sequence[Example], settings: Training, *, folds: int = 5, progress: Progress | None = None) -> Evaluation:
    """Train on all folds but one, judge that one, for each. Pages of a domain or site are in one fold.

    Args:
        examples: pages with gold.
        settings: of the training.
        folds: how many.
        progress: told how many folds are done, of how many.
    """
    judged: list[Judged] = []
    for fold in range(folds):
        weights = train([example for example in examples if fold_of(example.group, folds) != fold], settings)
        for number, example in enumerate(examples):
            if fold_of(example.group, folds) == fold and len(example.label):
                judged.extend(_judge(number, example, weights, settings))
            elif fold_of(example.group, folds) == fold:
                judged.extend(Judged(number, disguise, 0.0, 0.0, 1.0, 1.0, None) for disguise in (*example.disguises, *example.templates))
        if progress is not None:
            progress(fold + 1, folds)
    return Evaluation(tuple(examples), tuple(judged))


def _judge(number: int, example: Example, weights: Weights, settings: Training) -> Iterator[Judged]:
    page_type = weights.page_types[int(np.argmax(weights.pages.score(page_rows([example]))[0]))] if weights.page_types else None
    of_blocks = {}
    for disguise in example.disguises:
        evidence = without(example.evidence(disguise, weights.vocabulary), settings.drop)
        of_blocks[disguise] = 1 / (1 + np.exp(-weights.log_odds(evidence)))
    alone = choose(of_blocks[PLAIN], example.length)
    for disguise, probability in of_blocks.items():
        choice = choose(probability, example.length)
        yield _judged(number, example, disguise, choice.keep, choice.expected, page_type)
    for name, template in example.templates.items():
        keep = alone.keep if template is None else template & (of_blocks[PLAIN] >= UNLIKELY)
        yield _judged(number, example, name, keep, alone.expected, page_type)


def _judged(number: int, example: Example, disguise: str, keep: NDArray[np.bool_], expected: float, page_type: str | None) -> Judged:
    main = example.label * example.length
    noise = np.clip(1 - example.label - example.excused, 0, 1) * example.length
    return Judged(
        example=number,
        disguise=disguise,
        f1=example.f1(keep),
        expected=expected,
        lost=float(main[~keep].sum() / max(main.sum(), 1)),
        removed=float(noise[~keep].sum() / noise.sum()) if noise.sum() else 1.0,
        page_type=page_type,
    )
