"""Clean the same pages again and again, with other hash seeds, threads of BLAS and workers: outputs are equal to the last byte.

``python -m tests.attack.determinism FOLDER... --runs 20 --pages 1000`` prints the pages whose outputs differ between runs. Exit code 1:
some do. ``--largest 7000`` takes files of so many bytes at most: more runs in the same time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import tamis

FORMS = ("text", "markdown", "html")
SETTINGS = tuple(product(("0", "1", "random"), ("1", "2"), ("1", "2")))
"""Hash seed of Python, threads of BLAS, workers."""


def page_files(folders: list[Path], most: int, largest: int) -> list[str]:
    """Return at most so many page files of at most so many bytes below some folders, spread evenly."""
    paths = (path for folder in folders for path in folder.rglob("*.html*"))
    found = sorted(str(path) for path in paths if path.is_file() and path.stat().st_size <= largest)
    return [found[k * len(found) // most] for k in range(most)] if len(found) > most else found


def fingerprints(files: list[str], workers: int) -> dict[str, str]:
    """Return a hash of everything that is said of each page, by its file."""
    records = tamis.clean(files, formats=FORMS, comments=True, workers=workers)
    return {record.source: hashlib.sha256(repr(record.to_dict()).encode("utf-8", "surrogatepass")).hexdigest() for record in records}


def runs(files: list[str], count: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the fingerprints of each run, made by a process of its own, and what was different about it."""
    for number, (seed, threads, workers) in islice(enumerate(SETTINGS * (count // len(SETTINGS) + 1)), count):
        own = os.environ | {"PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        command = [sys.executable, "-m", "tests.attack.determinism", "--child", workers]
        done = subprocess.run(command, input=json.dumps(files), capture_output=True, text=True, env=own, check=True)
        yield f"run {number + 1}: hash seed {seed}, {threads} threads, {workers} workers", json.loads(done.stdout)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack.determinism", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--largest", type=int, default=sys.maxsize)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child is not None:
        json.dump(fingerprints(json.load(sys.stdin), given.child), sys.stdout)
        return 0
    files = page_files(given.folders, given.pages, given.largest)
    first: dict[str, str] = {}
    differing = 0
    for told, found in runs(files, given.runs):
        first = first or found
        other = sorted(file for file in first if found.get(file) != first[file])
        differing += len(other)
        whole = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]
        print(f"{told}: {len(found)} pages, {len(other)} differ from the first run, {whole}", *other, sep="\n  ", flush=True)
    return 1 if differing or not first else 0


if __name__ == "__main__":
    sys.exit(main())
