"""A network over the sequence of a page's blocks."""

import numpy as np
import pytest

from tamis.content.network import LAYERS, Network
from tamis.errors import ModelError
from tamis.native import network as compiled
from training.network import REACH, constant_network


def network(width=4, columns=5, seed=0, outputs=1):
    dice = np.random.default_rng(seed)
    square = (width + 1, width)
    shapes = ((columns + 1, width), square, (LAYERS, 3 * width + 1, width), square, (width + 1, outputs))
    scale = dice.random(columns).astype(np.float32) + 0.1
    return Network(scale, *((dice.standard_normal(shape) * 0.3).astype(np.float32) for shape in shapes))


def evidence(blocks, columns=5, seed=1):
    return np.random.default_rng(seed).standard_normal((blocks, columns)).astype(np.float32)


def plain_squash(made, values):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(values / (np.abs(values) + made.scale), nan=0.0)


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
    assert made.log_odds(rows) == pytest.approx(plain_log_odds(made, made.squash(rows)), rel=1e-4, abs=3e-4)


@pytest.mark.parametrize("blocks", [0, 1, 40])
def test_evidence_is_squashed_as_numpy_does_it(blocks):
    made, rows = network(), evidence(blocks) * np.float32(1e3)
    rows[::3] = [np.nan, np.inf, -np.inf, -0.0, 1e-45]
    for given in (rows, np.asfortranarray(rows)):
        assert made.squash(given).tobytes("C") == plain_squash(made, rows).tobytes("C")


def test_columns_of_evidence_and_weights_fit_each_other():
    made = network()
    weights = [made.scale, made.entry, made.page, made.steps, made.last, made.out]
    for k, layers in ((0, 6), (1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (None, 5), (None, 0), (None, 99)):
        given = [np.ascontiguousarray(table[1:] if at == k else table) for at, table in enumerate(weights)]
        with pytest.raises(ValueError, match="columns do not fit each other"):
            compiled.log_odds(np.zeros((5, 3), dtype=np.float32), *given, layers, 1)
    with pytest.raises(ValueError, match="columns do not fit each other"):
        compiled.log_odds(np.zeros(7, dtype=np.float32), *weights, 6, 1)
    for outputs in (0, 2, -1, 99):
        with pytest.raises(ValueError, match="columns do not fit each other"):
            compiled.log_odds(np.zeros((5, 3), dtype=np.float32), *weights, 6, outputs)
    for shape, scales in (((2, 3), 4), ((1, 1), 0)):
        with pytest.raises(ValueError, match="columns do not fit each other"):
            compiled.squash(np.zeros(shape, dtype=np.float32), np.zeros(scales, dtype=np.float32))


def test_evidence_is_between_minus_one_and_one_and_what_is_not_known_is_zero():
    made = network(columns=4)
    rows = np.array([[np.nan, 1e30, -1e30, 0]], dtype=np.float32)
    assert made.squash(rows).tolist() == [[0, 1, -1, 0]]
    assert not np.isnan(made.squash(np.full((1, 4), np.inf, dtype=np.float32))).any()


def test_no_blocks_and_no_weights():
    assert network().log_odds(evidence(0)).shape == (0, 1)
    assert constant_network(np.ones(5, dtype=np.float32)).log_odds(evidence(3)).tolist() == [[0], [0], [0]]


def test_weights_that_do_not_fit_are_refused():
    made = network()
    with pytest.raises(ModelError):
        Network(made.scale, made.entry[:-1], made.page, made.steps, made.last, made.out)
