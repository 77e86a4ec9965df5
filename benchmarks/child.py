"""Measurements in a process of their own: ``python -m benchmarks.MODULE WORDS...``, which prints one line of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OUT_OF_TIME = -24  #: The exit code of a process that used up its processor time.


def child_environment(*, threads: int | None = None) -> dict[str, str]:
    """The environment in which ``python -m benchmarks.…`` works from any folder.

    Args:
        threads: most threads that numerical libraries start; None leaves the choice to them.
    """
    paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    if threads is not None:
        environment |= {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    return environment


def measured_in_child(module: str, *words: object, timeout: float, threads: int | None = None, sent: bytes | None = None) -> dict[str, Any]:
    """Run a module of the benchmarks in its own process.

    Args:
        module: its name.
        words: its arguments.
        timeout: seconds that it may take.
        threads: most threads that numerical libraries start.
        sent: its standard input.

    Returns:
        What it printed; or ``error`` (one line) and ``code``, the exit code or None.
    """
    command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{module}", *map(str, words)]
    try:
        done = subprocess.run(
            command, input=sent, capture_output=True, timeout=timeout, check=False, env=child_environment(threads=threads)
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not done within {timeout:g} s", "code": None}
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return {"error": (said or [f"exit code {done.returncode}"])[-1][:300], "code": done.returncode}
    answer: Mapping[str, Any] = json.loads(done.stdout)
    return dict(answer)
