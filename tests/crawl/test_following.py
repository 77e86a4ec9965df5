import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import parse
from tamis.crawl.following import followed, next_page
from tamis.errors import FetchError


@pytest.mark.parametrize(
    ("url", "links", "expected"),
    [
        ("/boats", "<link rel=next href='/boats?page=2'>", "/boats?page=2"),
        ("/boats", "<a rel='next nofollow' href='/boats/2'>older</a>", "/boats/2"),
        ("/boats", "<b>1</b> <a href='/boats?p=2'>2</a> <a href='/boats?p=3'>3</a>", "/boats?p=2"),
        ("/boats?p=3", "<a href='/boats?p=2'>2</a> <b>3</b> <a href='/boats?p=4'>4</a> <a href='/boats?p=1'>1</a>", "/boats?p=4"),
        ("/boats?start=10", "<a href='/boats'>1</a> <b>2</b> <a href='/boats?start=20'>3</a>", "/boats?start=20"),
        ("/boats/page/7/", "<a href='/boats/page/6/'>newer</a> <a href='/boats/page/8/'>older</a>", "/boats/page/8/"),
        ("/boats?p=9", "<a href='/boats?p=7'>7</a> <a href='/boats?p=8'>8</a> <b>9</b>", None),
        ("/boats", "<a href='/boats/gannet-2-new-sails'>Gannet 2</a> <a href='/news'>3 news</a>", None),
        ("/boats?p=5", "<a href='?p=1'>1</a> <a href='?p=4'>4</a> <b>5</b> <a href='?p=6'>6</a> <a href='?p=9'>9</a>", "/boats?p=6"),
        ("/boats", "<a href='/boats?p=1'>1</a> <a href='/boats?p=2'>2</a>", "/boats?p=2"),
        ("/boats?p=1", "<a href='/boats'>1</a> <b>2</b> <a href='/boats?p=2'>3</a>", "/boats?p=2"),
        ("/boats/index.html", "<b>1</b> <a href='index-2.html'>2</a> <a href='index-3.html'>3</a>", "/boats/index-2.html"),
        (
            "/boats",
            "<a href='?news=2'>2</a> <b>1</b> <a href='?sort=name&p=2'>2</a> <a href='?sort=name&p=3'>3</a>",
            "/boats?sort=name&p=2",
        ),
        ("/boats", "<a href='/2024/05/02/'>2</a> <a href='/2024/05/03/'>3</a>", None),
        ("/boats/4", "<div class=pager><a href='/boats/3'>Previous</a> <a href='/boats/5'>Next</a></div>", "/boats/5"),
        ("/boats/4", "<a href='/boats/5'>Gannet</a> <a href='/boats/6'>12</a>", None),
        ("/2024/05/", "<a href='/2024/06/'>June</a>", None),
        ("/boats", "<a href='https://other.example/boats?page=2' rel=next>2</a>", None),
    ],
)
def test_the_next_page_is_what_the_page_says_or_the_next_number(url, links, expected):
    host = "https://quay.example"
    assert next_page(parse(links), host + url) == (expected and host + expected)


@pytest.fixture
def site():
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = "The last. <a href='/hidden' rel=next>next</a>" if self.path == "/last" else "<a href='/last' rel=next>next</a>"
            body = "User-agent: *\nDisallow: /hidden" if self.path == "/robots.txt" else body
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join()


def read(url):
    return parse(f"{url} <a href='{'/last' if url.endswith('/boats') else '/hidden'}' rel=next>next</a>"), url


def test_pages_follow_each_other_as_far_as_robots_allow(site):
    host, asked = site
    pytest.importorskip("protego")
    assert [url for _, url in followed(f"{host}/boats", 9, read)] == [f"{host}/boats", f"{host}/last"]
    assert asked == ["/robots.txt"]
    assert len(list(followed(f"{host}/boats", 1, read))) == 1
    with pytest.raises(FetchError, match="forbids"):
        list(followed(f"{host}/hidden", 9, read))


@pytest.mark.parametrize("after", ["/boats?p={}", "/boats?p=1"])
def test_a_page_that_shows_the_same_again_ends_the_list(site, after):
    pytest.importorskip("protego")
    host, _ = site

    def same_from_the_third_on(url):
        number = int(url.partition("=")[2] or 1)
        link = after.format(number + 1) if number > 2 else f"/boats?p={number + 1}"
        return parse(f"Boats, page {min(number, 3)} <a href='{link}' rel=next>next</a>"), url

    assert [url.partition("=")[2] for _, url in followed(f"{host}/boats", 9, same_from_the_third_on)] == ["", "2", "3"]


def test_pages_that_are_left_out_are_told(site):
    pytest.importorskip("protego")
    host, _ = site
    said = []
    list(followed(f"{host}/boats", 1, read, said.append))
    assert said == [f"stopped after 1 pages, before {host}/last"]
    list(followed(f"{host}/last", 9, read, said.append))
    assert "robots.txt forbids it" in said[1]

    def broken(url):
        if url.endswith("/last"):
            raise FetchError(f"{url}: 500")
        return read(url)

    list(followed(f"{host}/boats", 9, broken, said.append))
    assert said[2] == f"{host}/last: 500"


@given(st.text("/?=&.0123456789ab-", max_size=20), st.lists(st.text("/?=&.0123456789ab-", max_size=20), max_size=4))
def test_addresses_of_any_form_are_no_error(url, links):
    page = "".join(f"<a href='{link}' class=next>{link[-2:]}</a>" for link in links)
    found = next_page(parse(page), f"https://quay.example/{url}")
    assert found is None or found.startswith("https://quay.example")


def test_the_numbers_of_an_endless_address_are_not_read():
    assert (
        next_page(parse("<a href='/boats/3'>2</a> <a href='/boats/4' class=next>next</a>"), f"https://quay.example/boats/{'1' * 5000}")
        is None
    )
