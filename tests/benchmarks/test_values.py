"""The benchmark of attribute values that survive cleaning."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from benchmarks import values
from benchmarks.__main__ import app
from tamis.errors import SourceError

WORDS = "The {0} is a boat of larch and oak. It was built in {1} at the old yard, and it has sailed every summer since it was launched."
MENU = "Opening hours and contact of the harbour office"
PAGES = 12


@pytest.fixture
def shop(tmp_path):
    """Pages of a shop, each with a name and a price as gold; every page has the same header and footer."""
    folder = tmp_path / "boats"
    (folder / "pages").mkdir(parents=True)
    pages = []
    for number in range(PAGES):
        name, price = f"Curlew {number}", f"{number + 3}45 euros"
        html = (
            f"<html><head><title>{name}</title></head><body><header><ul><li><a href=/>{MENU}</a></ul></header><main><h1>{name}</h1>"
            f"<p>{WORDS.format(name, 1900 + number)}</p><table><tr><th>Price:</th><td>{price}</td></tr></table></main>"
            "<footer><p>All rights reserved.</p></footer></body></html>"
        )
        (folder / "pages" / f"{number}.html").write_text(html, encoding="utf-8")
        pages.append({"file": f"{number}.html", "attributes": {"name": [name], "price": [f" {price} :"], "colour": []}})
    (folder / "gold.json").write_text(json.dumps({"pages": pages, "noise_selectors": ["header", "footer"]}), encoding="utf-8")
    return folder


def test_values_are_counted_alone_and_with_a_model_of_other_pages(shop):
    steps = []
    alone, with_model = values.run([shop], k=8, progress=lambda done, total: steps.append((done, total)))
    assert (alone.how, with_model.how) == ("alone", "model of 8")
    assert alone.pages == with_model.pages == PAGES - 8
    assert steps == [(n, 8) for n in range(1, 9)]
    for score in (alone, with_model):
        assert set(score.kept) == {"all", "name", "price"}  # an attribute without values has no share
        assert score.kept["name"] == 1  # the running text names the boat
        assert score.kept["all"] == pytest.approx((score.kept["name"] + score.kept["price"]) / 2)
        assert 0 <= score.noise <= 1
    assert with_model.noise == 0


def test_a_text_that_keeps_everything_keeps_all_noise_and_one_without_it_none(shop):
    tree = values.tamis.parse(shop / "pages" / "0.html")
    every = " ".join(tree.texts)
    assert values._noise_kept(tree, ["header", "footer"], every) == 1
    assert values._noise_kept(tree, ["header", "footer"], "Curlew 0") == 0
    assert values._noise_kept(tree, ["aside"], every) == 0


def test_a_limit_bounds_the_scored_pages(shop):
    assert {score.pages for score in values.run([shop], k=8, limit=2)} == {2}


def test_the_command_shows_a_table_and_writes_json(shop, tmp_path):
    out = tmp_path / "out.json"
    result = CliRunner().invoke(app, ["values", str(shop), "--k", "8", "--json", str(out)])
    assert result.exit_code == 0, result.output
    assert "attribute values" in result.output
    assert [score["how"] for score in json.loads(out.read_text("utf-8"))["scores"]] == ["alone", "model of 8"]


def test_a_folder_without_gold_is_an_error(tmp_path):
    with pytest.raises(SourceError, match=r"gold\.json"):
        values.run([tmp_path])
    result = CliRunner().invoke(app, ["values", str(tmp_path)])
    assert result.exit_code == 2
    assert "benchmarks: no gold in" in result.output
