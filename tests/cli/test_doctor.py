"""What ``tamis doctor`` says of an installation."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path

import pytest
import selectolax

import tamis as package
from tamis.cli import doctor
from tamis.page import walk


def lines(output):
    return {line[:14].strip(): line[14:] for line in output.splitlines()}


def test_versions_and_the_walk_in_use_are_named(tamis):
    shown = lines(tamis("doctor").stdout)
    assert shown["tamis"] == package.__version__
    assert shown["selectolax"] == selectolax.__version__
    assert shown["walk"].startswith(walk.WALKER)
    assert (shown["walk"] == "compiled") == (walk.REASON == "")


def test_a_plain_walk_has_its_reason(tamis, monkeypatch):
    monkeypatch.setattr(walk, "WALKER", "plain")
    monkeypatch.setattr(walk, "REASON", "the parser hides its functions")
    assert lines(tamis("doctor").stdout)["walk"].startswith("plain: the parser hides its functions;")


def test_an_extra_that_lacks_something_comes_with_its_command(tamis, monkeypatch):
    monkeypatch.setattr(
        metadata, "requires", lambda name: ["numpy>=1", 'nowhere-to-be-found>=2; extra == "lxml"', 'numpy; extra == "plot"']
    )
    shown = lines(tamis("doctor").stdout)
    assert shown["lxml"] == "lacks nowhere-to-be-found: pip install '.[lxml]'"
    assert shown["plot"] == "installed"
    assert json.loads(tamis("doctor", "--json").stdout)["missing"]["lxml"] == ["nowhere-to-be-found"]


def test_extras_within_an_extra_count(monkeypatch):
    given = [
        'tamis[a,b]; extra == "all"',
        'x-a[more]>=1; python_version < "4" and extra == "a"',
        "x-b ; extra == 'b'",
        'numpy; extra == "b"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: given)
    assert doctor.missing("all") == ["x-a", "x-b"]


@pytest.mark.parametrize("extra", ["dev", "bench", "docs"])
def test_extras_for_work_on_tamis_are_left_out(tamis, extra):
    assert extra not in lines(tamis("doctor").stdout)


def test_every_extra_that_a_message_names_exists():
    named = {
        extra
        for path in Path(package.__file__).parent.rglob("*.py")
        for extra in re.findall(r'(?:MissingExtraError|needs_extra)\(.*, "(\w+)"\)', path.read_text(encoding="utf-8"))
    }
    assert named <= set(metadata.metadata("tamis").get_all("Provides-Extra"))
    assert len(named) > 8
