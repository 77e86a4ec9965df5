"""Every form of real pages. They have what no page of ours would think of."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from lxml import etree

import tamis

DATA = Path(__file__).parents[3] / "shared/data"
FOLDERS = {"articles/readability": 1, "articles/cleaneval": 12, "articles/dragnet": 20, "articles/l3s": 12, "wcxb": 20}
"""Of each folder every so many pages are read."""
PAGES = [page for folder, every in FOLDERS.items() for page in sorted((DATA / folder).rglob("*.html.gz"))[::every]]
EVERYTHING = tamis.Rendering(title=True, front_matter=True)


@pytest.mark.skipif(not PAGES, reason="needs real pages in ../shared/data")
def test_every_form_of_real_pages():
    for path in PAGES:
        document = tamis.extract(gzip.decompress(path.read_bytes()), url="https://example.org/dir/page", comments=True)
        try:
            words = document.text.split()
            assert document.render("markdown", EVERYTHING) or not words
            assert document.chunks() or not words
            assert json.loads(document.render("json"))["text"] == document.text
            etree.fromstring(document.render("xml").encode())
            assert document.html or not words
            document.metadata.to_dict()
        except Exception as error:
            error.add_note(f"page: {path.relative_to(DATA)}")
            raise
