from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from benchmarks.gold import SiteGold, read_gold
from tamis.errors import SourceError

SITES = Path(__file__).parents[3] / "shared" / "data" / "sites"


def test_single_pages_have_their_gold(single_pages: Path):
    pages = read_gold(single_pages)
    assert [(p.id, p.page_type, p.site, p.noise, p.unit) for p in pages] == [
        ("0000", "article", "birds", None, "word"),
        ("0001", "article", "birds", None, "word"),
        ("0002", "product", "birds", None, "word"),
    ]
    assert "Bird 1" in pages[1].html()
    assert pages[2].main == ""


def test_sites_give_content_pages_split_by_label(sites: Path):
    pages = read_gold(sites)
    assert [(p.collection, p.site, p.id) for p in pages] == [
        ("sites", "heron", "0000"),
        ("sites", "heron", "0001"),
        ("sites", "stork", "0000"),
        ("sites", "stork", "0001"),
    ]
    first = pages[0]
    assert first.main.split("\n")[0].startswith("The heron waits")
    assert first.main.count("\n") == 2
    assert first.noise == "Home\nBirds\nShare this page\nAll rights reserved by the bird society\nAd: buy seeds"
    assert first.ignored == "heron 0\nBy A. Writer"


def test_articles_of_the_package_are_those_with_gold(tmp_path: Path):
    for name in ("source", "expected"):
        (tmp_path / name).mkdir()
    (tmp_path / "datamap.json").write_text(json.dumps([{"key": key, "href": f"https://example.org/{key}"} for key in "ba"]), "utf-8")
    (tmp_path / "source" / "b.html").write_text("<h1>Herons</h1><p>The heron waits.</p><p>Share</p>", "utf-8")
    (tmp_path / "expected" / "b.json").write_text(json.dumps({"title": "Herons", "text": "The heron waits."}), "utf-8")
    (page,) = read_gold(tmp_path)
    assert (page.id, page.url, page.page_type, page.unit) == ("b", "https://example.org/b", "article", "word")
    assert (page.main, page.ignored) == ("The heron waits.", "Herons")
    assert "<p>Share</p>" in page.html()


def test_one_site_can_be_read_alone(sites: Path):
    assert {p.site for p in read_gold(sites / "stork")} == {"stork"}


def test_the_limit_spreads_evenly_and_counts_per_site(sites: Path, single_pages: Path):
    assert len(read_gold(sites, limit=1)) == 2
    assert [p.id for p in read_gold(single_pages, limit=2)] == ["0000", "0001"]


def test_the_innermost_label_wins_and_drop_beats_the_rest():
    gold = SiteGold.read({"main": ["div", "b"], "ignore": ["i", "b"], "drop": ["u", "i u"]})
    html = "<body>out<div>in<i>skip<u>gone</u></i><b>bold</b> end</div>after"
    assert gold.split(html) == {"main": "in\nend", "ignore": "skip\nbold", "noise": "out\ngone\nafter"}


def test_text_nobody_reads_has_no_label_and_its_neighbours_stay():
    gold = SiteGold.read({"main": ["div"]})
    html = "<body><div>a<script>b</script>c<!-- d -->e<pre>f\n  g</pre>\nh</div>"
    assert gold.split(html) == {"main": "ace\nf\ng\nh", "ignore": "", "noise": ""}


@pytest.mark.parametrize("html", ["", " ", "<!-- -->", "\0"])
def test_a_page_without_markup_has_no_text(html: str):
    assert set(SiteGold.read({"main": ["div"]}).split(html).values()) == {""}


def test_a_folder_without_gold_is_an_error_that_says_what_is_missing(tmp_path: Path):
    with pytest.raises(SourceError, match=r"needs a gold\.jsonl\.gz"):
        read_gold(tmp_path)
    with pytest.raises(SourceError, match="no gold"):
        read_gold(tmp_path / "missing")


@pytest.mark.skipif(not (SITES / "gold.py").is_file(), reason="needs the pages in ../shared/data/sites")
def test_real_sites_are_split_as_their_own_reader_splits_them():
    spec = importlib.util.spec_from_file_location("_gold_of_the_data", SITES / "gold.py")
    assert spec is not None
    assert spec.loader is not None
    theirs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(theirs)
    for folder in sorted(path.parent for path in SITES.glob("*/site.json")):
        selectors = json.loads((folder / "site.json").read_text("utf-8"))["selectors"]
        for page in read_gold(folder, limit=3):
            main, noise, ignored, _ = theirs.split(theirs.read(str(page.path)), selectors)
            assert (page.main, page.noise, page.ignored) == (main, noise, ignored), page
