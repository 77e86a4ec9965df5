"""The demo site: the same everywhere, in the encodings it claims, and its gold is right about its pages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from html import unescape
from pathlib import Path
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from demo import DemoPage, build_site, write_site
from demo.__main__ import app
from demo.chrome import Frame
from demo.measure import measure
from demo.server import serving
from tamis import extract, parse

PAGES = build_site()
BY_PATH = {page.path: page for page in PAGES}
HREF = re.compile(r'href="(/[^"#?]*)')


def digest(pages: tuple[DemoPage, ...]) -> str:
    return sha256(b"\0".join(page.path.encode() + page.raw for page in pages)).hexdigest()


def seen(page: DemoPage) -> str:
    """What the tree of a page says, white space collapsed."""
    return " ".join(parse(page.raw).text().split())


def plain(page: DemoPage) -> str:
    """The page without tags, found without tamis."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.raw.decode(page.gold.encoding))).split())


def test_is_the_same_on_every_call_and_under_every_hash_seed():
    code = "from demo import build_site; from hashlib import sha256; " + (
        "print(sha256(b'\\0'.join(page.path.encode() + page.raw for page in build_site())).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": "77"}, capture_output=True, text=True, check=True
    )
    assert digest(PAGES) == digest(build_site()) == other.stdout.strip()


def test_has_three_layouts_in_two_languages_and_every_oddity():
    kinds = [(page.gold.layout, page.gold.language) for page in PAGES]
    for layout in ("news", "handbook", "forum"):
        assert kinds.count((layout, "en")) >= 7
        assert kinds.count((layout, "zh-CN")) >= 4
    declared = {(page.gold.encoding, page.gold.declared) for page in PAGES}
    assert {("gb18030", "gb2312"), ("gb18030", None), ("utf-8", None), ("big5", "big5"), ("shift_jis", "shift_jis")} <= declared
    assert {page.gold.note for page in PAGES} >= {"empty file", "unclosed tags, cut off", "nearly repeats news/sea-wall.html"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_declares_what_the_gold_says_and_decodes_without_damage(page: DemoPage):
    html = page.raw.decode(page.gold.encoding)
    found = re.search(r"charset=([\w-]+)", html)
    assert (found and found[1]) == page.gold.declared
    assert "\ufffd" not in seen(page)
    if page.gold.main:
        assert page.gold.title in seen(page) or page.gold.layout == "odd"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_every_gold_line_is_on_its_page(page: DemoPage):
    text, markup = seen(page).replace(" ", ""), plain(page).replace(" ", "")
    for line in (*page.gold.main, *page.gold.noise, *page.gold.either):
        assert line.replace(" ", "") in markup
        assert line.replace(" ", "") in text or page.gold.layout == "odd"


def test_gold_holds_all_text_of_a_page():
    for page in PAGES:
        if page.gold.layout != "odd":
            gold = page.gold.main + page.gold.noise + page.gold.either
            body = parse(page.raw)
            head = len("".join(body.text().split())) - len("".join("".join(gold).split()))
            assert 0 <= head <= 120, page.path  # the title element, which no reader sees in the page


def test_paragraphs_differ_from_page_to_page():
    pages = [page for page in PAGES if page.gold.layout in ("news", "handbook", "forum")]
    lines = [line for page in pages for line in set(page.gold.main) if len(line) > 60]
    twin = BY_PATH["news/sea-wall-update.html"]
    repeated = {line for line in lines if lines.count(line) > 1} - set(twin.gold.main)
    assert len(repeated) <= len(lines) // 50
    assert set(BY_PATH["news/sea-wall.html"].gold.main) < set(twin.gold.main)


def test_links_within_the_site_lead_to_pages():
    known = {f"/{page.path}" for page in PAGES} | {"/style.css"}
    for page in PAGES:
        if page.gold.layout != "odd":
            assert set(HREF.findall(page.raw.decode(page.gold.encoding))) <= known


def test_adverts_and_related_links_vary():
    def box(path: str, name: str) -> str:
        html = BY_PATH[path].raw.decode()
        return html[html.index(name) : html.index(name) + 600]

    for name in ("box-related", "box-popular", "ad-skyscraper"):
        assert len({box(path, name) for path in BY_PATH if path.startswith("news/") and path != "news/index.html"}) > 3


def test_extraction_finds_the_news_and_keeps_all_main_text():
    scores = {score.layout: score for score in measure({page.path: extract(page.raw).text for page in PAGES}, gold())}
    assert scores["news"].f1 > 0.95
    assert scores["old"].f1 > 0.9
    for layout in ("news", "handbook", "forum"):
        assert scores[layout].f1 > 0.7
        assert scores[layout].main_kept > 0.95


def gold():
    return ((page.path, page.gold) for page in PAGES)


def test_a_missing_page_scores_nothing():
    assert {score.f1 for score in measure({}, gold())} == {0.0}


def test_writes_bytes_and_gold(tmp_path: Path):
    pages = write_site(tmp_path / "deep" / "site")
    written = json.loads((tmp_path / "deep" / "site" / "gold.json").read_text(encoding="utf-8"))
    assert list(written) == [page.path for page in pages]
    for page in pages:
        assert (tmp_path / "deep" / "site" / page.path).read_bytes() == page.raw
        assert written[page.path]["main"] == list(page.gold.main)
    assert written["news/oysters.html"]["title"] == "Oyster growers count a better year"


def test_is_served_without_an_encoding_in_the_header(tmp_path: Path):
    pages = write_site(tmp_path)
    page = next(page for page in pages if page.gold.encoding == "gb18030")
    with serving(tmp_path) as url, urlopen(url + page.path) as response:
        assert response.headers["Content-Type"] == "text/html"
        assert response.read() == page.raw


def test_demo_shows_kept_and_dropped_lines_and_a_score_for_each_layout(tmp_path: Path):
    result = CliRunner().invoke(app, ["show", "--output", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert " + Where nets were once hung to dry" in result.output
    assert " dropped, template: the same text on the site's pages (" in result.output
    for layout in ("news", "handbook", "forum"):
        assert re.search(rf"^{layout} +\d+ +[01]\.\d+ -> [01]\.\d+ +\d", result.output, re.MULTILINE)
    rows = (tmp_path / "clean.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows) == len(PAGES)


def test_demo_cleans_another_folder(tmp_path: Path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "page.html").write_text("<p>Only this line.", encoding="utf-8")
    result = CliRunner().invoke(app, ["show", str(tmp_path / "in"), "--output", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert " + Only this line." in result.output
    assert (tmp_path / "out" / "clean.jsonl").exists()


def test_demo_of_nothing_says_what_to_do(tmp_path: Path):
    result = CliRunner().invoke(app, ["show", str(tmp_path), "--output", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "is an empty folder" in result.output


def test_frames_know_their_sections():
    from demo.dice import Dice
    from demo.english import ENGLISH
    from demo.prose import Prose

    frame = Frame(ENGLISH, (), Dice("a"), Prose(ENGLISH, "a"))
    assert (frame.href(), frame.href("news", "x"), frame.section("news")) == ("/index.html", "/news/index.html#x", ())


def test_the_demo_replaces_nothing_in_silence(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")
    for words in (["show", "--output", str(tmp_path)], ["write", str(tmp_path)]):
        result = CliRunner().invoke(app, words)
        assert (result.exit_code, "exists already; --overwrite replaces it" in result.output) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
