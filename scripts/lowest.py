"""Print the lowest versions of its dependencies that tamis promises to work with, as constraints for pip.

    python scripts/lowest.py lxml parquet dedup > lowest.txt
    pip install '.[lxml,parquet,dedup]' -c lowest.txt

Arguments are extras; the dependencies that are always there count, too. Where a package stands in several places, its highest bound counts.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?(?:>=([0-9.]+))?")


def lowest(extras: list[str]) -> dict[str, str]:
    """Versions by package."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    left = [*project["dependencies"], *(each for extra in extras for each in project["optional-dependencies"][extra])]
    found: dict[str, str] = {}
    while left:
        match = _REQUIREMENT.match(left.pop())
        assert match is not None
        name, inner, version = match.groups()
        if name == "tamis":
            left += [each for extra in inner.split(",") for each in project["optional-dependencies"][extra]]
        elif version is not None:
            found[name] = max(version, found.get(name, "0"), key=lambda text: [int(part) for part in text.split(".")])
    return found


if __name__ == "__main__":
    print(*(f"{name}=={version}" for name, version in sorted(lowest(sys.argv[1:]).items())), sep="\n")
