"""Verdicts of the papers' methods as evidence of a site: their columns, and scores out of fold."""

from __future__ import annotations

import numpy as np
import pytest

from demo.gold_sets import write_gold
from demo.site import build_site
from tamis.content.weights import shipped
from tamis.errors import UsageError
from training import papers_evidence
from training.papers_evidence import LAYER, STYLE, VARIANTS, read_targets, scores


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bay")
    write_gold(folder, build_site())
    return {site: list(read_targets(folder / "sites" / site, shipped(), [3, 6], 2)) for site in ("en", "zh")}


def test_blocks_have_what_style_tree_and_same_layer_pages_say_of_them(found):
    assert [target.size for target in found["en"]] == [3, 3, 6, 6]
    for target in found["en"]:
        comp_imp, kept = target.evidence[:, list(STYLE)].T
        noise, tag, text = target.evidence[:, list(LAYER)].T
        assert 0 <= np.nanmin(comp_imp) <= np.nanmax(comp_imp) <= 1
        assert {0, 1} <= set(kept.tolist()) if target.size > 3 else set(kept.tolist()) == {1}
        assert ((tag > 0) & (text > 0))[noise == 1].any()


def test_a_site_is_judged_by_trees_that_have_not_seen_its_fold(found, monkeypatch):
    pytest.importorskip("lightgbm", reason="the extra train is not installed")
    monkeypatch.setattr(papers_evidence, "fold_of", lambda site: int(site == "zh"))
    for columns in VARIANTS.values():
        assert all(0.5 < score <= 1 for score in scores(found, columns, [3, 6]))
    monkeypatch.setattr(papers_evidence, "fold_of", lambda site: 0)
    with pytest.raises(UsageError, match="one fold"):
        scores(found, VARIANTS["without"], [3])
