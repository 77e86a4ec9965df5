"""Addresses of the web as a request needs them: split into their parts, with the IP addresses of the host, and whether these are public."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from tamis.errors import FetchError
from tamis.io.addresses import PORTS

_MOST_ADDRESSES = 4


class TransientFetchError(FetchError):
    """A page could not be fetched now; a later try may succeed."""


class PrivateAddressError(FetchError):
    """A host has an address that is not of the public internet, and may not be asked."""


@dataclass(frozen=True, slots=True)
class Location:
    """An address split into what a request needs; host in ASCII, path and query quoted."""

    scheme: str
    host: str
    port: int
    target: str
    login: str | None = None

    @property
    def origin(self) -> tuple[str, str, int]:
        """Origin of a connection."""
        return self.scheme, self.host, self.port

    @property
    def netloc(self) -> str:
        """Host and port, as the ``Host`` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.netloc}{self.target}"


def locate(url: str) -> Location:
    """Split an address of the web. Raises FetchError if it is not one."""
    try:
        parts = urlsplit(str(url).strip())
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
    except ValueError as error:
        raise FetchError(f"{url} is not a valid address: {error}") from error
    if scheme not in PORTS or not host:
        why = "it names no host" if scheme in PORTS else "it must start with http:// or https://"
        raise FetchError(f"{url} is not an address of the web: {why}")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~", errors="replace")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~", errors="replace")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    return Location(scheme, host, port if port is not None else PORTS[scheme], path + (f"?{query}" if query else ""), login)


def resolve(here: Location) -> list[str]:
    """Return the IP addresses of a host."""
    try:
        return ip_addresses(socket.getaddrinfo(here.host, here.port, type=socket.SOCK_STREAM))
    except (OSError, ValueError) as error:
        raise TransientFetchError(f"no host {here.host} was found") from error


def ip_addresses(found: Iterable[tuple[Any, ...]]) -> list[str]:
    """Return the IP addresses in what ``getaddrinfo`` found, each once, a few at most."""
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))[:_MOST_ADDRESSES]


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet, also if an IPv6 address carries an IPv4 one.

    >>> is_public("9.9.9.9"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1"), is_public("64:ff9b::a00:1"), is_public("fec0::1")
    (True, False, False, False, False)
    """
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        carried = ip.ipv4_mapped or ip.sixtofour or (ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
        if carried is None and ip not in _UNICAST:
            return False
        ip = carried or ip
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _SPECIAL)


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST = ipaddress.IPv6Network("2000::/3")  #: All that is public of IPv6: the rest is special, or not given to anybody.
_SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))
"""Of the registries of special addresses, what some versions of Python take for public."""
