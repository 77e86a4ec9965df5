"""A run over a corpus. What it has done is kept in the folder ``work`` of the output: if it is interrupted, the same command resumes it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import tamis
from tamis.corpus.config import CorpusConfig, make
from tamis.corpus.model_store import stored_files
from tamis.corpus.runners import PRELOADED, LocalRunner, RayRunner, Runner
from tamis.corpus.shards import Cut, Shard, plan
from tamis.corpus.stages import NothingWantedError, Progress, Stages, Summary
from tamis.corpus.tables import SCHEMA_VERSION
from tamis.corpus.tasks import TaskStore
from tamis.corpus.workers import processors, start_server
from tamis.errors import CorpusError, TamisError, UsageError
from tamis.io.arguments import source_around
from tamis.io.files import is_remote, stamp_of, storage
from tamis.io.pages import words
from tamis.io.plain import made
from tamis.io.writing import alone_in, written_whole


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The record of a run, ``run.json``."""

    tamis: str  #: the version
    schema: int
    settings: dict[str, Any]
    sources: list[Any]  #: files, each with its size and time
    round: int  #: how often failed pages were cleaned again
    finished: bool
    summary: dict[str, Any] | None = None  #: if the folder ``work`` was removed


def run(
    config: CorpusConfig,
    progress: Progress = lambda stage, done, total: None,
    *,
    overwrite: bool = False,
    resumed: Callable[[str], None] = lambda done: None,
) -> Summary:
    """Do a run, or resume one.

    Args:
        config: settings.
        progress: called as tasks are done.
        overwrite: remove the run in the output, once nothing is wrong with settings and sources.
        resumed: called with what is done already of the same run, in words.

    Raises:
        SourceError: a source is missing, has no pages or no page column, or its storage cannot be used.
        CorpusError: the output holds a run with other settings or cannot be written, a task fails, nothing was kept.
        ModelError: the store of templates cannot be read.
        UsageError: another run is writing to the output, or the output lies in a source.
    """
    _check_places(config)
    if config.runner == "local":
        start_server(PRELOADED)  # which loads modules while this process plans
    skipped: list[str] = []
    shards = _shards(config, skipped)
    if config.target is not None and is_remote(config.target):
        storage(config.target)  # an error is raised before the work, not after it
    if config.models is not None:
        stored_files(config.models)
    earlier = _earlier(config)
    if overwrite:
        remove(config.output)
    return replace(run_shards(config, shards, progress, earlier=earlier, resumed=resumed), skipped=tuple(skipped))


def _check_places(config: CorpusConfig) -> None:
    """Raise UsageError if what the run writes would be read as pages by the next."""
    for written in (config.output, config.models, config.target):
        if written is not None and not is_remote(written) and (source := source_around(written, config.sources)) is not None:
            raise UsageError(f"{Path(written).resolve()} lies in the source {source}, whose files are pages: choose a folder outside")


def _shards(config: CorpusConfig, skipped: list[str] | None = None) -> list[Shard]:
    return plan(config.sources, Cut(config.shard_mb * 1_000_000, config.shard_rows, config.shard_files), config.page_fields, skipped)


def remove(output: str | Path) -> None:
    """Remove the run in a folder; a folder without one stays as it is."""
    folder = Path(output).absolute()
    if (folder / "run.json").is_file():
        shutil.rmtree(folder)


def retry(output: str | Path, changed: Mapping[str, Any], progress: Progress = lambda stage, done, total: None) -> Summary:
    """Clean the failed pages of a finished run again, and write its results anew.

    Args:
        output: the folder of the run.
        changed: settings that differ this time and do not change results: ``workers``, ``page_seconds``, ``memory_mb``, ``runner``.
        progress: called as tasks are done.

    Raises:
        CorpusError: there is no run, it is not finished, or a source has changed since.
    """
    folder = Path(output).absolute()
    config = make({**record_of(folder).settings, "output": str(folder), **changed}, str(folder / "run.json"))
    return run_shards(config, _shards(config), progress, again=True)


def clear(summary: Summary) -> None:
    """Remove the folder ``work`` of a finished run; what the run did is kept in ``run.json``. The folder stays where it is of use: to
    clean failed pages again, or to give a later run with the same store of templates the results of pages that have not changed."""
    record = record_of(summary.output)
    if not summary.to_retry and record.settings["models"] is None:
        _put_record(summary.output, replace(record, summary={**asdict(summary), "output": str(summary.output)}))
        shutil.rmtree(summary.output / "work", ignore_errors=True)


def record_of(folder: Path) -> RunRecord:
    """Return the record of the run in a folder.

    Raises:
        CorpusError: there is no run, or its record cannot be read.
    """
    path = folder / "run.json"
    try:
        return made(RunRecord, json.loads(path.read_text(encoding="utf-8")), "it")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CorpusError(f"{folder} holds no run of tamis corpus") from error
    except (OSError, ValueError) as error:
        raise CorpusError(f"cannot read {path}: {error}; remove {folder}, and run the command again") from error


def _put_record(folder: Path, record: RunRecord) -> RunRecord:
    with written_whole(folder / "run.json", hidden=True) as stream:
        stream.write(json.dumps(asdict(record), indent=1).encode() + b"\n")
    return record


def _earlier(config: CorpusConfig) -> tuple[Path | None, str]:
    """Return the tasks of the earlier run that the settings name, if they do; or why it is not used. CorpusError: it is not finished."""
    if config.previous is None:
        return None, ""
    folder = Path(config.previous).absolute()
    about = record_of(folder)
    if not about.finished:
        raise CorpusError(f"the run in {folder} is not finished: tamis corpus run resumes it")
    if differing := _versions(about):
        return None, differing[0]
    if not (folder / "work").is_dir():
        return None, "its folder work was removed"
    theirs, mine = make({**about.settings, "output": str(folder)}).cleaning, config.cleaning
    differing = [_changed(name, theirs[name], mine[name]) for name in mine if theirs[name] != mine[name]]
    return (None, differing[0]) if differing else (folder / "work", "")


def _begun(output: Path, config: CorpusConfig, shards: Sequence[Shard], resumed: Callable[[str], None]) -> RunRecord:
    """Return the record of the run in the output, made if there is none; refuse to resume with other settings and sources."""
    sources = [[path, *stamp_of(path)] for path in sorted({path for shard in shards for path in shard.paths})]
    mine = RunRecord(tamis.__version__, SCHEMA_VERSION, config.decisive, sources, round=0, finished=False)
    if (output / "run.json").exists():
        theirs = record_of(output)
        if differing := _differences(theirs, json.loads(json.dumps(asdict(mine)))):
            raise CorpusError(
                f"{output} holds another run; what differs: {'; '.join(differing)}. Choose another output; --overwrite removes it"
            )
        done = f"resumed; tasks that are done already: {sum(1 for _ in output.glob('work/*/*.json')):,}"
        resumed(f"this run is {'finished; --overwrite does it again' if theirs.finished else done}")
        return theirs
    if output.exists() and any(output.iterdir()):
        raise CorpusError(f"{output} exists and is not a run of tamis corpus: choose another output")
    return _put_record(output, mine)


def _differences(theirs: RunRecord, mine: Mapping[str, Any]) -> list[str]:
    before, now = theirs.settings, mine["settings"]
    found = _versions(theirs)
    found += [_changed(name, before.get(name), now.get(name)) for name in sorted(before | now) if before.get(name) != now.get(name)]
    if theirs.sources != mine["sources"] and not any(line.startswith("sources ") for line in found):
        found.append("a source has changed since")
    return found


def _versions(theirs: RunRecord) -> list[str]:
    """Return differences between the versions of another run and this one."""
    both = (("tamis", theirs.tamis, tamis.__version__), ("schema", theirs.schema, SCHEMA_VERSION))
    return [_changed(name, before, now) for name, before, now in both if before != now]


def _changed(name: str, before: object, now: object) -> str:
    return f"{name} was {json.dumps(before, ensure_ascii=False)}, is {json.dumps(now, ensure_ascii=False)}"


def run_shards(
    config: CorpusConfig,
    shards: Sequence[Shard],
    progress: Progress,
    *,
    again: bool = False,
    earlier: tuple[Path | None, str] = (None, ""),
    resumed: Callable[[str], None] = lambda done: None,
) -> Summary:
    """Run the stages of :func:`run`.

    Args:
        config: settings.
        shards: the parts of the corpus.
        progress: called as tasks are done.
        again: clean the pages that failed in a finished run again.
        earlier: tasks of an earlier run, whose results serve unchanged pages; or why there are none.
        resumed: as for :func:`run`.
    """
    output = Path(config.output).absolute()
    try:
        output.mkdir(parents=True, exist_ok=True)
        with alone_in(output):
            record = _begun(output, config, shards, resumed)
            if again and not record.finished and not record.round:
                raise CorpusError(f"the run in {output} is not finished: tamis corpus run resumes it")
            if record.finished and not (output / "work").is_dir():  # and no page is to be cleaned again
                return replace(_cleared(output, record), unused=earlier[1])
            if again and record.finished:
                record = _put_record(output, replace(record, round=record.round + 1, finished=False))
            store = TaskStore(output / "work")
            memory = config.memory_mb * 1_000_000
            runner: Runner
            if config.runner == "ray":
                runner = RayRunner(str(store.root), config.page_seconds, memory, config.ray_address, config.workers)
            else:
                runner = LocalRunner(str(store.root), config.workers or processors(), config.page_seconds, memory)
            with closing(runner):
                try:
                    summary = Stages(config, store, runner, progress, earlier[0]).run(shards, record.round)
                except NothingWantedError:
                    remove(output)  # so that the command with other patterns can use it
                    raise
            _put_record(output, replace(record, finished=True))
            return replace(summary, unused=earlier[1])
    except TamisError:
        raise
    except OSError as error:
        raise CorpusError(f"cannot write {output}: {words(error)}") from error


def _cleared(output: Path, record: RunRecord) -> Summary:
    """Return the summary of a run whose folder ``work`` was removed. Raises CorpusError if it is unknown."""
    try:
        return made(Summary, {**(record.summary or {}), "output": str(output)}, "the summary")
    except UsageError as error:
        raise CorpusError(f"{output} has no work/ any more; --overwrite does the run again") from error
