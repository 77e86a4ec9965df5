"""The ways to find near-duplicates that ``python -m benchmarks dedup`` compares: ours, step by step, and our peers'."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from time import process_time

from benchmarks.all_pairs import find_pairs
from benchmarks.code_pairs import same_codes
from benchmarks.dedup_measures import Group, Pair
from benchmarks.dedup_peers import PEERS
from tamis.duplicates.clusters import Deduplication
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.feature_code import feature_code
from tamis.duplicates.finding import find_duplicates
from tamis.duplicates.forest import FeatureCodeForest
from tamis.duplicates.rule import DuplicateRule, compare_signatures
from tamis.duplicates.signature import signature
from tamis.errors import UsageError

Texts = Sequence[str]


@dataclass(frozen=True, slots=True)
class Found:
    """What one method found among texts, by their numbers."""

    method: str
    seconds: float
    """Processor time, from texts to the answer."""
    pairs: list[Pair] | None = field(default=None, repr=False)
    """None: it gives clusters only."""
    clusters: list[Group] | None = field(default=None, repr=False)
    """The kept one first; None: it gives pairs, which can be joined."""


Method = Callable[[Texts], Iterator[Found]]

CLUSTERS, PAIRS, BRUTE = "tamis", "tamis, all pairs", "tamis, brute force"
FOREST, CODES = "feature code, forest", "feature code, all pairs"
STEPS: dict[str, DuplicateRule] = {
    "tamis, code alone": DuplicateRule(verify=False),
    "tamis, and the text": DuplicateRule(numbers=0.0, subjects=False),
    "tamis, and numbers": DuplicateRule(subjects=False),
}
"""What comes before the whole rule: passages alone; all shingles, too; numbers, too. What the whole adds are words that only one has."""


def _documents(texts: Texts) -> list[TextDocument]:
    return [TextDocument(str(number), text) for number, text in enumerate(texts)]


def _pair(a: str, b: str) -> Pair:
    one, other = int(a), int(b)
    return (one, other) if one < other else (other, one)


def clusters(texts: Texts, rule: DuplicateRule = DuplicateRule(), name: str = CLUSTERS) -> Iterator[Found]:
    """Clusters around the documents that are kept (:func:`tamis.duplicates.finding.find_duplicates`)."""
    start = process_time()
    found = find_duplicates(_documents(texts), Deduplication(rule=rule))
    seconds = process_time() - start
    yield Found(name, seconds, clusters=[[int(id) for id in cluster.ids] for cluster in found.clusters])


def all_pairs(texts: Texts) -> Iterator[Found]:
    """Every pair that the rule accepts, by the index (:func:`benchmarks.all_pairs.find_pairs`)."""
    start = process_time()
    found = [_pair(pair.a, pair.b) for pair in find_pairs(_documents(texts))]
    yield Found(PAIRS, process_time() - start, pairs=found)


def brute_force(texts: Texts, rule: DuplicateRule = DuplicateRule()) -> Iterator[Found]:
    """Every pair that the rule accepts, by comparing all."""
    start = process_time()
    made = [signature(text, rule.signature) for text in texts]
    enough = [number for number, one in enumerate(made) if rule.has_enough(one)]
    found = [(a, b) for place, b in enumerate(enough) for a in enough[:place] if compare_signatures(made[a], made[b], rule).same]
    yield Found(BRUTE, process_time() - start, pairs=found)


def forest(texts: Texts) -> Iterator[Found]:
    """The paper's forest, as published."""
    start = process_time()
    trees = FeatureCodeForest()
    for number, text in enumerate(texts):
        trees.add(str(number), feature_code(text))
    found: list[Group] = [[int(id) for id in cluster] for cluster in trees.clusters()]
    yield Found(FOREST, process_time() - start, clusters=found)


def codes(texts: Texts) -> Iterator[Found]:
    """Every pair that the paper's comparison accepts."""
    start = process_time()
    made = {str(number): feature_code(text) for number, text in enumerate(texts)}
    found = [_pair(a, b) for a, b, _ in same_codes(made)]
    yield Found(CODES, process_time() - start, pairs=found)


def _step(name: str, rule: DuplicateRule) -> Method:
    return lambda texts: clusters(texts, rule, name)


def _peer(name: str) -> Method:
    return lambda texts: (Found(f"{name}, {found.setting}", found.seconds, pairs=found.pairs) for found in PEERS[name](texts))


METHODS: dict[str, Method] = {
    CLUSTERS: clusters,
    PAIRS: all_pairs,
    BRUTE: brute_force,
    **{name: _step(name, rule) for name, rule in STEPS.items()},
    FOREST: forest,
    CODES: codes,
    **{name: _peer(name) for name in PEERS},
}
"""Methods by name; a peer gives a result for each of its settings."""
OF_SQUARE_COST = frozenset({BRUTE})
"""Methods that compare every two documents."""


def choose(names: Sequence[str] | None) -> tuple[dict[str, Method], dict[str, str]]:
    """The methods of these names (None: all), and those that cannot run here, each with the reason.

    Raises:
        UsageError: there is no such method.
    """
    unknown = [name for name in names or () if name not in METHODS]
    if unknown:
        raise UsageError(f"there is no method {', '.join(map(repr, unknown))}; methods are {'; '.join(METHODS)}")
    chosen = list(METHODS) if names is None else list(dict.fromkeys(names))
    missing = {name: "not installed" for name in chosen if name in PEERS and find_spec(name) is None}
    return {name: METHODS[name] for name in chosen if name not in missing}, missing


def warm_up() -> None:
    """Load tables that are loaded on first use, so that no method pays for them."""
    text = "漢字 one two three four five six seven eight nine ten eleven twelve " * 3
    for method in (clusters, all_pairs, forest):
        list(method([text, f"{text} thirteen"]))
