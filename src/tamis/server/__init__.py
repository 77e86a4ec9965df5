"""The local service: HTTP API, inspector in the browser, tools for agents. Needs the ``server`` extra."""

from __future__ import annotations

from tamis.server.settings import ServerSettings

__all__ = ["ServerSettings"]
