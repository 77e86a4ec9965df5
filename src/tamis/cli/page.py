"""Pages of the command line: read, cleaned, printed. Nothing here loads Typer, which takes longer to load than a page to clean."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tamis
from tamis.cli import terminal
from tamis.document.document import Format
from tamis.document.selection import CLEANED_ALONE
from tamis.errors import TamisError

if TYPE_CHECKING:
    from tamis.io.pages import Served, Source


def cleaned(
    source: str, url: str | None = None, encoding: str | None = None, limits: tamis.Limits | None = None, **settings: Any
) -> tamis.Document:
    """Return the document of a page that the command line names; ``settings`` are those of :func:`tamis.extract`."""
    from tamis.io.sources import open_page

    served = open_page(source).read(limits or tamis.Limits())
    return tamis.extract(served.html, url=url or served.url, content_type=served.content_type, encoding=encoding, **settings)


def tree_of(source: Source, limits: tamis.Limits | None = None) -> tuple[tamis.PageTree, Served]:
    """Return the tree of a page, and the page as its source gave it."""
    served = source.read(limits or tamis.Limits())
    return tamis.parse(served.html, content_type=served.content_type), served


def readable(
    sources: Iterable[Source], label: str, failures: list[str], limits: tamis.Limits | None = None
) -> Iterator[tuple[Source, tamis.PageTree, Served]]:
    """Yield readable pages, with trees and as served, while a progress bar moves; ``failures`` takes the reasons for the others."""
    total = len(sources) if isinstance(sources, Sized) else None
    with terminal.bars() as update:
        for number, source in enumerate(sources):
            update(label, number, total)
            try:
                yield source, *tree_of(source, limits)
            except TamisError as error:
                failures.append(str(error))


def show_chunks(document: tamis.Document, source: str, chunking: tamis.Chunking, rendering: tamis.Rendering, output: Path | None) -> None:
    """Print the chunks of a page as JSON lines that say where they are from; end with code 3 and the reason where nothing was selected."""
    from tamis.document.chunks import rows_of_chunks

    found = (chunk.to_dict() for chunk in document.chunks(chunking, rendering=rendering))
    rows = rows_of_chunks(source, document.url, document.metadata.to_dict(), found)
    terminal.deliver("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), output)
    if not document.text:
        terminal.stop(f"nothing was selected: {'; '.join(document.problems)} (--explain shows all blocks)")


def show(
    document: tamis.Document,
    form: Format = "text",
    rendering: tamis.Rendering | None = None,
    output: Path | None = None,
    *,
    comments: bool = False,
    nothing: str = "nothing was selected",
) -> None:
    """Print what was kept of a page, or write it to a file; end with code 3 and the reason where that is nothing."""
    rendering = rendering or tamis.Rendering()
    if form == "json":
        terminal.deliver(document.to_json(rendering=rendering, comments=comments, indent=2) + "\n", output)
    elif document.text:
        terminal.deliver(document.render(form, rendering).rstrip("\n") + "\n", output)
        for note in (*document.tree.notes, *(note for note in document.selection.notes if note.endswith(CLEANED_ALONE))):
            terminal.say(f"note: {note}")
    if not document.text:
        terminal.stop(f"{nothing}: {'; '.join(document.problems)} (--explain shows all blocks)")
