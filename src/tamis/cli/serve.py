"""``tamis serve``: the HTTP service, with the inspector."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tamis.cli import options, terminal

if TYPE_CHECKING:
    from tamis.server.settings import ServerSettings

Host = Annotated[str, typer.Option("--host", help="Address to listen on. One that other machines can reach needs a token.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 takes a free one.")]
State = Annotated[Path | None, typer.Option("--state", metavar="FOLDER", help="Folder of sites and jobs. [default: .tamis]")]
Token = Annotated[str | None, typer.Option("--token", envvar="TAMIS_TOKEN", help="Token that requests must carry.")]
AllowHost = Annotated[list[str] | None, typer.Option("--allow-host", metavar="NAME", help="Also answer to this host name.")]


def serve(
    *,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    state: State = None,
    token: Token = None,
    workers: options.Workers = None,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
    allow_private: options.AllowPrivate = False,
    allow_host: AllowHost = None,
) -> None:
    """Serve the HTTP API and the inspector.

    Sites and jobs are kept in the state folder, which survives a crash. Without a token the service listens on this machine only.

    **Examples**

    tamis serve

    TAMIS_TOKEN=... tamis serve --host 0.0.0.0 --allow-host tamis.example.org
    """
    from tamis.corpus.batch import processors
    from tamis.server.settings import ServerSettings

    settings = ServerSettings(
        state=(state or Path(".tamis")).absolute(),
        host=host,
        port=port,
        token=token,
        allow_hosts=tuple(allow_host or ()),
        allow_private=allow_private,
        **given(workers=workers or processors(), page_seconds=timeout, max_bytes=max_bytes),
    )
    run(settings, lambda address: terminal.say(f"inspector and API: {address} (Ctrl+C stops)"))


def given(**settings: Any) -> dict[str, Any]:
    """The settings that have a value."""
    return {name: value for name, value in settings.items() if value is not None}


def run(settings: ServerSettings, ready: Any) -> None:
    """Serve until interrupted; ``ready`` is called with the address once the service listens."""
    from tamis.errors import MissingExtraError

    try:
        import uvicorn

        from tamis.server.app import create_app
    except ImportError as error:
        raise MissingExtraError("the service", "server") from error
    listen(uvicorn.Config(create_app(settings), log_level="warning", access_log=False), settings, ready)


def listen(config: Any, settings: ServerSettings, ready: Any) -> None:
    """Bind the port and serve an application."""
    import signal
    import socket
    from contextlib import suppress

    import uvicorn

    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((settings.host, settings.port))
        except OSError as error:
            raise OSError(
                error.errno, f"port {settings.port} of {settings.host} cannot be used ({os.strerror(error.errno or 0)})"
            ) from error
        listening.listen(512)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        ready(f"http://{host}:{listening.getsockname()[1]}/")
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl+C does, so that nothing is left behind
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
