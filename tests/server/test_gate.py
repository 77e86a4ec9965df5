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
