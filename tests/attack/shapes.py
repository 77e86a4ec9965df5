"""Hostile shapes: pages that are large in one way each. Every shape is a function of its size in bytes."""

from __future__ import annotations

import random
from collections.abc import Callable


def _again(part: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    """One part, again and again; ``{}`` in it is a number."""

    def page(size: int) -> bytes:
        if "{}" not in part:
            return (before + part * (size // len(part.encode())) + after).encode()
        pieces = (part.replace("{}", str(number)) for number in range(size // (len(part) + 3)))
        return (before + "".join(pieces) + after).encode()

    return page


def _deep(opening: str, closing: str, inner: str = "the text") -> Callable[[int], bytes]:
    def page(size: int) -> bytes:
        times = size // (len(opening) + len(closing))
        return (opening * times + inner + closing * times).encode()

    return page


def _words(size: int) -> bytes:
    draw = random.Random(3)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9))) for _ in range(5_000)]
    return ("<p>" + " ".join(draw.choices(words, k=size // 7))).encode()


def _json_ld(inner: str) -> Callable[[int], bytes]:
    def page(size: int) -> bytes:
        body = ",".join([inner] * (size // (len(inner) + 1)))
        return f'<script type="application/ld+json">{{"@graph": [{body}]}}</script><p>the text'.encode()

    return page


def _table(size: int) -> bytes:
    row = "<tr>" + "<td>cell" * 1_000
    return ("<table>" + row * (size // len(row)) + "</table>").encode()


SHAPES: dict[str, Callable[[int], bytes]] = {
    "ordinary paragraphs": _again("<p>This is paragraph {} of a page, with <a href=/p/{}>one link</a> and some more words of text.</p>\n"),
    "siblings": _again("<p>x"),
    "different siblings": _again('<p class="c{}" id=i{}>text {}</p>'),
    "empty elements": _again("<i></i>"),
    "line breaks": _again("<br>"),
    "div in div": _deep("<div>", "</div>"),
    "span in span with text": _again("<span>x"),
    "emphasis in emphasis": _again("<b><i>x"),
    "never closed emphasis": _again("<b a={}><p>x"),
    "lists in lists": _again("<ul><li>x"),
    "tables in tables": _again("<table><tr><td>x"),
    "quotes in quotes": _again("<blockquote>x"),
    "unknown tags": _again("<x{}>y"),
    "links": _again("<a href=/{}>x</a>"),
    "links in list items": _again("<li><a href=/{}>link number {}</a></li>", "<ul>", "</ul>"),
    "emphasis marks": _again("<b>x</b> "),
    "images": _again('<img src="/{}.png" alt="picture {}" srcset="/{}.png 1x, /{}.png 2x">'),
    "list items": _again("<li>item {}</li>", "<ol>", "</ol>"),
    "definitions": _again("<dt>name {}<dd>value {}", "<dl>", "</dl>"),
    "options": _again("<option>{}", "<select>", "</select>"),
    "a long table": _again("<tr><td>{}<td>a cell<td>another", "<table>", "</table>"),
    "a wide table": _again("<td>{}", "<table><tr>", "</table>"),
    "a large table": _table,
    "wide tables with empty places": _again("<p>Words.</p><table><tr>" + "<th>a" * 1_000 + "<tr><td>b<td>{}" * 500 + "</table>"),
    "spanned cells": _again("<td colspan=1000 rowspan=1000>x", "<table><tr>", "</table>"),
    "rows of spanned cells": _again("<tr><td rowspan=65534>x<td colspan=1000>y", "<table>", "</table>"),
    "tables": _again("<table><tr><th>a<th>b<tr><td>1<td>{}</table>"),
    "one text": _again("x", "<p>"),
    "one text of words": _words,
    "lines of preformatted text": _again("line {}\n", "<pre>", "</pre>"),
    "Chinese text": _again("潮水每天来两次。", "<p>"),
    "entities": _again("&amp;&notin;&#x1F600;&lt;", "<p>"),
    "marks of Markdown": _again("*_[`#|<p>", "<p>"),
    "one long attribute": _again("x", '<p title="', '">the text'),
    "one long address": _again("a/", '<p>the text <a href="/', '">link</a>'),
    "one long class": _again("name{} ", '<p class="', '">the text'),
    "one long style": _again("width:1px;", '<p style="', '">the text'),
    "styles": _again('<p style="width:{}px;color:red">x'),
    "attributes on one tag": _again("a{}=1 ", "<p ", ">the text"),
    "headings": _again("<h2>Heading {}</h2><p>x"),
    "comments in markup": _again("<!-- {} -->x"),
    "an open comment": _again("x ", "the text <!-- "),
    "scripts": _again("<script>var a={};</script>x"),
    "JSON-LD, many objects": _json_ld('{"@type": "Article", "headline": "a", "author": {"name": "b"}}'),
    "JSON-LD, deep": _again("[", '<script type="application/ld+json">', "</script><p>the text"),
    "meta elements": _again('<meta name="author" content="Name {}">', "<head>", "<body>the text"),
    "comment sections": _again('<div class="comment" id="comment-{}"><b class=author>Name {}</b><p>What they say</div>'),
    "comment headings": _again("<h3>{} comments</h3><p>x"),
    "search results": _again('<div class="hit"><h3><a href="/{}">Title {}</a></h3><span class=price>$ {}.00</span></div>'),
    "footnotes": _again('<sup id="r{}"><a href="#n{}">{}</a></sup><li id="n{}">note'),
    "forms": _again("<form><input name=a{}><label>x</label></form>"),
    "vector graphics": _again("<svg><path d='M{} 0'/></svg>"),
    "formulas": _again("<math><mi>x</mi><mo>=</mo><mn>{}</mn></math>"),
    "noscript": _again("<noscript><p>x</noscript>"),
}
"""Shapes by name."""
