"""Manuals as sites with gold, from pages that are written here."""

import numpy as np
import pytest

from benchmarks.site_pages import read_site_pages
from tamis.errors import SourceError
from tamis.site.places import COLUMNS
from training import manuals
from training.site import MORE, Rows, as_more

PAGE = """<title>Reeds {number}</title><div class=navheader><a href=next.html>Next chapter</a> of the manual</div>
<h1>Reeds of the shore {number}</h1><p>{text}</p><div class=navfooter>Up and home</div>"""
TEXT = "Reeds grow where the water is calm, and they bend when the wind is strong. " * 6


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Makes one manual of so many pages, an index and a page without text."""

    def make(pages):
        folder = tmp_path / "files" / "doc"
        folder.mkdir(parents=True)
        texts = {"index.html": TEXT, "short.html": "Reeds."} | {f"page{number}.html": TEXT for number in range(pages)}
        for number, (name, text) in enumerate(texts.items()):
            (folder / name).write_text(PAGE.format(number=number, text=text), "utf-8")
        monkeypatch.setattr(manuals, "MANUALS", {manuals.TAUGHT: {"reeds": ("reeds-doc", "/doc/", "body", manuals.DOCBOOK)}})
        monkeypatch.setattr(manuals, "_files", lambda package, room: sorted(folder.iterdir()))

    return make


def test_a_manual_becomes_a_site_with_gold(package, tmp_path):
    package(20)
    assert list(manuals.write_manuals(tmp_path / "sites")) == [("reeds", 20)]
    site = read_site_pages(tmp_path / "sites" / manuals.TAUGHT / "reeds", 5)
    assert len(site.scored) == 5
    assert len(site.others) == 15
    for page in site.scored:
        assert "Reeds of the shore" in page.main
        assert "calm" in page.main
        assert "chapter" not in page.main
        assert "home" not in page.main


def test_a_package_that_has_changed_is_an_error(package, tmp_path):
    package(manuals.FEWEST_PAGES - 1)
    with pytest.raises(SourceError, match="another version"):
        list(manuals.write_manuals(tmp_path / "sites"))


def test_a_package_that_cannot_be_had_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="cannot download the package apache2-doc"):
        list(manuals.write_manuals(tmp_path / "sites"))


def test_sites_of_one_kind_teach_little_of_main_text_and_nothing_of_what_repeats():
    evidence = np.zeros((4, len(COLUMNS)), np.float32)
    evidence[2:, COLUMNS.index("text pages")] = 1
    rows = as_more(Rows(evidence, np.array([0.0, 1.0, 1.0, 0.0]), np.full(4, 2.0)))
    assert rows.weight.tolist() == [2.0, 2 * MORE, 0.0, 2.0]
