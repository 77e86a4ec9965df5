"""Where Chromium is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from tamis.errors import UsageError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Commands that start a Chromium, in the order they are looked for."""
PLACES = (
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
"""Where it is if no command of these names is on the path."""
VARIABLE = "TAMIS_CHROMIUM"


def find_chromium(executable: Path | None = None, *, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The Chromium to start; None where the system has none and Playwright's own is to be tried.

    Args:
        executable: the one to take, whatever there is.
        environment: where ``TAMIS_CHROMIUM`` may name one, and ``PATH`` says where commands are.

    Raises:
        UsageError: the one that was named is not there.
    """
    named = executable or (Path(environment[VARIABLE]) if environment.get(VARIABLE) else None)
    if named is not None:
        found = shutil.which(named, path=environment.get("PATH"))
        if found is None:
            source = "the setting" if executable else VARIABLE
            raise UsageError(f"{source} names {named} as the browser, but there is no such program")
        return Path(found)
    for name in (*NAMES, *PLACES):
        found = shutil.which(name, path=environment.get("PATH"))
        if found is not None:
            return Path(found)
    return None


ADVICE = (
    "no Chromium was found: install one (on Debian and Ubuntu: apt-get install chromium), name it in "
    f"{VARIABLE}, or let Playwright fetch its own (playwright install chromium)"
)
"""What to do where there is none."""
