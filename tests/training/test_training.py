"""Training on a few small pages: that it is reproducible, and that it learns."""

import json

import numpy as np
import pytest

from tamis.content.evidence import COLUMNS, GROUPS
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.weights import read_weights
from tamis.errors import UsageError
from tests.benchmarks.conftest import single_pages, sites  # noqa: F401  # fixtures
from training import evaluation
from training.evaluation import fold_of
from training.examples import FEW, NAMELESS, PLAIN, SHUFFLED, SITE, domain, read_single_pages, read_sites
from training.fitting import Training, from_json, rows_of, weigh, without
from training.run import train

catboost = pytest.importorskip("catboost", reason="the extra train is not installed")
SMALL = Training(trees=12, depth=3, rows=1.0)


def test_examples_hold_evidence_in_every_disguise(single_pages):  # noqa: F811
    examples = read_single_pages(single_pages)
    assert [example.page_type for example in examples] == ["article", "article", "product"]
    for example in examples:
        assert set(example.disguises) == {PLAIN, NAMELESS, SHUFFLED}
        assert {evidence.shape for evidence in example.disguises.values()} == {(len(example.label), len(COLUMNS))}
        assert example.names[PLAIN].place.shape == example.label.shape
    assert examples[0].f1(examples[0].label > 0.5) == 1.0
    assert examples[2].label.sum() == 0


def test_sites_are_labelled_by_their_selectors(sites):  # noqa: F811
    examples = read_sites(sites)
    assert {example.group for example in examples} == {"heron", "stork"}
    assert all(example.f1(example.label > 0.5) > 0.9 for example in examples)
    assert all(SITE in example.templates and example.excused.any() for example in examples)


def test_a_page_weighs_the_same_however_long_it_is(single_pages):  # noqa: F811
    example = read_single_pages(single_pages)[0]
    assert weigh(example).sum() == pytest.approx(example.length.sum() / example.gold.sum(), rel=0.3)


def test_the_same_training_gives_the_same_file(single_pages, tmp_path):  # noqa: F811
    examples = read_single_pages(single_pages)
    for name in ("one.npz", "two.npz"):
        train(examples, SMALL).save(tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    weights = read_weights(tmp_path / "one.npz")
    assert weights.page_types == ("article", "product")
    found = 1 / (1 + np.exp(-weights.log_odds(examples[0].evidence(PLAIN, weights.vocabulary))))
    assert ((found > 0.5) == (examples[0].label > 0.5)).all()


def test_a_forest_says_what_catboost_says(tmp_path):
    dice = np.random.default_rng(0)
    values = dice.random((200, 5)).astype(np.float32)
    values[dice.random((200, 5)) < 0.1] = np.nan
    label = (np.nan_to_num(values[:, 0]) > 0.5) * 0.8 + 0.1
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    model = catboost.CatBoost({"loss_function": "CrossEntropy", "iterations": 20, "depth": 4, **quiet})
    model.fit(catboost.Pool(values, label=label))
    model.save_model(str(tmp_path / "model.json"), format="json")
    forest = from_json(json.loads((tmp_path / "model.json").read_text("utf-8")), 4)
    assert forest.score(values)[:, 0] == pytest.approx(model.predict(values, prediction_type="RawFormulaVal"), abs=1e-5)


def test_no_page_is_judged_by_what_its_site_taught(sites, monkeypatch):  # noqa: F811
    examples = read_sites(sites)
    taught = []

    def noted(others, settings):
        taught.append({example.group for example in others})
        return train(others, settings)

    monkeypatch.setattr(evaluation, "train", noted)
    monkeypatch.setattr(evaluation, "fold_of", lambda group, folds: int(group == "stork"))
    result = evaluation.cross_validate(examples, SMALL, folds=2)
    assert taught == [{"stork"}, {"heron"}]
    assert {one.example for one in result.judged} == set(range(len(examples)))
    assert {SITE, FEW} <= set(result.to_dict()["sites"])
    calibration = result.calibration("sites")
    assert sum(row["pages"] for row in calibration) == sum(example.scored for example in examples)
    assert all(row["from"] <= row["expected"] for row in calibration)
    means = result.to_dict()["sites"][PLAIN]
    assert {"heron", "stork", "mean", "lost", "removed"} <= set(means)
    assert means["mean"] == pytest.approx((means["heron"] + means["stork"]) / 2)


def test_a_domain_is_in_the_same_fold_everywhere():
    assert [fold_of(group, 5) for group in ("example.org", "example.com", "heron")] == [2, 0, 3]


def test_dropped_groups_are_not_known(single_pages):  # noqa: F811
    examples = read_single_pages(single_pages)
    rows = rows_of(examples, [Vocabulary.empty()] * len(examples), Training(rows=1.0, drop=("names", "page")))
    gone = [COLUMNS.index(name) for group in ("names", "page") for name in GROUPS[group]]
    assert np.isnan(rows.values[:, gone]).all()
    assert not np.isnan(without(examples[0].disguises[PLAIN], ())[:, COLUMNS.index("weight")]).any()


def test_settings_are_checked():
    with pytest.raises(UsageError, match="groups are"):
        Training(drop=("magic",))
    with pytest.raises(UsageError):
        Training(depth=9)


def test_domains():
    assert domain("https://a.b.example.com/x") == "example.com"
    assert domain("not a url") == ""
