"""Words of blocks, and text that stands twice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import parse
from tamis.content.evidence import COLUMNS, _marks_of_nodes, gather, hidden_nodes, read_words
from tamis.content.evidence.characters import kinds
from tamis.content.evidence.markup import HOLDER_BITS, TAG_BITS, hint_table
from tamis.content.evidence.vocabulary import Vocabulary
from tamis.content.evidence.words import TWICE, WORDS, LearnedWords
from tamis.errors import ModelError
from tamis.native import evidence as compiled
from tamis.page.blocks import text_blocks
from tests.content.pages import CHINESE, article
from tests.content.plain_words import plain_columns, plain_words
from tests.content.test_evidence import MARKUP
from training.examples import weigh_asides, weigh_words

PAGES = (
    "<p>Read also: <a href=/2024/05/x>The harbour</a> and <a href='https://www.example.co.uk/news?id=7#top'>more</a> <a href=#c>c</a>",
    "<a href='MAILTO:a@b.c'>Write</a><p><a href='//x.org'>x</a><p><a href=''>none</a>",
    "<p><a href='/a%20b/c?d=e&f'>y</a><p><a href='a?b'><img></a>z",
    "<p>one two three four five six<p>ONE, TWO! three four <b>fi</b>ve six seven<p>\u00c4pfel \u0130stanbul 1234 \u0661\u0662<p>…<p>»a«",
    "<p>\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 abc<p>责任编辑：王 <p>关注 us<p> x ",
)


@pytest.mark.parametrize("page", [*PAGES, article(), article(CHINESE)])
def test_both_forms_read_words_alike(page):
    tree = parse(page)
    blocks = text_blocks(tree)
    one, other = read_words(tree, blocks), plain_words(tree, blocks)
    assert one.count.tolist() == other.count.tolist()
    assert one.key.tolist() == other.key.tolist()


@settings(max_examples=60, deadline=None)
@given(MARKUP, st.integers(0, 9))
def test_both_forms_weigh_words_alike_on_any_page(page, seed):
    tree = parse(page)
    blocks = text_blocks(tree)
    if not len(blocks):
        return
    said = read_words(tree, blocks)
    key = np.unique(said.key)[::2]
    words = LearnedWords(key, *np.random.default_rng(seed).integers(-127, 128, (2, len(key))).astype(np.int8))
    found = gather(tree, None, words)
    columns = found.values.T[[COLUMNS.index(name) for name in (*WORDS, *TWICE)]]
    assert np.array_equal(columns, plain_columns(tree, blocks, words), equal_nan=True)
    assert np.array_equal(columns[: len(WORDS)].T, weigh_words(said, words))
    assert np.array_equal(found.aside, weigh_asides(said, words))


def test_text_that_stands_twice_is_known_in_any_cut():
    page = "<p>reeds grow where the water is calm<p>in winter they are cut and bound<div>where the water is calm they bend low</div>"
    evidence = gather(parse(page))
    assert evidence.column("said before").tolist() == pytest.approx([0, 0, 1 / 4])
    assert evidence.column("said after").tolist() == pytest.approx([1 / 3, 0, 0])


def test_few_words_say_nothing_of_copies():
    assert np.isnan(gather(parse("<p>one two three four")).column("said before")).all()


def test_words_that_were_not_learned_say_nothing():
    assert not gather(parse(PAGES[0])).column("own words").any()


def test_words_are_in_order_and_fit_their_weights():
    for key, weight, aside in (([2, 1], [1, 1], [1, 1]), ([0], [1], [1]), ([1], [], [1]), ([1], [1], [])):
        with pytest.raises(ModelError, match="learned words"):
            LearnedWords(np.array(key, dtype=np.uint32), np.array(weight, dtype=np.int8), np.array(aside, dtype=np.int8))


def test_tables_hold_each_word_once():
    dice = np.random.default_rng(1)
    key = np.unique(dice.integers(1, 1 << 32, 5000).astype(np.uint32))
    words = LearnedWords(key, *dice.integers(-127, 128, (2, len(key))).astype(np.int8))
    table, *weights = words.table
    assert sorted(table[table > 0].tolist()) == key.tolist()
    for weight, own in zip(weights, (words.weight, words.aside), strict=True):
        assert dict(zip(table[table > 0].tolist(), weight[table > 0].tolist(), strict=True)) == dict(
            zip(key.tolist(), own.tolist(), strict=True)
        )


def test_columns_that_do_not_fit_each_other_are_refused():
    tree = parse(PAGES[0])
    blocks = text_blocks(tree)
    names = [part for name in ("class", "id", "href") for part in tree.values(name)]
    given = [tree.tag, tree.parent, tree.end, tree.link, tree.text_nodes, list(tree.texts), blocks.element, blocks.first, blocks.last]
    given += [blocks.length, blocks.link_length, *names, hidden_nodes(tree), _marks_of_nodes(tree), np.zeros(len(tree), np.uint8), kinds()]
    given += [TAG_BITS, HOLDER_BITS, *hint_table(), *Vocabulary.empty().table, *LearnedWords.empty().table, False]
    compiled.gather(*given)
    texts = [place for place, each in enumerate(given) if isinstance(each, list)]
    for place in range(len(given) - 1):
        if place not in texts:
            with pytest.raises(ValueError, match=r"do not fit|tables have"):
                compiled.gather(*given[:place], given[place][1:], *given[place + 1 :])
    ones = np.ones(2, np.uint32)
    for place, wrong in (
        (1, tree.parent + 9),
        (2, tree.end * 0),
        (4, tree.text_nodes + 999),
        (7, blocks.first + 999),
        (8, blocks.last * 0),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            compiled.gather(*given[:place], wrong, *given[place + 1 :])
    with pytest.raises(ValueError, match="tables have"):
        compiled.gather(*given[:-4], ones, *given[-3:])
