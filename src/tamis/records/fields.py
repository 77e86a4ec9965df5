"""The fields of a record: pieces of text as a reader sees them, link targets, images (``docs/methods/records.md``)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.document.render.links import image_source, resolve
from tamis.page import tags
from tamis.page.tree import BoolColumn
from tamis.records.candidates import PageFeatures
from tamis.records.table import MAX_LENGTH, Kind, read_price

Span = tuple[int, int]  #: A range of nodes in preorder: first, first after.

MAX_FIELDS = 300  #: Fields of one record; the rest of a longer record becomes text of the last one.
PRICE_PARTS = 6  #: Parts of a price at most.
RUNNING_TEXT = 40  #: Characters of a line that goes on after a line break (``br``); after a shorter line another field begins.
_MAX_CLIMB = 24  #: Inline elements around a text that are asked whether they hold it in one piece.

_BLOCK = tags.lookup(tags.BLOCKS)
_WHOLE = tags.lookup(tags.HEADINGS | tags.codes("a button label caption summary legend dt time"))
_PLAIN = tags.lookup(tags.codes("a b strong em i u mark font big"))  #: Inline elements that are part of a text whatever they are called.
_SCRIPT = tags.lookup(tags.codes("sub sup"))
_PROSE = tags.lookup(tags.HEADINGS | tags.LISTS | tags.PREFORMATTED | tags.codes("p blockquote dl figure table hr br"))
_NAMED_PROSE = tags.lookup(tags.PREFORMATTED | tags.codes("figure blockquote"))  #: Prose also with class names, which highlighters give.
_PROSE_SHARE = 0.6  #: Median share of the bodies' text in elements of prose without class names, or in no element.
_PROSE_VARIES = 3  #: By how many parts bodies of one place differ at the least.
_MOST_LABELS = 0.8  #: Share of the labels whose words several records have.
_IMG, _TIME, _QUOTE = (tags.CODE[name] for name in ("img", "time", "blockquote"))
_WORD = re.compile(r"\w")
_SEPARATORS = re.compile(r"[\s|·•,;:/\\\-–—»›«‹…()\[\].]*")
_BAR = re.compile(r"\s*[|·•]\s*")  #: A text that separates fields.
_CENTS = re.compile(r"\s*\d\d\s*")  #: A part of a price that is set apart instead of by a point.
_DASH = re.compile(r"^(?:[-–—]\s+|[,;]\s*)(?=\S)|(?<=\S)\s+[-–—]$")  #: A dash or comma that separates a value from its neighbour.
_EDGES = " \t\n\r\f\xa0|·•"


_Line = tuple[int, tuple[str, ...]]  #: An element by its path of tags and its class names.
_Step = tuple[int, tuple[str, ...]]  #: An element by its tag and class names.
_Own = tuple[_Line, _Step | None, int]
"""Place of a field of its own: its element, and which child it is, 0 first, -1 last or :data:`_ANYWHERE`."""
_ANYWHERE = 1  #: A label before each of several values: where it ends, the value is a field of its own, too.


class _Parted(NamedTuple):
    """A piece of text by the children of the element that holds it."""

    line: _Line
    steps: list[_Step | None]  #: Class names of each child; None for words, links and children without class names.
    parts: list[list[int]]  #: Text nodes of each.
    marks: list[_Step | None]  #: Class names of each child; None for words.


_Piece = tuple[int, list[int], _Parted | None]  #: A piece of text: the element that holds it, its text nodes, its parts if several.


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one record."""

    kind: Kind
    value: str
    node: int  #: The element that holds it.
    root: int  #: The element above the record's top elements: paths begin below it.


class FieldReader:
    """Reads the fields of records of one page."""

    def __init__(self, page: PageFeatures, base: str | None = None) -> None:
        self._page = page
        self._base = base
        tree = page.tree
        blocks = tree.of_tags(_BLOCK)
        self._block = blocks.tolist()
        holds_blocks = tree.subtree_sum(blocks.astype(np.int64)) > blocks
        self._whole = (tree.of_tags(_WHOLE) & ~holds_blocks).tolist()
        self._flat = ~holds_blocks
        self._price = [False] * len(tree)  #: Elements that are a price in several parts.
        self._container = blocks & (~tree.of_tags(_PROSE) | (tree.tag == _QUOTE))
        self._plain = tree.of_tags(_PLAIN).tolist()
        self._script = tree.of_tags(_SCRIPT).tolist()
        self._parent: list[int] = tree.parent.tolist()
        self._end: list[int] = tree.end.tolist()
        self._length = page.length.tolist()
        self._shown = page.shown.tolist()
        self._links = np.flatnonzero(tree.link).tolist()  #: Links, rising.
        of_leaves = tree.tag[page.leaves]
        self._leaves = list(zip(page.leaves.tolist(), (of_leaves == tags.TEXT).tolist(), (of_leaves == _IMG).tolist(), strict=True))
        """Nodes that show something; whether each is a text, and whether an image."""
        self._line = dict(zip(tree.text_nodes.tolist(), tree.line.tolist(), strict=True))
        self._text = dict(zip(tree.text_nodes.tolist(), tree.texts, strict=True))
        self._link = tree.link_around.tolist()
        self._time = tree.nearest_ancestor(tree.tag == _TIME).tolist()
        self._mixed: set[tuple[int, int]] = set()  #: Elements of records with words of their own, and their line.
        self._targets: dict[int, str] = {}  #: Addresses of the links and images of records.

    def records(self, spans: Sequence[Span], is_column: Callable[[Field], bool] = lambda field: False) -> tuple[tuple[Field, ...], ...]:
        """Return the fields of each record, in order. The records show together which elements are bodies, and which inline elements are
        fields of their own. ``is_column``: whether the field's place is a column of the wrapper."""
        for first, after in spans:
            for node, is_text, _ in self._leaves[self._shown[first] : self._shown[after]]:
                if is_text and _WORD.search(self._text[node]):
                    self._mixed.add((self._parent[node], self._line[node]))
        self._targets = self._addresses_of(spans)
        for node in self._glued(spans):
            self._whole[node] = False
        for node in self._prices(spans):
            self._whole[node] = self._price[node] = True
        bodies, apart = self._bodies(spans, is_column)
        self._body = np.where(self._page.tree.subtree_mask(apart), -1, self._page.tree.nearest_ancestor(bodies)).tolist()
        pieces = [list(self._pieces(span)) for span in spans]
        own = self._own_elements(pieces)
        return self._without_copies([self._fields(span, each, own) for span, each in zip(spans, pieces, strict=True)], is_column)

    def _without_copies(self, records: Sequence[tuple[Field, ...]], is_column: Callable[[Field], bool]) -> tuple[tuple[Field, ...], ...]:
        """Return the fields of records without texts that say once more what another text of the record says (for a smaller screen, beside
        a picture): those of one place that do so in every record, with three values or more that are not numbers. Cells of tables stay, and
        columns of the wrapper; of two texts the one in a heading stays, else the one in a link, else the first."""
        tree = self._page.tree
        texts = [[field for field in fields if field.kind == "text"] for fields in records]
        places: dict[tuple[int, int], list[tuple[Counter[str], Field]]] = {}
        for fields in texts:
            said, seen = Counter(field.value for field in fields), Counter[int]()
            for field in fields:
                path = int(self._page.by_names[field.node])
                seen[path] += 1
                places.setdefault((path, seen[path]), []).append((said, field))

        def rank(own: list[tuple[Counter[str], Field]]) -> tuple[bool, bool, int]:
            node = own[0][1].node
            return int(tree.tag[node]) in tags.HEADINGS, bool(tree.link_around[node] >= 0), -node

        copies: set[int] = set()
        for own in sorted(places.values(), key=rank):
            repeats = all(said[field.value] > 1 and tree.tag[field.node] not in tags.CELLS for said, field in own)
            if repeats and len({field.value for _, field in own if not field.value[:1].isdigit()}) > 2 and not is_column(own[0][1]):
                copies.update(id(field) for _, field in own)
                for said, field in own:
                    said[field.value] -= 1
        return tuple(tuple(field for field in fields if id(field) not in copies) for fields in records)

    def _fields(self, span: Span, pieces: list[_Piece], own: set[_Own]) -> tuple[Field, ...]:
        root = self._parent[span[0]]
        found: list[tuple[int, int, Field]] = []
        begins: dict[int, int] = {}  #: Start of the piece that holds a link's first words.
        for holder, nodes, parted in pieces:
            parts = _between_fields(parted, own) if parted and own else [nodes]
            for part in parts:
                value = self._value(part)
                if not _SEPARATORS.fullmatch(value):
                    is_own = len(parts) > 1 and parted is not None and part in (parted.parts[0], parted.parts[-1])
                    node = holder if len(parts) == 1 else self._holding(part) if is_own else self._around(part)
                    found.append((part[0], 1, Field("text", value, node, root)))
                for node in part:
                    begins.setdefault(self._link[node], part[0])
        found += [(begins.get(field.node, field.node), 0, field) for field in self._addresses(span, root)]
        found.sort(key=lambda each: each[:2])
        fields = [field for _, _, field in found]
        if len(fields) > MAX_FIELDS:
            rest = fields[MAX_FIELDS - 1 :]
            texts = [field for field in rest if field.kind == "text"]
            fields[MAX_FIELDS - 1 :] = [replace(texts[0], value="\n".join(field.value for field in texts)) if texts else rest[0]]
        return tuple(fields)

    def _pieces(self, span: Span) -> Iterator[_Piece]:
        """Pieces of text, without a look at other records."""
        groups: dict[tuple[int, int], list[int]] = {}
        for node, is_text, _ in self._leaves[self._shown[span[0]] : self._shown[span[1]]]:
            if is_text:
                holder = self._body[node] if self._body[node] >= 0 else self._holder(node, span[0])
                groups.setdefault((holder, -1 if self._whole[holder] or holder == self._body[node] else self._line[node]), []).append(node)
        for holder, nodes in self._running(groups):
            if holder in (self._body[nodes[0]], self._time[nodes[0]]) or self._price[holder]:
                yield holder, nodes, None
                continue
            for piece in self._split(nodes):
                yield (holder if len(piece) == len(nodes) else self._around(piece)), piece, self._parted(piece) if len(piece) > 1 else None

    def _glued(self, spans: Sequence[Span]) -> list[int]:
        """The links of records that are made of several elements without a space between their words, if at least half of the records have
        one: a style sheet makes them lines."""
        found = []
        for first, after in spans:
            for link in self._links[bisect_left(self._links, first) : bisect_left(self._links, after)]:
                leaves = self._leaves[self._shown[link] : self._shown[self._end[link]]]
                texts = [node for node, is_text, _ in leaves if is_text] if len(leaves) > 1 else []
                holders = {self._parent[node] for node in texts}
                is_apart = 1 < len(texts) == len(holders) and not any(
                    each == link or self._script[each] or self._time[each] >= 0 for each in holders
                )
                if is_apart and all((self._text[node][-1:] + self._text[behind][:1]).isalnum() for node, behind in pairwise(texts)):
                    found.append(link)
        return found if 2 * len(found) >= len(spans) else []

    def _prices(self, spans: Sequence[Span]) -> Iterable[int]:
        """The innermost elements of records whose parts are a price only together: its sign, its whole and its decimals."""
        tree, page = self._page.tree, self._page
        within = np.zeros(len(tree), dtype=np.bool_)
        for first, last in spans:
            within[first:last] = True
        inside = np.flatnonzero(within & self._flat)
        count = page.shown[tree.end[inside]] - page.shown[inside]
        length = page.characters[tree.end[inside]] - page.characters[inside]
        likely = inside[(count > 1) & (count <= PRICE_PARTS) & (length <= MAX_LENGTH)]
        found: dict[tuple[int, int], int] = {}
        for node in likely.tolist():
            begin, end = tree.texts_between(node, int(tree.end[node]))
            parts = [part.strip() for part in tree.texts[begin:end]]
            texts = [int(text) for text, part in zip(tree.text_nodes[begin:end], parts, strict=True) if part]
            apart = [
                k for k, (before, part) in enumerate(pairwise(filter(None, parts)), start=1) if before[-1:].isdigit() and part[:1].isdigit()
            ]
            if apart and (len(apart) > 1 or not _CENTS.fullmatch(self._text[texts[apart[0]]])):
                continue
            if read_price("".join("".join(parts).split())):
                found[self._shown[node], self._shown[self._end[node]]] = node
                for cents in (texts[k] for k in apart):  # $9<sup>50</sup>
                    self._text[cents] = "." + self._text[cents].strip()
                    self._text[texts[apart[0] - 1]] = self._text[texts[apart[0] - 1]].rstrip()
        return found.values()

    def _bodies(self, spans: Sequence[Span], is_column: Callable[[Field], bool]) -> tuple[BoolColumn, NDArray[np.intp]]:
        """The bodies of posts, bool ``(n,)``: elements of prose that are a column, or occur once in several records, with more parts in
        some than in others. All of a body is one field, but for the elements beside its prose that each body has, such as its heading,
        intp ``(k,)``."""
        tree, page = self._page.tree, self._page
        record = np.zeros(len(tree), dtype=np.intp)
        for number, (first, last) in enumerate(spans, start=1):
            record[first + 1 : last] = number
        length = page.characters[tree.end] - page.characters[:-1]
        prose = tree.of_tags(_PROSE) & ~np.array([bool(names) for names in page.names], dtype=np.bool_) | tree.of_tags(_NAMED_PROSE)
        above = tree.parent[1:]
        parts, quotes = (np.bincount(above, own[1:], len(tree)) for own in (prose, tree.tag == _QUOTE))
        own_text = (tree.tag == tags.TEXT, ~tree.of_tags(_BLOCK))  # a column may be an element of several fields, such as links
        of_columns, of_varying = (np.bincount(above, np.where(prose | own, length, 0)[1:], len(tree)) for own in own_text)
        places: dict[_Line, list[int]] = {}
        for node in np.flatnonzero((record > 0) & self._container & (length > 0)).tolist():
            places.setdefault((int(page.by_tags[node]), page.names[node]), []).append(node)
        found: list[int] = []
        apart: list[int] = []
        for place in places.values():
            alone = len(set(record[place].tolist())) == len(place) > 1
            varies = alone and (np.ptp(parts[place]) >= _PROSE_VARIES or np.ptp(quotes[place]) > 0)
            root = self._parent[spans[record[place[0]] - 1][0]]
            share = (of_varying if varies else of_columns)[place] / length[place]
            if np.median(share) >= _PROSE_SHARE and (varies or is_column(Field("text", "", place[0], root))):
                found += place
                beside = [self._beside(node) for node in place]
                shared = set.intersection(*(set(each) for each in beside))
                apart += [
                    node
                    for node in (each[step] for each in beside for step in shared)
                    if varies or any(is_column(Field("text", "", within, root)) for within in range(node, self._end[node]))
                ]
        marked = np.zeros(len(tree), dtype=np.bool_)
        marked[tree.top_level(np.sort(np.array(found, dtype=np.intp)))] = True
        return marked, np.array(apart, dtype=np.intp)

    def _beside(self, body: int) -> dict[_Step, int]:
        """The children of a body that are headings or have class names, those that are the only ones of their kind, by tag and names."""
        found: dict[_Step, list[int]] = {}
        for node in self._page.tree.children(body).tolist():
            step = int(self._page.tree.tag[node]), self._page.names[node]
            if (step[1] or step[0] in tags.HEADINGS) and self._shown[self._end[node]] > self._shown[node]:
                found.setdefault(step, []).append(node)
        return {step: nodes[0] for step, nodes in found.items() if len(nodes) == 1}

    def _around(self, piece: list[int]) -> int:
        """The link that a part of a line begins in, else the lowest element that holds all of it."""
        link = self._link[piece[0]]
        return link if link >= 0 else self._holding(piece)

    def _holding(self, nodes: list[int]) -> int:
        element = self._parent[nodes[0]]
        while self._end[element] <= nodes[-1]:
            element = self._parent[element]
        return element

    def _own_elements(self, pieces: Sequence[list[_Piece]]) -> set[_Own]:
        """The inline elements that are fields of their own: in every record that has their class names they occur once in a piece, at its
        beginning or end, never between other words. Text that is the same in all records is a label."""
        lines: dict[_Line, list[tuple[int, _Parted]]] = {}
        inner: set[_Step | None] = {None}
        for record, each in enumerate(pieces):
            for _, _, parted in each:
                if parted:
                    lines.setdefault(parted.line, []).append((record, parted))
                    inner.update(parted.steps[1:-1])
        found: set[_Own] = set()
        for line, having in lines.items():
            for place in (0, -1):
                for step in {parted.steps[place] for _, parted in having} - inner:
                    same = [parted for _, parted in having if step in parted.steps]
                    records = len({record for record, parted in having if step in parted.steps})
                    if records < 2 or any(each.steps.count(step) > 1 or each.steps[place] != step for each in same):
                        continue
                    own = {self._value(each.parts[place]) for each in same}
                    rest = {self._value(list(chain.from_iterable(each.parts[1:] if place == 0 else each.parts[:-1]))) for each in same}
                    if len(rest) > 1 and (len(own) > 1 or records < len(pieces)):
                        found.add((line, step, place))
            found.update(
                (line, mark, _ANYWHERE) for mark in {parted.marks[0] for _, parted in having} - {None} if self._are_labels(having, mark)
            )
        return found

    def _are_labels(self, having: Sequence[tuple[int, _Parted]], mark: _Step | None) -> bool:
        """Return whether elements of one sort are labels of the words after them: they begin each piece, a record has several, none twice,
        and most of their words are in several records."""
        words: dict[int, list[str]] = {}
        for record, parted in having:
            own = [self._value(part) for part, each in zip(parted.parts, parted.marks, strict=True) if each == mark]
            is_followed = all(before != mark or after != mark for before, after in pairwise([*parted.marks, mark]))
            ends = (self._text[before[-1]][-1:] + self._text[part[0]][:1] for before, part in pairwise(parted.parts))
            is_apart = all(any(map(str.isspace, each)) for each in ends)
            if parted.marks[0] != mark or not is_followed or not is_apart:
                return False
            words.setdefault(record, []).extend(own)
        each_once = Counter(word for own in words.values() for word in set(own))
        if any(word[-1:] in ":：" for own in words.values() for word in own):
            return False  # a text says with a colon what its label is
        total = sum(map(len, words.values()))
        frequent = sum(each_once[word] > 1 for own in words.values() for word in own)
        return max(map(len, words.values())) > 1 and total == each_once.total() and frequent >= _MOST_LABELS * total

    def _parted(self, nodes: list[int]) -> _Parted | None:
        """The parts of a piece by the children of the lowest element that holds it; None for one part. What has no word, and an index,
        belongs to the part before it; an opening bracket to the one after it."""
        tree, names = self._page.tree, self._page.names
        around = self._holding(nodes)
        last = -1
        steps: list[_Step | None] = []
        parts: list[list[int]] = []
        marks: list[_Step | None] = []
        waiting: list[int] = []
        for node in nodes:
            child = node
            while self._parent[child] != around:
                child = self._parent[child]
            if self._script[child] or not _WORD.search(self._text[node]):
                is_open = child != last and self._text[node].strip() in ("(", "[")
                (parts[-1] if parts and not is_open else waiting).append(node)
            elif child == last:
                parts[-1].extend([*waiting, node])
                waiting = []
            else:
                marks.append((int(tree.tag[child]), names[child]) if child != node else None)
                steps.append(marks[-1] if names[child] and not self._plain[child] else None)
                parts.append([*waiting, node])
                waiting, last = [], child
        if parts:
            parts[-1].extend(waiting)
        return _Parted((int(self._page.by_tags[around]), names[around]), steps, parts, marks) if len(parts) > 1 else None

    def _value(self, nodes: list[int]) -> str:
        """The text of some nodes, white space collapsed; a line break is a space."""
        breaks = ("" if self._line[node] == self._line[before] else " " for before, node in pairwise(nodes))
        texts = [space + self._text[node] for space, node in zip(chain([""], breaks), nodes, strict=True)]
        return _DASH.sub("", " ".join("".join(texts).split()).strip(_EDGES))

    def _running(self, groups: dict[tuple[int, int], list[int]]) -> list[tuple[int, list[int]]]:
        """Lines of one element, put together where the line before the break is running text."""
        found: list[tuple[int, list[int]]] = []
        characters = 0  #: Of the last of them.
        for (holder, _), nodes in groups.items():
            if found and found[-1][0] == holder and characters >= RUNNING_TEXT:
                found[-1][1].extend(nodes)
            else:
                found.append((holder, nodes))
                characters = 0
            characters += sum(map(self._length.__getitem__, nodes))
        return found

    def _holder(self, node: int, first: int) -> int:
        """Return the outermost inline element of the record that holds a text and the rest of its piece."""
        line = self._line[node]
        element = holder = self._parent[node]
        for _ in range(_MAX_CLIMB):
            if element < first:
                break
            if self._whole[element] or (element, line) in self._mixed:
                holder = element
            if self._block[element]:
                break
            element = self._parent[element]
        return holder

    def _split(self, nodes: list[int]) -> list[list[int]]:
        """The pieces of a line: separators outside links and a ``time`` element end one."""
        pieces: list[list[int]] = [[]]
        for node in nodes:
            if self._link[node] < 0 and _BAR.fullmatch(self._text[node]):
                pieces.append([])
                continue
            if pieces[-1] and self._time[node] != self._time[pieces[-1][-1]]:
                pieces.append([])
            pieces[-1].append(node)
        return [part for piece in pieces if piece for part in self._split_at_links(piece)]

    def _split_at_links(self, nodes: list[int]) -> list[list[int]]:
        """Pieces apart where a link follows a link, and after a link that began one."""
        pieces = [[nodes[0]]]
        only = self._link[nodes[0]]  # the link that is all of the piece up to here
        for before, node in pairwise(nodes):
            here, last = self._link[node], self._link[before]
            if here == last:
                pieces[-1].append(node)
                continue
            begins = last >= 0 if here >= 0 else only >= 0 and bool(_WORD.search(self._text[node]))
            if begins:
                pieces.append([])
            pieces[-1].append(node)
            only = here if begins else -1
        return pieces

    def _addresses_of(self, spans: Sequence[Span]) -> dict[int, str]:
        """Targets of links that show something, and sources of images."""
        links = [node for first, after in spans for node in self._links[bisect_left(self._links, first) : bisect_left(self._links, after)]]
        images = [node for first, after in spans for node, _, is_image in self._leaves[self._shown[first] : self._shown[after]] if is_image]
        found = {}
        for node, attributes in zip(links, self._page.tree.attributes_of(links), strict=True):
            target = attributes.get("href", "").strip()
            if self._shown[self._end[node]] > self._shown[node] and not target.startswith("#") and (url := resolve(target, self._base)):
                found[node] = url
        for node, attributes in zip(images, self._page.tree.attributes_of(images), strict=True):
            if url := image_source(attributes, self._base):
                found[node] = url
        return found

    def _addresses(self, span: Span, root: int) -> Iterator[Field]:
        first, last = span
        for node in self._links[bisect_left(self._links, first) : bisect_left(self._links, last)]:
            if node in self._targets and self._body[node] < 0:
                yield Field("link", self._targets[node], node, root)
        pictured: set[int] = set()  # bodies with an image
        for node, _, is_image in self._leaves[self._shown[first] : self._shown[last]]:
            body = self._body[node]
            if is_image and body not in pictured and node in self._targets:
                if body >= 0:
                    pictured.add(body)
                yield Field("image", self._targets[node], node, root)


def _between_fields(piece: _Parted, own: set[_Own]) -> list[list[int]]:
    line, steps, parts, marks = piece
    if (line, marks[0], _ANYWHERE) in own:
        found: list[list[int]] = []
        for part, mark in zip(parts, marks, strict=True):
            if mark == marks[0] or not found:
                found += [part, []]
            else:
                found[-1].extend(part)
        return found
    begin = (line, steps[0], 0) in own
    end = len(parts) - ((line, steps[-1], -1) in own)
    return [part for part in (*parts[:begin], [*chain.from_iterable(parts[begin:end])], *parts[end:]) if part]
