"""Deduplication: near-duplicates collapsed, each copy with the one document that stands for it.

``order`` (keys of all documents) -> ``slice`` (each slice of the distinct texts) -> ``match`` (each slice against those before it) ->
``resolve`` (which documents stay); the last two again where something is left open, which is rare. The result is the same whatever the
slices are, and however many tasks run at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from tamis.corpus.slices import ROWS
from tamis.corpus.tasks import Manifest

FIRST_FOUND, MORE_FOUND = 1, 8
"""Texts that are looked for of each question: in the first round, later."""
Stage = Callable[[str, str, Sequence[Mapping[str, Any]]], list[Manifest]]
"""Does a stage: its name, the function of its tasks, what each needs."""


def collapse(stage: Stage, signed: Sequence[Manifest], later: str = "", *, parts: bool = False, size: int = ROWS) -> Manifest:
    """Find the duplicates.

    Args:
        stage: does a stage.
        signed: manifests of the tasks that made signatures.
        later: put behind the names of the stages.
        parts: whether a document that is but a part of a longer one is its copy.
        size: texts in a slice.

    Returns:
        The manifest of the task that wrote ``duplicates.parquet``.
    """
    files = {name: [found.files[name] for found in signed] for name in ("keys", "short")}
    (ordered,) = stage(f"order{later}", "ordering:order", [files])
    texts = int(ordered.counts["texts"])
    rows = ordered.files["rows"]
    cuts = [{"rows": rows, "first": first, "count": size} for first in range(0, texts, size)]
    slices = [found.files["postings"].rpartition("/")[0] for found in stage(f"slice{later}", "slices:slice_up", cuts)]
    found: list[str] = []
    questions = copies = None
    for turn in count():
        number = f"{later}.{turn}" if turn else later
        most = MORE_FOUND if turn else FIRST_FOUND
        asked = {"slices": slices, "size": size, "parts": parts, "questions": questions, "copies": copies}
        tasks = [{**asked, "slice": here, "most": most} for here in range(len(slices))]
        found += [manifest.files["found"] for manifest in stage(f"match{number}", "slices:match", tasks)]
        needs = {**{name: ordered.files[name] for name in ("documents", "repeated")}, "found": found}
        (resolved,) = stage(f"resolve{number}", "survivors:resolve", [needs])
        if not resolved.counts["open"]:
            break
        questions, copies = resolved.files["questions"], resolved.files["copies"]
    return resolved
