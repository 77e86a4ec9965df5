"""Candidates for each field, the most trusted first.

The orders were chosen by measuring on pages with known titles, authors and dates. What they have in common: a statement about an article
(JSON-LD, then ``meta`` tags) before one about a page, both before what readers see, and that before guesses from the address.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from tamis.document.metadata import authors, dates, titles
from tamis.document.metadata.json_ld import Thing, read_json_ld, resolve, types_of, words_of
from tamis.document.metadata.languages import language_of_script, language_tag
from tamis.document.metadata.meta_tags import MetaTags, read_meta_tags
from tamis.document.metadata.on_page import OnPage
from tamis.document.metadata.product import Product, read_product
from tamis.document.metadata.tidy import MAX_TEXT, absolute, folded, line
from tamis.page.tree import PageTree

Found = tuple[str, str]
"""A value and where it comes from."""

_ARTICLES = re.compile(
    r".*(?:article|posting|report|recipe|howto|blogpost|essay|chapter|thesis)|review|course|book|question|qapage|dataset|podcastepisode|episode"
)
_PAGES = re.compile(
    r".*page|product|productgroup|event|videoobject|softwareapplication|creativework|jobposting|webapplication|movie|tvepisode"
)

_DATE_TAGS = (
    "article:published_time og:article:published_time datepublished citation_publication_date citation_online_date citation_date "
    "parsely-pub-date sailthru.date cxenseparse:publishtime dcterms.issued dc.date.issued dcterms.created dc.date.created published "
    "pub_date publish-date publish_date publishdate pubdate publication_date publication-date article.published article_date_original "
    "published_time published-date date_published release_date og:published_time og:pubdate article:post_date originalpublicationdate "
    "bt:pubdate shareaholic:article_published_time dcterms.date dc.date date created creation_date"
).split()
_MODIFIED_TAGS = (
    "article:modified_time og:article:modified_time og:updated_time datemodified dcterms.modified dc.date.modified lastmod last- "
    "modified modified modified_time last_updated revised updated_time citation_lastmodified_date dateupdated date_modified"
).split()
_AUTHOR_TAGS = (
    "citation_author citation_authors parsely-author author article:author sailthru.author cxenseparse:author dcterms.creator "
    "dc.creator dc.creator.personalname byl og:author og:article:author article:author_name book:author creator "
    "shareaholic:article_author_name articleauthor authors authorname dc.contributor"
).split()
_INVERTED = frozenset("citation_author citation_authors dcterms.creator dc.creator dc.contributor".split())
"""Tags where names are written "Last, First"."""
_WRITTEN_BY = frozenset("writtenby author by verfasstvon écritpar escritopor scrittoda geschrevendoor 作者".split())
_URL_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])(?:(?<=[/_-]\d\d)[/_-]|(?<=\d{6}))(0[1-9]|[12]\d|3[01])(?!\d)")
_URL_MONTH = re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])/")


class Candidates:
    """The candidates of one page; each source is read when a field first asks for it."""

    def __init__(self, tree: PageTree, url: str | None) -> None:
        self.tree = tree
        self.url = url
        here = weakref.proxy(self)  # no circle: the page's tree goes with the last who holds it, not when rubbish is collected
        self.shown = OnPage(tree, lambda: int(here._main_heading()))

    @cached_property
    def modified(self) -> Found | None:
        """When the page was changed last."""
        return _first(self._modified(), self._as_date)

    @cached_property
    def canonical_url(self) -> Found | None:
        """The page's address as the page says it."""
        return _first(self._addresses(), self._as_address)

    @cached_property
    def description(self) -> Found | None:
        """What the page says it is about."""
        return _first(self._descriptions(), lambda value: line(value, MAX_TEXT))

    @cached_property
    def image(self) -> Found | None:
        """Address of the main image."""
        return _first(self._images(), self._as_address)

    # -- what the page declares ------------------------------------------------------------------------------------

    @cached_property
    def meta(self) -> MetaTags:
        """What ``meta`` tags and the like declare."""
        return read_meta_tags(self.tree)

    @cached_property
    def base(self) -> str | None:
        """What relative addresses resolve against."""
        if self.meta.base is not None and (base := absolute(self.meta.base, self.url)) is not None:
            return base
        return self.url

    def read_product(self) -> Product | None:
        """What the page sells."""
        return read_product(self._things, self.meta, self.shown, self._by_id)

    @cached_property
    def _things(self) -> list[Thing]:
        return read_json_ld(self.tree.json_ld)

    @cached_property
    def _by_id(self) -> dict[str, Thing]:
        return {thing["@id"]: thing for thing in reversed(self._things) if isinstance(thing.get("@id"), str) and len(thing) > 1}

    @cached_property
    def _works(self) -> tuple[list[Thing], list[Thing]]:
        """The things that are texts with authors, and those that are pages, products and the like."""
        articles: list[Thing] = []
        pages: list[Thing] = []
        for thing in self._things:
            types = types_of(thing)
            if any(map(_ARTICLES.fullmatch, types)) or (not types and "headline" in thing):
                articles.append(thing)
            elif any(map(_PAGES.fullmatch, types)):
                pages.append(thing)
        return self._about_this_page(articles), pages

    def _about_this_page(self, articles: list[Thing]) -> list[Thing]:
        """Of several articles the one that has this page's address or title; a list of others' articles is about none of them."""
        if len(articles) < 2:
            return articles
        titles = {folded(text) for text in (self.shown.title, *(heading.text for heading in self.shown.headings))}
        here = {_path(address) for address in (self.url, *self.meta.links.get("canonical", ())[:1])} - {""}
        own = [
            thing
            for thing in articles
            if any(
                _path(address) in here
                for name in ("url", "@id", "mainEntityOfPage")
                for address in words_of(thing.get(name), ("@id", "url"))
            )
            or any(
                title and any(title in whole for whole in titles)
                for title in map(folded, words_of(thing.get("headline") or thing.get("name")))
            )
        ]
        different = {tuple(words_of(thing.get("headline") or thing.get("name"))) for thing in articles}
        return own or (articles if len(different) < 3 else [])

    def _said(self, things: Iterable[Thing], *names: str) -> Iterator[Found]:
        """The strings of properties of things, the first property of all things first."""
        things = list(things)
        for name in names:
            for thing in things:
                for value in words_of(thing.get(name)):
                    yield value, f"json-ld:{name}"

    # -- title ----------------------------------------------------------------------------------------------------------

    @cached_property
    def title(self) -> Found | None:
        """The title, the name of the site cut off."""
        headings = [heading.text for heading in self.shown.headings]
        sites = self._site_names | titles.site_headings(headings, self.shown.title)
        found = _first(self._titles(headings, sites), titles.title_line)
        return (titles.without_site(found[0], sites, headings), found[1]) if found else None

    def _titles(self, headings: list[str], sites: set[str]) -> Iterator[Found]:
        articles, pages = self._works
        declared = [*self._said(articles, "headline"), *self.meta.named("og:title", "twitter:title"), (self.shown.title, "page:title")]
        agreeing = titles.agreeing_heading(headings, [value for value, _ in declared[:5]], sites)
        if agreeing is not None:
            yield agreeing, "page:h1"
        yield from declared
        yield from self.meta.named("citation_title", "dcterms.title", "dc.title", "title", "headline")
        yield from ((heading, "page:h1") for heading in headings)
        yield from self._said((*articles, *pages), "name")

    # -- site -----------------------------------------------------------------------------------------------------------

    @cached_property
    def site_name(self) -> Found | None:
        """The name of the site."""
        return _first(self._site_name_candidates(), lambda value: line(value, 150))

    def _site_name_candidates(self) -> Iterator[Found]:
        yield from self.meta.named("og:site_name")
        yield from self._said((thing for thing in self._things if "website" in types_of(thing)), "name", "alternateName")
        articles, pages = self._works
        for thing in (*articles, *pages):
            for value in words_of(resolve(thing.get("publisher"), self._by_id)):
                yield value, "json-ld:publisher"
        yield from self.meta.named("application-name", "apple-mobile-web-app-title", "citation_journal_title", "dc.publisher")

    @cached_property
    def _site_names(self) -> set[str]:
        """What the site may be called in a title, folded."""
        names = titles.names_of_host(self.url or next(iter(self.meta.links.get("canonical", ())), None))
        names.update(folded(value) for value, _ in islice(self._site_name_candidates(), 10))
        names.discard("")
        return names

    # -- author ---------------------------------------------------------------------------------------------------------

    @cached_property
    def author(self) -> Found | None:
        """The first author who is not the site itself; else the site, where that is declared or shown as the author."""
        last_resort = None
        for name, source in self._authors():
            if folded(name) not in self._site_names:
                return name, source
            last_resort = last_resort or (name, source)
        return last_resort

    def _authors(self) -> Iterator[Found]:
        articles, pages = self._works
        for things in (articles, pages):
            for name in ("author", "creator"):
                for thing in things:
                    if (joined := authors.joined(words_of(resolve(thing.get(name), self._by_id)))) is not None:
                        yield joined, f"json-ld:{name}"
        for name in filter(self.meta.values.__contains__, _AUTHOR_TAGS):
            values = self.meta.values[name]
            if (joined := authors.joined(map(authors.first_name_first, values) if name in _INVERTED else values)) is not None:
                yield joined, f"meta:{name}"
        yield from self._authors_on_cards()
        yield from self._bylines()

    def _authors_on_cards(self) -> Iterator[Found]:
        """``twitter:label1`` says what ``twitter:data1`` is: "Written by"."""
        for number in "12":
            label = next(iter(self.meta.values.get(f"twitter:label{number}", ())), "")
            if folded(label) in _WRITTEN_BY and (name := authors.joined(self.meta.values.get(f"twitter:data{number}", ()))) is not None:
                yield name, f"meta:twitter:data{number}"

    def _bylines(self) -> Iterator[Found]:
        for mark in ("itemprop=author", "rel=author", "author-name", "author"):
            for node in self.shown.marked(mark):
                for texts in (self.shown.links_in(node), *([text] for text in self.shown.says(node))):
                    if (names := authors.joined(texts, on_page=True)) is not None:
                        yield names, f"page:{mark}"
                        break
        for text in self.shown.lines_near:
            if (name := authors.labelled(text)) is not None:
                yield name, "page:line"

    def _main_heading(self) -> int:
        """The heading that says the title, else the first ``h1``, else a lower heading that the title begins with; node 0 for none."""
        title = folded(self.title[0]) if self.title else ""
        headings = self.shown.headings
        for heading in headings:
            if folded(heading.text) == title:
                return heading.node
        if headings:
            return headings[0].node
        return next((heading.node for heading in self.shown.lower_headings if title.startswith(folded(heading.text) or "?")), 0)

    # -- dates -----------------------------------------------------------------------------------------------------------

    def _as_date(self, value: str) -> str | None:
        return dates.read_date(value, self._language_tag)

    @cached_property
    def date(self) -> Found | None:
        """When the page was published; a declared date of change never stands in for it."""
        return _first(self._dates(), self._as_date)

    def _dates(self) -> Iterator[Found]:
        articles, pages = self._works
        yield from self._said(articles, "datePublished")
        yield from self.meta.named(*_DATE_TAGS)
        yield from self._said(articles, "dateCreated", "uploadDate")
        shown = self.shown
        for mark in ("itemprop=datepublished", "itemprop=datecreated"):
            yield from ((value, f"page:{mark}") for node in shown.marked(mark) for value in shown.says(node))
        yield from self._dates_in_address(_URL_DATE)
        yield from self._said(pages, "datePublished")
        yield from self._shown_dates()
        yield from self._said(pages, "dateCreated", "uploadDate")
        yield from self._dates_in_address(_URL_MONTH)

    def _shown_dates(self) -> Iterator[Found]:
        """Dates that readers see: near the heading, then in elements made for dates; those of changes last."""
        language = self._language_tag
        dated = self._dated_lines
        yield from ((date, "page:line") for date, text in dated if dates.says_published(text))
        yield from ((date, "page:line") for date, text in dated if not dates.says_modified(text))
        for mark, nodes in (
            ("time", self.shown.times()),
            ("published", self.shown.marked("published")),
            ("date", self.shown.marked("date")),
        ):
            yield from ((date, f"page:{mark}") for node in nodes for date in islice(self._dates_of(node, language), 1))
        yield from ((date, "page:line:updated") for date, _ in dated)  # all that readers are shown

    def _dates_of(self, node: int, language: str | None) -> Iterator[str]:
        declared = self.tree.attributes[node].get("datetime") or self.tree.attributes[node].get("content")
        if declared and (date := self._as_date(declared)) is not None:
            yield date
        yield from dates.dates_in(self.shown.text(node), language)

    def _dates_in_address(self, form: re.Pattern[str]) -> Iterator[Found]:
        for match in form.finditer((self.url or "")[:2_000]):
            yield "-".join(match.groups()), "url"

    def _modified(self) -> Iterator[Found]:
        articles, pages = self._works
        yield from self._said(articles, "dateModified")
        yield from self.meta.named(*_MODIFIED_TAGS)
        yield from self._said(pages, "dateModified")
        shown = self.shown
        for node in shown.marked("itemprop=datemodified"):
            yield from ((value, "page:itemprop=datemodified") for value in shown.says(node))
        yield from ((date, "page:line") for date, text in self._dated_lines if dates.says_modified(text))

    @cached_property
    def _language_tag(self) -> str | None:
        return self.language[0] if self.language else None

    @cached_property
    def _dated_lines(self) -> list[tuple[str, str]]:
        """The first date of each line near the heading that has one, with the line."""
        lines = filter(dates.may_hold_date, self.shown.lines_near)
        return [(date, text) for text in lines for date in islice(dates.dates_in(text, self._language_tag), 1)]

    # -- the rest --------------------------------------------------------------------------------------------------------

    @cached_property
    def language(self) -> Found | None:
        """The declared language, else that of an unambiguous script."""
        found = _first(self._languages(), language_tag)
        if found is None and (language := language_of_script(self.tree.texts)) is not None:
            found = language, "page:script"
        return found

    def _languages(self) -> Iterator[Found]:
        if self.meta.lang:
            yield self.meta.lang, "html:lang"
        articles, pages = self._works
        yield from self._said((*articles, *pages), "inLanguage")
        yield from self.meta.named(
            "og:locale", "content-language", "dc.language", "dcterms.language", "language", "inlanguage", "citation_language"
        )

    def _addresses(self) -> Iterator[Found]:
        yield from ((value, "link:canonical") for value in self.meta.links.get("canonical", ()))
        yield from self.meta.named("og:url", "twitter:url", "parsely-link")

    def _descriptions(self) -> Iterator[Found]:
        articles, pages = self._works
        yield from self.meta.named("og:description", "description", "twitter:description", "dcterms.description", "dc.description")
        yield from self._said((*articles, *pages), "description")

    def _images(self) -> Iterator[Found]:
        articles, pages = self._works
        yield from self.meta.named(
            "og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src", "parsely-image-url"
        )
        for thing in (*articles, *pages):
            for name in ("image", "thumbnailUrl"):
                for value in words_of(resolve(thing.get(name), self._by_id), ("url", "contentUrl", "@id")):
                    yield value, f"json-ld:{name}"
        yield from ((value, "link:image_src") for value in self.meta.links.get("image_src", ()))

    def _as_address(self, value: str) -> str | None:
        return absolute(value, self.base)


def _first(candidates: Iterable[Found], usable: Callable[[str], str | None]) -> Found | None:
    for value, source in candidates:
        if (made := usable(value)) is not None and made:
            return made, source
    return None


def _path(address: Any) -> str:
    """An address without scheme, query, fragment and slash at the end."""
    text = str(address or "")[:2_000].partition("#")[0].partition("?")[0]
    return text.rpartition("://")[2].removeprefix("www.").rstrip("/").lower()
