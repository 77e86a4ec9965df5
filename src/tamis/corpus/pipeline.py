"""The run: settings to shards, what it is written down, stages done, documents put in place.

What a run has done is kept in the folder ``work`` of the output, so an interrupted run resumes when the command is repeated.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tamis
from tamis.corpus.config import CorpusConfig, make
from tamis.corpus.runners import PRELOADED, LocalRunner, RayRunner, Runner
from tamis.corpus.shards import Cut, Shard, check, plan
from tamis.corpus.stages import Progress, Stages, Summary
from tamis.corpus.tables import SCHEMA_VERSION
from tamis.corpus.tasks import TaskStore
from tamis.corpus.workers import processors, start_server
from tamis.errors import CorpusError, TamisError
from tamis.io.files import is_remote, stamp_of, storage
from tamis.io.pages import Fields, words
from tamis.io.writing import alone_in, written_whole

__all__ = ["Progress", "Summary", "retry", "run"]


def run(config: CorpusConfig, progress: Progress = lambda stage, done, total: None) -> Summary:
    """Do a run, or go on with one.

    Args:
        config: settings.
        progress: told as tasks are done.

    Raises:
        SourceError: a source stands for nothing or has no page column, or there is no such storage.
        CorpusError: the output holds a run with other settings or cannot be written, a task fails by itself, nothing was kept.
        ModelError: the store of templates cannot be read.
        UsageError: another run is writing to the output.
    """
    if config.runner == "local":
        start_server(PRELOADED)  # which loads modules while this process plans
    cut = Cut(config.shard_mb * 1_000_000, config.shard_rows, config.shard_files)
    shards = plan(config.sources, cut)
    check(shards, Fields(config.url_field, config.html_field))
    if config.target is not None and is_remote(config.target):
        storage(config.target)  # a storage that there is not is told before the work, not after it
    if config.models is not None:
        from tamis.corpus.models import stored_files

        stored_files(config.models)  # a store that cannot be read, too
    return run_shards(config, shards, progress)


def run_shards(config: CorpusConfig, shards: Sequence[Shard], progress: Progress) -> Summary:
    """:func:`run` over shards that are known."""
    output = Path(config.output).absolute()
    with _sole_run(output):
        _write_down(output, config, shards)
        return _carry_out(config, shards, _Rounds(output), progress)


def remove(output: str | Path) -> None:
    """Remove the run that a folder holds; a folder that holds none stays as it is."""
    folder = Path(output).absolute()
    if (folder / "run.json").is_file():
        shutil.rmtree(folder)


def retry(output: str | Path, changed: Mapping[str, Any], progress: Progress = lambda stage, done, total: None) -> Summary:
    """Work on the pages of a finished run that failed once more, alone, and put together anew what comes of it.

    Args:
        output: the folder of the run.
        changed: settings of how the work is done that differ this time: ``workers``, ``page_seconds``, ``memory_mb``, ``runner``.
        progress: told as tasks are done.

    Raises:
        CorpusError: there is no run, it is not finished, or a source was changed since.
    """
    folder = Path(output).absolute()
    try:
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        config = make({**about["settings"], "output": str(folder), **changed}, str(folder / "run.json"))
    except (OSError, ValueError, KeyError) as error:
        raise CorpusError(f"{folder} holds no run of tamis corpus: {error}") from error
    shards = plan(config.sources, Cut(config.shard_mb * 1_000_000, config.shard_rows, config.shard_files))
    with _sole_run(folder):
        _write_down(folder, config, shards)
        rounds = _Rounds(folder)
        rounds.begin_another()
        return _carry_out(config, shards, rounds, progress)


@contextmanager
def _sole_run(output: Path) -> Iterator[None]:
    """The one run in a folder; what cannot be written is an error that names the folder."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        with alone_in(output):
            yield
    except TamisError:
        raise
    except OSError as error:
        raise CorpusError(f"cannot write {output}: {words(error)}") from error


def _write_down(output: Path, config: CorpusConfig, shards: Sequence[Shard]) -> None:
    """Write down what the folder's run is, or see that it is this one, so that nobody goes on with another one."""
    mine = {
        "tamis": tamis.__version__,
        "schema": SCHEMA_VERSION,
        "settings": config.decisive,
        "sources": [[path, *stamp_of(path)] for path in sorted({path for shard in shards for path in shard.paths})],
    }
    path = output / "run.json"
    try:
        if path.exists():
            theirs = json.loads(path.read_text(encoding="utf-8"))
            if differing := _differences(theirs, json.loads(json.dumps(mine))):
                raise CorpusError(f"{output} holds another run; what differs: {'; '.join(differing)}. Choose another output, or remove it")
            return
        if output.exists() and any(output.iterdir()):
            raise CorpusError(f"{output} exists and is no run of tamis corpus: choose another output")
        with written_whole(path, hidden=True) as stream:
            stream.write(json.dumps(mine, indent=1).encode() + b"\n")
    except (OSError, ValueError) as error:
        raise CorpusError(f"cannot use {output}: {error}") from error


def _differences(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> list[str]:
    found = [f"{name} was {theirs.get(name)!r}, is {mine[name]!r}" for name in ("tamis", "schema") if theirs.get(name) != mine[name]]
    before, now = theirs.get("settings", {}), mine["settings"]
    found += [
        f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in sorted(before | now) if before.get(name) != now.get(name)
    ]
    if theirs.get("sources") != mine["sources"] and not any(line.startswith("sources ") for line in found):
        found.append("a source was changed since")
    return found


def _carry_out(config: CorpusConfig, shards: Sequence[Shard], rounds: _Rounds, progress: Progress) -> Summary:
    store = TaskStore(Path(config.output).absolute() / "work")
    with _runner(config, store) as runner:
        summary = Stages(config, store, runner, progress).run(shards, rounds.number)
    rounds.finish()
    return summary


class _Rounds:
    """How often the pages that failed were taken up again, and whether the last time came to its end."""

    def __init__(self, output: Path) -> None:
        self._path = output / "rounds.json"
        try:
            values = json.loads(self._path.read_text(encoding="utf-8"))
            self.number, self._finished = int(values["round"]), bool(values["finished"])
        except FileNotFoundError:
            self.number, self._finished = 0, False
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CorpusError(f"cannot read {self._path}: {error}") from error

    def begin_another(self) -> None:
        """Another round, unless one was begun and did not come to its end."""
        if self.number == 0 and not self._finished:
            raise CorpusError(f"the run in {self._path.parent} is not finished: tamis corpus run goes on with it")
        if self._finished:
            self._write(self.number + 1, finished=False)

    def finish(self) -> None:
        """The round came to its end."""
        self._write(self.number, finished=True)

    def _write(self, number: int, *, finished: bool) -> None:
        self.number, self._finished = number, finished
        with written_whole(self._path, hidden=True) as stream:
            stream.write(json.dumps({"round": number, "finished": finished}).encode() + b"\n")


def _runner(config: CorpusConfig, store: TaskStore) -> Runner:
    memory = config.memory_mb * 1_000_000
    if config.runner == "ray":
        return RayRunner(str(store.root), config.page_seconds, memory, config.ray_address, config.workers)
    return LocalRunner(str(store.root), config.workers or processors(), config.page_seconds, memory)
