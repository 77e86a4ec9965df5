"""Boxes inserted into pages with gold."""

import re
from random import Random

import pytest

from tamis import parse
from tests.benchmarks.conftest import single_pages, sites  # noqa: F401  # fixtures
from training.boxes import BOX, PHRASES, Material, insert_boxes, language_of
from training.examples import plan_boxed, read_single_pages, read_sites
from training.folds import fold_of

PARAGRAPHS = [f"Paragraph {k} says at some length how the reeds grow where the water is calm and low." for k in range(4)]
PAGE = f"<body><nav>Home</nav><div>{''.join(f'<p>{text}</p>' for text in PARAGRAPHS)}</div><p>Imprint"
MATERIAL = Material(["Subscribe to the weekly letter"], ["The ferry", "The mill"], ["The ferry leaves at six.", "The mill is old."])


@pytest.mark.parametrize("language", [*PHRASES, "xx"])
def test_boxes_stand_between_paragraphs_of_the_main_text(language):
    for seed in range(20):
        html = insert_boxes(PAGE, "\n".join(PARAGRAPHS), language, MATERIAL, Random(seed))
        assert html is not None
        tree = parse(html)
        text = tree.text()
        assert all(paragraph in text for paragraph in PARAGRAPHS)
        assert "@@" not in html
        boxes = [node for node, own in enumerate(tree.attributes) if BOX in own]
        assert boxes
        assert text.index(PARAGRAPHS[0]) < text.index(tree.text(boxes[0]).strip()[:20], text.index(PARAGRAPHS[0]))


def test_the_same_chance_gives_the_same_boxes():
    one, other = (insert_boxes(PAGE, "\n".join(PARAGRAPHS), "en", MATERIAL, Random(7)) for _ in range(2))
    assert one == other


def test_a_page_of_few_paragraphs_gets_no_boxes():
    assert insert_boxes("<p>Short.<p>Also short.", "Short.", "en", MATERIAL, Random(1)) is None


def test_phrases_are_of_the_same_kinds_in_every_language():
    assert {tuple(kinds) for kinds in PHRASES.values()} == {tuple(PHRASES["en"])}
    assert all("{title}" in kinds["read"] and not re.search(r"\|\||^\||\|$", kinds["read"]) for kinds in PHRASES.values())


@pytest.mark.parametrize(("tag", "language"), [("pt-BR", "pt"), ("en+zh", "en"), (None, "en"), ("ar (RTL; mixed with English)", "ar")])
def test_languages_of_tags(tag, language):
    assert language_of(tag) == language


def test_boxes_are_noise_and_of_the_fold_of_their_page(single_pages, sites):  # noqa: F811
    examples = [*read_single_pages(single_pages), *read_sites(sites, templates=())]
    plans = plan_boxed(examples, 10, 1)
    assert {plan.group for plan in plans} <= {example.group for example in examples}
    texts = {text: fold_of(example.group) for example in examples for text in example.noise}
    for plan in plans:
        assert all(texts[text] == fold_of(plan.group) for text in plan.material.noise if text in texts)
    for made in filter(None, (plan.make() for plan in plans)):
        assert made.made
        assert made.inserted.any()
        assert not made.label[made.inserted].any()
