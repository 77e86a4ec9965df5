from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks import same_layer as bench
from benchmarks.__main__ import app
from benchmarks.gold import LABELS, SiteGold
from benchmarks.metric import bag
from benchmarks.node_gold import IGNORE, MAIN, NOISE, UNREAD, NodeGold
from benchmarks.same_layer import Score, run, total
from benchmarks.same_layer_pages import kind_of, read_samples
from benchmarks.same_layer_parts import PARTS, typed_blocks
from tamis import UsageError, parse
from tamis.page.decode import decode

SHARED = Path(__file__).parents[3] / "shared/data"


def test_gold_of_nodes_is_the_gold_of_texts(sites: Path) -> None:
    folder = sites / "heron"
    gold, texts = NodeGold.read(folder), SiteGold.read(json.loads((folder / "site.json").read_bytes())["selectors"])
    html = decode(gzip.decompress((folder / "pages/0000.html.gz").read_bytes()))
    tree = parse(html)
    label = gold.labels(tree)[tree.text_nodes]
    for number, name in enumerate(LABELS):
        mine = " ".join(text for text, own in zip(tree.texts, label.tolist(), strict=True) if own == number)
        assert bag(mine) == bag(texts.split(html)[name])


def test_line_rules_reach_the_nodes_of_their_lines(sites: Path) -> None:
    tree = parse("<body><div class=text><p>Ad: buy <b>seeds</b><p>By A. Writer<p>A text")
    label = NodeGold.read(sites / "heron").labels(tree)[tree.text_nodes]
    assert label.tolist() == [NOISE, NOISE, IGNORE, MAIN]


@pytest.mark.parametrize("site", ["54chen", "dostips-www", "drupalcz", "vuejs-ru"])
def test_gold_of_nodes_is_the_gold_of_texts_on_real_pages(site: str) -> None:
    folder = SHARED / "sites" / site
    if not folder.is_dir():
        pytest.skip("needs the pages in ../shared/data/sites")
    gold, texts = NodeGold.read(folder), SiteGold.read(json.loads((folder / "site.json").read_bytes())["selectors"])
    for file in sorted((folder / "pages").glob("*.html.gz"))[:40:8]:
        html = decode(gzip.decompress(file.read_bytes()))
        tree = parse(html)
        label = gold.labels(tree)[tree.text_nodes]
        for number, name in enumerate(LABELS):
            mine = "".join(text for text, own in zip(tree.texts, label.tolist(), strict=True) if own == number)
            assert bag(mine, "character") == bag(texts.split(html)[name], "character")


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<p class=n>0123456789", "noise"),
        ("<p>0123456789", "content"),
        ("<p><i class=n>1</i><b>012345678</b>", "content"),
        ("<p><i class=n>12</i><b>01234567</b>", "mixed"),
        ("<p><i class=g>12</i><b>01234567</b>", "ignored"),
        ("<p><img>", "empty"),
        ("<p><script>x</script>", "empty"),
    ],
)
def test_a_block_is_what_nine_tenths_of_its_characters_are(html: str, kind: str) -> None:
    tree = parse(f"<body>{html}")
    label = np.full(len(tree), MAIN, dtype=np.uint8)
    for name, value in (("n", NOISE), ("g", IGNORE)):
        label[tree.subtree_mask(np.array([k for k in range(len(tree)) if tree.attribute(k, "class") == name], dtype=np.intp))] = value
    assert kind_of(tree, label, [3])[0] == kind
    assert UNREAD not in label


def test_scores_add_up_and_divide() -> None:
    score = total([Score(found=8, missed=2, wrong=0, found_characters=80), Score(found=1, wrong=1, wrong_characters=20)])
    assert (score.recall, score.precision, score.precision_characters) == (9 / 11, 9 / 10, 0.8)
    assert (Score().recall, Score().precision) == (1.0, 1.0)


def test_no_content_of_a_made_site_is_taken_for_noise(larger_sites: Path) -> None:
    result = run(larger_sites, sites=["heron"], pages=3, ks=(1, 2), grid=False, timed=1)
    score = result.pooled("tamis")
    assert score.found > 0
    assert score.wrong == 0
    assert score.missed <= 3  # blocks that only one of the other pages has stay
    assert result.pages == {"heron": 3}
    assert result.speed is not None
    assert result.speed.differing == 0
    assert result.speed.pairs == 3
    (row,) = result.likeness
    assert {name: row.parts[name][0] == row.parts[name][1] for name in PARTS} == dict.fromkeys(PARTS, True)
    assert row.parts["header"][1] == 9
    assert row.value == 1.0
    assert {(text.way, text.k) for text in result.texts} == {(way, 2) for way in bench.WAYS}
    json.dumps(result.to_dict())


def test_same_layer_pages_are_other_pages_of_the_site(larger_sites: Path) -> None:
    for sample in read_samples(larger_sites / "stork", 4, 3):
        urls = [page.url for page in sample.siblings]
        assert len(set(urls)) == 3
        assert sample.page.url == sample.gold.url
        assert sample.page.url not in urls


def test_typed_blocks_of_content_are_told_from_the_others() -> None:
    folder = SHARED / "segmentation/random"
    if not (folder / "gold.json").is_file():
        pytest.skip("needs the pages in ../shared/data/segmentation/random")
    rows = {row.type: row for row in typed_blocks(folder, limit=12)}
    assert rows["menu"].in_layer == rows["menu"].blocks
    assert rows["article"].in_layer <= 0.1 * rows["article"].blocks


def test_the_command_shows_tables_and_writes_json(larger_sites: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = ["same-layer", str(larger_sites), "--pages", "2", "--k", "1,3", "--timed", "1", "--sites", "stork"]
    result = CliRunner().invoke(app, [*command, "--json", str(out)])
    assert result.exit_code == 0, result.output
    assert "noise blocks, k = 3: 2 pages of 1 sites" in result.output
    assert "0 of " in result.output.split("verdicts differ")[0][-30:]
    assert json.loads(out.read_text("utf-8"))["forms"]["tamis"]["pooled"]["recall"] >= 0.75


def test_numbers_out_of_range_say_so(larger_sites: Path) -> None:
    with pytest.raises(UsageError, match="numbers of pages from 1"):
        run(larger_sites, ks=(0,))
