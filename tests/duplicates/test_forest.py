"""The paper's forest: merge rules, trees by aggregation factor, and the pairs it cannot find."""

from __future__ import annotations

import pytest

from benchmarks.code_pairs import same_codes
from tamis.duplicates.feature_code import CodeSettings, compare, feature_code
from tamis.duplicates.forest import FeatureCodeForest
from tamis.errors import UsageError
from tests.duplicates.texts import excerpt, text, without_words


def forest_of(*texts, **options):
    forest = FeatureCodeForest(**options)
    return forest, [forest.add(str(number), feature_code(each)) for number, each in enumerate(texts)]


def test_rule_1_an_identical_code_is_dropped():
    forest, placed = forest_of("Aa aa aa\nBb bb bb", "Aa aa aa\nBb bb bb")
    assert placed == ["new", "dropped"]
    assert forest.clusters() == [("0", "1")]


def test_rule_2_a_part_is_put_into_the_list_unless_an_equal_is_there():
    _, placed = forest_of("Aa\nBb\nCc\nDd", "Aa\nBb\nCc", "Aa\nBb\nCc")
    assert placed == ["new", "listed", "dropped"]


def test_rule_3_a_whole_replaces_its_part():
    forest, placed = forest_of("Aa\nBb\nCc", "Aa\nBb\nCc\nDd")
    assert placed[1] == "replaced"
    assert forest.clusters() == [("1", "0")]


def test_rule_4_a_large_intersection_is_listed():
    assert forest_of("A\nB\nC\nD\nE\nF", "A\nB\nC\nD\nE\nX")[1][1] == "listed"


def test_different_codes_are_nodes_of_their_own_in_order():
    forest, _ = forest_of("M", "C", "X", "A")
    assert forest.clusters() == [("3",), ("1",), ("0",), ("2",)]


def test_trees_are_chosen_by_aggregation_factor():
    texts = "A", "A " + "long " * 20
    forest, placed = forest_of(*texts)
    assert placed == ["new", "new"]
    assert [forest.tree_of(feature_code(text)) for text in texts] == [0, 2]
    assert FeatureCodeForest(interval=200).tree_of(feature_code("A " + "long " * 20)) == 0


def test_a_text_without_code_has_no_place():
    forest, placed = forest_of("...")
    assert placed[0] == "no code"
    assert forest.clusters() == []


def test_an_id_is_there_once():
    forest, _ = forest_of("A")
    with pytest.raises(UsageError, match="already"):
        forest.add("0", feature_code("B"))


def test_the_forest_misses_pairs_that_the_index_finds():
    """The weakness that the index mends: what sorts apart, or has another factor, never meets."""
    texts = {str(seed): text(seed, 160) for seed in range(6)}
    texts |= {f"{seed}x": excerpt(each) for seed, each in texts.items()} | {
        f"{seed}w": without_words(each, 0.05) for seed, each in texts.items()
    }
    codes = {id: feature_code(each) for id, each in texts.items()}
    forest = FeatureCodeForest()
    for id, code in codes.items():
        forest.add(id, code)
    within = {pair for cluster in forest.clusters() for pair in ((a, b) for a in cluster for b in cluster)}
    pairs = [(a, b) for a, b, _ in same_codes(codes)]
    assert any(pair not in within for pair in pairs)


def test_sorted_input_makes_a_deep_tree_and_no_recursion():
    forest = FeatureCodeForest(CodeSettings())
    for number in range(400):
        forest.add(str(number), feature_code(f"w{number:05d}"))
    assert len(forest.clusters()) == 400
    assert compare(feature_code("a"), feature_code("b")).same is False
