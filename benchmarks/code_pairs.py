"""Every pair of feature codes that the paper's comparison accepts, without comparing all of them.

The comparison (:func:`tamis.duplicates.feature_code.compare`) needs a share of the shorter primary code in the longer one. So of the
shorter code's tokens, all but that share and one more have to be looked up, the rarest first: one of them is in the longer code, or the
pair is not accepted (prefix filtering). What is found is compared. The forest finds some of these pairs; this finds all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import ceil, floor

from tamis.duplicates.feature_code import CodeComparison, CodeSettings, FeatureCode, compare

_Token = tuple[str, int]  #: A token and how often it came before in the code: a multiset as a set.


def same_codes(codes: Mapping[str, FeatureCode], settings: CodeSettings = CodeSettings()) -> Iterator[tuple[str, str, CodeComparison]]:
    """Every pair of codes that are the same by the paper's comparison, and no other.

    Args:
        codes: by id, in any order.
        settings: of the comparison.

    Returns:
        Both ids, the smaller first, and the comparison in that order.

    >>> from tamis.duplicates.feature_code import feature_code
    >>> codes = {"a": feature_code("One.\\nTwo.\\nThree."), "b": feature_code("Two.\\nOne."), "c": feature_code("Four.\\nFive.")}
    >>> [(a, b, comparison.relation) for a, b, comparison in same_codes(codes)]
    [('a', 'b', 'contains')]
    """
    order = sorted((id for id in codes if codes[id].primary), key=lambda id: (len(codes[id]), id))
    place = {id: number for number, id in enumerate(order)}
    tokens = {id: _occurrences(codes[id]) for id in order}
    frequency = Counter(token for found in tokens.values() for token in found)
    holders: dict[_Token, list[str]] = defaultdict(list)
    for id in order:
        for token in tokens[id]:
            holders[token].append(id)
    for id in order:
        rarest = sorted(tokens[id], key=lambda token: (frequency[token], token))[: _prefix(len(codes[id]), settings)]
        for other in sorted({other for token in rarest for other in holders[token] if place[other] > place[id]}):
            a, b = sorted((id, other))
            comparison = compare(codes[a], codes[b], settings)
            if comparison.same:
                yield a, b, comparison


def _occurrences(code: FeatureCode) -> list[_Token]:
    seen: Counter[str] = Counter()
    found = []
    for token in code.primary:
        found.append((token, seen[token]))
        seen[token] += 1
    return found


def _prefix(length: int, settings: CodeSettings) -> int:
    """How many tokens of the shorter code have to be looked up."""
    if settings.between == "compare":
        needed = max(ceil(settings.small * length - 1e-9), 1)
    else:
        needed = min(floor(settings.large * length + 1e-9) + 1, length)  # more than the share, or all
    return length - needed + 1
