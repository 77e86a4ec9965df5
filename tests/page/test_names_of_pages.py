"""A string that names a page is not taken for HTML."""

from __future__ import annotations

from pathlib import Path

import pytest

import tamis
from tamis import SourceError, UsageError


@pytest.mark.parametrize("name", ["site/x.html", "a.html", "site/news", "site/", "../up", "C:\\pages\\one.htm", "my page.html.gz", "~/x"])
def test_a_path_is_refused_with_what_to_pass_instead(name):
    with pytest.raises(UsageError, match=r"is a path, not HTML: pass pathlib\.Path"):
        tamis.extract(name)


@pytest.mark.parametrize("url", ["https://example.org/x", " http://example.org\n", "file:///x.html"])
def test_an_address_is_refused_with_what_fetches_it(url):
    with pytest.raises(UsageError, match=r"is an address, not HTML: use tamis.extract_url\(url\)"):
        tamis.parse(url)


@pytest.mark.parametrize("text", ["", "/", "1/2", "Plain words.", "See a.html for more, and b/c", "<p>a.html", "a.html</p>"])
def test_text_is_a_page(text):
    tamis.parse(text)


def test_every_function_that_takes_a_page_refuses_a_path():
    for take in (tamis.extract, tamis.parse, tamis.segment, tamis.find_records):
        with pytest.raises(UsageError, match="is a path"):
            take("site/a.html")


def test_an_existing_path_is_read_as_a_path(tmp_path):
    (tmp_path / "a.html").write_text("<article><p>A page has a text.<p>This one has two paragraphs.</article>", encoding="utf-8")
    assert tamis.extract(Path(tmp_path / "a.html")).text == "A page has a text.\nThis one has two paragraphs."


def test_a_file_of_binary_data_is_an_error_and_bytes_are_an_empty_page(tmp_path):
    file = tmp_path / "tides.html"
    file.write_bytes(b"%PDF-1.7 \0\1\2")
    for read in (tamis.parse, tamis.extract, tamis.find_records):
        with pytest.raises(SourceError, match=r"tides\.html is not a page: it holds binary data"):
            read(file)
    assert tamis.extract(file.read_bytes()).problems[0] == "no page: binary data"
