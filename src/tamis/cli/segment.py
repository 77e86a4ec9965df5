"""``tamis segment``: the blocks that a reader sees on a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tamis.cli import options, rendering, terminal
from tamis.errors import MissingExtraError, RenderError, UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from tamis.io.browser import BrowserSettings
    from tamis.page.tree import PageTree
    from tamis.segmentation import Segmentation, SegmentSettings, VisualBlock

_WORDS = 60
"""Characters of a block's text that are shown."""
_NEVER_FOLDED = 10_000
"""Characters of a line."""
_PATHS = 2
"""XPaths of a block that are shown."""


def segment(
    source: Annotated[str, typer.Argument(metavar="PAGE", help="An http(s) address, a saved page, its folder, or - for standard input.")],
    *,
    pdoc: Annotated[
        int, typer.Option(metavar="DOC", min=1, max=10, help="Permitted degree of coherence: 3 for coarse blocks, 5 for fine ones.")
    ] = 5,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the blocks over the page (.png).")] = None,
    estimated: Annotated[bool, typer.Option("--estimated", help="Without a browser: guess the layout from the markup.")] = False,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    url: options.Url = None,
    folder: rendering.Folder = None,
    javascript: rendering.JavaScript = None,
    offline: rendering.Offline = None,
    allow_private: options.AllowPrivate = False,
    window: rendering.Window = None,
    timeout: options.Timeout = None,
    max_bytes: rendering.MaxBytes = None,
) -> None:
    """Print the blocks of a page as a tree, each with its degree of coherence, size, place and first words.

    The page is rendered in Chromium. Where there is none, its layout is estimated from the markup, and that is said.
    Ends with code 3 where nothing is to be seen on the page.

    Examples:

    - `tamis segment https://example.org --picture blocks.png`
    - `tamis segment saved/page.html --pdoc 3`
    - `tamis segment page.html --estimated --json`
    """
    from tamis.io.writing import refuse_existing
    from tamis.segmentation import SegmentSettings

    if picture is not None and picture.suffix.lower() != ".png":
        raise UsageError(f"{picture}: the name of a picture ends in .png")
    if estimated and (javascript or offline is False or window is not None):
        raise UsageError("--estimated works without a browser: --javascript, --online and --window are for rendering")
    refuse_existing(picture, overwrite=overwrite)
    browser = None
    if not estimated:
        limits = {"timeout": timeout, "max_bytes": max_bytes, "viewport": window}
        browser = rendering.settings(**limits, javascript=javascript, offline=offline, allow_private=allow_private)
    segmentation, screenshot = _segmented(source, SegmentSettings(pdoc=pdoc), browser, url, folder, picture is not None)
    if not segmentation.blocks:
        terminal.complain("nothing is to be seen on this page")
        raise SystemExit(terminal.NOTHING)
    if picture is not None:
        _write_picture(segmentation, screenshot, picture)
    if as_json:
        terminal.to_stdout(json.dumps(segmentation.to_dict(), ensure_ascii=False, indent=1) + "\n")
    elif picture is None or not terminal.VOICE.quiet:
        _show(segmentation)


def _segmented(
    source: str, settings: SegmentSettings, browser: BrowserSettings | None, url: str | None, folder: Path | None, screenshot: bool
) -> tuple[Segmentation, bytes | None]:
    """The page in blocks, and its picture where it was rendered."""
    from tamis.segmentation import segment as cut

    if browser is not None:
        try:
            page = rendering.rendered(source, browser, url=url, folder=folder, screenshot=screenshot)
            return cut(page, settings=settings), page.screenshot
        except (MissingExtraError, RenderError) as error:
            terminal.say(f"{error}; the layout is estimated from the markup instead (--estimated asks for that)")
    return cut(_tree(source), settings=settings), None


def _tree(source: str) -> PageTree:
    """The page without a browser; of a folder, its index."""
    from tamis.io.sources import open_page
    from tamis.page.parsing import parse

    path = Path(source)
    index = next((path / name for name in ("index.html", "index.htm", "index.xhtml") if (path / name).is_file()), None)
    served = open_page(index or source).read()
    return parse(served.html, content_type=served.content_type)


def _write_picture(segmentation: Segmentation, screenshot: bytes | None, picture: Path) -> None:
    from tamis.io.writing import written_whole
    from tamis.segmentation.picture import draw

    drawn = draw(segmentation, screenshot)
    with written_whole(picture) as stream:
        stream.write(drawn)
    terminal.say(f"written to {picture}")


def _show(segmentation: Segmentation) -> None:
    """Print the blocks down to the leaves as a tree. Lines are never folded."""
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    kind = "layout estimated from the markup" if segmentation.estimated else "as rendered"
    leaves = segmentation.leaves
    root = Tree(Text(f"{len(leaves)} blocks at PDoC {segmentation.settings.pdoc}, {kind}", "bold"), guide_style="dim")
    ends = set(map(id, leaves))
    branches: dict[int, Tree] = {-1: root}
    for number, block in enumerate(segmentation.blocks):
        if block.parent in branches:
            branch = branches[block.parent].add(_line(segmentation, number, block, id(block) in ends))
            if id(block) not in ends:
                branches[number] = branch
    Console(highlight=False, width=_NEVER_FOLDED).print(root)


def _line(segmentation: Segmentation, number: int, block: VisualBlock, is_leaf: bool) -> Text:
    """Number, degree of coherence, box, place and first words of a block."""
    from rich.text import Text

    left, top, width, height = (round(side) for side in block.box)
    paths = [segmentation.tree.xpath(node) for node in block.nodes[:_PATHS]]
    more = len(block.nodes) - len(paths)
    place = " + ".join(dict.fromkeys(paths)) + (f" + {more} more" if more else "")
    text = terminal.harmless(block.text(segmentation.tree))
    words = text if len(text) <= _WORDS else text[:_WORDS].rstrip() + "…"
    return Text.assemble(
        (f"{number} ", "dim"),
        (f"DoC {block.doc}", "bold green" if is_leaf else "bold"),
        (f"  {width}x{height} at {left},{top}  ", ""),
        (place, "cyan"),
        f"  {words}" if is_leaf else "",
    )
