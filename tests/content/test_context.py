"""Context: the second table of a page's blocks."""

import numpy as np
import pytest
from hypothesis import given, settings

from tamis import parse
from tamis.content.context import CONTEXT, JOINT, MILLION, context
from tamis.content.decision import choose
from tamis.content.evidence import gather
from tests.content.plain_evidence import plain_gather
from tests.content.plain_judgement import plain_context
from tests.content.test_evidence import MARKUP


def column(page, probability, name):
    evidence = gather(parse(page))
    return context(np.array(probability), evidence.words, evidence.relations)[:, CONTEXT.index(name)].tolist()


def test_every_column_has_a_name_of_its_own():
    assert len(set(JOINT)) == len(JOINT)


def test_neighbours_sections_and_containers_are_told_by_their_probabilities():
    page = "<body><div><p>one two</p><p>three four</p></div><h2>five six</h2><p>seven eight</p></body>"
    probability = [0.5, 1.0, 0.0, 0.25]
    assert column(page, probability, "probability at +1") == pytest.approx([1.0, 0.0, 0.25, np.nan], nan_ok=True)
    assert column(page, probability, "section probability") == [0.75, 0.75, 0.125, 0.125]
    assert column(page, probability, "section before probability") == [0, 0, 0.75, 0.75]
    assert column(page, probability, "container 1 probability")[:2] == [0.75, 0.75]
    assert column(page, probability, "after container 1 probability")[:2] == [0.125, 0.125]
    assert column(page, probability, "page probability") == [0.4375] * 4


@settings(max_examples=60, deadline=None)
@given(MARKUP)
def test_both_forms_give_the_same_columns(page):
    one, other = gather(parse(page)), plain_gather(parse(page))
    for name in ("low", "high", "alike", "heading"):
        assert np.array_equal(getattr(one.relations, name), getattr(other.relations, name))
    probability = np.random.default_rng(len(page)).random(len(one.words))
    if len(probability):
        own = np.round(probability * MILLION).astype(np.int64)
        plain = plain_context(own, one.words, one.relations, choose(own / MILLION, one.words))
        assert np.array_equal(context(probability, one.words, one.relations), plain, equal_nan=True)
