"""A page that was fetched, taken apart, and what the index says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tamis.crawl.answer import Answer
from tamis.crawl.frontier import Item
from tamis.crawl.output import Written
from tamis.document.metadata import read_metadata
from tamis.page.decode import Encoding
from tamis.page.hyperlinks import robots_meta
from tamis.page.tree import PageTree


@dataclass(frozen=True, slots=True)
class Read:
    """A page that was fetched."""

    tree: PageTree
    encoding: Encoding | None
    answer: Answer


def asks_nofollow(page: Read) -> bool:
    """Whether a page asks by ``meta`` or header that its links be left alone."""
    header = {word.strip() for word in (page.answer.header("X-Robots-Tag") or "").lower().split(",")}
    return bool({"nofollow", "none"} & (header | robots_meta(page.tree)))


def index_entry(item: Item, page: Read, written: Written) -> dict[str, Any]:
    """The line of the index about a page."""
    answer = page.answer
    return {
        "url": item.url,
        "status": answer.status,
        "time": answer.started.isoformat(timespec="milliseconds"),
        "type": answer.content_type,
        "charset": page.encoding.name if page.encoding is not None else None,
        "digest": written.digest,
        "title": read_metadata(page.tree, answer.url).title,
        "depth": item.depth,
        "referrer": item.referrer,
        "redirected_from": item.via,
        "file": written.file,
        "offset": written.offset,
        "length": written.length,
    }
