"""The command line. Each command is a module, which is imported when the command runs."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from tamis.cli.overview import overview


def main() -> None:
    """Run the command line."""
    _reopen_closed()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal in a plain locale shows what it can
    words = sys.argv[1:]
    from tamis.cli import terminal

    try:
        if "_TAMIS_COMPLETE" not in os.environ and words in ([], ["--help"], ["-h"]):
            with terminal.errors_in_a_sentence():
                sys.stdout.write(overview())
                sys.stdout.flush()
            sys.exit(0 if words else 2)
        if len(words) == 2 and words[0] == "extract" and not words[1].startswith("-"):
            _extract(words[1])
        else:
            from tamis.cli.lazy import app

            app()
    except BrokenPipeError:  # who reads the output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if terminal.VOICE.verbose:
            raise
        terminal.complain(f"an error within tamis, {type(error).__name__}: {error} (-v shows where)")
        sys.exit(1)


def _reopen_closed() -> None:
    """Streams that the caller closed (``>&-``): standard output fails when a result is written to it, messages go nowhere."""
    if sys.stdout is None:
        unwritable = os.fdopen(os.open(os.devnull, os.O_RDONLY), "wb", buffering=0)
        sys.stdout = io.TextIOWrapper(unwritable, encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def _extract(source: str) -> None:
    """``tamis extract FILE``, the most common command, without loading Typer."""
    from tamis.cli import page, terminal

    with terminal.errors_in_a_sentence():
        page.show(page.cleaned(source))


def __getattr__(name: str) -> Any:
    if name in ("app", "Commands"):
        from tamis.cli import lazy

        return getattr(lazy, name)
    raise AttributeError(f"module 'tamis.cli' has no attribute {name!r}")
