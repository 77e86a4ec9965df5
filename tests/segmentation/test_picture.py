"""Pictures of segmentations."""

from io import BytesIO

import pytest

from tamis.errors import UsageError
from tamis.segmentation import SegmentSettings, picture, segment
from tamis.segmentation.picture import COLORS, draw
from tests.segmentation.pages import page
from tests.segmentation.test_segment import NEWS

Image = pytest.importorskip("PIL.Image", reason="needs the extra browser")


def screenshot(color: str = "white") -> bytes:
    stream = BytesIO()
    Image.new("RGB", (1000, 1000), color).save(stream, "PNG")
    return stream.getvalue()


def test_blocks_are_outlined_over_the_picture_of_the_page() -> None:
    found = segment(*page(NEWS), SegmentSettings(pdoc=3))
    drawn = Image.open(BytesIO(draw(found, screenshot("#eeeeee"))))
    assert drawn.size == (1000, 1000)
    for turn, block in enumerate(found.leaves):
        left, top, width, height = (round(side) for side in block.box)
        assert drawn.getpixel((left - 2, top + height // 2)) == COLORS[turn]
        inside = drawn.getpixel((left + width // 2, top + height - 4))
        assert inside not in (COLORS[turn], (0xEE, 0xEE, 0xEE))
    assert drawn.getpixel((999, 999)) == (0xEE, 0xEE, 0xEE)


def test_without_a_picture_blocks_are_drawn_on_white_as_large_as_they_are() -> None:
    found = segment(*page(NEWS))
    drawn = Image.open(BytesIO(draw(found)))
    left, top, width, height = found.blocks[0].box
    assert drawn.size == (round(left + width) + 8, round(top + height) + 8)


def test_a_page_without_blocks_has_a_picture() -> None:
    assert Image.open(BytesIO(draw(segment("")))).size == (8, 8)


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be read as a picture"):
        draw(segment(*page(NEWS)), b"text")


def test_text_is_drawn_in_a_font_that_has_its_letters() -> None:
    default, *others = picture._fonts()
    assert picture._shows(default, "A")
    assert not picture._shows(default, "ل")
    if not any(picture._shows(font, "ل") for font in others):
        pytest.skip("the system has no font with Arabic letters")
    pictures = [draw(segment(f"<p>{letter * 9}</p>")) for letter in "لم"]
    assert pictures[0] != pictures[1]  # no boxes in place of letters
