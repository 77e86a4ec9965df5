"""The local service: HTTP API, inspector in the browser, tools for agents. Needs the ``server`` extra.

Here are its settings: where it listens, what it may use, where it keeps its state.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

from tamis.errors import UsageError, check_numbers
from tamis.io.fetch import Limits

_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))  #: Names of this machine.


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of the service.

    Raises:
        UsageError: a limit is not above 0, or a host beyond this machine is bound without a token.
    """

    state: Path
    """Folder of site models, pages and jobs."""
    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    """Token that requests must carry (``Authorization: Bearer TOKEN``); required unless ``host`` is a loopback address."""
    allow_hosts: tuple[str, ...] = ()
    """Further names that requests may address the service by (``Host`` header)."""
    browser: bool = False
    """Let requests have pages rendered in Chromium, which runs the scripts of pages from the web."""
    allow_private: bool = False
    """Let pages be fetched from private, loopback and link-local addresses."""
    workers: int = 2
    """Worker processes."""
    page_seconds: float = 30.0
    """Time for the work on one page, fetching included."""
    site_seconds: float = 120.0
    """Time for learning a template."""
    memory_mb: int = 4096
    """Address space of a worker process, megabytes; 0: unlimited."""
    max_bytes: int = 20_000_000
    """Largest request body, and largest page that is fetched."""
    queue: int = 256
    """Tasks that may wait or run; a request beyond them is answered with status 503."""
    client_queue: int = 128
    """Requests of one client address that may wait or run; further ones are answered with status 503."""
    body_seconds: float = 30.0
    """Time in which the body of a request must arrive."""
    site_pages: int = 2_000
    """Most pages of one site."""
    jobs: int = 2
    """Jobs that run at the same time."""

    def __post_init__(self) -> None:
        numbers = {each.name for each in fields(self) if type(each.default) in (int, float)} - {"port", "memory_mb"}
        check_numbers(self, positive=sorted(numbers), natural=("memory_mb",))
        if self.host.lower() not in _LOOPBACK and not self.token:
            raise UsageError(f"{self.host} can be reached from other machines: set a token")

    def limits(self) -> Limits:
        """Return the limits on fetching a page: a quarter of its time is left for the work."""
        return Limits(total=self.page_seconds * 0.75, max_bytes=self.max_bytes, allow_private=self.allow_private)

    @property
    def names(self) -> frozenset[str]:
        """The host names that requests may address."""
        return _LOOPBACK | {self.host.lower(), *(name.lower() for name in self.allow_hosts)}
