"""A page of a known site by its template and the node model."""

import numpy as np
import pytest

import tamis
from tamis.content import node_model
from tamis.site import Rules, fused
from tamis.site.digest import digest
from tamis.site.model import TEMPLATE, learn_digests
from tests.content.pages import SENTENCES, article

NOTICE = "Read by everyone: the harbour office sells tickets, maps, and postcards of the old ship, every day from nine to five."


def pages(count=6):
    return [article([f"{sentence} Part {n}." for sentence in SENTENCES]).replace("<aside", f"<p>{NOTICE}</p><aside") for n in range(count)]


def test_what_the_template_drops_stays_dropped():
    every = pages()
    model = tamis.learn(every)
    tree = tamis.parse(every[0])
    alone, template, both = node_model.select(tree), model.select(tree), fused.select(model, tree)
    assert template.method == TEMPLATE
    assert both.method == fused.METHOD
    assert not (both.keep & ~template.keep).any()
    place = next(node for node, text in zip(tree.text_nodes, tree.texts, strict=True) if text == NOTICE)
    assert alone.scores["probability"][place] > 0.1
    assert not both.keep[place]
    assert tamis.extract(every[0], model=model).text.count("Part 0") == 8


def test_what_the_model_holds_for_nearly_impossible_is_dropped_and_says_so(monkeypatch):
    every = pages()
    model = tamis.learn(every)
    tree = tamis.parse(every[0])
    real = node_model.judge(tree)
    first = int(np.flatnonzero(model.select(tree).keep[tree.text_nodes[real.blocks.first]])[0])
    real.probability[first] = 0.01
    monkeypatch.setattr(node_model, "judge", lambda *_: real)
    both = fused.select(model, tree)
    node = int(tree.text_nodes[real.blocks.first[first]])
    assert not both.keep[node]
    assert both.why(node) == fused.REASON


@pytest.mark.parametrize("learned", [[], [article()]])
def test_a_page_that_the_template_does_not_know_is_judged_by_the_model_alone(learned):
    tree = tamis.parse(article())
    both, alone = fused.select(learn_digests(digest(tamis.parse(page)).digest for page in learned), tree), node_model.select(tree)
    assert both.keep.tolist() == alone.keep.tolist()
    assert both.notes


def test_manual_rules_win_over_both():
    every = pages()
    model = tamis.learn(every).with_rules(Rules(keep=("aside",), drop=("h1",)))
    kept = tamis.extract(every[0], model=model).text
    assert "The morning ferry" not in kept
    assert tamis.extract(every[0], model=model).selection.keep.any()
    aside = tamis.parse(every[0])
    node = next(n for n in range(len(aside)) if aside.name(n) == "aside")
    assert fused.select(model, aside).keep[node]


def test_with_attenuation_the_template_judges_by_itself():
    every = pages()
    model = tamis.learn(every)
    document = tamis.extract(every[0], method="attenuation", model=model)
    assert document.selection.method == TEMPLATE
    assert document.text == model.clean(every[0]).text
