"""Addresses: canonical forms, bounds, traps; robots.txt, sitemaps, feeds, settings."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.crawl.hosts import read_robots, retry_after
from tamis.crawl.scope import Bounds, Files, pattern, trap
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.sitemaps import read_feed, read_sitemap
from tamis.errors import UsageError
from tamis.io.addresses import canonical, normalize_url

START = "https://example.org/docs/start.html"


@pytest.mark.parametrize(
    "written",
    [
        "https://EXAMPLE.org/docs/?b=2&a=1",
        "https://example.org:443/docs/?a=1&b=2#part",
        "https://example.org/docs/?a=1&utm_source=feed&b=2",
        "https://example.org/docs/;jsessionid=0A1B?a=1&b=2&PHPSESSID=99",
        " https://example.org./docs/?a=1&&b=2 ",
    ],
)
def test_one_page_has_one_address(written):
    assert canonical(written) == "https://example.org/docs/?a=1&b=2"


@given(st.from_regex(r"https?://[a-z]{1,5}\.example(:8080)?/[a-zA-Z0-9äß %/;=.~-]{0,20}(\?[a-z0-9=&é%]{0,15})?", fullmatch=True))
def test_tidying_twice_changes_nothing(url):
    assert normalize_url(normalize_url(url)) == normalize_url(url)
    assert canonical(canonical(url)) == canonical(url) == canonical(normalize_url(url))


def test_the_order_of_a_query_is_kept_in_what_is_fetched():
    assert normalize_url("http://example.org?b=2&a=1#x") == "http://example.org/?b=2&a=1"


@pytest.mark.parametrize(
    ("url", "refusal"),
    [
        ("https://example.org/docs/more.html", None),
        ("https://example.org/other.html", None),
        ("https://elsewhere.example/docs/", "another host"),
        ("https://sub.example.org/", "another host"),
        ("https://example.org:8443/", "another host"),
        ("https://example.org/a.jpg", None),  # asked for: its answer says what it is
        ("https://example.org/v1.2/notes", None),
        ("ftp://example.org/", "not of the web"),
    ],
)
def test_a_crawl_stays_on_its_host(url, refusal):
    assert Bounds(START, CrawlSettings()).refusal(url) == refusal


def test_scopes_are_wider_or_narrower():
    path, domain = (Bounds(START, CrawlSettings(scope=scope)) for scope in ("path", "domain"))
    assert path.refusal("https://example.org/docs/deep/er.html") is None
    assert path.refusal("https://example.org/blog/") == "outside of the folder"
    assert domain.refusal("https://sub.example.org/") is None
    assert domain.refusal("https://notexample.org/") == "another host"


def test_patterns_include_and_exclude():
    bounds = Bounds(START, CrawlSettings(include=("/docs/*", "https://example.org/blog/*"), exclude=("*/print/*", "/docs/*.php*")))
    assert bounds.refusal("https://example.org/docs/a") is None
    assert bounds.refusal("https://example.org/blog/a") is None
    assert bounds.refusal("https://example.org/shop/a") == "not included"
    assert bounds.refusal("https://example.org/docs/print/a") == "excluded"
    assert bounds.refusal("https://example.org/docs/a.php?b=1") == "excluded"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/" + "a/" * 4,
        "https://example.org/" + "/".join(map(str, range(30))),
        "https://example.org/?" + "&".join(f"f{n}=1" for n in range(9)),
        "https://example.org/?tag=1&tag=2&tag=3&tag=4",
        "https://example.org/" + "x" * 3000,
    ],
)
def test_addresses_of_traps_are_known(url):
    assert (trap(url) or "").startswith("trap: ")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/2026/05/04/a-day/",
        "https://example.org/a/b/a/c?x=1&y=2",
        "https://example.org/node/2999",
        "https://example.org/boats/2650/8/",
        "https://example.org/letters/1776/07/04/",
        "https://example.org/v/9001/12/photos",
        "https://example.org/4100/1",
        "https://example.org/event/4512/2/",
        "https://example.org/history/calendar/1848/05/",
        "https://example.org/books/2/2/2/2/2226/",
    ],
)
def test_addresses_of_pages_are_no_traps(url):
    assert trap(url) is None


def test_files_by_their_name_are_asked_for_until_two_of_a_kind_are_none():
    files = Files()
    images = [f"https://example.org/media/2024/0{n}/tide.jpg" for n in range(1, 6)]
    for url in images[:2]:
        assert files.refusal(url) is None
        files.note(url, is_page=False)
    assert {files.refusal(url) for url in images[2:]} == {"not a page by its name"}
    assert files.refusal("https://example.org/wiki/File:Tide.jpg") is None
    assert files.refusal("https://example.org/media/2024/01/tide.pdf") is None
    assert files.refusal("https://example.org/media/2024/01/tide") is None


def test_pages_that_are_called_like_files_are_pages():
    files = Files()
    files.note("https://example.org/wiki/File:Tide.jpg", is_page=True)
    for name in "abc":
        files.note(f"https://example.org/wiki/{name}.jpg", is_page=False)
    assert files.refusal("https://example.org/wiki/File:Quay.jpg") is None


def test_what_differs_in_numbers_or_query_is_counted_together():
    months = {pattern(f"https://example.org/calendar/{year}/{month:02}/") for year in range(2000, 2030) for month in range(1, 13)}
    filters = {pattern(f"https://example.org/shop?color={color}&{extra}=1") for color in "abc" for extra in "xyz"}
    assert (len(months), len(filters)) == (1, 1)
    assert pattern("https://example.org/2019/05/a-long-story.html") is None


@pytest.mark.parametrize(("status", "allowed"), [(200, False), (204, True), (404, True), (403, True), (301, True), (500, False)])
def test_robots_that_are_missing_allow_and_that_fail_forbid(status, allowed):
    body = b"User-agent: *\nDisallow: /" if status == 200 else b""
    assert read_robots(status, body, "https://example.org/robots.txt").allows("https://example.org/a") is allowed


def test_robots_address_the_crawler_by_its_name():
    body = b"User-agent: *\nDisallow: /\n\nUser-agent: Tamis\nDisallow: /*.cgi$\nAllow: /\nCrawl-delay: 2.5\nSitemap: /map.xml\n"
    robots = read_robots(200, body, "https://example.org/robots.txt")
    assert robots.allows("https://example.org/a")
    assert not robots.allows("https://example.org/x.cgi")
    assert (robots.delay, robots.sitemaps) == (2.5, ("https://example.org/map.xml",))


@pytest.mark.parametrize("group", ["tamis/1.0", "tamis/1.0 (+https://example.org/)", "tamis"])
def test_robots_may_name_a_version_of_the_crawler(group):
    robots = read_robots(
        200, f"User-agent: {group}\nDisallow: /in\n\nUser-agent: *\nDisallow: /\n".encode(), "https://example.org/robots.txt"
    )
    assert [robots.allows(f"https://example.org{path}") for path in ("/in", "/out")] == [False, True]


def test_a_site_has_one_host_with_and_without_www():
    with_www, bare = (Bounds(f"https://{host}/", CrawlSettings()) for host in ("www.example.org", "example.org"))
    for bounds in (with_www, bare):
        refusals = [
            bounds.refusal(f"https://{host}/a") for host in ("www.example.org", "example.org", "blog.example.org", "example.org:81")
        ]
        assert refusals == [None, None, "another host", "another host"]
    assert Bounds("https://www.test/", CrawlSettings(scope="domain")).refusal("https://shop.test/") == "another host"


def test_robots_may_begin_with_a_byte_order_mark():
    robots = read_robots(200, b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /in\r\n", "https://example.org/robots.txt")
    assert not robots.allows("https://example.org/in")
    assert robots.allows("https://example.org/out")


def test_sitemaps_come_in_several_forms():
    urlset = b'<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> /a </loc></url></urlset>'
    members = gzip.compress(urlset[:50]) + gzip.compress(urlset[50:])
    for body in (urlset, gzip.compress(urlset), members, b"https://example.org/a\nno address\n"):
        assert read_sitemap(body, START) == [("https://example.org/a", False)]
    index = b"<sitemapindex><sitemap><loc>b.xml</loc></sitemap></sitemapindex>"
    assert read_sitemap(index, START) == [("https://example.org/docs/b.xml", True)]


@pytest.mark.parametrize(
    "body", [b"", b"<", b"<html><p>not found", b"\x1f\x8b damaged", b"\0\1\2", gzip.compress(b"<urlset><url>", mtime=0)[:-9]]
)
def test_broken_lists_have_no_entries(body):
    assert read_sitemap(body, START) == []
    assert read_feed(body, START) == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_lists_in_utf_16_are_read(encoding):
    head = '<?xml version="1.0" encoding="UTF-16"?>'
    urlset = f"{head}<urlset><url><loc>/a?b=1&c=文</loc></url></urlset>".encode(encoding)
    feed = f"{head}<rss><item><link>/a?b=1&c=文</link></item></rss>".encode(encoding)
    expected = [("https://example.org/a?b=1&c=文", False)]
    assert read_sitemap(urlset, START) == read_sitemap(gzip.compress(urlset), START) == read_feed(feed, START) == expected


@pytest.mark.parametrize("address", ["{}?a=1&amp;b=2", "{}?a=1&b=2", "<![CDATA[{}?a=1&b=2]]>"])
def test_ampersands_of_a_sitemap_are_read_as_they_are_meant(address):
    body = f"<urlset><url><loc>{address.format('https://example.org/')}</loc></url></urlset>".encode()
    assert read_sitemap(body, "https://example.org/sitemap.xml") == [("https://example.org/?a=1&b=2", False)]


def test_an_entity_of_a_sitemap_is_not_expanded():
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY f SYSTEM "file:///etc/hostname">]><urlset><url><loc>&f;&a;</loc></url></urlset>'
    assert [url for url, _ in read_sitemap(bomb, "https://example.org/") if url != "https://example.org/"] == []


def test_feeds_name_pages():
    rss = b"<rss><channel><link>/self</link><item><link> /a </link></item><item><title>none</title></item></channel></rss>"
    atom = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><link href="/self"/><entry><link rel="edit" href="/e"/><link href="/b"/></entry></feed>'
    )
    assert [url for url, _ in read_feed(rss, START)] == ["https://example.org/a"]
    assert [url for url, _ in read_feed(atom, START)] == ["https://example.org/b"]


@pytest.mark.parametrize(
    ("header", "seconds"), [("5", 5), (None, None), ("soon", None), ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("-3", None)]
)
def test_retry_after_that_cannot_be_read_is_none(header, seconds):
    assert retry_after(header, datetime.now(UTC)) == seconds


@pytest.mark.parametrize(
    "wrong",
    [
        {"scope": "web"},
        {"connections": 0},
        {"timeout": 0},
        {"depth": -1},
        {"include": ("news",)},
        {"user_agent": "a\r\nb: c"},
        {"same_layer": 0},
    ],
)
def test_settings_are_checked(wrong):
    with pytest.raises(UsageError):
        CrawlSettings(**wrong)


def test_the_user_agent_names_a_contact():
    settings = CrawlSettings(include=("/a*",), delay=0.5, contact="https://me.example/bot")
    assert settings.agent.endswith(" (+https://me.example/bot)")
