"""A network over the sequence of a page's blocks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.content.network import LAYERS, Network, predict
from tamis.content.weights import probability_of
from tamis.errors import ModelError
from tamis.native import network as compiled
from training.network import REACH, constant_network, squash


def network(width=4, columns=5, seed=0, outputs=1):
    dice = np.random.default_rng(seed)
    square = (width + 1, width)
    shapes = ((columns + 1, width), square, (LAYERS, 3 * width + 1, width), square, (width + 1, outputs))
    scale = dice.random(columns).astype(np.float32) + 0.1
    return Network(scale, *((dice.standard_normal(shape) * 0.3).astype(np.float32) for shape in shapes))


def evidence(blocks, columns=5, seed=1):
    return np.random.default_rng(seed).standard_normal((blocks, columns)).astype(np.float32)


def log_odds(made, rows):
    return predict((made,), np.zeros((rows.shape[1] + 1, 0), dtype=np.float32), rows)[0]


def ramp(row, weights):
    return np.maximum(row @ weights[:-1].astype(float) + weights[-1], 0)


def plain_log_odds(made, values):
    """One block after the other, in double precision."""
    here = [ramp(row, made.entry) for row in values.astype(float)]
    mean = ramp(np.mean(here, axis=0), made.page)
    here = [row + mean for row in here]
    for layer, weights in enumerate(made.steps):
        at, nothing = dict(enumerate(here)), np.zeros_like(mean)
        around = [np.concatenate([at.get(b + o, nothing) for o in (-(1 << layer), 0, 1 << layer)]) for b in at]
        here = [row + ramp(near, weights) for row, near in zip(here, around, strict=True)]
    return np.array([ramp(row, made.last) @ made.out[:-1] + made.out[-1] for row in here])


@pytest.mark.parametrize(("blocks", "width", "outputs"), [(1, 4, 1), (2, 32, 4), (5, 1, 2), (40, 33, 4), (6, 70, 1), (3 * REACH, 4, 3)])
def test_log_odds_are_those_of_blocks_taken_one_by_one(blocks, width, outputs):
    made = network(width, outputs=outputs)
    rows = evidence(blocks)
    rows[0, 0] = np.nan
    assert log_odds(made, rows) == pytest.approx(plain_log_odds(made, squash(rows, made.scale)), rel=1e-4, abs=3e-4)


@pytest.mark.parametrize("blocks", [1, 40])
def test_several_networks_count_by_their_mean_and_the_first_one_scales_for_the_types(blocks):
    one, other, rows = network(), network(seed=3), evidence(blocks)
    rows[0, :4] = np.nan, np.inf, -np.inf, 1e-45
    types = np.random.default_rng(2).standard_normal((6, 3)).astype(np.float32)
    found, shares = predict((one, other), types, rows)
    assert found.tolist() == ((log_odds(one, rows) + log_odds(other, rows)) / 2).tolist()
    scores = squash(rows, one.scale).astype(float).mean(axis=0) @ types[:-1] + types[-1]
    assert shares == pytest.approx(np.exp(scores) / np.exp(scores).sum(), abs=1e-6)


def test_columns_of_evidence_and_weights_fit_each_other():
    made, types = network(), np.zeros((6, 2), dtype=np.float32)
    rows, tables = np.zeros((5, 3), dtype=np.float32), made.tables
    compiled.log_odds(rows, (tables,), types, 5, 6, 1)
    for k, layers in ((0, 6), (1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (None, 5), (None, 0), (None, 99)):
        given = tuple(np.ascontiguousarray(table[1:] if at == k else table) for at, table in enumerate(tables))
        for networks in ((given,), (tables, given)):
            with pytest.raises(ValueError, match="columns do not fit each other"):
                compiled.log_odds(rows, networks, types, 5, layers, 1)
    for given in (
        (rows.ravel()[:7], (tables,), types, 5, 6, 1),
        (rows, (tables,), types[1:], 5, 6, 1),
        (rows, (), types, 5, 6, 1),
        (rows, (tables,) * 5, types, 5, 6, 1),
        (rows, (tables,), types, 0, 6, 1),
        *((rows, (tables,), types, 5, 6, outputs) for outputs in (0, 2, -1, 99)),
    ):
        with pytest.raises(ValueError, match="columns do not fit each other"):
            compiled.log_odds(*given)
    for networks in ((list(tables),), (tables[1:],), (None,)):
        with pytest.raises((TypeError, ValueError)):
            compiled.log_odds(rows, networks, types, 5, 6, 1)


def test_no_blocks_and_no_weights():
    assert log_odds(network(), evidence(0)).shape == (0, 1)
    assert log_odds(constant_network(np.ones(5, dtype=np.float32)), evidence(3)).tolist() == [[0], [0], [0]]


def test_weights_that_do_not_fit_are_refused():
    made = network()
    with pytest.raises(ModelError):
        Network(made.scale, made.entry[:-1], made.page, made.steps, made.last, made.out)


@given(st.lists(st.floats(-700, 700), max_size=9))
def test_probabilities_are_rounded_logistic_functions(odds):
    plain = [round(1 / (1 + math.exp(-each)) * 1e6) / 1e6 for each in odds]
    assert np.frombuffer(compiled.probabilities(np.array(odds))).tolist() == plain
    assert probability_of(np.array([odds, odds]).T).tolist() == [[each, each] for each in plain]
