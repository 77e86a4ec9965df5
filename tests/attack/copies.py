"""Pages that say one thing and have it copied to many places: what every form writes of them stays in proportion to the page.

``python -m tests.attack.copies`` prints, by family and form, how many bytes come out for each byte of pages of two sizes. Half of a page
is one long address, name or text, the other half places that repeat it, so that copying without a bound grows with the square of the size.
Exit code 1: a form writes more than :data:`MOST` bytes for each byte, besides what is free (:data:`tamis.page.budget.FREE`, for each of
the budgets that a form has).
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import tamis
from tamis.document.chunks import rows_of_chunks
from tamis.document.document import FORMATS, Document
from tamis.page.budget import FREE

SIZES = (100_000, 200_000)
"""Bytes."""
MOST = 80.0
"""Bytes of output for each byte of a page: its places are tags of a few bytes, which markup and JSON write with a few dozens."""
URL = "https://lantern-bay.example/news/"
Given = tuple[str, str]  #: A page and its address.


def _half(part: str, size: int) -> str:
    return part * (size // 2 // len(part))


def _places(part: str, size: int) -> str:
    return "".join(part.replace("{}", str(number)) for number in range(size // 2 // (len(part) + 2)))


def _page(long: str, before: str, places: str, after: str = "", url: str = URL) -> Callable[[int], Given]:
    """``long``: what is repeated to be long, put into ``before`` for ``@``; ``places``: what is written again and again after it."""

    def page(size: int) -> Given:
        return before.replace("@", _half(long, size)) + _places(places, size) + after, url.replace("@", _half(long, size))

    return page


WORDS = "a sentence of words, "
ITEM = "<li class=hit><a href=/{}>Title {}</a> <span class=price>{} kg</span>"
COMMENT = "<div class=comment id=comment-{}><a class=author href=u{}>N{}</a><p>Yes {}.</div>"
TEXT = "Words of text {}. "
FAMILIES: dict[str, Callable[[int], Given]] = {
    "a long base": _page("long/", f"<base href='{URL}@'><h1>Links</h1>", "<p>Some words about <a href=x{}>link {}</a> here."),
    "a long base, pictures": _page("long/", f"<base href='{URL}@'><h1>Links</h1><p>Words.", "<img src=x{}.png alt=picture>"),
    "a long base, records": _page("long/", f"<base href='{URL}@'><ul>", "<li class=hit><a href=x{}>Title {}</a> <b>{} kg</b>"),
    "a long base, comments": _page(
        "long/",
        f"<base href='{URL}@'><p>{WORDS * 20}<div id=comments>",
        COMMENT,
    ),
    "a long address": _page("long/", "<h1>Links</h1>", "<p>Some words about <a href=x{}>link {}</a> here.", url=f"{URL}@"),
    "a long query": _page("long", "<h1>Links</h1>", "<p>Some words about <a href=#x{}>link {}</a> here.", url=f"{URL}?@"),
    "one link around many blocks": _page("long/", "<a href='/@'>", "<p>Paragraph {} of words."),
    "one titled link around many blocks": _page("long ", "<a href=/x title='@'>", "<p>Paragraph {} of words."),
    "a long address of a link in many lines": _page("long/", "<p><a href='/@'>", "text<br>{} "),
    "one abbreviation around many blocks": _page("long ", "<abbr title='@'>", "<p>Paragraph {} of words."),
    "one language around many blocks": _page("en-x-", "<div lang='@'>", "<p>Paragraph {} of words."),
    "one time around many blocks": _page("2024-", "<time datetime='@'>", "<p>Paragraph {} of words."),
    "a long title": _page(WORDS, "<title>@</title><p>", TEXT),
    "a long heading": _page(WORDS, "<h1>@</h1><p>", TEXT),
    "a long heading above headings": _page(WORDS, "<h1>@</h1>", "<h2>H {}</h2><p>Words."),
    "many headings in headings": lambda size: (
        "".join(f"<h{k}>{WORDS * (size // 12 // len(WORDS))}</h{k}>" for k in range(1, 7)) + "<p>" + _places(TEXT, size),
        URL,
    ),
    "a long author": _page("Ann Lee, ", "<meta name=author content='@'><title>T</title><p>", TEXT),
    "a long canonical address": _page("long/", f"<link rel=canonical href='{URL}@'><title>T</title><p>", TEXT),
    "a long language": _page("en-x-", "<html lang='@'><title>T</title><p>", TEXT),
    "a long class": _page("name ", "<ul class='@'>", ITEM),
    "a long class in records": lambda size: (
        "<ul>" + "".join(f"<li class='{'c' * (size // 40)}'><a href=/{n}>Title {n}</a> <b>{n} kg</b>" for n in range(20)),
        URL,
    ),
    "a long name of a column": _page("name ", "<table><tr><th>@<th>b", "<tr><td>{}<td>x"),
    "many names of columns": lambda size: (
        "<table><tr>" + _places("<th>name {}", size) + "".join(f"<tr><td>{n}<td>x" for n in range(size // 2 // 15)),
        URL,
    ),
    "many wide rows": lambda size: ("<table>" + ("<tr>" + "<td>x" * 900) + "<tr><td>x" * (size // 9), URL),
    "a table of a long text that spans": lambda size: (
        f"<table><tr><td rowspan=60000>{_half(WORDS, size)}<td>x" + _places("<tr><td>{}", size) + "</table>",
        URL,
    ),
    "a row of a long text that spans": lambda size: (
        f"<table><tr><td colspan=1000>{_half(WORDS, size)}<tr>" + "<td>x" * 900 + "</table>",
        URL,
    ),
    "a long language of code": _page("l", "<pre><code class='language-@'>", "line {}\n"),
    "code deep in quotes": lambda size: ("<blockquote>" * 400 + "<pre>" + _places("{}\n", 2 * size), URL),
    "code deep in lists": lambda size: ("<ul><li>" * 200 + "x<pre>" + _places("{}\n", 2 * size), URL),
    "lines in emphasis": lambda size: ("<b><i><s><code><sub><sup><u><mark><small><q>" + _places("<p>{}", 2 * size), URL),
    "one note, many references": _page(WORDS, "<p id=n>@</p><p>", "word <sup><a href=#n>1</a></sup> "),
    "nested items of microdata": lambda size: (
        "<div itemscope itemtype=https://schema.org/Article>" + "<div itemprop=name>" * 100 + _half(WORDS, 2 * size),
        URL,
    ),
    "boxes in boxes": lambda size: ("<div>x" * (min(size // 20, 400)) + _half(WORDS, 2 * size), URL),
    "boxes in boxes, many lines": lambda size: ("<div>x" * (min(size // 20, 400)) + _places("<p>{}", 2 * size), URL),
    "records in records": lambda size: ("<ul><li>x<li>y<li>" * min(size // 40, 150) + _half(WORDS, 2 * size), URL),
    "deep paths": lambda size: ("<section>" * 400 + _places("<p>{}", 2 * size), URL),
    "deep paths of long names": lambda size: ("".join(f"<x-{'y' * (size // 200)}>" for _ in range(50)) + _places("<p>{}", 2 * size), URL),
    "a long id around many lines": _page("name", "<div id='@'>", "<p>{}"),
    "a long style": _page("color:red;", "<div style='@'>", "<p>{}"),
    "a long alternative text": _page(WORDS, "<img src=/a.png alt='@'>", "<p>{}<img src=/a.png>"),
}


def _comments_by_one(size: int) -> Given:
    graph = [{"@id": "#a", "@type": "Person", "name": _half("Ann ", size)}]
    stated = [{"@type": "Comment", "text": f"Yes {n}.", "author": {"@id": "#a"}} for n in range(size // 2 // 70)]
    article = {"@type": "Article", "headline": "A", "comment": stated}
    return f'<script type="application/ld+json">{json.dumps({"@graph": [*graph, article]})}</script><p>{WORDS * 20}', URL


def _product_of_one(size: int) -> Given:
    product = {"@type": "Product", "name": "A kettle", "brand": _half("Brand ", size), "offers": {"price": "12.00", "priceCurrency": "EUR"}}
    return f'<script type="application/ld+json">{json.dumps(product)}</script><p>{_places(TEXT, size)}', URL


FAMILIES["a long brand"] = _product_of_one
FAMILIES["an author that all comments refer to"] = _comments_by_one


def _plain(thing: Any) -> int:
    if isinstance(thing, (list, tuple, Iterator)):
        return sum(map(_plain, thing)) + 2
    return len(json.dumps(thing, ensure_ascii=False, default=str).encode("utf-8", "replace")) + 2


def _chunks(document: Document, **more: Any) -> int:
    found = [chunk.to_dict() for chunk in document.chunks(**more)]
    return _plain(rows_of_chunks("page.html", document.url, document.metadata.to_dict(), found))


def _records(given: Given) -> Iterator[tuple[str, int]]:
    found = tamis.find_records(given[0].encode(), url=given[1])
    table = found.table
    for name in ("to_csv", "to_json", "to_jsonl"):
        yield f"records {name}", len(getattr(table, name)().encode("utf-8", "replace"))
    yield "records texts", sum(len(text) for region in found.regions for text in region.texts)
    yield "records columns", _plain([column.to_dict() for column in table.columns])
    with suppress(tamis.TamisError, AttributeError):
        if found.main:
            yield "wrapper", _plain(found.main.to_wrapper().to_dict())
    yield "data tables", sum(len(each.to_jsonl()) for each in found.data_tables)


def _unpacked(path: Path) -> int:
    if not zipfile.is_zipfile(path):
        return path.stat().st_size
    with zipfile.ZipFile(path) as packed:
        return sum(each.file_size for each in packed.infolist())


def forms(given: Given) -> Iterator[tuple[str, int]]:
    """What each form writes of a page, in bytes."""
    page = given[0].encode()
    document = tamis.extract(page, url=given[1])
    for form in FORMATS:
        yield form, len(document.render(form).encode("utf-8", "replace"))
    yield "chunks", _chunks(document)
    yield "small chunks", _chunks(document, size=1, headings=True)
    yield "chunks that overlap", _chunks(document, size=20, overlap=19)
    yield "blocks", _plain(block.to_dict() for block in document.blocks)
    yield "metadata", _plain(document.metadata.to_dict())
    yield "comments", _plain(each.to_dict() for each in (*document.comments, *document.posts))
    yield from _records(given)
    yield "segmentation", _plain(tamis.segment(page).to_dict())
    others = [page.replace(b"x", b"y"), page.replace(b"1", b"2")]
    done = tamis.denoise(page, others, url=given[1])
    yield (
        "denoised",
        len(done.html.encode("utf-8", "replace"))
        + len(done.explain().encode("utf-8", "replace") if isinstance(done.explain(), str) else b""),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        tamis.learn([page, *others]).save(path)
        yield "model", sum(_unpacked(each) for each in path.rglob("*") if each.is_file())


def ratios(family: str, size: int) -> dict[str, float]:
    """Return by form how many bytes come out for each byte of a page, besides what is free."""
    given = FAMILIES[family](size)
    length = len(given[0].encode()) + len(given[1])
    return {form: max(written - 4 * FREE, 0) / length for form, written in forms(given)}


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--families", nargs="*", default=list(FAMILIES))
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    options = parser.parse_args()
    found = 0
    for family in options.families:
        cpu = time.process_time()
        high: dict[str, list[int]] = {}
        for size in options.sizes:
            for form, ratio in ratios(family, size).items():
                if ratio > MOST:
                    high.setdefault(form, []).append(round(ratio))
        found += bool(high)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{'!' if high else ' '} {family:44} {time.process_time() - cpu:6.1f} s {peak:5} MB {high or ''}", flush=True)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
