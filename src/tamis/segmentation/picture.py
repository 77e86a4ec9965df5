"""A picture of a segmentation: the blocks drawn over the page."""

from __future__ import annotations

from contextlib import suppress
from functools import cache, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from tamis.errors import UsageError, needs_extra
from tamis.segmentation.result import Segmentation, VisualBlock

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

COLORS = ((214, 39, 40), (31, 119, 180), (44, 160, 44), (148, 103, 189), (230, 126, 0), (0, 139, 139), (190, 60, 130), (110, 110, 20))
"""Colours of blocks, taken in turn."""
_FILL = 40  #: Alpha of a block's colour over the page, of 255.
_ROOM = 2  #: Pixels between what a block shows and its outline.
_LABEL = 12  #: Height of the letters of a label in pixels.
_FONTS = ("DejaVuSans.ttf", "NotoSansCJK-Regular.ttc", "wqy-zenhei.ttc", "NotoSans-Regular.ttf", "Arial Unicode.ttf", "msgothic.ttc")
"""Files of fonts with many scripts, on Linux, macOS and Windows."""
_LARGEST = 30_000  #: Pixels of a picture's side, at most: what lies beyond is cut off.


def draw(segmentation: Segmentation, screenshot: bytes | None = None) -> bytes:
    """Draw the leaves of a segmentation over a picture of the page, each with its number among all blocks and its degree of coherence.

    Args:
        segmentation: the blocks.
        screenshot: the whole page as PNG, one pixel for each CSS pixel; None: blocks are drawn on white, with the beginning of their text.

    Returns:
        A PNG.

    Raises:
        MissingExtraError: Pillow is not installed.
        UsageError: the screenshot cannot be read.
    """
    with needs_extra("drawing a picture", "browser"):
        from PIL import Image, ImageDraw
    page = _canvas(segmentation, screenshot).convert("RGBA")
    overlay = Image.new("RGBA", page.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(overlay)
    numbers = {id(block): number for number, block in enumerate(segmentation.blocks)}
    for turn, block in enumerate(segmentation.leaves):
        _outline(pen, block, COLORS[turn % len(COLORS)])
    for turn, block in enumerate(segmentation.leaves):
        _draw_label(pen, block, f"{numbers[id(block)]}: {block.doc}", COLORS[turn % len(COLORS)], overlay.size)
        if screenshot is None:
            _label_text(pen, segmentation, block)
    stream = BytesIO()
    Image.alpha_composite(page, overlay).convert("RGB").save(stream, "PNG")
    return stream.getvalue()


def _canvas(segmentation: Segmentation, screenshot: bytes | None) -> Image:
    from PIL import Image, UnidentifiedImageError

    if screenshot is None:
        left, top, width, height = segmentation.blocks[0].box if segmentation.blocks else (0.0, 0.0, 0.0, 0.0)
        size = (max(1, min(round(left + width) + 8, _LARGEST)), max(1, min(round(top + height) + 8, _LARGEST)))
        return Image.new("RGB", size, "white")
    try:
        return Image.open(BytesIO(screenshot))
    except UnidentifiedImageError as error:
        raise UsageError("the screenshot cannot be read as a picture: give the bytes of a PNG") from error


def _outline(pen: ImageDraw, block: VisualBlock, color: tuple[int, int, int]) -> None:
    left, top, width, height = block.box
    around = (left - _ROOM, top - _ROOM, left + width + _ROOM, top + height + _ROOM)
    pen.rectangle(around, fill=(*color, _FILL), outline=(*color, 255), width=2)


def _draw_label(pen: ImageDraw, block: VisualBlock, text: str, color: tuple[int, int, int], size: tuple[int, int]) -> None:
    """The block's number and degree above its upper right corner, within the picture."""
    from PIL import ImageFont

    font = ImageFont.load_default(_LABEL)
    wide = pen.textlength(text, font=font) + 6
    left = max(0.0, min(block.box[0] + block.box[2], float(size[0])) - wide)
    top = max(0.0, min(block.box[1] - _ROOM - _LABEL / 2 - 4, size[1] - _LABEL - 5.0))
    pen.rectangle((left, top, left + wide, top + _LABEL + 4), fill=(*color, 230))
    pen.text((left + 3, top + 1), text, fill=(255, 255, 255, 255), font=font)


def _label_text(pen: ImageDraw, segmentation: Segmentation, block: VisualBlock) -> None:
    """The beginning of a block's text, as much as goes into a line, in the font that has most of its letters."""
    words = block.text(segmentation.tree)[: max(0, int(block.box[2] / (0.55 * _LABEL)))]
    font = max(_fonts(), key=lambda font: sum(_shows(font, letter) for letter in set(words)))
    while words and pen.textlength(words, font=font) > block.box[2]:
        words = words[: -1 - len(words) // 10]
    pen.text((block.box[0] + 4, block.box[1] + 3), words, fill=(40, 40, 40, 255), font=font)


@cache
def _fonts() -> tuple[FreeTypeFont | ImageFont, ...]:
    """The font of Pillow, which has Latin letters, and those of the system for other scripts."""
    from PIL.ImageFont import load_default, truetype

    found: list[FreeTypeFont | ImageFont] = [load_default(_LABEL)]
    for name in _FONTS:
        with suppress(OSError):
            found.append(truetype(name, _LABEL))
    return tuple(found)


@lru_cache(maxsize=10_000)
def _shows(font: FreeTypeFont | ImageFont, letter: str) -> bool:
    """Return whether a font has a letter: it draws the letter differently from a missing one."""
    return bytes(font.getmask(letter)) != bytes(font.getmask("\uffff"))
