"""Document: what was kept of a page, to be rendered as often and in as many forms as one likes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tamis.decode import Encoding
from tamis.errors import UsageError
from tamis.metadata import Metadata, read_metadata
from tamis.render import Rendering
from tamis.render.html import to_html
from tamis.render.markdown import to_markdown
from tamis.render.text import to_text
from tamis.selection import Selection
from tamis.tree import PageTree

Format = Literal["text", "markdown", "html"]
FORMATS: tuple[Format, ...] = ("text", "markdown", "html")


@dataclass(frozen=True, slots=True)
class Block:
    """A line of the page, as a reader sees it, with the decision about it."""

    text: str
    kept: bool
    reason: str
    """Why it was kept or dropped."""
    xpath: str
    """The innermost element that holds it all."""
    css: str
    link_density: float
    """Share of its characters that are link text, 0..1."""
    node: int
    """Index of that element in the tree."""


@dataclass(frozen=True, eq=False)
class Document:
    """A cleaned page. Rendering happens on demand and never changes what was selected."""

    tree: PageTree = field(repr=False)
    selection: Selection = field(repr=False)
    url: str | None = None
    encoding: Encoding | None = None
    """How bytes were decoded; None where the page came as text or as a tree."""

    @cached_property
    def text(self) -> str:
        """The main text: one line per block."""
        return to_text(self.tree, self.selection.keep)

    @cached_property
    def markdown(self) -> str:
        """The main text as GitHub-flavoured Markdown."""
        return self.render("markdown")

    @cached_property
    def html(self) -> str:
        """The main text as clean HTML."""
        return self.render("html")

    @cached_property
    def metadata(self) -> Metadata:
        """Title, author, date and more, from the page's own statements."""
        return read_metadata(self.tree, self.url)

    def render(self, form: Format, rendering: Rendering = Rendering()) -> str:
        """The main text in one of :data:`FORMATS`, with or without links, images, tables.

        Raises:
            UsageError: there is no such format.
        """
        keep = self.selection.keep
        if form == "text":
            return to_text(self.tree, keep, rendering)
        if form == "markdown":
            return to_markdown(self.tree, keep, rendering, base=self.base)
        if form == "html":
            return to_html(self.tree, keep, rendering, base=self.base)
        raise UsageError(f"there is no format {form!r}; formats are {', '.join(FORMATS)}")

    @property
    def base(self) -> str | None:
        """What relative links are resolved against: the page's ``<base href>``, its URL."""
        return self.metadata.base

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every line of the page in order, kept or dropped, each with its reason."""
        return tuple(_blocks(self.tree, self.selection))

    @property
    def problems(self) -> tuple[str, ...]:
        """Why there is nothing, or not all, to see: empty pages, limits that cut. Nothing to say: empty."""
        notes = (*self.tree.notes, *self.selection.notes)
        if self.text:
            return notes
        return (*notes, "the page has no text" if not len(self.tree.texts) else "no text was selected")

    def to_dict(self, formats: Sequence[Format] = ("text",), rendering: Rendering = Rendering()) -> dict[str, Any]:
        """The document as plain values: url, the formats asked for, metadata, method, encoding, problems."""
        return {
            "url": self.url,
            **{form: self.render(form, rendering) for form in formats},
            "metadata": self.metadata.to_dict(),
            "method": self.selection.method,
            "encoding": {"name": self.encoding.name, "source": self.encoding.source} if self.encoding else None,
            "problems": list(self.problems),
        }

    def to_json(self, formats: Sequence[Format] = ("text",), rendering: Rendering = Rendering(), indent: int | None = None) -> str:
        """:meth:`to_dict` as JSON text, characters beyond ASCII as they are."""
        return json.dumps(self.to_dict(formats, rendering), ensure_ascii=False, indent=indent)


def _blocks(tree: PageTree, selection: Selection) -> list[Block]:
    """Lines of text nodes that share a decision; where a line holds several decisions, it makes several blocks."""
    if not len(tree.texts):
        return []
    nodes = tree.text_nodes
    line, reason = tree.line, selection.reason[nodes]
    starts = np.flatnonzero(np.append(True, (np.diff(line) != 0) | (np.diff(reason) != 0))).tolist()
    blocks = []
    for a, b in zip(starts, [*starts[1:], len(nodes)], strict=True):
        text = " ".join("".join(tree.texts[a:b]).split())
        if not text:
            continue
        node = int(tree.parent[nodes[a]])
        while tree.end[node] <= nodes[b - 1]:
            node = int(tree.parent[node])
        lengths = tree.text_length[nodes[a:b]]
        linked = lengths[tree.in_link[nodes[a:b]]].sum()
        blocks.append(
            Block(
                text=text,
                kept=bool(selection.keep[nodes[a]]),
                reason=selection.why(int(nodes[a])),
                xpath=tree.xpath(node),
                css=tree.css(node),
                link_density=round(float(linked / max(lengths.sum(), 1)), 3),
                node=node,
            )
        )
    return blocks
