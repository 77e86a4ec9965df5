"""Bytes to text: which encoding, and who said so, in the order of the HTML standard, with labels read as browsers read them.

Unlike a browser, tamis does not believe what the bytes contradict: pages that were saved as UTF-8 often still declare what they were.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import webencodings

from tamis.errors import UsageError
from tamis.native import markup
from tamis.page.whatwg import text_of

EncodingSource = Literal["bom", "header", "meta", "utf-8", "detector", "default", "text"]

PRESCAN = 4_096  #: Bytes at the start of a page that are searched for a declaration, and bytes that may precede it in its tag.
_SEARCHED = (512, PRESCAN, 1_000_000)
"""Bytes that are searched one after the other: most pages declare it early, and browsers read a page again when they come to it late."""
DETECT = 65_536  #: Bytes before and after the first that is not ASCII that are checked, and that the detector looks at.

_DECLARING = (
    (b"<?xml", b"encoding", re.compile(rb"""encoding\s*+=\s*+["']\s*+([\w.:-]++)(?!\Z)"""), 206),
    (b"<meta", b"charset", re.compile(rb"""charset(?<=[\s"';]charset)\s*+=\s*+["']?+\s*+([\w.:-]++)(?!\Z)"""), PRESCAN),
)
"""Beginnings of tags that may declare an encoding, the word in each declaration, forms of those that end, and the most bytes before one."""
_HEADER = re.compile(r"""charset\s*+=\s*+["']?+\s*+([\w.:-]++)""", re.I)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SIGNATURES = (
    *(b"%PDF-", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF"),
    *(b"\xd0\xcf\x11\xe0", b"7z\xbc\xaf", b"Rar!\x1a", b"wOFF", b"wOF2", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x04\x22\x4d\x18"),
)
"""Beginnings of files often taken for pages: PDF, PNG, GIF, JPEG, ZIP, gzip, ELF, old Office, 7z, RAR, fonts, bzip2, xz, LZ4."""
_DAMAGED, _WRONG = 0.1, 0.5
"""Share of the characters that do not fit, up to which bytes are UTF-8, and above which they are not in the encoding that is stated."""
_HIGH = re.compile(rb"[\x80-\xff]+")
_LABELS = re.compile(rb"charset|encoding", re.I)
_JAPANESE_ESCAPE = b"\x1b$"  # begins the pairs of ISO-2022-JP
_TAG_ENDS = re.compile(rb"[<>]")
_BINARY = bytes(byte for byte in range(32) if byte not in b"\t\n\f\r\x1b")
"""Bytes that no text has (MIME Sniffing standard, "binary data byte")."""
_HEADER_BYTES = 1_445
_MARKUP = re.compile(rb"<(?:!doctype|html|head|body|title|meta|script|div|p|a|span|br|table|h1)[\s/>]", re.I)
_COMMENT = re.compile(rb"<!--(?>(?:[^-]++|-(?!->))*)(?:-->)?")
_WIDER = {
    "gbk": "gb18030", "gb2312": "gb18030", "shift_jis": "cp932", "big5": "big5hkscs", "euc-kr": "cp949", "x-user-defined": "cp1252",
    "iso-8859-8-i": "iso8859-8", "macintosh": "mac-roman", "x-mac-cyrillic": "mac-cyrillic", "windows-874": "cp874",
}  # fmt: skip
"""WHATWG names whose Python codec has another name, or is narrower than what browsers read."""
_OTHER_ALPHABETS = frozenset("cp1251 koi8-r koi8-u iso8859-5 cp1253 iso8859-7 cp1255 iso8859-8 cp1256 iso8859-6 cp874 iso8859-11".split())
"""Encodings of one byte a letter, for alphabets with nearly all letters beyond ASCII."""
_NOT_FOR_PAGES = frozenset("idna punycode undefined unicode_escape raw_unicode_escape mbcs oem utf_7".split())


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a page, and how that is known."""

    name: str  #: Name of the Python codec.
    source: EncodingSource  #: Byte-order mark, HTTP header, declaration in the page, valid UTF-8, detector, or default.


@lru_cache(maxsize=64)
def codec(label: str) -> str | None:
    """Return the Python codec for an encoding label as browsers read it, or None for a label that means nothing.

    >>> codec("GB2312"), codec("shift_jis"), codec("latin1"), codec("big5"), codec("nonsense")
    ('gb18030', 'cp932', 'cp1252', 'big5hkscs', None)
    """
    encoding = webencodings.lookup(label.strip().strip("\"'")) if label.isascii() else None
    name = encoding.name if encoding is not None else label
    name = _WIDER.get(name, name)
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    if not info._is_text_encoding or info.name.replace("-", "_") in _NOT_FOR_PAGES:
        return None
    return _WIDER.get(info.name, _WIDER.get(info.name.replace("_", "-"), info.name))


def given_encoding(label: str | None) -> Encoding | None:
    """Return the encoding that a caller states; None if none is stated.

    Raises:
        UsageError: there is no such encoding.
    """
    if label is None:
        return None
    name = codec(label)
    if name is None:
        raise UsageError(f"there is no encoding {label!r}")
    return Encoding(name, "header")


def is_binary(raw: bytes) -> bool:
    """Return whether bytes are not a page: they begin like pictures, archives and so on, or are full of bytes that do not occur in text.

    >>> is_binary(b"%PDF-1.7 ..."), is_binary(b"a page with a \\0")
    (True, False)
    """
    if raw.startswith(_SIGNATURES):
        return True
    start = raw[:_HEADER_BYTES]
    if _MARKUP.search(start) or raw.startswith(tuple(bom for bom, _ in _BOMS)):
        return False
    controls = len(start) - len(start.translate(None, _BINARY))
    return controls > max(0.03 * len(start), 3) and not _utf_16(start)


def _utf_16(raw: bytes) -> str | None:
    """UTF-16 without a byte-order mark, known by the zeros at every second byte of markup."""
    start = raw[:_HEADER_BYTES]
    if 0 not in start:
        return None
    half = len(start) // 2
    even, odd = start[::2].count(0), start[1::2].count(0)
    if 2 * max(even, odd) <= half or 20 * min(even, odd) > half:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def find_encoding(raw: bytes, content_type: str | None = None) -> Encoding:
    """Find the encoding of a page.

    Args:
        raw: the page as served.
        content_type: the HTTP ``Content-Type`` header, if there is one.

    >>> find_encoding("<meta charset=gb2312>汉字".encode())
    Encoding(name='utf-8', source='utf-8')
    >>> find_encoding("<meta charset=gb2312>汉字".encode("gb18030"))
    Encoding(name='gb18030', source='meta')
    """
    for bom, name in _BOMS:
        if raw.startswith(bom):
            return Encoding(name, "bom")
    stated = _stated_encoding(raw, content_type)
    first, is_utf_8 = markup.read_utf_8(raw, DETECT)
    is_ascii = first == len(raw)
    if stated is None and is_ascii and _JAPANESE_ESCAPE in raw:
        return Encoding("iso2022_jp", "detector")
    if stated is not None and (is_ascii or stated.name.startswith(("utf-16", "utf-32"))):
        return stated
    sample = b"" if is_utf_8 else raw[max(first - DETECT, 0) & ~1 : first + DETECT]  # UTF-16 has two bytes a character
    if is_utf_8 or _damage(sample, "utf-8") <= (_DAMAGED if stated is None or stated.name != "utf-8" else _WRONG):
        return stated if stated is not None and stated.name == "utf-8" else Encoding("utf-8", "utf-8")
    if stated is not None and not _is_contradicted(sample, stated.name):
        return stated
    if named := _detect(sample):
        return Encoding(named, "detector")
    return stated or Encoding("cp1252", "default")


def _stated_encoding(raw: bytes, content_type: str | None) -> Encoding | None:
    """Return the encoding that the header, zeros between the characters, or the page states."""
    header = _HEADER.search(content_type) if content_type else None
    if header and (named := codec(header[1])):
        return Encoding(named, "header")
    if named := _utf_16(raw):
        return Encoding(named, "detector")
    named = next(filter(None, (_from_declaration(raw[:most]) for most in _SEARCHED)), None)
    return Encoding(named, "meta") if named else None


def _damage(sample: bytes, name: str) -> float:
    """Share of the characters beyond ASCII that an encoding does not have, 0..1. The last character may be cut."""
    try:
        codecs.getincrementaldecoder(name)().decode(sample)
        return 0.0
    except UnicodeError:
        text = text_of(sample, name).removesuffix("\ufffd")
    return text.count("\ufffd") / max(len(text) - len(text.encode("ascii", "ignore")), 1)


def _is_contradicted(sample: bytes, name: str) -> bool:
    """Return whether bytes cannot be in the stated encoding: most do not fit, or the text is not Western."""
    return _is_dense(sample) if name == "cp1252" else _damage(sample, name) > _WRONG


def _is_dense(sample: bytes) -> bool:
    """Return whether most bytes beyond ASCII come three or more in a row, which letters of Western languages never do."""
    runs = [run[0] for run in _HIGH.finditer(sample)]
    return 2 * sum(len(run) for run in runs if len(run) > 2 and len(set(run)) > 1) > sum(map(len, runs))


def decode(raw: bytes, content_type: str | None = None) -> str:
    """Return the text of a page. Never fails: bytes that do not fit become U+FFFD.

    >>> decode("<meta charset=shift_jis>漢字".encode("cp932"))
    '<meta charset=shift_jis>漢字'
    """
    return to_utf8(raw, find_encoding(raw, content_type), content_type).decode("utf-8", "replace")


def to_utf8(raw: bytes, encoding: Encoding, content_type: str | None = None) -> bytes:
    """Return a page's bytes as UTF-8, without a byte-order mark. UTF-8 passes as it is: the parser replaces what is damaged.

    ``content_type``: that of plain text makes it a page as browsers do, unless it begins with a tag.
    """
    raw = _without_bom(raw)
    html = raw if encoding.name == "utf-8" else text_of(raw, encoding.name).encode("utf-8", "replace")
    if (content_type or "").strip().lower().startswith("text/plain") and not html.lstrip().startswith(b"<"):
        return b"<pre>%b</pre>" % html.replace(b"&", b"&amp;").replace(b"<", b"&lt;")
    return html


def _without_bom(raw: bytes) -> bytes:
    """Files that were put together may have several marks."""
    for bom, _ in _BOMS:
        while raw.startswith(bom):
            raw = raw[len(bom) :]
    return raw


def _from_declaration(start: bytes) -> str | None:
    """Return the codec named at the beginning; a page that says UTF-16 in ASCII bytes means UTF-8 (HTML standard)."""
    label = _declared_label(start)
    if label is None:
        return None
    name = codec(label.decode("ascii", "replace"))
    return "utf-8" if name and name.startswith(("utf-16", "utf-32")) else name


def _declared_label(start: bytes) -> bytes | None:
    """Return the label in the first ``meta`` tag or XML declaration that has one, in lower case."""
    start = start.lower()
    labels: list[re.Match[bytes]] = []
    declaring = [each for each in _DECLARING if start.find(each[0]) >= 0 and start.find(each[1]) >= 0]  # faster than "in"
    start = _COMMENT.sub(b"", start) if declaring and start.find(b"<!--") >= 0 else start
    for tag, _, declaration, most in declaring:
        for found in declaration.finditer(start):
            begun = start.rfind(tag, max(0, found.start() - most), found.start())
            if begun >= 0 and start[begun + len(tag) : begun + len(tag) + 1].isspace() and start.find(b">", begun, found.start()) < 0:
                labels.append(found)
                break
    return min(labels, key=re.Match.start)[1] if labels else None


def _detect(sample: bytes) -> str | None:
    """Return the detector's answer among the encodings of web pages. The detector believes declarations, takes little text in much markup
    for Western, and takes single letters beyond ASCII for those of any alphabet, although only Western languages have single ones."""
    from chardet import EncodingEra, detect

    dense = _is_dense(sample)
    if dense and b"\0" not in sample:
        sample = b"\n".join(piece for piece in _TAG_ENDS.split(sample) if not piece.isascii())
    found = detect(_LABELS.sub(b"", sample), encoding_era=EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO)["encoding"]
    named = codec(found) if found else None
    return "cp1252" if named in _OTHER_ALPHABETS and not dense else named
