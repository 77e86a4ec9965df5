"""Pages of every kind to :class:`~tamis.page.tree.PageTree`.

The parser is lexbor (through selectolax), which builds the tree that browsers build. Scripting counts as on, so the content of ``noscript``
is not part of the page (but see :func:`from_html`).
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis.errors import SourceError, UsageError
from tamis.page import tags
from tamis.page.content import GZIP, ContentError, decode_content, unpack_gzip
from tamis.page.decode import Encoding, find_encoding, given_encoding, is_binary, to_utf8
from tamis.page.limits import bound
from tamis.page.mhtml import MailedPage, html_of
from tamis.page.restating import (
    has_code_lines,
    has_code_tables,
    has_side_notes,
    needs_restating,
    restated,
    show_code_lines,
    show_code_tables,
    show_line_breaks,
    show_side_notes,
    with_stated_tags,
    with_stated_text,
)
from tamis.page.styles import LINES, names_of, sheet_of, styles_of
from tamis.page.tree import Attributes, PageTree
from tamis.page.walk import WALKER, from_lexbor
from tamis.page.walk_plain import TreeBuilder, empty
from tamis.page.zstandard import MAGIC as ZSTD

if TYPE_CHECKING:
    from lxml.etree import _Element

Page: TypeAlias = "str | bytes | Path | PageTree | LexborHTMLParser | LexborNode | _Element"
"""A page at the edge of the library: HTML text, bytes as served, a file, or a tree that the caller already has."""

__all__ = ["WALKER", "Page", "from_html", "from_lexbor", "from_lxml", "parse", "parse_decoded", "read_file", "unpack", "unpacked"]

LARGEST = 1 << 28  #: Most bytes that gzip or zstd data are unpacked to.
MAX_NOSCRIPTS = 500  #: Elements of a page in which an image is looked for.
WRAPPERS = 3  #: Elements (``span``, ``picture``) allowed around the image before a ``noscript``.
LATE = ("data-src", "data-original", "data-lazy-src", "data-lazy")  #: Attributes with the address of an image that a script loads late.
LITTLE_TEXT = 2_000
"""Characters; of a page with less, ``noscript`` and the text in JSON-LD are read too, and taken if the text is then twice as long."""
_NOSCRIPT, _IMG = tags.lookup(tags.codes("noscript")), tags.CODE["img"]
_TITLE, _TITLE_END = re.compile(rb"<title(?:\s[^<>]*+)?>\s*", re.IGNORECASE), re.compile(rb"</title", re.IGNORECASE)
_LINE_OR_TAG = re.compile(rb"[\r\n<]")
_LONGEST_TITLE = 2_000  #: Bytes of a title up to which what it holds is not looked at.
_TEX = "math/tex"  #: Type of scripts that hold formulas of MathJax 2.
_ADDRESS = re.compile(r"\s*(?:https?|file)://\S+\s*", re.IGNORECASE)
_PATH = re.compile(
    r"(?:~|[a-z]:)?(?=.*[^\W\d_])(?:[\w.%+-]*[\\/])+[\w.%+-]*|[^\n<>]+\.(?:x?html?|warc|jsonl|ndjson)(?:\.gz)?", re.IGNORECASE
)
_CODED = b"/cdn-cgi/l/email-protection"  #: Path of the links to mail addresses that Cloudflare coded.
_CODED_LINK = re.compile(_CODED + rb"(?<=[\"'=]" + _CODED + rb")#([0-9a-f]{4,4000})")
_LONGEST_CODED = 300  #: Bytes of a tag before the address that it codes.
_CODED_TEXT = re.compile(
    rb"(<\w{1,10}\s)((?:href=[\"']?" + _CODED + rb"[\"']?\s)?)([^<>]{0,200}\bdata-cfemail=[\"']?)([0-9a-f]{4,400})([^<>]{0,200}>)"
    rb"\s{0,20}\[email(?:&#160;|&nbsp;|\xc2\xa0|\s)protected\]"
)
_LONGEST_NAME = 4_096


def parse(page: Page, *, content_type: str | None = None) -> PageTree:
    """Parse a page into a PageTree.

    Args:
        page: HTML as ``str``, as bytes (decoded by :func:`tamis.page.decode.decode`) or in a file (``Path``; gzip is unpacked); or an lxml
            element, a selectolax parser or node, a PageTree.
        content_type: the HTTP ``Content-Type`` header, for bytes.

    Raises:
        SourceError: the file cannot be read, or holds binary data.
        UsageError: the page is none of these, or a string that is a path or an address instead of HTML.

    >>> parse("<p>Hello <i>there</i>").text()
    'Hello there'
    """
    return parse_decoded(page, content_type=content_type)[0]


def parse_decoded(page: Page, *, content_type: str | None = None, encoding: str | None = None) -> tuple[PageTree, Encoding | None]:
    """Do what :func:`parse` does, with the encoding; None if there was nothing to decode. ``encoding``: that of bytes, if known."""
    stated = given_encoding(encoding)
    if isinstance(page, PageTree):
        return page, None
    file = page if isinstance(page, Path) else None
    if isinstance(page, Path):
        content_type = content_type or type_of(page)
        page = read_file(page)
    if isinstance(page, (bytes, bytearray, memoryview)):
        raw, notes = unpacked(page if isinstance(page, bytes) else bytes(page))
        if is_binary(raw):
            if file is not None:
                raise SourceError(f"{file} is not a page: it holds binary data")
            return empty(("no page: binary data",)), None
        content_type = raw.content_type if isinstance(raw, MailedPage) else content_type
        found = stated or find_encoding(raw, content_type)
        return from_html(to_utf8(raw, found, content_type), notes), found
    if isinstance(page, str):
        _refuse_name(page)
        return from_html(page.lstrip("\ufeff").encode("utf-8", "replace")), None
    if isinstance(page, LexborHTMLParser):
        return from_lexbor(page.root), None
    if isinstance(page, LexborNode):
        return from_lexbor(page), None
    if hasattr(page, "iterchildren"):
        return from_lxml(page), None
    raise UsageError(f"a page is HTML text, bytes, a Path, an lxml element or a selectolax node, not {type(page).__name__}")


def _refuse_name(page: str) -> None:
    """Refuse a string that is an address or a path instead of a page (UsageError)."""
    if len(page) > _LONGEST_NAME or "<" in page:
        return
    if _ADDRESS.fullmatch(page):
        raise UsageError(f"{page.strip()!r} is an address, not HTML: use tamis.extract_url(url), or tamis.fetch(url).body")
    if _PATH.fullmatch(page):
        raise UsageError(f"{page!r} is a path, not HTML: pass pathlib.Path({page!r})")


def type_of(path: Path) -> str | None:
    """Return the type of a saved page if its name states that it is plain text."""
    return "text/plain" if path.suffix.lower() == ".txt" else None


def read_file(path: Path) -> bytes:
    """Return the bytes of a saved page, unpacked as by :func:`unpack`.

    Raises:
        SourceError: the file cannot be read, or its gzip data are damaged before the first byte of the page.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}") from error
    return unpack(raw, str(path))


class CutOff(bytes):
    """Gzip data that are damaged or cut off, with what they unpack to."""

    body: bytes


def unpack(raw: bytes, name: str, limit: int = LARGEST) -> bytes:
    """Unpack whole gzip or zstd data, and a page saved as one file (MHTML); return other bytes, and damaged gzip data, as they are (parsing
    reports the damage).

    Raises:
        SourceError: the data are damaged before the first byte of the page.
    """
    if raw[:4] == ZSTD:
        try:
            return html_of(decode_content([raw], ("zstd",), limit))
        except ContentError as error:
            raise SourceError(f"cannot read {name}: {error}") from error
    if raw[:2] != GZIP or isinstance(raw, CutOff):
        return html_of(raw)
    body, trouble = unpack_gzip(raw, limit)
    if trouble is None:
        return html_of(body)
    if not body:
        raise SourceError(f"cannot read {name}: damaged gzip data ({trouble})")
    packed = CutOff(raw)
    packed.body = body
    return packed


def unpacked(raw: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return bytes that may be gzip, unpacked up to the damage, and a note that says so; as they are if that is nothing."""
    with suppress(SourceError):
        raw = unpack(raw, "")
    return (raw.body, ("the gzip data are damaged or cut off: the rest of the page is missing",)) if isinstance(raw, CutOff) else (raw, ())


def from_html(html: bytes, notes: tuple[str, ...] = ()) -> PageTree:
    """Return a PageTree of HTML in UTF-8, hostile markup cut to bounds (:mod:`tamis.page.limits`). ``notes``: known omissions.

    If a script would build the text, and ``noscript`` holds it for readers without scripts, the page is read as by those readers.
    """
    html = _with_addresses(_with_title_ended(html))
    sheet = sheet_of(html)

    def walked(parser: LexborHTMLParser, *more: str) -> PageTree:
        tree = from_lexbor(parser.root, notes=notes + more, own=True)
        return replace(tree, sheet=sheet) if sheet else tree

    bounded, cut = bound(html)
    parser = LexborHTMLParser(bounded, scripting=True)
    tree = walked(parser, *cut)
    if needs_restating(tree) and (rewritten := restated(html)) != html:
        html = rewritten
        bounded, cut = bound(html)
        tree = walked(parser := LexborHTMLParser(bounded, scripting=True), *cut)
    shown = (
        (any(kind.startswith(_TEX) for kind in tree.values("type").distinct), _show_tex),
        (has_code_tables(tree), show_code_tables),
        (has_code_lines(tree), show_code_lines),
        (has_side_notes(tree), show_side_notes),
        (any(styles_of(tree, LINES)), lambda parser: show_line_breaks(parser, names_of(tree, LINES))),
    )
    if sum(show(parser) for needed, show in shown if needed):  # each of them is shown
        tree = walked(parser, *cut)
    if len(noscripts := tree.tagged(_NOSCRIPT)) and _IMG in tree.tag[noscripts - 1]:
        _name_late_images(parser)
    seen = sum(map(len, tree.texts))
    if seen < LITTLE_TEXT and _in_noscript(html) > seen:
        bounded, cut = bound(html, scripting=False)
        without_scripts = walked(LexborHTMLParser(bounded), *cut)
        if sum(map(len, without_scripts.texts)) > 2 * seen:
            return with_stated_tags(without_scripts)
    if seen < LITTLE_TEXT and (stated := with_stated_text(html, tree.json_ld, 2 * seen)) != html:
        bounded, cut = bound(stated)
        note = "the text is that of the JSON-LD (articleBody): the page shows less"
        tree = walked(LexborHTMLParser(bounded, scripting=True), *cut, note)
    return with_stated_tags(tree)


def _with_title_ended(html: bytes) -> bytes:
    """A page whose title swallows what follows, because it has no end tag, with an end at the first line or tag of the title."""
    begin = _TITLE.search(html)
    if begin is None:
        return html
    end = _TITLE_END.search(html, begin.end())
    if end is not None and (end.start() - begin.end() <= _LONGEST_TITLE or b"</" not in html[begin.end() : end.start()]):
        return html
    stop = _LINE_OR_TAG.search(html, begin.end())
    return html if stop is None else b"%b</title>%b" % (html[: stop.start()], html[stop.start() :])


def _with_addresses(html: bytes) -> bytes:
    """A page with its mail addresses in place of what Cloudflare codes them as: the first byte is the key of the others."""
    if _CODED not in html:
        return html

    def address(code: bytes) -> bytes:
        key, *coded = bytes.fromhex(code[: len(code) // 2 * 2].decode())
        return escape(bytes(byte ^ key for byte in coded).decode("utf-8", "replace")).encode()

    def text(match: re.Match[bytes]) -> bytes:
        tag, link, before, code, after = match.groups()
        return tag + (b'href="mailto:%b" ' % address(code) if link else b"") + before + code + after + address(code)

    parts, start = list[bytes](), 0
    html = _CODED_LINK.sub(lambda match: b"mailto:" + address(match[1]), html)
    for mark in re.finditer(b"data-cfemail", html):
        tag = html.rfind(b"<", max(start, mark.start() - _LONGEST_CODED), mark.start())
        if tag >= 0 and (match := _CODED_TEXT.match(html, tag)):
            parts += html[start:tag], text(match)
            start = match.end()
    return b"".join((*parts, html[start:]))


def _show_tex(parser: LexborHTMLParser) -> bool:
    """Move formulas of MathJax 2 from their scripts into the text with dollars around them, in place of what MathJax drew; return whether
    there were any."""
    for script in (found := parser.css(f'script[type^="{_TEX}"]')):
        while (before := script.prev) is not None and (before.attributes.get("class") or "").startswith("MathJax"):
            before.decompose()
        mark = "$$" if "display" in (script.attributes.get("type") or "") else "$"
        script.replace_with(f"{mark}{' '.join(script.text().split())}{mark}")
    return bool(found)


def _name_late_images(parser: LexborHTMLParser) -> None:
    """Give the image before a ``noscript`` the address of the image in it as ``data-src``: a placeholder that a script would load late."""
    for noscript in parser.css("noscript")[:MAX_NOSCRIPTS]:
        content = noscript.text()
        if content.count("<img") != 1 or len(content) > LITTLE_TEXT:
            continue
        late = _element_before(noscript.prev)
        for _ in range(WRAPPERS):
            if late is not None and late.tag != "img":
                late = _element_before(late.last_child)
        if late is None or late.tag != "img" or not late.attributes.keys().isdisjoint(LATE):
            continue
        image = LexborHTMLParser(content).css_first("img")
        for name in ("src", "srcset"):
            if image is not None and (address := image.attributes.get(name)):
                late.attrs[f"data-{name}"] = address


def _element_before(node: LexborNode | None) -> LexborNode | None:
    """Return a node, or the one before it with only white space and comments between; None if that is not an element."""
    while node is not None and (node.tag == "-comment" or (node.tag == "-text" and not (node.text_content or "").strip())):
        node = node.prev
    return node if node is not None and node.is_element_node else None


def _in_noscript(html: bytes) -> int:
    """Bytes between the tags of ``noscript`` elements, tags within included: the most that their text can be."""
    length, begin = 0, html.find(b"<noscript")
    while begin >= 0:
        end = html.find(b"</noscript", begin)
        end = len(html) if end < 0 else end
        length, begin = length + end - begin, html.find(b"<noscript", end)
    return length


def from_lxml(root: _Element) -> PageTree:
    """Return a PageTree of an lxml element and all below it, as lxml holds it (nothing is parsed again).

    The tree of a document that lxml parsed may differ from a browser's: libxml2 knows no HTML5.
    """
    from lxml.etree import iterwalk

    builder = TreeBuilder(_lxml_attributes)
    for event, element in iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start":
            name = element.tag if isinstance(element.tag, str) else ""
            builder.enter(builder.code(name.rpartition("}")[2].lower()), element)
        elif event == "end":
            builder.leave()
        text = element.text if event == "start" else element.tail
        if text and builder.open:
            builder.text(text)
    return builder.tree()


def _lxml_attributes(element: _Element) -> Attributes:
    return {str(name): str(value) for name, value in element.attrib.items()}
