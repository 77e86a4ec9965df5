"""Answers that are kept."""

from tamis.page.caching import LONGEST_NAME, of_name, of_page
from tamis.page.parsing import parse


def test_a_page_is_asked_once_and_each_page_for_itself():
    asked = []

    @of_page
    def length(tree):
        asked.append(tree)
        return len(tree)

    one, two = parse("<p>a"), parse("<p>a<p>b")
    assert [length(one), length(two), length(one)] == [len(one), len(two), len(one)]
    assert len(asked) == 2


def test_an_answer_of_none_is_kept_too():
    asked = []
    nothing = of_page(asked.append)
    tree = parse("<p>a")
    assert nothing(tree) is None
    assert nothing(tree) is None
    assert len(asked) == 1


def test_long_names_are_not_kept():
    asked = []
    kept = of_name(lambda name: asked.append(name) or len(name))
    for name in ("a", "b" * LONGEST_NAME, "c" * (LONGEST_NAME + 1)):
        assert kept(name) == kept(name) == len(name)
    assert [len(name) for name in asked] == [1, LONGEST_NAME, LONGEST_NAME + 1, LONGEST_NAME + 1]
