"""Every number of the five papers: a test fails when it changes, by the settings and by what they do at the number itself."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.attenuation import PAPER_THRESHOLD, THRESHOLDS
from benchmarks.exactness import is_right
from tamis import Attenuation, Denoising, Matching, Papers, RecordSettings, SameLayer, denoise, parse
from tamis.content.attenuation import select
from tamis.duplicates.feature_code import CodeSettings, FeatureCode, compare, feature_code
from tamis.duplicates.forest import FeatureCodeForest
from tamis.layer.judging import judge
from tamis.layer.places import LayerPage
from tamis.layer.siblings import Layer, SeenPage
from tamis.page import tags
from tamis.papers.method import page_kind
from tamis.papers.report import report
from tamis.records.finding import find_records
from tamis.segmentation import SegmentSettings
from tamis.site.style_tree import (
    Importance,
    StyleCleaning,
    StyleSettings,
    StyleTree,
    StyleTreeMethod,
    importance,
    meaningful,
    noisy,
    places,
)
from tamis.structure.clusters import cluster
from tamis.structure.shapes import Shaping

# -- 1: same-layer pages (Yuan 2006) -----------------------------------------------------------------------------------


def test_paper_1_settings():
    paper = Denoising.paper()
    assert paper.judging == SameLayer.paper()
    assert paper.segmentation == Denoising().segmentation == SegmentSettings(pdoc=5, articles=0)
    assert paper.judging.matching == Matching.paper() == Matching()
    assert (paper.judging.matching.tag_similarity, paper.judging.matching.text_similarity) == (0.8, 0.6)
    assert paper.judging.min_support == 1
    assert not paper.judging.numbers_alike
    rules = ("repeated_share", "container_share", "slot_share", "left_share")
    assert [getattr(paper.judging, rule) for rule in rules] == [None] * 4


def is_noise(block: str, other: str) -> bool:
    """Whether a block is noise by a same-layer page that has another one."""
    page, sibling = (LayerPage(parse(f"<body>{html}</body>"), SameLayer.paper()) for html in (block, other))
    root = page.tree.tag.tolist().index(page.tree.names.index("div"))
    (verdict,) = judge(page, [(root,)], [sibling], SameLayer.paper())
    return verdict.noise


@pytest.mark.parametrize(("tags", "noise"), [("biub", True), ("biux", True), ("bixx", False)])
def test_alpha_is_at_least_four_fifths_of_the_nodes(tags, noise):
    block, other = (f"<div>{''.join(f'<{tag}></{tag}>' for tag in each)}</div>" for each in ("biub", tags))
    assert is_noise(block, other) == noise


@pytest.mark.parametrize(("same", "noise"), [(6, True), (5, False)])
def test_beta_is_at_least_six_tenths_of_the_words(same, noise):
    words = "ada bert carl dora emil finn gert hans ida jana".split()
    others = [*words[:same], *(f"{word}x" for word in words[same:])]
    block, other = (f"<div>{''.join(f'<b>{word}</b>' for word in each)}</div>" for each in (words, others))
    assert is_noise(block, other) == noise


@pytest.mark.parametrize(("between", "noise"), [(3, True), (4, False)])
def test_max_is_three_subtrees_that_one_slide_may_skip(between, noise):
    menu = "<div><u>home</u>{}<i>news</i><s>boats</s><b>tides</b></div>"
    assert is_noise(menu.format(""), menu.format("<q>new</q>" * between)) == noise


def test_the_next_page_of_an_article_is_not_compared_with_it():
    first, second = (SeenPage(parse(f"<body><div><b>tide</b></div><p>{k}"), f"https://example.org/news/tides{k}.html") for k in ("", "_2"))
    assert denoise(first, [second]).passed == ((second.name, "the addresses are those of parts 1 and 2 of one article"),)


# -- 2: attenuation (Chen 2012) ----------------------------------------------------------------------------------------


def test_paper_2_settings():
    paper = Attenuation.paper()
    assert (paper.threshold, paper.link_density, paper.trim) == (0.34, 0.65, "every")
    assert (Attenuation().threshold, Attenuation().link_density) == (0.34, 0.65)
    assert PAPER_THRESHOLD == 0.34
    assert tuple(round(0.2 + 0.02 * k, 2) for k in range(16)) == THRESHOLDS


@pytest.mark.parametrize(("beside", "depth"), [(34, 3), (35, 2)])
def test_the_descent_goes_on_up_to_t_and_stops_above(beside, depth):
    tree = parse(f"<body><div>{'a' * (100 - beside)}</div><p>{'b' * beside}</p></body>")
    assert len(select(tree).trail) == depth + (depth == 3)  # below the div, its text


@pytest.mark.parametrize(("linked", "kept"), [(65, True), (66, False)])
def test_nodes_above_dl_max_are_removed(linked, kept):
    links = f"<a href=/1>{'a' * (linked - 1)}</a><a href=/2>b</a>"
    tree = parse(f"<body><p>{'x' * 200}</p><p>{'y' * 200}</p><p>{links}{'c' * (100 - linked)}</p></body>")
    keep = select(tree, Attenuation.paper()).keep
    assert bool(keep[tree.text_nodes[-1]]) == kept
    assert bool(select(tree).keep[tree.text_nodes[-1]]) == kept


@pytest.mark.parametrize("tag", "script style select option iframe textarea object input".split())
def test_what_stands_in_the_tags_that_the_paper_names_is_no_text(tag):
    assert tags.CODE[tag] in tags.UNSEEN


def test_attenuation_is_the_share_of_the_parent_not_of_the_page():
    tree = parse(f"<body><div><p>{'a' * 60}</p><p>{'b' * 30}</p></div><div>{'c' * 30}</div></body>")
    assert [round(step.attenuation, 2) for step in select(tree).trail] == [0, 0.25, 0.33, 0, 1]  # 30 of 120, then 30 of 90


def test_a_page_is_right_with_one_tenth_more_of_other_text():
    gold = "tide " * 25
    assert is_right(f"{'a' * 10}. {gold}", gold)
    assert not is_right(f"{'a' * 11}. {gold}", gold)


# -- 3: structural similarity (Song 2011) ------------------------------------------------------------------------------


def test_paper_3_settings():
    assert RecordSettings.paper() == RecordSettings(threshold=0.8, of_one_kind=False)
    assert RecordSettings().threshold == 0.8
    paper = Shaping.paper()
    assert (paper.labels, paper.ordered, paper.texts, set(paper.drop)) == ("tag", False, False, {"script", "style", "br"})


def test_a_record_is_more_similar_than_st():
    key = "<li><b>1</b><i>2</i></li>"  # 3 nodes
    like, unlike = "<li><b>1</b><i>2</i><u>3</u></li>", "<li><b>1</b><u>3</u></li>"  # 6/7 and 4/6
    at_st = "<li><b>1</b><u>3</u><s>4</s><i>2</i></li>"  # (2 + 2 + 2) / 8 = 0.75
    found = find_records(f"<ul>{key}{like}{unlike}{at_st}</ul>", like="li", settings=RecordSettings.paper())
    assert len(found.regions[0]) == 2
    exact = find_records(f"<ul>{key}{at_st}</ul>", like="li", settings=RecordSettings(0.75, of_one_kind=False))
    assert len(exact.regions[0]) == 1  # figure 6: S > ST


def test_pages_of_an_average_similarity_of_four_fifths_are_one_cluster():
    assert cluster(np.array([[1, 0.8], [0.8, 1]])).tolist() == [0, 0]
    assert cluster(np.array([[1, 0.79], [0.79, 1]])).tolist() == [0, 1]


# -- 4: feature codes (Chen 2006) --------------------------------------------------------------------------------------


def test_paper_4_settings():
    paper = CodeSettings.paper()
    assert (paper.marks, paper.large, paper.small, paper.auxiliary, paper.between) == (3, 0.8, 0.2, 0.8, "different")
    assert not paper.simplified
    plain = CodeSettings()
    assert (plain.marks, plain.large, plain.small, plain.auxiliary, plain.between) == (3, 0.8, 0.2, 0.8, "different")


def test_no_record_is_inside_another():
    record = f"<div>{'<p></p>' * 20}<div><p></p><p></p></div></div>"  # its inner div is like it, too: (2 + 20 + 2) / 27
    found = find_records(f"<body>{record * 2}</body>", like="div", settings=RecordSettings.paper())
    assert len(found.regions[0]) == 2


def test_a_key_tree_is_drawn_with_its_nodes_and_a_record_is_above_st_in_the_report():
    key, at_st = "<li><b>1</b><i>2</i><u>3</u><s>4</s></li>", "<li><b>1</b><i>2</i><u>3</u><q>4</q></li>"  # (2 + 3 + 3) / 10
    page = SeenPage(parse(f"<ul>{key}{at_st}</ul>"))
    section = report(Layer(page, ()), like="li").sections[3]
    assert "1 of 2 elements li are records: Sim > ST = 0.8" in section.facts
    assert [row[0] for row in section.tables[0].rows] == [5, 1, 1, 1, 1]


def test_the_report_has_the_papers_numbers():
    page = SeenPage(parse(f"<body><div>{'a' * 66}</div><p>{'b' * 34}</p></body>"))
    one, two, three, _, five, _ = report(Layer(page, ())).sections
    assert [row[2] for row in three.tables[0].rows] == ["<=", "<=", "<=", ">"]  # 34 of 100 is lost at the body
    assert "MAX = 3" in one.facts[2]
    assert "gamma = 0.9" in two.facts[0]
    assert five.facts[1].endswith("66 / 1 = 66.0: tree 1, (50, 100]")
    alike = [SeenPage(parse(f"<body><p>same</p><p>{word}</p></body>"), word) for word in ("one", "two")]
    assert "1 noisy" in report(Layer(alike[0], (alike[1],))).sections[1].facts[1]  # two pages are evidence


def test_a_navigation_page_has_a_link_density_above_dl_max():
    page = "<body><p>{}</p><a href=/1>{}</a></body>"
    assert page_kind(parse(page.format("a" * 35, "b" * 65))) == "topic"
    assert page_kind(parse(page.format("a" * 34, "b" * 66))) == "navigation"


def test_three_punctuation_marks_of_a_paragraph_count():
    assert feature_code("one, two, three, four, five.").auxiliary == (("one", "two", "three"),)


def code(primary: str, auxiliary: str = "") -> FeatureCode:
    return FeatureCode(tuple(primary), tuple((mark,) for mark in (auxiliary or primary)), 100)


def test_an_intersection_is_large_above_four_fifths():
    assert not compare(code("abcdz"), code("abcdy")).same  # 4 of 5
    assert compare(code("abcdefghiz"), code("abcdefghiy")).same  # 9 of 10


def test_an_intersection_is_small_below_one_fifth():
    settings = CodeSettings(between="compare")
    assert compare(code("azxwv"), code("abcde"), settings).auxiliary == 1  # 1 of 5: looked at
    assert compare(code("azxwvu"), code("abcdef"), settings).auxiliary is None  # 1 of 6


def test_four_fifths_of_the_auxiliary_code_are_enough():
    whole = code("abcdef", "123456")
    assert compare(code("abcde", "12340"), whole).same  # 4 of 5
    assert not compare(code("abcde", "12300"), whole).same  # 3 of 5
    assert not compare(code("abcdefghi", "123456700"), code("abcdefghij", "1234567890")).same  # 7 of 9


def test_a_whole_main_code_is_a_large_intersection_even_if_all_is_asked_for():
    assert compare(code("abcde"), code("abcdefghij"), CodeSettings(large=1)).same


def test_shares_are_those_of_the_shorter_main_code_and_an_identical_one_is_enough():
    assert compare(code("abcde"), code("abcdefghij")).relation == "part of"
    assert compare(code("abcde", "12345"), code("abcde", "67890")).same


def test_codes_with_nothing_in_common_are_different_whatever_is_small():
    assert not compare(code("abc"), code("xyz"), CodeSettings(small=0, between="compare")).same


@pytest.mark.parametrize(("size", "tree"), [(1, 0), (50, 0), (51, 1), (100, 1), (101, 2)])
def test_trees_of_the_forest_are_intervals_of_fifty(size, tree):
    assert FeatureCodeForest().tree_of(FeatureCode(("a",), ((),), size)) == tree


def test_a_character_that_is_not_ascii_has_two_bytes():
    assert feature_code("网页去重。").size == 10
    assert feature_code("ab 网页").size == 7


# -- 5: style tree (Yi 2003) -------------------------------------------------------------------------------------------


def test_paper_5_settings():
    assert StyleSettings.paper() == StyleSettings(attributes="display", links=True, images=True)
    assert StyleCleaning.paper() == StyleCleaning(threshold=None, gamma=0.9, min_pages=2)
    assert StyleCleaning().gamma == 0.9
    assert not StyleSettings().links
    assert StyleCleaning().min_pages == 4
    assert (Papers().records, Papers().least_pages) == (RecordSettings.paper(), 4)
    assert StyleTreeMethod.paper() == StyleTreeMethod(StyleSettings.paper(), StyleCleaning.paper())
    assert Papers.paper() == Papers(
        Denoising.paper(), StyleTreeMethod.paper(), Attenuation.paper(), RecordSettings.paper(), CodeSettings.paper()
    )


def test_gamma_weighs_what_stands_below_by_nine_tenths():
    pages = [parse(f"<body><p>{word}</p></body>") for word in ("one", "two", "three", "four")]
    scores = importance(StyleTree.build(pages))
    # BODY: one style, NodeImp 0; CompImp = 0.1 * 0 + 0.9 * 1, the leaf's content being different on every page
    assert scores.composite[StyleTree.build(pages).elements.depth == 1] == pytest.approx([0.9])
    assert importance(StyleTree.build(pages), gamma=0.5).composite[StyleTree.build(pages).elements.depth == 1] == pytest.approx([0.5])


def test_display_attributes_links_and_images_count_in_the_papers_form():
    one, other = parse("<body><p align=left>x</p></body>"), parse("<body><p align=right>x</p></body>")
    assert places(one, StyleSettings.paper()).style[0] != places(other, StyleSettings.paper()).style[0]
    assert places(one).style[0] == places(other).style[0]
    pages = [parse(f"<body><a href=/{k}>more</a><img src={k}.png></body>") for k in range(4)]
    paper = importance(StyleTree.build(pages, StyleSettings.paper()))
    leaves = ~np.isnan(paper.content)
    assert paper.content[leaves].min() > 0.4


def test_two_pages_are_evidence_in_the_papers_form():
    pages = [parse("<body><p>same</p></body>")] * 2
    assert importance(StyleTree.build(pages), min_pages=StyleCleaning.paper().min_pages).content.tolist()[-1] == pytest.approx(0)
    assert importance(StyleTree.build(pages), min_pages=3).content.tolist()[-1] == pytest.approx(1)


def test_noise_has_a_comp_imp_of_at_most_t():
    scores = Importance(*[np.array([0.2, 0.5, 0.7])] * 5)
    assert noisy(scores, 0.5).tolist() == [True, True, False]
    assert meaningful(scores, 0.5).tolist() == [False, False, True]


def test_a_leaf_that_has_elements_elsewhere_is_noise_up_to_t():
    pages = [parse("<body><p>same</p></body>")] * 4 + [
        parse(f"<body><p><b>{word}</b></p></body>") for word in ("ada", "bert", "carl", "dora")
    ]
    model = StyleTreeMethod(cleaning=StyleCleaning(threshold=0.0)).learn(pages)
    assert not model.map_page(pages[0]).keep[pages[0].text_nodes].any()
    assert model.map_page(pages[4]).keep[pages[4].text_nodes].all()


def test_two_pages_are_enough_unless_told_otherwise():
    tree = StyleTree.build([parse("<body><p>same</p></body>")] * 2)
    assert importance(tree).content[-1] == 0
    assert importance(StyleTree.build([parse("<body><p>same</p></body>")])).composite.min() == 1  # m = 1


def test_entropies_have_the_number_of_pages_for_their_base():
    pages = [parse(f"<body>{'<p>x</p>' * (1 + (k > 2))}</body>") for k in range(4)]  # 3 pages of one style, 1 of another
    expected = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25)) / np.log(4)
    scores = importance(StyleTree.build(pages))
    body = StyleTree.build(pages).elements.depth == 1
    assert scores.node[body] == pytest.approx([expected])
    # two styles: the weight of what is below is 0.9 squared; there, a leaf that is the same everywhere and two that are on one page
    assert scores.composite[body] == pytest.approx([(1 - 0.81) * expected + 0.81 * (0.75 * 0 + 0.25 * 1)])


def test_an_articles_own_photo_stays():
    words = ["tide", "boat", "harbour", "lamp", "reed"]
    pages = [parse(f"<body><ul><li>Home</ul><div><img src={w}.jpg><p>A text about the {w}</div></body>") for w in words]
    model = StyleTreeMethod().learn(pages)
    photo = pages[0].tag.tolist().index(pages[0].names.index("img"))
    assert model.map_page(pages[0]).keep[photo]
