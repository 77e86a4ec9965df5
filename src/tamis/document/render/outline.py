"""The shown part of a page as a flat sequence of runs: lines of text and images, each with the blocks around it.

A run is in few blocks and a leaf has few marks, so writers compare a run's blocks with those before it and need no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from tamis.document.render import Rendering
from tamis.document.render.captions import say_once
from tamis.document.render.formulas import pictured
from tamis.document.render.links import are_media, image_source, played, resolve
from tamis.document.render.runs import LINES, LISTS, Context, Image, Language, Leaf, Mark, OpenBlock, Outline, Run
from tamis.document.render.table import STRUCTURE, data_tables
from tamis.document.render.text import Lines, holds_blocks, visible
from tamis.native import outline as compiled
from tamis.page import tags
from tamis.page.tree import NO_ATTRIBUTES, Attributes, BoolColumn, PageTree

MAX_LEVELS = 12  #: Lists, quotes and the like shown within each other; the markup of deeper ones is left out, their text stays.

MAX_SHOWN = 150_000  #: Texts, images and rules that are shown with markup; the rest of a page is left out of it.

_PRE = tags.PREFORMATTED & tags.BLOCKS
_P, _HR, _IMG, _TABLE = (tags.CODE[name] for name in ("p", "hr", "img", "table"))
_FRAMES = tags.lookup(tags.codes("iframe embed object"))
_PLAYER = re.compile(r"embed|player|video|youtu|podcast|\.(?:mp[34]|webm|og[agv]|m4[av]|mov|pdf)\b", re.I)
"""Addresses and classes of frames that play or show something."""
_PAGES_OF_VIDEOS = {"youtube": "https://www.youtube.com/watch?v=", "vimeo": "https://vimeo.com/"}
_KINDS = {
    **{name: (name, name) for name in "a sub sup abbr bdi bdo ins mark q ruby small span time u".split()},
    **{name: (name, "strong") for name in "b strong".split()},
    **{name: (name, "em") for name in "i em cite dfn var".split()},
    **{name: (name, "code") for name in "code kbd samp".split()},
    **{name: (name, "del") for name in "del s".split()},
    **{"strike": ("s", "del"), "tt": ("code", "code"), "acronym": ("abbr", "abbr")},
}
"""The name by which each inline element is shown, and what it means."""
_TITLE = re.compile(r"\b(?:admonition|alert|callout|custom-block|hint-container)-?(?:title|heading)(?![a-z-])", re.I)
"""Classes of the title of a note or warning."""
_LANGUAGE = re.compile(r"[A-Za-z0-9-]{1,35}")


def outline(lines: Lines, keep: BoolColumn, rendering: Rendering = Rendering(), base: str | None = None) -> Outline:
    """Return the shown part of a page: kept texts, images and rules, and those of their ancestors that give them meaning, kept or not.

    Args:
        lines: its kept lines.
        keep: mask of kept nodes, bool ``(n,)``.
        rendering: content to show besides text.
        base: URL that links are resolved against.
    """
    tree = lines.tree
    if (after := left_out(lines, keep)) is not None:
        keep = keep & (np.arange(len(keep)) < after)
    result = Outline(tree, {}, base=base, notes=lines.notes)
    hidden = tree.subtree_mask(np.array(list(result.notes.back), dtype=np.intp)) if result.notes.back else None
    if lines.formulas:
        hidden = lines.formulas.hidden if hidden is None else hidden | lines.formulas.hidden
    images = _kept_images(tree, keep if hidden is None else keep & ~hidden, base)
    if not rendering.images:
        images = {node: image for node, image in images.items() if isinstance(image, str)}
    media = _media(tree, keep if hidden is None else keep & ~hidden, base) if rendering.links else {}
    rules = (keep & (tree.tag == _HR)).nonzero()[0]
    if lines.pre is not None and len(rules):
        rules = rules[~tree.subtree_mask(tree.of_tags(tags.lookup(_PRE)))[rules]]
    texts = lines.shown[keep[lines.nodes]] if after is not None else lines.shown
    texts = texts if hidden is None else texts[~hidden[tree.text_nodes[texts]]]
    others: dict[int, Image | Mark | str | None] = {**images, **media, **dict.fromkeys(rules.tolist())}
    if lines.formulas:
        is_tex = np.isin(tree.text_nodes[texts], list(lines.formulas.tex))
        others |= {node: lines.formulas.tex[node] for node in tree.text_nodes[texts[is_tex]].tolist()}
        texts = texts[~is_tex]
    at, nodes = np.array(sorted(others), dtype=np.intp), tree.text_nodes[texts]
    filled = np.sort(np.concatenate([nodes[tree.text_length[nodes] > 0], at]))
    if not len(filled):
        return result
    columns = (tree.tag, tree.parent, tree.end, tree.text_length, tree.text_nodes, texts, at, _FLAGS)
    rows = np.frombuffer(compiled.outline(*columns, int(filled[0]), int(filled[-1])), np.int32).reshape(-1, 7)
    if rendering.tables and (rows[:, 1] == _TABLE).any():
        result.tables = {node: table for node, table in data_tables(tree, filled).items() if not table.pictured}
    _Outliner(result, rows, rendering.links).walk(texts.tolist(), others, lines)
    if images:
        say_once(result.runs)
    return result


def left_out(lines: Lines, keep: BoolColumn) -> int | None:
    """Return the node from which on markup is too much to show; None if all is shown. Arguments as in :func:`outline`."""
    if len(keep) <= MAX_SHOWN:
        return None
    others = np.flatnonzero(keep & np.isin(lines.tree.tag, (_HR, _IMG, *tags.MEDIA)))
    shown = np.sort(np.concatenate([lines.nodes, others]))
    return int(shown[MAX_SHOWN]) if len(shown) > MAX_SHOWN else None


def _kept_images(tree: PageTree, keep: BoolColumn, base: str | None) -> dict[int, Image | str]:
    """Return the kept images, and the TeX of those that show a formula, by node."""
    images: dict[int, Image | str] = {}
    nodes = np.flatnonzero(keep & (tree.tag == _IMG)).tolist()
    for node, attributes in zip(nodes, tree.attributes_of(nodes), strict=True):
        if tex := pictured(attributes):
            images[node] = tex
        elif url := image_source(attributes, base) or _picture_source(tree, node, base):
            alt, title = (" ".join(attributes.get(name, "").split()) for name in ("alt", "title"))
            images[node] = Image(url, alt, "" if title == alt else title)
    return images


def _media(tree: PageTree, keep: BoolColumn, base: str | None) -> dict[int, Mark]:
    """Return the links to the kept videos, sounds and players, by node. A frame that plays nothing has none."""
    media: dict[int, Mark] = {}
    end = 0
    nodes = (keep & are_media(tree)).nonzero()[0].tolist()
    for node, attributes in zip(nodes, tree.attributes_of(nodes), strict=True):
        if node < end:  # a fallback in another one
            continue
        url = image_source(attributes, base) or _source_in(tree, node, base) or _address_of_player(tree, node, attributes, base)
        framed = tags.within(_FRAMES, tree.tag[node])
        if url and (not framed or _PLAYER.search(f"{url} {attributes.get('class', '')}")):
            end = int(tree.end[node])
            said = (attributes.get("title") or attributes.get("aria-label") or "").split()
            name = " ".join(said) or (urlsplit(url).netloc if framed else "") or tree.name(node)
            media[node] = Mark("a", "a", node, url, (), {"label": name})
    return media


def _address_of_player(tree: PageTree, node: int, attributes: Attributes, base: str | None) -> str | None:
    """Return the address of what an ``object`` or an element of a site's own plays, None if it names none."""
    if data := attributes.get("data"):
        return resolve(data, base)
    pages = (page for site, page in _PAGES_OF_VIDEOS.items() if site in tree.name(node))
    return next((f"{page}{number}" for page in pages if (number := played(attributes))), None)


def _picture_source(tree: PageTree, node: int, base: str | None) -> str | None:
    """Return the source that a ``picture`` around an image names, if the image itself names none."""
    around = int(tree.parent[node])
    return None if around < 0 or tree.name(around) != "picture" else _source_in(tree, around, base)


def _source_in(tree: PageTree, around: int, base: str | None) -> str | None:
    """Return the source that the first ``source`` in an element names."""
    sources = (tree.attributes[child] for child in tree.children(around).tolist() if tree.name(child) == "source")
    return next(filter(None, (image_source(attributes, base) for attributes in sources)), None)


class _Outliner:
    """Walks the shown places once; each element's context follows from its parent's."""

    def __init__(self, result: Outline, rows: NDArray[np.int32], links: bool) -> None:
        """``rows``: as :func:`tamis.native.outline.outline` gives them."""
        self.result = result
        self.tree = tree = result.tree
        self.links = links
        self.budget = tree.budget()
        is_element = rows[:, 5] < 0
        elements = rows[is_element]
        around, meant = elements[:, 0].astype(np.int64), elements[:, 4] > 0
        says = np.logical_or.reduce([tree.values(name).codes[around] >= 0 for name in _STATING])
        stating = around[says].tolist()
        self.stated = dict(zip(stating, tree.attributes_of(stating), strict=True)) if stating else {}
        """Attributes of the elements that have a language, a direction or a number."""
        titles = tree.values("class").where(_TITLE.search, ("title", "heading"))
        self.notes = result.notes.notes
        meant |= says | titles[around] | np.isin(around, list(self.notes))
        self.titles = set(np.flatnonzero(titles).tolist())  #: Elements that are the title of a note or warning.
        meant[0] &= _HANDLERS.get(int(elements[0, 1])) is not _Outliner.wrapper or elements[0, 1] == _P
        inline = around[meant & tags.within(_MARKS, elements[:, 1])].tolist()
        self.marked = dict(zip(inline, tree.attributes_of(inline), strict=True))  #: Attributes of inline elements.
        emphasis = tree.tagged(_EMPHASIS)
        self.open_ended = set(emphasis[tree.count_below(emphasis, tree.tagged(_STRUCTURED)) > 0].tolist())
        """Emphasis around tables, lists and the like, whose end the page lacks."""
        wanted = ~is_element
        wanted[is_element] = meant
        self.rows = list(zip(*rows[wanted].T.tolist(), strict=True))
        self.at = 0  #: Index of the row at hand.
        self.last: dict[OpenBlock, OpenBlock] = {}  #: The last item of each list.
        self.ordinals: dict[int, dict[int, int]] = {}  #: Of ordered lists the position of each item, kept or not, by their nodes.

    def walk(self, texts: list[int], others: dict[int, Image | Mark | str | None], lines: Lines) -> None:
        """Outline the rows. A blank text is part of a line, but begins none.

        ``texts``: positions of those that are shown; ``others``: images, TeX and rules (None) by node; ``lines``: those of the page.
        """
        every, quoted = lines.every, lines.quoted
        opening, closing = {first: signs[0] for first, _, signs in quoted}, {last: signs[1] for _, last, signs in quoted}
        tree, runs = self.tree, self.result.runs
        last: OpenBlock | None = None
        text, last_border, last_break = "", -1, -1
        ends = [len(tree)]
        around = [Context(self.result.page, (), ())]
        for k, (node, code, first, after, third, borders, breaks) in enumerate(self.rows):
            while node >= ends[-1]:
                ends.pop()
                around.pop()
            block, marks, language = context = around[-1]
            if borders < 0:
                if handler := _HANDLERS.get(code):
                    self.at = k
                    ends.append(first)
                    around.append(handler(self, node, tree.names[code], context))
                continue
            if block.name in _LISTING:
                block = self.flow(block)
            other = None if after else others[node]
            if block is not last or not (after or other):
                apart = NEW_RUN
            elif borders == last_border and breaks == last_break:
                apart = 0
            else:
                apart = _breaks_before(block, borders == last_border, (breaks - last_break + 1) // 2, text)
            if third and apart:
                continue
            said = ""
            if after:
                said = every[texts[first]] if after == first + 1 else "".join(map(every.__getitem__, texts[first:after]))
                if not said.isascii() and not (said := visible(said)):
                    continue
            elif isinstance(other, str):
                said, marks = other, (*marks, Mark("code", "tex", node))
            elif isinstance(other, Mark) and all(mark.name != "a" for mark in marks):
                said, marks = f" {other.attributes['label']} ", (*marks, other)
            if apart == NEW_RUN:
                run = Run(block, [], language)
                runs.append(run)
                _count_run(block)
                apart = 0
            last, last_border, last_break, text = block, borders, breaks, said
            if said or other:
                run.leaves.append(Leaf(said, other if isinstance(other, Image) else None, marks, apart))
                if opening and after:
                    run.leaves[-1:] = _quoted(run.leaves[-1], *(_signs(of, texts[first:after]) for of in (opening, closing)))
            else:
                last = None

    def structured(self) -> bool:
        """Return whether anything in the element at hand is more than running text."""
        _, _, end, *_ = self.rows[self.at]
        for k in range(self.at + 1, len(self.rows)):
            node, code, *_ = self.rows[k]
            if node >= end:
                break
            if code in STRUCTURE:
                return True
        return False

    def wrapper(self, node: int, name: str, above: Context) -> Context:
        """Enter an element without meaning of its own: it may state its language, or be the title of a note, which is bold."""
        if node in self.notes and above.block.name != "pre" and above.block.name not in LINES:
            return self.open("div", node, above, self.flow(above.block))
        if node in self.titles:
            above = above._replace(marks=(*above.marks, Mark("strong", "strong", node)))
        language = self.language(node)
        return above._replace(language=language) if language else above

    def container(self, node: int, name: str, above: Context) -> Context:
        """Enter a block that holds other blocks; counts as a level. vBulletin has its posts in ``blockquote``, and means no quotation."""
        outer = self.flow(above.block)
        if outer.name == "pre" or outer.name in LINES or outer.level >= MAX_LEVELS:
            return above
        if name == "blockquote" and (self.tree.attribute(node, "class") or "").startswith("postcontent"):
            return self.wrapper(node, name, above)
        return self.open(name, node, above, outer, level=1)

    def open(self, name: str, node: int, above: Context, outer: OpenBlock, level: int = 0) -> Context:
        """Return the context in a new block."""
        language = (node in self.stated and self.language(node)) or above.language
        return Context(outer.within(name, level, language, node), above.marks, ())

    def flow(self, block: OpenBlock) -> OpenBlock:
        """Return the block that takes text or a block directly in ``block``: in lists, the last item, or one that the page lacks."""
        if block.name not in _LISTING:
            return block
        last = self.last.get(block)
        if last is None or last.name == "dt":
            name = "dd" if block.name == "dl" else "li"
            last = self.last[block] = block.within(name)
            last.number = block.number + block.items
            block.items += 1
        return last

    def listing(self, node: int, name: str, above: Context) -> Context:
        """Enter a list."""
        context = self.container(node, "ol" if name == "ol" else "ul", above)
        if name == "ol" and context is not above:
            context.block.number = _whole_number(self.stated.get(node, NO_ATTRIBUTES).get("start", ""), 1)
        return context

    def item(self, node: int, name: str, above: Context) -> Context:
        """Enter an item of a list; outside of lists, a wrapper."""
        outer = above.block
        if outer.name not in LISTS:
            return self.wrapper(node, name, above)
        context = self.open("li", node, above, outer)
        if outer.name == "ol":
            self._number(context.block, outer)
        outer.items += 1
        self.last[outer] = context.block
        return context

    def _number(self, item: OpenBlock, outer: OpenBlock) -> None:
        """Set the number a reader sees at an item, those not kept counted."""
        if outer.node not in self.ordinals:
            children = self.tree.children(outer.node)
            items = children[self.tree.tag[children] == self.tree.tag[item.node]].tolist()
            self.ordinals[outer.node] = {node: k for k, node in enumerate(items, 1)}
        position = self.ordinals[outer.node].get(item.node, outer.items + 1)
        value = self.stated.get(item.node, NO_ATTRIBUTES).get("value", "")
        if value:
            outer.number = _whole_number(value, outer.number + position - 1) - position + 1
        item.number = outer.number + position - 1

    def part(self, node: int, name: str, above: Context) -> Context:
        """Enter a block that belongs into a certain other one (``dt`` into ``dl``, cells into rows); elsewhere, a wrapper."""
        outer = above.block
        if outer.name not in _OWNERS[name] or (name == "summary" and self.structured()):
            return self.wrapper(node, name, above)
        context = self.open(name, node, above, outer)
        self.last[outer] = context.block
        return context

    def heading(self, node: int, name: str, above: Context) -> Context:
        """Enter a heading; one around lists, tables or other headings is a wrapper."""
        outer = self.flow(above.block)
        if outer.name == "pre" or outer.name in LINES or self.structured():
            return self.wrapper(node, name, above)
        return self.open(name, node, above, outer)

    def preformatted(self, node: int, name: str, above: Context) -> Context:
        """Preformatted text; one within another is part of it."""
        outer = self.flow(above.block)
        return above if outer.name == "pre" or outer.name in LINES else self.open("pre", node, above, outer)

    def table(self, node: int, name: str, above: Context) -> Context:
        """Enter a data table; a table that lays out the page is a wrapper."""
        return self.container(node, name, above) if node in self.result.tables else self.wrapper(node, name, above)

    def mark(self, node: int, name: str, above: Context) -> Context:
        """Enter an inline element with a meaning."""
        name, kind = _KINDS[name]
        if (above.block.name == "pre" and name not in ("a", "code")) or (name == "span" and not self.language(node)):
            return above
        if node in self.open_ended or (name == "q" and holds_blocks(self.tree, node)):
            return above
        for outer in above.marks:
            if outer.name == name:
                return above
        attributes = self.marked.pop(node)
        url = (self.links and name == "a" and resolve(attributes.get("href", ""), self.result.base)) or ""
        if (inside := int(self.tree.end[node]) - node) > _FEW and not self.budget.take(
            len(url) + sum(len(attributes.get(stated, "")) for stated in ("title", "datetime")), inside
        ):
            return above  # it would be written around each block within it
        if node in self.result.notes.references:
            return above._replace(marks=(*above.marks, Mark("a", "note", node, url, (), attributes)))
        if name == "a":
            if not url:
                return above
            attributes = attributes if len(attributes) > 1 else NO_ATTRIBUTES
        mark = Mark(name, kind, node, url, self.language(node) if node in self.stated else (), attributes)
        return Context(above.block, (*above.marks, mark), above.language)

    def ruby_text(self, node: int, name: str, above: Context) -> Context:
        """Enter the text over a ruby base, or the bracket around it where that is not over the base."""
        names = [mark.name for mark in above.marks]
        nested = "ruby" not in names or "rt" in names or "rp" in names
        return above if nested else above._replace(marks=(*above.marks, Mark(name, name, node)))

    def language(self, node: int) -> Language:
        """Return ``lang`` and ``dir`` of a node, where they make sense."""
        attributes = self.stated.get(node)
        if attributes is None:
            return ()
        lang, direction = attributes.get("lang", ""), attributes.get("dir", "").lower()
        found = [("lang", lang)] if _LANGUAGE.fullmatch(lang) else []
        return (*found, ("dir", direction)) if direction in ("ltr", "rtl", "auto") else tuple(found)


def _signs(of: dict[int, str], texts: list[int]) -> str:
    return "".join(of.get(k, "") for k in texts)


def _quoted(leaf: Leaf, opening: str, closing: str) -> Iterator[Leaf]:
    """Yield a leaf with the signs before and after it that a browser shows, outside of its emphasis."""
    outside = tuple(takewhile(lambda mark: mark.name not in ("q", "rt"), leaf.marks))
    text = leaf.text
    if opening:
        yield Leaf(f"{text[: len(text) - len(text.lstrip())]}{opening}", None, outside, leaf.breaks, sign=True)
        leaf = leaf._replace(text=text.lstrip(), breaks=0)
    yield leaf._replace(text=leaf.text.rstrip()) if closing else leaf
    if closing:
        yield Leaf(f"{closing}{text[len(text.rstrip()) :]}", None, outside, 0, sign=True)


def _breaks_before(block: OpenBlock, unbroken: bool, breaks: int, before: str) -> int:
    """Line breaks between a leaf and the text ``before`` it in its block, or :data:`NEW_RUN`. ``breaks``: the ``br`` between them."""
    if unbroken:
        return breaks if breaks < 2 or block.name in LINES or block.name == "pre" else NEW_RUN
    if block.name == "pre":
        return breaks or int(not before.endswith("\n"))
    return max(breaks, 1) if block.name in LINES else NEW_RUN


def _count_run(block: OpenBlock) -> None:
    """Count a run in its block, and see whether the list around it becomes loose."""
    block.runs += 1
    around: OpenBlock | None = block
    while around:
        if around.name == "li" and around.parent:
            around.parent.loose |= around is not block or block.runs > 1
            return
        around = around.parent


def _whole_number(value: str, otherwise: int) -> int:
    value = value.strip()
    return int(value) if value.isascii() and value.removeprefix("-").isdigit() and len(value) < 10 else otherwise


NEW_RUN = -1  #: In place of a number of line breaks: a run begins.
_LISTING = frozenset((*LISTS, "dl"))
_OWNERS = {
    **{"dt": ("dl",), "dd": ("dl",), "figcaption": ("figure",), "summary": ("details",), "td": ("tr",), "th": ("tr",)},
    **dict.fromkeys(("thead", "tbody", "tfoot", "caption"), ("table",)),
    "tr": ("table", "thead", "tbody", "tfoot"),
}
"""The blocks that some blocks belong into."""

_HANDLERS: dict[int, Callable[[_Outliner, int, str, Context], Context]]
_HANDLERS = dict.fromkeys(tags.BLOCKS - tags.codes("html body"), _Outliner.wrapper)
"""Change of the context by each tag; others do nothing."""
for _handler, _of in (
    (_Outliner.container, "blockquote dl figure details"),
    (_Outliner.listing, "ul ol menu dir"),
    (_Outliner.item, "li"),
    (_Outliner.part, " ".join(_OWNERS)),
    (_Outliner.heading, "h1 h2 h3 h4 h5 h6"),
    (_Outliner.preformatted, "pre listing xmp plaintext"),
    (_Outliner.table, "table"),
    (_Outliner.mark, " ".join(_KINDS)),
    (_Outliner.ruby_text, "rt rp"),
):
    _HANDLERS.update(dict.fromkeys(tags.codes(_of), _handler))
_EMPHASIS, _STRUCTURED = tags.lookup(tags.codes("b strong i em u")), tags.lookup(STRUCTURE)
_MARKS = tags.lookup(tags.codes(" ".join(_KINDS)))
_SETS = (
    tags.BLOCKS,
    tags.codes("br"),
    tags.codes(" ".join(_KINDS)) | tags.codes("rt rp"),
    tags.codes("a"),
    _PRE,
    frozenset(code for code, does in _HANDLERS.items() if does is not _Outliner.wrapper) - tags.codes("span"),
    frozenset({tags.TEXT, _HR, _IMG}) | tags.MEDIA,
    tags.codes("li dd"),
    tags.LISTS | tags.codes("dl"),
    tags.HEADINGS
    | tags.LISTS
    | _PRE
    | frozenset(map(tags.CODE.__getitem__, _OWNERS))
    | tags.codes("blockquote li dl figure details table"),
    tags.codes("div p center"),
)
"""Blocks; line breaks; marks; links; preformatted blocks; elements with a meaning (others may state a language); elements shown themselves.
Items; lists; blocks that give what they hold its meaning; elements that may be between these and their content."""
_FLAGS = tags.flags(*_SETS)
_FEW = 3  #: Nodes of an inline element, at most, that need no budget.
_STATING = ("lang", "dir", "start", "value")
