"""Tasks: the work of a stage on one part of a corpus, committed once.

A task is the name of a function from files to files, and its arguments. Each attempt writes into its own folder. A task is done when its
*manifest* exists: a small JSON file that names the files of one attempt. It is put in place by linking, which succeeds once, so of
two attempts that finish, one counts. Files that no manifest names are removed. A manifest holds checksums of its files: what is damaged
when a run is resumed is done again.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any
from zlib import crc32

from tamis.corpus.config import CorpusConfig
from tamis.errors import CorpusError
from tamis.io.plain import made
from tamis.page.stopwatch import Stopwatch

CACHE = "spool"  #: Kind of a file that may be removed when later tasks have used it.


@dataclass(frozen=True, slots=True)
class Task:
    """One part of a stage's work."""

    stage: str  #: the stage's name; the folder of its manifests and files
    number: int  #: the task's number within the stage
    function: str  #: ``module:function`` of a function ``(Work) -> Mapping[str, Any]``
    needs: Mapping[str, Any] = field(default_factory=dict)  #: the arguments of the function: files, and ``config``, the settings of the run

    @property
    def name(self) -> str:
        """The task's name, unique within the corpus."""
        return f"{self.stage}-{self.number:06d}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The results of a finished task."""

    task: str
    files: Mapping[str, str]  #: files by what they hold, as paths relative to the folder of the corpus
    counts: Mapping[str, Any] = field(default_factory=dict)  #: what was counted on the way: JSON values
    costs: Mapping[str, Any] = field(default_factory=dict)
    """``seconds`` (processor), ``memory`` (peak of the process, bytes), ``parts`` (processor seconds by part)."""
    sums: Mapping[str, int] = field(default_factory=dict)  #: CRC-32 of the files, by what they hold; of the manifest itself as ``""``


@dataclass(slots=True)
class Work:
    """A running task, as its function sees it."""

    root: Path  #: folder of all tasks of the corpus
    task: Task
    lost: Mapping[int, str]  #: by position, why an item killed earlier attempts; it must be left out
    note: Callable[[int], None]  #: call it with the position of an item before working on it: if the process dies, this item is lost
    folder: Path  #: the folder of this attempt; it exists

    @property
    def config(self) -> CorpusConfig:
        """The settings of the run."""
        config: CorpusConfig = self.task.needs["config"]
        return config

    def path(self, name: str) -> Path:
        """Return the path at which the attempt writes a file."""
        return self.folder / name


class TaskStore:
    """Manifests and files of all tasks of a corpus, in a folder that all workers see. Raises CorpusError if it cannot be written."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CorpusError(f"cannot write {self.root}: {error.strerror or error}") from error

    def manifest(self, task: Task) -> Manifest | None:
        """Return the manifest of a task; None if it is not done.

        Raises:
            CorpusError: the manifest cannot be read.
        """
        path = self._manifest_path(task)
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["sums"].pop("") != crc32(json.dumps(values).encode()):
                raise ValueError("it is damaged")
            return made(Manifest, values, path.name)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CorpusError(f"cannot read {path}: {error}; the same command does the task again") from error

    def manifests(self, tasks: Iterable[Task]) -> list[Manifest]:
        """Return the manifests of tasks that are all done. Raises CorpusError if one is not."""
        found = []
        for task in tasks:
            if (manifest := self.manifest(task)) is None:
                raise CorpusError(f"the task {task.name} is not done")
            found.append(manifest)
        return found

    def of_stage(self, stage: str) -> list[Manifest]:
        """Return the manifests of all tasks of a stage that are done, in order."""
        numbers = sorted(int(path.stem) for path in (self.root / stage).glob("*.json"))
        return self.manifests(Task(stage, number, "") for number in numbers)

    def file(self, manifest: Manifest, what: str) -> Path:
        """Return the path of one of a manifest's files."""
        return self.root / manifest.files[what]

    def run(self, task: Task, lost: Mapping[int, str] | None = None, note: Callable[[int], None] = lambda item: None) -> Manifest:
        """Do a task, unless it is done. What the function raises is raised, and no files are left."""
        if (done := self.manifest(task)) is not None:
            return done
        folder = self.root / task.stage / f"{task.number:06d}.{uuid.uuid4().hex[:12]}"
        try:
            folder.mkdir(parents=True)
            begun, clock = process_time(), perf_counter()
            with Stopwatch() as watch:
                module, _, function = task.function.partition(":")
                counts = getattr(import_module(module), function)(Work(self.root, task, lost or {}, note, folder))
            seconds, lasted = process_time() - begun, perf_counter() - clock
            parts = {name: round(share * seconds / lasted, 6) for name, share in watch.seconds.items()}  # of the processor, too
            return self._commit(task, folder, counts, {"seconds": round(seconds, 6), "memory": _peak(), "parts": parts})
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise CorpusError(f"{task.name} cannot write {self.root}: {error.strerror or error}") from error
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _commit(self, task: Task, folder: Path, counts: Mapping[str, Any], costs: Mapping[str, Any]) -> Manifest:
        """Put the manifest in place unless another attempt has; returns the one that counts."""
        files = {path.name.partition(".")[0]: path.relative_to(self.root).as_posix() for path in sorted(folder.iterdir())}
        for path in folder.rglob("*"):
            if path.is_file():
                _flush(path)
        manifest = Manifest(task.name, files, counts, costs, {what: _checksum(self.root / file) for what, file in files.items()})
        values = asdict(manifest)
        values["sums"][""] = crc32(json.dumps(values).encode())
        draft = folder / "manifest"
        draft.write_text(json.dumps(values), encoding="utf-8")
        _flush(draft)
        try:
            os.link(draft, self._manifest_path(task))
        except FileExistsError:
            shutil.rmtree(folder, ignore_errors=True)
            return self.manifests([task])[0]
        draft.unlink()
        return manifest

    def sweep(self, tasks: Iterable[Task]) -> None:
        """Remove what dead attempts of these tasks left, and results that are damaged. Call it only while none of the tasks runs."""
        wanted: dict[str, set[str]] = {}
        for task in tasks:
            names = wanted.setdefault(task.stage, set())
            try:
                manifest = self.manifest(task)
                whole = manifest is None or all(self._is_whole(manifest, what) for what in manifest.files)
            except (CorpusError, OSError):
                whole = False
            if not whole:
                self._manifest_path(task).unlink(missing_ok=True)
            elif manifest is not None:
                names.update(Path(file).parts[1] for file in manifest.files.values())
        for stage, names in wanted.items():
            for path in (self.root / stage).glob("*.*"):
                if path.is_dir() and path.name not in names:
                    shutil.rmtree(path, ignore_errors=True)

    def _is_whole(self, manifest: Manifest, what: str) -> bool:
        path = self.file(manifest, what)
        return _checksum(path) == manifest.sums[what] or (what == CACHE and not path.exists())

    def _manifest_path(self, task: Task) -> Path:
        return self.root / task.stage / f"{task.number:06d}.json"


def _peak() -> int:
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _checksum(path: Path) -> int:
    total = 0
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            with file.open("rb") as stream:
                while piece := stream.read(1 << 20):
                    total = crc32(piece, total)
    return total


def _flush(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
