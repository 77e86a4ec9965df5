"""Task functions for the tests: child processes import them by name."""

import ctypes
import sys
import time

from tamis.corpus.cleaning import clean
from tamis.corpus.tables import Writer, read_columns
from tamis.corpus.templates import survey
from tamis.io.pages import HeldPage


def double(work):
    (work.path("numbers.txt")).write_text("\n".join(str(2 * n) for n in work.task.needs["numbers"]))
    return {"items": len(work.task.needs["numbers"])}


def loaded(work):
    """Whether modules were loaded that a table is written and read without."""
    with Writer(work.path("table.parquet"), {"text": "string"}) as writer:
        writer.add({"text": "a text"})
    read_columns(work.path("table.parquet"), ["text"])
    return {name: name in sys.modules for name in ("pandas", "pyarrow.dataset", "pyarrow.compute")}


def fragile(work):
    """Does items; some kill the process, some never end."""
    done = []
    for position, item in enumerate(work.task.needs["items"]):
        if position in work.lost:
            continue
        work.note(position)
        if item == "crash":
            ctypes.string_at(0)
        if item == "hang":
            time.sleep(60)
        if item == "error":
            raise ValueError("a mistake of the task's own")
        if item == "memory":
            bytearray(1 << 34)
        done.append(item)
    work.path("done.txt").write_text("\n".join(done))
    return {"done": done, "lost": {str(position): reason for position, reason in work.lost.items()}}


def poisoned(function):
    """A task of the pipeline in a process where some pages crash the library that takes them apart, or keep it from ever ending."""

    def work_on(work):
        read = HeldPage.read
        HeldPage.read = lambda page, *limits: _harm(read(page, *limits))
        try:
            return function(work)
        finally:
            HeldPage.read = read

    return work_on


def _harm(served):
    if "<!-- crash -->" in served.html:
        ctypes.string_at(0)
    if "<!-- loop -->" in served.html:
        time.sleep(60)
    return served


survey, clean = poisoned(survey), poisoned(clean)
