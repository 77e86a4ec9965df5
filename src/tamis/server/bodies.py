"""Pages that are sent as they are: as HTML, or as a file in a form. They are read as the JSON of the same request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from tamis.server.problems import Problem
from tamis.server.sites import parse_text

PATHS = ("/v1/extract", "/v1/segment", "/v1/records")
"""Routes that take a page as it is."""
HTML, FORM = ("text/html", "application/xhtml+xml"), "multipart/form-data"
_TEXT = {"schema": {"type": "string"}}
_FIELDS = {"file": {"type": "string", "format": "binary"}, "url": {"type": "string"}, "formats": {"type": "string"}}
AS_SENT: dict[str, Any] = {
    "description": "Also takes the page as it is: as HTML, with other fields in the query (?formats=markdown), or as a file in a form.",
    "requestBody": {"content": {HTML[0]: _TEXT, FORM: {"schema": {"type": "object", "properties": _FIELDS}}}},
}
"""Descriptions of such routes in the API, besides their JSON."""


class PageRoute(APIRoute):
    """A route that also takes a page as it is."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of requests."""
        answer = super().get_route_handler()

        async def answer_page(request: Request) -> Response:
            return await answer(await as_json(request))

        return answer_page


async def as_json(request: Request) -> Request:
    """Return the request with its page and its other fields as JSON. Raises :class:`Problem` for a form that cannot be read."""
    kind = request.headers.get("content-type", "").lower()
    if not kind.startswith((*HTML, FORM)):
        return request
    given: list[tuple[str, Any]] = [*request.query_params.multi_items()]
    if kind.startswith(HTML):
        given.append(("html", await asyncio.to_thread(parse_text, await request.body(), kind)))
    else:
        try:
            async with request.form(max_files=1, max_fields=50) as form:
                for name, value in form.multi_items():
                    if isinstance(value, UploadFile):
                        given.append(("html", await asyncio.to_thread(parse_text, await value.read(), value.content_type)))
                    else:
                        given.append((name, value))
        except HTTPException as error:
            raise Problem("invalid-request", 400, f"the form cannot be read: {error.detail}") from error
    fields = {**dict(given), "formats": [value for name, value in given if name == "formats"]}
    body = json.dumps({name: value for name, value in fields.items() if value != []}).encode()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({**request.scope, "headers": [(b"content-type", b"application/json")]}, receive)
