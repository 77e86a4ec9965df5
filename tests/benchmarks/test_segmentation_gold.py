from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import tamis
from benchmarks.segmentation_gold import LEVELS, TYPES, align, read_segmentation
from tamis.errors import SourceError

REAL = Path(__file__).parents[3] / "shared" / "data" / "segmentation" / "random"

SERVED = """<html><head><title>Birds</title></head><body><div id=top><img src=logo.png><a href=/>Home</a></div>
<div id=main><h1>The heron</h1><p>It waits.<p>It strikes.<ul><li>Reeds<li>Rivers</ul></div><p>Copyright, seagulls</body></html>"""

MARKED = """<html><head><title>Birds</title><script>x</script></head><body>
<div id=top data-block=1 data-block-type=Header><img src=logo.png data-block=2 data-block-type=Logo><a href=/>Home</a></div>
<iframe data-block=1 data-block-type=Ad></iframe>
<div id=main data-block=1 data-block-type=Content>
<div data-block=2 data-block-type=Article><h1>The heron</h1><p>It waits.</p><p>It strikes.</p></div>
<ul data-block=2 data-block-type=LinkList><li>Reeds</li><li>Rivers</li></ul></div>
<p data-block=1 data-block-type=Footer>Copyright, seagulls</p>
<div id=tool><button>Accept</button></div></body></html>"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "assets/birds.example/birds.example").mkdir(parents=True)
    for name, page in (("html", SERVED), ("blocks", MARKED)):
        (tmp_path / f"pages/001.{name}.html.gz").write_bytes(gzip.compress(page.encode()))
    entry = {
        "blocks_path": "birds.example/birds.example/index.blocks.html",
        "blocks": "001.blocks.html.gz",
        "html": "001.html.html.gz",
        "site": "birds.example",
    }
    (tmp_path / "gold.json").write_text(json.dumps([entry]))
    return tmp_path


def words(page, nodes):
    texts = dict(zip(page.tree.text_nodes.tolist(), page.tree.texts, strict=True))
    return " ".join(texts[node].strip() for node in nodes.tolist() if node in texts)


def test_marks_of_the_copy_become_nodes_of_the_page(folder):
    (page,) = read_segmentation(folder)
    found = [(block.level, block.type, block.node is not None, words(page, block.nodes)) for block in page.blocks]
    assert found == [
        (1, "header", True, "Home"),
        (2, "logo", True, ""),
        (1, "content", True, "The heron It waits. It strikes. Reeds Rivers"),
        (2, "article", False, "The heron It waits. It strikes."),  # a wrapper that only the copy has
        (2, "linklist", True, "Reeds Rivers"),
        (1, "footer", True, "Copyright, seagulls"),
    ]
    assert page.lost == 1  # the advert that a script made
    assert page.matched == 1


def test_labels_count_the_blocks_of_a_level(folder):
    (page,) = read_segmentation(folder)
    for level in LEVELS:
        labels = page.labels(level)
        assert len(labels) == len(page.tree)
        for k, block in enumerate(page.of_level(level)):
            assert (labels[block.nodes] == k).all()
    assert words(page, page.atoms) == "Home The heron It waits. It strikes. Reeds Rivers Copyright, seagulls"
    assert page.tree.name(int(page.atoms[0])) == "img"


def test_pages_are_where_their_style_sheets_are(folder):
    (page,) = read_segmentation(folder)
    assert page.path == folder / "assets/birds.example/birds.example/index.html"
    assert page.folder == folder / "assets/birds.example"
    assert read_segmentation(folder, limit=0) == []


def test_nodes_that_moved_are_found_by_what_they_say():
    one = tamis.parse("<div><p>first words</p><p>second words</p><p>third words</p></div>")
    other = tamis.parse("<div><p>third words</p><p>first words</p><p>second words</p></div>")
    partner = align(one, other)
    assert [one.text(node) for node in one.text_nodes] == [other.text(partner[node]) for node in one.text_nodes]
    taken = partner[partner >= 0]
    assert len(set(taken.tolist())) == len(taken)


def test_a_folder_without_marks_is_an_error(tmp_path):
    with pytest.raises(SourceError, match="no marked blocks"):
        read_segmentation(tmp_path)


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the pages in ../shared/data/segmentation")
def test_nearly_all_marks_of_the_real_pages_are_found():
    pages = read_segmentation(REAL)
    assert len(pages) == 36
    assert sum(len(page.blocks) + page.lost for page in pages) == 538
    assert sum(page.lost for page in pages) <= 17
    matched = sorted(page.matched for page in pages)
    assert matched[0] > 0.75  # of two Japanese pages the copy has fragments of wrongly decoded text in ASCII
    assert matched[2] > 0.9
    assert {block.type for page in pages for block in page.blocks} <= set(TYPES)
    assert all(page.path.is_file() for page in pages)
