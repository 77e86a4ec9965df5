"""The addresses of a site without its pages."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tamis.cli import app
from tamis.crawl import site_map
from tamis.errors import FetchError
from tests.crawl.conftest import QUICK, page, serving, site

FEED = '<rss version="2.0"><channel><title>News</title><item><link>{}/from-feed</link></item></channel></rss>'
SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{0}/from-map</loc></url><url><loc>{0}/</loc></url></urlset>'
)


@pytest.fixture
def server():
    pages = {}
    with serving(site(pages)) as running:
        start = page("Start", "/a", "/b", "https://other.invalid/", "/private/x")
        pages["/"] = start.replace("<title>", '<link rel="alternate" type="application/rss+xml" href="/feed"><title>')
        pages["/a"] = page("A", "/c", "/")
        pages["/robots.txt"] = lambda handler: handler.answer("User-agent: *\nDisallow: /private/", kind="text/plain")
        pages["/sitemap.xml"] = lambda handler: handler.answer(SITEMAP.format(running.url), kind="application/xml")
        pages["/feed"] = lambda handler: handler.answer(FEED.format(running.url), kind="application/rss+xml")
        yield running


def paths(found, server):
    return sorted(each.url.removeprefix(server.url) for each in found)


def test_sitemaps_feeds_and_the_start_page_name_addresses_and_no_other_page_is_fetched(server):
    found = site_map(f"{server.url}/", settings=QUICK)
    assert paths(found, server) == ["/", "/a", "/b", "/from-feed", "/from-map"]
    assert server.asked()["/a"] == 0
    assert max(server.asked().values()) == 1
    assert found[0].found_on is None
    assert {each.url: each.found_on for each in found}[f"{server.url}/a"] == f"{server.url}/"


def test_deeper_pages_are_fetched_once_for_their_links(server):
    assert "/c" in paths(site_map(f"{server.url}/", 1, QUICK), server)
    assert max(server.asked().values()) == 1


def test_a_dead_site_is_an_error():
    with pytest.raises(FetchError, match="connect"):
        site_map("http://127.0.0.1:9/", settings=QUICK)


def test_the_command_writes_a_list_that_other_commands_take(server, tmp_path):
    output = tmp_path / "addresses.txt"
    words = ["map", f"{server.url}/", "--allow-private", "--delay", "0", "--include", "/from-*", "-o", str(output)]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert sorted(output.read_text().splitlines()) == [f"{server.url}/", f"{server.url}/from-feed", f"{server.url}/from-map"]
