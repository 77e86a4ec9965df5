"""The benchmark of visitors' comments."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks import comments
from benchmarks.__main__ import app
from benchmarks.gold import read_gold
from tests.benchmarks.conftest import SENTENCES

SAID = "I saw three of them at the lock last week, and none of them minded the boats at all."


def commented(name: str = "comment") -> str:
    body = "".join(f"<p>{text}</p>" for text in SENTENCES)
    said = f"<div class={name}><cite>Ann</cite> <time datetime=2024-03-01>1 March</time><p>{SAID}</p></div><form>Reply</form>"
    return f"<!doctype html><title>Herons</title><article><h1>Herons</h1>{body}</article><div class={name}s>{said}</div>"


@pytest.fixture
def herons(tmp_path: Path) -> Path:
    """Two pages with the same comment, the second in an area without a name; the gold of a third page knows of no comment."""
    folder = tmp_path / "herons"
    (folder / "html").mkdir(parents=True)
    records = []
    for name, area, said in (("0", "comment", SAID), ("1", "row", SAID), ("2", "comment", "")):
        (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(commented(area).encode()))
        records.append({"id": name, "page_type": "article", "main_content": "\n".join(SENTENCES), "comments": said and f"Ann\n{said}"})
    (folder / "gold.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))
    return folder


def test_comments_found_missed_and_left_in_are_counted(herons: Path):
    (score,) = comments.run([herons]).scores
    assert (score.pages, score.others, score.claimed, score.missed) == (2, 1, 1, 1)
    assert score.f1 == 0.5
    assert 0 <= score.left_in <= 1


def test_all_folders_together_count_every_page_the_same(herons: Path, tmp_path: Path):
    few = tmp_path / "few"
    (few / "html").mkdir(parents=True)
    (few / "html" / "0.html.gz").write_bytes(gzip.compress(commented().encode()))
    record = {"id": "0", "page_type": "article", "main_content": "\n".join(SENTENCES), "comments": f"Ann\n{SAID}"}
    (few / "gold.jsonl.gz").write_bytes(gzip.compress(json.dumps(record).encode()))
    total = comments.run([herons, few]).total
    assert (total.pages, total.others, total.claimed, total.missed) == (3, 1, 1, 1)
    assert total.f1 == pytest.approx(2 / 3)


def test_words_that_main_text_and_comments_share_are_not_left_in(herons: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(comments.tamis.document.document.Document, "text", "\n".join(SENTENCES))
    assert comments.run([herons]).scores[0].left_in == 0


def test_the_area_of_comments_on_a_page_of_a_site_is_read_without_its_form(tmp_path: Path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "site.json").write_text(json.dumps({"name": "x", "selectors": {"main": ["article"], "comments": [".comments"]}}))
    (tmp_path / "pages.json").write_text(json.dumps([{"file": "0.html.gz", "url": "", "kind": "content", "page_type": "post"}]))
    (tmp_path / "pages" / "0.html.gz").write_bytes(gzip.compress(commented().encode()))
    (page,) = read_gold(tmp_path)
    assert page.comments == f"Ann 1 March\n{SAID}"


def test_the_command_prints_a_row_for_each_folder(herons: Path):
    result = CliRunner().invoke(app, ["comments", str(herons)])
    assert result.exit_code == 0
    assert "herons" in result.output
