"""Few of the attacks of this package, as slow tests; the programs run as many as one likes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tamis
from demo import write_site
from tests.attack import hostile_table
from tests.attack.interruptions import COMMANDS
from tests.attack.shapes import SHAPES

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="needs fork and limits of processes")]


def program(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"tests.attack.{name}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=900)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_function_breaks_on_a_hostile_shape(shape):
    """At 30 kB, with a limit of time that ten megabytes would hardly need: what is much worse than linear does not end within it."""
    costs = hostile_table.measure(shape, 30_000, limit=10)
    assert not costs.errors
    assert costs.megabytes < hostile_table.MAX_MEGABYTES


@pytest.mark.parametrize("what", ["pages", "patterns", "files", "corpus"])
def test_damaged_input_is_taken(what):
    done = program("fuzz", what, "--count", {"pages": "400", "patterns": "20", "files": "150", "corpus": "25"}[what])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_comes_to_the_same_end(name):
    done = program("interruptions", "kill", "--moments", "1", "--commands", name)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_one_clear_error(name):
    done = program("interruptions", "full", "--moments", "1", "--commands", name)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_cannot_be_written_is_one_clear_error(name):
    done = program("interruptions", "readonly", "--commands", name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_name_that_changes_its_address_reaches_nothing_private():
    """In a network of its own, with a resolver of ours: the second answer to each question is 127.0.0.1."""
    own_network = ["unshare", "--net", "--mount"]
    needed = [*own_network, "sh", "-c", "ip link set lo up && mount --bind /dev/null /etc/resolv.conf"]
    if any(shutil.which(name) is None for name in ("unshare", "ip")) or subprocess.run(needed, capture_output=True, check=False).returncode:
        pytest.skip("needs root, unshare and ip")
    command = [*own_network, sys.executable, "-m", "tests.attack.rebinding", "fetch", "crawl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert all("0 secrets" in line for line in lines)
    assert "into a private network" in lines[0]


def test_runs_with_other_seeds_threads_and_workers_are_equal(tmp_path):
    write_site(tmp_path)
    done = program("determinism", str(tmp_path), "--runs", "4", "--pages", "24")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("24 pages, 0 differ") == 4


def test_the_functions_under_fuzz_are_those_of_the_surface_itself():
    from tests.attack.functions import OTHERS, SURFACE, members

    document = tamis.extract(OTHERS[0])
    assert {"chunks", "text", "markdown", "posts", "quality", "blocks"} <= set(members(type(document)))
    assert {"typed_records", "to_csv", "rows"} <= set(members(type(tamis.find_records(OTHERS[0]).table)))
    for ask in SURFACE.values():
        for page in (
            *OTHERS,
            b"",
            b"<p>&#" + b"9" * 5_000 + b";",
            b"<ul>" + b"<li><odd-tag>3.20</odd-tag> <a href=/x>more</a>" * 6 + b"</ul>",
        ):
            ask(page)
