"""Computed CSS colours as numbers."""

from __future__ import annotations

import math
import re

_FUNCTION = re.compile(r"([a-z]+)\((?:(srgb|srgb-linear|display-p3|a98-rgb|prophoto-rgb|rec2020|xyz|xyz-d50|xyz-d65)\s)?([^()]*)\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?%?|none")


def rgba(color: str) -> int:
    """A computed colour as ``0xRRGGBBAA``; what is none of the forms that browsers compute is transparent.

    Wide gamuts are taken as sRGB, which is near enough to tell colours apart.

    >>> hex(rgba("rgb(255, 128, 0)")), hex(rgba("rgba(0, 0, 0, 0.5)")), hex(rgba("oklch(0.628 0.2577 29.23)"))
    ('0xff8000ff', '0x80', '0xff0000ff')
    """
    found = _FUNCTION.fullmatch(color.strip())
    if found is None:
        return 0
    kind, space, inner = found.groups()
    numbers = [0.0 if part == "none" else float(part[:-1]) / 100 if part[-1] == "%" else float(part) for part in _NUMBER.findall(inner)]
    if len(numbers) not in (3, 4):
        return 0
    a, b, c = numbers[:3]
    alpha = numbers[3] if len(numbers) == 4 else 1.0
    if kind in ("lch", "oklch"):
        b, c = b * math.cos(math.radians(c)), b * math.sin(math.radians(c))
    if kind in ("rgb", "rgba"):
        channels = (a / 255, b / 255, c / 255)
    elif kind in ("oklab", "oklch"):
        channels = _of_oklab(a, b, c)
    elif kind in ("lab", "lch"):
        channels = _of_lab(a, b, c)
    elif kind == "color" and space is not None and not space.startswith("xyz"):
        channels = (a, b, c) if space != "srgb-linear" else (_companded(a), _companded(b), _companded(c))
    else:
        return 0
    value = 0
    for part in (*channels, alpha):
        value = value << 8 | round(min(max(part, 0.0), 1.0) * 255)
    return value


def _companded(linear: float) -> float:
    """A channel of linear light as sRGB has it (CSS Color 4, 10.2)."""
    size = abs(linear)
    return math.copysign(1.055 * size ** (1 / 2.4) - 0.055 if size > 0.0031308 else 12.92 * size, linear)


def _of_oklab(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """Oklab to sRGB (Ottosson 2020)."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _companded(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _companded(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _companded(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _of_lab(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """CIE Lab under D50 to sRGB (CSS Color 4, 9.2 and 18)."""
    fy = (lightness + 16) / 116
    x, y, z = (f**3 if f > 6 / 29 else 3 * (6 / 29) ** 2 * (f - 4 / 29) for f in (fy + a / 500, fy, fy - b / 200))
    x, z = x * 0.9642956764, z * 0.8251046025
    return (
        _companded(3.1341359569 * x - 1.6173863321 * y - 0.4906619460 * z),
        _companded(-0.9787955502 * x + 1.9162543773 * y + 0.0334427290 * z),
        _companded(0.0719553798 * x - 0.2289767598 * y + 1.4053860351 * z),
    )
