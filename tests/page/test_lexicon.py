"""Words of pages: each entry is used, once; what is searched first is in all that a pattern finds."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from tamis.page.lexicon import WordPattern, concepts, entries
from tamis.page.tree import contains_any

SOURCE = Path(tamis.__file__).parent
LITERAL = {"frequent"}  #: Words of several languages may be the same.
CASED = {"availability", "currency", "language code", *(name for name in concepts() if name.startswith("source "))}


@cache
def sources() -> dict[str, str]:
    return {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}


def patterns() -> list[WordPattern]:
    """All patterns of words in the package."""
    modules = [name.removesuffix(".py").replace("/", ".") for name, text in sources().items() if "WordPattern(" in text]
    values = [value for name in modules for value in vars(import_module(f"tamis.{name}")).values()]
    values += [inner for value in values if isinstance(value, dict) for inner in value.values()]
    return [value for value in values if isinstance(value, WordPattern)]


def test_each_concept_is_read_by_the_code():
    code = "\n".join(sources().values())
    read = set(re.findall(r"['\"]([a-z][\w ]+)['\"]", code, re.IGNORECASE))
    groups = ("hint ", "role ", "source ")  # read one by one
    assert {name for name in concepts() if name not in read and not name.startswith(groups)} == set()
    assert all(f'"{group}' in code for group in groups)


@pytest.mark.parametrize("concept", sorted(concepts()))
def test_no_entry_stands_twice_or_behind_one_that_matches_it(concept):
    if concept in LITERAL:
        assert all(len(set(words)) == len(words) for words in concepts()[concept].values())
        return
    words = entries(concept)
    assert all(word and word == word.strip() and (concept in CASED or (bare := re.sub(r"\\.", "", word)) == bare.lower()) for word in words)
    assert [word for k, word in enumerate(words) if word in words[:k]] == []
    assert [word for k, word in enumerate(words) if any(re.fullmatch(before, word) for before in words[:k] if before != word)] == []


def test_entries_have_neither_alternatives_nor_groups_that_capture():
    assert all(re.compile(word).groups == 0 for concept in concepts() for word in entries(concept))


def test_each_pattern_of_words_has_words_that_are_searched_first():
    assert len(patterns()) > 20
    assert [pattern.expression for pattern in patterns() if not pattern.hints or "" in pattern.hints] == []


@pytest.mark.parametrize("pattern", patterns(), ids=lambda pattern: pattern.expression[:40])
@given(data=st.data())
def test_a_text_that_a_pattern_finds_holds_one_of_the_words(pattern, data):
    assert contains_any([data.draw(st.from_regex(pattern.regex))], pattern.hints) == [0]
