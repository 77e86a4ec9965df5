"""The similarity bench."""

from __future__ import annotations

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import plain_similarity as plain
from benchmarks import similarity as bench
from benchmarks.report import to_terminal
from benchmarks.similarity import report
from benchmarks.similarity_child import COMPARISONS
from benchmarks.similarity_pages import join, largest, markup, nodes, read_groups
from tamis import parse
from tamis.errors import SourceError, UsageError
from tamis.structure.shapes import shapes
from tamis.structure.similarity import similarity

pytest.importorskip("sklearn")


def post(count: int) -> str:
    return f"<article><h1>A</h1>{'<p>text <b>b</b></p>' * count}</article><footer><a href=/>x</a></footer>"


def shop(count: int) -> str:
    return f"<table>{'<tr><td><img><td><i>1</i></tr>' * count}</table>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pages of two layouts with gold."""
    (tmp_path / "heap" / "pages").mkdir(parents=True)
    gold = []
    for name, make in (("post", post), ("shop", shop)):
        for k in range(3):
            file = f"{name}{k}.html.gz"
            (tmp_path / "heap" / "pages" / file).write_bytes(gzip.compress(make(3 + 2 * k).encode()))
            gold.append({"file": file, "cluster": name})
    (tmp_path / "heap" / "gold.json").write_text(json.dumps(gold))
    return tmp_path / "heap"


def in_this_process(job: bench._Job, method: str, timeout: float) -> bench.Comparison:
    value = COMPARISONS[method](job.a[1], job.b[1])()
    return bench.Comparison(job.part, (job.a[0], job.b[0]), (nodes(job.a[1]), nodes(job.b[1])), method, value, 0.001)


def test_the_bench_measures_every_part(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "_compared", in_this_process)  # a process for each comparison is what the next test has
    told = []
    result = bench.run([folder], sites=["post"], sizes=[40], peer_sizes=[20], timeout=60, progress=lambda *done: told.append(done))
    pairs = result.of("figure 3", "free")
    assert len(pairs) == 6
    assert all(one.error is None for one in result.comparisons)
    for one in result.of("figure 3"):
        assert one.value == pytest.approx(1.0) or one.pages[0] != one.pages[1]
    by_method = {one.method: one.value for one in result.of("another")}
    assert by_method["free"] == pytest.approx(by_method["free, plain"], abs=1e-12) == by_method["free, paper"]
    assert by_method["ordered"] == pytest.approx(by_method["ordered, plain"], abs=1e-12)
    assert by_method["ordered"] <= by_method["free"]
    free = next(one for one in result.clusterings if one.method == "free, tag")
    assert (free.rand, free.v_measure, free.purity, free.clusters) == (1.0, 1.0, 1.0, 2)
    packed = result.compressions[0]
    assert packed.shapes_together < packed.shapes < packed.nodes
    assert packed.tree_deflated < packed.tree
    assert packed.markup_deflated < packed.markup
    assert told[-1][0] == told[-1][1] == len(result.comparisons)
    shown = StringIO()
    Console(file=shown, width=220).print(to_terminal(report(result)))
    for word in ("figure 3", "figure 4", "other tools", "layout sketches", "HTML zlib"):
        assert word in shown.getvalue()
    json.dumps(result.to_dict())


def test_comparisons_have_processes_of_their_own_and_what_takes_too_long_is_told(folder):
    trees = [tree for _, tree in largest(read_groups(folder)["shop"], 2)]
    job = bench._Job("figure 3", ("a", trees[0]), ("b", trees[1]), ("free",))
    done = bench._compared(job, "free", 60)
    assert done.value == pytest.approx(similarity(*trees))
    assert done.seconds is not None
    assert bench._compared(job, "free", 0.001).error == "not done within 0.001 s"
    assert bench._compared(job, "no method", 60).error == "KeyError: 'no method'"


def test_the_plain_recursion_is_that_of_the_library():
    trees = [parse(post(3)), parse(post(2) + shop(2))]
    found = shapes(trees)
    a, b = (plain.nodes_of(tree, found, k) for k, tree in enumerate(trees))
    for size in (plain.kept, plain.counted):
        assert plain.free(a, b, size) == pytest.approx(similarity(*trees), abs=1e-12)
        assert plain.ordered(a, b, size) == pytest.approx(similarity(*trees, "ordered"), abs=1e-12)


def test_joined_pages_have_about_the_size_asked_for_and_are_trees():
    trees = [parse(post(20)), parse(shop(30))]
    for size in (10, 50, 500, 3000):
        joined = join(trees, size)
        assert nodes(joined) == size
        assert (joined.parent[1:] < list(range(1, len(joined)))).all()
        assert joined.end[0] == len(joined)


def test_largest_pages_are_of_different_sizes(folder):
    found = largest(read_groups(folder)["post"], 5)
    assert [name for name, _ in found] == ["post2", "post1", "post0"]


def test_folders_without_groups_and_senseless_numbers_are_refused(folder, tmp_path):
    with pytest.raises(SourceError, match="neither sites"):
        read_groups(tmp_path)
    with pytest.raises(UsageError, match="10 nodes or more"):
        bench.run([folder], sizes=[5])
    with pytest.raises(UsageError, match="no site 'stork'; sites are post, shop"):
        bench.run([folder], sites=["stork"])


def test_markup_holds_all_that_is_in_a_tree():
    html = '<html><head></head><body><p class="a">one &lt; two<br><b>three</b></p><a href="/?a&amp;b">x</a></body></html>'
    assert markup(parse(html)) == html
