"""Names resolve to public addresses only."""

from __future__ import annotations

import pytest
from twisted.internet.address import IPv4Address, IPv6Address

from tamis.crawl.guard import PublicResolver
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.spider import SiteSpider


class Resolver:
    """Resolves every name to the same addresses, as a hostile name server would."""

    def __init__(self, *addresses: str) -> None:
        self._addresses = addresses

    def resolveHostName(self, receiver, name, port=0, types=None, semantics="TCP"):  # noqa: N802
        receiver.resolutionBegan(None)
        for address in self._addresses:
            kind = IPv6Address if ":" in address else IPv4Address
            receiver.addressResolved(kind("TCP", address, port))
        receiver.resolutionComplete()


class Receiver:
    def __init__(self) -> None:
        self.found: list[str] = []
        self.complete = False

    def resolutionBegan(self, resolution):  # noqa: N802
        pass

    def addressResolved(self, address):  # noqa: N802
        self.found.append(address.host)

    def resolutionComplete(self):  # noqa: N802
        self.complete = True


class Reactor:
    def __init__(self, *addresses: str) -> None:
        self.nameResolver = Resolver(*addresses)


def resolved(name: str, *addresses: str) -> list[str]:
    receiver = Receiver()
    PublicResolver(Reactor(*addresses), 100).resolveHostName(receiver, name, 80)
    assert receiver.complete
    return receiver.found


def test_private_addresses_are_not_given_out():
    private = ("127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "::1", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "0.0.0.0")
    assert resolved("inside.example", *private) == []
    assert "inside.example" in PublicResolver.refused


def test_public_addresses_are_given_out_alone():
    assert resolved("mixed.example", "10.0.0.1", "9.9.9.9", "2620:fe::fe") == ["9.9.9.9", "2620:fe::fe"]


def test_a_second_look_gives_the_same_addresses():
    """What was checked is what is connected to: a name that now resolves to another address is not asked again."""
    assert resolved("rebinding.example", "9.9.9.9") == ["9.9.9.9"]
    assert resolved("rebinding.example", "127.0.0.1") in ([], ["9.9.9.9"])


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.0.0.8", "[::ffff:10.0.0.8]"])
def test_addresses_that_are_numbers_are_looked_at_before(host):
    class Crawl:
        settings = CrawlSettings()

    assert "private" in (SiteSpider(Crawl())._refusal(f"http://{host}/") or "")
    assert SiteSpider(Crawl())._refusal("http://9.9.9.9/") is None
