"""The same tasks on a Ray cluster: the same documents, also when a worker is killed."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import run

from ..site.pages import article

pytest.importorskip("ray", reason="needs the extra ray")
pytestmark = pytest.mark.filterwarnings("ignore")


def source(tmp_path):
    for part in range(6):
        lines = [json.dumps({"url": f"http://a.test/{n}", "html": article(n)}) + "\n" for n in range(part * 5, part * 5 + 5)]
        (tmp_path / f"{part}.jsonl").write_text("".join(lines))
    return tuple(str(tmp_path / f"{part}.jsonl") for part in range(6))


def documents(output):
    return pq.read_table(output / "documents").to_pylist()


def workers():
    """Processes of the cluster that are at a task."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(b"ray::_guarded"):
                yield int(path.parent.name)
        except OSError:
            continue


def kill_one(killed):
    for _ in range(600):
        for process in workers():
            os.kill(process, signal.SIGKILL)
            killed.append(process)
            return
        time.sleep(0.05)


@pytest.mark.slow
def test_a_cluster_gives_the_same_documents_also_when_a_worker_is_killed(tmp_path):
    sources = source(tmp_path)
    here = CorpusConfig(sources, str(tmp_path / "local"), workers=1)
    run(here)
    killed = []
    killer = threading.Thread(target=kill_one, args=(killed,))
    killer.start()
    run(CorpusConfig(sources, str(tmp_path / "ray"), workers=2, runner="ray", memory_mb=0))
    killer.join()
    assert killed
    assert documents(tmp_path / "ray") == documents(tmp_path / "local")
