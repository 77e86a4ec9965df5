"""The gate: what it counts as a fall, that it scores out of fold, and that the docs show what is pinned."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks import gate, gate_lines
from benchmarks.__main__ import app
from benchmarks.gate import LEAST_NOISE, MOST_NOISE, PAGE, PINS, Line, docs_page, pins
from benchmarks.gate_lines import MEANING, block_f1
from tamis.content.node_model import NodeModel
from tamis.content.weights import shipped
from tamis.page.parsing import parse
from training.folds import FoldWeights

pytest.importorskip("cssselect")


@pytest.fixture
def data(single_pages, sites, tmp_path, monkeypatch):
    """A folder of data: three single pages and two sites; pins and page of the docs beside it."""
    folder = tmp_path / "data"
    folder.mkdir()
    single_pages.rename(folder / "wcxb")
    sites.rename(folder / "sites")
    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "folds.json").write_text("{}")
    for name, value in (("PINS", tmp_path / "pins.json"), ("PAGE", tmp_path / "quality.md"), ("WEIGHTS", weights)):
        monkeypatch.setattr(gate, name, value)
    monkeypatch.setattr(gate, "read_folds", lambda folder: FoldWeights((shipped(),) * 5, {}))
    return folder


@pytest.fixture
def run_gate(data):
    """Runs ``python -m benchmarks gate`` within this process."""
    return lambda *words: CliRunner().invoke(app, ["gate", str(data), "-j", "1", *map(str, words)])


def line(before, now, form="wcxb/html/{}.html.gz"):
    return Line("wcxb", {form.format(k): value for k, value in enumerate(now)}, before)


def test_a_fall_of_many_pages_is_none_of_chance():
    fallen = line([900] * 100, [900] * 90 + [800] * 10)
    assert fallen.change == pytest.approx(-0.01)
    assert fallen.fell


def test_what_rises_and_falls_alike_is_noise():
    assert not line([900] * 100, [880, 918] * 50).fell


def test_a_large_fall_is_none_of_chance_whatever_the_pages_say():
    fallen = line([1000] * 20, [1000] * 19 + [0])
    assert fallen.noise == MOST_NOISE
    assert fallen.fell


def test_equal_scores_are_no_change():
    same = line([900] * 5, [900] * 5)
    assert (same.change, same.noise, same.fell) == (0.0, LEAST_NOISE, False)
    assert same.most_changed() == []


def test_a_line_that_is_not_pinned_fails_never():
    assert not line(None, [0] * 5).fell


def test_each_site_counts_once():
    pages = {"sites/heron/pages/1": 1000, "sites/heron/pages/2": 1000, "sites/heron/pages/3": 1000, "sites/stork/pages/1": 0}
    assert Line("sites alone", pages, None).score == 0.5


def test_the_pages_that_changed_most_come_first():
    changed = line([500, 500, 500], [510, 500, 300]).most_changed()
    assert [(page[10:11], before, now) for page, before, now in changed] == [("2", 0.5, 0.3), ("0", 0.5, 0.51)]


def test_blocks_count_once_whatever_their_length():
    tree = parse("<body><nav>Home</nav><div class=text><h2>Reeds</h2><p>They bend in every wind, and rise again.</div><i>By Ann</i>")
    gold = {"main": [".text"], "ignore": ["i"], "drop": []}
    texts = dict(zip(tree.texts, tree.text_nodes.tolist(), strict=True))
    keep = np.isin(np.arange(len(tree)), [texts["Reeds"], texts["By Ann"], texts["Home"]])
    assert block_f1(tree, keep, gold) == pytest.approx(2 / 4)
    assert block_f1(tree, np.zeros(len(tree), dtype=np.bool_), gold) == 0


def test_scores_are_pinned_and_compared(run_gate, data, tmp_path):
    first = run_gate("--pin", "--texts", tmp_path / "texts")
    assert first.exit_code == 0, first.output
    assert (tmp_path / "quality.md").read_text("utf-8") == docs_page(pins())
    assert "| wcxb article | 2 | " in (tmp_path / "quality.md").read_text("utf-8")
    assert "The heron waits" in (tmp_path / "texts" / "wcxb" / "wcxb" / "html" / "0000.html.gz.txt").read_text("utf-8")
    assert run_gate().exit_code == 0
    values = json.loads((tmp_path / "pins.json").read_text("utf-8"))
    values["sites alone"]["pages"] = [1000] * len(values["sites alone"]["pages"])
    values["wcxb"]["pages"][0] = 1100
    (tmp_path / "pins.json").write_text(json.dumps(values), "utf-8")
    again = run_gate("--explain", "wcxb")
    assert again.exit_code == 1, again.output
    assert "the gate is shut: wcxb, sites alone fell" in again.output
    assert "1 of 3 pages" in again.output


def test_every_page_is_scored_by_weights_that_have_not_seen_it(run_gate, monkeypatch):
    asked = []
    own = FoldWeights.of_group
    monkeypatch.setattr(FoldWeights, "of_group", lambda folds, group: asked.append(group) or own(folds, group))
    monkeypatch.setattr(gate, "ProcessPoolExecutor", _Here)
    assert run_gate("--only", "wcxb,heron").exit_code == 0
    assert asked == ["heron", *["birds.example"] * 3]


class _Here:
    """Runs tasks in this process."""

    def __init__(self, jobs, initializer):
        initializer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def submit(self, function, *given):
        from concurrent.futures import Future

        future = Future()
        future.set_result(function(*given))
        return future


@pytest.mark.parametrize(
    ("words", "said"), [(("--explain", "magic"), "there is no line 'magic'"), (("--pin", "--only", "wcxb"), "takes all lines")]
)
def test_mistakes_are_named(run_gate, words, said):
    result = run_gate(*words)
    assert result.exit_code == 2
    assert said in result.output


def test_missing_data_is_named(tmp_path):
    result = CliRunner().invoke(app, ["gate", str(tmp_path)])
    assert result.exit_code == 2
    assert "no data in" in result.output


def test_the_docs_show_what_is_pinned():
    if not PINS.is_file():
        pytest.skip("no scores are pinned")
    assert PAGE.read_text("utf-8") == docs_page(pins())


def test_every_pinned_line_is_explained():
    known = {word for name in MEANING for word in name.replace(",", "").split()}
    assert {name.split()[0] for name in pins()} <= known


def test_the_sample_has_single_pages_sites_and_the_pages_of_the_project(data):
    assert {task.kind for task in gate_lines.tasks(data)} == {"single", "site", "markdown"}


@pytest.mark.parametrize(("least", "left_out"), [(0.0, 0.0), (1.0, 1.0)])
def test_a_box_between_paragraphs_counts_by_its_text(least, left_out):
    paragraphs = [f"Paragraph {k} says at some length how the reeds grow where the water is calm and low." for k in range(4)]
    html = f"<body><article>{''.join(f'<p>{text}</p>' for text in paragraphs)}</article>"
    page = SimpleNamespace(html=lambda: html, main="\n".join(paragraphs), language="de", url=None)
    found = list(gate_lines._box("page.html", page, NodeModel(threshold=least)))
    assert [(score.line, score.value) for score in found] == [("boxes left out", left_out)]


def test_boxes_are_of_fourteen_languages_and_none_stands_twice():
    boxes = json.loads(gate_lines.BOXES.read_text("utf-8"))
    assert len(boxes) == 14
    assert len({box for own in boxes.values() for box in own}) == sum(map(len, boxes.values())) == 450
