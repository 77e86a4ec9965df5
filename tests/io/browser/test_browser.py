"""One browser, many pages, some of them bad."""

from __future__ import annotations

import asyncio
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tamis import Browser, BrowserSettings
from tamis.errors import FetchError, RenderError, SourceError, UsageError

pytestmark = pytest.mark.usefixtures("browser")  # skips where there is none
PATIENT = BrowserSettings(seconds=300, settle=0.1, javascript=True)
"""Limits that a busy machine does not reach; tests of the limits themselves set their own."""


@pytest.fixture(scope="module")
def scripted(browser):
    """A browser of its own that runs scripts and may be killed."""
    with Browser(PATIENT) as started:
        yield started


@contextmanager
def limited(started: Browser, seconds: float) -> Iterator[None]:
    """A browser that has started gives each page so many seconds for the time."""
    patient = started.settings
    started.settings = replace(patient, seconds=seconds)
    try:
        yield
    finally:
        started.settings = patient


def processes(of: int) -> list[int]:
    """A process and what it started, as far as it runs."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout.split("\n")
    rows = [line.split() for line in listed if line.strip()]
    running = {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}
    found = {of} & running.keys()
    while more := {pid for pid, parent in running.items() if parent in found} - found:
        found |= more
    return sorted(found)


@pytest.mark.parametrize(
    "script",
    ["while (true) alert(1)", "onload = () => setTimeout(() => { while (true); }, 0)"],
    ids=["while it loads", "after it loaded"],
)
def test_a_page_that_hangs_costs_its_time_and_the_next_one_works(browser, script):
    with Browser(PATIENT) as started:
        started.render(html="<p>before")
        left = processes(started._engine.pid)
        assert len(left) > 1
        with limited(started, 5), pytest.raises(RenderError, match=r"did not answer within 5 seconds"):
            started.render(html=f"<p>x<script>{script}</script>")
        assert wait_until(lambda: not any(processes(pid) for pid in left))
        assert started.render(html="<p>after").tree.text() == "after"


def wait_until(is_so) -> bool:
    for _ in range(2400):
        if is_so():
            return True
        time.sleep(0.05)
    return False


def test_dialogs_popups_prints_and_downloads_do_not_stop_a_page(scripted):
    page = scripted.render(
        html="""<p>a<a id=d download href="data:application/zip,x"></a><script>
        alert(1); confirm(2); prompt(3); print(); open("about:blank"); d.click(); onbeforeunload = () => "stay";
        document.body.append("went on")</script>"""
    )
    assert page.tree.text() == "a went on" or page.tree.text() == "awent on"


def test_a_page_that_wants_to_leave_is_kept(scripted):
    page = scripted.render(html="<p>here<script>location = 'http://elsewhere.example/'</script>")
    assert page.tree.text() == "here"
    assert "the page wanted to go to http://elsewhere.example/, and was kept" in page.notes


def test_a_browser_that_died_between_pages_is_started_anew(scripted):
    scripted.render(html="<p>before")
    subprocess.run(["kill", "-9", str(scripted._engine.pid)], check=True)
    assert wait_until(lambda: not processes(scripted._engine.pid))
    assert scripted.render(html="<p>after").tree.text() == "after"


def test_nothing_is_left_after_the_end():
    before = set(threading.enumerate())
    with Browser(PATIENT) as started:
        started.render(html="<p>x")
        left = processes(started._engine.pid)
        assert len(left) > 1
    assert wait_until(lambda: not any(processes(pid) for pid in left))
    assert set(threading.enumerate()) <= before
    with pytest.raises(UsageError, match="was closed"):
        started.render(html="<p>x")


def test_it_works_within_an_event_loop_and_from_several_threads(browser):
    async def render() -> str:
        return browser.render(html="<p>loop").tree.text()

    assert asyncio.run(render()) == "loop"
    found: list[str] = []
    threads = [threading.Thread(target=lambda k=k: found.append(browser.render(html=f"<p>{k}").tree.text())) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["0", "1", "2"]


def test_scripts_of_saved_pages_do_not_run_unless_asked(browser, scripted):
    html = "<p onclick=1>a<script>document.body.append('b')</script><img src=x onerror=\"document.body.append('c')\"><noscript>d</noscript>"
    html += (
        "<iframe srcdoc='<script>parent.document.body.append(1)</script>'></iframe><a id=j href='javascript:document.body.append(2)'></a>"
    )
    assert browser.render(html=html).tree.text() == "a"
    assert "b" in scripted.render(html=html).tree.text()


def test_the_picture_and_the_markup_are_of_the_whole_page(scripted):
    page = scripted.render(
        html="<body style='margin: 0'><div style='height: 3000px'>a</div><script>document.body.append('b')</script>",
        screenshot=True,
        markup=True,
    )
    assert page.screenshot is not None
    assert page.screenshot.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", page.screenshot[16:24])
    assert (width, height) == (1280, round(page.appearance.height))
    assert height > 3000
    assert page.markup.startswith("<html><head></head><body")
    assert page.markup.endswith("b</body></html>")
    assert scripted.render(html="<p>x").screenshot is None


def test_chinese_has_a_font(browser):
    """A character without a glyph is as wide as any other one without; those of Chinese are squares."""
    page = browser.render(html="<meta charset=utf-8><p style='font: 40px serif'><span>汉</span><span>字</span>")
    boxes = [page.appearance.box[node, 2] for node in range(len(page.tree)) if page.tree.name(node) == "span"]
    assert boxes == [40, 40]


@pytest.fixture
def saved(tmp_path):
    (tmp_path / "secret.css").write_text("p { margin-left: 300px }")
    folder = tmp_path / "saved"
    (folder / "img").mkdir(parents=True)
    (folder / "style.css").write_text("body { margin: 0 } p { margin: 0; height: 77px }")
    (folder / "img/dot.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' width='33' height='44'/>")
    (folder / "page.html").write_text(
        "<!doctype html><link rel=stylesheet href=style.css><link rel=stylesheet href=../secret.css>"
        f"<link rel=stylesheet href='file://{tmp_path}/secret.css'><p>text</p><img src=img/dot.svg><img src=http://elsewhere.example/x.png>"
    )
    return folder


def test_a_saved_page_has_the_files_of_its_folder_and_no_others(browser, saved):
    page = browser.render(file=saved / "page.html")
    named = {page.tree.name(node): node for node in reversed(range(len(page.tree)))}
    assert page.appearance.box[named["p"]].tolist() == [0, 0, 1280, 77]
    assert page.appearance.box[named["img"], 2:].tolist() == [33, 44]
    assert page.notes == ("not served: 2 requests for what is not in the page's folder",)
    assert page.url is None


def test_html_with_an_address_has_the_files_of_its_folder(browser, saved):
    html = (saved / "page.html").read_bytes()
    page = browser.render(html=html, folder=saved, base_url="https://heron.example/birds/page.html")
    assert page.appearance.height > 77 + 44
    assert page.url == "https://heron.example/birds/page.html"


class Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path == "/slow":
            time.sleep(3)  # longer than settle
        status, kind, body = {
            "/": (
                200,
                "text/html",
                b"<title>T</title><p>text<script>document.body.append(' more')</script><img src=/dot><iframe src=/in></iframe>",
            ),
            "/long": (
                200,
                "text/html",
                b"<p>text<p style='margin-top:5000px' id=late><img loading=lazy src=/late.png width=9 height=9><script>"
                b"new IntersectionObserver(seen => seen[0].isIntersecting && late.append('in view')).observe(late)</script>",
            ),
            "/late": (200, "text/html", b"<p>text<p style='margin-top:5000px;height:9px' id=late><script src=/late.js></script>"),
            "/late.js": (
                200,
                "text/javascript",
                b"new IntersectionObserver(seen => seen[0].isIntersecting && fetch('/slow').then(a => a.text()).then(text => {"
                b"late.append(text); new Image().src = '/late.png' })).observe(late)",
            ),
            "/slow": (200, "text/plain", b"in view"),
            "/stuck": (  # it tells that it is there, and never ends
                200,
                "text/html",
                b"<p>x<script>const ask = new XMLHttpRequest(); ask.open('GET', '/here', false); ask.send(); while (true);</script>",
            ),
            "/restless": (200, "text/html", b"<p>text<script>location.reload()</script>"),
            "/moved": (302, "text/html", b""),
            "/pdf": (200, "application/pdf", b"%PDF"),
            "/zip": (200, "application/zip", b"PK"),
            "/endless": (200, "text/html", b""),
        }.get(self.path, (404, "text/html", b"gone"))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if status == 302:
            self.send_header("Location", "/")
        if self.path == "/endless":
            self.end_headers()
            self.close_connection = True
            self.trickle()
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def trickle(self):
        try:
            while not self.server.is_over.wait(0.1):
                self.wfile.write(b"<p>more" * 20)
        except OSError:
            return

    def log_message(self, *words):
        pass


@contextmanager
def serving():
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        server.asked, server.is_over = [], threading.Event()
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.is_over.set()
        server.shutdown()


@pytest.fixture(scope="module")
def site():
    with serving() as server:
        server.at = f"http://127.0.0.1:{server.server_port}"
        yield server


@pytest.fixture(scope="module")
def neighbourly(browser):
    with Browser(replace(PATIENT, javascript=None, allow_private=True)) as started:
        yield started


def test_a_tab_that_crashes_is_told_and_the_next_page_works(neighbourly, site):
    if not Path("/proc/self/cmdline").exists():
        pytest.skip("needs /proc")
    neighbourly.render(html="<p>before")
    pid = neighbourly._engine.pid
    site.asked.clear()

    def kill_tabs() -> None:
        assert wait_until(lambda: "/here" in site.asked)
        for tab in processes(pid):
            with suppress(FileNotFoundError, ProcessLookupError):  # a process that has ended since
                if b"--type=renderer" in Path(f"/proc/{tab}/cmdline").read_bytes():
                    subprocess.run(["kill", "-9", str(tab)], check=False)

    killer = threading.Thread(target=kill_tabs)
    killer.start()
    with pytest.raises(RenderError, match="crashed the browser's tab"):
        neighbourly.render(url=f"{site.at}/stuck")
    killer.join()
    assert neighbourly.render(html="<p>after").tree.text() == "after"
    assert neighbourly._engine.pid == pid  # the browser itself went on


def test_a_page_of_the_web_is_fetched_and_its_scripts_run(neighbourly, site):
    page = neighbourly.render(url=f"{site.at}/moved")
    assert page.tree.text() == "T text more"
    assert (page.url, page.title) == (f"{site.at}/", "T")
    assert "/in" in site.asked


@pytest.mark.parametrize(
    ("path", "said"),
    [("/missing", "answered 404"), ("/pdf", "is application/pdf, not a web page"), ("/zip", "is a download, not a web page")],
)
def test_what_is_no_page_is_an_error(neighbourly, site, path, said):
    with pytest.raises(FetchError, match=said):
        neighbourly.render(url=f"{site.at}{path}")


def test_a_page_without_end_is_taken_as_it_is_when_its_time_is_over(neighbourly, site):
    neighbourly.render(html="<p>before")
    with limited(neighbourly, 10):
        page = neighbourly.render(url=f"{site.at}/endless")
    assert page.notes == ("still loading after 7 seconds: taken as it was",)
    assert page.tree.text().startswith("more")


def test_what_a_page_keeps_back_until_a_reader_scrolls_is_loaded(neighbourly, site):
    page = neighbourly.render(url=f"{site.at}/long")
    assert page.tree.text() == "text in view"
    assert "/late.png" in site.asked
    assert page.appearance.height > 5000


def test_what_a_script_asks_for_when_it_is_in_view_is_waited_for(neighbourly, site):
    assert neighbourly.render(url=f"{site.at}/late").tree.text() == "text in view"
    assert "/late.png" in site.asked


def test_a_page_that_loads_itself_again_and_again_is_taken_as_it_is(neighbourly, site):
    neighbourly.render(html="<p>before")
    with limited(neighbourly, 10):
        page = neighbourly.render(url=f"{site.at}/restless")
    assert page.notes == ("still loading after 7 seconds: taken as it was",)


def test_without_scripts_a_page_of_the_web_is_the_one_that_is_parsed(browser, site):
    with Browser(replace(PATIENT, allow_private=True, javascript=False)) as quiet:
        site.asked.clear()
        page = quiet.render(url=f"{site.at}/moved")
    assert page.tree.text() == "T text"
    assert page.url == f"{site.at}/"
    assert "/dot" in site.asked
    assert "/in" not in site.asked


def test_this_machine_is_not_reached_unless_allowed(browser, site):
    site.asked.clear()
    for address in (site.at, site.at.replace("127.0.0.1", "localhost"), site.at.replace("127.0.0.1", "[::1]")):
        with pytest.raises(FetchError, match="is in a private network"):
            browser.render(url=address)
    with Browser(replace(PATIENT, offline=False)) as online:
        page = online.render(
            html=f"<p>x<img src={site.at}/dot><script>fetch('{site.at}/').catch(() => document.body.append('no'))</script>"
        )
    assert page.tree.text() == "xno" or page.tree.text() == "x no"
    assert page.notes == ("127.0.0.1 was refused: it is in a private network",)
    assert site.asked == []


def test_a_saved_page_asks_nobody_unless_allowed(browser, neighbourly, site):
    site.asked.clear()
    html = f"<p>x<img src={site.at}/dot><link rel=preconnect href={site.at}><link rel=prefetch href={site.at}/next>"
    html += f"<meta http-equiv=refresh content='0;{site.at}/'>"
    browser.render(html=html)
    neighbourly.render(html=html)
    assert site.asked == []
    with Browser(replace(PATIENT, allow_private=True, offline=False, javascript=None)) as online:
        online.render(html=html)
    assert "/dot" in site.asked


def test_mistakes_are_said(browser, tmp_path):
    with pytest.raises(FetchError, match="must start with http"):
        browser.render(url="file:///etc/passwd")
    with pytest.raises(FetchError, match="no host of this name"):
        browser.render(url="http://nowhere.invalid/")
    with pytest.raises(UsageError, match="has a url, and no html"):
        browser.render(url="http://heron.example", html="<p>")
    with pytest.raises(SourceError, match="cannot read"):
        browser.render(file=tmp_path / "none.html")
    with pytest.raises(UsageError, match="there is no such program"), Browser(BrowserSettings(executable=tmp_path / "none")) as started:
        started.render(html="<p>")
    with Browser(BrowserSettings(offline=True)) as offline, pytest.raises(FetchError, match="the browser is offline"):
        offline.render(url="http://heron.example")


def test_a_program_that_is_no_browser_is_an_error(tmp_path):
    fake = tmp_path / "fake"
    fake.write_text("#!/bin/sh\nexit 3\n")
    fake.chmod(0o755)
    with Browser(BrowserSettings(executable=fake)) as started, pytest.raises(RenderError, match="Chromium does not start"):
        started.render(html="<p>")


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"viewport": (0, 5)}, {"max_bytes": 0}, {"settle": -1}])
def test_settings_are_checked(wrong):
    with pytest.raises(UsageError):
        BrowserSettings(**wrong)
