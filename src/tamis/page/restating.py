"""Markup that says by a style or a name of its own what HTML has an element for, rewritten before it is parsed.

A ``div`` that is shown within a line becomes a ``span``; line breaks that a style shows become ``br``, and ``code`` with them ``pre``; a
declarative shadow root becomes a part of the page, AMP's images and media become those of HTML, tables of code lines code, and a page of
frames what it shows without them.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from tamis.page import tags
from tamis.page.tree import PageTree

_STYLE_BYTES = re.compile(rb"display\s?:\s?(inline)\s?[;\"'!]|white-space\s?:\s?(?:pre|break-spaces)", re.I)
_STYLES = (
    (re.compile(r"display\s?:\s?inline\s?(?:[;!]|\Z)", re.I), "display", tags.lookup(tags.codes("div p section"))),
    (
        re.compile(r"white-space\s?:\s?(?:pre|break-spaces)", re.I),
        "white-space",
        tags.lookup(tags.codes("div p span td li code blockquote section article")),
    ),
)
"""The same in an attribute: a style, a word of it, and the elements that are rewritten for it."""
_LONGEST_TAG = 500  #: Bytes of a start tag up to such a style.
_LONGEST = 100_000  #: Bytes of an element with such a style.
_START = re.compile(rb"<(div|p|span|td|li|code|blockquote|section|article)\s[^<>]*", re.I)
_WITHIN_LINE = frozenset((b"div", b"p", b"section"))
_BLOCK_IN_LINE = re.compile(rb"<(?:p|ul|ol|table|h[1-6])[\s>]", re.I)
_TAG, _LINE_END = re.compile(rb"(<[^<>]*+>)"), re.compile(rb"\r?\n")
_SHADOW = re.compile(rb"<template\s[^<>]*\bshadowrootmode\b[^<>]*+>", re.I)
_AMP = re.compile(rb"<(/?)amp-(img|video|audio)\b", re.I)
_AMP_NAMES = {"amp-img", "amp-video", "amp-audio"}
_HOST = re.compile(rb"<([a-z][\w.-]{0,60})(?:\s[^<>]*+)?>\s*+\Z", re.I)
_SLOT = re.compile(rb"<slot\s*>", re.I)
_ROLES = {"table": "table", "rowgroup": "tbody", "row": "tr", "cell": "td", "columnheader": "th", "rowheader": "th"}
_TEMPLATE, _FRAMESET = tags.lookup(tags.codes("template")), tags.CODE["frameset"]
_TABLE = tags.lookup(tags.CELLS | tags.codes("table tbody thead tfoot tr #text"))
CODE_TABLES = ("syntaxhighlighter", "crayon-table", "js-file-line-container")  #: Classes of tables that hold code.
MAX_CODE_TABLES = 200  #: Tables of a page that are read as code.
MAX_SHADOWS = 200  #: Shadow roots of a page that are read.
_ARTICLE_BODY = re.compile(r'"articleBody"\s*:\s*"((?>(?:[^"\\]|\\.)*))"', re.S)
_BAD_ESCAPE, _MARKUP = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})'), re.compile(r"</(?:p|div|br|h[1-6])\b|<br", re.I)
_FRAMES, _UNFRAMED = re.compile(rb"<frameset\b", re.I), re.compile(rb"<noframes\b[^<>]*+>", re.I)


def needs_restating(tree: PageTree) -> bool:
    """Whether a page has markup that :func:`restated` rewrites; what is rare is looked for in the columns of the page, not in its bytes."""
    styles = tree.values("style")
    for pattern, word, rewritten in _STYLES:
        if (codes := styles.passing(pattern.search, (word,))) and (styles.of_codes(codes) & tree.of_tags(rewritten)).any():
            return True
    shadows = any("shadowrootmode" in given for given in tree.attributes_of(tree.tagged(_TEMPLATE).tolist()))
    return shadows or bool((tree.tag == _FRAMESET).any()) or not _AMP_NAMES.isdisjoint(tree.names)


def restated(html: bytes) -> bytes:
    """Return a page, in UTF-8, in HTML's own elements.

    >>> restated(b'<p>at $<div style="display:inline">5</div> each').decode()
    '<p>at $<span style="display:inline">5</span> each'
    >>> restated(b'<div style="white-space: pre-line">Boil.\\nWait.</div>').decode()
    '<div style="white-space: pre-line">Boil.<br>Wait.</div>'
    """
    lowered = html.lower()
    html = _by_style(html, lowered)
    if b"shadowrootmode" in html:
        html = _with_open_shadows(html)
    if b"<amp-" in html:
        html = _AMP.sub(rb"<\1\2", html)
    if b"<frameset" in lowered and (frames := _FRAMES.search(html)) and (unframed := _UNFRAMED.search(html, frames.end())):
        html = html[: frames.start()] + html[unframed.end() :]
    return html


def with_stated_text(html: bytes, json_ld: tuple[str, ...], least: int) -> bytes:
    """Return a page with the text of the article that its JSON-LD states, if that has more than ``least`` characters.

    >>> with_stated_text(b"<p>Hi</body>", ('{"articleBody": "Reeds\\\\ngrow."}',), 2)
    b'<p>Hi<article><p>Reeds</p><p>grow.</p></article></body>'
    """
    stated = [found[1] for block in json_ld if (found := _ARTICLE_BODY.search(block)) and len(found[1]) > least]
    if len(stated) != 1:  # several are a list of articles
        return html
    text = json.JSONDecoder(strict=False).decode(f'"{stated[0]}"') if not _BAD_ESCAPE.search(stated[0]) else ""
    if len(text) <= least:
        return html
    lines = text if _MARKUP.search(text) else "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())
    ends = [html.rfind(end) for end in (b"</main>", b"</article>", b"</body>")]
    at = next((end for end in ends if end >= 0), len(html))
    return b"%b<article>%b</article>%b" % (html[:at], lines.encode("utf-8", "replace"), html[at:])


def _by_style(html: bytes, lowered: bytes) -> bytes:
    """A page with the elements whose style shows them within a line, or shows their line breaks, as elements that do so."""
    parts, done, left = list[bytes](), 0, 4 * len(html)
    for style in _styles(html, lowered):
        start = html.rfind(b"<", max(done, style.start() - _LONGEST_TAG), style.start())
        tag = _START.match(html, start) if start >= 0 else None
        if tag is None or tag.end() < style.end() or html[tag.end() : tag.end() + 1] != b">":
            continue
        name, within_line, inside = tag[1].lower(), style[1] is not None, tag.end() + 1
        if within_line and name not in _WITHIN_LINE:
            continue
        end = _end_of(html, name, inside) if left > 0 else -1
        left -= end - inside if end >= 0 else _LONGEST
        if end < 0:
            continue
        content = html[inside:end]
        if within_line:
            if _BLOCK_IN_LINE.search(content):
                continue
            new = b"span"
        else:
            new = b"pre" if name == b"code" and (b"\n" in content.strip() or b"<br" in content) else name
            content = content if new == b"pre" else _with_breaks(content)
        parts += html[done:start], b"<", new, html[start + 1 + len(name) : inside], content, b"</", new
        done = end + 2 + len(name)
    return b"".join((*parts, html[done:]))


def _styles(html: bytes, lowered: bytes) -> list[re.Match[bytes]]:
    """Where such styles stand, in order. Their words are looked for first: a pattern without regard to case is slow on a whole page."""
    found = list[re.Match[bytes]]()
    for word in (b"display", b"white-space"):
        at = lowered.find(word)
        while at >= 0:
            if style := _STYLE_BYTES.match(html, at):
                found.append(style)
            at = lowered.find(word, at + len(word))
    return sorted(found, key=lambda style: style.start())


def _end_of(html: bytes | bytearray, name: bytes, start: int) -> int:
    """Where the end tag of an element begins whose content begins at ``start``; -1 where there is none near."""
    depth = 1
    for tag in re.finditer(rb"<(/?)%b(?=[\s>])" % re.escape(name), html[start : start + _LONGEST], re.I):
        depth += -1 if tag[1] else 1
        if not depth:
            return start + tag.start()
    return -1


def _with_breaks(content: bytes) -> bytes:
    """Content with a ``br`` for each line break between words; those around it show nothing."""
    trimmed = content.strip()
    if not trimmed:
        return content
    pieces = _TAG.split(trimmed)
    pieces[::2] = [_LINE_END.sub(b"<br>", piece) if piece.strip() else piece for piece in pieces[::2]]
    return b"".join(pieces)


def _with_open_shadows(html: bytes) -> bytes:
    """A page with its declarative shadow roots as elements of the page; what a root's element holds besides stands in its slot."""
    page = bytearray(html)  # what follows a root is moved, not copied
    for start in list(_SHADOW.finditer(html))[:MAX_SHADOWS][::-1]:  # inner ones before those around them
        close = _end_of(page, b"template", start.end())
        after = page.find(b">", close) + 1
        if close < 0 or not after:
            continue
        host = _HOST.search(page, max(0, start.start() - _LONGEST_TAG), start.start())
        slot = _SLOT.search(page, start.end(), close)
        stop = _end_of(page, host[1], after) if host and slot else -1
        root, rest = page[start.end() : close], after
        if slot and stop >= 0:
            root, rest = page[start.end() : slot.end()] + page[after:stop] + page[slot.end() : close], stop
        page[start.start() : rest] = b"<shadow-root>" + root + b"</shadow-root>"
    return bytes(page)


def with_tables_of_roles(tree: PageTree) -> PageTree:
    """Return a page whose elements with the roles of a table, its rows and cells have the tags of these."""
    roles = tree.values("role")
    if "table" not in roles.distinct:
        return tree
    codes = np.array([tags.CODE.get(_ROLES.get(role, ""), 0) for role in (*roles.distinct, "")], dtype=np.int32)
    new = codes[roles.codes]
    inside = tree.covered(new == tags.CODE["table"])
    proper = (new > 0) & inside & ~tags.within(_TABLE, tree.tag)
    return replace(tree, tag=np.where(proper, new, tree.tag)) if proper.any() else tree


def show_code_tables(parser: LexborHTMLParser) -> None:
    """Put preformatted text in place of the tables that Crayon, SyntaxHighlighter and GitHub draw code in, a line a row or element."""
    for table in parser.css(".syntaxhighlighter table, table.crayon-table, table.js-file-line-container")[:MAX_CODE_TABLES]:
        lines = [line.text().replace("\xa0", " ").strip("\r\n") for line in table.css(".code .line, .crayon-line, .blob-code")]
        if any(map(str.strip, lines)):
            code = parser.create_node("pre")
            code.insert_child("\n".join(line.rstrip() for line in lines))
            table.replace_with(code)
