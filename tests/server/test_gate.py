"""The gate by itself."""

from __future__ import annotations

import asyncio

import pytest

from tamis.server import ServerSettings, gate
from tamis.server.gate import Gate

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def test_the_bodies_of_all_requests_together_are_bounded(tmp_path):
    answered = asyncio.Event()

    async def app(scope, receive, send):
        await answered.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def status() -> int:
        seen = []

        async def receive():
            return {"type": "http.request", "body": b"x" * 10}

        async def send(message):
            seen.append(message)

        await door({"type": "http", "path": "/", "headers": [(b"host", b"localhost")]}, receive, send)
        return seen[0]["status"]

    door = Gate(app, ServerSettings(state=tmp_path, max_bytes=10))
    waiting = [asyncio.create_task(status()) for _ in range(gate._BODIES)]
    await asyncio.sleep(0)
    assert await status() == 503
    answered.set()
    assert set(await asyncio.gather(*waiting)) == {200}
    assert await status() == 200


async def test_a_client_that_leaves_ends_its_work_and_no_other(tmp_path):
    begun, ended = asyncio.Event(), []

    async def app(scope, receive, send):
        begun.set()
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            ended.append(scope["path"])
            raise

    async def request(path: str, method: str = "POST") -> None:
        messages = [{"type": "http.request", "body": b"{}"}, {"type": "http.disconnect"}]

        async def receive():
            if len(messages) == 1:
                await begun.wait()
            return messages.pop(0)

        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        }
        await door(scope, receive, lambda message: asyncio.sleep(0))

    door = Gate(app, ServerSettings(state=tmp_path))
    await asyncio.wait_for(request("/v1/extract"), 300)
    assert ended == ["/v1/extract"]
    assert door.requests["other", 499] == 1
    await asyncio.wait_for(request("/v1/extract"), 300)  # has left before the work could begin
    assert ended == ["/v1/extract"]
    assert door.requests["other", 499] == 2
    begun.clear()
    kept = asyncio.create_task(request("/v1/jobs"))
    await asyncio.sleep(0.1)
    assert not kept.done()
    kept.cancel()


async def test_the_requests_of_one_client_are_bounded(tmp_path):
    answered = asyncio.Event()

    async def app(scope, receive, send):
        await answered.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def status(client: str) -> int:
        seen = []
        sent = [{"type": "http.request", "body": b""}]

        async def receive():
            return sent.pop() if sent else await asyncio.Event().wait()

        async def send(message):
            seen.append(message)

        scope = {"type": "http", "method": "POST", "path": "/v1/extract", "client": (client, 1), "headers": [(b"host", b"localhost")]}
        await door(scope, receive, send)
        return seen[0]["status"]

    door = Gate(app, ServerSettings(state=tmp_path, client_queue=3))
    waiting = [asyncio.create_task(status("192.0.2.1")) for _ in range(3)]
    await asyncio.sleep(0)
    assert await status("192.0.2.1") == 503
    other = asyncio.create_task(status("192.0.2.2"))
    await asyncio.sleep(0)
    answered.set()
    assert set(await asyncio.gather(*waiting, other)) == {200}
    assert await status("192.0.2.1") == 200


@pytest.mark.parametrize(
    ("body", "extent"),
    [
        (b"[" * 3 + b"]" * 3, (3, 3)),
        (b'{"a": "[[[[,,,,", "b": [1, 2]}', (4, 2)),
        (rb'["\"[[", "\\", [], "\\\"["]', (5, 2)),
        (b"", (0, 0)),
        (b'"unclosed [[[', (0, 0)),
    ],
)
async def test_the_extent_of_json_is_that_outside_of_strings(body, extent):
    assert gate._extent_of_json(body) == extent


@pytest.mark.parametrize(("body", "status"), [(b"[],", 413), (b"[", 400), (b'{"a":', 400), (b'"[],",', 200)])
async def test_a_body_of_very_many_values_is_refused_before_it_is_read(body, status):
    whole = b"[" + body * (300_000 if status != 200 else 90_000) + b"1]"
    if status == 200:
        await gate.check_json(whole)
    else:
        with pytest.raises(gate.Problem) as caught:
            await gate.check_json(whole)
        assert caught.value.status == status
