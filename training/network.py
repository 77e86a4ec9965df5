"""Fitting: a network over the sequence of a page's blocks, from examples to weights.

The gradient is written out for the one network that there is (:class:`tamis.content.network.Network`). Pages are laid one after the other
with as many empty rows between them as the last layer reaches, so that no page sees another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence import COLUMNS, GROUPS
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.evidence.words import WORDS, LearnedWords
from tamis.content.network import LAYERS, ROLES, Network, Table
from tamis.errors import MissingExtraError, UsageError
from training.examples import NAMELESS, PLAIN, SHUFFLED, Example, columns_of, weigh, without

Parameters = dict[str, Table]
Learned = tuple[Vocabulary, LearnedWords]
"""Learned names, and learned words."""
REACH = 1 << LAYERS - 1
"""Blocks before and after a block that the last layer looks at."""
_FAST, _SLOW = 0.1, 0.002
"""How quickly the means of the gradient and of its square forget (Adam)."""
_SAMPLE = 30_000
"""Blocks by which evidence is scaled."""
_CALM = 0.3
"""Share of the training after which the weights are averaged."""
_SAID = [COLUMNS.index(name) for name in WORDS]
_SHORT = 0.01
"""What a block weighs for its roles beside its share of the page: titles and bylines are short."""
_TYPE_STRENGTH, _TYPE_STEPS = 0.05, 300
"""Inverse regularisation and most steps of the regression of page types."""


def squash(evidence: Table, scale: Table) -> Table:
    """Evidence as networks see it: brought to -1..1, float32 ``(b, c)``; 0 where it is not known."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(evidence / (np.abs(evidence) + scale), nan=0.0))


def constant_network(scale: Table) -> Network:
    """A network that gives 0 for everything. ``scale``: of each column, float32 ``(c,)``."""
    shapes = ((len(scale) + 1, 1), (2, 1), (LAYERS, 4, 1), (2, 1), (2, 1))
    return Network(scale, *(np.zeros(shape, dtype=np.float32) for shape in shapes))


@dataclass(frozen=True, slots=True)
class Training:
    """Settings of training.

    Raises:
        UsageError: a value is out of its range.
    """

    networks: int = 2
    """Networks that are trained, of which the mean counts."""
    width: int = 32
    """Channels."""
    passes: int = 6
    """How often each page is shown."""
    rate: float = 3e-3
    """Learning rate at its highest; it falls to a third."""
    omitted: float = 0.1
    """Share of the channels that is left out at each step (dropout)."""
    average: float = 0.997
    """What each step keeps of the mean of the weights."""
    batch: int = 4000
    """Blocks of a step."""
    longest: int = 500
    """Blocks of a page that are shown at once."""
    wordless: float = 0.25
    """Share of the pages that are shown without learned words."""
    roles: float = 0.3
    """What a role of a block weighs beside whether it is main text."""
    inserted: float = 1.0
    """What a block in an inserted box weighs, beside another; in every second network twice as much, and only these learn from lists."""
    more: float = 0.5
    """What a page of a site that is only trained on weighs, beside another."""
    disguised: float = 0.3
    """Share of the pages that are shown in disguise."""
    balance: float = 0.5
    """From 0, where every page counts the same, to 1, where every collection does."""
    seed: int = 2
    """Where chance begins."""
    drop: tuple[str, ...] = ()
    """Groups of evidence to do without (:data:`tamis.content.evidence.GROUPS`)."""

    def __post_init__(self) -> None:
        if unknown := set(self.drop) - set(GROUPS):
            raise UsageError(f"there is no group of evidence {', '.join(sorted(unknown))}; groups are {', '.join(GROUPS)}")
        if min(self.networks, self.width, self.passes, self.batch, self.longest) < 1:
            raise UsageError("networks, width, passes, batch and longest are numbers from 1")


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """How evidence is brought to numbers with mean 0 and deviation 1."""

    scale: Table
    mean: Table
    deviation: Table

    @classmethod
    def of(cls, tables: Sequence[Table]) -> Scaling:
        """From the evidence of some pages."""
        sample = np.concatenate(tables)
        scale = np.ones(sample.shape[1], dtype=np.float32)
        for column in range(len(scale)):
            size = np.abs(sample[:, column])
            size = size[np.isfinite(size) & (size > 0)]
            if len(size):
                scale[column] = np.median(size)
        values = squash(sample, scale)
        return cls(scale, values.mean(axis=0), values.std(axis=0) + np.float32(1e-3))

    def __call__(self, evidence: Table) -> Table:
        """Scaled evidence, float32 ``(b, c)``."""
        return (squash(evidence, self.scale) - self.mean) / self.deviation

    def undone(self, weights: Table) -> Table:
        """Weights of scaled evidence as weights of evidence that is only squashed; the last row is added."""
        plain = weights[:-1] / self.deviation[:, None]
        return np.asarray(np.concatenate((plain, weights[-1:] - self.mean @ plain)), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Parts of pages one after the other: ``t`` rows, of which some are empty."""

    values: Table
    """Scaled evidence, float32 ``(t, c)``."""
    label: Table
    """Of main text and of each role, float32 ``(t, 1 + r)``."""
    weight: Table
    """Float32 ``(t, 1 + r)``; 0 in empty rows, and where a role is not known."""
    there: Table
    """1 where there is a block, else 0, float32 ``(t, 1)``."""
    start: NDArray[np.intp]
    """First row of each page."""
    size: Table
    """Blocks of each page, float32 ``(p, 1)``."""

    def mean(self, rows: Table) -> Table:
        """Means over the pages, float32 ``(p, w)``. ``rows``: 0 where there is no block."""
        return np.asarray(np.add.reduceat(rows, self.start) / self.size)

    def spread(self, pages: Table) -> Table:
        """One row for each block, float32 ``(t, w)``, from one for each page."""
        return np.repeat(pages, np.diff(np.append(self.start, len(self.there))), axis=0) * self.there


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """The pages to train on."""

    examples: Sequence[Example]
    """Pages with gold, each with some block."""
    learned: Sequence[Learned]
    """For each page what was not fitted to it."""
    drop: Sequence[str]
    """Groups of evidence to do without."""

    def evidence(self, page: int, disguise: str) -> Table:
        """The evidence of a page in a disguise, float32 ``(b, c)``."""
        return without(self.examples[page].evidence(disguise, *self.learned[page]), self.drop)

    def scaling(self, dice: np.random.Generator) -> Scaling:
        """A scaling of evidence by some blocks of some pages."""
        tables: list[Table] = []
        for page in dice.permutation(len(self.examples)):
            evidence = self.evidence(page, PLAIN)
            tables.append(evidence[dice.permutation(len(evidence))[:50]])
            if sum(map(len, tables)) > _SAMPLE:
                break
        return Scaling.of(tables)


def fit_networks(
    examples: Sequence[Example], learned: Sequence[Learned], settings: Training = Training()
) -> tuple[tuple[Network, ...], Table, tuple[str, ...]]:
    """Fit networks that give the log-odds of each block being main text, and what tells the page types.

    Args:
        examples: pages with gold.
        learned: for each page names and words that were not fitted to it.
        settings: of the training.

    Returns:
        The networks, the weights of the page types (:attr:`tamis.content.weights.Weights.types`), and the types.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    taught = [pair for pair in zip(examples, learned, strict=True) if len(pair[0].label)]
    if not taught:
        return (constant_network(np.ones(len(COLUMNS), dtype=np.float32)),), np.zeros((len(COLUMNS) + 1, 0), dtype=np.float32), ()
    pages, unlisted = (
        Pages([example for example, _ in some], [known for _, known in some], settings.drop)
        for some in (taught, [pair for pair in taught if not pair[0].is_list])
    )
    scaling = pages.scaling(np.random.default_rng(settings.seed))
    networks = tuple(
        _fit_one(
            pages if k % 2 else unlisted,
            scaling,
            replace(settings, inserted=settings.inserted * (1 + k % 2)),
            np.random.default_rng((settings.seed, k)),
        )
        for k in range(settings.networks)
    )
    return networks, *_fit_types(pages, scaling)


def _fit_types(pages: Pages, scaling: Scaling) -> tuple[Table, tuple[str, ...]]:
    """What tells the page types: a logistic regression on the mean evidence of each page."""
    typed = [page for page, example in enumerate(pages.examples) if example.typed]
    kinds = tuple(sorted({pages.examples[page].page_type for page in typed}))
    if len(kinds) < 2:
        return np.zeros((len(COLUMNS) + 1, len(kinds)), dtype=np.float32), kinds
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    means = [scaling(pages.evidence(page, PLAIN)).mean(axis=0) for page in typed]
    model = LogisticRegression(C=_TYPE_STRENGTH, max_iter=_TYPE_STEPS).fit(means, [pages.examples[page].page_type for page in typed])
    weights, bias = model.coef_, model.intercept_
    if len(kinds) == 2:  # scikit-learn gives the score of the second type alone
        weights, bias = np.concatenate((-weights, weights)) / 2, np.concatenate((-bias, bias)) / 2
    return scaling.undone(np.concatenate((weights.T, bias[None])).astype(np.float32)), kinds


def _fit_one(pages: Pages, scaling: Scaling, settings: Training, dice: np.random.Generator) -> Network:
    weights = _beginning(len(COLUMNS), settings.width, dice)
    mean, square = ({name: np.zeros_like(value) for name, value in weights.items()} for _ in range(2))
    total = max(1, sum(min(len(example.label), settings.longest) for example in pages.examples) * settings.passes // settings.batch)
    average: Parameters = {}
    for step, batch in enumerate(_batches(pages, scaling, settings, dice), start=1):
        gradient = _gradient(weights, batch, settings.omitted, dice)
        size = np.sqrt(sum(float((value**2).sum()) for value in gradient.values()))
        done = min(step / total, 1)
        rate = settings.rate * min(1, 12 * done) * (0.3 + 0.35 * (1 + np.cos(np.pi * done)))
        for name, value in gradient.items():
            slope = value * np.float32(min(1, 1 / (size + 1e-9)))
            mean[name] += np.float32(_FAST) * (slope - mean[name])
            square[name] += np.float32(_SLOW) * (slope**2 - square[name])
            first, second = mean[name] / (1 - (1 - _FAST) ** step), square[name] / (1 - (1 - _SLOW) ** step)
            weights[name] -= np.float32(rate) * (first / (np.sqrt(second) + np.float32(1e-8))).astype(np.float32)
        if not average or done < _CALM:
            average = {name: value.copy() for name, value in weights.items()}
        for name in average:
            average[name] += np.float32(1 - settings.average) * (weights[name] - average[name])
    entry = scaling.undone(average["entry"])
    entry[columns_of(settings.drop)] = 0
    steps = np.stack([average[f"step {layer}"] for layer in range(LAYERS)])
    return Network(scaling.scale, entry, average["page"], steps, average["last"], average["out"])


def _beginning(columns: int, width: int, dice: np.random.Generator) -> Parameters:
    """Weights by chance."""

    def drawn(inputs: int, outputs: int, size: float) -> Table:
        values = dice.standard_normal((inputs + 1, outputs)) * size * np.sqrt(2 / inputs)
        values[-1] = 0
        return np.asarray(values, dtype=np.float32)

    steps = {f"step {layer}": drawn(3 * width, width, 0.5) for layer in range(LAYERS)}
    square = {"page": drawn(width, width, 0.3), **steps, "last": drawn(width, width, 1)}
    return {"entry": drawn(columns, width, 0.7), **square, "out": drawn(width, 1 + len(ROLES), 0.5)}


def _batches(pages: Pages, scaling: Scaling, settings: Training, dice: np.random.Generator) -> Iterator[Batch]:
    """Pages in an order by chance, as often as the settings say, some of them in disguise."""
    examples = pages.examples
    count = {name: sum(example.collection == name for example in examples) for name in {example.collection for example in examples}}
    share = np.array([count[example.collection] ** -settings.balance for example in examples])
    share /= share.mean()
    for _ in range(settings.passes):
        parts: list[tuple[Table, NDArray[np.float64], NDArray[np.float64]]] = []
        for page in dice.permutation(len(examples)):
            example = examples[page]
            disguise = (NAMELESS, SHUFFLED)[dice.integers(2)] if dice.random() < settings.disguised else PLAIN
            first = int(dice.integers(max(len(example.label) - settings.longest, 0) + 1))
            part = slice(first, first + settings.longest)
            evidence = pages.evidence(page, disguise)[part]
            if dice.random() < settings.wordless:
                evidence[:, _SAID] = 0
            label, weight = targets(example, settings)
            parts.append((scaling(evidence), label[part], share[page] * weight[part]))
            if sum(len(label) for _, label, _ in parts) >= settings.batch:
                yield _batch(parts)
                parts = []
        if parts:
            yield _batch(parts)


def targets(example: Example, settings: Training) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what a page teaches of its blocks, and what that weighs, float64 ``(b, 1 + r)`` each."""
    known = ~np.isnan(example.roles)
    label = np.column_stack((np.clip(example.label, 0, 1), np.where(known, example.roles, 0)))
    of_roles = settings.roles * known * (weigh(example, open_text=1.0) + _SHORT)[:, None]
    of_block = np.where(example.inserted, settings.inserted, settings.more if example.more else 1)
    return label, np.column_stack((weigh(example), of_roles)) * of_block[:, None]


def _batch(parts: Sequence[tuple[Table, NDArray[np.float64], NDArray[np.float64]]]) -> Batch:
    size = np.array([len(label) for _, label, _ in parts])
    start = np.cumsum(size + REACH) - size - REACH
    rows = np.concatenate([np.arange(first, first + length) for first, length in zip(start, size, strict=True)])

    def laid(values: NDArray[np.floating]) -> Table:
        column = np.zeros((int(start[-1] + size[-1]) + REACH, values.size // len(rows)), dtype=np.float32)
        column[rows] = values.reshape(len(rows), -1)
        return column

    values, label, weight = (laid(np.concatenate(own)) for own in zip(*parts, strict=True))
    return Batch(values, label, weight, laid(np.ones(len(rows))), start, size[:, None].astype(np.float32))


def _gradient(weights: Parameters, batch: Batch, omitted: float, dice: np.random.Generator) -> Parameters:
    """The gradient of the cross entropy, by page."""
    there, width = batch.there, len(weights["last"]) - 1

    def through(values: Table, name: str) -> Table:
        return np.asarray(np.maximum(values @ weights[name][:-1] + weights[name][-1], 0))

    def kept() -> Table:
        return np.asarray((dice.random((len(there), width), dtype=np.float32) >= omitted) * (there / np.float32(1 - omitted)))

    entry = through(batch.values, "entry") * kept()
    mean = batch.mean(entry)
    page = through(mean, "page")
    here = entry + batch.spread(page)
    inputs, outputs = [], []
    for layer in range(LAYERS):
        around = np.zeros((len(here), 3 * width), dtype=np.float32)
        step = 1 << layer
        around[step:, :width], around[:, width : 2 * width], around[:-step, 2 * width :] = here[:-step], here, here[step:]
        inputs.append(around)
        outputs.append(through(around, f"step {layer}") * kept())
        here = here + outputs[-1]
    last = through(here, "last")
    with np.errstate(over="ignore"):
        probability = 1 / (1 + np.exp(-(last @ weights["out"][:-1] + weights["out"][-1])))

    found: Parameters = {}

    def back(name: str, values: Table, slope: Table) -> Table:
        """Note the gradient of weights; give that of the values."""
        found[name] = np.concatenate((values.T @ slope, slope.sum(axis=0, keepdims=True)))
        return np.asarray(slope @ weights[name][:-1].T)

    slope = back("out", last, (probability - batch.label) * batch.weight / np.float32(len(batch.size)))
    slope = back("last", here, slope * (last > 0))
    kept_share = np.float32(1 / (1 - omitted))
    for layer in reversed(range(LAYERS)):
        around = back(f"step {layer}", inputs[layer], slope * (outputs[layer] > 0) * kept_share)
        step = 1 << layer
        slope = slope + around[:, width : 2 * width]
        slope[:-step] += around[step:, :width]
        slope[step:] += around[:-step, 2 * width :]
        slope *= there
    page_slope = back("page", mean, np.add.reduceat(slope, batch.start) * (page > 0))
    slope += batch.spread(page_slope / batch.size)
    back("entry", batch.values, slope * (entry > 0) * kept_share)
    return found
