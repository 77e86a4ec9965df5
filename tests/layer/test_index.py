"""The fast path gives the verdicts of the plain matcher."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.same_layer_speed import find
from tamis import parse
from tamis.layer.judging import judge
from tamis.layer.matcher import PageIndex, walk
from tamis.layer.places import LayerPage
from tamis.layer.settings import Matching, SameLayer
from tamis.layer.strings import NodeString, Part, node_string, parts
from tamis.segmentation import segment

from .pages import HTML, all_blocks, block, body

SITES = Path(__file__).parents[3] / "shared/data/sites"

MATCHINGS = st.builds(
    Matching,
    tag_similarity=st.sampled_from([0.3, 0.5, 0.8, 1.0]),
    text_similarity=st.sampled_from([0.2, 0.6, 1.0]),
    skips=st.integers(0, 4),
    text_tolerance=st.sampled_from([0.3, 0.5, 1.0]),
)


def assert_same_verdicts(blocks: list[Part], page: NodeString, other: NodeString, matching: Matching) -> int:
    """How many match."""
    fast = PageIndex(other).find(blocks, page, matching)
    plain = [find(each, page, other, matching) for each in blocks]
    assert [match is not None for match in fast] == [match is not None for match in plain]
    for each, match in zip(blocks, fast, strict=True):
        assert match is None or walk(each, page, other, match.start, matching) == match
    return sum(match is not None for match in fast)


@settings(max_examples=300, deadline=None)
@given(HTML, HTML, MATCHINGS)
@example("<div>red<i>green</i></div>", "<div><i>green</i>red</div><div>red blue<i>green</i></div>", Matching())
def test_made_pages(html: str, other: str, matching: Matching) -> None:
    page, there = body(html), body(other)
    assert_same_verdicts(all_blocks(page), page, there, matching)
    assert_same_verdicts(all_blocks(page), page, page, matching)


@settings(max_examples=100, deadline=None)
@given(HTML, st.data())
def test_pages_that_differ_little(html: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(html)))
    changed = html[:at] + data.draw(st.sampled_from(["<div>", "</div>", "<i>blue</i>", " red "])) + html[at:]
    page, there = body(html), body(changed)
    assert_same_verdicts(all_blocks(page), page, there, data.draw(MATCHINGS))


def test_many_blocks_of_a_page_match_with_itself() -> None:
    page = body("<div><p>one</p><p>two</p></div><ul><li>three</ul>")
    blocks = all_blocks(page)
    assert assert_same_verdicts(blocks, page, page, Matching()) == len(blocks)


def test_pages_without_anything() -> None:
    page, empty = body("<p>one</p>"), node_string(parse(b"\x00\x01%PDF"))
    assert PageIndex(empty).find([block(page, "p")], page) == [None]
    assert PageIndex(page).find([], page) == []


@pytest.mark.parametrize("site", ["1up4dev", "cppreference", "dostips-forum", "handbook-ar", "mrbird", "pandas", "sqlite", "transito-ar"])
@pytest.mark.parametrize("judging", [SameLayer(), SameLayer.paper(), SameLayer.paper(Matching(0.5, 0.3))])
def test_real_pages(site: str, judging: SameLayer) -> None:
    files = sorted((SITES / site / "pages").glob("*.html.gz"), key=lambda file: file.stat().st_size)
    if not files:
        pytest.skip("needs the pages in ../shared/data/sites")
    middle = len(files) // 3
    trees = [parse(gzip.decompress(file.read_bytes())) for file in files[middle : middle + 3]]
    pages = [LayerPage(tree, judging) for tree in trees]
    blocks = [each.nodes for each in segment(trees[0]).leaves]
    for other in pages[1:]:
        found = [part for roots in blocks for part in parts(pages[0].string, roots)]
        assert_same_verdicts(found, pages[0].string, other.string, judging.matching)
    assert any(verdict.noise for verdict in judge(pages[0], blocks, pages[1:], judging))
