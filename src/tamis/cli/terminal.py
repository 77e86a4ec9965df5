"""Results go to standard output, messages to standard error."""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING

from tamis.errors import TamisError, UsageError

if TYPE_CHECKING:
    from rich.text import Text

ERROR, USAGE, NOTHING, TOO_MANY_FAILED, INTERRUPTED = 1, 2, 3, 4, 130
"""Exit codes."""

_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "�")


@dataclass
class Voice:
    """How much is said."""

    verbose: bool = False
    quiet: bool = False


VOICE = Voice()
"""How much the running command says."""


def reset() -> None:
    """Back to the default."""
    VOICE.verbose = VOICE.quiet = False


def say(message: str) -> None:
    """Print a message that is no result, unless ``--quiet`` was given."""
    if not VOICE.quiet:
        print(harmless(message), file=sys.stderr)


def say_skipped(names: list[str]) -> None:
    """Name and count the files that were passed over because they are no pages."""
    if not names:
        return
    kinds = Counter(Path(name).suffix.lower() or "without a suffix" for name in names).most_common()
    listed = ", ".join(f"{count:,} {kind}" for kind, count in kinds[:5]) + (", ..." if len(kinds) > 5 else "")
    say(f"skipped {counted(len(names), 'file')} that are not pages ({listed}), such as {names[0]}")


def complain(message: str) -> None:
    """Print an error."""
    print(f"tamis: {harmless(message)}", file=sys.stderr)


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the singular or plural.

    >>> counted(1, "page"), counted(2_000, "page"), counted(0, "copy")
    ('1 page', '2,000 pages', '0 copies')
    """
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"


def harmless(text: str) -> str:
    """Text without control characters, which could command the terminal it is shown on; line ends and tabs stay."""
    return text.translate(_CONTROL)


def to_stdout(text: str) -> None:
    """Write a result as UTF-8, also where the locale says otherwise; on a terminal in what that shows, without control characters."""
    terminal = sys.stdout.isatty()
    encoding = sys.stdout.encoding if terminal else "utf-8"
    sys.stdout.flush()
    sys.stdout.buffer.write((harmless(text) if terminal else text).encode(encoding, "replace"))
    sys.stdout.buffer.flush()


def deliver(result: str, output: Path | None) -> None:
    """Write a result to standard output, or to a file that appears when it is complete."""
    if output is None:
        to_stdout(result)
        return
    from tamis.io.writing import written_whole

    with written_whole(output) as stream:
        stream.write(result.encode("utf-8", "replace"))
    say(f"written to {output}")


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


def table(rows: Iterable[tuple[str, int | str, str]]) -> None:
    """Print names, numbers and remarks in columns on standard error; a long remark wraps within its column."""
    cells = [(name, f"{number:,}" if isinstance(number, int) else number, harmless(remark)) for name, number, remark in rows]
    first, second = (max(len(row[column]) for row in cells) for column in (0, 1))
    room = max(get_terminal_size().columns - first - second - 4, 20)
    for name, number, remark in cells:
        start, *more = wrap(remark, room) or [""]
        print(f"{name:{first}}  {number:>{second}}  {start}".rstrip(), file=sys.stderr)
        for line in more:
            print(" " * (first + second + 4) + line, file=sys.stderr)


def too_many_failed(failed: int, total: int, noun: str, most: float) -> bool:
    """Whether a greater share failed than may, and say so."""
    if failed <= most * total:
        return False
    complain(f"{failed:,} of {counted(total, noun)} failed, more than --max-error-ratio allows ({most:g})")
    return True


@contextmanager
def errors_in_a_sentence() -> Iterator[None]:
    """End the command with one sentence where it fails; with ``--verbose`` also with the place in the code."""
    try:
        yield
    except BrokenPipeError:  # who reads the output had enough
        raise
    except (TamisError, OSError) as error:
        if VOICE.verbose:
            traceback.print_exc()
        complain(_sentence(error))
        raise SystemExit(USAGE if isinstance(error, UsageError) else ERROR) from error
    except KeyboardInterrupt as error:
        complain("interrupted")
        raise SystemExit(INTERRUPTED) from error


def _sentence(error: BaseException) -> str:
    if isinstance(error, TamisError) or not isinstance(error, OSError):
        return str(error)
    said = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {said[0].lower()}{said[1:]}" if error.filename else said
