"""Document: what was kept of a page, to be rendered as often and in as many forms as one likes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urljoin

import numpy as np

from tamis.document.adjacent_content import keep_enclosed_blocks, keep_introduced_blocks, with_headings, with_images
from tamis.document.comment import Comment
from tamis.document.comments import read_comments, with_comments, without_comments
from tamis.document.detection import DetectedLanguage, detect_language
from tamis.document.duplicate_blocks import without_copies
from tamis.document.goods import with_goods
from tamis.document.render import Rendering, front_matter
from tamis.document.render.outline import MAX_SHOWN, left_out, outline
from tamis.document.render.runs import Outline
from tamis.document.render.text import Lines, read_lines, write_text
from tamis.document.residual_boilerplate import without_remnants
from tamis.document.selection import ROLE, ROLES, Cause, Selection
from tamis.document.teasers import without_teasers
from tamis.document.units import SURVEYED, keep_tables_and_lists_whole
from tamis.errors import UsageError
from tamis.page.caching import cached_property, keep
from tamis.page.decode import Encoding
from tamis.page.garbage import gc_paused
from tamis.page.hyperlinks import affordable
from tamis.page.tree import PageTree

if TYPE_CHECKING:
    from tamis.document.chunks import Chunk, Chunking
    from tamis.document.metadata import Metadata
    from tamis.document.metadata.candidates import Candidates
    from tamis.document.quality import Quality


@dataclass(frozen=True, slots=True)
class Block:
    """A line of the page, as a reader sees it, with the decision about it."""

    text: str
    kept: bool
    reason: str  #: The reason for keeping or dropping it.
    link_density: float  #: Share of its characters that are link text, 0..1.
    node: int  #: Index of the innermost element that holds it all.
    role: str
    """``main`` if it is kept, or ``title`` where it is the title; of text that is left out ``comment``, ``title``, ``byline`` (author,
    date, tags) or ``other``."""
    tree: PageTree = field(repr=False, compare=False)  #: The page.
    first: int = field(default=0, repr=False, compare=False)  #: Position of its first text among the page's texts.
    after: int = field(default=0, repr=False, compare=False)  #: The position after the last one.

    @property
    def xpath(self) -> str:
        """The XPath of that element. Made when asked for: of a deeply nested page, all of them would fill the memory."""
        return self.tree.xpath(self.node)

    @property
    def css(self) -> str:
        """The CSS path of that element."""
        return self.tree.css(self.node)

    def to_dict(self) -> dict[str, Any]:
        """Return the block as plain values."""
        return {name: getattr(self, name) for name in ("text", "kept", "role", "reason", "xpath", "css", "link_density")}


SHORT = 300  #: Characters of text up to which :attr:`Document.problems` says where a page sends its readers.


@dataclass(frozen=True, eq=False)
class Document:
    """A cleaned page. Rendering happens on demand and never changes what was selected."""

    tree: PageTree = field(repr=False)
    text_selection: Selection = field(repr=False)  #: The selection of text.
    url: str | None = None
    encoding: Encoding | None = None  #: The encoding of the bytes; None if the page came as text or as a tree.
    adds_images: bool = False  #: Keep images beside kept text as well.

    @classmethod
    def from_selection(
        cls, tree: PageTree, selection: Selection, *, url: str | None = None, encoding: Encoding | None = None, comments: bool = False
    ) -> Document:
        """Return the document of a selection: tables, lists and figures whole, remnants left out, and comments unless wanted.

        What a rule keeps is added in the end, so that it changes no other decision.
        """
        ruled = selection.kept_by_rule
        selection = selection.unruled or selection
        selection = without_teasers(tree, selection, url)
        for adding in (keep_enclosed_blocks, keep_introduced_blocks, keep_tables_and_lists_whole):
            selection = adding(tree, selection)
        selection = without_copies(tree, selection, url)
        selection = with_comments(tree, selection) if comments else without_comments(tree, selection, url)
        selection = with_headings(tree, selection, url)
        selection = without_remnants(tree, selection)
        keep(tree, SURVEYED, None)  # nobody asks again
        document = cls(tree, selection, url, encoding, adds_images=True)
        goods = with_goods(tree, selection, lambda: document._candidates)
        if goods is not selection or ruled is not None:
            candidates = vars(document).get("_candidates")  # they do not depend on what is kept
            document = replace(document, text_selection=goods if ruled is None else goods.adding_by_rule(ruled))
            vars(document).update({} if candidates is None else {"_candidates": candidates})
        return document

    @cached_property
    def selection(self) -> Selection:
        """The selection, images included."""
        return with_images(self.tree, self.text_selection) if self.adds_images else self.text_selection

    def __repr__(self) -> str:
        length = self.tree.text_length
        kept = f"{length[self.text_selection.keep].sum()} of {length.sum()} characters kept"
        return f"Document(url={self.url!r}, method={self.text_selection.method!r}, {kept})"

    @cached_property
    def text(self) -> str:
        """The main text: one line per block."""
        return write_text(self._lines)

    @cached_property
    def _lines(self) -> Lines:
        return read_lines(self.tree, self.text_selection.keep)

    @cached_property
    def _outlines(self) -> dict[tuple[bool, ...], Outline]:
        """Outlines by links, images and tables."""
        return {}

    def _outline(self, rendering: Rendering) -> Outline:
        """Return the outline that formats with markup share, one for each choice of content besides text."""
        shown = (rendering.links, rendering.images, rendering.tables)
        if shown not in self._outlines:
            self._outlines[shown] = outline(self._lines, self.selection.keep, rendering, self.base)
        return self._outlines[shown]

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
        from tamis.document.metadata import metadata_of

        return metadata_of(self._candidates)

    @property
    def title(self) -> str | None:
        """Title in :attr:`metadata`."""
        return self.metadata.title

    @property
    def author(self) -> str | None:
        """Author in :attr:`metadata`."""
        return self.metadata.author

    @property
    def date(self) -> str | None:
        """Date of publication in :attr:`metadata`."""
        return self.metadata.date

    @cached_property
    def _candidates(self) -> Candidates:
        """Candidates that the page states, read once for metadata and links."""
        from tamis.document.metadata.candidates import Candidates

        return Candidates(self.tree, self.url)

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """Visitors' comments and reviews on the page, in order; :attr:`text` has them with ``extract(comments=True)``."""
        return read_comments(self.tree, self.metadata.language, self.tree.text_nodes[self.text_selection.keep[self.tree.text_nodes]])

    @cached_property
    def posts(self) -> tuple[Comment, ...]:
        """The posts of a forum thread, in order, with author and date; empty on other pages."""
        return self._candidates.posts

    @cached_property
    def quality(self) -> Quality:
        """Counts of the text, and which of Gopher's and FineWeb's quality rules it breaks."""
        from tamis.document.quality import quality

        return quality(self.text)

    @cached_property
    def detected_language(self) -> DetectedLanguage | None:
        """The language of the text, told from the text itself, with a confidence; None if there is too little text.

        Raises:
            MissingExtraError: the extra ``language`` is not installed.
        """
        return detect_language(self.text)

    def chunks(
        self,
        size: int | Chunking = 500,
        count: Callable[[str], int] | str = "words",
        rendering: Rendering = Rendering(),
        *,
        overlap: int = 0,
        headings: bool = False,
    ) -> tuple[Chunk, ...]:
        """Return the text as Markdown in chunks along headings, for retrieval (:func:`tamis.document.chunks.chunks`).

        Text without a heading gets the page's title as its heading, if there is one. Front matter is in no chunk.

        Args:
            size: the most that a chunk holds, or all settings at once.
            count: ``words``, ``characters``, ``tiktoken:NAME`` (:attr:`Chunking.count`), or a function that counts a text.
            rendering: of the Markdown.
            overlap: how much of its end the next chunk repeats.
            headings: begin each text with its headings.
        """
        from tamis.document.chunks import Chunking

        if not isinstance(size, Chunking):
            named = {"count": count} if isinstance(count, str) else {}
            size = Chunking(size, overlap=overlap, headings=headings, **named)
        markdown = self.render("markdown", replace(rendering, front_matter=False))
        return size.cut(markdown, lambda: self.metadata.title, None if isinstance(count, str) else count)

    @gc_paused()
    def render(self, form: Format, rendering: Rendering = Rendering()) -> str:
        """Return the main text in one of :data:`FORMATS`, with or without links, images, tables.

        Raises:
            UsageError: there is no such format.
        """
        renderer = RENDERERS.get(form)
        if renderer is None:
            raise UsageError(f"there is no format {form!r}; formats are {', '.join(FORMATS)}")
        return renderer(self, rendering)

    @property
    def base(self) -> str | None:
        """Address against which relative links are resolved: the page's ``<base href>`` and its URL, given or, failing that, canonical."""
        base = self._candidates.base
        canonical = self._candidates.find("canonical_url") if self.url is None else None
        return base if canonical is None else affordable(self.tree, urljoin(canonical[0], base or ""))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every line of the page in order, kept or dropped, each with its reason."""
        return tuple(_lines_with_decisions(self.tree, self.selection))

    @property
    def problems(self) -> tuple[str, ...]:
        """Reasons why text is missing: empty pages, limits that cut. Empty if there are none."""
        notes = (*self.tree.notes, *self.text_selection.notes)
        if self._lines.formulas:
            notes += self._lines.formulas.notes
        if left_out(self._lines, self.selection.keep) is not None:
            notes += (f"more than {MAX_SHOWN} texts and images: the rest only in plain text, not in Markdown, HTML and XML",)
        if damaged := self.text.count("\ufffd"):
            notes += ("many characters could not be decoded",) if damaged > 0.01 * len(self.text) else ()
        if len(self.text) < SHORT and (target := self._refresh()):
            notes += (f"the page sends its readers to {target}",)
        if self.text:
            return notes
        return (*notes, "the page has no text" if not len(self.tree.texts) else "no text was selected")

    def _refresh(self) -> str | None:
        """Return the address that the page loads by itself (``<meta http-equiv="refresh">``)."""
        stated = (said.partition("=")[2].strip(" '\"") for said in self._candidates.declared.get("meta:refresh", ()))
        return next(filter(None, stated), None)

    def to_dict(
        self, formats: Sequence[Format] = ("text",), rendering: Rendering = Rendering(), *, comments: bool = False
    ) -> dict[str, Any]:
        """Return the document as plain values: url, formats, metadata, method, encoding, problems; on demand comments and posts."""
        return {
            "url": self.url,
            **{form: self.render(form, rendering) for form in formats},
            "metadata": self.metadata.to_dict(),
            "method": self.text_selection.method,
            "encoding": {"name": self.encoding.name, "source": self.encoding.source} if self.encoding else None,
            "problems": list(self.problems),
            **({name: [each.to_dict() for each in getattr(self, name)] for name in ("comments", "posts")} if comments else {}),
        }

    def to_json(
        self,
        formats: Sequence[Format] = ("text",),
        rendering: Rendering = Rendering(),
        indent: int | None = None,
        *,
        comments: bool = False,
    ) -> str:
        """Return :meth:`to_dict` as JSON text, characters beyond ASCII as they are."""
        return json.dumps(self.to_dict(formats, rendering, comments=comments), ensure_ascii=False, indent=indent)


@gc_paused()
def _lines_with_decisions(tree: PageTree, selection: Selection) -> list[Block]:
    """Lines of text nodes that share a decision; where a line holds several decisions, it makes several blocks."""
    if not len(tree.texts):
        return []
    nodes = tree.text_nodes
    line, reason = tree.line, selection.reason[nodes]
    starts = np.append(True, (np.diff(line) != 0) | (np.diff(reason) != 0)).nonzero()[0]
    length = np.add.reduceat(tree.text_length[nodes], starts)
    linked = np.add.reduceat(np.where(tree.in_link[nodes], tree.text_length[nodes], 0), starts)
    edges = [*starts.tolist(), len(nodes)]
    columns = (nodes[starts], nodes[np.array(edges[1:]) - 1], selection.keep[nodes[starts]], np.round(linked / np.maximum(length, 1), 3))
    end, parent = tree.end.tolist(), tree.parent.tolist()
    roles = selection.scores.get(ROLE)
    blocks, densities = [], dict[float, float]()  # values of many blocks are held once
    for a, b, first, last, kept, density in zip(edges, edges[1:], *(column.tolist() for column in columns), strict=False):
        text = " ".join("".join(tree.texts[a:b]).split())
        if not text:
            continue
        node = parent[first]
        while end[node] <= last:  # an element ends in one block only, so all blocks together climb each element once
            node = parent[node]
        role, why = ROLES[roles[first]] if roles is not None else "", selection.why(first)
        if kept:
            role = role if role == "title" else "main"
        elif why.cause is Cause.COMMENT:
            role = "comment"
        text = tree.texts[a] if text == tree.texts[a] else text
        blocks.append(Block(text, kept, why, densities.setdefault(density, density), node, role or "other", tree, a, b))
    return blocks


def _as_plain_text(document: Document, rendering: Rendering) -> str:
    body = document.text if rendering.tables else write_text(document._lines, rendering)
    title = _title_before(document, rendering, body)
    return f"{title}\n{body}" if title else body


def _markdown(document: Document, rendering: Rendering) -> str:
    from tamis.document.render import escapes
    from tamis.document.render.markdown import write_markdown

    body = write_markdown(document._outline(rendering))
    title = _title_before(document, rendering, body)
    body = f"# {escapes.escape(title)}\n\n{body}" if title else body
    return front_matter({**document.metadata.to_dict(), "url": document.url}) + body if rendering.front_matter else body


def _html(document: Document, rendering: Rendering) -> str:
    from tamis.document.render.html import write_html

    body = write_html(document._outline(rendering))
    title = _title_before(document, rendering, document.text) if rendering.title else ""
    return f"<h1>{escape(title, quote=False)}</h1>\n{body}" if title else body


def _as_json(document: Document, rendering: Rendering) -> str:
    return document.to_json(rendering=rendering, indent=2)


def _xml(document: Document, rendering: Rendering) -> str:
    from tamis.document.render.tei import to_tei

    return to_tei(_html(document, rendering), document.metadata, document.url)


def _title_before(document: Document, rendering: Rendering, body: str) -> str:
    """Return the title to put before a text; nothing where none is wanted or known, or where the text begins with it."""
    title = document.metadata.title if rendering.title else None
    if not title:
        return ""
    first, wanted = ("".join(filter(str.isalnum, text)).casefold() for text in (body.lstrip().partition("\n")[0], title))
    return "" if first.startswith(wanted) and len(first) < 2 * len(wanted) else title


RENDERERS: dict[str, Callable[[Document, Rendering], str]]
RENDERERS = {"text": _as_plain_text, "markdown": _markdown, "html": _html, "json": _as_json, "xml": _xml}
"""Renderers by the name of the format."""
FORMATS = tuple(RENDERERS)  #: The formats in which a document can be rendered.
ENDINGS = {form: {"text": ".txt", "markdown": ".md"}.get(form, f".{form}") for form in FORMATS}
"""Suffixes of files by format."""
if TYPE_CHECKING:
    Format: TypeAlias = str
else:
    Format = Literal[FORMATS]
    """The name of a format; command line and service read their choices from this type."""
