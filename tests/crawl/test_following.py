import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

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
            body = "<a href='/hidden' rel=next>next</a>" if self.path == "/last" else "<a href='/last' rel=next>next</a>"
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
    return parse("<a href='/last' rel=next>next</a>" if url.endswith("/boats") else "<a href='/hidden' rel=next>next</a>"), url


def test_pages_follow_each_other_as_far_as_robots_allow(site):
    host, asked = site
    pytest.importorskip("protego")
    assert [url for _, url in followed(f"{host}/boats", 9, read)] == [f"{host}/boats", f"{host}/last"]
    assert asked == ["/robots.txt"]
    assert len(list(followed(f"{host}/boats", 1, read))) == 1
    with pytest.raises(FetchError, match="forbids"):
        list(followed(f"{host}/hidden", 9, read))
