"""``tamis mcp``: tools for agents."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from tamis.cli import serve, terminal
from tamis.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Listening(serve.Listening):
    """The same options with another port.

    Options:
        host: Address to listen on. A token is required if other machines can reach it.
        token: Token that requests must carry.
        allow_host: Also answer to this host name.
    """

    port: serve.Port = 8001


def mcp(*, http: bool = False, listening: Listening) -> None:
    """Offer tools to agents over the Model Context Protocol: extract_page, clean_site, find_records, compare_pages.

    Examples:

    - `tamis mcp`
    - `tamis mcp --http --port 8001`

    Options:
        http: Serve over streamable HTTP (path /mcp) instead of standard input and output.
    """
    try:
        from tamis.server.agents import agent_app, create_agent_server
        from tamis.server.workforce import Workforce
    except ImportError as error:
        raise MissingExtraError("tools for agents", "server") from error

    settings = listening.settings(Path(tempfile.gettempdir()))  # the tools keep no state
    workforce = Workforce(settings)
    try:
        if http:
            app = agent_app(settings, workforce)
            serve.listen(app, settings, lambda address: terminal.say(f"tools for agents: {address}mcp (Ctrl+C stops)"))
        else:
            create_agent_server(settings, workforce).run()
    finally:
        workforce.stop()
