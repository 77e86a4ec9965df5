"""``tamis render``: a page as a browser shows it; and the options of all commands that render pages."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.lazy import OptionGroup
from tamis.errors import UsageError
from tamis.io.arguments import names_nothing
from tamis.io.writing import check_outputs

_ENDINGS = (".png", ".html", ".htm", ".json")


_SCRIPTS = "Whether scripts run. [default: on pages from the web, not on saved pages]"
JavaScript = Annotated[bool | None, Option("--javascript/--no-javascript", rich_help_panel="Browser", help=_SCRIPTS)]


@dataclass(frozen=True, slots=True)
class RenderOptions(OptionGroup):
    """Options for rendering a page in a browser.

    Browser:
        folder: Folder with the style sheets and images of a saved page. [default: the page's folder]
        offline: Fetch nothing from the network. [default: saved pages are offline, pages from the web are online]
        max_bytes: Maximum bytes that a page may fetch, with everything it needs: 500k, 20M. [default: 50M]
    """

    url: options.Url = None
    folder: Annotated[Path | None, Option(metavar="FOLDER")] = None
    javascript: JavaScript = None
    offline: Annotated[bool | None, Option("--offline/--online")] = None
    allow_private: options.AllowPrivate = False
    timeout: options.Timeout = None
    max_bytes: Annotated[int | None, Option(metavar="SIZE", parser=options.size)] = None

    def page(self, word: str, *, screenshot: bool = False, markup: bool = False) -> tamis.RenderedPage:
        """Render the page that a word of the command line names, and print the browser's notes."""
        parts = {name: getattr(self, name) for name in ("javascript", "offline", "allow_private", "max_bytes")}
        settings = tamis.BrowserSettings(**options.values_of(seconds=self.timeout, **parts))
        path = Path(word)
        source: dict[str, Any] = {"folder": path if path.is_dir() else self.folder, "base_url": self.url}
        if "://" in word and not path.exists():
            source = {"url": word}
        elif word == "-":
            source["html"] = sys.stdin.buffer.read()
        elif not path.exists():
            raise names_nothing(word)
        elif not path.is_dir():
            source["file"] = path
        with tamis.Browser(settings) as browser:
            page = browser.render(**source, screenshot=screenshot, markup=markup)
        for note in page.notes:
            terminal.say(note)
        return page


def render(
    source: Annotated[str, Argument(metavar="PAGE")],
    *,
    output: Annotated[list[Path] | None, Option("--output", "-o", metavar="FILE")] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    browser: RenderOptions,
) -> None:
    """Render one page in a headless Chromium, and print its size, its text and the time that it took.

    Examples:

    - `tamis render https://example.org -o page.png -o page.html`
    - `tamis render saved/page.html --url https://example.org/page -o page.json`
    - `tamis render site/news/today.html --folder site -o today.png`
    - `tamis render page.html --javascript --online`

    Options:
        source: An http(s) address, a saved page, its folder, or - for standard input.
        output: Write a picture (.png), the HTML after scripts (.html), or boxes, fonts, colours of all nodes (.json). May be repeated.
    """
    files = output or []
    for file in files:
        if file.suffix.lower() not in _ENDINGS:
            raise UsageError(f"{file}: the name of an output ends in {', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}")
    check_outputs(*files, overwrite=overwrite)
    endings = {file.suffix.lower() for file in files}
    page = browser.page(source, screenshot=".png" in endings, markup=bool({".html", ".htm"} & endings))
    for file in files:
        if file.suffix.lower() == ".png":
            terminal.write(page.screenshot or b"", file)
        elif file.suffix.lower() == ".json":
            terminal.deliver_json(as_columns(page), file)
        else:
            terminal.deliver(page.markup or "", file)
    looks, seconds, length = page.appearance, page.seconds, page.tree.text_length
    counts = {"nodes": len(length), "visible": int(looks.visible.sum())}
    counts |= {"characters": int(length.sum()), "visible_characters": int(length[looks.visible].sum())}
    if as_json:
        about = {"title": page.title, "url": page.url, "width": looks.width, "height": looks.height, **counts}
        terminal.say_summary({**about, "files": list(map(str, files)), "notes": list(page.notes)})
    if files or as_json:
        return
    lines = [
        ("title", page.title),
        *([("address", page.url)] if page.url else []),
        ("size", f"{looks.width:g} x {looks.height:g} pixels"),
        ("nodes", f"{counts['nodes']:,}"),
        ("visible", f"{counts['visible']:,}"),
        ("text", f"{counts['visible_characters']:,} characters visible of {counts['characters']:,}"),
        ("seconds", f"{seconds.navigation:.2f} browser, {seconds.snapshot:.2f} snapshot, {seconds.conversion:.3f} conversion"),
    ]
    terminal.to_stdout("".join(f"{name:<10}{value}\n" for name, value in lines))


def as_columns(page: tamis.RenderedPage) -> dict[str, Any]:
    """Return the page as plain values: each column a list with one entry for each node."""
    tree, looks = page.tree, page.appearance
    texts: list[str | None] = [None] * len(tree)
    for node, text in zip(tree.text_nodes.tolist(), tree.texts, strict=True):
        texts[node] = text
    return {
        "url": page.url,
        "title": page.title,
        "notes": list(page.notes),
        "width": looks.width,
        "height": looks.height,
        "tag": [tree.names[code] for code in tree.tag.tolist()],
        "parent": tree.parent.tolist(),
        "text": texts,
        "box": looks.box.round(2).astype(float).round(2).tolist(),
        "visible": looks.visible.tolist(),
        "inline": looks.inline.tolist(),
        "font_size": looks.font_size.astype(float).round(2).tolist(),
        "font_weight": looks.font_weight.tolist(),
        "color": [f"#{value:08x}" for value in looks.color.tolist()],
        "background": [f"#{value:08x}" for value in looks.background.tolist()],
    }
