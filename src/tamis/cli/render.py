"""``tamis render``: a page as a browser shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from tamis.cli import options, terminal
from tamis.cli.rendering import Rendered
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.io.browser import RenderedPage

_ENDINGS = (".png", ".html", ".htm", ".json")


def render(
    source: Annotated[str, Argument(metavar="PAGE")],
    *,
    output: Annotated[list[Path] | None, Option("--output", "-o", metavar="FILE")] = None,
    overwrite: options.Overwrite = False,
    browser: Rendered,
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
    from tamis.io.writing import refuse_existing

    files = output or []
    for file in files:
        if file.suffix.lower() not in _ENDINGS:
            raise UsageError(f"{file}: the name of an output ends in {', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}")
    refuse_existing(*files, overwrite=overwrite)
    endings = {file.suffix.lower() for file in files}
    page = browser.page(source, screenshot=".png" in endings, markup=bool({".html", ".htm"} & endings))
    for file in files:
        terminal.write(_content(file, page), file)
    if not files:
        terminal.to_stdout(_summary(page))


def _content(file: Path, page: RenderedPage) -> bytes:
    ending = file.suffix.lower()
    if ending == ".png":
        return page.screenshot or b""
    if ending == ".json":
        return (json.dumps(as_columns(page), ensure_ascii=False) + "\n").encode("utf-8", "replace")
    return (page.markup or "").encode("utf-8", "replace")


def _summary(page: RenderedPage) -> str:
    """Size, text and times of the page, a line each."""
    looks, seconds = page.appearance, page.seconds
    lines = [
        ("title", page.title),
        *([("address", page.url)] if page.url else []),
        ("size", f"{looks.width:g} x {looks.height:g} pixels"),
        ("nodes", f"{len(page.tree):,}"),
        ("visible", f"{int(looks.visible.sum()):,}"),
        ("text", f"{int(page.tree.text_length[looks.visible].sum()):,} characters visible of {int(page.tree.text_length.sum()):,}"),
        ("seconds", f"{seconds.navigation:.2f} browser, {seconds.snapshot:.2f} snapshot, {seconds.conversion:.3f} conversion"),
    ]
    return "".join(f"{name:<10}{value}\n" for name, value in lines)


def as_columns(page: RenderedPage) -> dict[str, Any]:
    """The page as plain values: each column a list with one entry for each node."""
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
