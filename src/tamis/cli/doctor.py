"""``tamis doctor``: what is installed, and whether the compiled walk is in use."""

from __future__ import annotations

import json
import platform
import re
from importlib import metadata

import typer

import tamis
from tamis.cli import options

_INTERNAL = ("dev", "docs", "bench", "fuzz", "train")
"""Extras for work on tamis itself."""
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)\s*(?:\[(?P<extras>[^]]*)\])?[^;]*(?:;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?")


def doctor(*, as_json: options.Json = False) -> None:
    """Print the versions in use, whether pages are read by the compiled walk, and which extras are installed.

    Examples:

    - `tamis doctor`
    - `tamis doctor --json`
    """
    from tamis.page.walk import REASON, WALKER

    found = {
        "tamis": tamis.__version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()}, {platform.system()} {platform.machine()})",
        "selectolax": metadata.version("selectolax"),
        "walk": f"{WALKER}: {REASON}; pages are read about twice as slowly" if REASON else WALKER,
    }
    extras = {extra: missing(extra) for extra in metadata.metadata("tamis").get_all("Provides-Extra", []) if extra not in _INTERNAL}
    if as_json:
        typer.echo(json.dumps({**found, "missing": extras}, indent=2))
        return
    for name, value in found.items():
        typer.echo(f"{name:14}{value}")
    for extra, lacks in extras.items():
        typer.echo(f"{extra:14}" + (f"lacks {', '.join(lacks)}: pip install 'tamis[{extra}]'" if lacks else "installed"))
    if any(extras.values()):
        typer.echo("In a clone, write '.[NAME]' in place of 'tamis[NAME]'.")


def missing(extra: str) -> list[str]:
    """Distributions of an extra that are not installed."""
    lacks = []
    for requirement in metadata.requires("tamis") or ():
        found = _REQUIREMENT.match(requirement)
        if found is None or found["extra"] != extra:
            continue
        if found["name"] == "tamis":
            lacks += [name for other in (found["extras"] or "").split(",") for name in missing(other.strip())]
        elif not _is_installed(found["name"]):
            lacks.append(found["name"])
    return list(dict.fromkeys(lacks))


def _is_installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True
