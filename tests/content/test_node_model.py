"""The node model with the weights that come with the library."""

import os
import subprocess
import sys
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from tamis import NodeModel
from tamis.content.evidence import COLUMNS
from tamis.content.evidence.words import UNIT
from tamis.content.node_model import (
    AMONG_ANCHORS,
    AROUND_POSTS,
    ASIDE,
    ASIDE_WEIGHT,
    ELSEWHERE,
    LEAST_ANCHORS,
    MANUAL_BLOCKS,
    REASONS,
    among_anchors,
    around_posts,
    of_page,
    predict,
    select,
    selection_of,
    threshold_for_type,
)
from tamis.content.weights import SHIPPED, read_weights, shipped
from tamis.document.selection import Cause, Reason
from tamis.errors import ModelError, UsageError
from tamis.page.blocks import text_blocks
from tamis.page.grouping import ranges
from tamis.page.tree import PageTree
from tests.content.pages import CHINESE, SENTENCES, article
from tests.content.test_evidence import MARKUP
from tests.page.plain_columns import plain_spread


def text(page, method="model", **options):
    return tamis.extract(page, method=method, **options).text


def typed(page_type):
    """The weights of the library, for which every page is of this type."""
    types = np.zeros_like(shipped().types)
    types[-1, shipped().page_types.index(page_type)] = 9
    return replace(shipped(), types=types)


def test_a_golden_page_gives_its_paragraphs_and_no_chrome():
    kept = text(article()).splitlines()
    assert [line for line in kept if line in SENTENCES] == list(SENTENCES) * 2
    assert set(kept) <= {*SENTENCES, "The morning ferry"}


@pytest.mark.parametrize(("page_type", "kept"), [("article", 2), ("forum", 2), ("product", 10), ("listing", 10)])
def test_what_is_doubtful_is_left_out_where_the_main_text_is_apart(page_type, kept):
    probability, words = np.array([0.95, 0.9, *[0.35] * 8]), np.full(10, 10)
    assert threshold_for_type(probability, words, page_type).keep.sum() == kept
    assert threshold_for_type(probability, words, page_type, 2.0).keep.sum() == 10


def test_chinese_is_no_harder_than_english():
    kept = text(article(CHINESE, title="清晨的渡轮")).splitlines()
    assert [line for line in kept if line in CHINESE] == list(CHINESE) * 2
    assert set(kept) <= {*CHINESE, "清晨的渡轮"}


def test_the_only_title_is_kept_with_its_text():
    page = article()
    for method in (NodeModel.precision(), NodeModel(), NodeModel.recall()):
        assert text(page, method).splitlines()[0] == "The morning ferry"
    assert "The morning ferry" not in text(page, NodeModel(threshold=1.0))


def test_class_names_may_be_missing_or_dealt_out_anew():
    assert text(article(classes=False)) == text(article())
    tree = tamis.parse(article())
    attributes = [dict(own) for own in tree.attributes]
    named = [own for own in attributes if "class" in own]
    dealt = [own["class"] for own in named]
    Random(7).shuffle(dealt)
    for own, name in zip(named, dealt, strict=True):
        own["class"] = name
    assert text(replace(tree, attributes=attributes)) == text(tree)


def test_the_same_page_gets_the_same_numbers_in_every_process():
    program = (
        "from tests.content.pages import article; from tamis import parse; from tamis.content.node_model import predict;"
        "print(predict(parse(article())).probability.tolist())"
    )
    one = str(predict(tamis.parse(article())).probability.tolist())
    for plain in ("0", "1"):
        environment = {**os.environ, "TAMIS_PLAIN": plain, "PYTHONHASHSEED": f"{int(plain) + 5}"}
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
        assert run.stdout.strip() == one


@pytest.mark.parametrize("page", ["", "<title>nothing</title>", "<p> ", "<script>x</script>"])
def test_a_page_without_text_gives_nothing_and_no_error(page):
    document = tamis.extract(page, method="model")
    assert document.text == ""
    assert document.problems
    assert predict(document.tree).page_type is None


@settings(max_examples=40, deadline=None)
@given(MARKUP)
def test_any_page_has_a_reason_for_every_node_and_probabilities(page):
    tree = tamis.parse(page)
    selection = select(tree)
    assert len(selection.reason) == len(tree)
    assert all(selection.why(node) in REASONS for node in range(len(tree)))
    judged = predict(tree)
    assert ((judged.probability >= 0) & (judged.probability <= 1)).all()
    assert 0 <= judged.confidence <= 1
    assert sum(judged.page_types.values()) == pytest.approx(1 if judged.page_types else 0, abs=1e-6)


def test_kept_blocks_are_those_that_were_judged_so():
    tree = tamis.parse(article())
    judged, selection = predict(tree), select(tree)
    assert selection.keep[tree.text_nodes[judged.blocks.first]].tolist() == judged.keep.tolist()
    kept = "kept: main text with a probability of"
    assert all(selection.why(node).startswith(kept) == selection.keep[node] for node in range(len(tree)))


def test_text_that_no_reader_sees_is_never_kept():
    assert "hidden choice" not in text(article().replace("<h1>", "<select><option>hidden choice</select><h1>"))


def test_precision_keeps_no_more_and_recall_no_less():
    tree = tamis.parse(article())
    few, usual, many = (predict(tree, method).keep for method in (NodeModel.precision(), NodeModel(), NodeModel.recall()))
    assert not (few & ~usual).any()
    assert not (usual & ~many).any()


def test_a_fixed_threshold_is_obeyed():
    tree = tamis.parse(article())
    judged = predict(tree, NodeModel(threshold=0.2))
    assert judged.keep.tolist() == (judged.probability >= 0.2).tolist()
    assert predict(tree, NodeModel(threshold=0.0)).keep.all()


def test_settings_are_checked():
    for wrong in ({"beta": 0}, {"threshold": 1.5}):
        with pytest.raises(UsageError):
            NodeModel(**wrong)
    with pytest.raises(UsageError, match="attenuation, model"):
        tamis.extract("<p>x", method="magic")


def test_the_weights_are_small_and_come_back_as_they_were_saved(tmp_path):
    assert SHIPPED.stat().st_size < 1_000_000
    shipped().save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == SHIPPED.read_bytes()
    assert len(shipped().networks[0].scale) == len(COLUMNS) == len(shipped().types) - 1


def test_columns_of_weights_are_known_by_name(tmp_path):
    with np.load(SHIPPED, allow_pickle=False) as arrays:
        given = dict(arrays)
    order = np.random.default_rng(1).permutation(len(COLUMNS))
    rows = np.append(order, len(COLUMNS))
    moved = (
        given
        | {"columns": given["columns"][order], "network_scale": given["network_scale"][:, order]}
        | {"types": given["types"][rows], "network_entry": given["network_entry"][:, rows]}
    )
    np.savez(tmp_path / "moved.npz", **moved)
    tree = tamis.parse(article())
    assert predict(tree, weights=read_weights(tmp_path / "moved.npz")).probability.tolist() == predict(tree).probability.tolist()
    np.savez(tmp_path / "newer.npz", **given | {"columns": np.array([*COLUMNS[:-1], "colour of the sky"])})
    with pytest.raises(ModelError, match="does not gather: colour of the sky"):
        read_weights(tmp_path / "newer.npz")


def test_damaged_and_foreign_weights_are_refused(tmp_path):
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(SHIPPED.read_bytes()[:2000])
    with pytest.raises(ModelError):
        read_weights(damaged)
    with pytest.raises(ModelError):
        read_weights(tmp_path / "missing.npz")
    foreign = tmp_path / "foreign.npz"
    np.savez(foreign, format=np.array(2), columns=np.array(["other"]))
    with pytest.raises(ModelError, match="another version"):
        read_weights(foreign)


def test_a_tree_that_is_not_of_the_parser_is_judged_alike():
    tree = tamis.parse(article())
    copy = PageTree(tree.tag, tree.parent, tree.end, tree.text_nodes, list(tree.texts), tree.link, list(tree.attributes))
    assert predict(copy).probability.tolist() == predict(tree).probability.tolist()


@pytest.mark.parametrize("box", ['<div style="display: none">', "<div hidden>", '<div role="dialog">'])
def test_hidden_text_and_dialogs_are_less_likely_to_be_main_text(box):
    notice = "The paper has a new office, and readers are welcome to visit it, on every day of the week but Sunday."
    shown, hidden = (tamis.parse(article().replace("<aside", f"{start}<p>{notice}</p></div><aside", 1)) for start in ("<div>", box))
    one, other = predict(shown), predict(hidden)
    at = one.blocks.texts(shown).index(notice)
    assert other.probability[at] < one.probability[at]
    assert np.array_equal(np.delete(other.probability, at) > 0.5, np.delete(one.probability, at) > 0.5)


def test_a_title_that_is_kept_with_its_text_says_so():
    title = "<h1>Of gulls</h1>"
    prose = (
        "<p>The gulls of the harbour, of which there are many, lose their feathers twice a year. In winter, they rest on the sea wall." * 6
    )
    tree = tamis.parse(f"<body>{title}{prose}</body>")
    judged = predict(tree)
    low = replace(judged, probability=np.where(np.arange(len(judged.keep)) == 0, 0.3, judged.probability))
    assert low.keep.all()
    reasons = selection_of(tree, low)
    assert reasons.why(int(tree.text_nodes[0])) == "kept: the title of kept text"


def test_what_stands_around_the_text_of_a_stated_post_is_less_probable():
    said = '<li class="{0}" {1}><b>Ann Sailor</b><div itemprop="text">Reeds grow where the water is calm.</div><p>Save Share</p></li>'
    stated = 'itemscope itemtype="https://schema.org/Comment"'
    tree = tamis.parse(f"<h1>Reeds</h1><ul>{said.format('a', stated)}{said.format('b', '')}</ul>")
    assert around_posts(tree, text_blocks(tree)).tolist() == [0, AROUND_POSTS, 0, AROUND_POSTS, 0, 0, 0]
    silent = tamis.parse(f"<ul>{said.format('a', stated).replace('itemprop', 'class')}</ul>")
    assert not around_posts(silent, text_blocks(silent)).any()


@pytest.mark.parametrize("page_type", ["documentation", "article"])
def test_text_among_anchors_outside_links_is_more_probable_in_a_manual(page_type):
    evidence, nothing, weights = np.zeros((3, len(COLUMNS)), dtype=np.float32), np.zeros(3), typed(page_type)
    evidence[1, COLUMNS.index("links")] = 0.4
    anchored = np.array([True, True, False])
    given = of_page(evidence, nothing.astype(np.int64), nothing, anchored, weights)[0] - weights.predict(evidence)[0]
    assert given[:, 0].round(9).tolist() == [AMONG_ANCHORS if page_type == "documentation" else 0, 0, 0]


def test_a_manual_of_weights_without_types_is_no_manual():
    evidence = np.ones((MANUAL_BLOCKS, len(COLUMNS)), dtype=np.float32)
    untyped = replace(shipped(), types=shipped().types[:, :0], page_types=())
    nothing = np.zeros(len(evidence))
    given = of_page(evidence, nothing.astype(np.int64), nothing, np.ones(len(evidence), dtype=np.bool_), untyped)[0]
    assert given.tolist() == untyped.predict(evidence)[0].tolist()


def test_where_all_text_sounds_like_asides_an_aside_must_do_so_more():
    aside = np.array([-160] * 3 + [-320] + [-400] * 2)
    evidence = np.zeros((len(aside), len(COLUMNS)), dtype=np.float32)
    evidence[:, COLUMNS.index("words")] = [60, 60, 60, 20, 8, 8]
    weights, nothing = typed("article"), np.zeros(len(aside))
    for sure, bound in ((20.0, ASIDE - 160 / UNIT), (-20.0, ASIDE)):
        given = of_page(evidence, aside, nothing + sure, nothing.astype(np.bool_), weights)[0] - weights.predict(evidence)[0]
        lowered = [ASIDE_WEIGHT * min(each / UNIT - bound, 0) for each in (-320, -400, -400)]
        assert (given[:, 0] - sure).round(9).tolist() == [0, 0, 0, *lowered]


@pytest.mark.parametrize(("page_type", "lowest"), [("article", ASIDE), ("forum", ELSEWHERE * ASIDE), ("service", ELSEWHERE * ASIDE)])
def test_a_short_text_with_the_words_of_an_aside_is_less_probable_by_page_type(page_type, lowest):
    length, aside = [2, 3, 45, 46, 20, 20, 20, 20], np.array([-300] * 5 + [-120, 200, -300])
    evidence = np.zeros((len(length), len(COLUMNS)), dtype=np.float32)
    evidence[:, COLUMNS.index("words")] = length
    evidence[7, COLUMNS.index("in item")] = 1
    nothing, weights = np.zeros(len(length)), typed(page_type)
    given = of_page(evidence, aside, nothing - 20, nothing.astype(np.bool_), weights)[0] - weights.predict(evidence)[0]
    lowered = ASIDE_WEIGHT * min(-300 / UNIT - lowest, 0)
    assert (given[:, 0] + 20).round(9).tolist() == [lowered if block in (1, 2, 4) else 0 for block in range(len(length))]
    assert not given[:, 1:].any()


@pytest.mark.parametrize(
    ("told", "aside"),
    [
        ("Ships from {0} towns brought wood and salt to the harbour.", "Subscribe to our newsletter and get the best stories every week."),
        ("来自{0}个城镇的船只把木材和盐运到这个港口，供当地居民使用。", "更多精彩内容，请扫描下方二维码关注我们的公众号。"),
        ("来自{0}个城镇的船只把木材和盐运到这个港口，供当地居民使用。", "长按识别二维码，关注苇塘公众号"),
        ("Ships from {0} towns brought wood and salt to the harbour.", "You have three free articles left this month."),
        ("Schiffe aus {0} Städten brachten Holz und Salz an den Kai im Norden.", "Folgen Sie uns auf Mastodon!"),
        ("Корабли из {0} городов привозили лес и соль в гавань на севере.", "Подпишитесь на наш канал, там всё первым"),
        ("{0}の町からの船が木材と塩を運び、鰊と羊毛を持ち帰った。", "この記事は有料会員限定です（残り300字）"),
    ],
)
def test_a_paragraph_that_asks_to_subscribe_is_no_main_text(told, aside):
    paragraphs = [f"<p>{told.format(number)} {told.format(number + 20)}</p>" for number in range(8)]
    page = f"<article><h1>Salt</h1>{''.join(paragraphs[:4])}<p>{aside}</p>{''.join(paragraphs[4:])}</article>"
    probability = predict(tamis.parse(page)).probability
    assert probability[5] < 0.5
    assert np.delete(probability, (0, 5)).min() > 0.9


def test_text_among_headings_that_link_to_themselves_is_more_probable():
    section = "<h2 id=r{0}>Of reeds {0}<a href='#r{0}'>¶</a></h2><p>Reeds grow in calm water. <p><a href=/cut>They are cut.</a>"
    page = "<nav><p>Home</nav><main><h1>Reeds</h1>{0}</main><footer><p>Shore</footer>"
    tree = tamis.parse(page.format("".join(section.format(number) for number in range(MANUAL_BLOCKS // 3))))
    blocks = text_blocks(tree)
    anchored = among_anchors(tree, blocks)
    assert anchored.tolist() == [False, False, *[True] * (len(blocks) - 3), False]
    manual, article = (predict(tree, weights=typed(page_type)) for page_type in ("documentation", "article"))
    given = (manual.log_odds - article.log_odds).round(6).tolist()
    assert given[2:-1] == [AMONG_ANCHORS, AMONG_ANCHORS, 0] * (MANUAL_BLOCKS // 3)
    few = tamis.parse(page.format("".join(section.format(number) for number in range(LEAST_ANCHORS - 1))))
    assert not among_anchors(few, text_blocks(few)).any()


def test_a_heading_with_the_attribute_of_a_link_is_no_link_to_itself():
    page = tamis.parse("<main>" + '<h2 href="#a">Reeds</h2><p>Reeds grow where the water is calm.</p>' * MANUAL_BLOCKS + "</main>")
    assert not among_anchors(page, text_blocks(page)).any()


@settings(max_examples=40, deadline=None)
@given(MARKUP, st.integers(0, 99))
def test_nodes_get_what_their_blocks_get(page, seed):
    tree, dice = tamis.parse(page), np.random.default_rng(seed)
    judged = predict(tree)
    count = len(judged.blocks)
    if not count:
        return
    judged = replace(judged, probability=dice.random(count), roles=dice.random((count, 3)))
    vars(judged)["keep"] = dice.random(count) < 0.5
    of_block = dice.integers(0, 3, count).astype(np.uint8)
    of_site = (Reason("template", Cause.TEMPLATE), Reason("outside", Cause.OUTSIDE))
    found, title = selection_of(tree, judged, (of_block, of_site)), judged.keep & (judged.probability < judged.threshold)
    steps = (judged.probability * 20).round().astype(np.uint8)
    left_out = np.where(of_block > 0, len(REASONS) - 1 + of_block, steps)
    reason = np.where(title, 42, np.where(judged.keep, steps + 21, left_out)).astype(np.uint8)
    kinds = (np.arange(256) >= 21) & (np.arange(256) <= 42)
    plain = plain_spread(tree, judged.blocks, reason, 43, 44, kinds.astype(np.uint8))
    assert found.reason.tolist() == plain.tolist()
    assert found.keep.tolist() == kinds[plain].tolist()
    read, length = ranges(judged.blocks.first, judged.blocks.last)[1], judged.blocks.last - judged.blocks.first
    likely = np.where(judged.roles.max(axis=1) >= 0.5, judged.roles.argmax(axis=1) + 1, 0)
    for name, value in (("probability", judged.probability), ("role", likely)):
        wanted = np.zeros(len(tree))
        wanted[tree.text_nodes[read]] = value.repeat(length)
        assert found.scores[name].tolist() == wanted.tolist()
