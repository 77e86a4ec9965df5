"""Digests of pages as bytes."""

import numpy as np
import pytest

import tamis
from tamis.site.digest import digest, from_bytes, to_bytes

PAGE = "<body class='a b'><div id='x\ny'><p>One text of 17 words.<p>Two: <a href=/>a link</a>, 文字.<p id='😀'>Three</div>"


@pytest.mark.parametrize("html", ["", "<p>", PAGE])
def test_a_digest_comes_back_from_bytes_as_it_was(html):
    page = digest(tamis.parse(html)).digest
    found = from_bytes(to_bytes(page))
    assert found.names == page.names
    assert found.key == page.key
    for name in ("name", "parent", "end", "element", "text", "length", "link_length", "paths"):
        column, expected = getattr(found, name), getattr(page, name)
        assert column.dtype == expected.dtype
        assert np.array_equal(column, expected)
