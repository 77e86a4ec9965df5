"""Checks on every request before it reaches the service: host names, origins, the token, limits of size and time."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import urlsplit

import numpy as np
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tamis.server import ServerSettings
from tamis.server.bodies import FORM, HTML, PATHS
from tamis.server.problems import NO_JSON, Problem

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types tamis-frame"
)
"""Scripts are files of this service only. Styles may be inline, because the page in the frame inherits the policy."""
DOCS_POLICY = POLICY.partition("; require-trusted")[0]
"""The policy of the page that describes the API, whose scripts write HTML."""
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
MOST_VALUES = 200_000  #: values of a JSON body: millions of empty lists would hold up every other request while they are read
MOST_DEPTH = 100  #: levels of a JSON body
_LARGE = 65_536  # bytes; a smaller body is read at once whatever is in it
_CLIENT_LEFT = 499  # the status that is counted for a client that did not wait
_BODIES = 16  # bodies of the largest size that may be held at the same time
_TURNS = 4  # of the event loop, from the end of a connection to where it is known here
_GUARDED = ("/v1/", "/metrics", "/mcp")


class Gate:
    """ASGI middleware around the service."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings
        self.requests: Counter[tuple[str, int]] = Counter()  #: requests by route and status
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._clients: Counter[str] = Counter()  # whole requests of each client address that are not answered yet
        self._held = 0  # bytes of the bodies of all requests that are not answered yet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.monotonic()
        status = 500
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            length = len(message.get("body", b""))
            size += length
            self._held += length
            return message

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                have = {name.lower() for name, _ in message["headers"]}
                extra = [(name.encode(), value.encode()) for name, value in _HEADERS.items() if name.encode() not in have]
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        try:
            is_json = self._check(scope)
            body = await self._body(counted)
            if is_json:
                await check_json(body)
            if not await self._answered(scope, body, receive, answer):
                status = _CLIENT_LEFT
        except Problem as problem:
            response = problem.response()
            if problem.status in (408, 413):  # the rest of the body may never come
                response.headers["connection"] = "close"
            await response(scope, receive, answer)
        finally:
            self._held -= size
        route = getattr(scope.get("route"), "path", "other")
        self.requests[route, status] += 1
        self.seconds[route] += time.monotonic() - start

    async def _answered(self, scope: Scope, body: bytes, receive: Receive, answer: Send) -> bool:
        """Have a request answered, unless its client leaves meanwhile: then the work for it is given up, but for changes that are not to
        be left half done. Whether the client waited."""
        left = asyncio.Event()
        waiting = [body]

        async def whole() -> Message:
            if waiting:
                return {"type": "http.request", "body": waiting.pop(), "more_body": False}
            await left.wait()
            return {"type": "http.disconnect"}

        async def watch() -> None:
            if (await receive())["type"] != "http.disconnect":
                await asyncio.Event().wait()  # after a whole body nothing else is to come
            left.set()

        watching = asyncio.ensure_future(watch())
        for _ in range(_TURNS):  # in which a client is seen to have left that did while its request waited to be read
            await asyncio.sleep(0)
        if left.is_set():
            return False
        client = str((scope.get("client") or ("",))[0])
        if scope["path"].startswith(_GUARDED) and self._clients[client] >= self._settings.client_queue:
            watching.cancel()
            raise Problem("busy", 503, f"{self._settings.client_queue} requests of this client wait or run: try again later")
        self._clients[client] += 1
        work = asyncio.ensure_future(self._app(scope, whole, answer))
        try:
            await asyncio.wait({work, watching}, return_when=asyncio.FIRST_COMPLETED)
            gave_up = not work.done() and scope["method"] != "DELETE" and not scope["path"].startswith("/v1/jobs")
            if gave_up:
                await asyncio.sleep(0)  # an answer that is just being sent
                work.cancel()
            try:
                await work
            except asyncio.CancelledError:
                if not gave_up:
                    raise
                return False
            return True
        finally:
            watching.cancel()
            work.cancel()
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]

    def _check(self, scope: Scope) -> bool:
        """Refuse requests to another name, from another origin, or without the token. Return whether the body is JSON."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            name = ""
        if name.lower() not in self._settings.names:
            raise Problem("forbidden", 421, f"this service does not answer to the host {host!r}; --allow-host adds a name")
        guarded = scope["path"].startswith(_GUARDED)
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            raise Problem("forbidden", 403, f"requests from the origin {origin!r} are refused")
        if guarded and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise Problem("forbidden", 403, "requests from other sites are refused")
        token = self._settings.token
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if token and guarded and not secrets.compare_digest(given.encode(), token.encode()):
            raise Problem("unauthorized", 401, "send the token of the service: Authorization: Bearer TOKEN")
        has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        kind = headers.get("content-type", "").lower()
        as_sent = scope["path"] in PATHS and kind.startswith((*HTML, FORM))
        if has_body and guarded and "json" not in kind and not as_sent:
            raise Problem("unsupported", 415, "send JSON: Content-Type: application/json")
        return not as_sent

    async def _body(self, receive: Receive) -> bytes:
        most = self._settings.max_bytes
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        break
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        raise Problem("too-large", 413, f"the request is larger than the limit of {most:,} bytes")
                    if self._held > _BODIES * most:
                        raise Problem("busy", 503, f"requests of {_BODIES * most:,} bytes are waiting or running: try again later")
                    more = message.get("more_body", False)
        except TimeoutError as error:
            raise Problem("time-limit", 408, f"the request did not arrive within {self._settings.body_seconds:g} seconds") from error
        return b"".join(parts)

    def metrics(self) -> list[str]:
        """Return the lines of the Prometheus text format for requests."""
        counts = [(f'{{route="{route}",status="{status}"}}', n) for (route, status), n in sorted(self.requests.items())]
        seconds = [(f'{{route="{route}"}}', f"{taken:.6f}") for route, taken in sorted(self.seconds.items())]
        return [
            *metric("tamis_requests_total", "counter", "Requests by route and status.", counts),
            *metric("tamis_request_seconds_total", "counter", "Time from request to answer, by route.", seconds),
        ]


async def check_json(body: bytes) -> None:
    """Raise :class:`Problem` for a body with more values, or more levels, than can be read without holding up other requests."""
    if len(body) < _LARGE:
        return
    values, depth = await asyncio.to_thread(_extent_of_json, body)
    if depth > MOST_DEPTH:
        raise Problem("invalid-request", 400, NO_JSON)
    if values > MOST_VALUES:
        raise Problem("too-large", 413, f"the request has more than {MOST_VALUES:,} values")


def _extent_of_json(body: bytes) -> tuple[int, int]:
    """Return the most values and levels that JSON can have: its commas and brackets outside strings."""
    plain = np.frombuffer(body.replace(b"\\\\", b"").replace(b'\\"', b""), np.uint8)
    plain = plain[np.isin(plain, np.frombuffer(b'"[]{},', np.uint8))]
    outside = plain[np.cumsum(plain == ord('"'), dtype=np.uint32) % 2 == 0]
    opens, ends = (np.isin(outside, np.frombuffer(signs, np.uint8)) for signs in (b"[{", b"]}"))
    depth = np.cumsum(opens.astype(np.int32) - ends)
    return int(np.count_nonzero(opens) + np.count_nonzero(outside == ord(","))), int(depth.max(initial=0))


def metric(name: str, kind: str, about: str, samples: Iterable[tuple[str, object]]) -> list[str]:
    """Return a metric in the Prometheus text format; each sample is the end of its name and its value."""
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *(f"{name}{labels} {value}" for labels, value in samples)]
