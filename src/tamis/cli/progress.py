"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from tamis.cli import terminal

T = TypeVar("T")


def shown(items: Sequence[T], what: str) -> Iterator[T]:
    """The items, while a bar shows how many are done, the rate and the time left; nothing is shown where nobody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=terminal.VOICE.quiet or not console.is_terminal) as progress:
        yield from progress.track(items, description=what)
