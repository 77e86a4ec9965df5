"""``tamis segment``: the blocks that a reader sees on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.text import Text
from rich.tree import Tree
from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.page import tree_of
from tamis.cli.render import RenderOptions
from tamis.errors import MissingExtraError, RenderError, UsageError
from tamis.io.browser.saved import INDEXES
from tamis.io.sources import open_page
from tamis.io.writing import check_outputs

_WORDS = 60  #: Characters of a block's text that are shown.
_PATHS = 2  #: XPaths of a block that are shown.


def segment(
    source: Annotated[str, Argument(metavar="PAGE")],
    *,
    pdoc: Annotated[int, Option(metavar="DOC", min=1, max=10)] = 5,
    picture: Annotated[Path | None, Option(metavar="FILE")] = None,
    estimated: bool = False,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    browser: RenderOptions,
) -> None:
    """Print the blocks of a page as a tree, each with its degree of coherence, size, place and first words.

    Chromium renders the page. Without Chromium, the layout is estimated from the markup, and a message says so.
    The command ends with code 3 if nothing on the page is visible.

    Examples:

    - `tamis segment https://example.org --picture blocks.png`
    - `tamis segment saved/page.html --pdoc 3`
    - `tamis segment page.html --estimated --json`

    Options:
        source: An http(s) address, a saved page, its folder, or - for standard input.
        pdoc: Permitted degree of coherence: 3 for coarse blocks, 5 for fine ones.
        picture: Draw the blocks over the page (.png).
        estimated: Use no browser: estimate the layout from the markup.
    """
    if picture is not None and picture.suffix.lower() != ".png":
        raise UsageError(f"{picture}: the name of a picture ends in .png")
    if estimated and (browser.javascript or browser.offline is False):
        raise UsageError("--estimated works without a browser: --javascript and --online are for rendering")
    check_outputs(picture, overwrite=overwrite)
    segmentation, screenshot = _segmented(source, pdoc, None if estimated else browser, picture is not None)
    if not segmentation.blocks:
        terminal.stop("nothing on this page is visible")
    if picture is not None:
        from tamis.segmentation.picture import draw

        terminal.write(draw(segmentation, screenshot), picture)
    if as_json:
        terminal.deliver_json(segmentation.to_dict())
    elif picture is None or not terminal.VOICE.quiet:
        _show(segmentation)


def _segmented(source: str, pdoc: int, browser: RenderOptions | None, screenshot: bool) -> tuple[tamis.Segmentation, bytes | None]:
    """Return the page in blocks, and its picture if it was rendered."""
    settings = tamis.SegmentSettings(pdoc=pdoc)
    if browser is not None:
        try:
            page = browser.page(source, screenshot=screenshot)
            return tamis.segment(page, settings=settings), page.screenshot
        except (MissingExtraError, RenderError) as error:
            terminal.say(f"{error}; the layout is estimated from the markup instead (--estimated does so at once)")
    names = (Path(source) / name for name in INDEXES)  # of a folder
    return tamis.segment(tree_of(open_page(next(filter(Path.is_file, names), source)))[0], settings=settings), None


def _show(segmentation: tamis.Segmentation) -> None:
    kind = "layout estimated from the markup" if segmentation.estimated else "as rendered"
    leaves = segmentation.leaves
    root = Tree(Text(f"{terminal.counted(len(leaves), 'block')} at PDoC {segmentation.settings.pdoc}, {kind}", "bold"), guide_style="dim")
    ends = set(map(id, leaves))
    branches: dict[int, Tree] = {-1: root}
    for number, block in enumerate(segmentation.blocks):
        if block.parent in branches:
            branch = branches[block.parent].add(_block_line(segmentation, number, block, id(block) in ends))
            if id(block) not in ends:
                branches[number] = branch
    Console(highlight=False, width=10_000).print(root)


def _block_line(segmentation: tamis.Segmentation, number: int, block: tamis.VisualBlock, is_leaf: bool) -> Text:
    """Number, degree of coherence, box, place and first words of a block."""
    left, top, width, height = (round(side) for side in block.box)
    paths = [segmentation.tree.xpath(node) for node in block.nodes[:_PATHS]]
    more = len(block.nodes) - len(paths)
    place = " + ".join(dict.fromkeys(paths)) + (f" + {more} more" if more else "")
    words = terminal.beginning(terminal.harmless(block.text(segmentation.tree)), _WORDS)
    return Text.assemble(
        (f"{number} ", "dim"),
        (f"DoC {block.doc}", "bold green" if is_leaf else "bold"),
        (f"  {width}x{height} at {left},{top}  ", ""),
        (place, "cyan"),
        f"  {words}" if is_leaf else "",
    )
