"""Addresses: which are the same page, and which is the better of two."""

from __future__ import annotations

from urllib.parse import urlsplit

from tamis.errors import MissingExtraError


def canonical(url: str) -> str | None:
    """One form for all ways to write an address (``w3lib``): order of the query, escapes, case of the host, fragment; None for none.

    A fragment that is a path of an application within a page (``#!``, ``#/``) is kept.

    Raises:
        MissingExtraError: w3lib is not installed.

    >>> canonical("HTTP://Example.org:80/a?b=2&a=1#top"), canonical("https://example.org/#/page")
    ('http://example.org/a?a=1&b=2', 'https://example.org/#/page')
    """
    try:
        from w3lib.url import canonicalize_url
    except ImportError as error:
        raise MissingExtraError("Taking different ways to write an address for the same", "dedup") from error
    try:
        form: str = canonicalize_url(url.strip(), keep_fragments=("#!" in url or "#/" in url))
        parts = urlsplit(form)
        if not parts.hostname:
            return None
        port = parts.port
    except (ValueError, UnicodeError):
        return None
    plain = parts.hostname if port is None or (parts.scheme, port) in (("http", 80), ("https", 443)) else f"{parts.hostname}:{port}"
    return parts._replace(netloc=plain, path=parts.path or "/").geturl()


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
