from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import attenuation
from benchmarks.attenuation import THRESHOLDS, lowest_that_holds, report, sweep_page
from benchmarks.gold import GoldPage, read_gold
from benchmarks.report import draw
from tamis import parse


def gold_page(main: str) -> GoldPage:
    return GoldPage("c", "s", "1", "post", "", Path("none"), main, None, "", "word")


def test_thresholds_are_the_papers():
    assert len(THRESHOLDS) == 16
    assert (THRESHOLDS[0], THRESHOLDS[7], THRESHOLDS[-1]) == (0.2, 0.34, 0.5)


def test_a_high_threshold_loses_the_small_paragraphs_beside_a_large_one():
    small, large = "twelve chars", "one large paragraph of sixty characters"
    tree = parse(f"<body><div><p>{large}</p><p>{small}</p></div>")
    verdicts = sweep_page(gold_page(f"{large} {small}"), tree, (0.1, 0.2, 0.3))
    assert [(v.right, v.holds_all, v.subtree_right) for v in verdicts] == [(True,) * 3, (True,) * 3, (False,) * 3]


def test_a_subtree_with_more_than_the_lowest_that_holds_all_is_not_right():
    tree = parse("<body><div><p>the text of this page<p>in two paragraphs</div><div>a long enough footer to stop the descent</div>")
    (verdict,) = sweep_page(gold_page("the text of this page in two paragraphs"), tree, (0.2,))
    assert (verdict.holds_all, verdict.subtree_right, verdict.right) == (True, False, False)


def test_the_lowest_that_holds_all_is_none_where_the_page_lacks_the_gold():
    tree = parse("<p>some text")
    seen = np.ones(len(tree), dtype=np.bool_)
    assert lowest_that_holds(tree, seen, gold_page("other words")) is None
    assert lowest_that_holds(tree, seen, gold_page("some text")) == len(tree) - 1


@pytest.mark.parametrize("html", ["", "<p></p>", "<script>x</script>"])
def test_pages_without_text_are_wrong_at_every_threshold(html: str):
    assert not any(v.right or v.holds_all or v.f1 for v in sweep_page(gold_page("text"), parse(html)))


def test_summaries_are_by_folder_and_site(sites: Path, single_pages: Path, tmp_path: Path):
    result = attenuation.run([sites, single_pages])
    assert result.collections == ("sites", "birds")
    assert (result.count("sites"), result.count("birds")) == (4, 3)
    assert result.summary("sites", 0.34, "heron").pages == 2
    assert result.summary("birds", 0.34).holds_all == pytest.approx(2 / 3)
    assert set(result.to_dict()["collections"]["sites"]["by site"]) == {"heron", "stork"}
    pytest.importorskip("matplotlib")
    draw(report(result).panels, tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").stat().st_size > 0


def test_each_threshold_agrees_with_extracting_at_it(sites: Path):
    import tamis
    from benchmarks.metric import compare

    page = read_gold(sites)[0]
    for threshold, verdict in zip(THRESHOLDS, sweep_page(page, parse(page.raw())), strict=True):
        text = tamis.extract(page.raw(), method=tamis.Attenuation(threshold=threshold)).text
        assert verdict.f1 == compare(text, page.main, ignored=page.ignored).f1
