"""Other tools for records, and why most of them are not measured."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

NOT_RUN = {
    "mdr": "0.0.1 is of Python 2, and its C sources do not compile for Python 3.11 (PyCode_New, PyFrameObject)",
    "mlscraper": "1.0.0rc3 asks for records of which every value is the whole text of one element; on three pages that were tried "
    "(Bbc, Sbnation, Github) it ended with NoMatchFoundException",
}
"""Tools that were tried in vain."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether autoscraper runs, and if not, why."""

    version: str | None
    reason: str = ""


class AutoScraperProcess:
    """autoscraper, given the cells of a page's first record: the values that it finds to be like them.

    It knows values, not records; what it gives is compared cell by cell.
    """

    def __init__(self, python: str) -> None:
        self._process: subprocess.Popen[str] | None = None
        child = Path(__file__).with_name("record_peer_child.py")
        try:
            self._process = subprocess.Popen(
                [python, str(child)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
            )
        except OSError as error:
            self.standing = Standing(None, f"cannot run {python}: {error.strerror}")
            return
        said = self._line()
        version = said.get("version")
        self.standing = Standing(None if version is None else str(version), str(said.get("reason", "its process ended")))

    def __enter__(self) -> AutoScraperProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _line(self) -> dict[str, object]:
        stream = self._process.stdout if self._process is not None else None
        line = stream.readline() if stream is not None else ""
        return json.loads(line) if line else {}

    def values(self, html: str, wanted: list[str]) -> list[str]:
        """The values that are like the wanted ones; none where it failed."""
        if self._process is None or self._process.stdin is None or self.standing.version is None:
            return []
        self._process.stdin.write(json.dumps({"html": html, "wanted": wanted}) + "\n")
        self._process.stdin.flush()
        found = self._line().get("values")
        return [str(value) for value in found] if isinstance(found, list) else []
