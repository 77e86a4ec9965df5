"""Fold weights: what they are trained on, and how they are kept."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from tamis.content.weights import read_weights
from tamis.errors import ModelError
from tests.benchmarks.conftest import single_pages, sites  # noqa: F401  # fixtures
from training import folds, run
from training.__main__ import app
from training.examples import PLAIN, read_single_pages
from training.folds import FOLDS, KIN, fold_of, read_folds, save_compact
from training.network import Training
from training.run import train


def test_a_domain_is_in_the_same_fold_everywhere():
    assert [fold_of(group) for group in ("example.org", "example.com", "heron")] == [2, 0, 3]


def test_kin_are_in_one_fold():
    assert all(fold_of(site) == fold_of(other) for site, other in KIN.items())
    assert not set(KIN.values()) & set(KIN)


def test_fold_weights_are_written_by_one_command(single_pages, sites, tmp_path, monkeypatch):  # noqa: F811
    pytest.importorskip("sklearn", reason="the extra train is not installed")
    for module in (folds, run):
        monkeypatch.setattr(module, "fold_of", lambda group: int(group == "stork"))
    words = (single_pages, sites, "--folds", tmp_path / "folds", "--leave-out", "--passes", "1")
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    found = read_folds(tmp_path / "folds")
    assert len(found.folds) == FOLDS
    assert set(found.sets) == {single_pages.name, "sites"}
    assert found.of_group("stork") is found.folds[1]
    assert found.of_group("heron") is found.folds[0]
    manifest = json.loads((tmp_path / "folds" / "folds.json").read_text("utf-8"))
    assert set(manifest["pages"]) == {single_pages.name, "sites"}


def test_compact_weights_are_half_as_large_and_say_the_same(single_pages, tmp_path):  # noqa: F811
    pytest.importorskip("sklearn", reason="the extra train is not installed")
    examples = read_single_pages(single_pages)
    weights = train(examples, Training(networks=1, passes=3))
    weights.save(tmp_path / "wide.npz")
    save_compact(weights, tmp_path / "narrow.npz")
    assert (tmp_path / "narrow.npz").stat().st_size < 0.7 * (tmp_path / "wide.npz").stat().st_size
    evidence = examples[0].evidence(PLAIN, weights.vocabulary, weights.words)
    assert np.allclose(read_weights(tmp_path / "narrow.npz").predict(evidence)[0], weights.predict(evidence)[0], atol=0.1)


def test_a_weight_that_half_precision_cannot_hold_is_refused(single_pages, tmp_path):  # noqa: F811
    pytest.importorskip("sklearn", reason="the extra train is not installed")
    weights = train(read_single_pages(single_pages), Training(networks=1, passes=1))
    network = replace(weights.networks[0], out=weights.networks[0].out + np.float32(1e6))
    with pytest.raises(ModelError, match="too large"):
        save_compact(replace(weights, networks=(network,)), tmp_path / "weights.npz")
