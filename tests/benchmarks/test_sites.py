from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from benchmarks import peers, sites
from benchmarks.cleaners import CLEANERS, attenuation_on, choose_cleaners
from benchmarks.contestants import NAMES, OwnMethod
from benchmarks.report import draw, to_terminal
from benchmarks.site_pages import read_site_pages, site_folders
from benchmarks.sites import report
from tamis.content import attenuation
from tamis.document.render.text import to_text
from tamis.errors import SourceError, UsageError
from tamis.page.parsing import parse

pytest.importorskip("cssselect")


@pytest.fixture
def result(larger_sites: Path) -> sites.Result:
    methods = ["site", "style-tree", "pagelets", "paragraphs", "attenuation", "all-text"]
    return sites.run(larger_sites, ks=(2, 5), methods=methods, score=3, seeds=2)


def entrant(result: sites.Result, name: str) -> sites.Entrant:
    return next(one for one in result.entrants if one.name == name)


# -- pages -------------------------------------------------------------------------------------------------------------


def test_pages_learned_from_are_never_scored(larger_sites: Path):
    pages = read_site_pages(larger_sites / "heron", score=5)
    assert len(pages.scored) == 5
    assert len(pages.others) == 9, "list pages included"
    assert not {page.path for page in pages.scored} & {page.path for page in pages.others}


def test_at_most_half_of_the_content_pages_are_scored(larger_sites: Path):
    assert len(read_site_pages(larger_sites / "heron", score=100).scored) == 6
    assert len(read_site_pages(larger_sites / "heron", score=None).scored) == 6


def test_list_pages_can_be_left_out_of_learning(larger_sites: Path):
    pages = read_site_pages(larger_sites / "heron", score=5, learn_from="content")
    assert len(pages.others) == 7
    assert all(page.is_content for page in pages.others)


def test_draws_follow_the_seed(larger_sites: Path):
    pages = read_site_pages(larger_sites / "heron", score=5)
    assert pages.draw(1) == pages.draw(1)
    assert pages.draw(1) != pages.draw(2)
    assert set(pages.draw(1)) == set(pages.others)


def test_one_site_is_a_folder_of_sites_too(larger_sites: Path):
    assert [path.name for path in site_folders(larger_sites / "stork")] == ["stork"]
    assert [path.name for path in site_folders(larger_sites, ["stork"])] == ["stork"]


def test_what_is_not_there_is_named(larger_sites: Path, tmp_path: Path):
    with pytest.raises(UsageError, match="sites are heron, stork"):
        sites.run(larger_sites, sites=["gull"])
    with pytest.raises(UsageError, match="there is no method 'magic'"):
        sites.run(larger_sites, methods=["magic"])
    with pytest.raises(SourceError, match="no sites"):
        sites.run(tmp_path / "empty")


@pytest.mark.parametrize("wrong", [{"ks": ()}, {"ks": (0,)}])
def test_numbers_out_of_range_are_refused(larger_sites: Path, wrong: dict[str, Any]):
    with pytest.raises(UsageError):
        sites.run(larger_sites, **{"methods": ["all-text"], "ks": (2,), **wrong})


# -- scores ------------------------------------------------------------------------------------------------------------


def test_every_method_is_scored_on_the_same_pages_for_every_k_and_draw(result: sites.Result):
    for name in ("site", "style-tree", "pagelets", "paragraphs"):
        assert result.summary(entrant(result, name), 2).visits == 2 * 3 * 2
    assert result.summary(entrant(result, "attenuation"), 2).visits == 2 * 3, "once: it learns nothing"
    assert result.summary(entrant(result, "attenuation"), 2) == result.summary(entrant(result, "attenuation"), 5)


def test_what_repeats_on_a_site_is_removed_by_learning(result: sites.Result):
    everything = result.summary(entrant(result, "all-text"), 5)
    assert everything.content_lost == 0
    for name in ("site", "style-tree", "paragraphs"):
        found = result.summary(entrant(result, name), 5)
        assert found.score.f1 > everything.score.f1
        assert found.content_lost == 0
        assert (found.noise_removed or 0) > 0.9


def test_means_go_over_sites(result: sites.Result):
    found = result.summary(entrant(result, "all-text"), 5)
    each = [result.summary(entrant(result, "all-text"), 5, site).score.f1 for site in ("heron", "stork")]
    assert found.score.f1 == pytest.approx(sum(each) / 2)
    assert found.worst_site_f1 == min(each)
    assert found.worst_page.startswith(f"{found.worst_site}/")


def test_layouts_and_times_are_reported(result: sites.Result):
    assert all(sum(layouts) == 5 for layouts in result.layouts("heron", 5))
    rate = result.learning(entrant(result, "site"), 5)
    assert rate is not None
    assert rate.ratio > 0
    assert result.learning(entrant(result, "all-text"), 5) is None
    assert result.cleaning(entrant(result, "all-text")) is not None
    assert result.reference == 5


def test_a_site_with_few_pages_is_learned_from_all_of_them(larger_sites: Path):
    result = sites.run(larger_sites, ks=(50,), methods=["paragraphs"], score=3)
    (lesson,) = result.lessons["paragraphs", 50, "heron"]
    assert lesson.pages == 11
    assert "Fewer than 50 pages to learn from, all used: heron (11), stork (11)" in shown(result)


def test_the_values_are_plain_json(result: sites.Result):
    values = json.loads(json.dumps(result.to_dict()))
    assert values["sites"]["heron"]["to learn from"] == 11
    site = values["methods"][0]
    assert site["by k"]["5"]["sites"]["stork"]["worst_page"].startswith("stork/")
    assert len(site["by k"]["5"]["sites"]["stork"]["pages"]) == 6


def test_the_report_has_every_method_and_site(result: sites.Result):
    text = shown(result)
    for word in ("F1 by pages learned from", "noise removed by", "content lost by", "by site at k = 5", "paragraphs", "heron", "stork"):
        assert word in text


def test_the_plot_is_written(result: sites.Result, tmp_path: Path):
    pytest.importorskip("matplotlib")
    draw(report(result).panels, tmp_path / "plot.svg")
    assert "<svg" in (tmp_path / "plot.svg").read_text("utf-8")


def shown(result: sites.Result) -> str:
    console = Console(width=220, record=True, file=StringIO())
    console.print(to_terminal(report(result)))
    return console.export_text()


# -- methods -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cleaner", CLEANERS, ids=lambda cleaner: cleaner.name)
def test_a_method_that_learned_nothing_cleans_all_the_same(cleaner: Any):
    method = OwnMethod(cleaner)
    method.learn([])
    page = ("https://heron.example", "<p>One text that stands alone, with some words in it.</p>")
    assert method.clean(page).text == "One text that stands alone, with some words in it."
    assert method.clean(("", "")).text == ""


def test_methods_are_chosen_by_name():
    assert [cleaner.name for cleaner in choose_cleaners(["site", "pagelets", "site"])] == ["site", "pagelets"]
    with pytest.raises(UsageError, match="methods are site,"):
        choose_cleaners(["deboiler"])


def test_attenuation_on_a_selection_does_not_see_what_it_dropped():
    noise = "<div><p>A long text that stands on every page of the site.</p><p>And another one that does so as well.</p></div>"
    tree = parse(f"<body>{noise}<div><p>A short one.</p><p>And one more.</p></div></body>")
    first = choose_cleaners(["paragraphs"])[0].learn([tree, parse(f"<body>{noise}")]).select(tree)
    assert "stands on every page" in to_text(tree, attenuation.select(tree).keep)
    assert to_text(tree, attenuation_on(tree, first).keep) == "A short one.\nAnd one more."


def test_a_tool_that_is_not_installed_is_named_with_the_reason(larger_sites: Path):
    if find_spec("deboiler") is not None:
        pytest.skip("deboiler is installed")
    result = sites.run(larger_sites, ks=(2,), methods=["deboiler", "all-text"], score=1)
    assert [one.name for one in result.ran] == ["all-text"]
    assert "Not run: deboiler: ModuleNotFoundError" in shown(result)
    assert "deboiler" in NAMES


def test_deboiler_gets_pages_with_their_urls(monkeypatch: pytest.MonkeyPatch):
    fitted: list[Any] = []

    class Deboiler:
        def __init__(self, **_: Any) -> None:
            self.seen: list[str] = []

        def fit(self, pages: list[dict[str, Any]]) -> None:
            self.seen = [page["url"] for page in pages]
            fitted.append(pages)

        def transform(self, pages: list[dict[str, Any]]) -> list[SimpleNamespace]:
            return [SimpleNamespace(cleaned_text=f"{page['content']} after {len(self.seen)}") for page in pages]

    package, dataset = ModuleType("deboiler"), ModuleType("deboiler.dataset")
    package.Deboiler = Deboiler  # type: ignore[attr-defined]
    dataset.ListDataset = lambda records, verbose: records  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "deboiler", package)
    monkeypatch.setitem(sys.modules, "deboiler.dataset", dataset)
    monkeypatch.setattr("logging.disable", lambda level: None)
    extract = peers.RUNNABLE["deboiler"].load()
    assert extract("learn\0https://a\0<p>A\0https://b\0<p>B") == ""
    assert [page["url"] for page in fitted[0]] == ["https://a", "https://b"]
    assert extract("clean\0https://c\0<p>C") == "<p>C after 2"
