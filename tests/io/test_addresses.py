"""Addresses in their canonical form."""

import random

from tamis.io import addresses
from tamis.io.addresses import canonical


def test_an_address_that_is_taken_as_it_is_has_its_canonical_form(monkeypatch):
    draw = random.Random(3)
    hosts = ("a.com", "a-b.co.uk", "xn--bcher-kva.ch", "a..com", "-a.com", "1.2.3.4", f"{'a' * 64}.com", "a.com.", "a.com:80", "A.com")
    urls = {f"http://{draw.choice(hosts)}/{''.join(draw.choices('aaB0/_.-?', k=draw.randint(0, 4)))}" for _ in range(2000)}
    quick = {url for url in urls if addresses._CANONICAL.fullmatch(url)}
    assert len(quick) > 50
    monkeypatch.setattr(addresses, "_CANONICAL", addresses.re.compile("(?!)"))
    assert {url: canonical(url) for url in quick} == {url: url for url in quick}
