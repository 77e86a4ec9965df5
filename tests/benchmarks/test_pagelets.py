from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.pagelets import learn, pagelets, select, shingles
from tamis import PageTree, parse


def menu(*names: str) -> str:
    return "<ul>" + "".join(f"<li><a href=/{name}>{name}</a>" for name in names) + "</ul>"


def kept(page: PageTree, selection) -> list[str]:
    return [text.strip() for text, node in zip(page.texts, page.text_nodes, strict=True) if selection.keep[node]]


SITE = [parse(f"<body><nav>{menu('home', 'news', 'about')} Menu</nav><p>{name} <a href=/x>one link</a></p>") for name in ("ants", "bees")]


def test_pagelet_is_the_smallest_element_with_enough_links() -> None:
    page = parse(f"<body><div>{menu('a', 'b', 'c')}<p><a href=/d>d</a></p></div><div><a href=/e>e</a><a href=/f>f</a></div>")
    assert [page.name(node) for node in pagelets(page)] == ["ul"]
    assert [page.name(node) for node in pagelets(page, links=2)] == ["ul", "div"]
    assert [page.name(node) for node in pagelets(page, links=7)] == []
    assert [page.name(node) for node in pagelets(page, links=6)] == ["body"]


@given(
    st.recursive(
        st.sampled_from(["text", "<a href=/>link</a>"]),
        lambda inner: st.lists(inner, max_size=4).map(lambda made: f"<div>{''.join(made)}</div>"),
    )
)
def test_no_pagelet_lies_inside_another_and_each_has_its_links(html: str) -> None:
    page = parse(html)
    found = pagelets(page, links=2).tolist()
    plain = [
        node
        for node in range(len(page))
        if page.link[node : page.end[node]].sum() >= 2
        and all(page.link[child : page.end[child]].sum() < 2 for child in page.children(node))
    ]
    assert found == plain
    assert all(page.end[one] <= other for one, other in pairwise(found))


def test_menu_on_all_pages_goes_and_the_rest_stays() -> None:
    model = learn(SITE)
    assert kept(SITE[0], select(SITE[0], model)) == ["Menu", "ants", "one link"]
    assert select(SITE[0], model).why(int(SITE[0].text_nodes[0])) == "in a template pagelet"


def test_pagelet_of_one_page_is_kept() -> None:
    pages = [parse(menu("red", "green", "blue")), parse(menu("one", "two", "three", "four"))]
    selection = select(pages[0], learn(pages))
    assert kept(pages[0], selection) == ["red", "green", "blue"]
    assert selection.why(int(pages[0].text_nodes[0])) == "in a pagelet of this page alone"


def test_number_of_pages_that_make_a_template_is_a_setting() -> None:
    assert kept(SITE[0], select(SITE[0], learn(SITE), min_pages=3))[0] == "home"


def test_small_changes_leave_most_shingles_as_they_are() -> None:
    names = [f"word{k}" for k in range(200)]
    one, other, third = parse(menu(*names)), parse(menu(*names[:-1], "new")), parse(menu(*names[::-1]))
    a, b, c = (shingles(page, pagelets(page), minima=1)[0] for page in (one, other, third))
    assert a == b
    assert a != c


def test_pagelets_without_words_are_in_no_group() -> None:
    pages = [parse("<p>" + "<a href=/><img src=x></a>" * 3)] * 2
    assert learn(pages).shingle.tolist() == []
    assert select(pages[0], learn(pages)).keep[-1]


def test_a_repeat_on_one_page_is_no_template() -> None:
    page = parse(f"<div>{menu('a', 'b', 'c')}</div><div>{menu('a', 'b', 'c')}</div>")
    assert learn([page]).pages.tolist() == [1]


@pytest.mark.parametrize("html", ["", "text", "<p>", "<a href=/>a</a>"])
def test_odd_pages_are_kept(html: str) -> None:
    page = parse(html)
    assert kept(page, select(page, learn([page, page]))) == [text.strip() for text in page.texts]
