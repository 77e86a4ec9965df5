"""Pages that a browser saved as one file (MHTML): a mail whose parts are the page, its pictures and its styles."""

from __future__ import annotations

import re

_MAIL = re.compile(rb"(?:From: <Saved by |(?:[\w-]++:.*+\n(?>(?:[ \t].*+\n)*))*?Content-Type:\s*+multipart/related)", re.IGNORECASE)
_PAGE_TYPES = ("text/html", "application/xhtml+xml")


class MailedPage(bytes):
    """The HTML of a page that was saved as one file."""

    url: str | None
    content_type: str  #: may name the encoding


def html_of(raw: bytes) -> bytes:
    """Return the page in MHTML as a :class:`MailedPage`; other bytes as they are."""
    if not _MAIL.match(raw):
        return raw
    from email import message_from_bytes

    mail = message_from_bytes(raw)
    part = next((part for part in mail.walk() if part.get_content_type() in _PAGE_TYPES), None)
    if part is None:
        return raw
    page = MailedPage(part.get_payload(decode=True))
    addresses = (mail["Snapshot-Content-Location"], part["Content-Location"], mail["Content-Location"])
    page.url = next((str(address) for address in addresses if str(address).startswith(("http://", "https://"))), None)
    page.content_type = str(part["Content-Type"])
    return page
