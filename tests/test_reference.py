"""The pages of the reference that are made from the code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tamis.cli.overview import COMMANDS

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_of_commands_has_every_command_with_its_options(monkeypatch):
    pytest.importorskip("sphinx", reason="needs the extra docs")
    monkeypatch.syspath_prepend(str(DOCS))
    from _extension.reference import commands_page

    page = commands_page()
    for name in COMMANDS:
        part = page.partition(f"\n## `tamis {name}`\n")[2].partition("\n## ")[0]
        assert "| `--quiet, -q` |" in part or "### `" in part, name
    assert "| `--chunks N` | Split the text along headings" in page
    assert "### `tamis template show`" in page
    assert "<str>" not in page


@pytest.fixture(autouse=True)
def _forget():
    yield
    for name in [name for name in sys.modules if name.startswith("_extension")]:
        del sys.modules[name]
