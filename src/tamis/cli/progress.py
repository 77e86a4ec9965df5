"""Progress bars on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tamis.cli import terminal

Update = Callable[..., None]
"""``update(name, done, total=None, note="")``: moves the bar of this name; the first call makes it."""


@contextmanager
def bars() -> Iterator[Update]:
    """Progress bars with counts, rate and time; none with ``--quiet``, or if standard error is not a terminal."""
    if terminal.VOICE.quiet or not sys.stderr.isatty():
        yield lambda *_, **__: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    note_column = TextColumn("{task.fields[note]}", markup=False, table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    rate_column = TextColumn("{task.fields[rate]}")
    ends = (MofNCompleteColumn(), rate_column, TimeElapsedColumn(), TimeRemainingColumn(), note_column)
    with Progress(
        TextColumn("{task.description:10}"), BarColumn(20), *ends, console=Console(stderr=True), transient=True, expand=True
    ) as shown:
        tasks: dict[str, TaskID] = {}

        def update(name: str, done: int, total: int | None = None, note: str = "") -> None:
            if name not in tasks:
                tasks[name] = shown.add_task(name, total=total, rate="", note="")
            seconds = shown.tasks[tasks[name]].elapsed or 0.001
            shown.update(tasks[name], completed=done, total=total, rate=f"{done / seconds:,.1f}/s", note=terminal.harmless(note))

        yield update
