"""No regular expression of tamis is worse than linear on an input that a page can hold."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tamis.io.addresses import read_address
from tamis.page.decode import find_encoding

SIZES = (10_000, 100_000)
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,{}]+\})\+(?!,)")


def test_groups_are_atomic_and_not_possessive():
    """Before 3.11.5, Python matches less by ``(?:ab?c)*+`` than by ``(?>(?:ab?c)*)`` (gh-106052)."""
    sources = sorted((Path(__file__).parents[1] / "src").rglob("*.py"))
    lines = [line.strip() for source in sources for line in source.read_text(encoding="utf-8").splitlines()]
    assert len(lines) > 10_000
    assert not [line for line in lines if POSSESSIVE_GROUP.search(line) and "safe=" not in line]


@pytest.mark.skipif(sys.platform == "win32", reason="needs timers of processor time")
def test_every_pattern_is_linear_or_given_little():
    command = [sys.executable, "-m", "tests.worst_cases"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent, timeout=600)
    *slow, count = done.stdout.splitlines()
    assert not slow
    assert int(count.split()[0]) > 100


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "again", ["<meta ", "<meta charset", "<meta charset= ", "<?xml ", "<?xml encoding ", "<meta x;charset \n", "<!--", "<meta '"]
)
def test_declarations_of_an_encoding_are_read_in_one_pass(again, size):
    assert find_encoding((again * (size // len(again))).encode()).name == "utf-8"
    assert find_encoding(b"<p>", "text/html; " + again * (size // len(again))).name == "utf-8"
    assert find_encoding(b"<p>", "text/html; charset=" + " " * size + ";").name == "utf-8"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("again", ["a", "-", "_1", "a-1", "-p", "1", ".", ".a", ";sid=", "%31", "/page/1"])
def test_addresses_are_read_in_one_pass(again, size):
    url = "https://example.org/" + again * (size // len(again))
    assert read_address(url).part.article[0] == "example.org"
    assert read_address(url + "?page=" + "1" * size).pattern is not None
    assert read_address("https://example.org/?p=" + "1" * size).part.number is None
