"""The command line as a Typer app: commands made from functions, imported when they run.

Parameters become arguments and options; the docstring ends with sections of lines ``name: help`` under the headings of the help. A
parameter whose type is an :class:`OptionGroup` brings all fields of that group.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, fields
from difflib import get_close_matches
from importlib import import_module
from inspect import Parameter, Signature, getdoc, signature
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

import tamis
from tamis.cli import terminal
from tamis.cli.overview import COMMANDS, overview

_HELP = re.compile(r"(?ms)^([A-Z][^\n:]*):\n((?:^(?: {4}\w+: | {8})[^\n]*\n?)+)\s*")
"""A section of a docstring: its heading, and lines ``name: help``, each perhaps with further lines that are indented more."""


class OptionGroup:
    """Base of dataclasses whose fields are options that several commands share."""


def _voice(name: str, help: str) -> Parameter:
    """Return a switch of every command that is kept in :data:`terminal.VOICE`."""

    def keep(wanted: bool) -> None:
        setattr(terminal.VOICE, name, getattr(terminal.VOICE, name) or wanted)

    info = typer.Option(f"--{name}", f"-{name[0]}", metavar="", callback=keep, help=help)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, info])


_VOICE = (
    _voice("verbose", "Print more, and where in the code an error arose."),
    _voice("quiet", "Print only results and errors."),
)


def as_command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as Typer takes it: groups of options spread out, a help for each option, and ``-v`` and ``-q``."""
    groups: dict[str, type[OptionGroup]] = {}
    parameters: list[Parameter] = []
    helps = _helps(function)
    for parameter in signature(function, eval_str=True).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, OptionGroup):
            groups[parameter.name] = kind
            hints, inner = get_type_hints(kind, include_extras=True), _helps(kind) | helps
            for field in fields(kind):  # type: ignore[arg-type]  # every group is a dataclass
                default = Parameter.empty if field.default is MISSING else field.default
                parameters.append(_parameter(field.name, hints[field.name], default, inner))
        else:
            parameters.append(_parameter(parameter.name, kind, parameter.default, helps))
    parameters += _VOICE

    def command(**given: Any) -> Any:
        for switch in _VOICE:  # kept by their callbacks
            del given[switch.name]
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})  # type: ignore[arg-type]
        return function(**given)

    command.__name__, command.__doc__ = function.__name__, _HELP.sub("", f"{getdoc(function)}\n").strip()
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _helps(documented: Any) -> dict[str, tuple[str, str | None]]:
    """Return the help of each parameter that a docstring names, and its heading."""
    found = {}
    for heading, entries in _HELP.findall(f"{getdoc(documented)}\n"):
        for entry in re.split(r"(?m)^ {4}(?=\w)", entries)[1:]:
            name, _, words = entry.partition(": ")
            found[name] = (" ".join(words.split()), None if heading == "Options" else heading)
    return found


def _parameter(name: str, annotation: Any, default: Any, helps: dict[str, tuple[str, str | None]]) -> Parameter:
    """Return a parameter with its help; a plain type is an option, and a switch that is off has no opposite."""
    kind, info = get_args(annotation)[:2] if get_origin(annotation) is Annotated else (annotation, typer.Option())
    info = copy(info)
    if name in helps:
        info.help, info.rich_help_panel = helps[name]
    if kind in (bool, bool | None):
        info.metavar = ""  # a switch takes no value
    if kind is bool and default is False and info.default is ...:
        info.default = f"--{name.replace('_', '-')}"  # where Typer looks for the first name of an option
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


_VALUES = {"<str>": "TEXT", "<int>": "N", "<int range>": "N", "<float>": "X", "<float range>": "X"}
"""Types of values as the help shows them."""


_MistakeError: Any = typer.BadParameter.__bases__[0]  # Click's UsageError, or that of Typer's own copy of Click
_PLAIN = {
    "Value error, ": "",
    "Input should be ": "it must be ",
    "less than or equal to": "at most",
    "greater than or equal to": "at least",
    "a valid integer, unable to parse string as an integer": "a whole number",
    "a valid number, unable to parse string as a number": "a number",
    "requires an argument": "needs a value",
    "Got unexpected extra argument(s)": "more arguments than it takes:",
}
"""Words of the command line parser and of its validator, with plain ones for them."""


class PlainHelp:
    """A command whose help shows the names of values, not their Python types; its errors know that they are of this command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments of a command line."""
        try:
            return list(super().parse_args(ctx, args))  # type: ignore[misc]
        except _MistakeError as error:
            error.ctx = error.ctx or ctx
            raise

    def get_params(self, ctx: Any) -> list[Any]:
        """Return arguments and options; Typer asks each how it is to be shown."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in found:
            shown = each.metavar if each.metavar is not None else getattr(each, "display_type", lambda ctx: "")(ctx)
            is_argument = each.param_type_name == "argument"
            shown = None if is_argument or getattr(each, "is_flag", False) else _VALUES.get(shown, shown.strip("<>"))
            each.display_type_rich = lambda ctx, shown=shown: shown
            each._get_number_range_help_str = lambda each=each: (
                f"{each.min:g} to {each.max:g}" if None not in (getattr(each, "min", None), getattr(each, "max", None)) else None
            )
            if is_argument:
                each.get_usage_pieces = lambda ctx, each=each: [each.metavar or each.name]
        return found


class PlainCommand(PlainHelp, TyperCommand):
    """A command without subcommands."""


class PlainGroup(PlainHelp, TyperGroup):
    """A command with subcommands."""


class LazyCommands(TyperGroup):
    """The commands of :attr:`homes`, imported when they run."""

    homes: ClassVar[dict[str, str]] = {}  #: Commands by name, in the order of the help: the module, and the function or Typer app in it.

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a command line; ``-v`` and ``-q`` of an earlier one in this process do not apply. A mistake in it is one sentence."""
        terminal.reset()
        try:
            sys.exit(super().main(*args, **settings | {"standalone_mode": False}) or 0)
        except _MistakeError as error:
            path = error.ctx.command_path if error.ctx is not None else "tamis"
            if type(error).__name__ == "NoArgsIsHelpError":
                error.show()
                sys.exit(terminal.USAGE)
            said = error.format_message().rstrip(".")
            for technical, plain in _PLAIN.items():
                said = said.replace(technical, plain)
            terminal.stop(f"{said[0].lower()}{said[1:]}; '{path} --help' shows what it takes", terminal.USAGE)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return list(self.homes)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command, imported now."""
        if cmd_name not in self.homes:
            return None
        module, _, attribute = self.homes[cmd_name].partition(":")
        found = getattr(import_module(module), attribute)
        if not isinstance(found, typer.Typer):
            function, found = found, typer.Typer(add_completion=False, rich_markup_mode="markdown")
            found.command(cmd_name, cls=PlainCommand)(as_command(function))
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command


class Subcommands(typer.Typer):
    """A command with subcommands, each made of a function."""

    def __init__(self, cls: type[TyperGroup] = PlainGroup, **settings: Any) -> None:
        super().__init__(cls=cls, no_args_is_help=True, rich_markup_mode="markdown", add_completion=False, **settings)

    def add(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that makes a function the subcommand of this name, and leaves the function as it is."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self.command(name, cls=PlainCommand)(as_command(function))
            return function

        return register


class Commands(LazyCommands):
    """The commands, in the order of the help; errors end in one sentence."""

    homes: ClassVar[dict[str, str]] = COMMANDS

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of this name; a mistyped name gets a suggestion."""
        wanted = args[0]
        if wanted not in self.homes and not wanted.startswith("-"):
            close = get_close_matches(wanted, self.list_commands(ctx), 1)
            hint = f"did you mean 'tamis {close[0]}'?" if close else "'tamis --help' lists the commands"
            if not close and (os.path.exists(wanted) or "://" in wanted):  # noqa: PTH110
                hint = f"for its main text: tamis extract {wanted}"
            terminal.stop(f"there is no command {wanted!r}; {hint}", terminal.USAGE)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the same plain overview that ``tamis --help`` prints without loading Typer."""
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
@as_command
def root(
    *, version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")] = False
) -> None:
    """Extract the main text of web pages; learn site templates, turn lists into tables, find near-duplicates."""
