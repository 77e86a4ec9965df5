from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tamis.document.render.links import image_source, resolve

BASE = "https://example.org/dir/page.html?q=1"


@pytest.mark.parametrize(
    ("url", "resolved"),
    [
        ("x", "https://example.org/dir/x"),
        ("/x", "https://example.org/x"),
        ("//other.example/x", "https://other.example/x"),
        ("#part", "https://example.org/dir/page.html?q=1#part"),
        (" a b\t\n ", "https://example.org/dir/a%20b"),
        ('"<>|\\', "https://example.org/dir/%22%3C%3E%7C%5C"),
        ("/路径", "https://example.org/路径"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("a\u00a0b", "https://example.org/dir/a%C2%A0b"),
    ],
)
def test_urls_are_resolved_and_made_safe_for_markup(url: str, resolved: str):
    assert resolve(url, BASE) == resolved


@pytest.mark.parametrize(
    "url",
    [
        "javascript:x()",
        " JavaScript:x()",
        "java\nscript:x()",
        "\x01javascript:x()",
        "vbscript:x",
        "data:text/html,x",
        "http://[",
        "",
        "  ",
        "file:///etc",
    ],
)
def test_urls_that_run_or_hold_data_or_make_no_sense_are_dropped(url: str):
    assert resolve(url, BASE) is None


STEPS = st.lists(st.sampled_from(["..", "a", ".b", "c.html", ".", "", "d?e=../f", "#g/../h"]), min_size=1, max_size=6).map("/".join)


@given(STEPS.filter(bool), st.sampled_from(["https://example.org", "https://example.org/i/", "https://example.org:80/i/j/k.html?l=/m"]))
@example("../../c.html", "https://example.org/i/j/k.html")
@example("../../../c.html", "https://example.org/i/j/k.html")
def test_urls_lead_up_and_down_as_the_standard_says(url: str, base: str):
    assert resolve(url, base) == urljoin(base, url)


def test_without_a_base_urls_stay_relative():
    assert resolve("a/b c") == "a/b%20c"
    assert resolve("#part") == "#part"


def test_a_base_that_runs_resolves_nothing():
    assert resolve("x()", "javascript:") in (None, "x()")


@pytest.mark.parametrize(
    ("attributes", "source"),
    [
        ({"src": "placeholder.png", "data-src": "b.png"}, "b.png"),
        ({"src": "data:image/gif;base64,R0lGODlhAQABAAAAACw=", "data-original": "b.png"}, "b.png"),
        ({"srcset": "a.png, b.png 2x"}, "b.png"),
        ({"srcset": "a,b.png 300w, c.png 200w"}, "a,b.png"),
        ({"data-srcset": "x.png"}, "x.png"),
        ({"src": ""}, None),
        ({}, None),
        ({"srcset": ", , ,"}, None),
    ],
)
def test_the_source_of_an_image_is_found_where_scripts_hide_it(attributes: dict[str, str], source: str | None):
    assert image_source(attributes) == source
