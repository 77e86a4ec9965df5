"""Run the tests of the compiled walk against several releases of selectolax: ``make walk-releases``.

Each release is installed into a folder of its own and shadows the one in use. A release of :data:`ONLY_WALK` is older than tamis
supports (its parser has no ``scripting``): of it only the two walks are compared.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

RELEASES = ("1.0.0", "1.0.1", "1.0.2")
ONLY_WALK = ("1.0.0",)
ROOT = Path(__file__).parents[1]
CHECK = (
    "import selectolax\nfrom tamis.page.walk import REASON, WALKER\nprint('selectolax', selectolax.__version__, WALKER, REASON)\n"
    "raise SystemExit(WALKER != 'compiled')"
)


def check(release: str, cache: Path) -> bool:
    """Whether the compiled walk is in use with a release, and its tests pass."""
    folder = cache / release
    if not (folder / "selectolax").is_dir():
        wanted = "selectolax<2" if release == "newest" else f"selectolax=={release}"
        pip = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "install", "--no-deps", "--target", str(folder), wanted]
        subprocess.run(pip, check=True)
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/page/test_walk.py"]
    if release in ONLY_WALK:
        tests += ["-k", "both_walks"]
    commands = ([sys.executable, "-c", CHECK], tests)
    return all(subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode == 0 for command in commands)


def main() -> int:
    """Check the releases named on the command line, or :data:`RELEASES` and the newest."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("releases", nargs="*", default=[*RELEASES, "newest"], metavar="RELEASE")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "selectolax")
    given = parser.parse_args()
    failed = [release for release in given.releases if not check(release, given.cache)]
    print(f"failed: {', '.join(failed)}" if failed else f"{len(given.releases)} releases pass")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
