"""``tamis mcp``: tools for agents."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tamis.cli import serve, terminal
from tamis.errors import MissingExtraError


def mcp(*, http: bool = False, listening: serve.Listening) -> None:
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

    settings = listening.settings(Path(tempfile.gettempdir()), 8001)  # the tools keep no state
    workforce = Workforce(settings)
    try:
        if http:
            said = "tools for agents: {}mcp (Ctrl+C stops)"
            serve.run(settings, lambda address: terminal.say(said.format(address)), agent_app(settings, workforce))
        else:
            create_agent_server(settings, workforce).run()
    finally:
        workforce.stop()
