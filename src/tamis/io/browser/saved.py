"""Saved pages: what is served to the browser in place of the network."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from tamis.errors import SourceError, UsageError
from tamis.page.decode import find_encoding, is_binary, to_utf8
from tamis.page.limits import bound
from tamis.page.parsing import from_html, from_lexbor, read_file, unpack

NOWHERE = "saved.page.invalid"  #: the host of saved pages whose address is not known; no name server has it
INDEXES = ("index.html", "index.htm", "index.xhtml")  #: what is taken of a folder
NO_SCRIPTS = {"Content-Security-Policy": "script-src 'none'"}
"""Keeps scripts from running while the page is parsed as where they run: ``noscript`` is no part of it, as in :func:`tamis.parse`."""

_TYPES = {"stylesheet": "text/css", "script": "text/javascript"}


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page to serve, with the folder that its files are in."""

    body: bytes  #: the page in UTF-8, hostile markup cut to bounds
    address: str
    folder: Path | None  #: what is served besides, all in it and nothing else
    notes: tuple[str, ...] = ()
    shows_noscript: bool = False
    """Whether the page's text is in ``noscript`` (:func:`tamis.page.parsing.from_html`), so that it is to be shown as without scripts."""

    def file(self, address: str) -> Path | None:
        """The file in the folder that stands for an address.

        An address on the page's host is looked for beside the page, then from the top of the folder; one on another host, in the
        folder named like the host. None: there is none.
        """
        if self.folder is None:
            return None
        try:
            asked, own = urlsplit(address), urlsplit(self.address)
        except ValueError:
            return None
        path = asked.path.lstrip("/")
        candidates = [f"{asked.netloc}/{path}"]
        if asked.netloc == own.netloc:
            beside = own.path.lstrip("/").rpartition("/")[0]
            candidates = [path.removeprefix(f"{beside}/") if beside else path, path, *candidates]
        named = [name for place in candidates for name in _names(place, asked.query)]
        return next((found for name in named if (found := self._inside(name))), None)

    def _inside(self, name: str) -> Path | None:
        """A file of the folder, by its path in it; none that leads out."""
        assert self.folder is not None
        root = self.folder.resolve()
        try:
            found = (root / name.lstrip("/")).resolve()
            return found if found.is_relative_to(root) and found.is_file() else None
        except (OSError, ValueError):  # a name too long, or with a null character
            return None


def _names(path: str, query: str) -> list[str]:
    """What a file may be called: with its query or without, as the address has it or in plain characters."""
    names = [f"{path}?{query}", path] if query else [path]
    return list(dict.fromkeys([*map(unquote, names), *names]))


def saved_page(
    *,
    html: str | bytes | None = None,
    file: Path | None = None,
    folder: Path | None = None,
    base_url: str | None = None,
    content_type: str | None = None,
    scripts: bool = False,
) -> SavedPage:
    """A page from markup or from a file.

    Args:
        html: the page; bytes are decoded as :func:`tamis.parse` does.
        file: the file that it is in (gzip is unpacked).
        folder: what its style sheets and images are in; for a file: the file's folder, where none is named. Without ``html`` and ``file``:
            its ``index.html`` is the page.
        base_url: its address.
        content_type: the HTTP ``Content-Type`` header, for bytes.
        scripts: whether they will run.

    Raises:
        SourceError: the file cannot be read.
        UsageError: there is no page, or more than one.
    """
    if html is not None and file is not None:
        raise UsageError("a page is html or a file, not both")
    if html is None and file is None:
        if folder is None:
            raise UsageError("name a page: a url, html, a file or a folder")
        file = next((folder / name for name in INDEXES if (folder / name).is_file()), None)
        if file is None:
            raise SourceError(f"{folder} has no {INDEXES[0]}: name the page's file")
    address = base_url or f"http://{NOWHERE}/"
    if file is not None:
        html = read_file(file)
        folder = folder or file.parent
        if base_url is None:
            address += _relative(file, folder)
    if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).netloc:
        raise UsageError(f"the address of a page starts with http:// or https://, not {address}")
    assert html is not None
    body, notes = _decoded(html, content_type)
    body, cut = bound(body)
    shown = not scripts and b"<noscript" in body and _shows_noscript(body)
    return SavedPage(body=body, address=address, folder=folder, notes=notes + cut, shows_noscript=shown)


def _relative(file: Path, folder: Path) -> str:
    """A file's path as the folder's address has it."""
    try:
        return quote(file.resolve().relative_to(folder.resolve()).as_posix())
    except ValueError as error:
        raise UsageError(f"{file} is not in the folder {folder}") from error


def _decoded(html: str | bytes, content_type: str | None) -> tuple[bytes, tuple[str, ...]]:
    """The page in UTF-8."""
    if isinstance(html, str):
        return html.lstrip("\ufeff").encode("utf-8", "replace"), ()
    try:
        raw = unpack(html, "the page") if html[:2] == b"\x1f\x8b" else html
    except SourceError:
        raw = html
    if is_binary(raw):
        return b"", ("no page: binary data",)
    return to_utf8(raw, find_encoding(raw, content_type)), ()


def _shows_noscript(body: bytes) -> bool:
    """Whether tamis takes the page's ``noscript`` for its text: then it makes another tree than of the page with scripts."""
    with_scripts = from_lexbor(LexborHTMLParser(body, scripting=True).root)
    return len(from_html(body)) != len(with_scripts)


def content_type(file: Path, kind: str) -> str | None:
    """The content type of a file that is asked for as a kind of thing (Playwright's names); None leaves it to the browser."""
    return _TYPES.get(kind) or mimetypes.guess_type(file.name, strict=False)[0]
