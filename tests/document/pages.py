"""Made-up pages for the tests of the renderers: trees of any shape, and masks over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tamis.document.render import Rendering
from tamis.document.render.html import write_html
from tamis.document.render.markdown import write_markdown
from tamis.document.render.outline import outline
from tamis.document.render.text import read_lines, to_text
from tamis.page.parsing import parse
from tamis.page.tree import BoolColumn, PageTree

TAGS = (
    "div p span section article center a b strong i em code kbd del s sub sup q small mark ruby rt u font bdi "
    "ul ol li menu dl dt dd blockquote figure figcaption details summary h1 h2 h6 pre textarea xmp hr br img "
    "table caption thead tbody tfoot tr td th label button form"
).split()
ATTRIBUTES = (
    "",
    ' href="/a b(c"',
    ' href="javascript:x()"',
    ' src="i.png" alt="a ] [ b"',
    ' colspan="2"',
    ' rowspan="3"',
    ' start="7"',
    ' value="3"',
    ' class="highlight-python"',
    ' lang="zh" dir="rtl"',
    ' title="&quot;t&quot; \\"',
    ' onclick="x()" style="x"',
)
WORDS = st.sampled_from(
    "word two 中文 “重点” ，。 * ** _ __init__ snake_case a*b *x* ` `` a`b # ## 1. 12) - + > >> < <b> </p> &amp;lt; &amp; & [ ] [x](y) "
    "[x]: ![x] ! | a|b --- === ~~ ~a~ \\ \\* ``` ~~~ :-- |-| &nbsp; $ = é 😀 2*3 https://x.org/a_b_ 3~5 x*".split()
)
TEXT = st.builds(
    lambda words, before, between, after: before + between.join(words) + after,
    st.lists(WORDS, min_size=1, max_size=4),
    st.sampled_from(("", " ", "\n")),
    st.sampled_from((" ", "", "\n", "  ")),
    st.sampled_from(("", " ")),
)


@st.composite
def html(draw: st.DrawFn) -> str:
    """HTML with elements in each other in any way, some left open."""
    parts: list[str] = []
    opened: list[str] = []
    for _ in range(draw(st.integers(1, 30))):
        action = draw(st.integers(0, 5))
        if action <= 2:
            name = draw(st.sampled_from(TAGS))
            parts.append(f"<{name}{draw(st.sampled_from(ATTRIBUTES))}>")
            opened.append(name)
        elif action == 3 and opened:
            parts.append(f"</{opened.pop()}>")
        else:
            parts.append(draw(TEXT))
    return "".join(parts)


@st.composite
def lines(draw: st.DrawFn, depth: int = 3) -> str:
    """Inline elements in each other around text without spaces, where emphasis is hardest to write."""
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(("text", "text", "br", *INLINE)))
        if kind == "text":
            parts.append(draw(st.text("ab中，“”(). *_`~!|#-\\\n=:;1", min_size=1, max_size=4)))
        elif kind == "br" or not depth:
            parts.append("<br>")
        else:
            parts.append(f"<{kind}>{draw(lines(depth - 1))}</{kind.split()[0]}>")
    return "".join(parts)


INLINE = ("b", "i", "s", "em", "strong", "code", "sub", "q", "a href=u")


@dataclass(frozen=True)
class Made:
    """A made-up page and a mask over it, to be shown where a test fails."""

    source: str
    kept: tuple[bool, ...]

    @property
    def tree(self) -> PageTree:
        return parse(self.source)

    @property
    def keep(self) -> BoolColumn:
        return np.array(self.kept, dtype=np.bool_)


@st.composite
def pages(draw: st.DrawFn, source: st.SearchStrategy[str] | None = None) -> Made:
    """A page, and a mask that keeps all, some nodes, or a subtree."""
    text = draw(source if source is not None else html())
    tree = parse(text)
    kind = draw(st.sampled_from(("all", "some", "subtree")))
    keep = everything(tree)
    if kind == "some":
        keep = np.array([bool(byte % 3) for byte in draw(st.binary(min_size=len(tree), max_size=len(tree)))], dtype=np.bool_)
    elif kind == "subtree":
        keep = tree.subtree_mask(np.array([draw(st.integers(0, len(tree) - 1))]))
    return Made(text, tuple(keep.tolist()))


def everything(tree: PageTree) -> BoolColumn:
    """The mask that keeps all nodes."""
    return np.ones(len(tree), dtype=np.bool_)


def text_lines(tree: PageTree, keep: BoolColumn) -> list[str]:
    """The lines of a page's text, each cell on its own, white space collapsed."""
    return [" ".join(line.split()) for line in to_text(tree, keep, Rendering(tables=False)).split("\n") if line.strip()]


def to_html(tree: PageTree, keep: BoolColumn, rendering: Rendering = Rendering(), *, base: str | None = None) -> str:
    return write_html(outline(read_lines(tree, keep), keep, rendering, base))


def to_markdown(tree: PageTree, keep: BoolColumn, rendering: Rendering = Rendering(), *, base: str | None = None) -> str:
    return write_markdown(outline(read_lines(tree, keep), keep, rendering, base))
