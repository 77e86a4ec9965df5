"""Evaluation: how well a model does on pages whose domain or site it has not seen, by grouped cross-validation."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.decision import choose
from tamis.content.evidence import COLUMNS, GROUPS
from tamis.content.forest import Forest
from tamis.training.examples import PLAIN, Example
from tamis.training.fitting import Training, fit, rows_of

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Judged:
    """What the model made of one page in one disguise."""

    example: int
    disguise: str
    f1: float
    expected: float
    """The F1 that the model expected."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A whole cross-validation."""

    examples: tuple[Example, ...] = field(repr=False)
    judged: tuple[Judged, ...] = field(repr=False)

    def mean(self, collection: str, disguise: str = PLAIN, **where: str) -> float:
        """Mean F1 over the scored pages of a collection; of sites, over a site's pages, then over sites.

        Args:
            collection: name of the folder.
            disguise: how the pages were given.
            where: only examples of this ``page_type``, or ``group``.
        """
        sites: dict[str, list[float]] = {}
        for one in self.judged:
            example = self.examples[one.example]
            if one.disguise != disguise or not example.scored or example.collection != collection:
                continue
            if all(getattr(example, name) == value for name, value in where.items()):
                sites.setdefault(example.group if collection == "sites" else "", []).append(one.f1)
        return float(np.mean([np.mean(scores) for scores in sites.values()])) if sites else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Plain values: mean F1 by collection, disguise, page type or site."""
        result: dict[str, Any] = {}
        for collection in dict.fromkeys(example.collection for example in self.examples):
            by = "group" if collection == "sites" else "page_type"
            values = sorted({getattr(example, by) for example in self.examples if example.collection == collection})
            result[collection] = {
                disguise: {"mean": self.mean(collection, disguise)}
                | {value: self.mean(collection, disguise, **{by: value}) for value in values}
                for disguise in dict.fromkeys(one.disguise for one in self.judged)
                if not np.isnan(self.mean(collection, disguise))
            }
        return result


def fold_of(group: str, folds: int) -> int:
    """The fold of a domain or site: the same in every run and on every machine."""
    return zlib.crc32(group.encode()) % folds


def probabilities(forest: Forest, evidence: NDArray[np.float32]) -> NDArray[np.float64]:
    """The probability of each block, float64 ``(b,)``."""
    return np.asarray(1 / (1 + np.exp(-forest.score(evidence)[:, 0])))


def cross_validate(examples: Sequence[Example], settings: Training, *, folds: int = 5, progress: Progress | None = None) -> Evaluation:
    """Train on all folds but one, judge that one, for each. Pages of a domain or site are in one fold.

    Args:
        examples: pages with gold.
        settings: of the training.
        folds: how many.
        progress: told how many folds are done, of how many.
    """
    judged: list[Judged] = []
    dropped = [COLUMNS.index(name) for group in settings.drop for name in GROUPS[group]]
    for fold in range(folds):
        inside = [number for number, example in enumerate(examples) if fold_of(example.group, folds) == fold]
        others = [example for example in examples if fold_of(example.group, folds) != fold]
        forest = fit(rows_of(others, settings), settings)
        for number in inside:
            judged.extend(_judge(number, examples[number], forest, dropped))
        if progress is not None:
            progress(fold + 1, folds)
    return Evaluation(tuple(examples), tuple(judged))


def _judge(number: int, example: Example, forest: Forest, dropped: list[int]) -> list[Judged]:
    found = []
    for disguise, evidence in example.disguises.items():
        if dropped:
            evidence = evidence.copy()  # noqa: PLW2901
            evidence[:, dropped] = np.nan
        choice = choose(probabilities(forest, evidence), example.length)
        found.append(Judged(number, disguise, example.f1(choice.keep), choice.expected))
    return found
