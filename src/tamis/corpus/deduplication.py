"""Third pass: near-duplicates collapsed, as a star around each document that stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tamis.corpus.tables import DUPLICATES, Writer, rows
from tamis.corpus.tasks import Work
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.finding import find_duplicates


def find(work: Work) -> Mapping[str, Any]:
    """The task: ``duplicates.parquet``."""
    clusters = find_duplicates(_documents(work))
    largest = 0
    with Writer(work.path("duplicates.parquet"), DUPLICATES) as writer:
        for cluster in clusters.clusters:
            largest = max(largest, 1 + len(cluster.members))
            for member in cluster.members:
                evidence = member.evidence
                writer.add(
                    {
                        "id": int(member.id),
                        "survivor": int(cluster.kept),
                        "relation": member.likeness,
                        "resemblance": evidence.resemblance if evidence else None,
                        "containment": evidence.containment if evidence else None,
                    }
                )
    return {"duplicates": writer.count, "clusters": len(clusters.clusters), "largest": largest}


def _documents(work: Work) -> Iterator[TextDocument]:
    for file in work.task.needs["documents"]:
        for row in rows(work.root / file, ["id", "text", "url", "date"]):
            yield TextDocument(f"{row['id']:020d}", row["text"], row["url"], row["date"])
