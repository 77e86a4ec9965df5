"""Corpus runs by other methods than the default: style trees of sites, small sites, copies by feature codes."""

from __future__ import annotations

import shutil

import pytest

from demo import write_site
from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import run
from tamis.corpus.tables import rows
from tamis.errors import UsageError


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bay")
    write_site(folder)
    return folder / "news"


def documents(folder):
    return [row for file in sorted((folder / "documents").glob("*.parquet")) for row in rows(file)]


@pytest.mark.parametrize("method", ["attenuation", "style-tree", "papers"])
def test_pages_are_cleaned_by_the_method(news, tmp_path, method):
    run(CorpusConfig((str(news),), str(tmp_path / "out"), method=method, workers=1))
    found = {row["source"].rpartition("/")[2]: row for row in documents(tmp_path / "out")}
    assert {row["method"] for row in found.values()} <= {method, "site", "style-tree"}
    assert "Cold water and a long autumn" in found["oysters.html"]["text"]
    assert "All rights reserved" not in found["oysters.html"]["text"]


def test_the_papers_copies_are_those_of_the_forest(news, tmp_path):
    summary = run(CorpusConfig((str(news),), str(tmp_path / "out"), method="papers", workers=1))
    assert summary.duplicates == 1
    (copy,) = rows(tmp_path / "out" / "duplicates.parquet")
    assert copy["relation"] == "part of"
    assert copy["resemblance"] is None


def test_pages_of_a_small_site_are_compared_with_each_other(news, tmp_path):
    (tmp_path / "few").mkdir()
    for name in ("oysters", "night-bus", "reading-room"):
        shutil.copy(news / f"{name}.html", tmp_path / "few")
    run(CorpusConfig((str(tmp_path / "few"),), str(tmp_path / "out"), method="papers", workers=1))
    found = documents(tmp_path / "out")
    assert len(found) == 3
    assert not any("nothing is known to repeat" in problem for row in found for problem in row["problems"])


def test_stored_templates_are_of_another_method():
    with pytest.raises(UsageError, match="--models"):
        CorpusConfig(("in",), "out", method="papers", models="store")
