"""Measures of near-duplicates found: pairs, and clusters.

Every document has a *group*; two documents of one group are a *true pair*. Documents are numbers from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Pair = tuple[int, int]  #: Two documents, the smaller number first.
Group = Sequence[int]  #: Documents together, the one that is kept first.


@dataclass(frozen=True, slots=True)
class Found:
    """What one method, or one setting of it, found among texts, by their numbers."""

    method: str
    seconds: float  #: Processor time, from texts to the answer.
    pairs: list[Pair] | None = field(default=None, repr=False)  #: None: it gives clusters only.
    clusters: list[Group] | None = field(default=None, repr=False)  #: The kept one first; None: it gives pairs, which can be joined.


Texts = Sequence[str]
Method = Callable[[Texts], Iterator[Found]]


@dataclass(frozen=True, slots=True)
class PairScore:
    """Pairs that were found, against the true pairs."""

    found: int
    right: int
    true: int

    @property
    def precision(self) -> float | None:
        """Share of the found pairs that are true; None where none was found."""
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """Share of the true pairs that were found; None where there are none."""
        return self.right / self.true if self.true else None


@dataclass(frozen=True, slots=True)
class ClusterScore:
    """Clusters against groups. Documents in no cluster are clusters of their own."""

    clusters: int  #: Those of two documents and more.
    pairs: PairScore  #: Every two documents of a cluster.
    precision: float  #: BCubed: share of a document's cluster that is of its group, mean over documents.
    recall: float  #: BCubed: share of a document's group that is in its cluster, mean over documents.
    merged: int  #: Clusters with documents of more than one group.
    removed: int  #: Documents that would be removed: all of a cluster but the one that is kept.
    wrongly: int  #: Those of them whose kept document is of another group.
    largest: int  #: Documents of the largest cluster.

    @property
    def over_merged(self) -> float | None:
        """Share of the clusters with documents of more than one group; None where there are no clusters."""
        return self.merged / self.clusters if self.clusters else None

    @property
    def lost(self) -> float | None:
        """Share of the removed documents whose kept document is of another group; None where none is removed."""
        return self.wrongly / self.removed if self.removed else None


def true_pairs(groups: Sequence[str]) -> int:
    """How many true pairs there are.

    >>> true_pairs(["a", "b", "a", "a"])
    3
    """
    return sum(count * (count - 1) // 2 for count in Counter(groups).values())


def score_pairs(pairs: Iterable[Pair], groups: Sequence[str]) -> PairScore:
    """Measure pairs.

    >>> score_pairs([(0, 1), (1, 2)], ["a", "a", "b", "b"])
    PairScore(found=2, right=1, true=2)
    """
    distinct = set(pairs)
    return PairScore(len(distinct), sum(groups[a] == groups[b] for a, b in distinct), true_pairs(groups))


def score_clusters(clusters: Iterable[Group], groups: Sequence[str]) -> ClusterScore:
    """Measure clusters, of which each document is in one at most.

    BCubed: Bagga and Baldwin (1998), as formulated by Amigó et al. (2009).

    >>> score = score_clusters([(0, 1, 2)], ["a", "a", "b", "b"])
    >>> round(score.precision, 3), score.recall, score.merged, score.wrongly
    (0.667, 0.75, 1, 1)
    """
    size = Counter(groups)
    several = [cluster for cluster in clusters if len(cluster) > 1]
    together = {document for cluster in several for document in cluster}
    alone = [group for document, group in enumerate(groups) if document not in together]
    precision, recall = float(len(alone)), sum(1 / size[group] for group in alone)
    found = right = merged = wrongly = 0
    for cluster in several:
        inside = Counter(groups[document] for document in cluster)
        precision += sum(count * count for count in inside.values()) / len(cluster)
        recall += sum(count * count / size[group] for group, count in inside.items())
        found += len(cluster) * (len(cluster) - 1) // 2
        right += sum(count * (count - 1) // 2 for count in inside.values())
        merged += len(inside) > 1
        wrongly += len(cluster) - inside[groups[cluster[0]]]
    return ClusterScore(
        clusters=len(several),
        pairs=PairScore(found, right, true_pairs(groups)),
        precision=precision / max(len(groups), 1),
        recall=recall / max(len(groups), 1),
        merged=merged,
        removed=sum(len(cluster) - 1 for cluster in several),
        wrongly=wrongly,
        largest=max(map(len, several), default=0),
    )


def joined(pairs: Iterable[Pair], lengths: Sequence[int]) -> list[list[int]]:
    """Pairs joined into clusters by transitive closure; the longest document of each is kept (of equally long ones, the first).

    >>> joined([(0, 1), (1, 2), (3, 4)], [5, 9, 7, 1, 1])
    [[1, 0, 2], [3, 4]]
    """
    root = list(range(len(lengths)))

    def find(document: int) -> int:
        while root[document] != document:
            root[document] = document = root[root[document]]
        return document

    for a, b in pairs:
        root[find(a)] = find(b)
    found: dict[int, list[int]] = {}
    for document in range(len(lengths)):
        found.setdefault(find(document), []).append(document)
    several = [documents for documents in found.values() if len(documents) > 1]
    for documents in several:
        kept = max(documents, key=lambda document: (lengths[document], -document))
        documents.remove(kept)
        documents.insert(0, kept)
    return several
