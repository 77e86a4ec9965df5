"""The formats of a document. A format is a function in a module of its own, imported on use, and a line in :data:`RENDERERS`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from tamis.document.render import Rendering
from tamis.document.render.text import to_text

if TYPE_CHECKING:
    from tamis.document.document import Document


def text(document: Document, rendering: Rendering) -> str:
    """Plain text."""
    body = to_text(document.tree, document.selection.keep, rendering)
    title = _title(document, rendering, body)
    return f"{title}\n{body}" if title else body


def markdown(document: Document, rendering: Rendering) -> str:
    """GitHub-flavoured Markdown."""
    from tamis.document.render.escapes import escape
    from tamis.document.render.markdown import to_markdown

    body = to_markdown(document.tree, document.selection.keep, rendering, base=document.base)
    title = _title(document, rendering, body)
    body = f"# {escape(title)}\n\n{body}" if title else body
    return front_matter(document) + body if rendering.front_matter else body


def html(document: Document, rendering: Rendering) -> str:
    """A fragment of clean HTML."""
    from tamis.document.render.html import escape, to_html

    body = to_html(document.tree, document.selection.keep, rendering, base=document.base)
    title = _title(document, rendering, document.text) if rendering.title else ""
    return f"<h1>{escape(title)}</h1>\n{body}" if title else body


def as_json(document: Document, rendering: Rendering) -> str:
    """The text and what is known of it, as a JSON object."""
    return document.to_json(rendering=rendering, indent=2)


def xml(document: Document, rendering: Rendering) -> str:
    """TEI."""
    from tamis.document.render.tei import to_tei

    return to_tei(html(document, rendering), document.metadata, document.url)


RENDERERS: dict[str, Callable[[Document, Rendering], str]] = {
    "text": text,
    "markdown": markdown,
    "html": html,
    "json": as_json,
    "xml": xml,
}
"""Renderers by the name of the format."""


def front_matter(document: Document) -> str:
    """What is known of a page as YAML front matter: title, author, date, url, site, language; what is unknown is left out."""
    about = document.metadata
    values = {
        "title": about.title,
        "author": about.author,
        "date": about.date,
        "url": document.url or about.canonical_url,
        "site": about.site_name,
        "language": about.language,
    }
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items() if value]  # JSON strings are YAML
    return "\n".join(["---", *lines, "---", "", ""])


def _title(document: Document, rendering: Rendering, body: str) -> str:
    """The title to put before a text; nothing where none is wanted or known, or where the text begins with it."""
    title = document.metadata.title if rendering.title else None
    if not title:
        return ""
    first, wanted = ("".join(filter(str.isalnum, text)).casefold() for text in (body.lstrip().partition("\n")[0], title))
    return "" if first.startswith(wanted) and len(first) < 2 * len(wanted) else title
