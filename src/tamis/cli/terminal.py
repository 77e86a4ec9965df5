"""Output of commands: results on standard output; messages, tables and progress on standard error."""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, NoReturn

import tamis
from tamis.errors import TamisError, UsageError
from tamis.io.writing import written_whole

if TYPE_CHECKING:
    from rich.text import Text

ERROR, USAGE, NOTHING, TOO_MANY_FAILED, INTERRUPTED = 1, 2, 3, 4, 130  #: Exit codes.
KEPT, DROPPED = ("+ ", "bold green"), ("- ", "red")  #: Marks of blocks, with their styles.

_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "�")


@dataclass
class Voice:
    """Verbosity of the running command."""

    verbose: bool = False
    quiet: bool = False
    start: float = field(default_factory=time.monotonic)  #: Start of the command.


VOICE = Voice()


def reset() -> None:
    """Back to the default; a command begins."""
    VOICE.verbose = VOICE.quiet = False
    VOICE.start = time.monotonic()


def say(message: str) -> None:
    """Print a message on standard error, unless ``--quiet`` was given."""
    if not VOICE.quiet:
        print(harmless(message), file=sys.stderr)


def say_unreadable(failures: list[str]) -> None:
    """Count the pages that could not be read, with one of the reasons."""
    if failures:
        say(f"{counted(len(failures), 'page')} could not be read, such as: {failures[0]}")


def from_here(path: str) -> str:
    """Return an absolute path below the working folder as a relative one; any other name as it is."""
    return path.removeprefix(f"{Path.cwd()}/")


def say_mixed(mixed: Mapping[str, str], otherwise: str = "") -> None:
    """Name what was taken for one site, but has pages of several hosts, and say what to do (``otherwise``: what else)."""
    for site, hosts in mixed.items():
        said = f"{from_here(site)} was taken for one site, but has pages of several ({hosts})"
        say(f"note: {said}: put those of each into a folder of its own, and name these folders{otherwise}")


def skipped_files(names: list[str]) -> str:
    """Return sentences that count the skipped files and name one: possible sources of pages first, then others; empty for none."""
    from tamis.io.arguments import kind_of

    many = [name for name in names if kind_of(name) in ("lines", "parquet")]
    others = [name for name in names if kind_of(name) not in ("lines", "parquet")]
    said = []
    for skipped, what, then in (
        (many, "of JSON lines or Parquet", "; to clean their pages, name the files, and their field if it is another (--html-field)"),
        (others, "that are not pages" if len(others) > 1 else "that is not a page", ""),
    ):
        kinds = Counter(Path(name).suffix.lower() or "without a suffix" for name in skipped).most_common()
        listed = ", ".join(f"{count:,} {kind}" for kind, count in kinds[:5]) + (", ..." if len(kinds) > 5 else "")
        if skipped:
            said.append(f"skipped {counted(len(skipped), 'file')} {what} ({listed}), such as {skipped[0]}{then}")
    return "\n".join(said)


def complain(message: str) -> None:
    """Print an error."""
    print(f"tamis: {harmless(message)}", file=sys.stderr)


def stop(message: str, code: int = NOTHING) -> NoReturn:
    """Print why there is no result, and end the command with this code."""
    complain(message)
    raise SystemExit(code)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular or plural.

    >>> counted(1, "page"), counted(2_000, "page"), counted(0, "copy"), counted(2, "address")
    ('1 page', '2,000 pages', '0 copies', '2 addresses')
    """
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + ("es" if noun.endswith("s") else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def extent(model: tamis.SiteModel) -> str:
    """Return the number of pages and layouts that a model was learned from, in words."""
    return f"{counted(sum(len(layout.members) for layout in model.layouts), 'page')} in {counted(len(model.layouts), 'layout')}"


def beginning(text: str, most: int = 100) -> str:
    """Return the beginning of a text, at most ``most`` characters; an ellipsis replaces the rest.

    >>> beginning("the ebb tide", 4), beginning("ebb", 4)
    ('the…', 'ebb')
    """
    return text if len(text) <= most else text[:most].rstrip() + "…"


def harmless(text: str) -> str:
    """Return the text without control characters, which could command the terminal it is shown on; line ends and tabs stay."""
    return text.translate(_CONTROL)


def to_stdout(text: str | Iterable[str]) -> None:
    """Write a result, or its pieces, as UTF-8, also where the locale says otherwise; on a terminal in what that shows, without control
    characters."""
    terminal = sys.stdout.isatty()
    encoding = sys.stdout.encoding if terminal else "utf-8"
    sys.stdout.flush()
    for piece in _in_pieces(text):
        sys.stdout.buffer.write((harmless(piece) if terminal else piece).encode(encoding, "replace"))
    sys.stdout.buffer.flush()


def _in_pieces(text: str | Iterable[str]) -> Iterable[str]:
    return [text] if isinstance(text, str) else text


def write(content: bytes | Iterable[str], output: Path, what: str = "") -> None:
    """Write a file that appears when it is complete, and say so. ``what``: what is written, in words."""
    with written_whole(output) as stream:
        stream.writelines([content] if isinstance(content, bytes) else (piece.encode("utf-8", "replace") for piece in content))
    say(f"{what} written to {output}".lstrip())


def deliver(result: str | Iterable[str], output: Path | None, what: str = "") -> None:
    """Write a result, or its pieces, to standard output, or to a file (:func:`write`)."""
    if output is None:
        to_stdout(result)
    else:
        write(_in_pieces(result), output, what)


def deliver_json(values: object, output: Path | None = None) -> None:
    """Write plain values as JSON to standard output or to a file."""
    deliver(json.dumps(values, ensure_ascii=False, indent=1) + "\n", output)


def say_summary(summary: Mapping[str, object], *, to_stderr: bool = False) -> None:
    """Write the summary of a command as one line of JSON, on standard output unless that has the results themselves."""
    line = json.dumps({**summary, "seconds": round(time.monotonic() - VOICE.start, 3)}, ensure_ascii=False, default=str) + "\n"
    if to_stderr:
        sys.stderr.write(line)
    else:
        to_stdout(line)


def deliver_lines(lines: Iterable[Text], output: Path | None = None) -> None:
    """Write coloured lines, never folded: with colours to a terminal, without to a file or a pipe."""
    from rich.console import Console

    page = None if output is None and sys.stdout.isatty() else StringIO()
    console = Console(file=page, highlight=False, **({} if page is None else {"width": 10_000}))  # type: ignore[arg-type]
    for line in lines:
        line.plain = harmless(line.plain)
        console.print(line, soft_wrap=True)
    if page is not None:
        deliver(page.getvalue(), output)


def columns(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table with a heading for each column; all columns but the last are as wide as their longest cell.

    >>> print(columns(["pages", "place"], [[12, "main"], [3, "aside"]]), end="")
    pages  place
       12  main
        3  aside
    """
    cells = [headings, *([str(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "".join(
        "  ".join([*(f"{cell:>{width}}" for cell, width in zip(row, widths[:-1], strict=False)), row[-1]]) + "\n" for row in cells
    )


def table(rows: Iterable[tuple[str, int | str, str]]) -> None:
    """Print names, numbers and remarks in columns on standard error, unless ``--quiet``; a long remark wraps within its column."""
    if VOICE.quiet:
        return
    cells = [(name, f"{number:,}" if isinstance(number, int) else number, harmless(remark)) for name, number, remark in rows]
    first, second = (max(len(row[column]) for row in cells) for column in (0, 1))
    room = max(get_terminal_size().columns - first - second - 4, 20)
    for name, number, remark in cells:
        start, *more = wrap(remark, room) or [""]
        print(f"{name:{first}}  {number:>{second}}  {start}".rstrip(), file=sys.stderr)
        for line in more:
            print(" " * (first + second + 4) + line, file=sys.stderr)


Update = Callable[..., None]
"""``update(name, done, total=None, note="")``: moves the bar of this name; the first call makes it."""


class Reasons(Counter[str]):
    """Numbers of failed pages by the stage at which they failed, with the first reason of each."""

    def __init__(self) -> None:
        super().__init__()
        self.examples: dict[str, str] = {}

    def add(self, stage: str, reason: str) -> None:
        """Count a page."""
        self[stage] += 1
        self.examples.setdefault(stage, reason)

    def rows(self) -> list[tuple[str, int, str]]:
        """Return rows of a table, below that of all failed pages."""
        return [(f"  {stage}", count, f"such as: {self.examples[stage]}") for stage, count in self.most_common()]


@contextmanager
def bars() -> Iterator[Update]:
    """Yield progress bars with counts and times; outside a terminal, a line every :data:`LOG_SECONDS`; nothing with ``--quiet``."""
    if VOICE.quiet:
        yield lambda *_, **__: None
        return
    if not sys.stderr.isatty():
        yield _logged()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    note_column = TextColumn("{task.fields[note]}", markup=False, table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    ends = (MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(), note_column)
    with Progress(
        TextColumn("{task.description:10}"), BarColumn(20), *ends, console=Console(stderr=True), transient=True, expand=True
    ) as shown:
        tasks: dict[str, TaskID] = {}

        def update(name: str, done: int, total: int | None = None, note: str = "") -> None:
            if name not in tasks:
                tasks[name] = shown.add_task(name, total=total, note="")
            shown.update(tasks[name], completed=done, total=total, note=harmless(note))

        yield update


LOG_SECONDS = 10.0  #: Seconds between two lines of progress in a log.


def _logged() -> Update:
    """Progress as lines of a log, for commands that take long."""
    last = time.monotonic()

    def update(name: str, done: int, total: int | None = None, note: str = "") -> None:
        nonlocal last
        if time.monotonic() - last >= LOG_SECONDS:
            last = time.monotonic()
            say(f"{name}: {done:,}{f' of {total:,}' if total else ''}{f' ({note})' if note else ''}")

    return update


def end(
    rows: Iterable[tuple[str, int | str, str]],
    *,
    total: int,
    failed: int,
    noun: str,
    most: float,
    nothing: str | None,
    after: str = "",
    summary: Mapping[str, object] | None = None,
    to_stderr: bool = False,
) -> NoReturn:
    """End a command that worked on many things: print the table of its results, or their ``summary`` as JSON, and exit with its code.

    ``total`` is 0 if failures do not count, ``most`` is the greatest share of them, ``nothing`` says why there is no result; ``to_stderr``:
    standard output has the results themselves.
    """
    if summary is None:
        table(rows)
    else:
        say_summary(summary, to_stderr=to_stderr)
    if after:
        say(after)
    if total and failed > most * total:
        stop(f"{failed:,} of {counted(total, noun)} failed, more than --max-error-ratio allows ({most:g})", TOO_MANY_FAILED)
    if nothing is not None:
        stop(nothing)
    raise SystemExit(0)


@contextmanager
def errors_in_a_sentence() -> Iterator[None]:
    """End a failing command with one sentence; with ``--verbose`` also print the traceback."""
    try:
        yield
    except BrokenPipeError:  # who reads the output had enough
        raise
    except (TamisError, OSError) as error:
        if VOICE.verbose:
            traceback.print_exc()
        said = str(error)
        if not isinstance(error, TamisError):
            said = error.strerror or said or type(error).__name__
            said = f"{error.filename}: {said[0].lower()}{said[1:]}" if error.filename else said
        stop(said, USAGE if isinstance(error, UsageError) else ERROR)
    except KeyboardInterrupt:
        stop("interrupted", INTERRUPTED)
