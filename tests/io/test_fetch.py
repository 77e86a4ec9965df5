"""Fetching, against a real server on this machine."""

from __future__ import annotations

import gzip
import shutil
import socket
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

import tamis.io.fetch
from tamis import FetchError, UsageError, extract
from tamis.io.connections import Connections
from tamis.io.fetch import Limits, ask, fetch
from tamis.io.locations import TransientFetchError, is_public

PAGE = "<html><head><title>Tides</title></head><body><p>The sea rises twice a day.</p></body></html>"
QUICK = Limits(connect=2, read=2, total=5)
PACKED = {"gzip": gzip.compress(PAGE.encode()), "deflate": zlib.compress(PAGE.encode())}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *args):
        pass

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers)))
        name = self.path.strip("/").split("/")[0].split("?")[0]
        try:
            getattr(self, f"page_{name}", self.page_missing)()
        except OSError:
            self.close_connection = True  # the client had enough

    def answer(self, body=b"", status=200, content_type="text/html; charset=utf-8", **headers):
        self.send_response(status)
        if content_type:
            self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def start(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def page_plain(self):
        self.answer(PAGE.encode())

    def page_missing(self):
        self.answer(b"<p>gone", status=404)

    def page_busy(self):
        busy = sum(path == "/busy" for path, _ in self.server.seen) < 2
        self.answer(PAGE.encode(), status=503 if busy else 200)

    def page_hop(self):
        left = int(self.path.rsplit("/", 1)[1])
        self.answer(status=302, Location=f"/hop/{left - 1}" if left else "../plain")

    def page_circle(self):
        self.answer(status=301, Location="/circle/2" if self.path == "/circle/1" else "/circle/1")

    def page_inward(self):
        self.answer(status=302, Location=f"http://127.0.0.2:{self.server.server_port}/plain")

    def page_invalid(self):
        self.answer(status=302, Location="http://[x")

    def page_nested(self):
        self.answer(gzip.compress(gzip.compress(gzip.compress(bytes(200_000_000), 1))), Content_Encoding="gzip, gzip, gzip")

    def page_elsewhere(self):
        self.answer(status=302, Location="file:///etc/hostname")

    def page_named(self):
        self.answer(status=302, Location="/caf\u00e9".encode().decode("latin-1"))

    def page_bytes(self):
        self.answer(status=302, Location=b"/\xd6\xd0".decode("latin-1"))

    def page_endless(self):
        self.start()
        while True:
            self.wfile.write(b"<p>more and more</p>" * 1000)

    def page_drip(self):
        self.start()
        while not self.server.over.wait(0.05):
            self.wfile.write(b"x")
            self.wfile.flush()

    def page_dripping_headers(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.server.over.wait(0.05):
            self.wfile.write(b"x")
            self.wfile.flush()

    def page_silent(self):
        self.server.over.wait(5)

    def page_gzip(self):
        self.answer(gzip.compress(PAGE.encode()), Content_Encoding="gzip")

    def page_packed(self):
        name, length = self.path.split("/")[2:]
        self.answer(PACKED[name][: int(length)], Content_Encoding=name)

    def page_bomb(self):
        self.answer(gzip.compress(bytes(50_000_000)), Content_Encoding="gzip")

    def page_damaged(self):
        self.answer(b"\x1f\x8b\x08\x00no gzip at all", Content_Encoding="gzip")

    def page_brotli(self):
        self.answer(b"\x0b\x02\x80", Content_Encoding="br")

    def page_cut(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"<p>only a part")
        self.close_connection = True

    def page_charset(self):
        self.answer("<meta charset=shift_jis><p>漢字の文章です。</p>".encode("cp932"), content_type="text/html; charset=nonsense")

    def page_pdf(self):
        self.answer(b"%PDF-1.4", content_type="application/pdf")

    def page_untyped(self):
        self.answer(PAGE.encode(), content_type=None)

    def page_large(self):
        self.answer(b"x" * 5000)

    def page_babble(self):
        self.wfile.write(b"220 mail.example ESMTP\r\n")
        self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    server.seen = []
    server.over = threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def site(server):
    return f"http://127.0.0.1:{server.server_port}"


def test_a_page_comes_as_served(site, server):
    response = fetch(f"{site}/plain", QUICK)
    assert (response.url, response.status, response.content_type) == (f"{site}/plain", 200, "text/html; charset=utf-8")
    assert response.body == PAGE.encode()
    assert response.redirects == ()
    assert server.seen[-1][1]["User-Agent"] == f"tamis/{tamis.__version__}"


def test_redirects_are_followed_and_named(site):
    response = fetch(f"{site}/hop/2", QUICK)
    assert response.url == f"{site}/plain"
    assert response.redirects == (f"{site}/hop/2", f"{site}/hop/1", f"{site}/hop/0")


def test_too_many_redirects_are_an_error(site):
    with pytest.raises(FetchError, match="redirects more than 3 times"):
        fetch(f"{site}/hop/9", Limits(redirects=3))


def test_a_circle_of_redirects_is_an_error(site):
    with pytest.raises(FetchError, match="in a circle"):
        fetch(f"{site}/circle/1", QUICK)


@pytest.mark.parametrize("address", ["example.org", "file:///etc/passwd", "", None, 5])
def test_what_is_no_address_is_an_error(address):
    with pytest.raises(FetchError, match="is not an address of the web: it must start with http"):
        fetch(address, QUICK)


def test_a_redirect_out_of_the_web_is_an_error(site):
    with pytest.raises(FetchError, match="must start with http"):
        fetch(f"{site}/elsewhere", QUICK)


def test_a_redirect_to_no_address_is_an_error(site):
    with pytest.raises(FetchError, match="not a valid address"):
        fetch(f"{site}/invalid", QUICK)


def test_gzip_in_gzip_ends_at_the_limit(site):
    with pytest.raises(FetchError, match="larger than the limit"):
        fetch(f"{site}/nested", Limits(max_bytes=1_000_000))


@pytest.mark.parametrize(("path", "asked"), [("named", "/caf%C3%A9"), ("bytes", "/%D6%D0")])
def test_an_unquoted_redirect_is_quoted(site, server, path, asked):
    with pytest.raises(FetchError, match="404"):
        fetch(f"{site}/{path}", QUICK)
    assert server.seen[-1][0] == asked


def test_a_public_page_may_not_redirect_into_a_private_network(site, server, monkeypatch):
    monkeypatch.setattr(tamis.io.fetch, "is_public", lambda address: address == "127.0.0.1")
    before = len(server.seen)
    with pytest.raises(FetchError, match="into a private network"):
        fetch(f"{site}/inward", QUICK)
    assert len(server.seen) == before + 1


def test_a_host_that_resolves_to_public_and_private_is_refused_after_a_redirect(site, monkeypatch):
    monkeypatch.setattr(tamis.io.fetch, "is_public", lambda address: address != "10.0.0.1")
    answers = iter([["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]])
    monkeypatch.setattr(tamis.io.fetch, "resolve", lambda here: next(answers))
    with pytest.raises(FetchError, match="into a private network"):
        fetch(f"{site}/hop/0", QUICK)


def test_private_addresses_are_refused_where_they_are_not_allowed(site):
    with pytest.raises(FetchError, match="not on the public internet"):
        fetch(f"{site}/plain", Limits(allow_private=False))


def test_a_private_page_may_redirect_to_a_private_page(site):
    assert fetch(f"{site}/hop/0", QUICK).status == 200


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b:1::808:808", False),
        ("fec0::1", False),
    ],
)
def test_public_addresses_are_told_from_others(address, public):
    assert is_public(address) is public


def test_an_endless_page_ends_at_the_limit(site):
    with pytest.raises(FetchError, match="larger than the limit of 100,000 bytes"):
        fetch(f"{site}/endless", Limits(max_bytes=100_000))


def test_a_page_that_states_its_size_is_refused_before_it_is_read(site):
    with pytest.raises(FetchError, match="larger than the limit of 1,000 bytes"):
        fetch(f"{site}/large", Limits(max_bytes=1000))


@pytest.mark.parametrize("page", ["drip", "dripping_headers"])
def test_a_slow_drip_of_bytes_ends(site, page):
    start = time.monotonic()
    with pytest.raises(FetchError, match=r"longer than the limit of 0\.3 seconds"):
        fetch(f"{site}/{page}", Limits(read=10, total=0.3))
    assert time.monotonic() - start < 300


def test_a_silent_server_ends(site):
    with pytest.raises(TransientFetchError, match=r"sent nothing for 0\.2 seconds"):
        fetch(f"{site}/silent", Limits(read=0.2))


def test_an_error_status_is_an_error(site):
    with pytest.raises(FetchError, match="the server answered 404 Not Found"):
        fetch(f"{site}/nowhere", QUICK)


def test_a_kept_connection_is_used_for_its_own_address_only(monkeypatch):
    class Counting(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        opened: ClassVar[list[str]] = []

        def setup(self):
            super().setup()
            self.opened.append(self.connection.getsockname()[0])

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("0.0.0.0", 0), Counting) as server, closing(Connections()) as connections:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://name.example:{server.server_port}/"
        resolved = iter([["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2", "127.0.0.1"]])
        monkeypatch.setattr(tamis.io.fetch, "resolve", lambda here: next(resolved))
        asked = [ask(url, QUICK, connections=connections).address for _ in range(4)]
        server.shutdown()
    assert asked == ["127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2"]
    assert Counting.opened == ["127.0.0.1", "127.0.0.2"]


def test_nothing_is_tried_again_unless_asked(site, server, monkeypatch):
    monkeypatch.setattr(tamis.io.fetch.time, "sleep", lambda seconds: None)
    server.seen.clear()
    with pytest.raises(TransientFetchError, match="503"):
        fetch(f"{site}/busy", QUICK)
    server.seen.clear()
    assert fetch(f"{site}/busy", Limits(retries=1)).status == 200


def test_gzip_is_unpacked(site):
    assert fetch(f"{site}/gzip", QUICK).body == PAGE.encode()


def test_a_gzip_bomb_ends_at_the_limit(site):
    with pytest.raises(FetchError, match="larger than the limit of 1,000,000 bytes"):
        fetch(f"{site}/bomb", Limits(max_bytes=1_000_000))


def test_damaged_gzip_is_an_error(site):
    with pytest.raises(FetchError, match="cannot be unpacked"):
        fetch(f"{site}/damaged", QUICK)


@pytest.mark.parametrize("name", PACKED)
def test_compressed_data_that_are_cut_off_are_an_early_end(site, name):
    assert fetch(f"{site}/packed/{name}/999", QUICK).body == PAGE.encode()
    for length in (len(PACKED[name]) // 2, len(PACKED[name]) - 2):
        with pytest.raises(TransientFetchError, match="damaged: its compressed data are cut off"):
            fetch(f"{site}/packed/{name}/{length}", QUICK)


def test_a_compression_that_was_not_asked_for_is_an_error(site):
    with pytest.raises(FetchError, match=r"not asked for \(br\)"):
        fetch(f"{site}/brotli", QUICK)


def test_a_page_that_is_cut_off_is_an_error(site):
    with pytest.raises(TransientFetchError, match="before the page was complete"):
        fetch(f"{site}/cut", QUICK)


def test_a_wrong_charset_in_the_header_leaves_it_to_the_page(site):
    response = fetch(f"{site}/charset", QUICK)
    assert extract(response.body, content_type=response.content_type).text == "漢字の文章です。"


def test_what_is_no_page_is_refused(site):
    with pytest.raises(FetchError, match="is application/pdf, not a web page"):
        fetch(f"{site}/pdf", QUICK)


def test_a_page_without_a_type_is_read(site):
    assert fetch(f"{site}/untyped", QUICK).content_type is None


def test_an_answer_that_is_not_http_is_an_error(site):
    with pytest.raises(FetchError):
        fetch(f"{site}/babble", QUICK)


def test_a_closed_port_is_an_error():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(FetchError, match=rf"no connection to 127\.0\.0\.1, port {port} \(connection refused\)"):
        fetch(f"http://127.0.0.1:{port}/", QUICK)


def test_an_unknown_host_is_an_error(monkeypatch):
    def unknown(*args, **kwargs):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(FetchError, match=r"no host nowhere\.invalid was found"):
        fetch("http://nowhere.invalid/", QUICK)


@pytest.mark.parametrize("url", ["ftp://example.org/", "file:///etc/hostname", "example.org", "http://", "http://[::1", "http://a:port/"])
def test_only_addresses_of_the_web_are_fetched(url):
    with pytest.raises(FetchError, match="address"):
        fetch(url, QUICK)


def test_an_untrusted_certificate_is_an_error(server, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl command to make a certificate with")
    subprocess.run(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost".split(),
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    secure = Server(("127.0.0.1", 0), Handler)
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    threading.Thread(target=secure.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    with pytest.raises(FetchError, match=r"certificate of localhost is not trusted \(self.signed"):
        fetch(f"https://localhost:{secure.server_port}/plain", QUICK)
    secure.shutdown()
    secure.server_close()


def test_no_tls_where_tls_is_expected_is_an_error(site):
    with pytest.raises(FetchError, match="secure connection"):
        fetch(site.replace("http:", "https:") + "/plain", QUICK)


@pytest.mark.parametrize("limit", [{"total": 0}, {"max_bytes": -1}, {"retries": -1}])
def test_limits_that_make_no_sense_are_refused(limit):
    with pytest.raises(UsageError):
        Limits(**limit)


@pytest.mark.parametrize(
    "given", [{"total": float("inf")}, {"read": 1e20}, {"max_bytes": 10**20}, {"retries": 10**20}, {"total": float("nan")}]
)
def test_limits_that_no_system_can_count_are_refused(given):
    with pytest.raises(UsageError, match="must be"):
        Limits(**given)
