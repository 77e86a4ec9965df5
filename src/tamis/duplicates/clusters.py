"""Clusters of copies around the documents that are kept.

Each document is compared with those kept before it, best first. It is a copy of the first one that is the same, or it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tamis.duplicates.rule import DuplicateEvidence, DuplicateRule
from tamis.errors import UsageError, check_numbers

Survivor = Literal["longest", "earliest", "best address"]
SURVIVORS: tuple[Survivor, ...] = ("longest", "earliest", "best address")
Likeness = Literal["identical", "same address", "near", "part of", "contains"]


@dataclass(frozen=True, slots=True)
class Deduplication:
    """Settings: which documents are copies, and which are kept.

    Raises:
        UsageError: an unknown order, or a number out of its range.
    """

    rule: DuplicateRule = DuplicateRule()
    survivor: Survivor = "longest"
    """The copy to keep: that with the most letters (or, without an index, the one among them that most of them name as their
    canonical address), that with the earliest time, or that with the best address (secure, without
    a query, short). Ties are decided by the other two, then by id."""
    addresses: bool = True
    """Documents with the same address in canonical form are copies, whatever their texts (unless a text is too short to compare)."""
    most_compared: int | None = 1_000
    """Most documents that one document is compared with: those that share the most features with it. If it is the same as none of them, it
    is kept and counted in :attr:`Clusters.crowded`. A bound for collections of pages with similar features and different texts. None: no
    bound."""

    def __post_init__(self) -> None:
        if self.survivor not in SURVIVORS:
            raise UsageError(f"the survivor is one of {', '.join(SURVIVORS)}, not {self.survivor!r}")
        check_numbers(self, positive=("most_compared",))


@dataclass(frozen=True, slots=True)
class Member:
    """A document that is a copy."""

    id: str
    likeness: Likeness  #: Of this document to the one that is kept for it.
    evidence: DuplicateEvidence | None = None  #: The comparison of the two; None if texts were not compared.
    url: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return {
            "id": self.id,
            "url": self.url,
            "likeness": self.likeness,
            "evidence": self.evidence.to_dict() if self.evidence is not None else None,
        }


@dataclass(frozen=True, slots=True)
class Cluster:
    """A document that is kept, and its copies."""

    kept: str  #: Id of the document that is kept.
    members: tuple[Member, ...]  #: Its copies, by id.
    url: str | None = None  #: Address of the kept document.
    earlier: bool = False  #: It is of an earlier run (of an index).

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids, that of the kept document first."""
        return (self.kept, *(member.id for member in self.members))

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return {"kept": self.kept, "url": self.url, "earlier": self.earlier, "copies": [member.to_dict() for member in self.members]}


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clusters of copies, and the kept documents."""

    clusters: tuple[Cluster, ...]  #: Clusters with copies, by the id of the kept document.
    survivors: tuple[str, ...]  #: Ids of all documents of this run that are kept, those left alone too, sorted.
    left_alone: tuple[str, ...] = ()  #: Ids of documents that say too little to be compared, sorted; they are kept.
    crowded: tuple[str, ...] = ()  #: Ids of documents that are kept because of :attr:`Deduplication.most_compared`, sorted.

    @property
    def copies(self) -> int:
        """Number of documents that are copies."""
        return sum(len(cluster.members) for cluster in self.clusters)

    def kept_for(self) -> dict[str, str]:
        """Return for each copy, the id of the document that is kept for it."""
        return {member.id: cluster.kept for cluster in self.clusters for member in cluster.members}

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield every pair of documents in a cluster, each in the order of the ids."""
        for cluster in self.clusters:
            ids = sorted(cluster.ids)
            yield from ((one, other) for place, one in enumerate(ids) for other in ids[place + 1 :])

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        return {
            "clusters": [cluster.to_dict() for cluster in self.clusters],
            "survivors": list(self.survivors),
            "left_alone": list(self.left_alone),
            "crowded": list(self.crowded),
        }
