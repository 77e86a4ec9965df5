"""Labels by hand: what they say of a page's blocks, and that the files are sound."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import labels
from benchmarks.gold import holds_single_pages, read_gold
from tamis.errors import SourceError

PAGE = "<nav><a href=/>Home</a></nav><h1>Reeds</h1><p>They bend.<p>They do not break.<ul><li>Ann: I agree.</ul>"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one labelled page."""
    (tmp_path / "labels").mkdir()
    monkeypatch.setattr(labels, "LABELS", tmp_path / "labels")
    record = {"file": "pages/reeds.html", "page_type": "article", "language": "en", "blocks": 5}
    line = json.dumps(record | {"main": "2-3", "optional": "1", "comments": "4"})
    (tmp_path / "labels/reeds.jsonl").write_text(line + "\n", "utf-8")
    (tmp_path / "reeds-1.0/pages").mkdir(parents=True)
    (tmp_path / "reeds-1.0/pages/reeds.html").write_text(PAGE, "utf-8")
    return tmp_path / "reeds-1.0"


def test_a_labelled_page_has_the_texts_of_its_blocks(package: Path) -> None:
    (page,) = read_gold(package)
    assert (page.id, page.collection, page.page_type) == ("pages-reeds", "reeds-1.0", "article")
    assert (page.main, page.ignored, page.comments) == ("They bend.\nThey do not break.", "Reeds", "Ann: I agree.")
    assert page.score("They bend. They do not break.").f1 == 1
    assert holds_single_pages(package)
    assert not holds_single_pages(package.parent)


def test_labels_for_other_blocks_are_refused(package: Path) -> None:
    (package / "pages/reeds.html").write_text(PAGE + "<p>One more.", "utf-8")
    with pytest.raises(SourceError, match=r"has 6 blocks, and labels for 5"):
        read_gold(package)


@pytest.mark.parametrize("path", sorted(labels.LABELS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_labels_of_a_page_do_not_overlap(path: Path) -> None:
    for record in map(json.loads, path.read_text("utf-8").splitlines()):
        numbers = [number for name in ("main", "optional", "comments") for number in labels.numbers(record[name])]
        assert record["main"]
        assert len(set(numbers)) == len(numbers)
        assert max(numbers) < record["blocks"]
