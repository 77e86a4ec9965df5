"""The options of rendering, and pages of the command line as a browser shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import BadParameter, Option

from tamis.cli import options, terminal
from tamis.cli.lazy import OptionGroup
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
        raise BadParameter(f"{text!r} is not a window size; write 1280x1024")
    return int(match[1]), int(match[2])


_SCRIPTS = "Whether scripts run. [default: on pages from the web, not on saved pages]"
JavaScript = Annotated[bool | None, Option("--javascript/--no-javascript", rich_help_panel=BROWSER, help=_SCRIPTS)]


@dataclass(frozen=True, slots=True)
class Rendered(OptionGroup):
    """How a browser shows a page.

    Browser:
        folder: Folder with the style sheets and images of a saved page. [default: the page's folder]
        offline: Fetch nothing from the network. [default: saved pages are offline, pages from the web are online]
        window: Size of the window. [default: 1280x1024]
        max_bytes: Most bytes that a page may fetch, with everything it needs: 500k, 20M. [default: 50M]
    """

    url: options.Url = None
    folder: Annotated[Path | None, Option(metavar="FOLDER")] = None
    javascript: JavaScript = None
    offline: Annotated[bool | None, Option("--offline/--online")] = None
    allow_private: options.AllowPrivate = False
    window: Annotated[Any, Option(metavar="WIDTHxHEIGHT", parser=window)] = None
    timeout: options.Timeout = None
    max_bytes: Annotated[int | None, Option(metavar="SIZE", parser=options.size)] = None

    def settings(self) -> BrowserSettings:
        """Settings of the browser."""
        from tamis.io.browser import BrowserSettings

        parts = {name: getattr(self, name) for name in ("javascript", "offline", "allow_private", "max_bytes")}
        return BrowserSettings(**options.values_of(seconds=self.timeout, viewport=self.window, **parts))

    def page(self, word: str, *, screenshot: bool = False, markup: bool = False) -> RenderedPage:
        """Render the page that a word of the command line names, and print the browser's notes.

        Args:
            word: an address, a file, a folder, or ``-``.
            screenshot: whether to take a picture of the page.
            markup: whether to take the HTML after scripts.

        Raises:
            SourceError: there is no such file, or it cannot be read.
            RenderError: the browser could not render it.
        """
        from tamis.io.browser import Browser
        from tamis.io.sources import open_page

        path = Path(word)
        source: dict[str, Any] = {"file": path, "folder": self.folder, "base_url": self.url}
        if "://" in word and not path.exists():
            source = {"url": word}
        elif path.is_dir():
            source = {"folder": path, "base_url": self.url}
        elif word == "-":
            html = open_page(word).read().html
            if not isinstance(html, (str, bytes)):
                raise SourceError("standard input holds no page")
            source = {"html": html, "folder": self.folder, "base_url": self.url}
        with Browser(self.settings()) as browser:
            page = browser.render(**source, screenshot=screenshot, markup=markup)
        for note in page.notes:
            terminal.say(note)
        return page
