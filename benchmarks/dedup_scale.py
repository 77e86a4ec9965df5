"""Time and memory of finding near-duplicates among more and more synthetic documents, each run in its own process.

Processor time without making the documents; memory is the most that was resident, and what the process had before the first document. A
method that ran out of time or memory at one size is not asked for a larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib.util import find_spec

from benchmarks.child import OUT_OF_TIME, measured_in_child
from benchmarks.choosing import chosen
from benchmarks.timing import Progress, unseen
from tamis.errors import UsageError

SCALED: dict[str, tuple[str | None, int | None]] = {
    "tamis": (None, None),
    "tamis, index on disk": ("lmdb", None),
    "tamis, brute force": (None, 2_000),
    "feature code, forest": (None, None),
    "datasketch": ("datasketch", None),
    "rensa": ("rensa", None),
    "simhash": ("simhash", 20_000),
}
"""Methods, the module that each needs, and the most documents that it is asked for, where its cost is square."""


@dataclass(frozen=True, slots=True)
class ScaleRun:
    """One method and one number of documents."""

    method: str
    documents: int
    seconds: float | None = None  #: Processor time without making the documents; None where it failed.
    wall: float | None = None  #: Seconds that passed, making the documents included.
    peak: int | None = None  #: Most resident memory, in bytes.
    before: int | None = None  #: Resident memory before the first document, in bytes.
    precision: float | None = None  #: Of every two documents in a cluster (or pairs, where the method gives pairs).
    recall: float | None = None
    lost: float | None = None  #: Share of the removed documents whose kept document is of another group (methods that keep one).
    disk: int | None = None  #: Bytes of the index on disk.
    one_more: float | None = None  #: Processor seconds of asking for one more document, mean.
    one_more_wall: float | None = None  #: Seconds that passed while it was asked for, median.
    error: str | None = None


def measure_scale(
    sizes: Sequence[int],
    names: Sequence[str] | None = None,
    *,
    timeout: float,
    memory: int,
    progress: Progress = unseen,
) -> tuple[tuple[ScaleRun, ...], dict[str, str]]:
    """Run every method on every size, smallest first.

    Args:
        sizes: numbers of documents.
        names: of :data:`SCALED`; None: all.
        timeout: seconds of processor time that one run may take.
        memory: megabytes of memory that it may take.
        progress: called with how many runs are done, of how many.

    Returns:
        The runs, and the methods that cannot run here, each with the reason.

    Raises:
        UsageError: a name is unknown, or a number makes no sense.
    """
    wanted = chosen("method", names, SCALED, more=" for sizes", between="; ")
    if min(sizes, default=1) < 1:
        raise UsageError("sizes are 1 document or more")
    missing = {name: "not installed" for name in wanted if (module := SCALED[name][0]) is not None and find_spec(module) is None}
    runs: list[ScaleRun] = []
    tasks = [(name, size) for size in sorted(set(sizes)) for name in wanted if name not in missing and size <= (SCALED[name][1] or size)]
    ended: set[str] = set()
    for done, (name, size) in enumerate(tasks):
        if name not in ended:
            runs.append(run_one(name, size, timeout, memory))
            if runs[-1].error is not None:
                ended.add(name)
        progress(done + 1, len(tasks))
    return tuple(runs), missing


def run_one(name: str, documents: int, timeout: float, memory: int) -> ScaleRun:
    """One run, in its own process."""
    answer = measured_in_child("dedup_scale_child", name, documents, timeout, memory, timeout=20 * timeout, threads=1)
    if answer.get("code") == OUT_OF_TIME:
        answer["error"] = f"more than {timeout:g} s of processor time"
    return ScaleRun(name, documents, **{field.name: answer[field.name] for field in fields(ScaleRun) if field.name in answer})
