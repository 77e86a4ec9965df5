"""Metadata that a page shows its readers: title and headings, elements marked as author or date, and the lines around the main heading."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice, pairwise, takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.document.metadata import titles
from tamis.document.metadata.clean_text import comparison_key
from tamis.document.metadata.dates import holds_date
from tamis.document.render.text import before_permalink
from tamis.page import tags
from tamis.page.caching import of_name
from tamis.page.lexicon import WordPattern, either
from tamis.page.microdata import items_of
from tamis.page.tree import BoolColumn, PageTree, contains_any

MAX_CANDIDATES = 40  #: Elements of one kind that are looked at.
MAX_SHOWN = 200  #: Characters of a text that may be a byline or a date.
MAX_PIECES = 16  #: Text nodes in an element that may be a byline or a date.
MARKED_BEFORE, MARKED_AFTER = 150, 300  #: Elements with little text, before and after the main heading, whose classes are read.
MAX_NAME = 300  #: Characters of a class that are read.
MAX_TITLE = 2_000  #: Characters of a title.
LINES_OF_BYLINE = 2  #: Lines below the main heading where a name beside a date is that of the author.
LINES_BEFORE, LINES_AFTER = 8, 25  #: Lines around the main heading that are read.
MAX_ANCESTORS = 40
MAX_LINKS = 4  #: Links of one byline; more are a list of authors.
LISTED, MAX_LISTED = 3, 8  #: Entries of a list with authors or dates of their own, at least; names that are looked at.
BETWEEN = range(12, 800)  #: Characters between the authors of two entries of a list; co-authors are nearer to each other.
PART = 0.5
"""An element with less than this share of a page's nodes is a part of the page, whose class may say that it is about something else."""

_TITLE, _TIME, _A, _ARTICLE, _MAIN, _FOOTER, _ASIDE, _FORM = (
    tags.CODE[name] for name in "title time a article main footer aside form".split()
)
MAIN, LOWER, LOWEST = (tags.lookup(tags.codes(names)) for names in ("h1", "h2 h3", "h4 h5 h6"))  #: Levels of headings.
_ELSEWHERE = tags.codes("nav fieldset label blockquote pre")
_WITHIN = {_FOOTER: (_ARTICLE, _MAIN), _ASIDE: (_ARTICLE,)}  #: Elements in which these are of the page's text.

_MARK = {
    "author-name": WordPattern(
        rf"{either('author element')}|(?:^|(?<!\borg)(?<!\b\w)(?<!\b\w\w)\s)(?:fn n|p-author|post-author|entry-author)(?:\s|$)"
    ),
    "author": WordPattern(rf"{either('author area')}|(?:^|\s)(?:byl|authi)(?:\s|$)"),
    "published": WordPattern(
        r"publi(?:sh|c)|(?:post|entry|article|story|news|pub|blog)[-_]*(?:date|time)|dateline|posted[-_]?on|(?:date|time)[-_]*(?:post|publ|creat)|fabu"
    ),
    "date": WordPattern(r"(?:^|[\s_-])(?:date|time|timestamp|datetime|meta)(?:$|[\s_-])|byline"),
}
"""Forms of names that mark an element."""
_ANY_MARK = WordPattern("|".join(form.expression for form in _MARK.values()))
_AUTHOR_PAGE = WordPattern(rf"/(?:blog-)?{either('author page')}/([^?#]+)")
_SIGNED = WordPattern(
    r"\s*(?:(?:this (?:post|article|story) was )?(?:(?:written|article) by|作者[:：]|[发發]信人:|(?:采写|撰文|执笔)[:：/])"
    r"|[《\u4e00-\u9fff]\S{0,12}(?:[记記]者|作者)[\s:：]\s?\S{2,4}(?:[\s、]\s?\S{2,4}){0,3}\s*$|[가-힣]{2,4}\s(?:선임|수습)?기자\b)"
)
"""A text of its author; those of comments begin with "posted by"."""
_LABEL = re.compile(r"(?:^|\s)label(?:-|\s|$)", re.I)  #: Classes of a label before the title of a thread ("Solved", "News").
LABEL_OF_TITLE = re.compile(rf"^{either('title')}\s?[:：]\s*(?=.)", re.I)
_OTHERS = re.compile(
    rf"{either('elsewhere')}|(?:^|[\s_-])(?:login|account)(?:$|[\s_-])|(?:^|[\s_-])rev(?:iew)?[_-]+(?:card|item|list|meta|content)"
)
_SAYS_MORE = re.compile(r"(?!(?:by|and|written|von|und|par|et|por|y)\b)\b\w", re.IGNORECASE)
_OTHER_ITEMS = frozenset(("comment", "review", "suggestedanswer"))


class ShownText(NamedTuple):
    """A text that a page shows."""

    text: str
    node: int


def headings(tree: PageTree, levels: BoolColumn) -> Iterator[ShownText]:
    """Yield the first headings that have text. ``levels``: :data:`MAIN` or :data:`LOWER`."""
    nodes = tree.tagged(levels)[:MAX_CANDIDATES]
    columns = (nodes, *(tree.text_nodes.searchsorted(bound) for bound in (nodes, tree.end[nodes])))
    classes = tree.values("class")
    for node, first, last in zip(*(column.tolist() for column in columns), strict=True):
        labels = (_LABEL.search(classes.of(int(tree.parent[text])) or "") for text in tree.text_nodes[first : last - 1].tolist())
        begin = first + sum(1 for _ in takewhile(bool, labels))
        while begin < last - 1 and tree.link_around[tree.text_nodes[begin]] >= 0 and not any(map(str.isalnum, tree.texts[begin])):
            begin += 1  # a permalink
        if text := _text_between(tree, begin, before_permalink(tree, begin, last), MAX_TITLE):
            yield ShownText(text, node)


def parts_of(tree: PageTree, node: int) -> Iterator[str]:
    """Yield a heading's text without its first text, or without its last ones: a kicker, a label, a date."""
    first, last = tree.texts_below(node)
    if last - first in range(2, MAX_PIECES):
        before = [(k, _text_between(tree, first, k, MAX_TITLE)) for k in range(first + 1, last)]
        kickers = [k for k, kicker in before if holds_date(kicker) or not _parted(tree.texts, k)]
        bounds = [*((k, last) for k in kickers), *((first, k) for k in range(last - 1, first, -1))]
        yield from (_text_between(tree, *each, MAX_TITLE) for each in bounds)


def _parted(texts: Sequence[str], k: int) -> bool:
    """Return whether a blank or a sign separates a text from the one before."""
    return texts[k][:1].isspace() or not texts[k - 1][-1:].isalnum()


def find_title_element(tree: PageTree, title: str) -> ShownText | None:
    """Return the first element of the page's text, no link, all of whose text is a title, or else the longest beginning of it."""
    found = ShownText("", 0)
    start = title[: max(int(titles.LEAST_BEGINNING * len(title)), 1)]
    for k in [k for k, text in enumerate(tree.texts) if start in text]:
        said, node = " ".join(tree.texts[k].split()), int(tree.parent[tree.text_nodes[k]])
        if len(said) <= len(found.text) or tree.tag[node] == _TITLE or tree.link[node]:
            continue
        if said == title or (title.startswith(said) and titles.may_end(title, len(said)) and (tree.line == tree.line[k]).sum() == 1):
            found = ShownText(said, node)
    return found if found.node else None


def _text_between(tree: PageTree, first: int, last: int, limit: int) -> str:
    """Return the text of consecutive texts; empty if it is longer than ``limit``."""
    texts = tree.texts[first:last]
    if len(texts) < 2:
        return " ".join(texts[0].split()) if texts and len(texts[0]) <= limit else ""
    return "" if len(texts) > limit or sum(map(len, texts)) > limit else tree.text_between(first, last)


class VisibleMetadata:
    """Metadata that a page shows around its main heading (the node ``near``; 0 for none), found on demand.

    ``others``: spans of nodes that are about something else, such as replies.
    """

    def __init__(self, tree: PageTree, near: int = 0, others: Sequence[tuple[int, int]] = ()) -> None:
        self.tree = tree
        self.near = near
        self._of_others = np.zeros(len(tree), dtype=np.bool_)
        self._classes, self._ids, self._items = (tree.values(name) for name in ("class", "id", "itemprop"))
        dated = self._items.passing(lambda names: any(map(is_other_date, names.split())))
        for first, end in (*others, *((node, tree.end[node]) for node in self._items.nodes_of(dated).tolist())):
            self._of_others[first:end] = True
        self._has_others = len(others) > 0 or len(dated) > 0
        self._known: dict[int, bool] = {}

    def text(self, node: int) -> str:
        """Return the text of a node; empty where it is too long for a byline or a date."""
        return _text_between(self.tree, *self.tree.texts_below(node), MAX_SHOWN)

    @cached_property
    def _marked(self) -> dict[str, list[int]]:
        """Elements with little text by what their class (or id) says, and those with ``rel=author``."""
        tree, nodes = self.tree, self._small_near
        codes, distinct = tree.values("rel")
        authors = {code for code, rel in enumerate(distinct) if "author" in rel.lower()}
        links = nodes[tree.tag[nodes] == _A].tolist() if authors else []
        found = {"rel=author": [node for node in links if codes[node] in authors]} | {mark: [] for mark in _MARK}
        for name, named in self._names_of(nodes).items():
            for mark in _marks_of(name[:MAX_NAME]):
                found[mark] += named
        return {mark: sorted(nodes) for mark, nodes in found.items()}

    @cached_property
    def _small_near(self) -> NDArray[np.intp]:
        """Elements around the main heading that have some text, but little, rising."""
        texts = (self.tree.tag == tags.TEXT).cumsum(dtype=np.int32)
        pieces = texts[self.tree.end - 1] - texts  # 0 for texts
        small = ((pieces > 0) & (pieces <= MAX_PIECES)).nonzero()[0]
        middle = int(small.searchsorted(self.near))
        return np.asarray(small[max(middle - MARKED_BEFORE, 0) : middle + MARKED_AFTER])

    def _names_of(self, nodes: NDArray[np.intp]) -> dict[str, list[int]]:
        """Return the names of elements that may have a mark, each with its elements. Names are the class, or where there is none the id,
        and what the page calls the part in its tests and components."""
        found: dict[str, list[int]] = {}
        unnamed = nodes
        for attribute in ("class", "id", "data-testid"):
            codes, distinct = self.tree.values(attribute)
            if attribute == "data-testid":  # more telling than a class
                unnamed = nodes
            if not (distinct and len(unnamed)):
                continue
            given = codes[unnamed]
            numbers = np.bincount(given + 1)[1:].nonzero()[0].tolist()
            for k in contains_any([distinct[number][:MAX_NAME] for number in numbers], _ANY_MARK.hints):
                found.setdefault(distinct[numbers[k]], []).extend(unnamed[given == numbers[k]].tolist())
            named = given >= 0
            if attribute == "id" and "" in distinct:
                named &= given != distinct.index("")
            unnamed = unnamed[~named]
        components = unnamed[unnamed > self.near][:MAX_CANDIDATES].tolist()
        for node, attributes in zip(components, self.tree.attributes_of(components), strict=True):
            if name := attributes.get("data-component"):
                found.setdefault(name, []).append(node)
        return found

    @cached_property
    def _microdata(self) -> dict[str, list[int]]:
        """Elements by the property that they hold, as ``itemprop=...``, lower case."""
        found: dict[str, list[int]] = {}
        codes, distinct = self.tree.values("itemprop")
        for node in (codes >= 0).nonzero()[0].tolist() if distinct else ():
            for name in distinct[codes[node]].lower().split(None, 4)[:4]:
                found.setdefault(f"itemprop={name}", []).append(node)
        return found

    def only_item(self, kind: str) -> int | None:
        """Return the only item of microdata of a type (in lower case) on the page; None if there is none or several."""
        items = items_of(self.tree, frozenset({kind}))
        return int(items[0]) if len(items) == 1 else None

    def marked(self, mark: str, scope: int | None = None) -> Iterator[int]:
        """Yield elements about the page with a mark (``itemprop=...``, ``rel=author``, ``time``, a class); first those after the heading.

        Then, in order, those in ``scope``, an item that the page is about, whatever its parts are called.
        """
        if mark == "time":
            nodes = (self.tree.tag == _TIME).nonzero()[0].tolist()
        else:
            nodes = (self._microdata if mark.startswith("itemprop") else self._marked).get(mark, [])
        yield from self._from(nodes)
        if scope is not None:
            yield from nodes[bisect_left(nodes, scope) : bisect_left(nodes, int(self.tree.end[scope]))]

    def links_to_authors(self) -> Iterator[tuple[int, str]]:
        """Yield the links about the page whose addresses are those of authors, with what the address says."""
        nodes = self._small_near
        links = nodes[self.tree.link[nodes]].tolist()
        addresses = [given.get("href", "") for given in self.tree.attributes_of(links)]
        said = {links[k]: match[1] for k in contains_any(addresses, _AUTHOR_PAGE.hints) if (match := _AUTHOR_PAGE.search(addresses[k]))}
        return ((node, said[node]) for node in self._from(list(said)))

    def links_with(self, relation: str) -> list[int]:
        """Return links with a relation to the text (``license``, ``category``, ``tag``), rising; those of categories are not tags."""
        tree, other = self.tree, "category" if relation == "tag" else relation
        words = tree.values("rel").where(lambda rel: {relation, other}.intersection(rel.lower().split()) == {relation}, (relation,))
        nodes = (words & (tree.tag == _A)).nonzero()[0][:MAX_CANDIDATES].tolist()
        return [node for node in nodes if relation == "license" or not (tree.in_chrome[node] or self.is_elsewhere(node))]

    def _from(self, nodes: list[int]) -> Iterator[int]:
        at = bisect_left(nodes, self.near) if nodes else 0
        ordered = [*nodes[at : at + MAX_CANDIDATES], *nodes[max(at - MAX_CANDIDATES, 0) : at]]
        return (node for node in ordered if not self.is_elsewhere(node))

    def is_elsewhere(self, node: int) -> bool:
        """Return whether an element belongs to something other than the page's subject: comments, related pages, navigation."""
        if self._of_others[node]:
            return True
        known, path, elsewhere = self._known, [], False
        for step in islice(chain((node,), self.tree.ancestors(node)), MAX_ANCESTORS):
            if (answer := known.get(step)) is not None:
                elsewhere = answer
                break
            path.append(step)
            if elsewhere := self._is_other(step):
                break
        known.update(dict.fromkeys(path, elsewhere))
        return elsewhere

    def _is_other(self, node: int) -> bool:
        tree = self.tree
        tag = int(tree.tag[node])
        if tag in _WITHIN:  # that of an article may hold its date and author
            return not any(tree.tag[above] in _WITHIN[tag] for above in islice(tree.ancestors(node), MAX_ANCESTORS))
        if tag in _ELSEWHERE or (self._items.distinct and (self._items.of(node) or "").lower() in _OTHER_ITEMS):
            return True
        if node <= self.near < tree.end[node] or int(tree.end[node]) - node >= PART * len(tree):
            return False
        name = self._classes.of(node) or self._ids.of(node)
        return tag == _FORM or bool(name and _is_of_others(name[:MAX_NAME]))

    def says(self, node: int) -> list[str]:
        """Return the values of a marked element: ``content`` or ``datetime``; the ``itemprop=name`` in it; else its lines."""
        given = self.tree.attributes[node]
        if value := given.get("content") or given.get("datetime"):
            return [value]
        if name := self.name_in(node):
            return [name]
        first, last = self.tree.texts_below(node)
        return [line.text for line in self._lines(first, min(last, first + MAX_PIECES))]

    def before(self, node: int) -> str:
        """Return the text before an element in its line."""
        k, _ = self.tree.texts_below(node)
        first = int(self.tree.line.searchsorted(self.tree.line[k])) if k < len(self.tree.line) else k
        return "".join(self.tree.texts[max(first, k - MAX_PIECES) : k])[-MAX_SHOWN:]

    def is_list(self, said: Iterable[tuple[int, str]]) -> bool:
        """Return whether elements give authors or dates of a list's entries: three at least, not all the same, with text between.

        Elements just below the main heading are about the page.
        """
        said = sorted(said)
        before = self.length_between(self.near, said[0][0]) if said and 0 < self.near < said[0][0] else BETWEEN.start
        if not said or before < BETWEEN.start:
            return False
        gaps = [self.length_between(one, two) for (one, _), (two, _) in pairwise(said)]
        entries = [said[0], *(each for gap, each in zip(gaps, said[1:], strict=True) if gap >= BETWEEN.start)]
        return len(entries) >= LISTED and max(gaps) < BETWEEN.stop and len({comparison_key(text) for _, text in entries}) > 1

    def entries(self, nodes: Sequence[int]) -> set[int]:
        """Return those of some nodes that are in entries of a list: three or more elements of one parent, tag and class, each with one of
        the nodes and a link. The entry with the main heading is the page's own."""
        tree, classes = self.tree, self._classes.codes
        lists: dict[tuple[int, int, int], dict[int, list[int]]] = {}
        for node in nodes:
            for child, parent in pairwise(islice(chain((node,), tree.ancestors(node)), MAX_ANCESTORS)):
                lists.setdefault((parent, int(tree.tag[child]), int(classes[child])), {}).setdefault(child, []).append(node)
        found: set[int] = set()
        for each in lists.values():
            linked = [child for child in each if len(each) >= LISTED and tree.link[child : tree.end[child]].any()]
            others = [child for child in linked if not child <= self.near < tree.end[child]]
            found.update(chain.from_iterable(each[child] for child in others) if len(linked) >= LISTED else ())
        return found

    def length_between(self, one: int, other: int) -> int:
        """Return the number of characters after one element and before another that follows it."""
        first, last = self.tree.texts_between(int(self.tree.end[one]), other)
        return sum(map(len, self.tree.texts[first:last]))

    def is_at_heading(self, node: int) -> bool:
        """Return whether no other heading separates an element from the main heading."""
        first, last = self.tree.headings.searchsorted((min(node, self.near) + 1, max(node, self.near))).tolist()
        return self.near > 0 and bool(first == last)

    @cached_property
    def sender(self) -> str:
        """Return the text before a link to a mail address in the line after the main heading, as in archives of mail: the sender."""
        first = int(self.tree.end[self.near]) if self.near else len(self.tree)
        nodes = self.tree.text_nodes
        k = int(nodes.searchsorted(first))
        while k < len(nodes) and not self.tree.texts[k].strip():
            k += 1
        if k == len(nodes):
            return ""
        within = nodes[k : k + MAX_PIECES][self.tree.line[k : k + MAX_PIECES] == self.tree.line[k]]
        for link in (self.tree.tag[first : within[-1]] == _A).nonzero()[0][:1].tolist():
            if (self.tree.attribute(first + link, "href") or "").lower().startswith("mailto:"):
                return self.before(first + link)
        return ""

    def name_in(self, node: int) -> str:
        """Return the first ``itemprop=name`` in an item of microdata; empty where there is none."""
        if self.tree.attribute(node, "itemprop") is None:
            return ""
        names = self._microdata.get("itemprop=name", [])
        at = bisect_left(names, node)
        if at == len(names) or names[at] >= self.tree.end[node]:
            return ""
        return self.tree.attribute(names[at], "content") or self.text(names[at])

    def links_in(self, node: int) -> list[str]:
        """Return the links in an element where they say all that it says, but for "by", "and" and punctuation, or where it has just one."""
        tree = self.tree
        links = ((tree.tag[node : tree.end[node]] == _A).nonzero()[0][:MAX_PIECES] + node).tolist()
        texts = [text for link in links if self._is_line(link) and (text := self.text(link))]
        if len(texts) == 1:
            return texts
        rest = self.text(node)
        for text in texts:
            rest = rest.replace(text, " ", 1)
        return [] if len(texts) > MAX_LINKS or _SAYS_MORE.search(rest) else texts

    def _is_line(self, node: int) -> bool:
        first, last = self.tree.texts_below(node)
        return first < last and bool(self.tree.line[first] == self.tree.line[last - 1])

    @cached_property
    def _around(self) -> tuple[list[ShownText], list[ShownText]]:
        """Short lines after the main heading, and before it; none on a page without one."""
        if not self.near:
            return [], []
        first, last = self.tree.texts_below(self.near)
        before = self._lines(max(first - 4 * LINES_BEFORE, 0), first)
        return list(islice(self._lines(last, last + 4 * LINES_AFTER), LINES_AFTER)), list(deque(before, LINES_BEFORE))

    @cached_property
    def lines_near(self) -> list[ShownText]:
        """Short lines after the main heading, then those before it, each the nearest first."""
        after, before = self._around
        return [*after, *reversed(before)]

    @property
    def lines_before(self) -> list[ShownText]:
        """The line that precedes each of :attr:`lines_near` on the page."""
        after, before = ([ShownText("", 0), *lines] for lines in self._around)
        return [*after[:-1], *reversed(before[:-1])]

    @property
    def pieces_below(self) -> Iterator[ShownText]:
        """The texts of the first lines below the main heading that hold a date or are beside one that does."""
        tree, lines = self.tree, self._around[0][: LINES_OF_BYLINE + 1]
        times = tree.subtree_mask(tree.tag == _TIME)
        columns = [np.flatnonzero(tree.line == tree.line[tree.text_nodes.searchsorted(line.node)]) for line in lines]
        dated = [holds_date(line.text) or bool(times[tree.text_nodes[k]].any()) for line, k in zip(lines, columns, strict=True)]
        for at, line in enumerate(lines[:LINES_OF_BYLINE]):
            if any(dated[max(at - 1, 0) : at + 2]) and self.is_at_heading(line.node) and not self.is_elsewhere(line.node):
                yield from (ShownText(" ".join(tree.texts[k].split()), int(tree.text_nodes[k])) for k in columns[at].tolist())

    @property
    def signing(self) -> Iterator[list[str]]:
        """Lines anywhere on the page, about it, that say who wrote it, each with the next line."""
        texts, line = self.tree.texts, self.tree.line
        may = (k for k in contains_any(list(texts), _SIGNED.hints, MAX_SHOWN) if _SIGNED.match(texts[k]))
        for k in islice(may, MAX_CANDIDATES):
            if (k == 0 or line[k - 1] < line[k]) and not self.is_elsewhere(int(self.tree.text_nodes[k])):
                yield [line.text for line in islice(self._lines(k, k + MAX_PIECES), 2)]

    def _spaced(self, nodes: Sequence[int], texts: Sequence[str]) -> Iterator[str]:
        """Yield the texts of a line, with a blank between words that are in two elements: a style sets them apart."""
        yield from texts[:1]
        for k in range(1, min(len(texts), MAX_SHOWN)):
            words = len(texts[k - 1]) > 1 and texts[k - 1][-1].isalpha() and texts[k][:1].isalpha()
            yield f" {texts[k]}" if words and self.tree.parent[nodes[k]] != self.tree.parent[nodes[k - 1]] else texts[k]

    def _lines(self, first: int, last: int) -> Iterator[ShownText]:
        """Yield the lines that some texts make, each with its first text node, those with too much text left out."""
        nodes, numbers, texts = self.tree.text_nodes[first:last], self.tree.line[first:last], self.tree.texts[first:last]
        if self._has_others:
            kept = ~self._of_others[nodes]
            nodes, numbers, texts = nodes[kept], numbers[kept], [text for text, keep in zip(texts, kept.tolist(), strict=True) if keep]
        numbers, nodes, begin = numbers.tolist(), nodes.tolist(), 0
        for end in range(1, len(numbers) + 1):
            if end < len(numbers) and numbers[end] == numbers[begin]:
                continue
            line = texts[begin] if end - begin == 1 else "".join(self._spaced(nodes[begin:end], texts[begin:end]))
            if len(line) <= MAX_SHOWN:
                yield ShownText(" ".join(line.split()), nodes[begin])
            begin = end


_DATE_PROPERTY = re.compile(r"date|until|valid|time$", re.I)
_OWN_DATE = re.compile(r"publi|creat|modif|updat|upload|posted|issued", re.I)


def is_other_date(name: str) -> bool:
    """Return whether a property is a date of something other than the page.

    >>> is_other_date("startDate"), is_other_date("priceValidUntil"), is_other_date("datePublished"), is_other_date("author")
    (True, True, False, False)
    """
    return _DATE_PROPERTY.search(name) is not None and _OWN_DATE.search(name) is None


@of_name
def _marks_of(name: str) -> tuple[str, ...]:
    name = name.lower()
    if "hentry" in name:  # an entry as a whole, with its author, tags, ... among its classes
        return ()
    return tuple(mark for mark, form in _MARK.items() if any(map(name.__contains__, form.hints)) and form.search(name))


@of_name
def _is_of_others(name: str) -> bool:
    return _OTHERS.search(name.lower()) is not None
