"""A group of commands; the module of each is imported when the command runs."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from tamis.cli.options import Quiet, Verbose


class LazyCommands(TyperGroup):
    """The commands of :attr:`homes`, imported when they run."""

    homes: ClassVar[dict[str, str]] = {}
    """Commands by name, in the order of the help: the module, and the function or Typer app in it."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands."""
        return list(self.homes)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, imported now."""
        if cmd_name not in self.homes:
            return None
        module, _, attribute = self.homes[cmd_name].partition(":")
        found = getattr(import_module(module), attribute)
        if not isinstance(found, typer.Typer):
            function, found = found, typer.Typer(add_completion=False, rich_markup_mode="markdown")
            found.command(cmd_name)(function)
        command = typer.main.get_command(found)
        command.name = cmd_name
        for each in getattr(command, "commands", {"": command}).values():
            each.params += _voice()
        return command


def _voice() -> list[Any]:
    """The options ``-v`` and ``-q``, which every command has; what they say is kept by their callbacks."""

    def command(verbose: Verbose = False, quiet: Quiet = False) -> None:
        """Options alone."""

    app = typer.Typer(add_completion=False)
    app.command()(command)
    found = typer.main.get_command(app).params
    for option in found:
        option.expose_value = False
    return found
