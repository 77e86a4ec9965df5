"""Runs that are killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from tamis.corpus.config import CorpusConfig


def begin_and_kill(settings: CorpusConfig, rng: Random, times: int, most: int, pause: float = 0.0) -> None:
    """Begin or resume a run so many times; kill it each time when it has begun or left up to ``most`` more tasks, and after up to ``pause``
    seconds."""
    for _ in range(times):
        process = subprocess.Popen([sys.executable, "-c", command(settings)])
        before, wanted = _traces(settings), rng.randint(1, most)
        while process.poll() is None and _traces(settings) < before + wanted:
            time.sleep(0.01)
        time.sleep(pause * rng.random())
        process.send_signal(signal.SIGKILL)
        process.wait()


def command(settings: CorpusConfig) -> str:
    """A program that does the run."""
    return f"from tamis.corpus.pipeline import run; from tamis.corpus.config import CorpusConfig; run({settings!r})"


def _traces(settings: CorpusConfig) -> int:
    """What tasks left so far, and begun: grows as a run goes on."""
    return sum(1 for _ in (Path(settings.output) / "work").glob("*/*"))


def set_unfinished(folder):
    """Let the record of a run say what it said before the run had ended."""
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"finished": False}))
