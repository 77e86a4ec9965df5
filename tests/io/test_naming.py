"""Names of files that are made from addresses."""

from __future__ import annotations

from pathlib import PurePosixPath
from time import perf_counter

import pytest

from tamis.io.naming import LONGEST_PLACE, Names, place_of, safe_place


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://example.org/%2Fetc/passwd", "example.org/etc/passwd"),
        ("https://example.org/a%2F..%2F..%2Fb", "example.org/a/b"),
        ("https://example.org/con/nul.tar", "example.org/con_/nul_.tar"),
        ("https://example.org/console/com10", "example.org/console/com10"),
        ("https://example.org/a.html/b.md", "example.org/a.html_/b.md"),
        ("https://example.org/trail... ", "example.org/trail"),
        ("http://[::1]:8080/x?u=http://y", "__1+8080/x_u=http___y"),
        ("http://[::1/x", "page"),
        ("https://www.example.org/go?to=%2Fb/c&amp;d=1", "example.org/go_to=_b_c&d=1"),
        ("https://example.org/a%23b?c[d]=1", "example.org/a_b_c_d_=1"),
    ],
)
def test_a_name_keeps_the_host_and_is_one_that_every_system_can_hold(url: str, place: str) -> None:
    assert str(safe_place(place_of(url))) == place


def test_a_long_address_of_many_folders_has_a_short_place_of_its_own() -> None:
    urls = [f"https://example.org/{'/'.join(['long' * 20] * 60)}/{number}" for number in range(2)]
    first, second = (safe_place(place_of(url)) for url in urls)
    assert first != second
    assert {place.parts[0] for place in (first, second)} == {"example.org"}
    assert len(str(first)) <= LONGEST_PLACE


def test_names_that_some_systems_take_for_the_same_are_told_apart() -> None:
    names = Names()
    places = ["a/b", "A/B", "a/b~2", "a/b", "caf\u00e9", "cafe\u0301"]
    assert [str(names.free(PurePosixPath(place))) for place in places] == ["a/b", "A/B~2", "a/b~2~2", "a/b~3", "caf\u00e9", "cafe\u0301~2"]


def test_many_pages_of_one_name_take_linear_time() -> None:
    names, place = Names(), PurePosixPath("app/index")
    before = perf_counter()
    assert str([names.free(place) for _ in range(20_000)][-1]) == "app/index~20000"
    assert perf_counter() - before < 20
