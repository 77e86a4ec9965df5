"""Classes of characters (letter, digit, character that is a word by itself, mark, separator) and their folded forms.

Folding (NFKC, lower case and, on request, simplified Chinese) is a table from one character to one character. Texts that this table cannot
fold are normalised first by the standard library."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from unicodedata import category, combining, normalize

import numpy as np
from numpy.typing import NDArray

from tamis.errors import needs_extra

SEPARATOR, PUNCTUATION, LINE_END, IGNORED, LETTER, DIGIT, ALONE = range(7)
"""Kinds of characters. From ``LETTER`` on they are parts of words; each ``ALONE`` is a word."""
BMP = 0x10000  #: Characters from here on share the last entry of the tables.

_LINE_ENDS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FFF), (0x3005, 0x3007), (0x3031, 0x312F), (0x31A0, 0x9FFF),
             (0xF900, 0xFAFF), (0xFF66, 0xFF9F))  # fmt: skip
"""Scripts that set no spaces between words: Thai, Lao, Myanmar, Khmer, Han, kana, bopomofo."""
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_LAST_MARK = 0x20000  #: No character from here on is a combining mark.
_MOST_MARKS = 30  #: Combining marks on one letter that are kept, as in Unicode's Stream-Safe Text Format: sorting them is quadratic.


@cache
def kinds() -> NDArray[np.uint8]:
    """Return the kind of each character of the basic plane, and last that of all others, uint8 ``(65537,)``."""
    table = np.fromiter(map(_kind_of_character, map(chr, range(BMP))), np.uint8, BMP)
    for first, last in _UNSPACED:
        part = table[first : last + 1]
        part[part >= LETTER] = ALONE
    return np.append(table, np.uint8(ALONE))


@cache
def unfinished() -> NDArray[np.bool_]:
    """Return the characters that a table from one to one cannot fold (and all beyond the basic plane), bool ``(65537,)``."""
    return np.append(np.fromiter(map(_is_unfinished, map(chr, range(BMP))), np.bool_, BMP), np.True_)


@cache
def folds(simplified: bool) -> NDArray[np.uint32]:
    """Return the folded form of each character of the basic plane, uint32 ``(65536,)``.

    Raises:
        MissingExtraError: simplified Chinese needs a table that is not installed.
    """
    table = np.fromiter(map(_fold, map(chr, range(BMP))), np.uint32, BMP)
    if simplified:
        codes = np.array([*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000), *range(0xF900, 0xFB00)])
        before = "\n".join(map(chr, table[codes].tolist()))
        after = np.array([ord(line) for line in _to_simplified(before).split("\n")], dtype=np.uint32)
        table[codes] = np.where(after < BMP, after, table[codes])
    return table


def folds_for(text: str, simplified: bool) -> NDArray[np.uint32]:
    """Return the table of :func:`folds` for a text. The table of simplified characters is only needed for Chinese texts.

    Raises:
        MissingExtraError: the text has Chinese characters, and their table is not installed.
    """
    return folds(simplified and (_can_simplify() or _HAN.search(text) is not None))


def composed(text: str) -> str:
    """Return the text in a form that :func:`folds` can take character by character."""
    if text.isascii():
        return text
    codes = np.minimum(code_points(text), BMP)
    if not unfinished()[codes].any():
        return text
    run = np.append(0, np.cumsum(_combining_marks()[codes]))
    if (run[_MOST_MARKS + 1 :] - run[: -_MOST_MARKS - 1] > _MOST_MARKS).any():
        text = _crowds_of_marks().sub(lambda run: run[0][:_MOST_MARKS], text)
    return normalize("NFKC", text)


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the characters of a text as numbers, lone surrogates too, uint32 ``(len(text),)``."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def folded(text: str, simplified: bool) -> str:
    """Return a composed text as it is compared.

    Raises:
        MissingExtraError: the text has Chinese characters, and their table is not installed.
    """
    codes = code_points(text)
    plain = np.where(codes < BMP, folds_for(text, simplified)[np.minimum(codes, BMP - 1)], codes)
    return plain.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _kind_of_character(character: str) -> int:
    name = category(character)
    if character in _LINE_ENDS:
        return LINE_END
    if name == "Cf" or "\ufe00" <= character <= "\ufe0f" or character == "\u034f":
        return IGNORED
    if name in ("Nd", "Nl", "No"):
        return DIGIT
    if name[0] in "LM":
        return LETTER
    return PUNCTUATION if name[0] == "P" else SEPARATOR


def _fold(character: str) -> int:
    plain = normalize("NFKC", character)
    for folded in (plain.casefold(), plain.lower(), plain):
        if len(folded) == 1 and ord(folded) < BMP:
            return ord(folded)
    return ord(character)


@cache
def _can_simplify() -> bool:
    return find_spec("opencc") is not None


def _to_simplified(text: str) -> str:
    with needs_extra("Taking traditional and simplified Chinese for the same (simplified=True)", "dedup"):
        from opencc import OpenCC
    return str(OpenCC("t2s").convert(text))


@cache
def _combining_marks() -> NDArray[np.bool_]:
    """Return which characters are combining marks, or may be one beyond the basic plane, bool ``(65537,)``."""
    return np.append(np.fromiter((combining(chr(code)) > 0 for code in range(BMP)), np.bool_, BMP), np.True_)


@cache
def _crowds_of_marks() -> re.Pattern[str]:
    marks = np.array([code for code in range(_LAST_MARK) if combining(chr(code))])
    return re.compile(f"{class_of(marks)}{{{_MOST_MARKS + 1},}}")


def _is_unfinished(character: str) -> bool:
    if combining(character) or "\u1100" <= character <= "\u11ff":
        return True
    if category(character)[0] not in "LN" or "\uac00" <= character <= "\ud7a3":
        return False
    plain = normalize("NFKC", character)
    return plain != character and (len(plain) > 1 or bool(combining(plain)) or "\u1100" <= plain <= "\u11ff")


def class_of(codes: NDArray[np.intp]) -> str:
    """Return the class of some characters in a regular expression; their codes rise."""
    runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1)
    return "[" + "".join(f"\\U{run[0]:08x}-\\U{run[-1]:08x}" for run in runs) + "]"
