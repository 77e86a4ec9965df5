"""``tamis mcp``: tools for agents."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tamis.cli import options, serve, terminal
from tamis.errors import MissingExtraError


def mcp(
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve over streamable HTTP (path /mcp) in place of standard input and output.")
    ] = False,
    host: serve.Host = "127.0.0.1",
    port: serve.Port = 8001,
    token: serve.Token = None,
    workers: options.Workers = None,
    allow_private: options.AllowPrivate = False,
    allow_host: serve.AllowHost = None,
) -> None:
    """Offer tools to agents over the Model Context Protocol: extract_page, clean_site, find_records, compare_pages.

    **Examples**

    tamis mcp

    tamis mcp --http --port 8001
    """
    try:
        from tamis.server.agents import agent_app, create_agent_server
        from tamis.server.workforce import Workforce
    except ImportError as error:
        raise MissingExtraError("tools for agents", "server") from error
    from tamis.corpus.batch import processors
    from tamis.server.settings import ServerSettings

    names = tuple(allow_host or ())
    nowhere = Path(tempfile.gettempdir())  # the tools keep no state
    settings = ServerSettings(
        state=nowhere, host=host, port=port, token=token, allow_hosts=names, allow_private=allow_private, workers=workers or processors()
    )
    workforce = Workforce(settings)
    try:
        if not http:
            create_agent_server(settings, workforce).run()
            return
        import uvicorn

        config = uvicorn.Config(agent_app(settings, workforce), log_level="warning", access_log=False)
        serve.listen(config, settings, lambda address: terminal.say(f"tools for agents: {address}mcp (Ctrl+C stops)"))
    finally:
        workforce.stop()
