"""Styles: how the attribute ``style``, a page's own style sheets and the class names of style libraries lay out its elements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from tamis.page.tree import BoolColumn, PageTree, contains_any


@dataclass(frozen=True)
class Style:
    """Declarations that are looked for."""

    pattern: re.Pattern[str]  #: In lower case.
    words: tuple[str, ...]  #: One of these, in lower case, is in each of them.

    @cached_property
    def named(self) -> frozenset[str]:
        """The class names of style libraries that declare it."""
        return frozenset(name for name, declared in NAMED.items() if self.declared_in(declared))

    def declared_in(self, style: str) -> bool:
        """Return whether a style declares it."""
        return self.pattern.search(style.lower()) is not None  # many times as fast as a pattern that ignores the case


_DISPLAY = ("display",)
IN_LINE = Style(re.compile(r"display\s*:\s*inline\s*(?:[;!]|\Z)"), _DISPLAY)  #: In a line of text.
IN_BOX = Style(re.compile(r"display\s*:\s*inline-"), _DISPLAY)  #: In a line, as a box.
APART = Style(
    re.compile(r"display\s*:\s*(?:block|table-cell|list-item|flex|grid)\b|margin-(?:left|right)\s*:\s*\.?\d*[1-9]|\bcontent\s*:"),
    ("display", "margin", "content"),
)
"""Displays that separate an element from its neighbours."""
FLEXIBLE = Style(re.compile(r"display\s*:\s*(?:inline-)?(?:flex|grid)\b"), _DISPLAY)  #: With its children apart.
LINES = Style(re.compile(r"white-space\s*:\s*(?:pre|break-spaces)"), ("white-space",))  #: With its line breaks shown.

NAMED = {
    **dict.fromkeys(("flex", "inline-flex", "d-flex", "d-inline-flex"), "display:flex"),
    **dict.fromkeys(("grid", "inline-grid", "d-grid"), "display:grid"),
    **{f"whitespace-{value}": f"white-space:{value}" for value in ("pre", "pre-line", "pre-wrap", "break-spaces")},
}
"""Declarations of class names of Tailwind and Bootstrap."""
MOST_RULES = 5_000  #: Declarations of a page that are read.
MOST_SOUGHT = 64  #: Names that are looked for before values are split into words, which is faster.
_LONGEST = 1_000  #: Bytes of the selectors of a rule, and of what it declares.
_READ = (
    (b"display:", re.compile(rb"display:\s*(?:block|table-cell|list-item|inline|flex|grid)")),
    (b"white-space:", re.compile(rb"white-space:\s*(?:pre|break-spaces)")),
    (b"content:", re.compile(rb"content:\s*[\"'][^\"'\\]")),
)
_SUBJECT = re.compile(rb"(?:^|[\s>+~])[a-z]*\.([\w-]+)(:?:(?:before|after))?\s*\Z")  #: The element that a selector is about, by a class.


def sheet_of(html: bytes) -> dict[str, str]:
    """Return the layout that style sheets in a page declare for classes, by their names. Selectors' context is ignored.

    >>> sheet_of(b"<style>ul.row, #a .b > .c { display: flex } .d::after{content:'; '} .e:hover{display:block}</style>")
    {'row': ' display: flex ;', 'c': ' display: flex ;', 'd': "content:'; ';"}
    """
    found: dict[str, str] = {}
    left, begin = MOST_RULES, html.find(b"<style")
    while begin >= 0 and left:
        end = html.find(b"</style", begin)
        end = len(html) if end < 0 else end
        begin = html.find(b">", begin, end) + 1
        for word, declaration in _READ:
            at = html.find(word, begin, end)
            while at >= 0 and left:
                if declaration.match(html, at):
                    left -= 1
                    _read_rule(html, begin, at, end, found)
                at = html.find(word, at + 1, end)
        begin = html.find(b"<style", end)
    return found


def _read_rule(html: bytes, begin: int, at: int, end: int, found: dict[str, str]) -> None:
    """Add the rule around a declaration to the declarations of classes. ``begin``, ``end``: of the style sheet."""
    start = html.rfind(b"{", max(begin, at - _LONGEST), at)
    close = html.find(b"}", at, min(end, at + _LONGEST))
    if start < 0 or close < 0:
        return
    first = max(begin, *(html.rfind(sign, max(begin, start - _LONGEST), start) + 1 for sign in (b"}", b"{", b";", b"/")))
    declared = html[start + 1 : close].decode("utf-8", "replace")
    for selector in html[first:start].split(b","):
        subject = _SUBJECT.search(selector)
        if subject and (subject[2] is None) != ("content" in declared):
            name = subject[1].decode("utf-8", "replace")
            found[name] = f"{found.get(name, '')}{declared};"[-_LONGEST:]


def styled(tree: PageTree, style: Style) -> BoolColumn:
    """Return the nodes that a style attribute, a class of the page's style sheets or one of :data:`NAMED` lays out so, bool ``(n,)``."""
    styles, classes = styles_of(tree, style)
    found = tree.values("style").of_codes(styles)
    return found | tree.values("class").of_codes(classes) if classes else found


def styles_of(tree: PageTree, style: Style) -> tuple[list[int], list[int]]:
    """Return the positions of the values of ``style`` and of ``class`` that lay out an element so."""
    classes, codes = tree.values("class"), list[int]()
    if not tree.sheet and style.named:
        codes = classes.passing(lambda value: not style.named.isdisjoint(value.split()), style.named)
    elif tree.sheet:
        names = names_of(tree, style)
        codes += classes.passing(lambda value: not names.isdisjoint(value.split()), style.named) if style.named else ()
        if own := tuple(sorted({name.lower() for name in names.difference(style.named)})):
            few = len(own) <= MOST_SOUGHT and "".join(own).isascii()
            tested = contains_any(classes.distinct, own) if few else range(len(classes.distinct))
            codes += [code for code in tested if not names.isdisjoint(classes.distinct[code].split())]
    return tree.values("style").passing(style.declared_in, style.words), codes


def names_of(tree: PageTree, style: Style) -> frozenset[str]:
    """Return the classes that are laid out so."""
    own = frozenset(name for name, declared in tree.sheet.items() if style.declared_in(declared))
    return own | (style.named - tree.sheet.keys())
