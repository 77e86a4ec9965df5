"""What a sample says of places: sums, and the columns of evidence; the compiled work is that of the plain version."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from tamis.errors import ModelError
from tamis.native import places as compiled
from tamis.site.digest import judged_digest
from tamis.site.model import learn_digests
from tamis.site.places import COLUMNS, PLACE, learn_sample
from tamis.site.trees import Trees, read_trees, shipped

from .pages import article
from .plain_places import plain_gather, plain_sample, plain_weigh

DIGESTS = [judged_digest(tamis.parse(article(number))) for number in range(12)]
OTHER = judged_digest(tamis.parse("<body><h2>Something</h2><div class=x><p>quite different <a href=/>here</a></div><ul><li>1<li>2</ul>"))
LIKENESS = 0.75


def random_digest(page, seed):
    """A page with other log-odds."""
    dice = np.random.default_rng(seed)
    return replace(page, log_odds=dice.integers(-2048, 2049, len(page.text)).astype(np.int16))


@given(st.lists(st.integers(0, 11), min_size=1, max_size=6, unique=True), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_sums_are_those_of_the_plain_version(numbers, seed):
    pages = [random_digest(DIGESTS[number], seed + number) for number in numbers]
    sample = learn_digests(pages).sample
    known = [page for page in pages if sample.pages == len(pages)]
    places, containers = plain_sample(sample, known)
    if known:
        for keys, sums, plain in ((sample.place, sample.place_sums, places), (sample.container, sample.container_sums, containers)):
            assert keys.tolist() == sorted(plain)
            assert sums.tolist() == [plain[key].tolist() for key in keys.tolist()]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6, unique=True), st.integers(0, 11), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_evidence_is_that_of_the_plain_version(numbers, wanted, seed):
    model = learn_digests(random_digest(DIGESTS[number], seed + number) for number in numbers)
    for page in (random_digest(DIGESTS[wanted], seed + wanted), random_digest(OTHER, seed)):
        found, plain = model.sample.gather(page, LIKENESS), plain_gather(model.sample, page, LIKENESS)
        assert found.shape == (len(page.text), len(COLUMNS))
        for column, name in enumerate(COLUMNS):
            np.testing.assert_allclose(found[:, column], plain[:, column], rtol=1e-5, atol=1e-6, err_msg=name)


def test_a_page_of_the_sample_is_told_what_the_others_say():
    pages = [random_digest(page, number) for number, page in enumerate(DIGESTS)]
    model = learn_digests(pages)
    whole = model.sample
    others = learn_sample(pages[1:], [page.key for page in pages[1:]], whole.names)
    found, left_out = (sample.gather(pages[0], LIKENESS) for sample in (whole, others))
    flags = ("frequent", "rare", "lowest")  # of the blocks of others, by the whole sample
    for column, name in enumerate(COLUMNS):
        if not any(flag in name for flag in flags):
            np.testing.assert_array_equal(found[:, column], left_out[:, column], err_msg=name)


def test_the_sums_of_two_samples_add_up():
    pages = [random_digest(page, number) for number, page in enumerate(DIGESTS)]
    names = learn_digests(pages).sample.names
    whole, first, second = (learn_sample(part, (), names) for part in (pages, pages[:5], pages[5:]))
    plain = [name not in ("frequent", "frequent p") for name in PLACE]
    for key, sums in zip(whole.place.tolist(), whole.place_sums, strict=True):
        parts = [part.place_sums[part.place == key].sum(axis=0) for part in (first, second)]
        assert sum(parts)[plain].tolist() == sums[plain].tolist()


def test_the_order_of_the_pages_does_not_matter():
    pages = [random_digest(page, number) for number, page in enumerate(DIGESTS)]
    one, other = (learn_digests(random.Random(seed).sample(pages, len(pages))).sample for seed in (1, 2))
    assert one.place.tolist() == other.place.tolist()
    assert one.place_sums.tobytes() == other.place_sums.tobytes()
    assert one.container_sums.tobytes() == other.container_sums.tobytes()


@given(st.integers(0, 2**32), st.floats(0, 0.5))
@settings(max_examples=15, deadline=None)
def test_trees_are_weighed_as_by_the_plain_version(seed, unknown):
    dice = np.random.default_rng(seed)
    evidence = dice.normal(0, 3, (20, len(COLUMNS))).astype(np.float32)
    evidence[dice.random(evidence.shape) < unknown] = np.nan
    assert np.array_equal(shipped().log_odds(evidence), plain_weigh(shipped(), evidence), equal_nan=True)


def test_trees_that_do_not_fit_are_refused(tmp_path):
    whole = shipped()
    whole.save(tmp_path / "trees.npz")
    again = read_trees(tmp_path / "trees.npz")
    assert again.threshold.tolist() == whole.threshold.tolist()
    assert (tmp_path / "trees.npz").stat().st_size < 100_000
    with pytest.raises(ModelError, match="do not fit"):
        Trees(whole.threshold, whole.column, whole.more * 0, whole.unknown, whole.root)
    (tmp_path / "trees.npz").write_bytes(b"PK")
    with pytest.raises(ModelError, match="cannot read"):
        read_trees(tmp_path / "trees.npz")


def test_columns_that_do_not_fit_are_refused():
    none = np.zeros(0, dtype=np.int32)
    with pytest.raises(ValueError, match="do not fit"):
        compiled.keys(np.zeros(2, np.uint64), np.array([1], np.int32), np.array([-1], np.int32))
    with pytest.raises(ValueError, match="do not fit"):
        compiled.weigh(
            np.zeros(3, np.float32),
            2,
            np.zeros(1, np.float32),
            np.full(1, -1, np.int16),
            np.zeros(1, np.int16),
            np.zeros(1, np.uint8),
            none,
        )
