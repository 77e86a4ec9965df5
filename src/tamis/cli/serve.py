"""``tamis serve`` and ``tamis mcp``: the HTTP service with the inspector, and tools for agents."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from tamis.cli import options, terminal
from tamis.cli.lazy import OptionGroup
from tamis.corpus.workers import processors
from tamis.errors import UsageError, needs_extra
from tamis.server import ServerSettings

GRACE = 5  #: Seconds in which requests that are under way may end after Ctrl+C or SIGTERM.
Port = Annotated[int | None, Option(min=0, max=65535)]


@dataclass(frozen=True, slots=True)
class Listening(OptionGroup):
    """Options for the address of a service, and its users.

    Options:
        host: Address to listen on. A token is required if other machines can reach it.
        token: Token that requests must carry.
        allow_host: Also answer to this host name.
        browser: Let requests have pages rendered in Chromium.
    """

    host: str = "127.0.0.1"
    port: Port = None
    token: Annotated[str | None, Option(envvar="TAMIS_TOKEN")] = None
    allow_host: Annotated[list[str] | None, Option(metavar="NAME")] = None
    browser: bool = False
    allow_private: options.AllowPrivate = False
    workers: options.Workers = None
    bounds: options.Bounds = None

    def settings(self, state: Path, port: int, **more: Any) -> ServerSettings:
        """Return settings of the service, with its state in a folder, and the port to listen on if none is given."""
        return ServerSettings(
            state=state.absolute(),
            allow_hosts=tuple(self.allow_host or ()),
            workers=self.workers or processors(),
            port=port if self.port is None else self.port,
            **{name: getattr(self, name) for name in ("host", "token", "browser", "allow_private")},
            **options.values_of(**more),
            **options.bounds_of(ServerSettings, self.bounds, "port", "workers", *more),
        )


def serve(
    *,
    listening: Listening,
    state: Annotated[Path | None, Option(metavar="FOLDER")] = None,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
) -> None:
    """Serve the HTTP API and the inspector.

    Sites and jobs are kept in the state folder, which survives a crash. Without a token the service listens on this machine only.

    Examples:

    - `tamis serve`
    - `TAMIS_TOKEN=... tamis serve --host 0.0.0.0 --allow-host tamis.example.org`

    Options:
        port: Port to listen on; 0 means any free port. [default: 8000]
        state: Folder of sites and jobs. [default: .tamis]
    """
    settings = listening.settings(state or Path(".tamis"), 8000, page_seconds=timeout, max_bytes=max_bytes)
    run(settings, lambda address: terminal.say(f"inspector and API: {address} (Ctrl+C stops)"))


def mcp(*, http: bool = False, listening: Listening) -> None:
    """Offer tools to agents over the Model Context Protocol: extract_page, clean_site, find_records, compare_pages.

    Examples:

    - `tamis mcp`
    - `tamis mcp --http --port 8001`

    Options:
        http: Serve over streamable HTTP (path /mcp) instead of standard input and output.
        port: Port to listen on with --http; 0 means any free port. [default: 8001]
    """
    with needs_extra("tools for agents", "server"):
        import anyio

        from tamis.server.agents import agent_app, create_agent_server, serve_lines
        from tamis.server.workforce import Workforce

    given = {"--host": listening.host != "127.0.0.1", "--port": listening.port is not None, "--allow-host": bool(listening.allow_host)}
    if not http and (unused := [name for name, said in given.items() if said]):
        raise UsageError(f"{unused[0]} is for --http")
    settings = listening.settings(Path(tempfile.gettempdir()), 8001)  # the tools keep no state
    workforce = Workforce(settings)
    try:
        if http:
            said = "tools for agents: {}mcp (Ctrl+C stops)"
            run(settings, lambda address: terminal.say(said.format(address)), agent_app(settings, workforce))
        else:
            anyio.run(serve_lines, create_agent_server(settings, workforce))
    finally:
        workforce.stop()


def run(settings: ServerSettings, ready: Callable[[str], None], app: Any = None) -> None:
    """Serve the service, or another application, until interrupted; ``ready`` is called with the address once it listens."""
    with needs_extra("the service", "server"):
        import uvicorn

        from tamis.server.app import create_app
        from tamis.server.connection import Connection

    served = app or create_app(settings)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((settings.host, settings.port))
        except OSError as error:
            why = f"port {settings.port} of {settings.host} cannot be used ({os.strerror(error.errno or 0)})"
            raise OSError(error.errno, why) from error
        listening.listen(512)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl+C does, so that workers end, too
        with suppress(KeyboardInterrupt):
            # as many connections as the backlog are accepted before one of them is looked at
            config = uvicorn.Config(
                served, http=Connection, ws="none", backlog=64, timeout_graceful_shutdown=GRACE, log_level="error", access_log=False
            )
            uvicorn.Server(config).run(sockets=[listening])
