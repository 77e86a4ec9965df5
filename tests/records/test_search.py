"""Extraction by key tree, against the paper's algorithm written plainly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import UsageError, parse
from tamis.records.candidates import places
from tamis.records.search import KeyTree, RecordSettings, find_by_key
from tests.records.pages import BOATS, one, shop

PAPER = RecordSettings(of_one_kind=False)


def elements(tree, node):
    return [int(child) for child in tree.children(node) if tree.tag[child]]


def size(tree, node):
    return 1 + sum(size(tree, child) for child in elements(tree, node))


def similarity(tree, a, b):
    """Definition 2.1 with free matching, as it stands."""
    if tree.tag[a] != tree.tag[b]:
        return 0.0
    total = size(tree, a) + size(tree, b)
    first, second = elements(tree, a), elements(tree, b)
    if not first or not second:
        return 2 / total
    found = 2.0
    found += sum(size(tree, x) * max(similarity(tree, x, y) for y in second) for x in first)
    found += sum(size(tree, y) * max(similarity(tree, x, y) for x in first) for y in second)
    return found / total


def extract(tree, key, node, threshold):
    """Figure 6, going on below a node of the same tag that is not similar enough."""
    if tree.tag[node] == tree.tag[key] and ((s := similarity(tree, key, node)) > threshold + 1e-12 or s > 1 - 1e-12):
        return [node]
    return [hit for child in elements(tree, node) for hit in extract(tree, key, child, threshold)]


ITEMS = st.recursive(
    st.sampled_from(["<b>x</b>", "<i>y</i>", "<a href=/z>z</a>"]),
    lambda inner: st.tuples(st.sampled_from(["div", "ul", "li", "p"]), st.lists(inner, max_size=3)).map(
        lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0]}>"
    ),
    max_leaves=12,
)


@given(st.lists(ITEMS, min_size=1, max_size=5).map("".join), st.integers(0, 40), st.sampled_from([0.5, 0.8, 1.0]))
def test_the_papers_mode_is_the_papers_algorithm(html, number, threshold):
    tree = parse(f"<body>{html}</body>")
    nodes = [node for node in range(len(tree)) if tree.tag[node]]
    key = nodes[number % len(nodes)]
    found = find_by_key(places(tree), KeyTree(tree, key, on_page=True), RecordSettings(threshold=threshold, of_one_kind=False))
    assert (found.heads.tolist() if found is not None else []) == extract(tree, key, 0, threshold)


def test_records_that_differ_more_than_the_threshold_are_of_one_kind():
    tree = parse(shop())
    key = KeyTree(tree, one(tree, "li", 11), on_page=True)  # no image
    alone = find_by_key(places(tree), key, RecordSettings(threshold=0.95, of_one_kind=False))
    kin = find_by_key(places(tree), key, RecordSettings(threshold=0.95))
    assert len(alone.heads) < len(kin.heads) == len(BOATS)


def test_the_menu_is_not_of_the_samples_kind():
    tree = parse(shop())
    found = find_by_key(places(tree), KeyTree(tree, one(tree, "li", 10), on_page=True))
    assert all("boat" in tree.attribute(int(head), "class") for head in found.heads)


def test_a_sample_that_begins_longer_records_finds_them_whole():
    tree = parse("<dl>" + "".join(f"<dt>Boat {k}<dd>Sold in port {k}" for k in range(5)) + "</dl>")
    found = find_by_key(places(tree), KeyTree(tree, one(tree, "dt"), on_page=True))
    assert found.run
    assert [tree.text(int(tree.end[first])) for first, _ in found.spans] == [f"Sold in port {k}" for k in range(5)]


def test_thresholds_are_shares():
    with pytest.raises(UsageError, match="threshold"):
        RecordSettings(threshold=1.5)
    assert PAPER.threshold == 0.8


@given(st.lists(ITEMS, max_size=5).map("".join), st.data())
def test_outermost_nodes_lie_in_no_other(html, data):
    tree = parse(f"<body>{html}</body>")
    nodes = np.array(sorted(data.draw(st.sets(st.integers(0, len(tree) - 1)))), dtype=np.intp)
    kept = tree.top_level(nodes).tolist()
    assert kept == [node for node in nodes.tolist() if not any(other < node < tree.end[other] for other in nodes.tolist())]
