"""Pages grouped by the similarity of their structure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import MissingExtraError, SourceError, UsageError, parse
from tamis.structure.clusters import cluster, draw_heat_map, similarity_matrix
from tamis.structure.similarity import similarity

POSTS = [f"<article><h1>{n}</h1>{'<p>text</p>' * n}</article>" for n in (1, 3, 5)]
SHOPS = [f"<table>{'<tr><td><img><td><b>1</b></tr>' * n}</table>" for n in (2, 4)]


def plain_average_linkage(matrix: np.ndarray, alike: float) -> set[frozenset[int]]:
    groups = [frozenset([k]) for k in range(len(matrix))]
    while len(groups) > 1:
        pairs = [(np.mean([matrix[i, j] for i in a for j in b]), a, b) for n, a in enumerate(groups) for b in groups[n + 1 :]]
        best, a, b = max(pairs, key=lambda pair: pair[0])
        if best < alike:
            break
        groups = [group for group in groups if group not in (a, b)] + [a | b]
    return set(groups)


@pytest.mark.parametrize("method", ["free", "ordered"])
def test_the_matrix_holds_the_similarity_of_every_pair(method):
    pages = POSTS + SHOPS
    matrix = similarity_matrix([parse(page) for page in pages], method)
    np.testing.assert_allclose(matrix, [[similarity(a, b, method) for b in pages] for a in pages], rtol=0, atol=1e-12)


def test_pages_of_two_layouts_make_two_clusters_the_larger_first():
    assert cluster(similarity_matrix([parse(page) for page in (*SHOPS, *POSTS)])).tolist() == [1, 1, 0, 0, 0]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 8), st.randoms(use_true_random=False))
def test_clusters_are_those_of_average_linkage(count, chance):
    matrix = np.array([[chance.random() for _ in range(count)] for _ in range(count)])
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T + np.eye(count)
    labels = cluster(matrix, 0.5)
    groups = {frozenset(np.flatnonzero(labels == number).tolist()) for number in range(int(labels.max()) + 1)}
    assert groups == plain_average_linkage(matrix, 0.5)
    sizes = np.bincount(labels)
    assert (np.diff(sizes) <= 0).all()


def test_what_cannot_be_clustered_is_refused():
    with pytest.raises(UsageError, match="from 0 to 1"):
        cluster(np.eye(2), 1.5)
    with pytest.raises(UsageError, match="give fewer"):
        cluster(np.eye(3001))


def test_a_heat_map_is_drawn_and_what_cannot_be_written_is_an_error(tmp_path):
    pytest.importorskip("matplotlib")
    matrix = np.array([[1, 0.2, 0.9], [0.2, 1, 0.1], [0.9, 0.1, 1]])
    draw_heat_map(matrix, ["a", "b", "c"], cluster(matrix), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(SourceError, match="cannot write"):
        draw_heat_map(matrix, ["a", "b", "c"], cluster(matrix), tmp_path / "none" / "map.png")


def test_without_matplotlib_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"\.\[plot\]"):
        draw_heat_map(np.eye(1), ["a"], np.zeros(1, dtype=np.int64), tmp_path / "map.png")
