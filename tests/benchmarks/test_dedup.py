"""The dedup bench: measures, collections, methods, a whole run."""

from __future__ import annotations

import gzip
import json
from importlib.util import find_spec
from io import StringIO
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from benchmarks import dedup as bench
from benchmarks import dedup_methods as methods
from benchmarks.__main__ import app
from benchmarks.dedup import report
from benchmarks.dedup_measures import joined, score_clusters, score_pairs, true_pairs
from benchmarks.dedup_peers import PEERS, shingles
from benchmarks.dedup_scale import SCALED, ScaleRun, measure_scale, run_one
from benchmarks.dedup_scale_child import METHODS, Stream
from benchmarks.dedup_sets import Collection, near_misses, planted, read_collections
from benchmarks.report import draw, to_terminal
from benchmarks.zipf_texts import ZipfTexts
from tamis.errors import SourceError, UsageError

TEXTS = [document.text for document in ZipfTexts(5).documents(60) if "/" not in document.id and len(document.text) > 1500]


@st.composite
def clusterings(draw: st.DrawFn) -> tuple[list[list[int]], list[str]]:
    """Clusters of some documents, and a group for each document."""
    groups = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=9))
    cluster_of = draw(st.lists(st.integers(0, 3), min_size=len(groups), max_size=len(groups)))
    return [[n for n, one in enumerate(cluster_of) if one == k] for k in range(3) if k in cluster_of], groups


@given(clusterings())
def test_cluster_measures_are_those_of_the_definition(given):
    clusters, groups = given
    whole = [*clusters, *([n] for n in range(len(groups)) if not any(n in cluster for cluster in clusters))]
    mine = {n: set(cluster) for cluster in whole for n in cluster}
    gold = {n: {m for m, other in enumerate(groups) if other == group} for n, group in enumerate(groups)}
    score = score_clusters(clusters, groups)
    assert score.precision == pytest.approx(sum(len(mine[n] & gold[n]) / len(mine[n]) for n in gold) / len(groups))
    assert score.recall == pytest.approx(sum(len(mine[n] & gold[n]) / len(gold[n]) for n in gold) / len(groups))
    assert score.pairs == score_pairs([pair for cluster in whole for pair in combinations(sorted(cluster), 2)], groups)
    assert score.wrongly == sum(groups[n] != groups[cluster[0]] for cluster in whole for n in cluster)
    assert score.merged == sum(len({groups[n] for n in cluster}) > 1 for cluster in whole)


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=9), st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_joined_documents_are_those_that_a_way_of_pairs_connects_and_the_longest_is_kept(pairs, lengths):
    reach = {n: {n} for n in range(8)}
    for _ in range(8):
        for a, b in pairs:
            reach[a] = reach[b] = reach[a] | reach[b]
    clusters = joined(pairs, lengths)
    assert {frozenset(cluster) for cluster in clusters} == {frozenset(reach[n]) for n in range(8) if len(reach[n]) > 1}
    assert all(lengths[cluster[0]] == max(lengths[n] for n in cluster) for cluster in clusters)


def test_nothing_found_and_nothing_to_find_have_no_precision_and_no_recall():
    assert score_pairs([], ["a", "a"]).precision is None
    assert score_pairs([(0, 1)], ["a", "b"]).recall is None
    assert true_pairs([]) == 0
    assert score_clusters([], []).over_merged is None


def test_planted_collections_hold_originals_their_edits_and_as_many_others():
    collection = planted("birds", TEXTS, sources=8, edits=3)
    assert sum(label == "original" for label in collection.labels) == 16
    assert len(collection) == 16 + 24
    assert sum(map(len, collection.edited_pairs.values())) == 24
    for name, pairs in collection.edited_pairs.items():
        for pair in pairs:
            assert {collection.labels[n] for n in pair} == {"original", name}
            assert collection.groups[pair[0]] == collection.groups[pair[1]]
    assert collection == planted("birds", TEXTS, sources=8, edits=3)
    assert len(planted("birds", [*TEXTS, *(text.upper() for text in TEXTS)], sources=500, edits=1)) == len(TEXTS) + (len(TEXTS) + 1) // 2


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    lines = [f"t{k} {' '.join(text.split())}" for k, text in enumerate(TEXTS[:6])]
    (tmp_path / "some.train").write_text("\n".join([*lines, f"t9 {' '.join(TEXTS[0].split())}"]))
    (tmp_path / "some.truth").write_text("t0 t9\n")
    return tmp_path


def test_articles_are_paired_by_the_truth_file(articles):
    (collection,) = read_collections(articles, sources=1, edits=1)
    assert len(collection) == 7
    assert [collection.labels[n] for n, group in enumerate(collection.groups) if group == "t0"] == ["t0", "t9"]
    (articles / "some.truth").write_text("t0 t77\n")
    with pytest.raises(SourceError, match="two articles of some"):
        list(read_collections(articles, sources=1, edits=1))


def test_pages_are_read_raw_and_cleaned(tmp_path):
    (tmp_path / "pages").mkdir()
    gold = []
    for k, text in enumerate([*TEXTS[:5], TEXTS[0]]):
        html = f"<nav><a href=/>Home of herons</a></nav><article>{''.join(f'<p>{line}' for line in text.split(chr(10)))}</article>"
        (tmp_path / "pages" / f"{k}.html.gz").write_bytes(gzip.compress(html.encode()))
        gold.append({"file": f"{k}.html.gz", "cluster": f"c{k % 5}", "set": "one"})
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    raw, cleaned = read_collections(tmp_path, sources=1, edits=1)
    assert "Home of herons" in raw.texts[0]
    assert not any("Home of herons" in text for text in cleaned.texts)
    assert raw.groups == cleaned.groups == ("c0", "c1", "c2", "c3", "c4", "c0")
    (tmp_path / "gold.json").write_text("[{}]")
    with pytest.raises(SourceError, match="no list of pages"):
        list(read_collections(tmp_path, sources=1, edits=1))


def test_single_pages_with_gold_give_planted_edits_and_unknown_folders_are_refused(tmp_path):
    records = [{"id": str(k), "page_type": "article", "main_content": text} for k, text in enumerate(TEXTS)]
    (tmp_path / "gold.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))
    (collection,) = read_collections(tmp_path, sources=4, edits=2)
    assert collection.name.endswith(", spaced")
    assert len(collection) == 16
    with pytest.raises(SourceError, match="holds no near-duplicates"):
        list(read_collections(tmp_path / "nothing", sources=1, edits=1))


def test_methods_number_texts_as_they_came():
    texts = [TEXTS[0], TEXTS[1], TEXTS[0], TEXTS[2], TEXTS[1]]
    for name, method in methods.choose(None)[0].items():
        for found in method(texts):
            together = bench._together(found)
            assert together == {(0, 2), (1, 4)}, (name, found)
            assert found.seconds >= 0


def test_peers_get_shingles_of_words_or_of_characters():
    assert shingles("") == [""]
    assert shingles("One two") == ["one two"]
    assert shingles("一二三四五六七") == ["一 二 三 四 五 六", "二 三 四 五 六 七"]


def test_unknown_methods_and_methods_that_are_not_installed_are_told(monkeypatch):
    with pytest.raises(UsageError, match=r"no method 'nonsense'; methods are tamis; .*rensa"):
        methods.choose(["nonsense"])
    monkeypatch.setattr(methods, "find_spec", lambda name: None)
    chosen, missing = methods.choose(None)
    assert set(missing) == set(PEERS)
    assert not set(chosen) & set(PEERS)


def test_near_misses_count_as_errors_by_family():
    collection = near_misses(3)
    first = [n for n, label in enumerate(collection.labels) if label == collection.labels[0]]
    outcome = bench.judge(collection, methods.Found("all of one family", 0.0, clusters=[first]))
    assert [share for share in outcome.by_family.values() if share] == [1.0]
    assert outcome.clusters.lost == outcome.clusters.over_merged == 1
    assert len(outcome.wrong) == 3


def test_a_difference_between_index_and_brute_force_is_told():
    collection = Collection("two", ("a", "b", "c"), ("x", "x", "y"), ("", "", ""))
    index, brute = methods.Found(methods.PAIRS, 0.0, pairs=[(0, 1)]), methods.Found(methods.BRUTE, 0.0, pairs=[(0, 1), (1, 2)])
    forest, codes = methods.Found(methods.FOREST, 0.0, clusters=[[1, 0]]), methods.Found(methods.CODES, 0.0, pairs=[(0, 1), (0, 2)])
    assert bench.agreement(collection, [index, brute, forest, codes]) == bench.Agreement("two", False, 2, 1, 0)
    apart = Collection("two", ("One, two, three.", "a", "One.\nTwo.\n" + "Three " * 30), ("x", "x", "y"), ("", "", ""))
    assert bench.agreement(apart, [forest, codes]) == bench.Agreement("two", None, 2, 1, 1)
    assert bench.agreement(collection, [index, index]).index_is_brute_force is None


@pytest.mark.parametrize("name", SCALED)
def test_a_run_of_a_size_measures_what_was_planted(name):
    if SCALED[name][0] is not None and find_spec(SCALED[name][0]) is None:
        pytest.skip(f"needs {SCALED[name][0]}")
    answer = METHODS[name](Stream(150, 1 << 40))
    assert answer["precision"] >= (1 if name.startswith("tamis") else 0.95)
    assert 0.1 < answer["recall"] <= 1
    assert answer["seconds"] >= 0


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="memory is read from /proc")
def test_runs_of_sizes_have_processes_of_their_own_and_what_takes_too_much_ends_the_method():
    assert "memory" in (run_one("tamis", 50, 60, 1).error or "")
    runs, missing = measure_scale([60, 50], ["tamis"], timeout=60, memory=4000)
    assert [(run.documents, run.error) for run in runs] == [(50, None), (60, None)]
    assert (runs[0].peak or 0) > (runs[0].before or 0) > 1_000_000
    assert not missing


def test_a_method_that_failed_is_not_asked_for_more(monkeypatch):
    monkeypatch.setattr("benchmarks.dedup_scale.run_one", lambda name, size, *limits: ScaleRun(name, size, error="no more"))
    assert len(measure_scale([1, 2, 3], ["tamis"], timeout=1, memory=1)[0]) == 1
    with pytest.raises(UsageError, match="no method 'x' for sizes"):
        measure_scale([1], ["x"], timeout=1, memory=1)


def test_a_whole_run_is_reported_and_drawn(articles, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "benchmarks.dedup_scale.run_one", lambda name, size, *limits: ScaleRun(name, size, 0.5, 1.0, 2 << 20, 1 << 20, 1.0, 0.9)
    )
    told = []
    result = bench.run([articles], misses=3, sizes=[10, 20], progress=lambda *done: told.append(done))
    assert result.collections == {"some": 7, "near misses": 3 * len(result.of("near misses")[0].by_family)}
    assert all(one.index_is_brute_force for one in result.agreements)
    assert result.of("some")[0].clusters.pairs.recall == 1
    assert told[-1][0] == told[-1][1]
    shown = StringIO()
    Console(file=shown, width=300).print(to_terminal(report(result)))
    for word in ("some: 7 documents", "pages of persons", "index = brute force", "ms each", "tamis, code alone"):
        assert word in shown.getvalue()
    json.dumps(result.to_dict())
    pytest.importorskip("matplotlib")
    draw(report(result).panels, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_the_command_runs_and_says_what_is_wrong(articles):
    said = CliRunner().invoke(app, ["dedup", str(articles), "--methods", "tamis", "--misses", "0", "--sizes", ""])
    assert said.exit_code == 0, said.output
    assert "some: 7 documents" in said.output
    wrong = CliRunner().invoke(app, ["dedup", "--methods", "tamis; nonsense"])
    assert wrong.exit_code == 2
    assert "'nonsense'" in wrong.output
