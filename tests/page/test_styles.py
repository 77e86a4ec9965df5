"""Styles of attributes, of the page's own sheets and of libraries' class names are read alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import parse
from tamis.page.styles import FLEXIBLE, sheet_of, styled

PIECES = (
    "<style>",
    "</style>",
    ".a",
    "#b .c",
    "{",
    "}",
    "display:",
    "flex",
    "content:'x'",
    "::before",
    ",",
    ";",
    "@media print{",
    "é",
    "<p class=a>",
)


@pytest.mark.parametrize(
    "page",
    [
        "<p style='color: red; DISPLAY : flex'>Reeds",
        "<style>.a, ul.row{display:flex}</style><p class='b row'>Reeds",
        "<style media=screen>@media (min-width: 1px) { #x > .row { color: red; display: inline-flex } }</style><p class=row>Reeds",
        "<p class='d-flex p-2'>Reeds",
    ],
)
def test_an_element_is_laid_out_as_a_style_says(page):
    tree = parse(page)
    assert [tree.name(node) for node in styled(tree, FLEXIBLE).nonzero()[0]] == ["p"]


@pytest.mark.parametrize(
    "page",
    [
        "<style>.row:hover, .row b {display:flex}</style><p class=row>",
        "<style>.row{display:none}</style><p class=row>",
        "<p class=flexible>",
    ],
)
def test_other_elements_and_states_are_not(page):
    assert not styled(parse(page), FLEXIBLE).any()


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=20))
def test_damaged_sheets_are_read_as_far_as_they_go(pieces):
    for name, declared in sheet_of("".join(pieces).encode()).items():
        assert name in ("a", "c")
        assert "display" in declared or "content" in declared
