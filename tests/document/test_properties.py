from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tamis.document.render import Rendering
from tamis.document.render.text import to_text
from tamis.page.parsing import parse

from .pages import Made, everything, lines, pages, text_lines, to_html, to_markdown

RENDERINGS = st.builds(Rendering, links=st.booleans(), images=st.booleans(), tables=st.booleans())
BLOCKS = st.sampled_from(
    (
        "<p>%s",
        "<h2>%s",
        "<table><tr><td>%s<td>b</table>",
        "<ul><li>a<li>%s",
        "<dl><dt>%s",
        "<figure><figcaption>%s",
        "<details><summary>%s</summary>a",
    )
)
LINES = st.builds(lambda block, line: block % line, BLOCKS, lines())
some = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@some
@given(pages(), RENDERINGS)
def test_html_parsed_again_has_the_same_lines_whatever_the_options(page: Made, rendering: Rendering):
    written = to_html(page.tree, page.keep, rendering, base="https://example.org/")
    again = parse("<body>" + written)
    assert text_lines(again, everything(again)) == text_lines(page.tree, page.keep)


@some
@given(pages(), RENDERINGS)
def test_html_holds_nothing_that_runs(page: Made, rendering: Rendering):
    again = parse("<body>" + to_html(page.tree, page.keep, rendering, base="https://example.org/"))
    for node in range(len(again)):
        assert again.name(node) not in ("script", "style", "form", "input", "xmp", "textarea")
        for name, value in again.attributes[node].items():
            assert not name.startswith("on")
            assert name != "style"
            assert not value.startswith("javascript:")


@some
@given(pages(), RENDERINGS)
def test_markdown_read_by_another_parser_has_the_same_words_whatever_the_options(page: Made, rendering: Rendering):
    written = to_markdown(page.tree, page.keep, rendering, base="https://example.org/")
    again = parse("<body>" + _read(written))
    assert to_text(again, everything(again)).split() == to_text(page.tree, page.keep).split()


@some
@given(pages(LINES))
def test_marks_without_spaces_around_them_are_read_as_marks(page: Made):
    again = parse("<body>" + _read(to_markdown(page.tree, page.keep)))
    assert to_text(again, everything(again)).split() == to_text(page.tree, page.keep).split()


def _read(markdown: str) -> str:
    markdown_it = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed")
    html: str = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown)
    return html
