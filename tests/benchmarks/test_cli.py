from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app

runner = CliRunner()


def test_content_shows_a_table_and_writes_json_and_a_plot(single_pages: Path, tmp_path: Path):
    pytest.importorskip("matplotlib")
    out, plot = tmp_path / "out.json", tmp_path / "out.png"
    result = runner.invoke(
        app, ["content", str(single_pages), "--peers", "tamis,all-text", "--passes", "1", "--json", str(out), "--plot", str(plot)]
    )
    assert result.exit_code == 0, result.output
    assert "birds: main text, 3 pages" in result.output
    assert "all-text" in result.output
    assert "birds: pages with empty gold, where every output scores 0 for all tools: 1" in result.output
    assert json.loads(out.read_text("utf-8"))["collections"]["birds"]["pages"] == 3
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_a_peer_that_cannot_be_imported_is_named_with_the_reason(single_pages: Path):
    from importlib.util import find_spec

    if find_spec("magic_html") is not None:
        pytest.skip("magic-html is installed")
    result = runner.invoke(app, ["content", str(single_pages), "--peers", "magic-html", "--passes", "1"], env={"TAMIS_PEER_PYTHON": ""})
    assert result.exit_code == 0, result.output
    assert "Not run: magic-html: ModuleNotFoundError: No module named 'magic_html'" in result.output


def test_an_unknown_peer_ends_with_the_names_there_are(single_pages: Path):
    result = runner.invoke(app, ["content", str(single_pages), "--peers", "tamis,nosuch"])
    assert result.exit_code == 2
    assert "there is no peer 'nosuch'; peers are tamis," in result.output


def test_a_folder_without_gold_ends_with_what_is_missing(tmp_path: Path):
    result = runner.invoke(app, ["attenuation", str(tmp_path)])
    assert result.exit_code == 2
    assert "no gold in" in result.output


def test_attenuation_shows_the_sweep_and_the_sites(sites: Path, tmp_path: Path):
    out = tmp_path / "out.json"
    result = runner.invoke(app, ["attenuation", str(sites), "--json", str(out)])
    assert result.exit_code == 0, result.output
    assert "sites: by site at T = 0.34" in result.output
    assert "stork" in result.output
    assert len(json.loads(out.read_text("utf-8"))["collections"]["sites"]["by T"]) == 16


def test_sites_shows_tables_and_writes_json_and_a_plot(larger_sites: Path, tmp_path: Path):
    pytest.importorskip("matplotlib")
    out, plot = tmp_path / "out.json", tmp_path / "out.png"
    command = ["sites", str(larger_sites), "--k", "2,4", "--score", "2", "--methods", "site,paragraphs", "--sites", "heron"]
    result = runner.invoke(app, [*command, "--learn", "content", "--json", str(out), "--plot", str(plot)], env={"TAMIS_PEER_PYTHON": ""})
    assert result.exit_code == 0, result.output
    assert "by site at k = 4" in result.output
    assert json.loads(out.read_text("utf-8"))["learn from"] == "content"
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_numbers_must_be_numbers(larger_sites: Path):
    result = runner.invoke(app, ["sites", str(larger_sites), "--k", "2,three"])
    assert result.exit_code == 2
    assert "whole numbers with commas between, not '2,three'" in result.output


def test_mining_needs_enough_texts(larger_sites: Path, topic_pages: Path):
    pytest.importorskip("sklearn")
    result = runner.invoke(app, ["mining", str(larger_sites), "--topics", str(topic_pages), "--topic-count", "2"])
    assert result.exit_code == 2
    assert "each topic needs 40 texts" in result.output


def test_learning_takes_one_site(larger_sites: Path):
    result = runner.invoke(app, ["learning", str(larger_sites)])
    assert result.exit_code == 2
    assert "holds 2 sites" in result.output


def test_markdown_shows_every_tool_and_writes_json(tmp_path: Path):
    (tmp_path / "a.html").write_text("<main><h1>Tides</h1>" + "<p>Twice a day the sea comes up, and twice it goes.</p>" * 3)
    (tmp_path / "a.md").write_text("# Tides\n\n" + "Twice a day the sea comes up, and twice it goes.\n\n" * 3)
    result = runner.invoke(app, ["markdown", str(tmp_path), "--by-page", "--json", str(tmp_path / "out.json")])
    assert result.exit_code == 0, result.output
    assert "Markdown of 1 pages" in result.output
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["scores"][0]["mean"]["text"] == 1.0
