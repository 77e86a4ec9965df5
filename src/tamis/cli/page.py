"""One page: read, cleaned, printed. Nothing here loads Typer, which takes longer to load than a page to clean."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis.cli import terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.document.document import Document
    from tamis.document.render import Rendering
    from tamis.io.fetch import Limits


class Form(StrEnum):
    """Forms of the output."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"
    XML = "xml"


def cleaned(source: str, url: str | None = None, encoding: str | None = None, limits: Limits | None = None, **settings: Any) -> Document:
    """The document of a page that the command line names; ``settings`` are those of :func:`tamis.extract`."""
    import tamis
    from tamis.io.fetch import Limits
    from tamis.io.sources import open_page
    from tamis.page.decode import codec

    if encoding is not None and codec(encoding) is None:
        raise UsageError(f"there is no encoding {encoding!r}")
    served = open_page(source).read(limits or Limits())
    content_type = served.content_type if encoding is None else f"text/html; charset={encoding}"
    return tamis.extract(served.html, url=url or served.url, content_type=content_type, **settings)


def show(
    document: Document,
    form: Form = Form.TEXT,
    rendering: Rendering | None = None,
    output: Path | None = None,
    *,
    metadata: bool = False,
    comments: bool = False,
    nothing: str = "nothing was selected",
) -> None:
    """Print what was kept of a page, or write it to a file; end with code 3 and the reason where that is nothing."""
    from tamis.document.render import Rendering

    rendering = rendering or Rendering()
    if form is Form.JSON:
        terminal.deliver(document.to_json(rendering=rendering, comments=comments, indent=2) + "\n", output)
    elif document.text:
        front = json.dumps(document.metadata.to_dict(), ensure_ascii=False, indent=2) + "\n\n" if metadata else ""
        terminal.deliver(front + document.render(form.value, rendering).rstrip("\n") + "\n", output)
    if not document.text:
        terminal.complain(f"{nothing}: {'; '.join(document.problems)} (--explain shows all blocks)")
        raise SystemExit(terminal.NOTHING)
