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
            if path.read_bytes().startswith(b"ray::_run_in_worker"):
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


@pytest.mark.slow
def test_a_node_may_die_and_another_may_come_while_a_run_goes_on(tmp_path):
    """A cluster of several nodes, each with processes of its own: results are equal row for row, and nothing but names travels."""
    from ray.cluster_utils import Cluster

    sources = source(tmp_path)
    run(CorpusConfig(sources, str(tmp_path / "local"), workers=1))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        nodes = [cluster.add_node(num_cpus=1)]
        stored = []

        def change(stage, done, total):
            stored.append(object_store_bytes())
            if stage == "clean" and done == 1:
                cluster.remove_node(nodes.pop(), allow_graceful=False)
            if stage == "clean" and done == 2:
                nodes.append(cluster.add_node(num_cpus=2))

        settings = CorpusConfig(sources, str(tmp_path / "ray"), runner="ray", ray_address=cluster.address, memory_mb=0)
        run(settings, change)
    finally:
        cluster.shutdown()
    assert nodes
    assert documents(tmp_path / "ray") == documents(tmp_path / "local")
    assert max(stored) < 10_000


def object_store_bytes():
    """What the object stores of all nodes hold."""
    import ray

    return ray.cluster_resources().get("object_store_memory", 0) - ray.available_resources().get("object_store_memory", 0)
