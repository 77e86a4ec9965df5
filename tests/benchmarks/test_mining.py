from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from benchmarks import mining
from benchmarks.mining import report
from benchmarks.report import to_terminal
from tamis.errors import SourceError, UsageError

pytest.importorskip("cssselect")
pytest.importorskip("sklearn")

SMALL: dict[str, Any] = {"methods": ["all-text", "site"], "topic_count": 2, "sites_per_round": 2, "per_cell": 4, "words": 40, "seeds": 1}


@pytest.fixture
def result(larger_sites: Path, topic_pages: Path) -> mining.Result:
    return mining.run(larger_sites, topic_pages, **SMALL)


def test_chrome_misleads_where_topic_and_site_are_crossed(result: mining.Result):
    assert result.methods == ("all-text", "site", mining.ALONE)
    assert result.mean(mining.ALONE, "crossed_nb") == 1.0
    assert result.mean("site", "crossed_nb") == 1.0
    assert result.mean("site", "cluster_f") == 1.0
    assert result.mean("all-text", "crossed_svm") <= result.mean("site", "crossed_svm")


def test_a_run_is_the_same_again(result: mining.Result, larger_sites: Path, topic_pages: Path):
    assert mining.run(larger_sites, topic_pages, **SMALL).to_dict() == result.to_dict()


def test_pages_of_a_round_are_balanced(larger_sites: Path, topic_pages: Path):
    from benchmarks.planting import read_site
    from benchmarks.topics import read_topics

    found = {topic: texts for topic, texts in read_topics(topic_pages, 40).items() if texts}
    pages = mining._compose([read_site(larger_sites / name) for name in ("heron", "stork")], found, 2, 4, seed=3)
    assert len(pages.pages) == len(set(pages.alone)) == 16
    assert np.bincount(pages.topic * 2 + pages.site).tolist() == [4, 4, 4, 4]
    assert sorted(pages.home.tolist()) == [0, 1], "each topic is learned on a site of its own"
    for (_, html), text in zip(pages.pages, pages.alone, strict=True):
        assert f"<p>{text.splitlines()[0]}</p>" in html


def test_every_topic_needs_a_site(larger_sites: Path, topic_pages: Path):
    with pytest.raises(UsageError, match="topics need as many sites, not 1"):
        mining.run(larger_sites, topic_pages, **{**SMALL, "sites_per_round": 1})


def test_too_few_texts_or_sites_are_named(larger_sites: Path, topic_pages: Path):
    with pytest.raises(SourceError, match="each topic needs 10 texts; too few of home"):
        mining.run(larger_sites, topic_pages, **{**SMALL, "per_cell": 5})
    with pytest.raises(SourceError, match="1 sites of"):
        mining.run(larger_sites, topic_pages, **{**SMALL, "sites": ["heron"]})


def test_table_and_json(result: mining.Result, tmp_path: Path):
    console = Console(width=220, record=True, file=StringIO())
    console.print(to_terminal(report(result)))
    assert "16 pages of 2 topics on 2 sites" in console.export_text()
    values = json.loads(json.dumps(result.to_dict()))
    assert set(values["means"]["site"]) == set(mining.MEASURES)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30))
def test_measures_of_clusters_are_shares(pairs: list[tuple[int, int]]):
    cluster, topic = np.array([*pairs, (0, 0), (0, 2)], dtype=np.int64).T
    assert 0 < mining.cluster_f(cluster, topic) <= 1
    assert 0 <= mining.cluster_entropy(cluster, topic) <= 1
    assert mining.cluster_f(topic, topic) == 1
    assert mining.cluster_entropy(topic, topic) == 0
