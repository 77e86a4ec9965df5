"""Vocabularies fitted to pages: what they learn, and from whom."""

import numpy as np
import pytest

from tamis import parse
from tamis.content.evidence import gather
from tamis.content.evidence.vocabulary import VOCABULARY, Vocabulary
from tests.benchmarks.conftest import single_pages  # noqa: F401  # fixture
from training.examples import read_single_pages
from training.names import fit_vocabulary, key_of, read_page_names
from training.network import Training

pytest.importorskip("sklearn", reason="the extra train is not installed")

PAGE = (
    "<div class=wrap><div class=x><div class=y><div class='body {0}'><p>main text</p></div>"
    "<div class=menu><p>noise</p></div></div></div></div>"
)


def fitted(texts, groups, **options):
    trees = [parse(text) for text in texts]
    label = [np.array([1.0, 0.0])] * len(trees)
    return fit_vocabulary([read_page_names(tree) for tree in trees], label, [np.ones(2)] * len(trees), groups, 1, **options)


def test_a_name_beside_main_text_speaks_for_it_and_one_beside_noise_against_it():
    found = fitted([PAGE.format(n) for n in "abcd"], list("abcd"))
    near = dict(zip(found.key.tolist(), found.near.tolist(), strict=True))
    assert near[key_of("body")] > 0 > near[key_of("menu")]


def test_names_of_too_few_domains_are_not_learned():
    texts = [PAGE.format("rare") for _ in range(3)] + [PAGE.format("common")] * 3
    found = fitted(texts, ["one", "one", "one", "two", "three", "four"], domains=3)
    assert key_of("rare") not in found.key
    assert key_of("common") in found.key
    assert not len(fitted([PAGE.format("x")], ["one"]).key)


def test_a_fitted_vocabulary_says_in_training_what_it_says_on_a_page():
    found = fitted([PAGE.format(n) for n in "abcd"], list("abcd"))
    tree = parse(PAGE.format("e"))
    expected = np.column_stack([gather(tree, found).column(name) for name in VOCABULARY])
    assert np.array_equal(read_page_names(tree).weigh(found), expected)
    assert expected.any()


def test_a_page_meets_no_vocabulary_that_it_has_taught(single_pages, monkeypatch):  # noqa: F811
    from training import run

    examples = read_single_pages(single_pages)
    taught = []

    def noted(others, settings):
        taught.append({example.id for example in others})
        return Vocabulary(np.array([len(taught)], np.uint32), np.zeros(1, np.int16), np.zeros(1, np.int16))

    monkeypatch.setattr(run, "fit_names", noted)
    monkeypatch.setattr(run, "fold_of", lambda group: sorted({example.group for example in examples}).index(group))
    for fold, (vocabulary, _) in enumerate(run.fit_part_names(examples, Training())):
        assert vocabulary.key.tolist() == [fold + 1]
        assert not {example.id for example in examples if run.fold_of(example.group) == fold} & taught[fold]
