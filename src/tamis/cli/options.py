"""Options that several commands share: one spelling, one help, one default each. None leaves the default to the library."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.content.attenuation import Attenuation
    from tamis.content.node_model import NodeModel
    from tamis.io.fetch import Limits
    from tamis.site.model import SiteModel

SELECTION = "What is selected"
SHOWN = "What is shown"
RUNNING = "How it runs"
FETCHING = "Fetching"

_UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


def size(text: str) -> int:
    """Bytes, with or without a unit.

    >>> size("500"), size("1.5 MB"), size("64k")
    (500, 1500000, 64000)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", text.strip().lower())
    if match is None:
        raise typer.BadParameter(f"{text!r} is not a size; write bytes, or 500k, 20M, 1G")
    return int(float(match[1]) * _UNITS[match[2]])


def _louder(wanted: bool) -> bool:
    terminal.VOICE.verbose |= wanted
    return wanted


def _quieter(wanted: bool) -> bool:
    terminal.VOICE.quiet |= wanted
    return wanted


Verbose = Annotated[bool, typer.Option("--verbose", "-v", callback=_louder, help="Say more; show where in the code an error arose.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", callback=_quieter, help="Say nothing but results and errors.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an output that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        "-n",
        metavar="N",
        min=0,
        rich_help_panel=RUNNING,
        help="Most pages to take; 0: all. [default: all; crawl: 1000; learn: 100]",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-j",
        metavar="N",
        min=1,
        rich_help_panel=RUNNING,
        help="Most worker processes. [default: one for each processor; serve, inspect: 2; dedup, mcp: 1]",
    ),
]
MaxErrorRatio = Annotated[
    float, typer.Option(min=0, max=1, rich_help_panel=RUNNING, help="End with code 4 when a greater share of the pages failed.")
]
Url = Annotated[str | None, typer.Option("--url", metavar="URL", help="Address of a saved page: relative links are resolved against it.")]

Links = Annotated[bool, typer.Option("--links/--no-links", rich_help_panel=SHOWN, help="Link targets, in Markdown and HTML.")]
Images = Annotated[bool, typer.Option("--images/--no-images", rich_help_panel=SHOWN, help="Images, in Markdown and HTML.")]
Tables = Annotated[bool, typer.Option("--tables/--no-tables", rich_help_panel=SHOWN, help="Tables as tables, else each cell a paragraph.")]


class MethodName(StrEnum):
    """Main-text methods."""

    ATTENUATION = "attenuation"
    MODEL = "model"


Method = Annotated[
    MethodName | None,
    typer.Option(
        rich_help_panel=SELECTION,
        help="How the main text is found: by the trained node model, or by information attenuation. "
        "[default: model; attenuation where one of its settings is given]",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="T",
        min=0,
        max=1,
        rich_help_panel=SELECTION,
        help="Attenuation: stop descending where the best child lacks more than this share of the text. [default: 0.34]",
    ),
]
LinkDensity = Annotated[
    float | None,
    typer.Option(
        metavar="DL",
        min=0,
        max=1,
        rich_help_panel=SELECTION,
        help="Attenuation: drop blocks with a greater share of link text. [default: 0.65]",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=0.1,
        rich_help_panel=FETCHING,
        help="Most time for one page, to fetch, render or clean it. [default: 30; corpus, serve: 20]",
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(metavar="SIZE", parser=size, rich_help_panel=FETCHING, help="Largest page, unpacked: 500k, 20M. [default: 20M]"),
]
Retries = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        rich_help_panel=FETCHING,
        help="Further tries after a failure that may pass (no connection, 429, 502, 503, 504). [default: 0]",
    ),
]
AllowPrivate = Annotated[
    bool, typer.Option("--allow-private", rich_help_panel=FETCHING, help="Also connect to private networks and this machine.")
]
Precision = Annotated[
    bool, typer.Option("--precision", rich_help_panel=SELECTION, help="Node model: rather miss some text than keep noise.")
]
Recall = Annotated[bool, typer.Option("--recall", rich_help_panel=SELECTION, help="Node model: rather keep noise than miss text.")]
Model = Annotated[
    Path | None,
    typer.Option("--model", metavar="MODEL", rich_help_panel=SELECTION, help="Apply this site's template (a folder from tamis learn)."),
]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--language", metavar="CODE", rich_help_panel=SELECTION, help="Keep texts in this language only (de, en, ...); may be repeated."
    ),
]


def method_of(
    name: MethodName | None, threshold: float | None, link_density: float | None, precision: bool = False, recall: bool = False
) -> Attenuation | NodeModel:
    """Settings of a main-text method from the options that were given."""
    given = _given(threshold=threshold, link_density=link_density)
    if precision and recall:
        raise UsageError("--precision and --recall exclude each other")
    leaning = "--precision" if precision else "--recall" if recall else None
    if leaning and (given or name is MethodName.ATTENUATION):
        raise UsageError(f"{leaning} is an option of the node model, not of attenuation")
    if name is MethodName.ATTENUATION or (name is None and given):
        from tamis.content.attenuation import Attenuation

        return Attenuation(**given)
    from tamis.content.node_model import NodeModel

    if given:
        raise UsageError("--threshold and --link-density are options of attenuation, not of the node model")
    return NodeModel.precision() if precision else NodeModel.recall() if recall else NodeModel()


def site_model(path: Path | None) -> SiteModel | None:
    """The saved model of a site, ready to be applied."""
    if path is None:
        return None
    from tamis.site.model import SiteModel

    return SiteModel.load(path).without_evidence()


def limits(timeout: float | None, max_bytes: int | None, retries: int | None) -> Limits:
    """The limits on fetching from the options that were given."""
    from tamis.io.fetch import Limits

    parts: dict[str, Any] = {} if timeout is None else {"total": timeout, "read": timeout, "connect": min(Limits().connect, timeout)}
    return Limits(**parts, **_given(max_bytes=max_bytes, retries=retries))


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
