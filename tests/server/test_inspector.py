"""The inspector in a real Chromium: what people do with it, and what hostile pages cannot do."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from urllib.request import Request, urlopen

import pytest

from tamis.corpus.config import CorpusConfig
from tamis.corpus.pipeline import run
from tamis.document.document import FORMATS
from tamis.io.fetch import Limits
from tests.server.conftest import TEXTS, inspecting, page

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync"
).split()
HOSTILE = (
    "<script>{x}</script>",
    "<img src=x onerror={x}>",
    "<svg onload={x}>",
    "<svg><script>{x}</script></svg>",
    "<body onload={x}>",
    "<iframe srcdoc='<script>{x}</script>'></iframe>",
    "<iframe src=javascript:{x}></iframe>",
    "<a href=javascript:{x} id=go>go</a>",
    "<form action=javascript:{x}><button>go</button></form>",
    "<button formaction=javascript:{x} form=f>go</button><form id=f></form>",
    "<object data=javascript:{x}></object>",
    "<embed src=javascript:{x}>",
    "<meta http-equiv=refresh content='0;url=javascript:{x}'>",
    "<base href=javascript:{x}//><a href=x>go</a>",
    "<math><mtext><table><mglyph><style><img src=x onerror={x}></style></mglyph></table></mtext></math>",
    "<noscript><p title='</noscript><img src=x onerror={x}>'></noscript>",
    "<svg></p><style><a id='</style><img src=x onerror={x}>'>",
    "<template><img src=x onerror={x}></template>",
    "<textarea></textarea><img src=x onerror={x}>",
    "<title></title><img src=x onerror={x}>",
    "<xmp></xmp><img src=x onerror={x}>",
    "<details open ontoggle={x}>text</details>",
    "<input autofocus onfocus={x}>",
    "<video><source onerror={x}></video>",
    "<audio src=x onerror={x}>",
    "<marquee onstart={x}>text</marquee>",
    "<p style='background:url(javascript:{x})'>text",
    "<style>@import 'javascript:{x}';</style><p>text",
    "<style></style><script>{x}</script>",
    "<p class='\"><script>{x}</script>'>text",
    "<p id='\"><img src=x onerror={x}>'>text",
    "<p lang='x\" onmouseover={x} a=\"'>text",
    "&lt;script&gt;{x}&lt;/script&gt;",
    "<p>&lt;img src=x onerror={x}&gt;",
    "<img alt='\"><img src=x onerror={x}>'>",
    "<table><td background=javascript:{x}>text</table>",
    "<link rel=stylesheet href=javascript:{x}>",
    "<svg><animate onbegin={x} attributeName=x dur=1s>",
    "<svg><a xlink:href=javascript:{x}><text>go</text></a></svg>",
    "<p onclick={x} onmouseover={x} onfocus={x} tabindex=0>text",
    "<select><style></select><img src=x onerror={x}></style>",
    "<!--><img src=x onerror={x}>-->",
    "<plaintext><img src=x onerror={x}>",
)


@pytest.fixture(scope="module")
def chromium():
    missing = pytest.fail if os.environ.get("CI") else pytest.skip
    if find_spec("playwright") is None:
        missing("needs the extra browser")
    from playwright.sync_api import sync_playwright

    from tamis.io.browser.settings import find_chromium

    executable = find_chromium()
    if executable is None:
        missing("needs a Chromium: scripts/setup-system installs one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(executable), args=FLAGS)
        yield browser
        browser.close()


def send(address: str, method: str, path: str, body: object) -> object:
    request = Request(address.rstrip("/") + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
    with urlopen(request, timeout=300) as answer:
        return json.loads(answer.read())


def opened(chromium, address, width=1280, **options):
    view = chromium.new_context(viewport={"width": width, "height": 800}, **options).new_page()
    view.errors = []
    view.set_default_timeout(300_000)  # a busy machine is slow
    view.set_default_navigation_timeout(300_000)
    view.on("pageerror", lambda error: view.errors.append(str(error)))
    view.goto(address)
    view.wait_for_selector("body[data-ready]")
    return view


def test_a_pasted_page_is_overruled_for_the_site_and_the_rule_undone(chromium, address):
    view = opened(chromium, address)
    view.fill("#paste", page(0))
    view.click("text=Show the page")
    frame = view.frame_locator("#frame")
    note = frame.locator("p.note [data-b]")
    note.wait_for()
    assert frame.locator('[data-kept="1"]', has_text=TEXTS[0]).count() == 1
    assert frame.locator('nav [data-kept="0"]').count() >= 3
    view.click("#tabs [data-tab=text]")
    view.wait_for_selector("pre.out")
    before = view.inner_text("pre.out")
    for kind in ("Keep", "Drop"):
        note.click()
        view.select_option("#detail select", "p.note")
        view.click(f"#detail button:has-text('{kind} on all pages')")
        view.wait_for_selector("text=Save rule")
        assert "p.note changes" in view.inner_text("#detail .verdict")
        view.click("text=Save rule")
        view.wait_for_selector("#toast:has-text('Rule saved')")
        note.wait_for()
        assert note.get_attribute("data-kept") == ("1" if kind == "Keep" else "0")
    assert "Note 0" not in view.inner_text("pre.out")
    with view.expect_download() as got:
        view.click("text=Download page")
    assert "Note 0" not in got.value.path().read_text(encoding="utf-8")
    view.click("#undo")
    view.wait_for_selector("#toast:has-text('Undone')")
    assert note.get_attribute("data-kept") == "1"
    view.keyboard.press("Control+z")
    view.wait_for_function("text => document.querySelector('pre.out').innerText === text", arg=before)
    assert view.errors == []
    view.context.close()


def test_the_keyboard_alone_reaches_a_block_and_makes_a_rule(chromium, address):
    pages = [{"name": f"{number}.html", "html": page(number)} for number in range(4)]
    send(address, "PUT", "/v1/sites/keys/pages", {"pages": pages})
    view = opened(chromium, address)
    view.evaluate("location.hash = '#site=keys'")
    frame = view.frame_locator("#frame")
    frame.locator("[data-b][tabindex='0']").wait_for()
    for _ in range(40):
        view.keyboard.press("Tab")
        if view.evaluate("document.activeElement.id") == "frame":
            break
    assert "Dropped: Home All articles" in frame.locator(":focus").get_attribute("aria-label")
    assert "All articles" in view.inner_text("#detail")
    view.keyboard.press("ArrowDown")
    assert "Kept: Article 0" in frame.locator(":focus").get_attribute("aria-label")
    view.keyboard.press("Enter")
    assert view.evaluate("document.activeElement.closest('#detail') !== null")
    view.keyboard.press("Tab")
    view.keyboard.press("Tab")
    view.keyboard.press("Enter")
    view.wait_for_selector("text=Save rule")
    assert "changes 4 of 4 pages" in view.inner_text("#detail .verdict")
    view.keyboard.press("Enter")
    view.wait_for_selector("#toast:has-text('Rule saved. 4 pages changed')")
    view.context.close()


def test_a_rule_without_effect_says_so_and_the_button_to_undo_one_can_be_read(chromium, address):
    send(address, "PUT", "/v1/sites/effect/pages", {"pages": [{"name": f"{number}.html", "html": page(number)} for number in range(4)]})
    view = opened(chromium, address)
    view.evaluate("location.hash = '#site=effect'")
    heading = view.frame_locator("#frame").locator('[data-kept="1"]', has_text="Article 0").first
    heading.click()
    view.click("#detail button:has-text('Keep on all pages')")
    view.wait_for_selector("text=Save rule")
    assert view.inner_text("#detail").split("\n")[-1] == "Nothing would change."
    assert "null" not in view.inner_text("#detail")
    view.click("text=Save rule")
    view.wait_for_selector("#toast button")
    for scheme in ("light", "dark"):
        view.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        view.wait_for_timeout(300)  # colors change slowly
        of_text, of_button, of_toast = view.evaluate(
            """() => { const style = (selector) => getComputedStyle(document.querySelector(selector));
            return [style("#toast button").color, style("#toast button").backgroundColor, style("#toast").backgroundColor]; }"""
        )
        assert of_button == "rgba(0, 0, 0, 0)"
        assert of_text != of_toast
    view.context.close()


def test_a_page_with_a_long_name_fits_the_window(chromium, address):
    send(address, "PUT", "/v1/sites/long/pages", {"pages": [{"name": f"{'a-long-name-' * 15}{n}", "html": page(n)} for n in range(2)]})
    view = opened(chromium, address)
    view.evaluate("location.hash = '#site=long'")
    view.frame_locator("#frame").locator("[data-kept='1']").first.wait_for()
    assert view.evaluate("document.documentElement.scrollWidth") <= 1280
    view.context.close()


def test_a_kept_block_is_in_sight_and_pages_are_listed_by_their_titles(chromium, address):
    menu = "".join(f"<li><a href=/{number}>Section {number}</a>" for number in range(200))
    pages = [
        {"name": f"https://example.org/news/{n}/the-tide", "html": page(n).replace("<nav class=menu>", f"<nav><ul>{menu}</ul>")}
        for n in range(2)
    ]
    send(address, "PUT", "/v1/sites/sight/pages", {"pages": pages})
    view = opened(chromium, address)
    view.evaluate("location.hash = '#site=sight'")
    kept = view.frame_locator("#frame").locator("[data-kept='1']").first
    kept.wait_for()
    box, stage = kept.bounding_box(), view.locator("#frame").bounding_box()
    assert stage["y"] <= box["y"] <= stage["y"] + stage["height"]
    view.wait_for_selector("#pages .title")
    assert sorted(view.locator("#pages .title").all_inner_texts()) == ["Article 0", "Article 1"]
    assert view.get_attribute("#pages .list button >> nth=0", "title").startswith("https://example.org/news/")
    view.context.close()


def test_a_single_page_has_no_panels_of_a_site(chromium, address):
    for name, count in (("several", 2), ("one", 1)):
        send(address, "PUT", f"/v1/sites/{name}/pages", {"pages": [{"name": f"{n}.html", "html": page(n)} for n in range(count)]})
    view = opened(chromium, address)
    view.evaluate("location.hash = '#site=several'")
    view.click("#tabs [data-tab=copies]")
    methods = "[...document.querySelectorAll('#method option')].filter((each) => !each.hidden).map((each) => each.textContent)"
    assert view.evaluate(methods) == [
        "Node model + template",
        "Attenuation",
        "Site template",
        "Same-layer pages",
        "Style tree",
        "The five papers",
    ]
    view.evaluate("location.hash = '#site=one'")
    view.locator("#tabs [data-tab=copies]").wait_for(state="hidden")
    assert view.evaluate(methods) == ["Node model", "Attenuation", "The five papers"]
    shown = view.locator("#tabs button:visible").all_inner_texts()
    assert shown == ["Blocks", "Text", "Facts", "Chunks", "Records", "Regions", "Papers"]
    assert view.get_attribute("#tabs [data-tab=blocks]", "aria-selected") == "true"
    view.context.close()


def test_a_narrow_window_shows_one_thing_at_a_time(chromium, address):
    send(address, "PUT", "/v1/sites/narrow/pages", {"pages": [{"name": "a", "html": page(1)}, {"name": "b", "html": page(2)}]})
    view = opened(chromium, address, 390, color_scheme="dark")
    view.evaluate("location.hash = '#site=narrow'")
    view.frame_locator("#frame").locator("[data-kept='1']").first.wait_for()
    assert view.evaluate("document.documentElement.scrollWidth") <= 390
    for tab, shown in (("pages", "#pages"), ("blocks", "#side"), ("records", "#side"), ("overview", "#side"), ("page", "#stage")):
        view.click(f"#tabs [data-tab={tab}]")
        assert [view.is_visible(name) for name in ("#pages", "#stage", "#side")] == [
            name == shown for name in ("#pages", "#stage", "#side")
        ]
        assert view.evaluate("document.documentElement.scrollWidth") <= 390
        assert view.locator("header").bounding_box()["height"] < 60  # one row
    assert view.evaluate("document.documentElement.dataset.theme") == "dark"
    assert view.errors == []
    view.context.close()


def test_a_folder_larger_than_a_request_is_taken_in_portions(chromium, address, tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.html").write_text(f"{page(number)}<!--{'x' * 6_000_000}-->", encoding="utf-8")
    view = opened(chromium, address)
    view.set_input_files("#folder", tmp_path)
    view.frame_locator("#frame").locator("[data-kept='1']").first.wait_for()
    assert view.locator("#pages .list button").count() == 4
    assert view.errors == []
    view.context.close()


def test_lists_are_downloaded_as_csv_that_spreadsheets_read_as_utf_8(chromium, address):
    rows = "".join(f"<li><b>鱼市 {number}</b> <i>{number}</i>" for number in range(5))
    send(address, "PUT", "/v1/sites/lists/pages", {"pages": [{"name": "a", "html": f"<ul>{rows}</ul>"}]})
    view = opened(chromium, address)
    view.evaluate("location.hash = '#site=lists'")
    view.click("#tabs [data-tab=records]")
    view.locator("#side td").first.wait_for()
    assert "main text: html > body > ul" in view.locator("#side p").first.inner_text()
    with view.expect_download() as got:
        view.click("text=Download CSV")
    assert got.value.path().read_text(encoding="utf-8").splitlines()[1] == "鱼市 0,0"
    assert got.value.path().read_bytes().startswith(b"\xef\xbb\xbf")
    view.context.close()


def test_text_runs_in_its_own_direction(chromium, address):
    text = "<p>يعيد هذا الفصل النظر في بعض القضايا التي ناقشناها سابقا ولكن من وجهة نظر مختلفة تماما.</p>"
    send(address, "PUT", "/v1/sites/arabic/pages", {"pages": [{"name": "a", "html": f"<html lang=ar dir=rtl>{text}"}]})
    view = opened(chromium, address)
    view.evaluate("location.hash = '#site=arabic'")
    for selector in ("#side .blocks .text", "#side pre.out"):
        if "out" in selector:
            view.click("#tabs [data-tab=text]")
        view.wait_for_selector(selector)
        ends = view.evaluate(
            """selector => { const box = document.querySelector(selector), range = document.createRange();
            range.setStart(box.firstChild, 0); range.setEnd(box.firstChild, 1);
            const [first, all] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
            return first.left > (all.left + all.right) / 2; }""",
            selector,
        )
        assert ends, selector
    view.context.close()


def test_hostile_pages_are_data_in_every_view(chromium, address):
    fires = "(window.fired=1,top.fired=1,alert(1))"
    text = "<p>A paragraph of running text stands beside it, so that there is something to keep on this page.</p>"
    pages = [{"name": payload.replace("{x}", fires), "html": text + payload.replace("{x}", fires) + text} for payload in HOSTILE]
    send(address, "PUT", "/v1/sites/hostile/pages", {"pages": pages, "css": f"</style><script>{fires}</script><img src=x onerror={fires}>"})
    ids = [each["id"] for each in json.loads(urlopen(address + "v1/sites/hostile").read())["pages"]]
    view = opened(chromium, address)
    fired: list[str] = []
    view.on("dialog", lambda dialog: (fired.append(dialog.message), dialog.dismiss()))
    loads: list[str] = []
    view.on("request", lambda request: None if request.url.startswith((address, "about:", "blob:", "data:")) else loads.append(request.url))
    for id in ids:
        view.evaluate("id => { location.hash = `#site=hostile&page=${id}` }", id)
        view.wait_for_function("id => document.querySelector('#pages [aria-current=true]') && location.hash.endsWith(id)", arg=id)
        view.frame_locator("#frame").locator("[data-b]").first.wait_for()
    for tab in ("text", "records", "regions", "papers", "overview", "copies", "blocks"):
        view.click(f"#tabs [data-tab={tab}]")
        view.wait_for_selector("#side h2")
    view.wait_for_timeout(300)
    assert view.evaluate("window.fired === undefined && document.getElementById('frame').contentWindow.fired === undefined")
    assert (fired, loads) == ([], [])
    assert view.frame_locator("#frame").locator("script, img, iframe, svg, form, [onclick], [onerror], [href]").count() == 0
    view.context.close()


def test_an_example_shows_titles_and_shares_and_every_panel_says_how_to_get_the_same(chromium, address):
    inspector = opened(chromium, address)
    inspector.click("#example")
    inspector.wait_for_selector("#pages .title")
    assert sorted(inspector.locator("#pages .title").all_inner_texts())[0] == "A clockmaker mends the harbour clock"
    assert "% kept" in inspector.locator("#pages").inner_text()
    header = inspector.frame_locator("#frame").locator("header").first
    assert header.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(29, 59, 74)"  # the page's own style
    inspector.click("[data-tab=facts]")
    inspector.wait_for_selector(".facts")
    assert "Ann Lee" in inspector.locator(".facts").inner_text()
    assert "title: page:h1" in inspector.locator(".facts").inner_text()
    inspector.click("[data-tab=papers]")
    inspector.wait_for_selector("text=1. Same-layer pages")
    titles = inspector.locator("#side h2").all_inner_texts()
    assert [title[:2] for title in titles if title[0].isdigit()][:5] == ["1.", "2.", "3.", "4.", "5."]
    inspector.click("[data-tab=records]")
    inspector.wait_for_selector("text=The page has no list of records.")
    with inspector.expect_download() as saved:
        inspector.click("text=Download the main lists of all pages")
    assert saved.value.suggested_filename == "bay-news-records.jsonl"
    assert "tamis records SITE/" in inspector.locator(".same").text_content()
    inspector.click("[data-tab=chunks]")
    inspector.wait_for_selector(".chunk")
    inspector.click(".same summary")
    assert "tamis extract PAGE --chunks 200 --model" in inspector.locator(".same").inner_text()
    inspector.click("[data-tab=text]")
    assert inspector.locator("#side select option").count() == len(FORMATS) + 1
    inspector.select_option("#side select", "xml")
    assert inspector.locator("#side pre.out").first.inner_text().startswith("<TEI")
    inspector.select_option("#side select", "rendered")
    assert inspector.frame_locator(".rendered").locator("h1").inner_text() == "The ferry returns"
    assert inspector.errors == []
    inspector.context.close()


def test_the_report_of_a_corpus_run_is_shown(chromium, tmp_path):
    (tmp_path / "pages").mkdir()
    for number in range(4):
        (tmp_path / "pages" / f"{number}.html").write_text(page(number), "utf-8")
    run(CorpusConfig((str(tmp_path / "pages"),), str(tmp_path / "run"), workers=1))
    with inspecting(tmp_path, "run") as address:
        view = opened(chromium, address)
        view.frame_locator("#frame").locator("text=What became of the characters").wait_for()
        assert view.errors == []
        view.context.close()


def test_the_description_of_the_api_is_shown_without_any_other_host(chromium, address):
    view = chromium.new_page()
    asked, errors = [], []
    view.on("request", lambda request: asked.append(request.url))
    view.on("pageerror", lambda error: errors.append(str(error)))
    view.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    view.goto(f"{address}docs")
    view.locator("#operations-extract-extract").wait_for()
    assert view.locator(".opblock").count() > 20
    assert [url for url in asked if not url.startswith((address, "data:"))] == []
    assert errors == []
    view.close()


def test_what_was_saved_with_a_page_is_shown_and_nothing_else(tmp_path):
    from tamis.io.sources import open_page
    from tamis.server.requests import ExtractRequest
    from tamis.server.sites import StoredSite
    from tamis.server.work import extract

    folder = tmp_path / "saved"
    folder.mkdir()
    for place in ("saved/gull.png", "outside.png"):
        (tmp_path / place).write_bytes(b"PNG")
    (folder / "notes.txt").write_text("PNG")
    addresses = (
        "gull.png",
        "/gull.png",
        "../outside.png",
        "notes.txt",
        "https://a.test/b.png",
        "data:image/png;base64,AAAA",
        "",
        "http://[",
    )
    page = folder / "page.html"
    for place, color in (("saved/own.css", "teal"), ("outside.css", "red"), ("saved/other.css", "blue")):
        (tmp_path / place).write_text(f"p {{ color: {color} }}")
    (folder / "link.css").symlink_to(tmp_path / "outside.css")
    sheets = "".join(f"<link rel=stylesheet href={name}.css?v=1>" for name in ("own", "../outside", "link", "nowhere"))
    page.write_text(sheets + "".join(f'<p><img src="{address}" alt="{number}">text</p>' for number, address in enumerate(addresses)))
    site = StoredSite(tmp_path / "state", "saved")
    id = site.put_source(open_page(page))
    html = site.page(id).html
    view = extract(ExtractRequest(html=html, site="saved", view=True).model_copy(update={"page": id}), site, Limits())["view"]
    assert [color in view for color in ("teal", "red", "blue")] == [True, False, False]
    assert view.count("<img ") == view.count('src="data:image/png;base64,UE5H"') == 2
    assert [f'<span class="tamis-image">{number}</span>' in view for number in range(8)] == [False] * 2 + [True] * 6
    assert "<img " not in extract(ExtractRequest(html=html, site="saved", view=True), site, Limits())["view"]


def test_what_a_page_style_loads_is_left_out_of_the_view():
    from tamis import extract
    from tamis.server.view import blocks_of, page_styles, page_view

    page = "<style>p{color:red}</style><p>text</p><STYLE media=all>@import 'x'; b{background:url(http://a.test/x)}</STYLE><style>i{}"
    css = page_styles(page, lambda address: ("", b""))
    assert css.split("\n") == ["p{color:red}", "@import 'x'; b{background:url(http://a.test/x)}", "i{}"]
    document = extract(page)
    view = page_view(document, blocks_of(document)[1], f"{css}</style><script>")
    assert "a.test/x" not in view.replace("none(http://a.test/x)", "")
    assert view.count("</style>") == 1
    assert "<script" not in view
    for hostile in ("<style" * 100_000, "<style>" * 100_000, "<link rel=stylesheet href=x.css>" * 100_000):
        assert len(page_styles(hostile, lambda address: ("", b""))) <= 500_000


def test_links_with_control_characters_break_no_tab(chromium, address):
    marks = "".join(f"<p>{TEXTS[0]} <a href='https://reeds.example/{n}#a{chr(n)}b&#{n};c'>{TEXTS[1]}</a></p>" for n in range(1, 32))
    send(
        address, "PUT", "/v1/sites/controls/pages", {"pages": [{"name": "a\x01b", "html": f"<article><h1>Reeds\x02</h1>{marks}</article>"}]}
    )
    view = opened(chromium, address)
    view.evaluate("location.hash = '#site=controls'")
    view.frame_locator("#frame").locator("[data-kept='1']").first.wait_for()
    for tab in view.locator("#tabs button:visible").all():
        tab.click()
        view.locator("#busy").wait_for(state="hidden")
        assert view.locator("#side").inner_text().strip()
    assert view.errors == []
    view.context.close()
