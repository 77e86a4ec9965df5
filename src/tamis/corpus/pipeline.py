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
from tamis.corpus.config import CorpusConfig
from tamis.corpus.runners import LocalRunner, RayRunner, Runner
from tamis.corpus.shards import Cut, Shard, check, plan
from tamis.corpus.tables import SCHEMA_VERSION
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
    store = TaskStore(output / "work")
    with _runner(config, store) as runner:
        return _Run(config, store, runner, progress).stages(shards)


class _Run:
    """The stages of one run."""

    def __init__(self, config: CorpusConfig, store: TaskStore, runner: Runner, progress: Progress) -> None:
        self._config = config
        self._store = store
        self._runner = runner
        self._progress = progress

    def stages(self, shards: Sequence[Shard]) -> Summary:
        config = self._config
        about = [{"shard": shard.to_dict(), "url_field": config.url_field, "html_field": config.html_field} for shard in shards]
        surveyed = self._stage("survey", "survey:survey", [{**shard, "sample": config.sample, "partitions": PARTITIONS} for shard in about])
        digests = [found.files["digests"] for found in surveyed]
        learned = self._stage(
            "templates",
            "templates:learn_templates",
            [{"partition": number, "digests": digests, "sample": config.sample} for number in range(PARTITIONS)],
        )
        models = [found.files["models"] for found in learned]
        cleaned = self._stage(
            "clean",
            "cleaning:clean",
            [
                {**shard, "models": models, "markdown": config.markdown or "markdown" in config.formats, "dropped": config.dropped}
                for shard in about
            ],
        )
        if not sum(found.counts.get("documents", 0) for found in cleaned):
            raise CorpusError(f"no page has a main text: {self._why(cleaned)}")
        documents = [found.files["documents"] for found in cleaned]
        duplicates = self._stage("duplicates", "deduplication:find", [{"documents": documents}] if config.duplicates else [])
        published = self._stage(
            "publish",
            "publishing:publish",
            [
                {
                    "documents": found.files["documents"],
                    "duplicates": [one.files["duplicates"] for one in duplicates],
                    "formats": config.formats,
                }
                for found in cleaned
            ],
        )
        self._put_in_place(published, cleaned, duplicates)
        return self._summary(len(shards), surveyed, learned, cleaned, duplicates, published)

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

    def _why(self, cleaned: Sequence[Manifest]) -> str:
        from tamis.corpus.tables import rows

        reasons: Counter[str] = Counter()
        for manifest in cleaned:
            reasons.update(f"{row['stage']}: {row['reason']}" for row in rows(self._store.file(manifest, "failures"), ["stage", "reason"]))
        return "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common(3)) or "there is no page"

    def _put_in_place(self, published: Sequence[Manifest], cleaned: Sequence[Manifest], duplicates: Sequence[Manifest]) -> None:
        """Links to the published files where the user looks for them, each put in place in one move."""
        output = self._store.root.parent
        for number, manifest in enumerate(published):
            for what in manifest.files:
                self._link(manifest, what, output / what)
            self._link(cleaned[number], "failures", output / "failures" / f"part-{number:06d}.parquet")
            if self._config.dropped:
                self._link(cleaned[number], "dropped", output / "dropped" / f"part-{number:06d}.parquet")
        for manifest in duplicates:
            self._link(manifest, "duplicates", output / "duplicates.parquet")

    def _link(self, manifest: Manifest, what: str, target: Path) -> None:
        source = self._store.file(manifest, what)
        if source.suffix != target.suffix:
            kind = source.name.partition(".")[2]
            target = target / f"part-{int(manifest.task.rpartition('-')[2]):06d}.{kind}" if kind else target
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
            return
        draft = target.with_name(f".{target.name}.new")
        draft.unlink(missing_ok=True)
        try:
            os.link(source, draft)
        except OSError:  # no links here
            shutil.copyfile(source, draft)
        draft.replace(target)

    def _summary(self, shards: int, *stages: Sequence[Manifest]) -> Summary:
        _, learned, cleaned, duplicates, published = stages

        def total(manifests: Sequence[Manifest], name: str) -> int:
            return sum(manifest.counts.get(name, 0) for manifest in manifests)

        return Summary(
            output=self._store.root.parent,
            shards=shards,
            pages=total(cleaned, "pages"),
            sites=total(learned, "sites"),
            templates=total(learned, "learned"),
            documents=total(published, "documents"),
            duplicates=total(duplicates, "duplicates"),
            failed=total(cleaned, "failed"),
            empty=total(cleaned, "empty"),
            by_template=total(cleaned, "by template"),
            seen_characters=total(cleaned, "seen characters"),
            kept_characters=total(cleaned, "kept characters"),
        )


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
