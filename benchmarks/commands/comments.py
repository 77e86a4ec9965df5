"""``python -m benchmarks comments``."""

from __future__ import annotations

from benchmarks.commands.reporting import Folders, Json, Limit, deliver, errors_shown, progress


def comments(folders: Folders, limit: Limit = None, json_file: Json = None) -> None:
    """How well visitors' comments are found and kept out of the main text."""
    with errors_shown():
        from benchmarks import comments as bench

        with progress("pages") as told:
            result = bench.run(folders, limit=limit, progress=told)
        deliver(result.report(), result.to_dict(), json_file)
