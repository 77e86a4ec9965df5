"""Text in the encodings of East Asia as browsers read it: the indexes and error rules of the WHATWG Encoding standard.

Python's codecs differ from them in a few hundred characters (``①`` and ``㈱`` in EUC-JP, the additions to Big5, ``€`` in GBK), and fall
out of step after bytes that they do not know: what follows is then read in wrong pairs. Here the codec reads what it knows, and an error
handler the rest; what a codec reads differently is translated afterwards.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from itertools import islice, product

_BIG5_ADDITIONS = """
877a㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋
8e69箸 8e6f簆 8e7e糎 8eab緒 8eb4縝 8ecd者 8ed0耨 8f57菁 8f69蒨 8f6e萏 8fcb覦覩 8ffe起 906d都 907a銹 90dc靜 90f1響 91bf鼖 9244蔃
92af兙兛兝兞 92c8鍮 92d1瑹 9447浧 94ca禛 95d9邗 9644靝 96ed瀞 96fc嬨 9b76爁 9b78矗 9b7b纇 9bc6駖 9bde釔 9bec惞 9bf6澶 9c42輶 9c53侻
9c62營 9c68鄄 9c6b鷰 9c77菏 9cbc尐秣 9cd0婧 9d57輋 9d5a筑 9dc4拐 9ea9恢 9eef痹 9efd汊 9f60鬮 9f66鼗 9fcb僭 9fd8弌 a063蠏 a077拎
a0d5瑨 a0df煢 a0e4牐 a3c0␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ c6cf廴 c6d3无 c6d5癶 c6d7隶 c6de〃仝 fa5f倩 fa66偽 fabd包 fac5卄
fad5卿 fb48嘅 fbb8婷 fbf3幵 fbf9廐 fc4f彘 fc6c悤 fcb9撐 fce2晴 fcf1杞 fdb7沜渝 fdbb港 fdf1煮 fe52猪 fe6f瑜 feaa瓩 fedd砉
"""
"""Characters of the index Big5 that Python's codec ``big5hkscs`` lacks, in runs: the first pair of bytes, then the characters."""
_TRAILS = bytes([*range(0x40, 0x7F), *range(0xA1, 0xFF)])
_BIG5_PAIR = re.compile(rb"[\x00-\x7f]+|[\x81-\xfe][\x40-\x7e\xa1-\xfe]|.", re.DOTALL)
_BIG5_SHARED = {b"\xa2\x41": "\u2215", b"\xa2\x42": "\ufe68"}  # the codec reads them as other pairs too, so they cannot be translated
_ONE_BYTE = "one byte"  #: Stands for the encodings of one byte a letter.
_ESCAPE = re.compile(rb"\x1b(\([BJI]|\$[@B])")
_SHIFTED = bytes(byte | 0x80 if 0x21 <= byte <= 0x7E else byte for byte in range(256))
_ROMAN = str.maketrans("\\~", "\u00a5\u203e")
_PAIRS_OR_SPACE = re.compile(rb"(?:[\x21-\x7e]{2})+|[\t\n\f\r ]+|.", re.DOTALL)
_TRANSLATIONS: Mapping[str, Mapping[int, int] | Mapping[int, str]] = {
    "euc_jp": str.maketrans("\u301c\u2016\u2212\u00a2\u00a3\u00ac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2"),
    "cp932": dict.fromkeys(range(0xF8F0, 0xF8F4), "\ufffd"),
    "big5hkscs": str.maketrans(
        "\u2022\uff64\u203e\u223c\u2641\u2609\u00a5\u00a2\u00a3", "\u2027\ufe51\u00af\uff5e\u2295\u2299\uffe5\uffe0\uffe1"
    ),
    "gb18030": str.maketrans(
        "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
        "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
    ),
    "koi8-u": str.maketrans("\u255d\u256c", "\u045e\u040e"),
}
"""Bytes that a codec reads in another way than the standard, by codec."""


def text_of(raw: bytes, name: str) -> str:
    """Return the text of bytes. Bytes that do not fit become U+FFFD.

    Args:
        raw: the bytes.
        name: the Python codec of the encoding, as :func:`tamis.page.decode.codec` names it.

    >>> text_of("①㈱".encode("cp932"), "cp932"), text_of(bytes.fromhex("ada1adeaa4a2"), "euc_jp"), text_of(b"\\x80 \\x81", "cp1252")
    ('①㈱', '①㈱あ', '€ \\x81')
    """
    if name == "iso2022_jp":
        return _iso_2022_jp(raw)
    if name == "big5hkscs" and any(pair in raw for pair in _BIG5_SHARED):
        return _big5_by_pairs(raw)
    if name == "euc_jp":
        raw = raw.replace(b"\x8f\xa2\xb7", b"\xa1\xc1")  # a full-width tilde, which the codec reads as "~"
    handler = "replace" if name.startswith("utf") else f"tamis {name if name in _HANDLERS else _ONE_BYTE}"
    text = raw.decode(name, handler)
    table = _TRANSLATIONS.get(name)
    return text if table is None or text.isascii() else text.translate(table)


def _iso_2022_jp(raw: bytes) -> str:
    """ISO-2022-JP: escapes say which set the bytes that follow are of."""
    first, *rest = _ESCAPE.split(raw)
    pieces = [first.decode("ascii", "replace")]
    for escape, data in zip(rest[::2], rest[1::2], strict=True):
        if escape[:1] == b"$":
            pieces += map(_run_of_pairs, _PAIRS_OR_SPACE.findall(data))
        elif escape == b"(I":
            pieces.append(data.translate(_SHIFTED).decode("cp932", "replace"))
        else:
            text = data.decode("ascii", "replace")
            pieces.append(text.translate(_ROMAN) if escape == b"(J" else text)
    return "".join(pieces)


def _run_of_pairs(run: bytes) -> str:
    """Pairs of ISO-2022-JP, or white space among them, which tamis keeps; else a byte that does not fit."""
    if run.isspace():
        return run.decode("ascii")
    return text_of(run.translate(_SHIFTED), "euc_jp") if len(run) > 1 else "\ufffd"


def _big5_by_pairs(raw: bytes) -> str:
    """Big5 in which pairs occur that cannot be told from others once they are read."""
    pieces, start = [], 0
    for found in _BIG5_PAIR.finditer(raw):
        if (character := _BIG5_SHARED.get(found[0])) is not None:
            pieces += [_plain_big5(raw[start : found.start()]), character]
            start = found.end()
    return "".join([*pieces, _plain_big5(raw[start:])])


def _plain_big5(raw: bytes) -> str:
    return raw.decode("big5hkscs", "tamis big5hkscs").translate(_TRANSLATIONS["big5hkscs"])


@cache
def _big5_additions() -> dict[bytes, str]:
    pairs = list(map(bytes, product(range(0x81, 0xFF), _TRAILS)))
    place = {pair: number for number, pair in enumerate(pairs)}
    found: dict[bytes, str] = {}
    for run in _BIG5_ADDITIONS.split():
        begin = place[bytes.fromhex(run[:4])]
        found |= dict(zip(islice(pairs, begin, None), run[4:], strict=False))
    return found


def _jis_of_windows(pair: bytes) -> str | None:
    """The character of a pair of EUC-JP by way of Windows' Shift_JIS, which has the additions of NEC and IBM that browsers read."""
    if len(pair) < 2 or not (0xA1 <= pair[0] <= 0xFE and 0xA1 <= pair[1] <= 0xFE):
        return None
    row, cell = pair[0] - 0xA0, pair[1] - 0xA0
    lead = (row - 1) // 2 + (0x81 if row < 63 else 0xC1)
    trail = cell + (0x9E if row % 2 == 0 else 0x3F if cell <= 63 else 0x40)
    try:
        return bytes([lead, trail]).decode("cp932")
    except UnicodeDecodeError:
        return None


def _handler(leads: Collection[int], known: Callable[[bytes], str | None]) -> Callable[[UnicodeError], tuple[str, int]]:
    """Return what reads where a codec of pairs fails, as the standard says: a character that is known; else U+FFFD for the sequence, but
    an ASCII byte within it is read by itself.

    Args:
        leads: bytes that begin a sequence.
        known: the character of a pair that the codec does not have.
    """

    def read(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        raw, at = error.object, error.start
        if (character := known(raw[at : at + 2])) is not None:
            return character, at + (1 if raw[at] == 0x80 else 2)
        if raw[at] not in leads:
            return "\ufffd", at + 1
        length = 3 if raw[at] == 0x8F and leads is _EUC_JP and raw[at + 1 : at + 2] >= b"\xa1" else 2
        ascii_at = next((at + k for k in range(1, length) if at + k < len(raw) and raw[at + k] < 0x80), at + length)
        return "\ufffd", min(ascii_at, len(raw))

    return read


def _read_one(error: UnicodeError) -> tuple[str, int]:
    """Read a byte that an encoding of one byte a letter leaves open: the control character of that number, as in the standard."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start]
    return chr(byte) if 0x80 <= byte < 0xA0 else "\ufffd", error.start + 1


def _read_hebrew(error: UnicodeError) -> tuple[str, int]:
    """Read the same for windows-1255; Python's codec lacks one of its vowels."""
    is_vowel = isinstance(error, UnicodeDecodeError) and error.object[error.start] == 0xCA
    return ("\u05ba", error.start + 1) if isinstance(error, UnicodeDecodeError) and is_vowel else _read_one(error)


_EUC_JP = frozenset([0x8E, 0x8F, *range(0xA1, 0xFF)])
_HANDLERS = {
    _ONE_BYTE: _read_one,
    "cp1255": _read_hebrew,
    "euc_jp": _handler(_EUC_JP, _jis_of_windows),
    "cp932": _handler(frozenset([*range(0x81, 0xA0), *range(0xE0, 0xFD)]), lambda pair: None),
    "big5hkscs": _handler(frozenset(range(0x81, 0xFF)), lambda pair: _big5_additions().get(pair)),
    "gb18030": _handler(frozenset(range(0x81, 0xFF)), lambda pair: "€" if pair[:1] == b"\x80" else None),
    "cp949": _handler(frozenset(range(0x81, 0xFF)), lambda pair: None),
}
for _name, _read in _HANDLERS.items():
    codecs.register_error(f"tamis {_name}", _read)
