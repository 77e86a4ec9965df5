"""The templates of all sites that a run's pages are of."""

import os
import random

import pytest

from tamis.corpus.batch import Cleaning, clean_page
from tamis.io.addresses import Patterns
from tamis.io.pages import BrokenSource, FilePage, HeldPage, WebPage
from tamis.io.sources import open_sources
from tamis.page.parsing import parse
from tamis.site.digest import digest
from tamis.site.sites import choose_sources, learn_sites, refused, several_templates, site_of, spread_over_layouts

from .pages import article, sentence


def sources(host, count, **made):
    return [HeldPage(f"{host}/{number}", article(number, **made), f"https://{host}/{number}") for number in range(count)]


def test_a_site_is_a_host():
    assert site_of(HeldPage("a", "", "https://Example.org:443/x")) == "example.org"
    assert site_of(HeldPage("a", "", "http://www.Example.org:8080/x")) == "example.org:8080"
    assert site_of(HeldPage("a", "", "http://www.example.org/x")) == "example.org"
    assert site_of(HeldPage("lines.jsonl:7", "")) == "lines.jsonl"
    assert site_of(HeldPage("x", "", "http://[bad")) == "http://[bad"


@pytest.mark.parametrize(
    ("path", "site"),
    [
        ("www.Example.org/news/a.html", "example.org"),
        ("127.example.org:8000/a.html", "127.example.org:8000"),
        ("example.org+8000/a.html", "example.org:8000"),
        ("münchen.example/a.html", "münchen.example"),
        ("news/example.org/a.html", "/crawl"),
        ("example.org.html", "/crawl"),
        ("about.html/index.html", "/crawl"),
        ("page.files/frame.html", "/crawl"),
        ("docs.old/a.html", "/crawl"),
        ("site.2019-backup/a.html", "/crawl"),
        ("release.v2/a.html", "/crawl"),
        ("example.xn--p1ai/a.html", "example.xn--p1ai"),
        ("example.рф/a.html", "example.рф"),
        ("shop.backup.example/a.html", "shop.backup.example"),
        ("1.12/a.html", "/crawl"),
        ("a.html", "/crawl"),
    ],
)
def test_a_folder_that_is_called_like_a_host_is_a_site(path, site):
    assert site_of(FilePage(f"crawl/{path}", f"/crawl/{path}", "/crawl")) == site


def test_the_path_of_a_file_whose_name_is_no_unicode_has_its_bytes():
    name = os.fsdecode(b"caf\xe9/a b.html")
    assert refused(FilePage(name, f"/crawl/{name}", "/crawl"), Patterns(exclude=("/caf%E9/*",))) == "/caf%E9/a%20b.html"


def test_a_folder_with_pages_of_several_hosts_is_named(tmp_path):
    for host, count in (("www.a.org", 6), ("b.org", 3), ("c.org", 2)):
        for number in range(count):
            link = f"<link rel=canonical href=https://{host}/{number}>"
            (tmp_path / f"{host}-{number}.html").write_text(link + article(number), encoding="utf-8")
    assert learn_sites(open_sources([tmp_path]))[1] == {str(tmp_path): "a.org, b.org"}
    assert learn_sites(open_sources([tmp_path / "*a.org*"]))[1] == {}
    assert learn_sites([*sources("a.org", 8), *sources("b.org", 8)])[1] == {}


def test_every_site_has_its_template():
    models, _ = learn_sites([*sources("a.org", 8), *sources("b.org", 8)])
    assert sorted(models) == ["a.org", "b.org"]
    record = clean_page(sources("a.org", 1)[0], Cleaning(models=models))
    assert record.status == "ok"
    assert "Copyright" not in record.text


def test_too_few_pages_make_no_site():
    assert learn_sites(sources("a.org", 4)) == ({}, {})


def test_pages_that_share_no_layout_make_no_site():
    rng = random.Random(0)
    names = [" ".join(f"{kind}-{'abcdefghij'[n]}" for kind in "klmnopqr") for n in range(10)]
    strangers = [HeldPage(f"{n}", f"<div class='{own}'><p>{sentence(rng)}</div>") for n, own in enumerate(names)]
    assert learn_sites(strangers) == ({}, {})


def test_nothing_is_fetched_to_learn():
    assert learn_sites(WebPage(f"http://127.0.0.1:9/{n}") for n in range(9)) == ({}, {})


def test_the_choice_of_pages_does_not_depend_on_their_order():
    pages = sources("a.org", 60)
    assert choose_sources(pages, 5) == choose_sources(reversed(pages), 5)
    assert len(choose_sources(pages, 5)) == 20


def test_every_layout_has_its_share():
    posts = [article(number) for number in range(20)]
    shop = [
        f"<body><table class=shop><tr class=item><td class=price>{n}<td class=name>{sentence(random.Random(n))}</table>" for n in range(3)
    ]
    from tamis import parse

    chosen = spread_over_layouts([digest(parse(page)).digest for page in [*posts, *shop]], 6)
    assert len(chosen) == 6
    assert sum("table\t.shop" in page.names for page in chosen) == 3


@pytest.mark.parametrize(
    ("source", "include", "exclude", "wanted"),
    [
        (HeldPage("a", "", "https://example.org/news/a?b=1#c"), ("/news/*",), (), True),
        (HeldPage("a", "", "https://example.org/news/a?b=1"), ("/news/*",), ("*b=1",), False),
        (HeldPage("a", "", "https://example.org/news/a"), ("https://example.com/*",), (), False),
        (HeldPage("a", "", "https://example.org"), ("/",), (), True),
        (HeldPage("a", "", "http://[bad"), ("*",), (), False),
        (HeldPage("a", "", "http://[bad"), (), ("/news/*",), True),
        (HeldPage("lines.jsonl:7", ""), ("/news/*",), (), False),
        (HeldPage("lines.jsonl:7", ""), (), ("/lines/*",), True),
        (HeldPage("lines.jsonl:7", ""), ("/lines/*",), (), False),
        (FilePage("a", "/crawl/news/a.html", "/crawl"), ("/news/*",), (), True),
        (FilePage("a", "/crawl/www.example.org/news/a.html", "/crawl"), ("/news/*",), (), True),
        (FilePage("a", "/crawl/news/a.html", "", "/crawl"), ("/news/*",), (), True),
        (FilePage("a", "/crawl/news/a.html"), ("/news/*",), (), False),
        (FilePage("a", "/crawl/News/a.html", "/crawl"), ("/news/*",), (), False),
        (BrokenSource("a", "damaged"), ("/news/*",), (), True),
        (BrokenSource("a", "damaged", "http://a.test/"), ("/news/*",), (), False),
    ],
)
def test_a_page_is_wanted_by_its_address_or_else_by_its_path(source, include, exclude, wanted):
    assert (refused(source, Patterns(include, exclude)) is None) is wanted


def other_site(number):
    """A page of another site, with another build and other repeated texts."""
    text = "".join(f"<section><p>{sentence(random.Random(100 * number + k), 30)}</p></section>" for k in range(4))
    return f"""<html><body><header><h2>Notes from the mill</h2><span>Flour, water, salt</span></header>
<article><h1>Note {number}</h1>{text}</article>
<footer><span>The mill is closed on Mondays</span><span>Write to the miller</span><span>Made by hand</span></footer></body></html>"""


def test_sites_without_a_template_in_common_are_told_apart():
    one = [digest(parse(article(number))).digest for number in range(12)]
    layouts = [digest(parse(article(number, layout="tag", paragraphs=1))).digest for number in range(8)]
    other = [digest(parse(other_site(number))).digest for number in range(7)]
    assert several_templates([*one, *other]) == "groups of 12, 7 pages without a template in common"
    assert several_templates([*one, *layouts, *other]).startswith("groups of 20, 7 pages")
    assert several_templates([*one, *layouts]) == several_templates(one) == several_templates([*one, *other[:3]]) == ""


def test_a_folder_of_two_sites_is_named(tmp_path):
    for number in range(8):
        (tmp_path / f"a{number}.html").write_text(article(number), encoding="utf-8")
        (tmp_path / f"b{number}.html").write_text(other_site(number), encoding="utf-8")
    _, mixed = learn_sites(open_sources([tmp_path]))
    assert mixed == {str(tmp_path): "groups of 8, 8 pages without a template in common"}
    pages = [*map(article, range(8)), *map(other_site, range(8))]
    known = [HeldPage(f"{n}", page, f"https://example.org/{n}") for n, page in enumerate(pages)]
    assert learn_sites(known)[1] == {}
