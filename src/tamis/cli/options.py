"""Options that several commands share. Values that are not given stay None, and the library's own defaults hold."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.content.attenuation import Attenuation
    from tamis.content.node_model import NodeModel
    from tamis.io.fetch import Limits

SELECTION = "What is selected"
SHOWN = "What is shown"
FETCHING = "Fetching"

_UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


def size(text: str) -> int:
    """Bytes, with or without a unit.

    >>> size("500"), size("1.5 MB"), size("64k")
    (500, 1500000, 64000)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", text.strip().lower())
    if match is None:
        raise typer.BadParameter(f"{text!r} is no size; write bytes, or 500k, 20M, 1G")
    return int(float(match[1]) * _UNITS[match[2]])


def _louder(wanted: bool) -> bool:
    terminal.VOICE.verbose |= wanted
    return wanted


def _quieter(wanted: bool) -> bool:
    terminal.VOICE.quiet |= wanted
    return wanted


Verbose = Annotated[bool, typer.Option("--verbose", "-v", callback=_louder, help="Say more; show where in the code an error arose.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", callback=_quieter, help="Say nothing but results and errors.")]

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
        show_default=False,
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="T",
        min=0,
        max=1,
        rich_help_panel=SELECTION,
        help="Attenuation: the descent ends where the best child lacks more than this share of the text. [default: 0.34]",
        show_default=False,
    ),
]
LinkDensity = Annotated[
    float | None,
    typer.Option(
        metavar="DL",
        min=0,
        max=1,
        rich_help_panel=SELECTION,
        help="Attenuation: blocks with a greater share of link text than this are dropped. [default: 0.65]",
        show_default=False,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", min=0.1, rich_help_panel=FETCHING, help="For fetching one page. [default: 30]", show_default=False),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        metavar="SIZE", parser=size, rich_help_panel=FETCHING, help="Largest page, unpacked: 500k, 20M. [default: 20M]", show_default=False
    ),
]
Retries = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        rich_help_panel=FETCHING,
        help="Further tries after a failure that may pass (no connection, 429, 502, 503, 504). [default: 0]",
        show_default=False,
    ),
]


def method_of(name: MethodName | None, threshold: float | None, link_density: float | None) -> Attenuation | NodeModel:
    """Settings of a main-text method from the options that were given."""
    given = _given(threshold=threshold, link_density=link_density)
    if name is MethodName.ATTENUATION or (name is None and given):
        from tamis.content.attenuation import Attenuation

        return Attenuation(**given)
    from tamis.content.node_model import NodeModel

    if given:
        raise UsageError("--threshold and --link-density are settings of attenuation; the model has none on the command line")
    return NodeModel()


def limits(timeout: float | None, max_bytes: int | None, retries: int | None) -> Limits:
    """The limits on fetching from the options that were given."""
    from tamis.io.fetch import Limits

    parts: dict[str, Any] = {} if timeout is None else {"total": timeout, "read": timeout, "connect": min(Limits().connect, timeout)}
    return Limits(**parts, **_given(max_bytes=max_bytes, retries=retries))


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
