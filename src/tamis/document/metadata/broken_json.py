"""JSON with faults, as pages write it by hand and by templates: each fault costs the value that it is in, and no more."""

from __future__ import annotations

import re
from typing import Any

MAX_DEPTH = 100  #: Levels of objects and lists; what is below is left out.
MAX_DIGITS = 1_000  #: Digits of a number; one of more stays text, since Python refuses to read those of more than 4,300.

_COMMENT = re.compile(r"//[^\n]*|/\*(?>(?:[^*]|\*(?!/))*)(?:\*/)?")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“"}
_NAME = r"[\"']?[\w@$-]{1,60}+[\"']?\s{0,9}+:"  # the name of a value, with its colon
_BLANK = r"\s{0,200}+"
_END = {
    quote: re.compile(
        rf"(?<!\\)(?>(?:\\\\)*)({quote})(?={_BLANK}(?::|[}}\]]|$|//|/\*|{_NAME}|(?:[,;]{_BLANK}){{1,3}}(?:$|[\"'“„\[{{}}\]\d-]|true|false|null|/|{_NAME})))"
    )
    for quote in set(_QUOTES.values())
}
"""The ends of strings: a quotation mark followed by structure. Others belong to the text."""
_BARE = re.compile(r"[^\s,;:{}\[\]\"]+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_NUMBER = re.compile(r"-?\d+(\.\d+)?(?:[eE][+-]?\d{1,3})?")
_CONSTANTS = {"true": True, "false": False, "null": None}


def read_broken_json(text: str) -> list[Any]:
    """Return the objects and lists in a text that is JSON but for faults. Never raises.

    Read all the same: quotation marks in strings, single ones around them, names without any, missing values, commas and brackets, ones too
    many, comments, several values in a row.

    >>> read_broken_json('{"a": "5" pipe", b: , "c": [1, 2,} {"d": "e" "f": true')
    [{'a': '5" pipe', 'c': [1, 2]}, {'d': 'e', 'f': True}]
    >>> read_broken_json('<!-- {"a": 1} --> {"b": {"c": "d"')
    [{'a': 1}, {'b': {'c': 'd'}}]
    """
    found: list[Any] = []
    stack: list[dict[str, Any] | list[Any]] = []
    names: list[str | None] = []  # what the next value of each object on the stack is called
    at, end = 0, len(text)
    while at < end:
        sign = text[at]
        if sign in "{[":
            value: Any = {} if sign == "{" else []
            if len(stack) < MAX_DEPTH:
                _put(value, found, stack, names)
            stack.append(value)
            names.append(None)
            at += 1
        elif sign in "}]":
            kind = dict if sign == "}" else list
            if any(isinstance(each, kind) for each in stack[-MAX_DEPTH:]):
                while not isinstance(stack.pop(), kind):
                    names.pop()
                names.pop()
            at += 1
        elif sign == "/" and stack and (comment := _COMMENT.match(text, at)):
            at = comment.end()
        elif sign == "," and stack:
            names[-1] = None
            at += 1
        elif sign in _QUOTES and stack:
            at = _put_word(*_json_string_at(text, at), text, stack, names)
        elif match := _BARE.match(text, at):
            at = _put_word(_unquoted(match[0]), match.end(), text, stack, names)
        else:
            at += 1
    return found


def _json_string_at(text: str, at: int) -> tuple[str, int]:
    """Return the string that begins at a place, and where it ends."""
    closing = _END[_QUOTES[text[at]]].search(text, at + 1)
    inner = text[at + 1 : closing.start(1) if closing else len(text)]
    if "\\" in inner:
        inner = _ESCAPE.sub(
            lambda escape: chr(int(escape[1][1:], 16)) if len(escape[1]) == 5 else _ESCAPED.get(escape[1], escape[1]), inner
        )
        inner = inner.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return inner, closing.end() if closing else len(text)


def _unquoted(word: str) -> Any:
    """Return the value of a word without quotation marks: a number, true, false, null or text."""
    if (number := _NUMBER.fullmatch(word)) and len(word) <= MAX_DIGITS:
        return int(word) if word.lstrip("-").isdecimal() else float(word)
    return word if number is None and word not in _CONSTANTS else _CONSTANTS.get(word, word)


def _put_word(value: Any, at: int, text: str, stack: list[dict[str, Any] | list[Any]], names: list[str | None]) -> int:
    """Put a string, number or the like where it belongs: the name of a value, or one. Returns where to read on."""
    if stack and isinstance(stack[-1], dict) and names[-1] is None:
        behind = at
        while behind < len(text) and text[behind].isspace():
            behind += 1
        if text[behind : behind + 1] == ":":
            names[-1] = str(value)
            return behind + 1
        return at
    if stack:
        _put(value, [], stack, names)
    return at


def _put(value: Any, found: list[Any], stack: list[dict[str, Any] | list[Any]], names: list[str | None]) -> None:
    """Put a value into the object or list that is open, else among what was found."""
    if not stack:
        found.append(value)
    elif isinstance(inner := stack[-1], list):
        inner.append(value)
    elif (name := names[-1]) is not None:
        inner[name] = value
        names[-1] = None
