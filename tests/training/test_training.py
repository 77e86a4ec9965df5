"""Training on a few small pages: that it is reproducible, and that it learns."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from tamis.content.evidence import COLUMNS, GROUPS
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.evidence.words import LearnedWords
from tamis.content.network import LAYERS, Network, predict
from tamis.content.weights import read_weights
from tamis.errors import UsageError
from tests.benchmarks.conftest import single_pages, sites  # noqa: F401  # fixtures
from training import evaluation, network, run
from training import examples as examples_module
from training.evaluation import with_site
from training.examples import NAMELESS, PLAIN, SHUFFLED, SITE_PAGES, domain, read_single_pages, read_sites, weigh, without
from training.network import Training
from training.run import train

pytest.importorskip("sklearn", reason="the extra train is not installed")
SMALL = Training(width=12, passes=100, batch=20, average=0.9)


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
    assert all(set(example.sites) == set(SITE_PAGES) and example.excused.any() for example in examples)


def test_long_pages_have_the_main_text_of_several_pages(sites, monkeypatch):  # noqa: F811
    before = read_sites(sites)
    monkeypatch.setattr(examples_module, "LEAST_BLOCKS", 1)
    monkeypatch.setattr(examples_module, "LEAST_MAIN", 0)
    monkeypatch.setattr(examples_module, "LONG_PAGES", (100_000,))
    long = [example for example in read_sites(sites) if "more" in example.id]
    assert [example.group for example in long] == ["heron", "stork"]
    for example in long:
        own = [each for each in before if each.group == example.group]
        assert not example.scored
        assert example.gold.sum() >= 2 * max(each.gold.sum() for each in own)
        assert (example.label * example.length).sum() > 0.9 * example.gold.sum()


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
    found = weights.predict(examples[0].evidence(PLAIN, weights.vocabulary, weights.words))[0][:, 0]
    assert ((found > 0) == (examples[0].label > 0.5)).all()


def test_the_gradient_is_that_of_the_cross_entropy(single_pages):  # noqa: F811
    examples = read_single_pages(single_pages)
    pages = network.Pages(examples, [(Vocabulary.empty(), LearnedWords.empty())] * len(examples), ())
    dice = np.random.default_rng(0)
    batch = next(network._batches(pages, pages.scaling(dice), replace(SMALL, batch=100), dice))
    raw = batch.values.astype(float)
    columns = (getattr(batch, name).astype(float) for name in ("label", "weight", "there"))
    batch = network.Batch(raw / (1 + abs(raw)), *columns, batch.start, batch.size)
    weights = {name: value.astype(float) for name, value in network._beginning(len(COLUMNS), 4, dice).items()}
    gradient = network._gradient(weights, batch, 0, dice)

    def loss():
        made = as_network(weights)
        ends = (batch.start + batch.size[:, 0]).astype(int)
        found = np.concatenate([predict((made,), made.scale[:0], raw[a:b])[0] for a, b in zip(batch.start, ends, strict=True)])
        there = batch.there[:, 0] > 0
        label, weight = batch.label[there], batch.weight[there]
        return float((weight * (np.logaddexp(0, found) - label * found)).sum() / len(batch.size))

    for name, value in weights.items():
        at = np.unravel_index(np.abs(gradient[name]).argmax(), value.shape)
        ends = []
        for step in (1e-4, -2e-4):
            value[at] += step
            ends.append(loss())
        value[at] += 1e-4
        assert gradient[name][at] == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=3e-3), name


def as_network(weights):
    steps = np.stack([weights[f"step {layer}"] for layer in range(LAYERS)])
    return Network(np.ones(len(COLUMNS)), weights["entry"], weights["page"], steps, weights["last"], weights["out"])


def test_no_page_is_judged_by_what_its_site_taught(sites, monkeypatch):  # noqa: F811
    examples = read_sites(sites)
    taught = []

    def noted(fit):
        def fitted(others, *rest):
            taught.append((fit, {example.group for example in others}))
            return fit(others, *rest)

        return fitted

    monkeypatch.setattr(run, "fit_networks", noted(run.fit_networks))
    for module in (evaluation, run):
        monkeypatch.setattr(module, "fold_of", lambda group: int(group == "stork"))
    result = evaluation.cross_validate(examples, SMALL)
    assert [groups for _, groups in taught][:2] == [{"stork"}, {"heron"}]
    assert {one.example for one in result.judged} == set(range(len(examples)))
    assert {with_site(pages) for pages in SITE_PAGES} <= set(result.to_dict()["sites"])
    calibration = result.calibration("sites")
    assert sum(row["pages"] for row in calibration) == sum(example.scored for example in examples)
    assert all(row["from"] <= row["expected"] for row in calibration)
    means = result.to_dict()["sites"][PLAIN]
    assert {"heron", "stork", "mean", "lost", "removed", "precision", "recall"} <= set(means)
    assert means["mean"] == pytest.approx((means["heron"] + means["stork"]) / 2)
    worse = result.worse_sites(2, by=-1)
    assert set(worse) == {"heron", "stork"}
    assert all(one.f1 <= one.best <= one.ceiling <= 1 for one in result.judged)


def test_the_best_threshold_and_the_labels_bound_what_a_page_can_reach(single_pages):  # noqa: F811
    example = read_single_pages(single_pages)[0]
    upside_down = 1 - np.clip(example.label, 0.1, 0.9)
    judged = evaluation._judged(0, example, PLAIN, upside_down, None, None)
    assert judged.best == pytest.approx(example.f1(np.ones(len(example.label), dtype=bool)))  # no cut of a wrong order is any good
    assert judged.best < judged.ceiling == example.f1(example.label >= 0.5)


def test_each_folder_is_judged_by_what_the_others_taught(single_pages, sites, monkeypatch):  # noqa: F811
    examples = [*read_single_pages(single_pages), *read_sites(sites)]
    taught = []

    def noted(others, settings):
        taught.append({example.collection for example in others})
        return train(others, settings)

    monkeypatch.setattr(evaluation, "train", noted)
    result = evaluation.leave_sets_out(examples, SMALL)
    assert taught == [{"sites"}, {examples[0].collection}]
    assert {one.example for one in result.judged} == set(range(len(examples)))


def test_dropped_groups_are_not_known(single_pages):  # noqa: F811
    examples = read_single_pages(single_pages)
    evidence = examples[0].evidence(PLAIN, Vocabulary.empty(), LearnedWords.empty())
    gone = [COLUMNS.index(name) for group in ("names", "text") for name in GROUPS[group]]
    assert np.isnan(without(evidence, ("names", "text"))[:, gone]).all()
    assert not np.isnan(without(evidence, ())[:, COLUMNS.index("weight")]).any()


def test_settings_are_checked():
    with pytest.raises(UsageError, match="groups are"):
        Training(drop=("magic",))
    with pytest.raises(UsageError):
        Training(width=0)
    with pytest.raises(UsageError):
        Training(passes=0)


def test_comments_are_noise_and_optional_text_is_neither(tmp_path):
    main = "The ferry leaves at six, long before the harbour wakes up, and carries the bread."
    comment = "Well said, I have often thought the same about the old boat and its crew."
    byline = "Written by Edith Marlowe for the weekly paper of the town"
    page = f"<body><p>{byline}<p>{main}<p>{comment}<p>Home"
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "a.html.gz").write_bytes(gzip.compress(page.encode()))
    row = {"id": "a", "url": "", "page_type": "unknown", "main_content": main, "comments": comment, "optional": byline}
    (tmp_path / "gold.jsonl.gz").write_bytes(gzip.compress(json.dumps(row).encode()))
    example = read_single_pages(tmp_path)[0]
    assert example.label.tolist() == [0, 1, 0, 0]
    assert example.excused.tolist() == [1, 0, 0, 0]
    assert example.comment.tolist() == [0, 0, 1, 0]
    assert not example.typed
    assert example.compare(np.array([True, True, False, False])) == (1, 1, 1)


def test_domains():
    assert domain("https://a.b.example.com/x") == "example.com"
    assert domain("not a url") == ""
