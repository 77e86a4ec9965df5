"""Whole crawls of a site on this machine, with every fault that a site can have."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import time
from dataclasses import replace

import pytest

import tamis
from tamis.crawl import CrawlSettings, crawl
from tamis.crawl.crawling import CrawlResult
from tamis.crawl.hosts import ROBOTS_BYTES
from tests.crawl.conftest import QUICK, Handler, Server, packed, page, serving, site, small_site

LINKS = (
    "/redirect /loop-a /self /chain/0 /out /missing /later /down /trickle /endless /stall /reset /file.pdf /report /gbk /wrong /gzip /bomb "
    "/secret/plan /calendar/2020/01/ /deep/ /visit?PHPSESSID=1 /visit?PHPSESSID=2&utm_source=x /#top /empty /binary /half /header-nofollow "
    "/cut /meta-nofollow /untyped https://other.invalid/ mailto:a@example.org"
).split()


def calendar(handler: Handler) -> None:
    _, _, year, month, _ = handler.path.split("/")
    after = f"/calendar/{int(year) + (month == '12')}/{int(month) % 12 + 1:02}/"
    handler.answer(page(f"Month {month} of {year}", after))


def later(handler: Handler) -> None:
    if handler.asked < 2:
        handler.answer("wait", 429, Retry_After="1")
    else:
        handler.answer(page("Later"))


def stall(handler: Handler) -> None:
    while not handler.server.ending:
        time.sleep(0.05)
    handler.close_connection = True


def reset(handler: Handler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def half(handler: Handler) -> None:
    handler.answer(page("Half"), length="100000")
    handler.close_connection = True


def report(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/pdf")
    handler.send_header("Content-Length", "50000000")
    handler.end_headers()
    for _ in range(500):
        handler.wfile.write(b"x" * 100_000)
        handler.server.sent[handler.path] += 100_000


def to(location: str):
    return lambda handler: handler.answer("", 302, Location=location)


PAGES = {
    "/": page("Start", *LINKS, '<a rel="nofollow" href="/unloved">?</a>', "<link rel=alternate type=application/rss+xml href=/feed>"),
    "/robots.txt": lambda h: h.answer(f"User-agent: *\nDisallow: /secret/\nSitemap: {h.server.url}/maps/index.xml.gz\n", kind="text/plain"),
    "/maps/index.xml.gz": lambda h: h.answer(
        packed(
            f'<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>{h.server.url}'
            "/maps/pages.xml</loc></sitemap><sitemap><loc>/maps/gone.xml</loc></sitemap></sitemapindex>"
        ),
        kind="application/gzip",
    ),
    "/maps/pages.xml": lambda h: h.answer(
        f"<urlset><url><loc>{h.server.url}/only-in-sitemap</loc></url><url><loc>{h.server.url}/</loc></url>"
        f"<url><loc>{h.server.url}/secret/listed</loc></url><url><loc>https://other.invalid/x</loc></url><url><loc>not closed",
        kind="application/xml",
    ),
    "/feed": lambda h: h.answer(
        f"<rss><channel><link>{h.server.url}/no-item</link><item><link>{h.server.url}/only-in-feed</link></item></channel></rss>",
        kind="application/rss+xml",
    ),
    "/redirect": to("/target?b=1&a=2"),
    "/target?b=1&a=2": page("Target"),
    "/loop-a": to("/loop-b"),
    "/loop-b": to("/loop-a"),
    "/self": to("/self"),
    **{f"/chain/{n}": to(f"/chain/{n + 1}") for n in range(9)},
    "/chain/9": page("End of the chain"),
    "/out": to("https://other.invalid/elsewhere"),
    "/later": later,
    "/down": lambda h: h.answer("down", 503, Retry_After="100000"),
    "/trickle": lambda h: h.endless(b"<p>more", 0.1),
    "/endless": lambda h: h.endless(b"<p>" + b"x" * 100_000, 0.0),
    "/stall": stall,
    "/reset": reset,
    "/half": half,
    "/report": report,
    "/gbk": lambda h: h.answer(page("海港", text="潮水每天涨两次。" * 20).encode("gb18030"), kind="text/html; charset=GBK"),
    "/wrong": lambda h: h.answer(page("Zürich", text="Schöne Grüße aus Zürich. " * 20).encode(), kind="text/html; charset=no-such-charset"),
    "/gzip": lambda h: h.answer(packed(page("Packed")), Content_Encoding="gzip"),
    "/cut": lambda h: h.answer(packed(page("Cut", text="c" * 3_000))[:-20], Content_Encoding="gzip"),
    "/bomb": lambda h: h.answer(packed(page("Bomb", text="b" * 3_000_000)), Content_Encoding="gzip"),
    "/secret/plan": page("Secret"),
    "/visit": page("Visit"),
    "/empty": "",
    "/binary": lambda h: h.answer(b"\x00\x01\x02" * 500),
    "/untyped": lambda h: h.answer(page("Untyped"), kind=None),
    "/header-nofollow": lambda h: h.answer(page("Header", "/by-header"), X_Robots_Tag="noindex, nofollow"),
    "/meta-nofollow": page("Meta", "/by-meta", '<meta name="robots" content="nofollow">'),
    "/only-in-sitemap": page("Only in the sitemap"),
    "/only-in-feed": page("Only in the feed"),
}


def serve(handler: Handler) -> None:
    if handler.path.startswith("/calendar/"):
        calendar(handler)
    elif handler.path.startswith("/deep/"):
        handler.answer(page("Deep", "deep/"))
    else:
        site(PAGES)(handler)


class Crawled:
    """A crawl of the site, and what it left."""

    def __init__(self, server: Server, result: CrawlResult) -> None:
        self.server = server
        self.result = result
        self.pages = [json.loads(line) for line in (result.folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
        self.failures = [json.loads(line) for line in (result.folder / "failures.jsonl").read_text(encoding="utf-8").splitlines()]

    def path(self, url: str) -> str:
        return url.removeprefix(self.server.url)

    @property
    def by_path(self):
        return {self.path(entry["url"]): entry for entry in self.pages}

    def failure(self, path: str) -> str:
        return next(entry["reason"] for entry in self.failures if self.path(entry["url"]) == path)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory):
    settings = CrawlSettings(
        delay=0, allow_private=True, timeout=0.7, retries=1, redirects=5, max_bytes=1_000_000, per_pattern=9, feeds=True, longest_wait=5
    )
    with serving(serve) as server:
        yield Crawled(server, crawl(server.url, tmp_path_factory.mktemp("crawl") / "out", settings))


def test_every_page_is_saved_once(crawled):
    paths = [crawled.path(entry["url"]) for entry in crawled.pages]
    assert len(paths) == len(set(paths)) == crawled.result.pages
    expected = (
        "/ /target?b=1&a=2 /later /gbk /wrong /gzip /visit /empty /untyped /header-nofollow /meta-nofollow /only-in-sitemap /only-in-feed"
    )
    assert set(expected.split()) <= set(paths)
    archived = [source.url for source in crawled.result.sources()]
    assert sorted(archived) == sorted(entry["url"] for entry in crawled.pages)


def test_no_page_is_fetched_twice(crawled):
    asked = crawled.server.asked()
    tried_again = {"/later", "/trickle", "/stall", "/reset", "/half"}
    assert {path: count for path, count in asked.items() if count > 1 and path not in tried_again} == {}
    assert all(asked[path] == 2 for path in tried_again)


def test_one_request_at_a_time(crawled):
    overlapping = {"/trickle", "/endless", "/stall", "/report"}  # their handlers notice late that nobody listens
    assert crawled.server.most_active <= 1 + len(overlapping)


def test_robots_are_obeyed(crawled):
    assert not any(path.startswith("/secret") for path in crawled.server.asked())
    assert crawled.result.skipped["robots.txt"] == 2


def _written(body: bytes):
    return lambda handler: handler.answer(body, kind="text/plain")


def _packed(body: bytes):
    return lambda handler: handler.answer(gzip.compress(body), kind="text/plain", Content_Encoding="gzip")


RULES = b"User-agent: *\nDisallow: /secret\n"


@pytest.mark.parametrize(
    "robots",
    [
        _written(RULES + b"# no more\n" * 3_000_000),
        _packed(RULES + b"# no more\n" * 3_000_000),
        _written(RULES + b"#" * (ROBOTS_BYTES - len(RULES) - len(b"\nDisallow: /")) + b"\nDisallow: /secret/more"),
        lambda handler: handler.endless(RULES + b"# no end\n" * 10_000, 0.0),
    ],
    ids=["large", "large once unpacked", "cut within a line", "endless"],
)
def test_of_a_large_robots_txt_the_beginning_counts(folder, robots):
    with serving(site({"/robots.txt": robots, "/": page("Start", "/secret", "/a"), "/secret": page("Secret"), "/a": page("A")})) as server:
        result = crawl(server.url, folder, replace(QUICK, sitemaps=False))
    assert (result.pages, result.skipped) == (2, {"robots.txt": 1})


def test_the_crawler_says_who_it_is(crawled):
    assert {headers["User-Agent"] for _, _, headers in crawled.server.log} == {f"tamis/{tamis.__version__}"}


def test_sitemaps_and_feeds_name_pages(crawled):
    assert crawled.by_path["/only-in-sitemap"]["referrer"].endswith("/maps/pages.xml")
    assert crawled.by_path["/only-in-feed"]["referrer"].endswith("/feed")
    assert "/no-item" not in crawled.server.asked()


def test_redirects_are_followed_within_bounds(crawled):
    target = crawled.by_path["/target?b=1&a=2"]
    assert crawled.path(target["redirected_from"]) == "/redirect"
    assert crawled.failure("/loop-b") == "redirects in a circle"
    assert crawled.failure("/self") == "redirects to itself"
    assert crawled.failure("/chain/5") == "redirects more than 5 times"
    assert crawled.result.skipped["redirect: another host"] == 1


def test_what_fails_is_listed_with_its_reason(crawled):
    assert crawled.failure("/missing") == "status 404 Not Found"
    assert crawled.failure("/down") == "status 503 Service Unavailable, and asks to come back in 100,000 seconds"
    assert crawled.failure("/trickle") == crawled.failure("/stall") == "took longer than the limit of 0.7 seconds"
    assert crawled.failure("/endless") == "larger than the limit of 1,000,000 bytes (--max-bytes)"
    assert crawled.failure("/bomb") == "larger than the limit of 1,000,000 bytes, unpacked (--max-bytes)"
    assert crawled.failure("/cut") == "its compressed data are cut off"
    assert crawled.failure("/half") == "the connection ended before the page was complete"
    assert crawled.failure("/reset") == "the server ended the connection"
    failed = "/bomb /chain/5 /cut /down /endless /file.pdf /half /loop-b /maps/not%20closed /missing /reset /self /stall /trickle"
    assert " ".join(sorted(crawled.path(entry["url"]) for entry in crawled.failures)) == failed
    assert (crawled.result.failed, crawled.result.missing) == (len(crawled.failures) - 3, 3)


def test_a_page_that_is_never_over_is_cut_off(crawled):
    assert crawled.server.sent["/endless"] < 8_000_000


def test_other_types_are_not_downloaded(crawled):
    assert crawled.result.skipped["type application/pdf"] == 1
    assert crawled.server.sent["/report"] < 20_000_000
    assert crawled.result.skipped["binary data"] == 1


def test_a_server_that_is_busy_is_asked_again_when_it_says(crawled):
    first, second = (when for when, path, _ in crawled.server.log if path == "/later")
    assert second - first >= 1.0
    between = [path for when, path, _ in crawled.server.log if first < when < second]
    assert between == []


def test_traps_end(crawled):
    asked = crawled.server.asked()
    assert sum(path.startswith("/calendar/") for path in asked) == 9
    assert sum(path.startswith("/deep/") for path in asked) <= 4
    assert crawled.result.skipped["trap: more than 9 addresses of one pattern"] == 1
    assert crawled.result.skipped["trap: a part of the path comes again and again"] == 1
    assert asked["/visit"] == 1


def test_nofollow_is_obeyed(crawled):
    assert not {"/unloved", "/by-header", "/by-meta"} & set(crawled.server.asked())
    assert crawled.result.skipped["nofollow"] == 1


def test_charsets_are_those_of_the_page(crawled):
    gbk, wrong = crawled.by_path["/gbk"], crawled.by_path["/wrong"]
    assert (gbk["charset"], gbk["title"]) == ("gb18030", "海港")
    assert (wrong["charset"], wrong["title"]) == ("utf-8", "Zürich")
    texts = {record.url: record.text for record in tamis.clean(list(crawled.result.sources()), workers=1)}
    assert "潮水每天涨两次。" in texts[gbk["url"]]
    assert "Schöne Grüße aus Zürich." in texts[wrong["url"]]
    assert "What Packed says." in texts[crawled.by_path["/gzip"]["url"]]


def test_the_archive_is_read_by_others(crawled):
    warcio = pytest.importorskip("warcio.archiveiterator")
    fastwarc = pytest.importorskip("fastwarc.warc")
    (archive,) = crawled.result.folder.glob("*.warc.gz")
    with archive.open("rb") as stream:
        iterator = warcio.ArchiveIterator(stream, check_digests="raise")
        kinds = [record.rec_type for record in iterator if record.content_stream().read() is not None]
    pages = crawled.result.pages
    assert kinds == ["warcinfo", *["response", "request"] * pages]
    checked = [record.verify_block_digest() for record in fastwarc.ArchiveIterator(str(archive), parse_http=False)]
    assert checked == [True] * (1 + 2 * pages)


def test_the_index_points_at_the_records(crawled):
    fastwarc = pytest.importorskip("fastwarc.warc")
    for entry in crawled.pages:
        with (crawled.result.folder / entry["file"]).open("rb") as stream:
            stream.seek(entry["offset"])
            record = next(iter(fastwarc.ArchiveIterator(stream)))
            assert record.headers["WARC-Target-URI"] == entry["url"]
            assert record.headers["WARC-Payload-Digest"] == entry["digest"]


def test_private_addresses_are_refused(folder):
    """Names are looked at when they are resolved; what is no name, in the address."""
    with serving(site({"/": page("Start")})) as server:
        result = crawl(f"http://localhost:{server.server_address[1]}/", folder, CrawlSettings(delay=0))
        assert (result.pages, list(result.failures)) == (0, ["localhost has a private address: not fetched (--allow-private)"])
        assert server.log == []


def test_a_dead_server_is_a_failure(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result = crawl(f"http://127.0.0.1:{port}/", folder, QUICK)
    assert (result.pages, list(result.failures)) == (0, [f"no connection to 127.0.0.1, port {port} (connection refused)"])


def test_same_layer_takes_siblings_and_no_part_of_the_article(folder):
    story = "/news/the-tide-turns-again.html"
    links = [story.replace(".html", f"_{n}.html") for n in (2, 3)]
    others = [f"/news/{name}.html" for name in ("oysters-of-the-bay", "lamps-on-the-pier", "a-ship-comes-home", "bread-at-five-again")]
    pages = {
        story: page("Tide", "/about/", *links, *others, '<link rel="next" href="/news/a-ship-comes-home.html">'),
        **{link: page("Tide", text="The second page goes on.") for link in links},
        **{other: page(other, text=f"All about {other}, told at length. " * 30) for other in others},
        "/about/": page("About"),
    }
    with serving(site(pages)) as server:
        result = crawl(server.url + story, folder, CrawlSettings(delay=0, allow_private=True, same_layer=3))
        found = [source.url.removeprefix(server.url) for source in result.sources()]
        assert found == [story, others[0], others[1], others[3]]
        assert not set(links) & set(server.asked())


def test_a_connection_serves_several_pages(folder):
    ports = set()

    def serve(handler: Handler) -> None:
        ports.add(handler.client_address[1])
        small_site(9)(handler)

    with serving(serve) as server:
        assert crawl(server.url, folder, QUICK).pages == 10
    assert len(ports) < 5  # robots.txt and sitemaps may have connections of their own


def test_a_connection_that_the_server_closed_is_replaced(folder):
    def serve(handler: Handler) -> None:
        small_site(9)(handler)
        handler.close_connection = True  # without a word in the headers

    with serving(serve) as server:
        result = crawl(server.url, folder, QUICK)
    assert (result.pages, result.failed) == (10, 0)
