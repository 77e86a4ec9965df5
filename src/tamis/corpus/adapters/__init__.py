"""tamis in other tools: a module for each of LangChain, LlamaIndex, Scrapy, datatrove and Daft; here pandas, Spark and Ray.

They clean each page by itself, unless a site's model is given; :func:`tamis.corpus.pipeline.run` learns templates. A module raises
MissingExtraError on import if its tool is not installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from tamis.corpus.batch import Cleaning, Record, chunk_rows, clean, clean_page
from tamis.io.pages import HeldPage, Source
from tamis.site.model import SiteModel

Sources: TypeAlias = "str | Path | Source | Iterable[str | Path | Source]"
FIELDS = ("text", "title", "author", "date", "language", "problem")  #: what comes out for each page; each a text or None


def clean_batch(
    pages: Iterable[str | bytes | None], addresses: Iterable[str | None] | None = None, model: SiteModel | None = None
) -> list[dict[str, str | None]]:
    """Clean pages; a dict of :data:`FIELDS` for each, in order. Never raises for a page: its problem is in the dict.

    ``pages``: HTML, None for none; ``addresses``: theirs; ``model``: the template of the site that all pages are of.

    >>> clean_batch(["<article><p>The ferry runs again from Monday on.<p>Tickets are sold at the quay.</article>"])[0]["text"]
    'The ferry runs again from Monday on.\\nTickets are sold at the quay.'
    """
    listed = list(pages)
    named = [None] * len(listed) if addresses is None else list(addresses)
    return [clean_one(page, address, model) for page, address in zip(listed, named, strict=True)]


def clean_one(page: object, address: str | None = None, model: SiteModel | None = None) -> dict[str, str | None]:
    """Clean a page to a dict of :data:`FIELDS`. Arguments as in :func:`clean_batch`."""
    empty: dict[str, str | None] = dict.fromkeys(FIELDS)
    if not isinstance(page, (str, bytes)):  # pandas has NaN where there is nothing
        return empty | {"problem": "no page"}
    record = clean_page(HeldPage("the page", page, address), Cleaning(model=model))
    return empty | about(record) | {"text": record.text, "problem": "; ".join(record.problems) or None}


def about(record: Record) -> dict[str, str | None]:
    """Title, author, date and language of a page."""
    return {name: (record.metadata or {}).get(name) for name in ("title", "author", "date", "language")}


def clean_frames(frames: Iterable[Any], html: str = "html", url: str | None = None) -> Iterator[Any]:
    """Clean pandas frames for Spark (``mapInPandas``): yield frames with the columns of :data:`FIELDS` instead of the page.

    ``html``, ``url``: columns of the page and, if there is one, of the address.
    """
    for frame in frames:
        cleaned = clean_batch(frame[html], frame[url] if url else None)
        yield frame.drop(columns=[html]).assign(**{name: [row[name] for row in cleaned] for name in FIELDS})


def loaded(sources: Sources, options: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Clean pages for loaders: id, text and metadata of each page that has a text, or of each chunk where ``chunks`` is among the options.

    The text is Markdown unless ``formats`` says otherwise. The metadata hold only what is known.
    """
    settings: dict[str, Any] = {"formats": ("markdown",), **options}
    records = clean(sources, **settings)
    if settings.get("chunks"):
        for row in chunk_rows(records):
            yield row.pop("id"), row.pop("text"), {name: value for name, value in row.items() if value is not None}
        return
    for record in records:
        if record.status == "ok":
            known = {"source": record.source, "url": record.url, **about(record)}
            text = next(iter(record.content.values())) or ""
            yield record.source, text, {name: value for name, value in known.items() if value is not None}
