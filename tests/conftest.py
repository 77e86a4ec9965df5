"""What the tests of several rooms share."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# A run says the same of the same code, however busy the machine is. `make explore` draws other examples each time.
settings.register_profile("same", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("explore", derandomize=False, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

# Tests that use Ray start a cluster each, also where another one runs.
os.environ.setdefault("RAY_ADDRESS", "local")

# A job in the background ignores SIGINT, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# A program for Linux that needs atheris; `make fuzz-coverage` installs it.
collect_ignore = ["attack/fuzz_coverage.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests, module by module, are spread over all: most of them wait while others compute, and few are left for the end."""
    groups: dict[bool, dict[Path, list[pytest.Item]]] = {True: {}, False: {}}
    for item in items:
        groups[item.get_closest_marker("slow") is not None].setdefault(item.path, []).append(item)
    placed = [(k / len(modules), module) for modules in groups.values() for k, module in enumerate(modules.values())]
    items[:] = [item for _, module in sorted(placed, key=lambda place: place[0]) for item in module]


@pytest.fixture(scope="session")
def browser():
    """One headless Chromium for all tests that only render; tests that end one start their own."""
    missing = pytest.fail if os.environ.get("CI") else pytest.skip
    if find_spec("playwright") is None:
        missing("needs the extra browser")
    from tamis import Browser, BrowserSettings
    from tamis.io.browser.settings import find_chromium

    if find_chromium() is None:
        missing("needs a Chromium: scripts/setup-system installs one")
    with Browser(BrowserSettings(seconds=300)) as started:
        yield started
