"""Errors as problem details (RFC 9457): type, title, status and a sentence that says what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from tamis.errors import FetchError, MissingExtraError, ModelError, SourceError, TamisError, UsageError
from tamis.io.pages import words

_KINDS: tuple[tuple[type[BaseException], str, int], ...] = (
    (UsageError, "invalid-request", 422),
    (FetchError, "fetch-failed", 424),
    (SourceError, "unreadable-page", 422),
    (ModelError, "unreadable-model", 409),
    (MissingExtraError, "missing-extra", 501),
    (MemoryError, "memory-limit", 422),
    (TamisError, "failed", 422),
)
_KIND = "the field kind says what to start: crawl or corpus"
_WORDS = {
    "missing": "missing",
    "model_attributes_type": "not a JSON object",
    "union_tag_not_found": _KIND,
    "union_tag_invalid": _KIND,
}  # for messages of Pydantic that say it less plainly
NO_JSON = "the body of the request is not JSON"
_LONGEST = 1_000  # characters of a message


class Problem(Exception):  # noqa: N818  # the name of RFC 9457
    """An error answer."""

    def __init__(self, kind: str, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        detail = detail if len(detail) <= _LONGEST else f"{detail[:_LONGEST]}…"  # a message can quote a request
        super().__init__(detail)
        self.kind, self.status, self.detail, self.headers, self.more = kind, status, detail, headers or {}, more

    def response(self) -> Response:
        """Return the answer."""
        body = {
            "type": f"urn:tamis:problem:{self.kind}",
            "title": self.kind.replace("-", " ").capitalize(),
            "status": self.status,
            "detail": self.detail,
        }
        headers = {"Retry-After": "1"} if self.status == 503 else {"WWW-Authenticate": "Bearer"} if self.status == 401 else {}
        return PlainJSON({**body, **self.more}, self.status, {**headers, **self.headers}, "application/problem+json")


class PlainJSON(Response):
    """JSON in UTF-8. Lone surrogates of damaged pages become question marks."""

    def __init__(
        self, content: Any, status_code: int = 200, headers: dict[str, str] | None = None, media_type: str = "application/json"
    ) -> None:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        super().__init__(text.encode("utf-8", "replace"), status_code, headers, media_type)


def message_of(mistake: Mapping[str, Any]) -> str:
    """Return a mistake in a request in words, as Pydantic or a validator of ours says it."""
    return _WORDS.get(mistake["type"]) or str(mistake["msg"]).removeprefix("Value error, ")


def problem_of(error: BaseException) -> Problem:
    """Return the problem for an error of the library or of the web framework."""
    from fastapi.exceptions import RequestValidationError  # worker processes need none of it
    from starlette.exceptions import HTTPException

    if isinstance(error, Problem):
        return error
    if isinstance(error, RequestValidationError):
        if any(each["type"] == "json_invalid" for each in error.errors()):
            return Problem("invalid-request", 400, NO_JSON)
        wrong = [{"at": ".".join(map(str, each["loc"])), "message": message_of(each)} for each in error.errors()]
        detail = "; ".join(f"{each['at']}: {each['message']}" for each in wrong[:5])
        return Problem("invalid-request", 422, detail, errors=wrong[:20])
    if isinstance(error, HTTPException):
        if error.status_code == 400:  # nested too deeply to be read
            return Problem("invalid-request", 400, NO_JSON)
        allowed = (error.headers or {}).get("Allow", "another method")
        name, detail = {
            404: ("not-found", "there is nothing at this address; /openapi.json lists all addresses"),
            405: ("method-not-allowed", f"this address takes {allowed}"),
        }.get(error.status_code, ("http", str(error.detail)))
        return Problem(name, error.status_code, detail, error.headers)
    for kind, name, status in _KINDS:
        if isinstance(error, kind):
            return Problem(name, status, str(error) or name.replace("-", " "))
    if isinstance(error, OSError):
        return Problem("storage", 507, f"the state of the service cannot be read or written: {words(error)}")
    return Problem("internal", 500, f"{type(error).__name__}: {error}")
