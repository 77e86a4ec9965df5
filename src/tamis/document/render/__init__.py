"""Renderers: a page tree and a mask of kept nodes to text, Markdown or HTML. No option changes which text is selected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rendering:
    """Options of the output formats: what is shown besides text. None changes which text is selected."""

    links: bool = True  #: Keep link targets (Markdown, HTML); the link's text stays either way.
    images: bool = True  #: Keep images (Markdown, HTML).
    tables: bool = True  #: Keep tables as tables; otherwise each cell becomes a paragraph of its own.
    title: bool = False
    """Begin with the page's title, a heading of the first level (Markdown), a line (text) or an ``h1`` (HTML), unless the text does so."""
    front_matter: bool = False  #: Begin with title, author, date, url, site and language as YAML between lines of three hyphens (Markdown).


def front_matter(known: Mapping[str, Any]) -> str:
    """Return the known address and metadata of a page as YAML front matter."""
    values = {name: known[name] for name in ("title", "author", "date")}
    values |= {"url": known["url"] or known["canonical_url"], "site": known["site_name"], "language": known["language"]}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items() if value]  # JSON strings are YAML
    return "\n".join(["---", *lines, "---", "", ""])
