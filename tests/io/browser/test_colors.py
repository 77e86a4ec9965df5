import pytest

from tamis.io.browser.paint import rgba


@pytest.mark.parametrize(
    ("color", "value"),
    [
        ("rgb(255, 255, 255)", 0xFFFFFFFF),
        ("rgba(0, 0, 0, 0)", 0x00000000),
        ("rgba(16, 32, 48, 0.2)", 0x10203033),
        ("color(srgb 1 0.5 0)", 0xFF8000FF),
        ("color(srgb 1 0.5 0 / 0.5)", 0xFF800080),
        ("oklab(1 0 0)", 0xFFFFFFFF),
        ("oklch(0.452 0.3132 264.05)", 0x0000FFFF),
        ("lab(100 0 0)", 0xFFFFFFFF),
        ("lab(54.29 80.8 69.89)", 0xFF0000FF),
        ("lch(none none none)", 0x000000FF),
    ],
)
def test_computed_colors_are_numbers(color, value):
    found = rgba(color).to_bytes(4)
    assert all(abs(one - other) <= 1 for one, other in zip(found, value.to_bytes(4), strict=True)), found.hex()


@pytest.mark.parametrize("color", ["", "currentcolor", "url(x)", "rgb(1, 2)", "paint(a, b, c)"])
def test_what_is_no_computed_color_paints_nothing(color):
    assert rgba(color) == 0
