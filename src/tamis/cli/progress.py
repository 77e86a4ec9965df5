"""Progress bars on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from tamis.cli import terminal

T = TypeVar("T")
Update = Callable[..., None]
"""``update(name, done, total=None, note="")``: moves the bar of a name, which is made at its first call."""


@contextmanager
def bars() -> Iterator[Update]:
    """Bars with how many are done, the rate and the time; nothing is shown with ``--quiet``, or where nobody looks."""
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


def shown(items: Sequence[T], what: str) -> Iterator[T]:
    """The items, while a bar shows how many are done."""
    with bars() as update:
        for number, item in enumerate(items):
            update(what, number, len(items))
            yield item
