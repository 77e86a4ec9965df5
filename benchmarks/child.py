"""The environment of a benchmark's child processes."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]


def child_environment(*, threads: int | None = None) -> dict[str, str]:
    """The environment in which ``python -m benchmarks.…`` works from any folder.

    Args:
        threads: the most threads that numerical libraries start; None leaves it to them.
    """
    paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    if threads is not None:
        environment |= {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    return environment
