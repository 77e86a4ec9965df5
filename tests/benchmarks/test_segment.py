from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import segment as bench
from benchmarks.agreement import agreement
from benchmarks.segment import report
from benchmarks.simple_blocks import SIMPLE
from tamis import parse

GROUPS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 5)), min_size=1, max_size=8)


def by_pairs(found, true, weight):
    """BCubed and the adjusted Rand index from their definitions, piece by piece and pair by pair."""
    pieces = [(a, b) for a, b, times in zip(found, true, weight, strict=True) for _ in range(times)]
    precision = np.mean([np.mean([other[1] == own[1] for other in pieces if other[0] == own[0]]) for own in pieces])
    recall = np.mean([np.mean([other[0] == own[0] for other in pieces if other[1] == own[1]]) for own in pieces])
    same_found = np.array([[a[0] == b[0] for b in pieces] for a in pieces])
    same_true = np.array([[a[1] == b[1] for b in pieces] for a in pieces])
    together, one, other, every = (same_found & same_true).sum(), same_found.sum(), same_true.sum(), same_found.size
    chance, most = one * other / every, (one + other) / 2
    return precision, recall, (together - chance) / (most - chance) if most > chance else 1.0


@settings(deadline=None)
@given(GROUPS)
def test_agreement_is_what_its_definition_says(groups):
    found, true, weight = (list(column) for column in zip(*groups, strict=True))
    measured = agreement(np.array(found), np.array(true), np.array(weight, dtype=float))
    assert (measured.precision, measured.recall, measured.rand) == pytest.approx(by_pairs(found, true, weight))


def test_equal_groups_agree_fully_whatever_they_are_called():
    measured = agreement(np.array([7, 7, -3]), np.array([0, 0, 1]), np.array([1.0, 2.0, 3.0]))
    assert (measured.f1, measured.rand) == (1.0, 1.0)


PAGE = "<body><header><p>top</header><div><div><p>one<p>two</div><table><tr><td>three<td>four</table></div>end"


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("whole page", [["top", "one", "two", "three", "four", "end"]]),
        ("every text alone", [["top"], ["one"], ["two"], ["three"], ["four"], ["end"]]),
        ("children of the body", [["top"], ["one", "two", "three", "four"], ["end"]]),
        ("children of the first branching element", [["top"], ["one", "two", "three", "four"], ["end"]]),
        ("innermost div", [["top", "end"], ["one", "two"], ["three", "four"]]),
        ("innermost div or table cell", [["top", "end"], ["one", "two"], ["three"], ["four"]]),
    ],
)
def test_simple_ways_to_cut(name, groups):
    tree = parse(PAGE)
    owner = SIMPLE[name](tree)
    found = {}
    for node, text in zip(tree.text_nodes.tolist(), tree.texts, strict=True):
        found.setdefault(int(owner[node]), []).append(text)
    assert sorted(found.values()) == sorted(groups)


def test_the_first_branching_element_may_be_deep():
    tree = parse("<body><div><div><p>one<p>two</div></div>")
    owner = SIMPLE["children of the first branching element"](tree)
    assert len({int(owner[node]) for node in tree.text_nodes}) == 2


def test_pages_without_a_body_or_text_are_cut_too():
    for html in ("", "<frameset><frame></frameset>"):
        for cut in SIMPLE.values():
            assert len(cut(parse(html))) == len(parse(html))


HTML = """<html><body style="margin:0"><div style="background:#234;height:80px"><p>The harbour and its boats</div>
<div style="margin-top:60px"><p>Oysters are well.<p>Ferries are late.</div>
<div style="margin-top:90px"><p>All rights reserved</div></body></html>"""
BLOCKS = HTML.replace("<div", "<div data-block=1 data-block-type=Content").replace("<p>O", "<p data-block=2 data-block-type=Article>O")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "assets/a.example/a.example").mkdir(parents=True)
    (tmp_path / "assets/a.example/a.example/index.html").write_text(HTML, encoding="utf-8")
    for name, page in (("html", HTML), ("blocks", BLOCKS)):
        (tmp_path / f"pages/001.{name}.html.gz").write_bytes(gzip.compress(page.encode()))
    entry = {
        "blocks_path": "a.example/a.example/index.blocks.html",
        "blocks": "001.blocks.html.gz",
        "html": "001.html.html.gz",
        "site": "a.example",
    }
    (tmp_path / "gold.json").write_text(json.dumps([entry]))
    return tmp_path


@pytest.mark.usefixtures("browser")
def test_every_way_is_measured_on_every_level_that_has_marks(folder, tmp_path):
    told = []
    result = bench.run(folder, passes=1, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 1)]
    (page,) = result.pages
    assert set(page.by_level) == {1}  # one marked text is not enough to compare groups
    assert set(page.by_level[1]) == set(bench.WAYS)
    assert result.summary(bench.VIPS, 1).f1 == 1.0
    assert result.summary("whole page", 1).f1 < 1.0
    assert result.summary(bench.VIPS, 2) is None
    assert min(page.milliseconds.values()) > 0
    values = json.loads(json.dumps(result.to_dict()))
    assert values["levels"]["1"][bench.VIPS]["all"]["f1"] == 1.0
    assert report(result) is not None
