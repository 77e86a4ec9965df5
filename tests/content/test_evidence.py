"""Evidence: what is in the columns, and what it must not depend on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import parse
from tamis.content.evidence import COLUMNS, GROUPS, NAMES, gather
from tamis.content.evidence.vocabulary import VOCABULARY
from tamis.page.tree import Values
from tests.content.pages import CHINESE, SENTENCES, article, named_page
from tests.content.plain_evidence import PageView, hints, plain_gather

MARKUP = st.lists(
    st.sampled_from(
        "<div> </div> <p> <ul> <li> <a\thref=x> </a> <h1> </h1> <table> <tr> <td> <pre> </pre> <nav> </nav> <select> <option> <svg> </svg> "
        "text words,\tmore. 正文。 <b> </b> <br> <title> </title> \ud800 © $5".split(" ")
    ),
    max_size=40,
).map(lambda pieces: " ".join(pieces).replace("\t", " "))
NAME = st.text(alphabet="abcdeginostvDNAP0１5-_#.é\x85 ", max_size=20)


def column(page, name):
    return gather(parse(page)).column(name).tolist()


def test_every_column_is_named_once_and_stands_in_one_group():
    assert len(set(COLUMNS)) == len(COLUMNS) == sum(map(len, GROUPS.values()))


def test_a_page_without_text_has_no_rows():
    for page in ("", "<p>", "<title>only a title</title>"):
        assert gather(parse(page)).values.shape == (0, len(COLUMNS))


def test_all_of_the_text_is_known_and_nothing_of_learned_names():
    values = gather(parse(article())).values
    assert not np.isnan(values[:, [COLUMNS.index(name) for name in GROUPS["text"]]]).any()
    assert np.isnan(values[:, [COLUMNS.index(name) for name in VOCABULARY]]).all()


def test_wide_characters_are_words_and_weigh_more():
    page = f"<p>{CHINESE[2]}<p>{'x' * len(CHINESE[2])}"
    words, weight = column(page, "words"), column(page, "weight")
    assert words == [sum(character.isalnum() for character in CHINESE[2]), 1]
    assert weight[0] > 2 * weight[1]


def test_punctuation_is_counted_in_every_script():
    page = f"<p>{CHINESE[0]}<p>{SENTENCES[0]}<p>هل تأتي السفينة اليوم؟"
    assert column(page, "stops") == [1, 1, 1]
    assert column(page, "commas") == [2, 2, 0]
    assert column(page, "ends in stop") == [1, 1, 1]


def test_characters_are_counted_as_a_plain_loop_counts_them():
    page = f"<p>{SENTENCES[3]} 12 <b>345</b> → <i>x</i><p>a|b ${CHINESE[1]} 7"
    tree = parse(page)
    evidence = gather(tree)
    for row, text in enumerate(evidence.blocks.texts(tree)):
        digits = sum(character.isdecimal() for character in text)
        assert evidence.column("digit share")[row] == pytest.approx(digits / evidence.blocks.length[row])


def test_containers_widen_until_the_whole_page():
    tree = parse(article())
    evidence = gather(tree)
    levels = np.array([evidence.column(f"container {level} blocks") for level in range(6)])
    rising = np.diff(levels, axis=0)
    assert (rising[~np.isnan(rising)] > 0).all()
    assert np.nanmax(levels) == len(evidence.blocks)


def test_sums_below_a_node_are_those_of_its_blocks():
    view = PageView.of(parse(article()))
    for node in range(len(view.tree)):
        inside = (view.node >= node) & (view.node < view.tree.end[node])
        assert view.plain_below[node] == view.plain[inside].sum()
        assert view.blocks_below[node] == inside.sum()


def test_wider_is_the_nearest_ancestor_with_more_blocks():
    view = PageView.of(parse(article()))
    for node in range(len(view.tree)):
        above = [up for up in view.tree.ancestors(node) if view.blocks_below[up] > view.blocks_below[node]]
        assert view.wider[node] == (above[0] if above else -1)


def test_the_way_to_the_paragraphs_is_found():
    page = article()
    inside = column(page, "topic inside")
    texts = gather(parse(page)).blocks.texts(parse(page))
    assert [text for text, is_in in zip(texts, inside, strict=True) if is_in and text in SENTENCES] == list(SENTENCES) * 2


def test_the_same_text_twice_is_known():
    page = "<p>one<p>two<p>one<p>one"
    assert column(page, "copies") == [3, 1, 3, 3]
    assert column(page, "copy") == [0, 0, 2, 3]
    assert column(page, "first copy") == [1, 1, 0, 0]


def test_tags_around_a_block_are_known_and_nearer_ones_count_more():
    page = "<nav><ul><li><a href=/>a</a></ul></nav><nav><div><div><div><p>b</div></div></div></nav><p>c"
    assert column(page, "in nav") == [1, 1, 0]
    assert column("<nav><p>a</nav>", "in nav") == [2]


def test_class_names_give_hints_and_nothing_else():
    with_names, without = gather(parse(article())), gather(parse(article(classes=False)))
    named = [COLUMNS.index(name) for name in (*NAMES, *(name for name in COLUMNS if name.startswith("named ")))]
    others = [index for index in range(len(COLUMNS)) if index not in named]
    assert np.array_equal(with_names.values[:, others], without.values[:, others], equal_nan=True)
    assert with_names.values[:, named[: len(NAMES)]].any()
    assert not without.values[:, named[: len(NAMES)]].any()


def test_hints_are_beginnings_of_words_in_a_name():
    assert hints("comment-list") & 1
    assert hints("CommentList") == hints("comment list")
    assert not hints("uncommented xq7")
    assert hints("ads")
    assert not hints("address")


@settings(deadline=None)
@given(st.lists(st.tuples(NAME, NAME), max_size=8))
def test_both_forms_read_names_alike(names):
    names += [
        ("", ""),
        ("navBar", "x"),
        ("post-17", ""),
        ("post-18", ""),
        ("post-18", "a"),
        ("", "main"),
        ("x" * 3000, ""),
        ("a " * 30, "b"),
    ]
    tree = named_page(names)
    one, other = gather(tree), plain_gather(tree)
    assert np.array_equal(one.values, other.values, equal_nan=True)


@pytest.mark.parametrize("codes", [[9], [0, 9]])
def test_names_that_are_not_there_are_refused(codes):
    tree = parse("<p>a")
    wrong = Values(np.full(len(tree), codes[-1], np.int32), ["a"])
    vars(tree)["_columns"] = tree._columns | {"id": wrong}
    with pytest.raises(ValueError, match="out of its column"):
        gather(tree)


def test_names_read_from_the_parser_and_from_attributes_are_the_same():
    tree = parse(article())
    plain = replace(tree, attributes=[dict(tree.attributes[node]) for node in range(len(tree))])
    assert np.array_equal(gather(tree).values, gather(plain).values, equal_nan=True)


@settings(max_examples=60, deadline=None)
@given(MARKUP)
def test_any_page_gives_one_row_for_each_block(page):
    tree = parse(page)
    evidence = gather(tree)
    assert evidence.values.shape == (len(evidence.blocks), len(COLUMNS))
    assert not np.isinf(evidence.values).any()
    plain = plain_gather(tree)
    assert np.array_equal(evidence.values, plain.values, equal_nan=True)
    assert evidence.words.tolist() == plain.words.tolist()


def test_both_forms_agree_on_an_article_in_every_script():
    for page in (article(), article(CHINESE), article(("هل تأتي السفينة اليوم؟ نعم، في الظهر.", "𠀀𠀁 𝒜 ½ ５"))):
        one, other = gather(parse(page)), plain_gather(parse(page))
        differing = [name for name in COLUMNS if not np.array_equal(one.column(name), other.column(name), equal_nan=True)]
        assert not differing
