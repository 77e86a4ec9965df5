"""The commands of ``python -m benchmarks``: each made of the ``run`` and the ``report`` of a benchmark; their options and progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from inspect import Parameter, Signature, isfunction, signature
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer
from typer import Argument, Option

from benchmarks.report import Report, draw, show, write_json
from tamis.errors import TamisError, UsageError


def names(listed: str) -> list[str]:
    """The names in a list with commas between."""
    return [name.strip() for name in listed.split(",") if name.strip()]


def numbers(listed: str) -> list[int]:
    """The numbers in a list with commas between."""
    try:
        return [int(number) for number in listed.split(",") if number.strip()]
    except ValueError as error:
        raise UsageError(f"this takes whole numbers with commas between, not {listed!r}") from error


_FOLDERS = "Folders with gold: single pages (gold.jsonl.gz and html/), a site (site.json), or a folder of sites."
Folders = Annotated[list[Path], Argument(help=_FOLDERS)]
Limit = Annotated[int | None, Option(min=1, help="Most pages of each folder, and of each site, spread evenly.")]
Names = Annotated[Sequence[str] | None, names]
Numbers = Annotated[Sequence[int], numbers]
Sites = Annotated[Sequence[str] | None, names, Option(help="Names of sites, with commas between. [default: all]")]
_PYTHONS = "Another Python, which has tools that this one cannot have. May be repeated."
PeerPythons = Annotated[list[str] | None, Option("--peer-python", envvar="TAMIS_PEER_PYTHON", help=_PYTHONS)]
Json = Annotated[Path | None, Option("--json", help="Write everything measured to this file.")]
Plot = Annotated[Path | None, Option("--plot", help="Draw to this file (png, svg, pdf).")]


def bench(run: Callable[..., Any], report: Callable[..., Report], what: str, *, plots: bool = False) -> Callable[..., None]:
    """A benchmark as a command: it runs while a progress bar counts, shows its report, and writes values and plots to files.

    Errors that tamis raises on purpose end the command with their message.

    Args:
        run: gives the result, or a list of scores. Its parameters but ``progress`` are those of the command, and its docstring is the help;
            a list that is annotated with a function is given as a text that the function reads.
        report: of a result; its further parameters are also parameters of the command.
        what: what the bar counts.
        plots: whether the report has panels to draw.
    """
    of_report = list(signature(report, eval_str=True).parameters.values())[1:]
    readers: dict[str, Callable[[str], Any]] = {}
    parameters = []
    for parameter in (*signature(run, eval_str=True).parameters.values(), *of_report):
        kind, *marks = get_args(parameter.annotation) if get_origin(parameter.annotation) is Annotated else (parameter.annotation,)
        default = parameter.default
        if reader := next(filter(isfunction, marks), None):
            readers[parameter.name] = reader
            kind, default = (str | None, None) if default is None else (str, ",".join(map(str, default)))
        annotation: Any = Annotated[kind, *(mark for mark in marks if mark is not reader), Option()]
        parameters.append(Parameter(parameter.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
    parameters = [parameter for parameter in parameters if parameter.name != "progress"]
    for name, option in (("json_file", Json), ("plot", Plot))[: 1 + plots]:
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=option))

    def command(json_file: Path | None, plot: Path | None = None, **given: Any) -> None:
        try:
            given |= {name: read(given[name]) for name, read in readers.items() if given[name] is not None}
            wanted = {parameter.name: given.pop(parameter.name) for parameter in of_report}
            with progress(what) as done:
                result = run(**given, progress=done)
            found = report(result, **wanted)
            show(found)
            if json_file is not None:
                name = run.__module__.removeprefix("benchmarks.").replace("_", "-")
                machine = {"python": sys.version.split()[0], "platform": sys.platform}
                write_json({"bench": name, "machine": machine} | _values(result), json_file)
            if plot is not None:
                draw(found.panels, plot)
        except TamisError as error:
            typer.echo(f"benchmarks: {error}", err=True)
            raise typer.Exit(2) from error

    command.__doc__, command.__signature__ = run.__doc__, Signature(parameters)  # type: ignore[attr-defined]
    return command


def _values(result: Any) -> dict[str, Any]:
    """A result, or a list of scores, as plain values."""
    if isinstance(result, list):
        return {"scores": list(map(_values, result))}
    found: dict[str, Any] = result.to_dict() if hasattr(result, "to_dict") else asdict(result)
    return found


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, moved by calls with how many are done, of how many."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
