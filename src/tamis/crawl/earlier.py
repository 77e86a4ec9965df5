"""The pages of an earlier crawl: a server is asked whether they have changed, and those that have not are saved from there.

The request carries the validators of the earlier answer (RFC 9110, section 13). On status 304, the earlier body and headers count, with the
headers of the new answer in their place where it has them (RFC 9111, section 4.3.4).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tamis.crawl.output import saved_pages
from tamis.errors import SourceError
from tamis.io.answers import Answer
from tamis.io.files import CRAWL_PAGES
from tamis.io.warc import read_answer

VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
"""Headers of an answer that a later request may name, and how."""
NOT_MODIFIED = 304
_OF_THE_BODY = frozenset(("content-encoding", "content-length", "content-type", "transfer-encoding"))


class EarlierCrawl:
    """The pages that an earlier crawl saved, by address. Raises SourceError if the folder holds none that can be read."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        self._places: dict[str, tuple[str, int]] = {}
        try:
            for entry in saved_pages(self._folder):
                self._places[entry["url"]] = entry["file"], entry["offset"]
        except (KeyError, TypeError) as error:
            raise SourceError(f"cannot read {self._folder / CRAWL_PAGES}: {error}") from error

    def get(self, url: str) -> Answer | None:
        """Return the earlier answer; None if there is none with a validator, or it cannot be read."""
        file, offset = self._places.get(url, (None, 0))
        if file is None:
            return None
        try:
            answer = read_answer(self._folder / Path(file).name, offset)
        except SourceError:
            return None
        return answer if conditions(answer) else None


def conditions(answer: Answer) -> dict[str, str]:
    """Return the headers of a request that ask whether an earlier answer has changed.

    >>> from datetime import datetime
    >>> conditions(Answer("http://a.test/", 200, (("Etag", '"5f"'),), b"", datetime.now(), b""))
    {'If-None-Match': '"5f"'}
    """
    return {asked: value for name, asked in VALIDATORS.items() if (value := answer.header(name))}


def updated(earlier: Answer, answer: Answer) -> Answer:
    """Return the earlier answer as the server confirmed it by status 304."""
    new = {name.lower(): (name, value) for name, value in answer.headers if name.lower() not in _OF_THE_BODY}
    kept = tuple((name, value) for name, value in earlier.headers if name.lower() not in new)
    return replace(answer, status=earlier.status, headers=(*kept, *new.values()), raw=earlier.raw, confirmed=True)
