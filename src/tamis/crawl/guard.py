"""Name resolution that gives out public addresses only.

Twisted connects to the very addresses that its resolver gives, so what is checked is what is connected to: a host name that resolves to
another address at the second look (DNS rebinding) gains nothing, and every redirect passes here again. The rule is that of
:func:`tamis.io.fetch.is_public`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scrapy.resolver import CachingHostnameResolver
from twisted.internet.interfaces import IAddress, IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from tamis.io.fetch import is_public


@implementer(IResolutionReceiver)
class _PublicOnly:
    """Passes on the addresses of the public internet."""

    def __init__(self, receiver: Any, host: str) -> None:
        self._receiver = receiver
        self._host = host

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802  # Twisted's names
        """Resolution has begun."""
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        """One address was found."""
        if is_public(address.host.partition("%")[0]):
            self._receiver.addressResolved(address)
        else:
            PublicResolver.refused.add(self._host)

    def resolutionComplete(self) -> None:  # noqa: N802
        """There are no more."""
        self._receiver.resolutionComplete()


@implementer(IHostnameResolver)
class PublicResolver(CachingHostnameResolver):
    """Resolves host names to public addresses; a host without any is as one that does not exist, and is noted."""

    refused: ClassVar[set[str]] = set()
    """Hosts of which an address was refused, in this process."""

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Resolve a host name."""
        receiver: Any = _PublicOnly(resolutionReceiver, hostName)
        return super().resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)
