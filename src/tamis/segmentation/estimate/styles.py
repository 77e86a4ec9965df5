"""What tags, attributes and inline styles say of fonts, colours, sizes and what is hidden; style sheets are not read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tamis.page import tags
from tamis.page.tree import Attributes, PageTree

ROOT_SIZE = 16.0
_SIZE = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67}
_SCALE = {"small": 0.83, "big": 1.2, "sub": 0.83, "sup": 0.83, "code": 0.81, "pre": 0.81, "tt": 0.81, "kbd": 0.81, "samp": 0.81}
_SCALE_OF = {tags.CODE[name]: scale for name, scale in (_SIZE | _SCALE).items()}
_FONT_SIZES = (10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
"""Pixels of ``<font size=1>`` to 7."""
_BOLD = tags.codes("b strong th h1 h2 h3 h4 h5 h6")
_FONT, _INPUT, _LI, _NAV, _HEADER = (tags.CODE[name] for name in ("font", "input", "li", "nav", "header"))
_NEVER_SHOWN = tags.codes(
    "head script style noscript template title meta link base area map param source track datalist noframes noembed rp bgsound basefont"
)
_BLOCKS = tags.BLOCKS - tags.codes("option optgroup select")
_DECLARATION = re.compile(r"(display|visibility|width|height|font-size|font-weight|background(?:-color)?)\s*:\s*([^;]+)", re.I)
_LENGTH = re.compile(r"\s*+(\d++(?:\.\d++)?+)\s*+(px|%|em|pt)?+\s*+(?:!important)?+\s*+$", re.I)
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})\b", re.I)
_RGB = re.compile(r"rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)", re.I)
_NAMED = {"white": 0xFFFFFF, "black": 0, "red": 0xFF0000, "green": 0x008000, "blue": 0x0000FF, "yellow": 0xFFFF00, "gray": 0x808080}
_NAMED |= {"silver": 0xC0C0C0, "navy": 0x000080, "maroon": 0x800000, "teal": 0x008080, "orange": 0xFFA500, "grey": 0x808080}
_LARGEST_FONT, _LARGEST = 1_000.0, 100_000.0
"""Pixels of a font and of a length at most: a page may name any number."""
_UNITS = {"px": 1.0, "": 1.0, "pt": 4 / 3}


@dataclass(frozen=True, slots=True)
class Length:
    """A width or height: pixels, or a share of what is around."""

    amount: float
    relative: bool

    def of(self, around: float) -> float:
        """In pixels, at most what is around."""
        return min(self.amount * around if self.relative else self.amount, around)


@dataclass(slots=True)
class Styles:
    """Lists over the ``n`` nodes of a page."""

    hidden: list[bool]
    inline: list[bool]
    font_size: list[float]
    font_weight: list[int]
    background: list[int]
    """``0xRRGGBBAA``."""
    width: dict[int, Length]
    height: dict[int, Length]


def read_styles(tree: PageTree) -> Styles:
    """The styles of all nodes, from the root down."""
    n = len(tree)
    styles = Styles([False] * n, [True] * n, [ROOT_SIZE] * n, [400] * n, [0] * n, {}, {})
    parents, codes, hidden = tree.parent.tolist(), tree.tag.tolist(), tree.hidden.tolist()
    attributes = tree.attributes[:]
    for node in range(n):
        above, code = parents[node], codes[node]
        if above >= 0:
            styles.hidden[node] = styles.hidden[above]
            styles.font_size[node] = styles.font_size[above]
            styles.font_weight[node] = styles.font_weight[above]
        if code == tags.TEXT:
            continue
        if code in _SCALE_OF:
            base = ROOT_SIZE if code in tags.HEADINGS else styles.font_size[node]
            styles.font_size[node] = min(base * _SCALE_OF[code], _LARGEST_FONT)
        if code in _BOLD:
            styles.font_weight[node] = 700
        styles.inline[node] = code not in _BLOCKS
        styles.hidden[node] |= hidden[node] or code in _NEVER_SHOWN
        if attributes[node]:
            _read_attributes(styles, node, code, attributes[node])
        if code == _LI and _in_page_head(node, parents, codes):
            styles.inline[node] = True
    return styles


def _in_page_head(node: int, parents: list[int], codes: list[int]) -> bool:
    """Whether a list item is an entry of a menu in the page's header (``header nav ul li``): those stand in a line."""
    above = [codes[parent] for parent in _up(node, parents, 5)]
    return _NAV in above and _HEADER in above[above.index(_NAV) :]


def _up(node: int, parents: list[int], steps: int) -> list[int]:
    found: list[int] = []
    while steps and parents[node] >= 0:
        node = parents[node]
        found.append(node)
        steps -= 1
    return found


def _read_attributes(styles: Styles, node: int, code: int, attributes: Attributes) -> None:
    if code == _INPUT and attributes.get("type", "").lower() == "hidden":
        styles.hidden[node] = True
    if code == _FONT and (size := attributes.get("size", "").strip()):
        styles.font_size[node] = _font_size(size, styles.font_size[node])
    for name, lengths in (("width", styles.width), ("height", styles.height)):
        if (text := attributes.get(name)) and (length := _length(text)):
            lengths[node] = length
    if color := attributes.get("bgcolor"):
        styles.background[node] = _color(color)
    if style := attributes.get("style"):
        for name, value in _DECLARATION.findall(style):
            _declare(styles, node, name.lower(), value.strip())


def _declare(styles: Styles, node: int, name: str, value: str) -> None:
    word = value.lower()
    if name == "display":
        styles.inline[node] = word.startswith("inline")
    elif name == "font-weight":
        styles.font_weight[node] = 700 if word.startswith(("bold", "6", "7", "8", "9")) else 400
    elif name == "font-size":
        if length := _length(word):
            size = length.amount * (styles.font_size[node] if length.relative else 1.0)
            styles.font_size[node] = min(max(1.0, size), _LARGEST_FONT)
    elif name.startswith("background"):
        styles.background[node] = _color(value) or styles.background[node]
    elif length := _length(word):
        (styles.width if name == "width" else styles.height)[node] = length


def _font_size(size: str, inherited: float) -> float:
    """The size that ``<font size>`` names: 1 to 7, or steps from the middle."""
    try:
        number = int(size)
    except ValueError:
        return inherited
    number = 3 + number if size[0] in "+-" else number
    return _FONT_SIZES[max(1, min(7, number)) - 1]


def _length(text: str) -> Length | None:
    found = _LENGTH.match(text)
    if found is None:
        return None
    amount, unit = min(float(found[1]), _LARGEST), (found[2] or "").lower()
    if unit == "%":
        return Length(amount / 100, True)
    if unit == "em":
        return Length(amount * ROOT_SIZE, False)
    return Length(amount * _UNITS[unit], False)


def _color(text: str) -> int:
    """A colour as ``0xRRGGBBFF``; 0 where it is none that is known.

    >>> hex(_color("#fc0")), hex(_color("url(x.png) rgb(1, 2, 3)")), _color("inherit")
    ('0xffcc00ff', '0x10203ff', 0)
    """
    if found := _HEX.search(text):
        digits = found[1] if len(found[1]) == 6 else "".join(digit * 2 for digit in found[1])
        return int(digits, 16) << 8 | 0xFF
    if found := _RGB.search(text):
        red, green, blue = (int(min(float(part), 255.0)) for part in found.groups())
        return red << 24 | green << 16 | blue << 8 | 0xFF
    named = _NAMED.get(text.strip().lower().split(" ")[0])
    return 0 if named is None else named << 8 | 0xFF
