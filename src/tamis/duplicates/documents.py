"""A document as this room sees it: an id, a text, and what helps to choose between copies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from tamis.errors import UsageError


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A text with a name.

    Raises:
        UsageError: the id is empty, or something else than a text was given.
    """

    id: str  #: Names the document; each id once.
    text: str  #: The main text, a paragraph a line. Clean pages first: what is around the text makes different pages alike.
    url: str | None = None  #: Its address, if known.
    time: str | None = None  #: Time of publication or fetching, in ISO 8601, if known.
    canonical: str | None = None  #: The address that the page states as its own, if it does.

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise UsageError(f"a document's id is a text that is not empty, not {self.id!r}")
        if not isinstance(self.text, str):
            raise UsageError(f"the text of document {self.id} is a {type(self.text).__name__}; decode it, or leave it out where it is None")


def instant(time: str | None) -> float | None:
    """Return a time in ISO 8601 as seconds since 1970; without a zone in UTC; a year or a month for its start; None if it cannot be read.

    >>> instant("1970-01-02"), instant("1970-01-01T01:00:00+01:00"), instant("1970"), instant("yesterday")
    (86400.0, 0.0, 0.0, None)
    """
    try:
        moment = datetime.fromisoformat(time + "-01-01"[len(time) - 4 :] if len(time) in (4, 7) else time) if time else None
        if moment is None:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def badness(url: str | None) -> tuple[int, bool, int, int, str]:
    """Return a key that sorts addresses from the best to the worst: known, secure, without a query, short path, short, alphabetical.

    >>> sorted(["http://a.org/b", "https://a.org/b?c=1", "https://a.org/b/c", "https://a.org/b"], key=badness)[0]
    'https://a.org/b'
    """
    if not url:
        return 2, True, 0, 0, ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return 2, True, 0, len(url), url
    depth = sum(1 for name in parts.path.split("/") if name)
    return int(parts.scheme.lower() != "https"), bool(parts.query), depth, len(url), url
