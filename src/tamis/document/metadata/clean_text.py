"""Values as pages write them, made fit to hand on: no markup, no runs of white space, no endless lengths, addresses made absolute."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from tamis.page.references import unescaped

MAX_LINE = 500  #: Characters of a title or a name.
MAX_TEXT = 5_000  #: Characters of a description.
MAX_URL = 4_096  #: Characters of an address; a longer one is left out.

_MARKUP = re.compile(r"<(/?)([a-zA-Z][\w-]*+)([^<>]*+)>")
_UNPAIRED = frozenset("br p hr wbr".split())
_PLACEHOLDER = re.compile(
    r"\{\{.*\}\}|\$\{.*\}|%%.*%%|\[object Object\]|undefined|null|none|n/?a|nan|false|true|-|\.", re.IGNORECASE | re.DOTALL
)
_IN_PLACE_OF_URL = re.compile(r"\{\{|\$\{|\{%|<%|%%[\w.]+%%|\[object|\s\}")  #: Leftovers of templates in place of an address.
_SLASH = re.compile(r"^(https?:)/(?=[^/])", re.IGNORECASE)  #: An address with one slash where two belong.
_UNWORD = re.compile(r"[\W_]+")


def line(value: str, limit: int = MAX_LINE) -> str | None:
    """Return a value as one line of text; None if nothing is left, or only a placeholder.

    A tag with attributes or a closing tag is markup; one without, such as ``<video>``, is what the text speaks of.

    >>> line(" Tom &amp;amp; <b>Jerry</b>\\n"), line("{{ post.title }}"), line("undefined"), line("The <video> element")
    ('Tom & Jerry', None, None, 'The <video> element')
    """
    value = value[: 4 * limit]
    if "&" in value:
        value = unescaped(unescaped(value))
    if "<" in value:
        value = _without_tags(value)
    value = " ".join(value.split())
    if not value or _PLACEHOLDER.fullmatch(value):
        return None
    return value if len(value) <= limit else value[:limit].rsplit(" ", 1)[0].rstrip() + "…"


def _without_tags(value: str) -> str:
    closed = {found[2].lower() for found in _MARKUP.finditer(value) if found[1]} | _UNPAIRED
    return _MARKUP.sub(lambda found: " " if found[2].lower() in closed or found[3].strip(" /") else found[0], value)


@lru_cache(maxsize=256)  # the fields of a page compare the same texts
def comparison_key(value: str) -> str:
    """Return a text for comparison: letters and digits only, case and width ignored.

    >>> comparison_key("The Ｅxample-Times!")
    'theexampletimes'
    """
    value = value[:MAX_TEXT]
    return _UNWORD.sub("", value.lower() if value.isascii() else unicodedata.normalize("NFKC", value).casefold())


def absolute(href: str, base: str | None) -> str | None:
    """Return an address resolved against ``base``; None if it is not a web address.

    >>> absolute("/a", "https://example.org/b/c"), absolute("http://[", None), absolute("javascript:x", None)
    ('https://example.org/a', None, None)
    >>> absolute("www.example.org/a", "https://example.org/b/c"), absolute("{{ url }}", "https://example.org/b/c")
    ('https://www.example.org/a', None)
    >>> absolute("news.example.org/a", "https://example.org/b/c"), absolute("https:/example.org/a", None), absolute("//example.org/a", None)
    ('https://news.example.org/a', 'https://example.org/a', 'https://example.org/a')
    """
    href = _SLASH.sub(r"\g<1>//", href.strip())
    if not href or len(href) > MAX_URL or href.startswith("#") or _IN_PLACE_OF_URL.search(href):
        return None
    try:
        if _without_scheme(href, host(base).removeprefix("www.")):
            href = f"//{href}"
        if not base and href.startswith("//"):
            href = f"https:{href}"
        if base and not href.startswith(("https://", "http://")):
            href = urljoin(base, href)
        parts = urlsplit(href)
        known = parts.hostname
    except ValueError:
        return None
    return href if parts.scheme in ("http", "https") and known else None


def _without_scheme(href: str, own: str) -> bool:
    """Return whether an address begins with a host: the page's own (``own``), one of its domain, or one that looks like a host."""
    first = href.partition("/")[0].lower()
    return first.startswith("www.") or (own != "" and f".{first}".endswith(f".{own}"))


def host(url: str | None) -> str:
    """Return the host of an address, lower case; empty where there is none.

    >>> host("https://www.Example.org:80/x"), host("//["), host(None)
    ('www.example.org', '', '')
    """
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""
