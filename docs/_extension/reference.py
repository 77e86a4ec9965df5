"""Reference pages made of the code while the docs are built, so that they cannot be out of date.

``reference/names.md`` has what ``import tamis`` offers, ``reference/commands.md`` the command line, ``reference/formats.md`` the formats,
and ``reference/modules/`` one page for each room, with every public module of the room and of the packages in it.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring
from typer.core import TyperGroup
from typer.main import get_command

import tamis
from tamis.cli import app
from tamis.cli.overview import overview
from tamis.document.document import ENDINGS, RENDERERS


@dataclass(frozen=True)
class Room:
    """A page of the reference: modules and packages that belong together."""

    page: str
    title: str
    about: str
    holds: tuple[str, ...]


ROOMS = (
    Room("page", "Pages", "Bytes to text, text to page tree.", ("page",)),
    Room("structure", "Structure", "Hashes of places, layouts, similarity.", ("structure",)),
    Room("records", "Records", "Repeated parts of a page as tables.", ("records",)),
    Room("content", "Main text of one page", "", ("content",)),
    Room("sites", "Sites", "The template of a site: learned, saved, and applied to its pages.", ("site",)),
    Room("documents", "Documents", "Kept text with reasons, metadata, and output formats.", ("document",)),
    Room("io", "Reading and writing", "Sources of pages, rendering in a browser, and outputs.", ("io",)),
    Room("layer", "Same-layer noise", "Noise that the pages of one layer of a site share.", ("layer",)),
    Room("crawl", "Crawling", "Saving a site, or same-layer pages.", ("crawl",)),
    Room("duplicates", "Near-duplicates", "Finding copies among texts.", ("duplicates",)),
    Room("corpus", "Many pages", "Cleaning in parallel; from a crawl to a clean corpus.", ("corpus",)),
    Room("segmentation", "Visual blocks", "The blocks of a page that a reader sees.", ("segmentation",)),
    Room("errors", "Errors", "", ("errors",)),
)
REST = Room("others", "Other modules", "", ())
INNER = frozenset(("cli", "__main__"))
"""Not part of the Python interface: the command line has a page of its own."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for pages."""
    app.connect("builder-inited", write_pages)
    GoogleDocstring._parse_attribute_docstring = _whole  # type: ignore[method-assign]
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _whole(docstring: GoogleDocstring) -> list[str]:
    """An attribute's description as it stands: Napoleon takes what is before its first colon for a type."""
    return GoogleDocstring(docstring._consume_to_end(), docstring._config).lines()


def write_pages(app: Sphinx) -> None:
    """Write all generated pages; those of rooms that are gone are removed."""
    folder = Path(app.srcdir) / "reference"
    pages = {folder / "modules" / f"{room.page}.md": room_page(room) for room in rooms()}
    pages[folder / "names.md"] = names_page()
    pages[folder / "commands.md"] = commands_page()
    pages[folder / "formats.md"] = formats_page()
    for old in set((folder / "modules").glob("*.md")) - set(pages):
        old.unlink()
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# -- modules -------------------------------------------------------------------------------------------------------------


def rooms() -> Iterator[Room]:
    """The rooms that hold something, and last one for modules that no room names."""
    there = {info.name for info in pkgutil.iter_modules(tamis.__path__) if not info.name.startswith("_")}
    for room in ROOMS:
        if held := tuple(name for name in room.holds if name in there):
            yield Room(room.page, room.title, room.about, held)
    if rest := there - INNER - {name for room in ROOMS for name in room.holds}:
        yield Room(REST.page, REST.title, REST.about, tuple(sorted(rest)))


def room_page(room: Room) -> str:
    """The page of a room: each module with its docstring and its public names."""
    parts = [f"# {room.title}", room.about]
    for top in room.holds:
        parts += [f"## {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n```" for module in modules(f"tamis.{top}")]
    return "\n\n".join(part for part in parts if part) + "\n"


def modules(name: str) -> Iterator[str]:
    """A module, and all public ones below it."""
    yield name
    for info in pkgutil.iter_modules(getattr(import_module(name), "__path__", ())):
        if info.ispkg and not info.name.startswith("_"):
            yield from modules(f"{name}.{info.name}")
        elif not info.name.startswith("_"):
            yield f"{name}.{info.name}"


# -- public names --------------------------------------------------------------------------------------------------------


def names_page() -> str:
    """What ``import tamis`` offers, each name with the first line of its docstring and a link to the rest."""
    things = {name: getattr(tamis, name) for name in sorted(tamis._HOME)}
    rows = [f"| {{py:obj}}`tamis.{name} <{thing.__module__}.{name}>` | {first_line(thing)} |" for name, thing in things.items()]
    head = "# Public names\n\nWhat `import tamis` offers. Each is loaded when it is first used.\n\n| name | |\n|---|---|\n"
    return head + "\n".join(rows) + "\n"


def first_line(thing: Any) -> str:
    """The first line of a docstring, its roles and literals in Markdown."""
    return (getdoc(thing) or "").split("\n", 1)[0].replace("``", "`").replace(":class:`", "`").replace("|", "\\|")


def formats_page() -> str:
    """The formats of a document, each with the end of its files' names and the first line of its renderer's docstring."""
    rows = [f"| `{form}` | `{ENDINGS[form]}` | {first_line(render)} |" for form, render in RENDERERS.items()]
    about = "Formats of a document: `Document.render(NAME)`, `--format NAME`, `formats` of the service."
    return f"# Formats\n\n{about}\n\n| name | files | |\n|---|---|---|\n" + "\n".join(rows) + "\n"


# -- commands --------------------------------------------------------------------------------------------------------------


def commands_page() -> str:
    """Every command with its help, arguments and options, as ``tamis COMMAND --help`` says them."""
    group = get_command(app)
    context = group.make_context("tamis", [], resilient_parsing=True)
    parts = ["# Commands", "```text\n" + overview().rstrip() + "\n```"]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        parts += [command_part(command, f"tamis {name}", 2)]
        if isinstance(command, TyperGroup):
            parts += [command_part(command.get_command(context, sub), f"tamis {name} {sub}", 3) for sub in command.list_commands(context)]
    return "\n\n".join(parts) + "\n"


def command_part(command: Any, path: str, level: int) -> str:
    """One command: what it does, and a table of its arguments and options under each heading of its help."""
    tables: dict[str, list[str]] = {}
    for each in command.params:
        if each.hidden or each.name == "help":
            continue
        name = each.metavar if each.param_type_name == "argument" else ", ".join((*each.opts, *each.secondary_opts))
        value = f" {each.metavar}" if each.metavar and each.param_type_name == "option" else ""
        text = re.sub(r"([\\|*<>\[\]])", r"\\\1", each.help or "")
        tables.setdefault(each.rich_help_panel or "", []).append(f"| `{name}{value}` | {text} |")
    parts = [f"{'#' * level} `{path}`", command.help or ""]
    for heading, rows in tables.items():
        parts += [f"**{heading}**"] * bool(heading) + ["| | |\n|---|---|\n" + "\n".join(rows)]
    return "\n\n".join(part for part in parts if part)
