"""Which of several addresses of one page is the best."""

from __future__ import annotations

from urllib.parse import urlsplit


def badness(url: str | None) -> tuple[int, bool, int, int, str]:
    """A key that sorts addresses from the best to the worst: known, secure, without a query, short path, short, alphabetical.

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
