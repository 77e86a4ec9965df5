"""Candidates for each field, the most trusted first, in an order that was measured (``benchmarks.metadata``).

Statements about an article (JSON-LD, then ``meta``) come before those about a page, then visible text, then guesses from the address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from itertools import chain, groupby, islice, repeat, takewhile
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from tamis.document.forum import is_forum
from tamis.document.metadata import dates, titles
from tamis.document.metadata.bylines import author_of
from tamis.document.metadata.clean_text import MAX_TEXT, absolute, comparison_key, host, line
from tamis.document.metadata.declared import read_declared
from tamis.document.metadata.json_ld import Thing, read_json_ld, resolve, types_of, words_of
from tamis.document.metadata.languages import language_tag
from tamis.document.metadata.on_page import (
    LABEL_OF_TITLE,
    LOWER,
    LOWEST,
    MAIN,
    MAX_LISTED,
    MAX_TITLE,
    ShownText,
    VisibleMetadata,
    find_title_element,
    headings,
    parts_of,
)
from tamis.page import tags
from tamis.page.hyperlinks import base_of
from tamis.page.lexicon import entries
from tamis.page.tree import PageTree, contains_any

if TYPE_CHECKING:
    from tamis.document.comment import Comment

Found = tuple[str, str]  #: A value and where it comes from.

_ARTICLES = re.compile(
    r".*(?:article|posting|report|recipe|howto|blogpost|essay|chapter|thesis)|review|course|book|question|qapage|dataset|podcastepisode|episode"
)
_PAGES = re.compile(
    r".*page|product|productgroup|event|videoobject|softwareapplication|creativework|jobposting|webapplication|movie|tvepisode"
)


ORDER = {
    field: tuple(name[1:] if name[0] == "@" else f"meta:{name}" for name in entries(f"source {field}"))
    for field in "date modified site_name language canonical_url description image categories tags license".split()
}
"""Sources of each field's candidates, the most trusted first. Those of titles need more than a table; those of authors are in
:mod:`~tamis.document.metadata.bylines`."""
_SOURCES = {field: [(source, *source.split(":", 1)) for source in sources] for field, sources in ORDER.items()}
"""The same, with kind and name of each source."""
_TAGS = {field: frozenset(sources) for field, sources in ORDER.items()}
_UNDECLARED = {field: [each for each in sources if each[1] != "meta"] for field, sources in _SOURCES.items()}
"""The sources that remain if a page declares none of them."""
_IN_ADDRESS = {
    "day": re.compile(
        r"(?<!\d)((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])(?:(?<=[/_-]\d\d)[/_-]|(?<=\d{6}))(0[1-9]|[12]\d|3[01])(?!\d)"
        r"|/((?:19|20)\d\d)/(?:[A-Za-z_]{1,30}/)?(1[0-2]|0?[1-9])/(0?[1-9]|[12]\d|3[01])/"
    ),
    "month": re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])/"),
}

_OF_THINGS = frozenset("article page work website".split())  #: Kinds of things in JSON-LD.
_TITLE = tags.CODE["title"]
_LIST = re.compile(r"[,;，、؛،]")  #: Separators of tags in one text.
_DATES = ("time", "published", "date")  #: Marks of what tells dates.


class DatedLine(NamedTuple):
    """A date in a line at the heading."""

    date: str
    event: dates.Event
    told: bool
    node: int


MAX_LABELS, MAX_LABEL = 50, 100  #: Categories or tags of a page, and characters of one.
MAX_LINKS = 40  #: First addresses of a page, among which is the link to the first page of the site.
MAX_NAMES = 10  #: Declared names of the site that are looked at.
MAX_SITE_NAME = 150  #: Characters of the name of a site.


class Candidates:
    """The candidates of one page; each source is read when a field first asks for it."""

    def __init__(self, tree: PageTree, url: str | None) -> None:
        self.tree = tree
        self.url = url
        self._found: dict[str, Found | None] = {}
        self._said_by: dict[str, ShownText | None] = {}

    def find(self, field: str) -> Found | None:
        """Return the first usable candidate of a field."""
        if field not in self._found:
            read = _SPECIAL.get(field)
            self._found[field] = read(self) if read else _first(self._said(field), partial(_USABLE[field], self))
        return self._found[field]

    # -- what the page declares ------------------------------------------------------------------------------------

    @cached_property
    def declared(self) -> dict[str, list[str]]:
        """Declarations in ``meta`` tags and the like."""
        return read_declared(self.tree)

    @property
    def address(self) -> str | None:
        """The first of :attr:`addresses`."""
        return next(iter(self.addresses), None)

    @cached_property
    def addresses(self) -> list[str]:
        """The page's address: the given one, then those that it declares."""
        declared = (self.declared.get(source, ())[:1] for source in ("link:canonical", "meta:og:url"))
        return [address[:2_000] for address in chain((self.url or "",), *declared) if address]

    @property
    def _is_home(self) -> bool:
        """The page is known to be the first one of its site."""
        return self.address is not None and titles.is_home(self.address)

    @cached_property
    def base(self) -> str | None:
        """Base of relative addresses."""
        return base_of(self.tree, self.url)

    @cached_property
    def things(self) -> list[Thing]:
        """Things that the page's JSON-LD describes."""
        return read_json_ld(self.tree.json_ld)

    @cached_property
    def by_id(self) -> dict[str, Thing]:
        """The things that others refer to."""
        return {thing["@id"]: thing for thing in reversed(self.things) if isinstance(thing.get("@id"), str) and len(thing) > 1}

    @cached_property
    def works(self) -> dict[str, list[Thing]]:
        """Things by kind: texts with authors (``article``); pages, products and the like (``page``); both (``work``); ``website``."""
        articles: list[Thing] = []
        pages: list[Thing] = []
        for thing in self.things:
            types = types_of(thing)
            if any(map(_ARTICLES.fullmatch, types)) or (not types and "headline" in thing):
                articles.append(thing)
            elif any(map(_PAGES.fullmatch, types)):
                pages.append(thing)
        sites = [thing for thing in self.things if "website" in types_of(thing)]
        return {"article": articles, "page": pages, "work": [*articles, *pages], "website": sites}

    def _said(self, field: str) -> Iterator[Found]:
        """Yield all candidates of a field, as :data:`ORDER` has them."""
        declared = self.declared
        for source, kind, name in _SOURCES[field] if not _TAGS[field].isdisjoint(declared) else _UNDECLARED[field]:
            if source in declared:
                yield from zip(declared[source], repeat(source))
            elif kind == "meta":
                continue
            elif kind in _OF_THINGS:
                yield from self._stated(kind, name)
            elif kind == "rel":
                yield from ((value, f"page:rel={name}") for value in self._related(name))
            elif kind == "item":
                for node in self.shown.marked(f"itemprop={name}"):
                    yield from ((value, f"page:itemprop={name}") for value in self.shown.says(node))
            elif kind == "address":
                for said in self._in_address(name):
                    shown = [found for found in self._timed if found[0].startswith(said)]
                    yield max([*shown, (said, "url")], key=lambda found: len(found[0]))
            elif kind == "shown":
                yield from self._shown_dates()
            elif kind == "changed":
                published = self.find("date") or ("",)
                changed = (each.date for each in self._dated_lines if each.event == "modified")
                yield from ((date, "page:line") for date in changed if date[:10] >= published[0][:10])

    def _stated(self, kind: str, *names: str) -> Iterator[Found]:
        """Yield the strings of properties of things, the first property of all things first."""
        things = self.works[kind]
        for name in names if things else ():
            keys = ("url", "contentUrl", "@id") if name in ("image", "thumbnailUrl", "license") else ("@value", "name")
            for thing in things:
                yield from ((value, f"json-ld:{name}") for value in words_of(resolve(thing.get(name), self.by_id), keys))

    def _meta(self, *names: str) -> Iterator[Found]:
        """Yield the values of ``meta`` tags."""
        return ((value, f"meta:{name}") for name in names for value in self.declared.get(f"meta:{name}", ()))

    # -- titles and sites ------------------------------------------------------------------------------------------

    @cached_property
    def title_text(self) -> str:
        """The text of the ``title`` element."""
        return self.tree.title[:MAX_TITLE]

    @cached_property
    def headings(self) -> list[ShownText]:
        """The ``h1`` that have text, without words before or after a declared title."""
        found = [ShownText(LABEL_OF_TITLE.sub("", heading.text), heading.node) for heading in headings(self.tree, MAIN)]
        if not any(len(range(*self.tree.texts_below(heading.node))) > 1 for heading in found):
            return found
        declared = [*(value for value, _ in self._declared_titles[:5]), *self.declared.get("meta:citation_title", ())[:1]]
        known = {comparison_key(part) for value in declared for part in titles.beginnings(value)} - {""}
        for k, heading in enumerate(found):
            if comparison_key(heading.text) not in known:
                parts = (part for part in parts_of(self.tree, heading.node) if comparison_key(part) in known and part in heading.text)
                part = next(parts, None)
                found[k] = ShownText(part, heading.node) if part else heading
        return found

    @cached_property
    def _declared_titles(self) -> list[Found]:
        others = [*self._stated("article", "headline"), *self._meta("og:title", "twitter:title")]
        declared = [*(each for each in others if titles.site_of_home(each[0], self._parts) is None), (self.title_text, "page:title")]
        return [each for each in declared if not titles.is_placeholder(each[0])]

    @cached_property
    def _parts(self) -> set[str]:
        """The parts of the ``title`` element, folded; none on the first page of a site."""
        return set() if self._is_home else set(map(comparison_key, titles.parts(self.title_text)))

    @property
    def _names_in_titles_of_home(self) -> set[str]:
        """Names of the site in declared titles that are those of its first page, folded."""
        return {site for value, _ in self._meta("og:title", "twitter:title") if (site := titles.site_of_home(value, self._parts))}

    @property
    def _names_in_links_home(self) -> set[str]:
        """Parts of the ``title`` element that are the text of a link to the first page of the site, as comparison keys."""
        if len(self._parts) < 2:
            return set()
        own = set(map(host, self.addresses))
        links = (self.tree.values("href").codes >= 0).nonzero()[0][:MAX_LINKS].tolist()
        addresses = ((link, self.tree.attribute(link, "href") or "") for link in links)
        home = (link for link, href in addresses if href == "/" or (href[:4] == "http" and host(href) in own and titles.is_home(href)))
        return {comparison_key(text) for text in map(self.tree.text, home) if not titles.is_word_for_home(text)} & self._parts

    def _title(self) -> Found | None:
        """Return the title, the name of the site cut off."""
        shown = [heading.text for heading in self.headings]
        fronts = () if self._is_home else self.site_names
        lower = [heading.text for heading in headings(self.tree, LOWER)]
        others = [*lower, *titles.parts(self.title_text)] if self._is_home else lower
        others += [value for value, source in self._declared_titles[:5] if source != "page:title" and value not in shown]
        sites = self.site_names | titles.site_headings(shown, self.title_text, fronts, others)
        sites |= self._names_in_titles_of_home | self._names_in_links_home
        found = _first(self._titles(shown, sites), line)
        if found is None:
            return None
        title = titles.without_site(found[0], sites)
        if found[1] != "page:h1":
            said = self._saying(title)
            title = said.text if said and comparison_key(said.text) not in sites else title
        return titles.strip_thread_prefix(title) if is_forum(self.tree, self.url) else title, found[1]

    def _saying(self, title: str) -> ShownText | None:
        """:func:`~tamis.document.metadata.on_page.find_title_element`, once for each title."""
        if title not in self._said_by:
            said = self._said_by[title] = find_title_element(self.tree, title)
            self._said_by |= {said.text: said} if said else {}
        return self._said_by[title]

    def _titles(self, shown: list[str], sites: set[str]) -> Iterator[Found]:
        declared = self._declared_titles
        values = [value for value, _ in declared[:5]]
        agreeing = titles.agreeing_heading(shown, values, sites)
        if agreeing is None and not titles.is_home(self.address) and titles.name_site_only(values, titles.names_of_host(self.address)):
            agreeing = next((heading for heading in shown if comparison_key(heading) not in sites), None)
        if agreeing is not None:
            yield agreeing, "page:h1"
        yield from declared
        yield from self._meta("citation_title", "dcterms.title", "dc.title", "title", "headline")
        yield from ((heading, "page:h1") for heading in shown)
        yield from self._stated("work", "name")
        lower = (heading.text for heading in headings(self.tree, LOWER))
        yield from ((text, "page:heading") for text in lower if not text.endswith((":", "：")))

    def _site(self) -> Found | None:
        """Return the declared name of the site, unless that is an address; else the end of the title element, after the title."""
        stated = _first(self._said("site_name"), partial(line, limit=MAX_SITE_NAME))
        if (stated and not titles.is_address(stated[0])) or (title := self.find("title")) is None:
            return stated
        if self._is_home and title[1] != "page:h1":
            return stated
        name = titles.site_in(self.title_text, title[0])
        return (name, "page:title") if name and len(name) <= MAX_SITE_NAME else stated

    @cached_property
    def site_names(self) -> set[str]:
        """Names of the site in titles, folded."""
        names = titles.names_of_host(self.address)
        names.update(comparison_key(value) for value, _ in islice(self._said("site_name"), MAX_NAMES))
        names.discard("")
        return names

    def _related(self, name: str) -> Iterator[str]:
        """Yield the texts of links with a relation to the page; of licences, their addresses."""
        links = self.shown.links_with(name)
        if name != "license":
            return map(self.shown.text, links)
        return filter(None, (self.tree.attribute(link, "href") for link in links))

    def _labels(self, field: str) -> Found | None:
        """Return the values of the first source of categories or tags, each once, joined by "; "."""
        others = {""} | (self.site_names if field == "tags" else set())
        for source, found in groupby(self._said(field), itemgetter(1)):
            values: dict[str, str] = {}
            for value, _ in islice(found, MAX_LABELS):
                for each in _LIST.split(value[:MAX_TEXT]) if field == "tags" else [value]:
                    if (label := line(each, MAX_LABEL)) and (name := comparison_key(label)) not in others:
                        values.setdefault(name, label.replace(";", ","))
            if values:
                return "; ".join(islice(values.values(), MAX_LABELS)), source
        return None

    def _described(self, value: str) -> str | None:
        """Return a description as one text; None if it says no more than the title or the name of the site."""
        title, text = self.find("title"), line(value, MAX_TEXT)
        names = {self.title_text, *(title[:1] if title else ())}
        known = self.site_names.union(map(comparison_key, names))
        is_known = text and len(text) <= 2 * max(map(len, names)) + MAX_SITE_NAME and comparison_key(text) in known
        return None if is_known else text

    # -- what the page shows ---------------------------------------------------------------------------------------

    @property
    def posts(self) -> tuple[Comment, ...]:
        """The posts of a forum thread, in order; empty on other pages."""
        return () if self._is_index else self._posts

    @property
    def has_posts(self) -> bool:
        """The page has posts, or rows of an index that look like them."""
        return bool(self._posts)

    @cached_property
    def _posts(self) -> tuple[Comment, ...]:
        from tamis.document.comments import read_posts

        return read_posts(self.tree, self.url)

    @cached_property
    def _is_index(self) -> bool:
        from tamis.document.thread import are_rows

        return are_rows(self.tree, self._posts)

    @cached_property
    def shown(self) -> VisibleMetadata:
        """Metadata that the page shows around its main heading. Replies, and the rows of an index, say nothing about the page."""
        from tamis.document.thread import LEAST_POSTS

        near, others = self._main_heading(), self._posts[1:]
        if self._is_index:
            others = self._posts if len(self._posts) >= LEAST_POSTS else ()
        return VisibleMetadata(self.tree, near, [span for span in (post.span(self.tree) for post in others) if near not in range(*span)])

    def _main_heading(self) -> int:
        """Return the heading that says the title, else another element that does, else the first ``h1``, else a lower heading that the
        title begins with; node 0 for none."""
        found = self.find("title")
        title = comparison_key(found[0]) if found else ""
        for heading in chain(self.headings, headings(self.tree, LOWER), headings(self.tree, LOWEST)):
            if comparison_key(heading.text) == title:
                return heading.node
        if found and (said := self._saying(found[0])):
            return said.node
        if self.headings:
            return self.headings[0].node
        return next((lower.node for lower in headings(self.tree, LOWER) if title.startswith(comparison_key(lower.text) or "?")), 0)

    def _shown_dates(self) -> Iterator[Found]:
        """Dates that readers see: in lines at the heading with a label, then without one; in elements made for dates; those of changes
        last. None that a sentence tells of, and none of something else."""
        marked = {mark: list(islice(self._marked_dates(mark), MAX_LISTED)) for mark in _DATES}
        near, here = self.shown.near, self.shown.is_at_heading
        dated = [*self._dated_lines, *chain.from_iterable(marked.values())]
        entries = set() if self.has_posts else self.shown.entries(list({each.node for each in dated}))
        lines = [each for each in self._dated_lines if each.node not in entries]
        plain = list(takewhile(lambda each: each.event != "modified", lines))
        marks = [(each, f"page:{mark}") for mark in _DATES for each in marked[mark] if each.node not in entries]
        own = [(each, source) for each, source in marks if each.event != "modified"]
        yield from ((each.date, "page:line") for each in lines if each.event == "published")
        yield from ((each.date, "page:line") for each in plain if not each.event and each.node > near)
        yield from ((each.date, source) for each, source in own if each.node > near and here(each.node))
        yield from ((each.date, "page:line") for each in plain if not each.event)
        yield from ((each.date, source) for each, source in [*own, *marks])
        yield from ((post.date, "page:post") for post in self.posts[:1] if post.date)
        yield from ((date, "page:heading") for date in self._dates_in_heading())
        yield from ((each.date, "page:line:updated") for each in lines if each.event == "modified" and not each.told)

    @cached_property
    def _timed(self) -> list[Found]:
        """Dates near the heading that may have the time of the day that the address has."""
        lines = ((each.date, "page:line") for each in self._dated_lines)
        return [*lines, *((each.date, "page:time") for each in islice(self._marked_dates("time"), MAX_LISTED))]

    def _marked_dates(self, mark: str) -> Iterator[DatedLine]:
        return (dated for node in self.shown.marked(mark) for dated in islice(self._dates_of(node, self.language_tag), 1))

    def _dates_of(self, node: int, language: str | None) -> Iterator[DatedLine]:
        given = self.tree.attributes[node]
        declared = given.get("datetime") or given.get("content")
        if declared and (date := dates.read_date(declared, language)) is not None:
            yield DatedLine(date, "", False, node)
        for each in sorted(dates.labelled_dates(self.shown.text(node), language), key=lambda each: each.event == "modified"):
            if each.event not in dates.OF_OTHERS and not each.told:
                yield DatedLine(*each, node)

    def _dates_in_heading(self) -> Iterator[str]:
        """Dates in elements of their own in the main heading."""
        if near := self.shown.near:
            first, last = self.tree.texts_below(near)
            for text in self.tree.texts[first:last] if last - first in range(2, MAX_LISTED) else ():
                yield from (each.date for each in dates.labelled_dates(text, self.language_tag) if not each.told)

    def _in_address(self, form: str) -> Iterator[str]:
        found = (match.groups() for address in self.addresses for match in _IN_ADDRESS[form].finditer(address))
        return ("-".join(number.zfill(2) for number in numbers if number) for numbers in found)

    @property
    def language_tag(self) -> str | None:
        """The language of the page, BCP 47."""
        found = self.find("language")
        return found[0] if found else None

    @cached_property
    def _dated_lines(self) -> list[DatedLine]:
        """The dates in lines near the heading, none that a sentence tells of and none of something else."""
        lines, before = self.shown.lines_near, self.shown.lines_before
        found = []
        for k in contains_any([each.text for each in lines], dates.OF_YEARS):
            text, node = lines[k]
            for each in dates.labelled_dates(text, self.language_tag, before[k].text):
                wanted = each.event not in dates.OF_OTHERS and (each.event == "modified" or not each.told)
                own = each.event == "modified" or self.shown.is_at_heading(node) or not self.shown.is_elsewhere(node)
                if wanted and own and self.tree.tag[self.tree.parent[node]] != _TITLE:
                    found.append(DatedLine(*each, node))
        return found


_SPECIAL: dict[str, Callable[[Candidates], Found | None]] = {
    "title": Candidates._title,
    "author": author_of,
    "site_name": Candidates._site,
    "categories": lambda page: page._labels("categories"),
    "tags": lambda page: page._labels("tags"),
}
"""Fields that take more than the first usable candidate."""
_USABLE: dict[str, Callable[[Candidates, str], str | None]] = {
    **dict.fromkeys(("date", "modified"), lambda page, value: dates.read_date(value, page.language_tag)),
    **dict.fromkeys(("canonical_url", "image"), lambda page, value: absolute(value, page.base)),
    "language": lambda page, value: language_tag(value),
    "license": lambda page, value: absolute(value, page.base) if "/" in value or value[:1] == "#" else line(value, MAX_LABEL),
    "description": lambda page, value: page._described(value),
}
"""Converters of the candidates of each field; None for unusable ones."""


def _first(candidates: Iterable[Found], usable: Callable[[str], str | None]) -> Found | None:
    return next(((made, source) for value, source in candidates if (made := usable(value))), None)
