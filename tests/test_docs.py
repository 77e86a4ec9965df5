"""The examples in the README and in docs/ do what they say.

In a fenced block of ``python`` or ``pycon``, ``>>>`` is a doctest; in a block of ``console``, what stands after ``$`` is run, and its output compared
with the lines below it. An ellipsis stands for anything; a command without lines below it has to succeed. A page's examples run in order, with one set
of names, in a folder of their own that holds the demo site as ``site``. Blocks of other kinds are not run.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tamis.demo import write_site

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)]
_FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>\w+)\n(?P<body>.*?)^(?P=fence)$", re.M | re.S)
_FLAGS = doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    kind: str
    body: str
    line: int
    """Line of the page that it starts on, from 0."""


def blocks(page: str) -> list[Block]:
    return [Block(found["kind"], found["body"], page.count("\n", 0, found.start("body"))) for found in _FENCE.finditer(page)]


def has_examples(path: Path) -> bool:
    return any(block.kind == "console" or ">>>" in block.body for block in blocks(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in PAGES if has_examples(path)])
def test_examples_do_what_they_say(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    failures: list[str] = []
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.kind == "console":
            failures += run_commands(block)
        elif block.kind in ("python", "pycon"):
            failures += run_python(block, names, path)
    assert not failures, f"{path.relative_to(ROOT)}:\n" + "\n".join(failures)


def run_python(block: Block, names: dict[str, object], path: Path) -> list[str]:
    test = doctest.DocTestParser().get_doctest(block.body, names, path.stem, str(path), block.line)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_FLAGS, verbose=False)
    runner.run(test, out=told.append, clear_globs=False)
    names.update(test.globs)
    return ["".join(told)] if told else []


def run_commands(block: Block) -> list[str]:
    environment = os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    environment["PATH"] = str(Path(sys.executable).parent) + os.pathsep + environment["PATH"]
    failures = []
    for command, expected in commands(block.body):
        run = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
        shown = _without_space_at_ends(run.stdout + run.stderr)
        fits = doctest.OutputChecker().check_output(expected, shown, _FLAGS) if expected else not run.returncode
        if not fits:
            failures.append(f"line {block.line}: $ {command}\nexpected:\n{expected}got (exit code {run.returncode}):\n{shown}")
    return failures


def commands(body: str) -> list[tuple[str, str]]:
    """Commands and what they print; a command goes on in lines that start with ``> ``."""
    found: list[tuple[str, str]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", "")
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}{line.rstrip()}\n")
    return found


def _without_space_at_ends(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())
