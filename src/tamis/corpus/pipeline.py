"""The run: stages over shards, each task done once, then documents put in place.

``survey`` (every shard) -> ``templates`` (every partition of sites) -> ``clean`` (every shard) -> ``duplicates`` (all texts) ->
``publish`` (every shard). A stage begins when all tasks of the one before it have a manifest. What a run has done is kept in the folder
``work`` of the output, so the same command goes on where another was ended, however it was ended.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tamis
from tamis.cleaning import processors
from tamis.corpus.cleaning import NO_TEXT, POSITION
from tamis.corpus.config import CorpusConfig, make
from tamis.corpus.runners import LocalRunner, RayRunner, Runner
from tamis.corpus.shards import Cut, Shard, check, plan
from tamis.corpus.tables import SCHEMA_VERSION, rows
from tamis.corpus.tasks import Manifest, Task, TaskStore
from tamis.errors import CorpusError
from tamis.pages import Fields

PARTITIONS = 8
"""Parts that the sites are learned in."""
STAGES = ("survey", "templates", "clean", "duplicates", "publish")
Progress = Callable[[str, int, int], None]
"""Told a stage, and how many of its tasks are done, of how many."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did."""

    output: Path
    shards: int
    pages: int
    sites: int
    templates: int
    documents: int
    """Documents written."""
    duplicates: int
    """Documents that another one stands for."""
    failed: int
    empty: int
    by_template: int
    seen_characters: int
    kept_characters: int


def run(config: CorpusConfig, progress: Progress = lambda stage, done, total: None) -> Summary:
    """Do a run, or go on with one.

    Args:
        config: settings.
        progress: told as tasks are done.

    Raises:
        SourceError: a source stands for nothing or has no page column.
        CorpusError: the output holds a run with other settings, a task fails by itself, nothing was kept.
    """
    cut = Cut(config.shard_mb * 1_000_000, config.shard_rows, config.shard_files)
    shards = plan(config.sources, cut)
    check(shards, Fields(config.url_field, config.html_field))
    output = Path(config.output).absolute()
    _claim(output, config, shards)
    return _carry_out(config, shards, _Rounds(output), progress)


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
    _claim(folder, config, shards)
    rounds = _Rounds(folder)
    rounds.begin_another()
    return _carry_out(config, shards, rounds, progress)


def _carry_out(config: CorpusConfig, shards: Sequence[Shard], rounds: _Rounds, progress: Progress) -> Summary:
    store = TaskStore(Path(config.output).absolute() / "work")
    with _runner(config, store) as runner:
        summary = _Run(config, store, runner, progress).stages(shards, rounds.number)
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
        draft = self._path.with_name(".rounds.json.new")
        draft.write_text(json.dumps({"round": number, "finished": finished}) + "\n", encoding="utf-8")
        draft.replace(self._path)


class _Run:
    """The stages of one run."""

    def __init__(self, config: CorpusConfig, store: TaskStore, runner: Runner, progress: Progress) -> None:
        self._config = config
        self._store = store
        self._runner = runner
        self._progress = progress

    def stages(self, shards: Sequence[Shard], rounds: int) -> Summary:
        """Do what is left of all stages."""
        config = self._config
        about = [{"shard": shard.to_dict(), "url_field": config.url_field, "html_field": config.html_field} for shard in shards]
        surveyed = self._stage("survey", "survey:survey", [{**shard, "sample": config.sample, "partitions": PARTITIONS} for shard in about])
        digests = [found.files["digests"] for found in surveyed]
        learning = [{"partition": number, "digests": digests, "sample": config.sample} for number in range(PARTITIONS)]
        learned = self._stage("templates", "templates:learn_templates", learning)
        markdown = config.markdown or "markdown" in config.formats
        shared = {
            "models": [found.files["models"] for found in learned],
            "markdown": markdown,
            "metadata": config.metadata,
            "dropped": config.dropped,
        }
        cleaned = [[found] for found in self._stage("clean", "cleaning:clean", [{**shard, **shared} for shard in about])]
        for number in range(1, rounds + 1):
            again = [self._failed(found[-1]) for found in cleaned]
            tasks = [{**shard, **shared, "only": only} for shard, only in zip(about, again, strict=True)]
            for found, more in zip(cleaned, self._stage(f"clean-{number}", "cleaning:clean", tasks), strict=True):
                found.append(more)
        if not sum(found.counts.get("documents", 0) for of_shard in cleaned for found in of_shard):
            raise CorpusError(f"no page has a main text: {self._why(cleaned)}")
        later = f"-{rounds}" if rounds else ""
        documents = [found.files["documents"] for of_shard in cleaned for found in of_shard]
        duplicates = self._stage(f"duplicates{later}", "deduplication:find", [{"documents": documents}] if config.duplicates else [])
        publishing = [
            {
                **{what: [found.files[what] for found in of_shard] for what in ("documents", "failures", "dropped")},
                "duplicates": [found.files["duplicates"] for found in duplicates],
                "formats": config.formats,
            }
            for of_shard in cleaned
        ]
        published = self._stage(f"publish{later}", "publishing:publish", publishing)
        self._put_in_place(published, duplicates)
        return self._summary(len(shards), learned, cleaned, duplicates, published)

    def _failed(self, manifest: Manifest) -> list[int]:
        """Positions in their shard of the pages that failed; one without main text did not."""
        found = rows(self._store.file(manifest, "failures"), ["id", "stage"])
        return [row["id"] & POSITION for row in found if row["stage"] != NO_TEXT]

    def _stage(self, stage: str, function: str, needs: Sequence[Mapping[str, Any]]) -> list[Manifest]:
        """Do what is left of a stage; the manifests of all its tasks, in order."""
        tasks = [Task(stage, number, f"tamis.corpus.{function}", _plain(need)) for number, need in enumerate(needs)]
        self._store.sweep(tasks)
        left = [task for task in tasks if self._store.manifest(task) is None]
        done = len(tasks) - len(left)
        self._progress(stage, done, len(tasks))
        for _ in self._runner.run(left):
            done += 1
            self._progress(stage, done, len(tasks))
        return self._store.manifests(tasks)

    def _why(self, cleaned: Sequence[Sequence[Manifest]]) -> str:
        reasons: Counter[str] = Counter()
        for of_shard in cleaned:
            found = rows(self._store.file(of_shard[-1], "failures"), ["stage", "reason"])
            reasons.update(f"{row['stage']}: {row['reason']}" for row in found)
        return "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common(3)) or "there is no page"

    def _put_in_place(self, published: Sequence[Manifest], duplicates: Sequence[Manifest]) -> None:
        """The published files where the user looks for them, ``documents/part-000000.parquet`` and the like, each put there in one move."""
        output = self._store.root.parent
        for number, manifest in enumerate(published):
            for what in manifest.files:
                source = self._store.file(manifest, what)
                if source.is_dir():
                    for file in sorted(source.iterdir()):
                        _place(file, output / what / file.name)
                elif what != "dropped" or self._config.dropped:
                    folder = "documents" if what == "lines" else what
                    _place(source, output / folder / f"part-{number:06d}{source.suffix}")
        for manifest in duplicates:
            _place(self._store.file(manifest, "duplicates"), output / "duplicates.parquet")

    def _summary(
        self,
        shards: int,
        learned: Sequence[Manifest],
        cleaned: Sequence[Sequence[Manifest]],
        duplicates: Sequence[Manifest],
        published: Sequence[Manifest],
    ) -> Summary:
        every = [found for of_shard in cleaned for found in of_shard]
        first = [of_shard[0] for of_shard in cleaned]

        def total(manifests: Sequence[Manifest], name: str) -> int:
            return sum(manifest.counts.get(name, 0) for manifest in manifests)

        return Summary(
            output=self._store.root.parent,
            shards=shards,
            pages=total(first, "pages"),
            sites=total(learned, "sites"),
            templates=total(learned, "learned"),
            documents=total(published, "documents"),
            duplicates=total(duplicates, "duplicates"),
            failed=total([of_shard[-1] for of_shard in cleaned], "failed"),
            empty=total(every, "empty"),
            by_template=total(every, "by template"),
            seen_characters=total(every, "seen characters"),
            kept_characters=total(every, "kept characters"),
        )


def _place(source: Path, target: Path) -> None:
    """A link to a file, or a copy, put in place in one move."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.new")
    draft.unlink(missing_ok=True)
    try:
        os.link(source, draft)
    except OSError:  # no links here
        shutil.copyfile(source, draft)
    draft.replace(target)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(values))
    return plain


def _runner(config: CorpusConfig, store: TaskStore) -> Runner:
    memory = config.memory_mb * 1_000_000
    if config.runner == "ray":
        return RayRunner(str(store.root), config.page_seconds, memory, config.ray_address, config.workers)
    return LocalRunner(str(store.root), config.workers or processors(), config.page_seconds, memory)


def _claim(output: Path, config: CorpusConfig, shards: Sequence[Shard]) -> None:
    """Write down what the folder's run is, or see that it is this one."""
    mine = {
        "tamis": tamis.__version__,
        "schema": SCHEMA_VERSION,
        "settings": config.decisive,
        "sources": [[path, *_stamp(path)] for path in sorted({path for shard in shards for path in shard.paths})],
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
        output.mkdir(parents=True, exist_ok=True)
        draft = output / ".run.json.new"
        draft.write_text(json.dumps(mine, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(path)
    except (OSError, ValueError) as error:
        raise CorpusError(f"cannot use {output}: {error}") from error


def _stamp(path: str) -> tuple[int, int]:
    with suppress(OSError):
        found = Path(path).stat()
        return found.st_size, found.st_mtime_ns
    return 0, 0


def _differences(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> list[str]:
    found = [f"{name} was {theirs.get(name)!r}, is {mine[name]!r}" for name in ("tamis", "schema") if theirs.get(name) != mine[name]]
    before, now = theirs.get("settings", {}), mine["settings"]
    found += [
        f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in sorted(before | now) if before.get(name) != now.get(name)
    ]
    if theirs.get("sources") != mine["sources"] and not any(line.startswith("sources ") for line in found):
        found.append("a source was changed since")
    return found
