"""The characters of Markdown: escapes that keep text from becoming markup, code spans, link destinations."""

from __future__ import annotations

import re

from tamis.document.render.runs import Image

_PUNCTUATION = r"!-/:-@\[-`{-~"
_ALWAYS = (  # each alternative begins with a character, which is many times as fast to look for
    rf"\\(?=[{_PUNCTUATION}]|$)|`"
    r"|\*(?:(?<! \*)|(?! ))"
    r"|_(?<!__)(?:(?<![^\W_]_)_*+|_*+(?![^\W_]))"
    r"|<(?=[A-Za-z/!?]|$)|&(?=\#?\w+;|$)"
    r"|\](?=[(:])|~(?:(?<=^~)|$)"
)
_ANY = re.compile(r"[\\`*_<&\[\]~]")  #: Characters that can need escaping. Checked first because most texts contain none.
_SPECIAL = tuple(re.compile(_ALWAYS + more) for more in ("", r"|\[|\]", "|~", r"|\[|\]|~"))
"""Patterns by two flags: the text is in square brackets; it has several tildes (counts twice)."""
_LINE_START = re.compile(r"(?:[#]{1,6}(?=\s|$)|[-+](?=\s|$)|>|[-=:|](?=[-=:| ]*$))")
_NUMBERED = re.compile(r"(\d{1,9})([.)](?:\s|$))")
_FORMULA = re.compile(
    r"\$\$[^$]+\$\$|\$(?=[^\s$])[^$]*[^\s$]\$(?!\d)|\$[^\s$]\$(?!\d)"
    r"|\\\((?P<inline>(?:[^\\]|\\[^()\[\]])+)\\\)|\\\[(?P<display>(?:[^\\]|\\[^()\[\]])+)\\\]"
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_TEX = re.compile(r"[\\^_{]")
_BETWEEN_BRACKETS = re.compile(r"[\\^_{=<>+]|^\s*\w\s*$")  #: Marks of TeX between ``\\(`` and ``\\)``.
_BACKTICKS = re.compile("`+")
_ENTITY = re.compile(r"&(?=#?\w+;)")


def escape(text: str, linked: bool = False) -> str:
    r"""Return text as Markdown, with a backslash only before characters that would be markup. ``linked``: within square brackets.

    >>> escape("2 * 3, *not* snake_case, a<b, <i>, [1], C:\\dir")
    '2 * 3, \\*not\\* snake_case, a\\<b, \\<i>, [1], C:\\dir'
    >>> escape(r"$\sum_{i} x_i$ costs $5 and _more_")
    '$\\sum_{i} x_i$ costs $5 and \\_more\\_'
    >>> escape(r"Let \(a_1*b_2\) be \[ x^2 \]")
    'Let $a_1*b_2$ be $$x^2$$'
    """
    if not _ANY.search(text):
        return text
    if text.count("$") > 1 or "\\(" in text or "\\[" in text:
        return _around_formulas(text, linked)
    return _escape(text, linked)


def _around_formulas(text: str, linked: bool) -> str:
    """Return the text with formulas as TeX between dollars: text between dollars or MathJax's brackets that has marks of TeX."""
    pieces, at = [], 0
    for match in _FORMULA.finditer(text):
        within = match["inline"] or match["display"]
        if (_BETWEEN_BRACKETS if within else _TEX).search(within or match[0]):
            dollars = "$$" if match["display"] else "$"
            tex = f"{dollars}{within.strip()}{dollars}" if within else match[0]
            pieces += [_escape(text[at : match.start()], linked), formula(tex)]
            at = match.end()
    return "".join(pieces) + _escape(text[at:], linked)


def formula(tex: str) -> str:
    r"""Return a formula in which nothing is a tag, a link or a code span to a reader that knows no formulas; TeX reads it as before.

    >>> formula("$a<b [x](y)$")
    '$a\\lt b [x]{}(y)$'
    """
    return _TAG.sub(r"\\lt ", tex).replace("](", "]{}(").replace("`", "\u2018")


def _escape(text: str, linked: bool) -> str:
    special = _SPECIAL[linked + 2 * (text.count("~") > 1)]
    return special.sub(lambda match: "".join("\\" + character for character in match[0]), text)


def escape_line(line: str) -> str:
    r"""Return a line of Markdown that begins a line of the file, so that its text is not taken for a list, heading, quote or rule.

    >>> escape_line("1986. A great year"), escape_line("# 1")
    ('1986\\. A great year', '\\# 1')
    """
    if line[:1].isalpha():
        return line
    if _LINE_START.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def code_span(text: str) -> str:
    """Return the text as a code span, between more backticks than it holds.

    >>> code_span("a`b")
    '``a`b``'
    """
    fence = "`" * (longest_run(text) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def longest_run(text: str) -> int:
    """Length of the longest run of backticks."""
    return max(map(len, _BACKTICKS.findall(text))) if "`" in text else 0


def destination(url: str) -> str:
    """Return a resolved URL as a link destination: unbalanced parentheses and what looks like an entity escaped."""
    if "&" in url:
        url = _ENTITY.sub("&amp;", url)
    if "(" not in url and ")" not in url:
        return url
    depth = 0
    for character in url:
        depth += (character == "(") - (character == ")")
        if depth < 0 or depth > 8:
            break
    return url if depth == 0 else url.replace("(", "%28").replace(")", "%29")


def title(text: str) -> str:
    """Return the title part of a link or image, or nothing."""
    text = " ".join(text.split())
    if not text:
        return ""
    text = _ENTITY.sub("&amp;", text.replace("\\", "\\\\").replace('"', '\\"'))
    return f' "{text}"'


def image(shown: Image) -> str:
    """Return an image as Markdown."""
    return f"![{escape(shown.alt, linked=True)}]({destination(shown.url)}{title(shown.title)})"
