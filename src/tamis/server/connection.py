"""Connections of the service: bounded in number, and ended where the client neither sends nor takes anything."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_SILENT = 10.0  # seconds between two looks at a connection


def most_connections() -> int:
    """Return half the files that the process may open: the rest is for its work. Accepting beyond the limit would fail without end."""
    with suppress(ImportError):  # not on this system
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return 10_000 if limit == resource.RLIM_INFINITY else limit // 2
    return 500


class Connection(H11Protocol):
    """One connection. Uvicorn by itself waits for a client for ever, and accepts connections until no file can be opened."""

    _before: object = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """End a connection that is one too many; watch the others."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.abort()
        else:
            self.loop.call_later(_SILENT, self._look)

    def _look(self) -> None:
        """End the connection if it waits for its client, and nothing has happened since the last look."""
        if self not in self.connections:
            return
        unsent = self.transport.get_write_buffer_size()
        now = self.cycle, unsent
        if (unsent or self.conn.their_state is h11.IDLE) and now == self._before:
            self.transport.abort()
            return
        self._before = now
        self.loop.call_later(_SILENT, self._look)
