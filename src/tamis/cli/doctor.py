"""``tamis doctor``: what is installed, and whether the compiled walk is in use."""

from __future__ import annotations

import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Annotated

from typer import Option

import tamis
from tamis.cli import options, terminal
from tamis.errors import SourceError
from tamis.page import walk

_INTERNAL = ("dev", "docs", "bench", "fuzz", "train")  #: Extras for work on tamis itself.
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)\s*(?:\[(?P<extras>[^]]*)\])?[^;]*(?:;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?")


def doctor(*, state: Annotated[Path | None, Option(metavar="FOLDER")] = None, as_json: options.Json = False) -> None:
    """Print the versions in use, whether pages are read by the compiled walk, and which extras are installed.

    Examples:

    - `tamis doctor`
    - `tamis doctor --json`
    - `tamis doctor --state FOLDER`

    Options:
        state: Also name the damaged files of a state folder of the service (tamis serve --state).
    """
    found = {
        "tamis": tamis.__version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()}, {platform.system()} {platform.machine()})",
        "selectolax": metadata.version("selectolax"),
        "walk": f"{walk.WALKER}: {walk.REASON}; pages are read about twice as slowly" if walk.REASON else walk.WALKER,
    }
    if state is not None:
        if not state.is_dir():
            raise SourceError(f"there is no folder {state}")
        from tamis.server.jobs import damage

        found["damaged"] = ", ".join(damage(state)) or "no file"
    extras = {extra: missing(extra) for extra in metadata.metadata("tamis").get_all("Provides-Extra", []) if extra not in _INTERNAL}
    if as_json:
        terminal.deliver_json({**found, "missing": extras})
        return
    for extra, lacks in extras.items():
        found[extra] = f"lacks {', '.join(lacks)}: pip install '.[{extra}]'" if lacks else "installed"
    terminal.to_stdout("".join(f"{name:14}{value}\n" for name, value in found.items()))
    if any(extras.values()):
        terminal.to_stdout("Extras are installed in a clone of tamis.\n")


def missing(extra: str) -> list[str]:
    """Return distributions of an extra that are not installed."""
    lacks = []
    for requirement in metadata.requires("tamis") or ():
        found = _REQUIREMENT.match(requirement)
        if found is None or found["extra"] != extra:
            continue
        if found["name"] == "tamis":
            lacks += [name for other in (found["extras"] or "").split(",") for name in missing(other.strip())]
        elif not any(metadata.distributions(name=found["name"])):
            lacks.append(found["name"])
    return list(dict.fromkeys(lacks))
