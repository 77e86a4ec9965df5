"""``tamis render``: a page as a browser shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import options, rendering, terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.io.browser import RenderedPage

_ENDINGS = (".png", ".html", ".htm", ".json")


def render(
    source: Annotated[str, typer.Argument(metavar="PAGE", help="An http(s) address, a saved page, its folder, or - for standard input.")],
    *,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write a picture (.png), the HTML after scripts (.html), or boxes, fonts, colours of all nodes (.json). May be repeated.",
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    url: options.Url = None,
    folder: rendering.Folder = None,
    javascript: rendering.JavaScript = None,
    offline: rendering.Offline = None,
    allow_private: options.AllowPrivate = False,
    window: rendering.Window = None,
    timeout: options.Timeout = None,
    max_bytes: rendering.MaxBytes = None,
) -> None:
    """Render one page in a headless Chromium, and say what came of it.

    Examples:

    - `tamis render https://example.org -o page.png -o page.html`
    - `tamis render saved/page.html --url https://example.org/page -o page.json`
    - `tamis render site/news/today.html --folder site -o today.png`
    - `tamis render page.html --javascript --online`
    """
    from tamis.io.writing import refuse_existing

    files = output or []
    for file in files:
        if file.suffix.lower() not in _ENDINGS:
            raise UsageError(f"{file}: the name of an output ends in {', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}")
    refuse_existing(*files, overwrite=overwrite)
    page = rendering.rendered(
        source,
        rendering.settings(
            timeout=timeout, max_bytes=max_bytes, viewport=window, javascript=javascript, offline=offline, allow_private=allow_private
        ),
        url=url,
        folder=folder,
        screenshot=any(file.suffix.lower() == ".png" for file in files),
        markup=any(file.suffix.lower() in (".html", ".htm") for file in files),
    )
    for file in files:
        _write(file, page)
    if not files:
        terminal.to_stdout(_summary(page))


def _write(file: Path, page: RenderedPage) -> None:
    from tamis.io.writing import written_whole

    ending = file.suffix.lower()
    if ending == ".png":
        content = page.screenshot or b""
    elif ending == ".json":
        content = (json.dumps(as_columns(page), ensure_ascii=False) + "\n").encode("utf-8", "replace")
    else:
        content = (page.markup or "").encode("utf-8", "replace")
    with written_whole(file) as stream:
        stream.write(content)
    terminal.say(f"written to {file}")


def _summary(page: RenderedPage) -> str:
    """What came of it, a line each."""
    looks, seconds = page.appearance, page.seconds
    lines = [
        ("title", page.title),
        *([("address", page.url)] if page.url else []),
        ("size", f"{looks.width:g} x {looks.height:g} pixels"),
        ("nodes", f"{len(page.tree):,}"),
        ("seen", f"{int(looks.visible.sum()):,}"),
        ("text", f"{int(page.tree.text_length[looks.visible].sum()):,} characters seen of {int(page.tree.text_length.sum()):,}"),
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
