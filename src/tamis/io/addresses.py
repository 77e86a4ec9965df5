"""Read from an address its place on the site: folder, pattern, and whether it is one part of a longer article.

The pattern is the address without the parts that vary between pages of one kind: numbers, and the words of slugs. All is guessed from
names; nothing is fetched."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from tamis.errors import UsageError, needs_extra
from tamis.io.naming import named

PORTS = {"http": 80, "https": 443}  #: of an address that names none
PART_KEYS = frozenset("page pages paged pg pn pagenum pageno page_no start offset part seite pagina cpage".split())
"""Names in a query that number the parts of an article."""
VIEW_SEGMENTS = frozenset("amp print feed trackback embed".split())
INDEX = re.compile(r"(index|default)\.\w{2,5}", re.I)
MOST_PARTS = 99  #: greater numbers name articles, not their parts
VISITOR_KEYS = frozenset(
    "phpsessid jsessionid aspsessionid cfid cftoken zenid oscsid replytocom fbclid gclid msclkid dclid yclid mc_cid mc_eid _ga _gl "
    "igshid".split()
)
"""Names in a query that identify the visitor or the referring page, whatever the value. So do names that begin with ``utm_``."""
SESSION_KEYS = frozenset("sid s_id sess sessid session sessionid session_id".split())
"""Names in a query that identify the visitor if the value is long and random; others number pages: ``article.php?sid=12``."""
VIEW_KEYS = frozenset("amp noamp print printable share ref highlight".split())
"""Names in a query that change the view of a page, but not the page."""

_PART_WORD = r"(?:page|part|seite|pagina|pag|comment-page|p)"
_NUMBER_AT_END = re.compile(rf"[-_](?:{_PART_WORD}[-_]?)?(?P<number>[1-9]\d?)", re.I)
_LONGEST_END = 16  # characters of what :data:`_NUMBER_AT_END` matches: ``-comment-page-99``
_LONGEST_NUMBER = 9  # digits of the number of a part; a longer one numbers something else
_PART_SEGMENT = re.compile(rf"{_PART_WORD}[-_]?(?P<number>[1-9]\d{{0,8}})", re.I)
_SUFFIX = re.compile(r"(?<=.)\.[a-z][a-z0-9]{1,4}", re.I)
_WORDS = re.compile(r"[^\W_]+")
_PARAMETER = re.compile(r";(jsessionid|phpsessid|sid)=([^/?;#]*)", re.I)
_TOKEN = re.compile(r"[\w-]{16,}", re.ASCII)
_CASE_OR_DIGIT = re.compile(r"[a-z]+|[A-Z]+|\d+")
_CANONICAL = re.compile(r"https?://(?=[^/]{4,60}/)(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,}(?:/(?!\.)[A-Za-z0-9_.-]*)+", re.ASCII)
"""Addresses that have their canonical form: most have."""
_SPECIAL = re.compile(r"[\[?]")  #: Characters with a meaning in file names, but not in patterns of addresses.
_APPLICATION_PATH = ("!", "/")  # begin fragments that are paths within an application on the page


@dataclass(frozen=True)
class Patterns:
    """Wanted addresses, by patterns such as ``/news/*`` of the path with its query; only ``*`` has a meaning. One that begins
    with ``http`` is compared with the whole address; its host may be written in any case, and in letters or as ``xn--``.

    Raises:
        UsageError: a pattern begins with something else.

    >>> Patterns(("/news/*",), ("*print*",)).refusal("https://example.org/news/tides?print=1")
    'excluded'
    >>> [Patterns(("/新闻/*",)).refusal(f"https://example.org/{name}/tides") for name in ("%E6%96%B0%E9%97%BB", "%e6%96%b0%e9%97%bb")]
    [None, None]
    >>> Patterns(("https://Bücher.example/*",)).refusal("https://xn--bcher-kva.example/tides")
    """

    include: tuple[str, ...] = ()  #: of wanted addresses; empty: all are
    exclude: tuple[str, ...] = ()  #: of addresses that are not wanted

    def __post_init__(self) -> None:
        for pattern in (*self.include, *self.exclude):
            if not pattern.startswith(("/", "*", "http://", "https://")):
                raise UsageError(f"a pattern starts with /, * or http, such as /news/*, and not like {pattern!r}")

    @cached_property
    def _compiled(self) -> tuple[list[tuple[bool, re.Pattern[str]]], ...]:
        return tuple(
            [(each.startswith("http"), re.compile(translate(_SPECIAL.sub(r"[\g<0>]", unquote(_with_plain_host(each)))))) for each in given]
            for given in (self.include, self.exclude)
        )

    def refusal(self, url: str) -> str | None:
        """Return why an address, or a path, is not wanted, in a few words; None if it is."""
        parts = urlsplit(url)
        local = parts.path + (f"?{parts.query}" if parts.query else "")
        url, local = unquote(url), unquote(local)  # escapes are written in several ways
        included, excluded = (any(p.match(url if whole else local) for whole, p in given) for given in self._compiled)
        if self.include and not included:
            return "not included"
        return "excluded" if excluded else None

    @staticmethod
    def want_nothing(example: str) -> str:
        """Return why no page is left, in words; with an address that was compared."""
        return f"no address is wanted by the patterns (--include, --exclude); compared was, for example, {example}"


def _with_plain_host(pattern: str) -> str:
    """Return a pattern whose host, if it names one, is written as :func:`normalize_url` writes hosts."""
    scheme, slashes, rest = pattern.partition("://")
    if not slashes or not scheme.startswith("http"):
        return pattern
    host, slash, path = rest.partition("/")
    with suppress(UnicodeError):  # what no host can be called matches none
        host = ".".join(label if label.isascii() else label.encode("idna").decode("ascii") for label in host.lower().split("."))
    return f"{scheme}://{host}{slash}{path}"


@dataclass(frozen=True, slots=True)
class ArticlePart:
    """An address as an article and one of its parts."""

    article: tuple[str, ...]  #: what all parts share: host, segments without numbers of parts, the rest of the query
    number: int | None  #: which part; None if the address has no number, as that of a first part often does
    bare: bool = False  #: whether the number is all that its segment says: ``/2/``. It may also be the number of an article.


@dataclass(frozen=True)
class Address:
    """A parsed address of the web."""

    host: str  #: in lower case, named as a site (:func:`tamis.io.naming.named`), with the port if one is given
    segments: tuple[str, ...]  #: the parts of the path, unquoted, an ``index.html`` at the end left out
    slash: bool  #: whether the path ends in a slash
    query: tuple[tuple[str, str], ...]  #: names and values, sorted, without those that only change the view

    @property
    def directory(self) -> tuple[str, ...]:
        """The segments of the folder that the page is in: ``/a`` for ``/a/b`` and for ``/a/b/``."""
        return self.segments[:-1]

    @property
    def leaf(self) -> str:
        """The last segment; empty for the root."""
        return self.segments[-1] if self.segments else ""

    @cached_property
    def pattern(self) -> tuple[str, ...]:
        """The generalised segments of the path: numbers are ``0``, slugs ``*``, suffixes stay; the last one is a slug where it can be.

        >>> read_address("https://example.org/2019/05/the-tide-turns.html").pattern
        ('0', '0', '*.html')
        """
        folders = tuple(map(_generalised, self.segments[:-1]))
        return (*folders, _generalised_leaf(self.leaf)) if self.segments else ()

    @cached_property
    def words(self) -> int:
        """Words of the last segment."""
        return len(_WORDS.findall(_bare_name(self.leaf)))

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names in the query."""
        return frozenset(name for name, _ in self.query)

    @cached_property
    def part(self) -> ArticlePart:
        """The article, and which part of it."""
        segments = [segment for segment in self.segments if segment]
        while segments and segments[-1].lower() in VIEW_SEGMENTS:
            segments.pop()
        rest = tuple(f"{name}={value}" for name, value in self.query if not _numbers_parts(self, name, value))
        number = next((int(value) for name, value in self.query if _numbers_parts(self, name, value)), None)
        if number is not None:
            return ArticlePart((self.host, *map(_bare_name, segments), *rest), number)
        segments, number, bare = _without_part(segments)
        return ArticlePart((self.host, *segments, *rest), number, bare)


def read_address(url: str) -> Address:
    """Parse an address. An invalid one has an empty host.

    >>> address = read_address("https://www.example.org/news/tides_2.html?utm_source=feed#top")
    >>> address.host, address.segments, address.query, address.part.article, address.part.number
    ('example.org', ('news', 'tides_2.html'), (), ('example.org', 'news', 'tides'), 2)
    """
    try:
        parts = urlsplit(_without_session(url.strip()))
        host, port = named(parts.hostname or ""), parts.port
    except ValueError:
        return Address("", (), False, ())
    if port not in (None, PORTS.get(parts.scheme.lower())):
        host += f":{port}"
    segments = [unquote(segment) for segment in parts.path.split("/") if segment]
    if segments and INDEX.fullmatch(segments[-1]):
        segments.pop()
    fields = parse_qsl(parts.query, keep_blank_values=True)
    query = (field for field in fields if field[0].lower() not in VIEW_KEYS and not identifies_visitor(*field))
    return Address(host, tuple(segments), parts.path.endswith("/"), tuple(sorted(query)))


def identifies_visitor(name: str, value: str) -> bool:
    """Return whether a field of a query identifies the visitor or the referring page, not the page.

    >>> identifies_visitor("sid", "12"), identifies_visitor("sid", "0c9f1b7a55d04e6e8f3a2b1c9d8e7f60"), identifies_visitor("utm_id", "a")
    (False, True, True)
    """
    name = name.lower()
    return name in VISITOR_KEYS or name.startswith("utm_") or (name in SESSION_KEYS and _is_random(value))


def _is_random(value: str) -> bool:
    """Return whether a value looks random: long, with digits and letters mixed, unlike numbers, dates and slugs."""
    runs = _CASE_OR_DIGIT.findall(value)
    mixed = any(run.isdecimal() for run in runs) and not all(run.isdecimal() for run in runs)
    return mixed and _TOKEN.fullmatch(value) is not None and 7 * len(runs) >= 2 * len(value)


def _without_session(url: str) -> str:
    """Return an address without the parameters of its path that identify the visitor (``;jsessionid=0A1B``)."""
    if ";" not in url:
        return url
    return _PARAMETER.sub(lambda found: "" if identifies_visitor(found[1], found[2]) else found[0], url)


def joined(base: str, href: str) -> str | None:
    """Return an address resolved against its base; None if it is not valid.

    >>> joined("https://example.org/a/", "../b"), joined("https://example.org/", "http://[x")
    ('https://example.org/b', None)
    """
    try:
        return urljoin(base, href)
    except ValueError:
        return None


def _numbers_parts(address: Address, name: str, value: str) -> bool:
    """Return whether a field of the query numbers parts. ``p`` alone names an article (``/?p=12``)."""
    if not value.isdecimal() or len(value) > _LONGEST_NUMBER:
        return False
    if name.lower() == "p":
        return bool(address.segments) and int(value) <= MOST_PARTS and not address.leaf.endswith((".php", ".asp", ".aspx", ".cgi"))
    return name.lower() in PART_KEYS


def _without_part(segments: list[str]) -> tuple[list[str], int | None, bool]:
    """Return the segments of a path without the number of a part at its end, the number, and whether it was alone."""
    if not segments:
        return segments, None, False
    *folders, leaf = segments
    leaf = _bare_name(leaf)
    number = leaf.isdecimal() and len(leaf) <= _LONGEST_NUMBER
    if len(folders) >= 2 and folders[-1].lower() in ("page", "part", "seite", "pagina", "p") and number:
        return [*folders[:-2], _bare_name(folders[-2])], int(leaf), False
    if folders and (found := _PART_SEGMENT.fullmatch(leaf)):
        return [*folders[:-1], _bare_name(folders[-1])], int(found["number"]), False
    if folders and number and not leaf.startswith("0") and int(leaf) <= MOST_PARTS:
        return [*folders[:-1], _bare_name(folders[-1])], int(leaf), True
    for start in range(max(len(leaf) - _LONGEST_END, 0), len(leaf)):
        if (found := _NUMBER_AT_END.fullmatch(leaf, start)) and _WORDS.search(leaf, 0, start):
            return [*folders, leaf[:start]], int(found["number"]), False
    return [*folders, leaf], None, False


def _bare_name(segment: str) -> str:
    """Return a segment without the suffix of its file."""
    found = _SUFFIX.search(segment)
    return segment[: found.start()] if found and found.end() == len(segment) else segment


def _generalised(segment: str) -> str:
    """Return a folder: numbers become ``0``, a slug of several words or of another script ``*``; a plain word stays."""
    if segment.isdecimal():
        return "0"
    if _is_slug(segment):
        return "*"
    return re.sub(r"\d+", "0", segment.lower())


def _generalised_leaf(segment: str) -> str:
    """Return the last segment: a number, a slug, a plain word; with its suffix."""
    name = _bare_name(segment)
    suffix = segment[len(name) :].lower()
    if name.isdecimal():
        return "0" + suffix
    kind = "*" if _is_slug(name) else "w"
    return kind + ("0" if name[-1:].isdecimal() else "") + suffix


def _is_slug(name: str) -> bool:
    return len(_WORDS.findall(name)) > 1 or not name.isascii() or len(name) > 30


def canonical(url: str) -> str | None:
    """Return the canonical form of an address; None if the text is not an address with a host. Raises MissingExtraError without w3lib.

    Session numbers and tracking are removed, the query is sorted, escapes, host and port take their standard form. The fragment is
    dropped unless it is a path of an application within the page (``#!``, ``#/``).

    >>> canonical("HTTP://Example.org:80/a b/?utm_source=x&b=2&a=1&PHPSESSID=abc#top"), canonical("https://example.org/#/page")
    ('http://example.org/a%20b/?a=1&b=2', 'https://example.org/#/page')
    """
    if _CANONICAL.fullmatch(url):
        return url
    with needs_extra("Recognising the same address in different spellings", "dedup"):
        from w3lib.url import canonicalize_url
    try:
        tidied = normalize_url(url)
        if not urlsplit(tidied).hostname:
            return None
        fragment = urlsplit(url.strip()).fragment
        whole = f"{tidied}#{fragment}" if fragment.startswith(_APPLICATION_PATH) else tidied
        return str(canonicalize_url(whole, keep_fragments=True))
    except (ValueError, UnicodeError):
        return None


def normalize_url(url: str) -> str:
    """Return the address to fetch: quoted, without fragment, session numbers and tracking; the query keeps its order. Raises ValueError."""
    from w3lib.url import safe_url_string

    parts = urlsplit(safe_url_string(_without_session(url.strip())))
    host = (parts.hostname or "").rstrip(".")
    port = parts.port
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != PORTS.get(parts.scheme):
        netloc += f":{port}"
    fields = [(field, *field.partition("=")) for field in parts.query.split("&") if field]
    query = "&".join(field for field, name, _, value in fields if not identifies_visitor(name, value))
    return parts._replace(netloc=netloc, path=parts.path or "/", query=query, fragment="").geturl()
