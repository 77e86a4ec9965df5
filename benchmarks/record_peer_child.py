"""Runs autoscraper in a process of its own, with any Python that has it: one JSON line in, one out.

Run by path, so that this Python needs nothing of tamis. A line in has ``html`` and ``wanted``; a line out has ``values``, or ``error``.
"""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

SECONDS = 30


def main() -> None:
    """Answer until the input ends; the first line says which version runs, or why none does."""
    try:
        from importlib.metadata import version

        from autoscraper import AutoScraper

        probe = AutoScraper().build(html="<ul><li><b>a</b></li><li><b>b</b></li></ul>", wanted_list=["a"])
        found = version("autoscraper") if probe else None
        reason = "" if found else f"finds nothing with beautifulsoup4 {version('beautifulsoup4')}; beautifulsoup4<4.13 is needed"
    except ImportError as error:
        found, reason = None, f"not installed ({error})"
    print(json.dumps({"version": found, "reason": reason}), flush=True)
    for line in sys.stdin if found else ():
        print(json.dumps(answer(AutoScraper, json.loads(line))), flush=True)


def answer(scraper: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """The values that are like the wanted ones; equal values kept, in order."""

    def too_long(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        tool = scraper()
        tool.build(html=asked["html"], wanted_list=asked["wanted"])
        return {"values": tool.get_result_similar(html=asked["html"], unique=False, keep_order=True)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    main()
