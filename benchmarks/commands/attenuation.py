"""``python -m benchmarks attenuation``."""

from __future__ import annotations

from benchmarks.commands.reporting import Folders, Json, Limit, Plot, deliver, errors_shown, progress


def attenuation(folders: Folders, limit: Limit = None, json_file: Json = None, plot: Plot = None) -> None:
    """The paper's figure 4 and table: accuracy by T, and by site at T = 0.34."""
    with errors_shown():
        from benchmarks import attenuation as bench
        from benchmarks.attenuation_report import attenuation_report, plot_attenuation

        with progress("pages") as told:
            result = bench.run(folders, limit=limit, progress=told)
        deliver(attenuation_report(result), result.to_dict(), json_file)
        if plot is not None:
            plot_attenuation(result, plot)
