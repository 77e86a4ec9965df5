"""Addresses that are not of the public internet, in every form, for everything that fetches."""

from __future__ import annotations

import ipaddress
import socket

import pytest

from tamis import FetchError, Limits, fetch
from tamis.crawl import CrawlSettings, crawl
from tamis.io.fetch import ask
from tamis.io.locations import is_public

IPV4 = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16
198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32
""".split()
"""Blocks that the IANA IPv4 Special-Purpose Address Registry calls not globally reachable or deprecated, and multicast."""
IPV6 = """
::/128 ::1/128 ::ffff:0:0:0/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/32 2001:2::/48 2001:10::/28 2001:db8::/32 3fff::/20 5f00::/16
fc00::/7 fe80::/10 fec0::/10 ff00::/8
""".split()
"""The same of the IPv6 registry, IPv4-translated addresses (RFC 2765), and site-local ones (RFC 3879)."""
SPELLINGS = (
    "127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0 localhost [::1] [::ffff:127.0.0.1] [::ffff:7f00:1]"
)
LOOPBACK = [*SPELLINGS.split(), "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "127。0。0。1", "①②⑦.0.0.1"]
"""Ways to write an address of this machine."""


@pytest.mark.parametrize("block", [*IPV4, *IPV6])
def test_no_address_of_a_special_block_is_public(block):
    network = ipaddress.ip_network(block)
    for address in (network[0], network[-1], network[network.num_addresses // 2], network[min(9, network.num_addresses - 1)]):
        assert not is_public(str(address))


@pytest.mark.parametrize("block", IPV4)
def test_no_address_of_ipv6_hides_a_special_one_of_ipv4(block):
    network = ipaddress.ip_network(block)
    for address in (network[0], network[-1]):
        value = int(address)
        high, low = f"{value >> 16:x}", f"{value & 0xFFFF:x}"
        for form in ("::ffff:{h}:{l}", "::{h}:{l}", "::ffff:0:{h}:{l}", "64:ff9b::{h}:{l}", "64:ff9b:1::{h}:{l}", "2002:{h}:{l}::1"):
            assert not is_public(form.format(h=high, l=low))


def test_public_addresses_are_public_in_every_form():
    for address in ("9.9.9.9", "::ffff:909:909", "64:ff9b::909:909", "2002:909:909::1", "2620:fe::fe", "2a00:1450::1", "2606:4700::1"):
        assert is_public(address)


@pytest.mark.parametrize("host", LOOPBACK)
def test_no_spelling_of_a_private_address_is_connected_to(host, monkeypatch, tmp_path):
    def connect(*_, **__):
        pytest.fail("connected")

    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    for call in (ask, fetch):
        with pytest.raises(FetchError):
            call(f"http://{host}/", Limits(allow_private=False))
    assert crawl(f"http://{host}/", tmp_path, CrawlSettings(delay=0, retries=0)).pages == 0
