"""The ways to find near-duplicates that ``python -m benchmarks dedup`` compares: ours, step by step, and our peers'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from benchmarks.all_pairs import find_pairs
from benchmarks.choosing import chosen
from benchmarks.code_pairs import same_codes
from benchmarks.dedup_measures import Found, Group, Method, Pair, Texts
from benchmarks.dedup_peers import PEERS
from benchmarks.timing import timed
from tamis.duplicates.clusters import Deduplication
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.feature_code import feature_code
from tamis.duplicates.finding import find_duplicates
from tamis.duplicates.forest import FeatureCodeForest
from tamis.duplicates.rule import DuplicateRule, compare_signatures
from tamis.duplicates.signature import signature

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
    found, seconds = timed(lambda: find_duplicates(_documents(texts), Deduplication(rule=rule)))
    yield Found(name, seconds, clusters=[[int(id) for id in cluster.ids] for cluster in found.clusters])


def all_pairs(texts: Texts) -> Iterator[Found]:
    """Every pair that the rule accepts, by the index (:func:`benchmarks.all_pairs.find_pairs`)."""
    found, seconds = timed(lambda: [_pair(pair.a, pair.b) for pair in find_pairs(_documents(texts))])
    yield Found(PAIRS, seconds, pairs=found)


def brute_force(texts: Texts, rule: DuplicateRule = DuplicateRule()) -> Iterator[Found]:
    """Every pair that the rule accepts, by comparing all."""

    def pairs() -> list[Pair]:
        made = [signature(text, rule.signature) for text in texts]
        enough = [number for number, one in enumerate(made) if rule.has_enough(one)]
        return [(a, b) for place, b in enumerate(enough) for a in enough[:place] if compare_signatures(made[a], made[b], rule).same]

    found, seconds = timed(pairs)
    yield Found(BRUTE, seconds, pairs=found)


def forest(texts: Texts) -> Iterator[Found]:
    """The paper's forest, as published."""

    def groups() -> list[Group]:
        trees = FeatureCodeForest()
        for number, text in enumerate(texts):
            trees.add(str(number), feature_code(text))
        return [[int(id) for id in cluster] for cluster in trees.clusters()]

    found, seconds = timed(groups)
    yield Found(FOREST, seconds, clusters=found)


def codes(texts: Texts) -> Iterator[Found]:
    """Every pair that the paper's comparison accepts."""
    found, seconds = timed(lambda: [_pair(a, b) for a, b, _ in same_codes({str(k): feature_code(text) for k, text in enumerate(texts)})])
    yield Found(CODES, seconds, pairs=found)


def _step(name: str, rule: DuplicateRule) -> Method:
    return lambda texts: clusters(texts, rule, name)


METHODS: dict[str, Method] = {
    CLUSTERS: clusters,
    PAIRS: all_pairs,
    BRUTE: brute_force,
    **{name: _step(name, rule) for name, rule in STEPS.items()},
    FOREST: forest,
    CODES: codes,
    **PEERS,
}
"""Methods by name; a peer gives a result for each of its settings."""
OF_SQUARE_COST = frozenset({BRUTE})  #: Methods that compare every two documents.


def choose(names: Sequence[str] | None) -> tuple[dict[str, Method], dict[str, str]]:
    """The methods of these names (None: all), and those that cannot run here, each with the reason.

    Raises:
        UsageError: there is no such method.
    """
    wanted = chosen("method", names, METHODS, between="; ")
    missing = {name: "not installed" for name in wanted if name in PEERS and find_spec(name) is None}
    return {name: METHODS[name] for name in wanted if name not in missing}, missing


def warm_up() -> None:
    """Load tables that are loaded on first use, so that no method pays for them."""
    text = "漢字 one two three four five six seven eight nine ten eleven twelve " * 3
    for method in (clusters, all_pairs, forest):
        list(method([text, f"{text} thirteen"]))
