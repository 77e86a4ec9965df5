"""The examples in the README and in docs/ do what they say.

In a fenced block of ``python`` or ``pycon``, ``>>>`` is a doctest; in a block of ``console``, what follows ``$`` is run, and its output
compared with the lines below it. An ellipsis stands for anything; a command without lines below it has to succeed. A page's examples run in
order, with one set of names, in a folder of their own that holds the demo site as ``site``. Blocks of other kinds are not run.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from demo import write_site
from tamis.cli import app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)]
_FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>\w+)\n(?P<body>.*?)^(?P=fence)$", re.M | re.S)
_FLAGS = doctest.ELLIPSIS
_ENVIRONMENT = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}


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


@pytest.fixture
def one_processor() -> Iterator[None]:
    """With one processor tamis works in one process, which starts soonest; commands inherit it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)} if os.getpid() % 2 else {max(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


@pytest.mark.usefixtures("one_processor")
@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in PAGES if has_examples(path)])
def test_examples_do_what_they_say(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "Browser(" in path.read_text(encoding="utf-8"):
        request.getfixturevalue("browser")  # skips where there is none
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
    failures = []
    for command, expected in commands(block.body):
        code, shown = run_command(command)
        fits = doctest.OutputChecker().check_output(expected, shown, _FLAGS) if expected else not code
        if not fits:
            failures.append(f"line {block.line}: $ {command}\nexpected:\n{expected}got (exit code {code}):\n{shown}")
    return failures


def run_command(command: str) -> tuple[int, str]:
    """Exit code and output, that on standard error last. A command that needs no shell is called here, which is much quicker."""
    if command.startswith("tamis ") and not set(command) & set("|<>&;$"):
        result = CliRunner().invoke(app, shlex.split(command)[1:], env=_ENVIRONMENT)
        return result.exit_code, _without_space_at_ends(result.stdout + result.stderr)
    environment = os.environ | _ENVIRONMENT
    environment["PATH"] = str(Path(sys.executable).parent) + os.pathsep + environment["PATH"]
    environment["PYTHONPATH"] = str(ROOT)  # as in a clone: python -m demo, python -m benchmarks
    run = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, encoding="utf-8", check=False)
    return run.returncode, _without_space_at_ends(run.stdout + run.stderr)


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
