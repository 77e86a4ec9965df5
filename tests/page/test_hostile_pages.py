"""Hostile pages: a right or an empty answer with a reason, in bounded time and memory, and no error."""

import gzip
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from tamis.errors import SourceError

RANDOM = random.Random(7).randbytes(4000)
EMPTY = {
    "nothing": b"",
    "white space": b" \n\t ",
    "no body": b"<html><head><title></title></head></html>",
    "a frameset": b"<frameset><frame src=a><frame src=b></frameset>",
    "an open comment": b"<!-- " + b"x " * 10_000,
    "an open script": b"<script>" + b"var x; " * 10_000,
    "a million attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(1_000_000)) + b">",
}
ODD = {
    "binary": RANDOM,
    "a picture": b"\x89PNG\r\n\x1a\n" + RANDOM,
    "NULs": b"a\x00b<p>\x00</p\x00>" * 50,
    "two marks": b"\xef\xbb\xbf\xef\xbb\xbf<p>text",
    "UTF-16 without a mark": "<p>some text".encode("utf-16-le"),
    "a lie about the charset": '<meta charset="shift_jis"><p>тест'.encode(),
    "an open title": b"<title>never closed <p>text",
    "entities": b"<p>" + b"&amp;&notin;&#x1F600;&#0;&#xD800;&nosuch;" * 5_000,
    "surrogates": "<p>lone \ud800 and \udfff",
    "bad addresses": b'<base href="http://[x"><a href="http://[::1">a</a><img src="//["><p>text',
    "huge numbers": b"<ol start=99999999999999999999><li value=-99999999999999999999>a</ol><p>text",
    "a huge span": b"<table><tr><td colspan=999999999 rowspan=999999999>a<td>b<tr><td>c</table>" * 3,
    "a deep record": b'<script type="application/ld+json">' + b"[" * 100_000 + b"</script><p>text",
    "divs, 10,000 deep": b"<div>" * 10_000 + b"text",
    "spans, 10,000 deep": b"<p>" + b"<span>x" * 10_000,
    "links, 5,000 deep": b"<a href=x><div>" * 5_000 + b"text",
    "quotes, 10,000 deep": b"<blockquote>x" * 10_000,
    "lists, 10,000 deep": b"<ul><li>x" * 10_000,
    "tables, 2,000 deep": b"<table><tr><td>x" * 2_000,
    "bold again and again": b"<b a1><b a2><b a3><b a4><p>x" * 2_000,
    "50,000 siblings": b"<p>x" * 50_000,
    "one id for all": b"<i id=a>x</i>" * 20_000,
    "crowded tags": b'<p class=">" a="x">' * 20_000,
}


def everything(page):
    """All that can be asked of a page."""
    document = tamis.extract(page, url="http://example.org/a/")
    answers = [document.text, document.markdown, document.html, document.to_json(("text", "markdown", "html"))]
    return document, [*answers, document.blocks, document.problems, document.selection.trail]


@pytest.mark.parametrize("name", EMPTY)
def test_a_page_without_text_says_so(name):
    document, _ = everything(EMPTY[name])
    assert document.text == ""
    assert document.problems


@pytest.mark.parametrize("name", ODD)
def test_an_odd_page_is_answered_and_always_alike(name):
    document, answers = everything(ODD[name])
    assert isinstance(document.text, str)
    assert repr(answers) == repr(everything(ODD[name])[1])


@pytest.mark.parametrize("name", ["divs, 10,000 deep", "bad addresses", "two marks", "a deep record", "huge numbers", "links, 5,000 deep"])
def test_the_text_is_found_all_the_same(name):
    assert "text" in tamis.extract(ODD[name]).text


def test_attributes_beyond_a_bound_are_cut_and_the_text_stays():
    crowded = b"<body><p " + b" ".join(b'a%d="x"' % n for n in range(1_000_000)) + b">the text</p>"
    document = tamis.extract(crowded)
    assert document.text == "the text"
    assert any("attribute" in problem for problem in document.problems)


def test_nesting_beyond_a_bound_is_cut_and_said():
    document = tamis.extract(b"the text" + b"<div>" * 300_000)
    assert document.text == "the text"
    assert document.problems


@pytest.mark.slow
def test_of_a_million_siblings_the_first_half_is_read_and_the_page_says_so():
    document = tamis.extract(b"<p>x" * 1_000_000)
    assert len(document.tree.texts) == 500_000
    assert document.text.count("x") == 500_000
    notes = [note.partition(":")[0] for note in document.problems]
    assert notes == ["more than 500000 tags", "more than 150000 lines of text", "more than 150000 texts and images"]


@pytest.mark.parametrize("part", [b"<i></i>", b"<!-- -->x", b"</p>", b"<?x?>x", b"<A HREF=x>x</a>"])
def test_whatever_makes_nodes_is_counted(part):
    tree = tamis.parse(part * 600_000)
    assert len(tree) <= 1_500_010
    assert any(note.startswith("more than 500000 tags") for note in tree.notes)


def test_methods_that_cost_much_look_at_the_first_nodes():
    page = b"<ul>" + b"<li class=a><a href=/x>one</a> two" * 40_000
    tree = tamis.parse(page)
    assert len(tree) > 160_000
    few = tree.bounded()
    assert (len(few), few.notes) == (100_000, ("more than 100000 elements and texts: the rest of the page left out",))
    assert few.end.max() == 100_000
    assert (few.attributes[4], few.attributes[-1]) == (tree.attributes[4], tree.attributes[99_999])
    assert few.text().startswith("one two one two")
    for notes, end in (
        (tamis.segment(tree).tree.notes, "the rest of the page left out"),
        (tamis.denoise(tree, [page[: 10_000 + n] for n in (1, 2)]).problems, "the rest is kept"),
    ):
        assert any(re.search(rf"\d+ elements and texts.*: {end}", note) for note in notes)


def test_a_hundred_megabytes_of_one_text():
    assert len(tamis.extract(b"<p>" + b"x" * 100_000_000).text) == 100_000_000


def test_a_gzip_file_cut_short_gives_what_is_there(tmp_path):
    text = "".join(f"<p>paragraph {n} {random.Random(n).random()}" for n in range(3_000))
    whole = gzip.compress(text.encode())
    (tmp_path / "cut.html.gz").write_bytes(whole[: len(whole) // 2])
    document = tamis.extract(tmp_path / "cut.html.gz")
    assert document.text.startswith("paragraph 0")
    missing = ("the gzip data are damaged or cut off: the rest of the page is missing",)
    assert document.problems == tamis.extract(whole[: len(whole) // 2]).problems == tamis.extract(whole[:-4]).problems == missing
    assert tamis.extract(whole).problems == ()
    (tmp_path / "broken.html.gz").write_bytes(b"\x1f\x8b" + RANDOM)
    with pytest.raises(SourceError, match="damaged"):
        tamis.extract(tmp_path / "broken.html.gz")


def test_memory_does_not_grow_with_the_pages():
    resource = pytest.importorskip("resource")
    page = b"<nav><a href=/>Home</a></nav><article>" + b"<p>One of many paragraphs, all alike.</p>" * 200 + b"</article>"
    for _ in range(200):
        everything(page)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(200):
        everything(page)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map("{}<p>".format)))  # without a tag it may be a path, which is refused
def test_nothing_raises(page):
    everything(page)


PARTS = (
    "<div> <p> </p> <b> <a&href=x> </a> <table> <tr> <td&colspan=3> <ul> <li> <pre> <code> <h2> <img&src=a> <br> <!-- --> & <x-y> "
    "text 字 </div>"
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PARTS.split()).map(lambda part: part.replace("&", " ")), max_size=60).map("".join))
def test_soup_never_raises_and_is_learned_from(page):
    everything(page)
    assert isinstance(tamis.learn([page, page + "<p>more"]).clean(page).text, str)


def test_importing_tamis_is_light():
    import subprocess
    import sys

    code = "import sys, tamis; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "lxml", "pyarrow", "typer", "rich", "selectolax", "urllib3", "chardet"} & set(loaded)
