"""The command line. Every command has a module of its own, which is imported when the command is asked for.

To add a command, write ``cli/<name>.py`` with a function (or a Typer app, for a command with commands of its own) and name it in
:attr:`Commands.homes`. What is heavy is imported within the function, so that ``tamis --help`` stays quick.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, ClassVar

import typer

import tamis
from tamis.cli import terminal
from tamis.cli.lazy import LazyCommands
from tamis.cli.options import Quiet, Verbose

EPILOG = (
    "Exit codes: 0 done, 1 an error, 2 a mistake in the command, 3 nothing was selected, 4 too many pages failed, 130 interrupted. "
    "'tamis COMMAND --help' explains a command, with examples."
)


class Commands(LazyCommands):
    """The commands, in the order of the help; errors end in one sentence."""

    homes: ClassVar[dict[str, str]] = {
        "extract": "tamis.cli.extract:extract",
        "render": "tamis.cli.render:render",
        "denoise": "tamis.cli.denoise:denoise",
        "segment": "tamis.cli.segment:segment",
        "clean": "tamis.cli.clean:clean",
        "crawl": "tamis.cli.crawl:crawl",
        "learn": "tamis.cli.learn:learn",
        "template": "tamis.cli.template:app",
        "similarity": "tamis.cli.similarity:similarity",
        "corpus": "tamis.cli.corpus:app",
        "records": "tamis.cli.records:records",
        "dedup": "tamis.cli.dedup:app",
        "serve": "tamis.cli.serve:serve",
        "inspect": "tamis.cli.inspect:inspect",
        "mcp": "tamis.cli.mcp:mcp",
    }

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with terminal.errors_in_a_sentence():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    epilog=EPILOG,
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
    """Web pages in, what matters out: the main text of one page (extract) or of many (clean)."""


def main() -> None:
    """Run the command line."""
    terminal.reset()
    try:
        app()
    except Exception as error:
        if terminal.VOICE.verbose:
            raise
        terminal.complain(f"an error within tamis, {type(error).__name__}: {error} (-v shows where)")
        sys.exit(1)
