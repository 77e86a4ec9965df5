"""Saved pages, which are served to the browser in place of the network."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes, urlsplit

from selectolax.lexbor import LexborHTMLParser

from tamis.errors import SourceError, UsageError
from tamis.io.pages import text_only
from tamis.page.decode import find_encoding, to_utf8
from tamis.page.limits import bound
from tamis.page.parsing import from_html, from_lexbor, read_file, unpacked

NOWHERE = "saved.page.invalid"  #: the host of saved pages whose address is not known; no name server has it
INDEXES = ("index.html", "index.htm", "index.xhtml")  #: the page of a folder
NO_SCRIPTS = {"Content-Security-Policy": "script-src 'none'"}
"""Keeps scripts from running although the page is parsed as if they ran: without ``noscript``, as in :func:`tamis.parse`."""


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page to serve, with the folder that its files are in."""

    body: bytes  #: the page in UTF-8, hostile markup cut to bounds
    address: str
    folder: Path | None  #: the files that are served besides the page
    notes: tuple[str, ...] = ()
    shows_noscript: bool = False
    """The page's text is in ``noscript`` (:func:`tamis.page.parsing.from_html`), so that scripts must be switched off."""

    def file(self, address: str) -> Path | None:
        """Return the file in the folder for an address; None if there is none.

        For the page's host: beside the page, then from the top of the folder; for another host: in the folder with its name.
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
        root = self.folder.resolve()
        for place in candidates:
            names = [f"{place}?{asked.query}", place] if asked.query else [place]
            for name in (*(os.fsdecode(unquote_to_bytes(name)) for name in names), *names):
                with suppress(OSError, ValueError, RuntimeError):  # a name too long or with a null character, or a link in a circle
                    found = (root / name.lstrip("/")).resolve()
                    if found.is_relative_to(root) and found.is_file():  # nothing outside the folder
                        return found
        return None


def saved_page(
    *,
    html: str | bytes | None = None,
    file: Path | None = None,
    folder: Path | None = None,
    base_url: str | None = None,
    content_type: str | None = None,
    scripts: bool = False,
) -> SavedPage:
    """Return a page from markup or from a file; arguments and errors are those of :meth:`Browser.render`.

    ``content_type``: the HTTP ``Content-Type`` header, for bytes; ``scripts``: whether they will run.
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
            try:
                address += quote(os.fsencode(file.resolve().relative_to(folder.resolve()).as_posix()))
            except ValueError as error:
                raise UsageError(f"{file} is not in the folder {folder}") from error
    if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).netloc:
        raise UsageError(f"the address of a page starts with http:// or https://, not {address}")
    assert html is not None
    body, notes = _saved_in_utf8(html, content_type, str(file or base_url or "what was given"))
    body, cut = bound(body)
    shown = False
    if not scripts and b"<noscript" in body:  # shown where tamis takes it for the page's text: it then makes another tree than with scripts
        shown = len(from_html(body)) != len(from_lexbor(LexborHTMLParser(body, scripting=True).root))
    return SavedPage(body=body, address=address, folder=folder, notes=notes + cut, shows_noscript=shown)


def _saved_in_utf8(html: str | bytes, content_type: str | None, name: str) -> tuple[bytes, tuple[str, ...]]:
    """Return the page in UTF-8, and notes on known omissions. Raises SourceError if it is not a page."""
    if isinstance(html, str):
        return html.lstrip("\ufeff").encode("utf-8", "replace"), ()
    raw, notes = unpacked(html)
    return to_utf8(text_only(raw, name), find_encoding(raw, content_type), content_type), notes
