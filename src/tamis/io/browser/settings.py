"""Settings for rendering, its bounds, and the place of Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tamis.errors import UsageError, check_numbers


@dataclass(frozen=True, slots=True)
class BrowserSettings:
    """Settings of a :class:`~tamis.io.browser.browser.Browser`.

    Raises:
        UsageError: a size or a limit is not above 0, or ``settle`` is below 0.
    """

    viewport: tuple[int, int] = (1280, 1024)
    """Width and height of the window, CSS pixels."""
    seconds: float = 30.0
    """Most seconds for one page, from its address to its tree. One that does not answer by then is given up, and the browser restarted."""
    settle: float = 2.0
    """If scripts run: most seconds to wait after loading until the network is quiet. What is requested meanwhile is waited for."""
    javascript: bool | None = None
    """Run scripts; None: those of pages from the web, not those of saved pages."""
    offline: bool | None = None
    """Fetch nothing from the network; None: pages from the web fetch what they need, saved pages nothing."""
    allow_private: bool = False
    """Let pages reach addresses outside the public internet: this machine, a private network."""
    max_bytes: int = 50_000_000
    """Most bytes that a page may fetch, with all that it needs; what comes after them is not loaded."""
    user_agent: str | None = None
    """Name of the browser in requests; None: Chromium's own name."""
    executable: Path | None = None
    """The Chromium to start; None: the system's (:func:`find_chromium`)."""
    sandbox: bool | None = None
    """Run pages in the system's sandbox; None: yes, except for the user root, who has none."""

    def __post_init__(self) -> None:
        if min(self.viewport) < 1:
            raise UsageError(f"a viewport is a width and a height of at least 1 pixel, not {self.viewport}")
        check_numbers(self, positive=("seconds", "max_bytes"), natural=("settle",))


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
"""Paths that are tried if no command of these names is found."""
VARIABLE = "TAMIS_CHROMIUM"


def find_chromium(executable: Path | None = None, *, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the Chromium to start: ``executable``, or that of ``TAMIS_CHROMIUM``, or the system's; None: Playwright's own is left to try.

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
"""Advice if there is none."""
