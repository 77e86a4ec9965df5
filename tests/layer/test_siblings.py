"""Which links lead to same-layer pages, and which to the same article."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import parse
from tamis.errors import SourceError, UsageError
from tamis.io.addresses import read_address
from tamis.io.pages import BrokenSource, HeldPage
from tamis.io.sources import open_sources
from tamis.layer.siblings import SeenPage, choose_siblings, rank_siblings, same_article, same_article_address, shared_text
from tamis.page.hyperlinks import hyperlinks, robots_meta

HOST = "https://example.org"


def ranked(page: str, *links: str) -> list[str]:
    return [sibling.url.removeprefix(HOST) for sibling in rank_siblings(HOST + page, [HOST + link for link in links])]


def test_pages_of_the_same_folder_come_first():
    assert ranked("/news/a-b.html", "/c-d.html", "/forum/e-f.html", "/news/g-h.html") == ["/news/g-h.html", "/forum/e-f.html", "/c-d.html"]


def test_numbers_and_slugs_are_what_differs_within_a_pattern():
    links = ["/about/", "/2021/07/", "/2019/11/30/another-tide/", "/tag/sea/", "/2020/"]
    assert ranked("/2020/05/04/the-tide-turns/", *links)[0] == "/2019/11/30/another-tide/"
    links = ["/index.php?page_id=2", "/index.php?article=9", "/login.php"]
    assert ranked("/index.php?article=7", *links)[0] == "/index.php?article=9"


def test_titles_come_before_menus():
    assert ranked("/a-tide-that-turned-late/", "/about-us/", "/privacy/", "/how-the-lamps-were-lit/")[0] == "/how-the-lamps-were-lit/"


def test_longer_shared_prefixes_come_first():
    links = ["/b/x/one-two.html", "/a/y/three-four.html"]
    assert ranked("/a/x/five-six.html", *links) == ["/a/y/three-four.html", "/b/x/one-two.html"]


def test_what_is_no_sibling_is_left_out():
    others = [
        "https://elsewhere.example/news/a.html",
        HOST + "/news/b.pdf",
        HOST + "/news/tide.html#part",
        HOST + "/news/tide_2.html",
        "http://[",
    ]
    assert rank_siblings(HOST + "/news/tide.html", others) == []


def test_a_link_counts_once():
    assert ranked("/a/tide.html", "/a/lamp.html", "/a/lamp.html#x", "/a/lamp.html?utm_source=y") == ["/a/lamp.html"]


@pytest.mark.parametrize(
    ("page", "other"),
    [
        ("/tide.html", "/tide_2.html"),
        ("/tide_2.html", "/tide_3.html"),
        ("/tide.html", "/tide-2.html"),
        ("/tide", "/tide?page=2"),
        ("/tide?page=2&x=1", "/tide?x=1"),
        ("/story.php?id=5", "/story.php?id=5&page=3"),
        ("/2020/the-tide/", "/2020/the-tide/2/"),
        ("/2020/the-tide/", "/2020/the-tide/page/2/"),
        ("/2020/the-tide/page/3/", "/2020/the-tide/page/2/"),
        ("/tide-p2.html", "/tide.html"),
        ("/tide/page-2", "/tide/"),
        ("/news/123/", "/news/123/2/"),
        ("/topic?t=1", "/topic?t=1&start=20"),
        ("/tide/", "/tide/amp/"),
        ("/tide/", "/tide/?print=1"),
        ("/tide/", "/tide/comment-page-1/"),
        ("/", "/index.html"),
        ("/a/?PHPSESSID=1", "/a/?PHPSESSID=2"),
    ],
)
def test_parts_and_views_of_an_article_are_known_by_their_addresses(page, other):
    assert same_article_address(HOST + page, HOST + other)
    assert same_article_address(HOST + other, HOST + page)


@pytest.mark.parametrize(
    ("page", "other"),
    [
        ("/tide.html", "/lamp.html"),
        ("/node/12/", "/node/13/"),
        ("/archives/12", "/archives/13"),
        ("/story.php?id=5", "/story.php?id=6"),
        ("/tide-2010.html", "/tide-2011.html"),
        ("/0001.html", "/0002.html"),
        ("/topic?p=4711", "/topic?p=4712"),
        ("/?p=12", "/?p=13"),
        ("/news/tide_2.html", "/blog/tide_3.html"),
        ("/2020/05/04/tide/", "/2020/05/05/tide/"),
        ("/ch02-01-tide.html", "/ch02-02-lamp.html"),
    ],
)
def test_other_articles_are_not_mistaken_for_parts(page, other):
    assert same_article_address(HOST + page, HOST + other) is None


def html(*paragraphs: str, around: str = "") -> str:
    return (
        "<html><body><ul><li><a href=/>Home</a></ul><article>"
        + "".join(f"<p>{text}</p>" for text in paragraphs)
        + f"</article>{around}</body></html>"
    )


def seen(path: str, *paragraphs: str, around: str = "") -> SeenPage:
    return SeenPage(parse(html(*paragraphs, around=around)), HOST + path)


def told(topic: str, count: int = 12) -> list[str]:
    return [f"Sentence {n} about {topic} says that the {topic} of day {n * 7} was {n} spans high and went on." for n in range(count)]


def test_next_and_previous_pages_are_of_the_same_article():
    page = seen("/a", *told("tide"), around="<a rel=next href=/b>Next</a>")
    other = seen("/b", *told("lamp"))
    assert same_article(page, other) == same_article(other, page) == "one page calls the other its next or previous page"
    assert same_article(page, seen("/c", *told("lamp"))) is None


def test_pages_that_share_their_text_are_of_the_same_article():
    whole = seen("/whole", *told("tide"), *told("lamp"))
    part = seen("/part", *told("tide"))
    assert shared_text(whole, part) == shared_text(part, whole) == 1.0
    assert same_article(whole, part) == "100% of the main text is the same"
    assert same_article(part, seen("/other", *told("lamp"))) is None


def test_text_without_spaces_between_words_is_compared_too():
    first = [f"第{n}天的潮水比昨天高了一些，渔民们在码头上等着船回来。" for n in "一二三四五六七八"]
    second = [f"图书馆的灯在第{n}个晚上亮到很晚，读书的人都不愿意离开。" for n in "一二三四五六七八"]
    assert shared_text(seen("/a", *first), seen("/b", *first)) == 1.0
    assert shared_text(seen("/a", *first), seen("/b", *second)) < 0.5


def test_pages_with_hardly_any_text_share_nothing():
    assert shared_text(seen("/a", "A line."), seen("/b", "A line.")) == 0.0


def test_siblings_are_chosen_among_pages_at_hand():
    pages = {"/news/tide-one.html": "tide", "/news/tide-one_2.html": "rest", "/news/a-lamp.html": "lamp", "/news/copy-it.html": "tide"}
    pages |= {"/news/last-boat.html": "boat", "/forum/a-knot.html": "knot"}
    held = [HeldPage(HOST + path, html(*told(topic)), HOST + path) for path, topic in pages.items()]
    broken = BrokenSource(HOST + "/broken", "it is broken")
    layer = choose_siblings(held[0], [broken, *held], 3)
    assert [page.url for page in layer.pages] == [
        HOST + path for path in ("/news/a-lamp.html", "/news/last-boat.html", "/forum/a-knot.html")
    ]
    assert layer.passed[0] == (HOST + "/news/copy-it.html", "may be of the same article: 100% of the main text is the same")


def test_siblings_are_chosen_among_the_files_of_a_folder(tmp_path):
    for name, topic in {"a.html": "tide", "b.html": "lamp", "c.html": "boat", "deep/d.html": "knot"}.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html(*told(topic)), encoding="utf-8")
    page, *others = open_sources([tmp_path / "site"])
    layer = choose_siblings(page, [page, *others], 2)
    assert [seen.source.name.rpartition("/")[2] for seen in layer.pages] == ["b.html", "c.html"]
    alone = choose_siblings(HeldPage("tide", html(*told("tide")), HOST + "/tide"), [page, *others], 2)
    assert [seen.source.name.rpartition("/")[2] for seen in alone.pages] == ["b.html", "c.html"]


def test_mistakes_are_named():
    with pytest.raises(UsageError, match="k must be 1 or more"):
        choose_siblings(HeldPage("a", "<p>a"), [], 0)
    with pytest.raises(SourceError):
        choose_siblings(BrokenSource("a", "it is broken"), [])


def test_links_are_resolved_and_say_what_the_page_says_of_them():
    tree = parse(
        "<base href='/docs/'><link rel=stylesheet href=a.css><link rel='alternate' type='application/rss+xml' href=/feed>"
        "<a href='b.html' rel='NoFollow external'>b</a><a href='#c'>c</a><a href='javascript:d()'>d</a><a>e</a><a href='http://['>f</a>"
        "<area href='g'><a href=' h\n.html '>h</a>"
    )
    links = hyperlinks(tree, HOST + "/x/y.html")
    assert [link.url.removeprefix(HOST) for link in links] == ["/feed", "/docs/b.html", "/docs/", "/docs/g", "/docs/h.html"]
    assert [link.is_feed for link in links] == [True, False, False, False, False]
    assert links[1].rel == {"nofollow", "external"}


@pytest.mark.parametrize("content", ["0; url=/new", "5;URL='/new'", "0;url=&quot;/new&quot;", "0 , url = /new", "1.5;/new"])
def test_a_page_that_moves_on_links_to_where(content):
    tree = parse(f'<meta http-equiv=Refresh content="{content}">')
    assert [link.url for link in hyperlinks(tree, HOST + "/old")] == [HOST + "/new"]


def test_a_page_that_reloads_itself_links_nowhere():
    assert hyperlinks(parse("<meta http-equiv=refresh content=30><meta name=x content='0;url=/y'>"), HOST) == []


def test_links_without_an_address_are_the_absolute_ones():
    assert [link.url for link in hyperlinks(parse("<a href=/a>a</a><a href=https://example.org/b>b</a>"))] == [HOST + "/b"]


def test_robots_are_asked_in_meta_elements():
    assert robots_meta(parse("<meta name=ROBOTS content='NoIndex, nofollow'><meta name=x content=none>")) == {"noindex", "nofollow"}


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_address_is_too_odd(one, other):
    for url in (one, "https://example.org/" + one):
        read_address(url)
        rank_siblings(url, [other, "https://example.org/" + other])
        same_article_address(url, other)
        hyperlinks(parse(f"<a href='{one}'>x</a>"), other)


@pytest.mark.parametrize("name", [chr(0xDCFF), chr(0xD800)])
def test_names_that_are_not_utf8_are_ranked(name):
    other = HeldPage(name, "<p>Reeds grow where the water is calm.")
    layer = choose_siblings(HeldPage("a", "<p>Oysters."), [other], 1)
    assert len(layer.pages) + len(layer.passed) == 1


@pytest.mark.parametrize(
    "stub",
    [
        "<meta http-equiv=refresh content='0; url=/new'><p>This page has moved. Follow <a href=/new>the link</a>.",
        "<script>location = '/new'</script>",
        "<script>location = '/new'</script><h1>Moved</h1><p>Go <a href=/new>here</a>, or <a href=/new>here</a>.",
        "<h1>301 Moved Permanently</h1>The document has moved <a href=/new>here</a>.<hr>",
        "",
    ],
)
def test_redirect_stubs_and_empty_pages_are_no_siblings(stub):
    page, *others = (HeldPage(name, html(*told(name)), f"{HOST}/{name}") for name in ("tide", "quay"))
    stubs = [HeldPage(f"old{n}", stub, f"{HOST}/old{n}") for n in range(3)]
    layer = choose_siblings(page, [page, *stubs, *others], 3)
    assert [each.name for each in layer.pages] == [f"{HOST}/quay"]
    assert len(layer.passed) == 3
