"""The commands as a Typer app; a command's module is imported when the command runs."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar

import typer

import tamis
from tamis.cli import terminal
from tamis.cli.lazy import LazyCommands, Quiet, Verbose
from tamis.cli.overview import COMMANDS, overview


class Commands(LazyCommands):
    """The commands, in the order of the help; errors end in one sentence."""

    homes: ClassVar[dict[str, str]] = COMMANDS

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of this name; a mistyped name gets a suggestion."""
        wanted = args[0]
        if self.get_command(ctx, wanted) is None and not wanted.startswith("-"):
            close = get_close_matches(wanted, self.list_commands(ctx), 1)
            hint = f"did you mean 'tamis {close[0]}'?" if close else "'tamis --help' lists the commands"
            if not close and (os.path.exists(wanted) or "://" in wanted):  # noqa: PTH110
                hint = f"for its main text: tamis extract {wanted}"
            terminal.complain(f"there is no command {wanted!r}; {hint}")
            raise SystemExit(terminal.USAGE)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The same plain overview that ``tamis --help`` prints without loading Typer."""
        typer.echo(overview(), nl=False)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with terminal.errors_in_a_sentence():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tamis {tamis.__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")] = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Extract the main text of web pages; learn site templates, turn lists into tables, find near-duplicates."""
