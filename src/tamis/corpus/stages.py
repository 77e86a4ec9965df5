"""The stages of a run over shards, each task done once. A stage begins when all tasks of the previous one have a manifest.

``read`` and ``survey`` (every shard) -> ``templates`` (every partition of sites) -> ``clean`` (every shard) ->
``deduplicate`` (one task) -> ``publish`` (every shard).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamis.corpus.config import CorpusConfig
from tamis.corpus.publishing import put_in_place
from tamis.corpus.runners import Runner
from tamis.corpus.shards import Shard
from tamis.corpus.tables import ANEW, LEFT_OUT, NEW, NO_TEXT, POSITION, REUSED, UNWANTED, UPDATED, rows
from tamis.corpus.tasks import Manifest, Task, TaskStore
from tamis.errors import CorpusError
from tamis.io.addresses import Patterns

PARTITIONS = 8  #: fewest partitions of the sites
SHARDS_A_PARTITION = 8
KNOWN = 32  #: shards whose hashes one shard reads, its own included: a few bring most of the gain, and reading all would be quadratic
Progress = Callable[[str, int, int], None]  #: called with a stage, its finished tasks, and all its tasks


class NothingWantedError(CorpusError):
    """The patterns of addresses leave out every page."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts and results of a run."""

    output: Path
    shards: int
    pages: int
    sites: int
    templates: int
    documents: int  #: documents written
    duplicates: int  #: copies, which are not written
    failed: int
    to_retry: int  #: pages that failed, but may be cleaned another time: time, memory or fetching
    empty: int
    by_template: int
    seen_characters: int
    kept_characters: int
    records: int = 0  #: rows of lists of pages
    other_languages: int = 0  #: pages in languages that were not asked for
    low_quality: int = 0  #: pages whose text breaks a rule of quality
    filtered: int = 0  #: pages that a filter of the caller leaves out
    outcomes: Mapping[str, int] = field(default_factory=dict)  #: templates by outcome: new, reused, updated, learned anew
    mixed: Mapping[str, str] = field(default_factory=dict)  #: what was taken for one site, but has pages of these hosts
    left_out: int = 0  #: pages whose address was not wanted; they do not count as pages
    unchanged: int = 0  #: pages whose results were taken from an earlier run
    unused: str = ""  #: why results of the earlier run are not used
    skipped: tuple[str, ...] = ()  #: files in folders that were not read: no pages by their name, JSON lines without a field of pages


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of one run; ``progress`` is called as tasks are done."""

    config: CorpusConfig
    store: TaskStore
    runner: Runner
    progress: Progress
    earlier: Path | None = None  #: tasks of an earlier run, whose results serve unchanged pages

    def run(self, shards: Sequence[Shard], rounds: int) -> Summary:
        """Do the unfinished tasks of all stages; failed pages are cleaned again ``rounds`` times.

        Raises:
            CorpusError: a task fails, or nothing was kept.
        """
        config = self.config
        store, known, date, earlier = config.models, [], "", []
        if store is not None:
            (fetched,) = self._stage("models", "model_store:fetch_models", [{}])
            known, date = [fetched.files[name] for name in sorted(fetched.files)], fetched.counts["date"]
        if self.earlier is not None:
            (indexed,) = self._stage("earlier", "previous_run:index_results", [{"root": str(self.earlier)}])
            earlier = [indexed.files[name] for name in ("index", "parts")]
        about = [{"shard": shard, "earlier": earlier} for shard in shards]
        read, digested, learned = self._learn(about, [shard.size for shard in shards], known, date)
        cleaned = self._clean(about, read, learned, rounds)
        every = [found for of_shard in cleaned for found in of_shard]
        if not sum(found.counts.get("documents", 0) for found in every):
            raise CorpusError(self._why(read, cleaned))
        later = f"-{rounds}" if rounds else ""
        duplicates = None
        if config.duplicates:
            needs = {name: [found.files[name] for found in every] for name in ("keys", "documents")}
            (duplicates,) = self._stage(f"deduplicate{later}", "deduplication:deduplicate", [needs])
        tables = ("documents", "failures", "dropped", *(("records",) if config.records else ()))
        copies = duplicates.files["duplicates"] if duplicates is not None else None
        tasks = [
            {"tables": {what: [found.files[what] for found in of_shard] for what in tables}, "duplicates": copies} for of_shard in cleaned
        ]
        published = self._stage(f"publish{later}", "publishing:publish", tasks)
        put_in_place(self.store, published, duplicates, config)
        if store is not None:
            files = [found.files["models"] for found in learned]
            self._stage("store", "model_store:store_models", [{"models": files, "date": date}])
        return self._summary(read, digested, learned, cleaned, duplicates, published)

    def _learn(
        self, about: Sequence[Mapping[str, Any]], sizes: Sequence[int], known: Sequence[str], date: str
    ) -> tuple[list[Manifest], list[Manifest], list[Manifest]]:
        """Read every page once, and learn templates: the tasks that read pages, that digested some, and that learned.

        ``known``: stored templates; ``date``: of the run, if it stores templates.
        """
        partitions = max(PARTITIONS, len(about) // SHARDS_A_PARTITION)
        shared: dict[str, Any] = {"partitions": partitions, "known": known}
        read = self._stage("read", "cleaning:read_shard", [{**shard, **shared} for shard in about], sizes)
        if _total(read, LEFT_OUT) and not _total(read, "pages"):
            raise NothingWantedError(Patterns.want_nothing(next(filter(None, (found.counts["for example"] for found in read)))))
        pages = [found.files["pages"] for found in read]
        needs = [
            {**shard, **shared, "pages": pages[number], "others": [pages[other] for other in known_to(number, len(pages))]}
            for number, shard in enumerate(about)
        ]
        found = [*self._stage("survey", "templates:survey", needs, _sizes(read)), *(read if known else [])]
        shared |= {
            "digests": [each.files["digests"] for each in found],
            "seen": [each.files["sites"] for each in read if known],
            "date": date,
        }
        needs = [{"partition": number, **shared} for number in range(partitions)]
        return read, found, self._stage("templates", "templates:learn_templates", needs)

    def _clean(
        self, about: Sequence[Mapping[str, Any]], read: Sequence[Manifest], learned: Sequence[Manifest], rounds: int
    ) -> list[list[Manifest]]:
        """For each shard, the manifests of all rounds."""
        models = [found.files["models"] for found in learned]
        needs = [{**shard, "models": models, "pages": found.files["pages"]} for shard, found in zip(about, read, strict=True)]

        def drop_spool(number: int) -> None:
            if "spool" in read[number].files:
                self.store.file(read[number], "spool").unlink(missing_ok=True)

        cleaned = [[found] for found in self._stage("clean", "cleaning:clean", needs, _sizes(read), drop_spool)]
        for number in range(1, rounds + 1):
            failures = [rows(self.store.file(found[-1], "failures"), ["id", "stage"]) for found in cleaned]
            failed = [[row["id"] & POSITION for row in of_shard if row["stage"] not in (NO_TEXT, *UNWANTED)] for of_shard in failures]
            tasks = [{**need, "only": positions} for need, positions in zip(needs, failed, strict=True)]
            for found, more in zip(cleaned, self._stage(f"clean-{number}", "cleaning:clean", tasks), strict=True):
                found.append(more)
        if "documents" not in read[0].files:
            return cleaned
        # Pages of sites with a stored template were cleaned when they were read. Often no page is left.
        return [[first, *(each for each in found if "pages" in each.counts)] for first, found in zip(read, cleaned, strict=True)]

    def _stage(
        self,
        stage: str,
        function: str,
        needs: Sequence[Mapping[str, Any]],
        sizes: Sequence[int] = (),
        after: Callable[[int], None] = lambda number: None,
    ) -> list[Manifest]:
        """Do the unfinished tasks of a stage, the largest first; the manifests of all its tasks, in order.

        Args:
            stage: its name.
            function: that does a task, as ``module:function``.
            needs: of each task.
            sizes: how much work each task is.
            after: called for each task that is done.
        """
        tasks = [Task(stage, number, f"tamis.corpus.{function}", {**need, "config": self.config}) for number, need in enumerate(needs)]
        self.store.sweep(tasks)
        left = [task for task in tasks if self.store.manifest(task) is None]
        for number in {task.number for task in tasks} - {task.number for task in left}:
            after(number)
        if sizes:
            left.sort(key=lambda task: -sizes[task.number])
        done = len(tasks) - len(left)
        self.progress(stage, done, len(tasks))
        for manifest in self.runner.run(left):
            after(int(manifest.task.rpartition("-")[2]))
            done += 1
            self.progress(stage, done, len(tasks))
        return self.store.manifests(tasks)

    def _why(self, read: Sequence[Manifest], cleaned: Sequence[Sequence[Manifest]]) -> str:
        reasons = Counter({"left out by address (--include, --exclude)": _total(read, LEFT_OUT)})
        for of_shard in cleaned:
            found = rows(self.store.file(of_shard[-1], "failures"), ["stage", "reason"])
            reasons.update(f"{row['stage']}: {row['reason']}" for row in found)
        said = "; ".join(f"{count} x {reason}" for reason, count in reasons.most_common(3) if count)
        return f"no page has a main text: {said or 'there is no page'}"

    def _summary(
        self,
        read: Sequence[Manifest],
        digested: Sequence[Manifest],
        learned: Sequence[Manifest],
        cleaned: Sequence[Sequence[Manifest]],
        duplicates: Manifest | None,
        published: Sequence[Manifest],
    ) -> Summary:
        from tamis.corpus.templates import mixed_sites

        every, last = [found for of_shard in cleaned for found in of_shard], [of_shard[-1] for of_shard in cleaned]
        counted: dict[str, Sequence[Manifest]] = {
            "pages": read,
            "sites": learned,
            "documents records": published,
            "duplicates": [duplicates] if duplicates is not None else [],
            "failed to_retry": last,
            "empty by_template seen_characters kept_characters other_languages low_quality filtered unchanged": every,
        }
        counts: dict[str, Any] = {name: _total(found, name.replace("_", " ")) for names, found in counted.items() for name in names.split()}
        return Summary(
            output=self.store.root.parent,
            shards=len(read),
            templates=_total(learned, "learned"),
            left_out=_total(read, LEFT_OUT),
            mixed=mixed_sites([*digested, *learned]),
            outcomes={name: count for name in (NEW, REUSED, UPDATED, ANEW) if (count := _total(learned, name))},
            **counts,
        )


def _total(manifests: Sequence[Manifest], name: str) -> int:
    return sum(manifest.counts.get(name, 0) for manifest in manifests)


def _sizes(read: Sequence[Manifest]) -> list[int]:
    """Return the amount of work that each shard has left for later stages."""
    return [found.counts.get("spooled bytes") or found.counts["pages"] for found in read]


def known_to(number: int, shards: int) -> list[int]:
    """Return the shards whose hashes a shard reads, its own first."""
    return [(number + step) % shards for step in range(min(shards, KNOWN))]
