"""The options of rendering, and pages of the command line rendered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import terminal
from tamis.cli.options import size
from tamis.errors import SourceError

if TYPE_CHECKING:
    from tamis.io.browser import BrowserSettings, RenderedPage

BROWSER = "Browser"


def window(text: str) -> tuple[int, int]:
    """Width and height of a window.

    >>> window("1280x1024")
    (1280, 1024)
    """
    match = re.fullmatch(r"(\d{1,5})\s*[x×]\s*(\d{1,5})", text.strip().lower())
    if match is None:
        raise typer.BadParameter(f"{text!r} is not a window size; write 1280x1024")
    return int(match[1]), int(match[2])


InBrowser = Annotated[
    bool, typer.Option("--browser", rich_help_panel=BROWSER, help="Render the page in Chromium first: scripts run if it is from the web.")
]
JavaScript = Annotated[
    bool | None,
    typer.Option(
        "--javascript/--no-javascript",
        rich_help_panel=BROWSER,
        help="Whether scripts run. [default: those of pages from the web do, those of saved pages do not]",
    ),
]
Offline = Annotated[
    bool | None,
    typer.Option(
        "--offline/--online",
        rich_help_panel=BROWSER,
        help="Whether nothing is fetched. [default: pages from the web fetch what they need, saved pages nothing]",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", rich_help_panel=BROWSER, help="What a saved page's style sheets and images are in. [default: the page's folder]"
    ),
]
Window = Annotated[
    Any, typer.Option(metavar="WIDTHxHEIGHT", parser=window, rich_help_panel=BROWSER, help="Size of the window. [default: 1280x1024]")
]

MaxBytes = Annotated[
    int | None,
    typer.Option(
        metavar="SIZE",
        parser=size,
        rich_help_panel=BROWSER,
        help="Most that a page may fetch, with all it needs: 500k, 20M. [default: 50M]",
    ),
]


def settings(*, timeout: float | None = None, viewport: tuple[int, int] | None = None, **given: Any) -> BrowserSettings:
    """Settings from the options that were given."""
    from tamis.io.browser import BrowserSettings

    parts = {"seconds": timeout, "viewport": viewport, **given}
    return BrowserSettings(**{name: value for name, value in parts.items() if value is not None})


def rendered(
    word: str,
    settings: BrowserSettings,
    *,
    url: str | None = None,
    folder: Path | None = None,
    screenshot: bool = False,
    markup: bool = False,
) -> RenderedPage:
    """The page that a word of the command line stands for, rendered; what is to be said about it is said.

    Raises:
        SourceError: there is no such file, or it cannot be read.
        RenderError: the browser could not render it.
    """
    from tamis.io.browser import Browser
    from tamis.io.sources import open_page

    wants = {"screenshot": screenshot, "markup": markup}
    path = Path(word)
    with Browser(settings) as browser:
        if "://" in word and not path.exists():
            page = browser.render(url=word, **wants)  # type: ignore[arg-type]  # mypy mixes the keywords up
        elif path.is_dir():
            page = browser.render(folder=path, base_url=url, **wants)  # type: ignore[arg-type]
        elif word == "-":
            html = open_page(word).read().html
            if not isinstance(html, (str, bytes)):
                raise SourceError("standard input holds no page")
            page = browser.render(html=html, folder=folder, base_url=url, **wants)  # type: ignore[arg-type]
        else:
            page = browser.render(file=path, folder=folder, base_url=url, **wants)  # type: ignore[arg-type]
    for note in page.notes:
        terminal.say(note)
    return page
