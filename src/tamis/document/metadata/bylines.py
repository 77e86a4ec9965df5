"""Find who wrote a page: declared authors, then bylines, then signatures of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from tamis.document.metadata import authors
from tamis.document.metadata.clean_text import comparison_key
from tamis.document.metadata.json_ld import resolve, words_of
from tamis.document.metadata.on_page import LISTED, MAX_LISTED
from tamis.page.lexicon import either, entries
from tamis.page.references import unescaped

if TYPE_CHECKING:
    from tamis.document.metadata.candidates import Candidates, Found

DECLARED = [f"meta:{name}" for name in entries("source author")]
"""Sources of declared names, the most trusted first."""
_INVERTED = frozenset(f"meta:{name}" for name in entries("source inverted"))
"""Tags where names are written "Last, First"."""
_OF_FORUM = re.compile(either("not of posts"), re.I)
"""Labels of moderators of a forum, and of its newest member."""
_MARKS = ("itemprop=author", "rel=author", "author-name", "author")  #: Marks of what names authors.
_BY_CLASS = ("page:author", "page:author-name")  #: Sources that may be about authors in another way.
_PROFILE = re.compile(rf"/{either('profile')}/([^?#]+)", re.I)
MAX_LABEL = 40  #: Characters before a name in its line; above a thread, more are a sentence about it: "last changed ... by".


def author_of(page: Candidates) -> Found | None:
    """Return the first authors who are persons and not the site itself; else an organisation; else the site, if declared or shown."""
    organisation: Found | None = None
    last_resort, site = None, page.find("site_name")
    sites = page.site_names | {comparison_key(site[0])} if site else page.site_names
    for joined, source in _authors(page):
        declared = not source.startswith("page:")
        placed = (authors.without_place(name, sites) for name in joined.split("; "))
        names = dict.fromkeys(name for several in placed for name in authors.persons(several, declared=declared))
        persons = [name for name in names if not authors.is_site(name, sites)]
        if organisation and not (persons and source not in _BY_CLASS and all(map(authors.may_be_person, persons))):
            continue
        if persons and not all(map(authors.is_organisation, persons)):
            return "; ".join(persons), source
        if persons:
            organisation = "; ".join(persons), source
        last_resort = last_resort or (joined, source)
    return organisation or last_resort


def _authors(page: Candidates) -> Iterator[Found]:
    yield from _declared_authors(page)
    title, heading = page.find("title"), page.shown.near
    here = range(heading, int(page.tree.end[heading]) if heading else 0)
    for name, source, node in _bylines(page):
        if node not in here and (title is None or comparison_key(name) != comparison_key(title[0])):
            yield name, source
    if page.posts and (poster := authors.name_of(page.posts[0].author or "", on_page=True)) is not None:
        yield poster, "page:post"


def _declared_authors(page: Candidates) -> Iterator[Found]:
    for kind in ("article", "page"):
        for name in ("author", "creator"):
            for thing in page.works[kind]:
                if (joined := authors.joined(words_of(resolve(thing.get(name), page.by_id)))) is not None:
                    yield joined, f"json-ld:{name}"
    for source in filter(page.declared.__contains__, DECLARED):
        values: Iterable[str] = page.declared[source]
        if source in _INVERTED:
            values = (authors.first_name_first(name) for value in values for name in unescaped(value).split(";"))
        if (joined := authors.joined(values)) is not None:
            yield joined, source
    for number in "12":  # twitter:label1 says what twitter:data1 is: "Written by"
        label, source = next(iter(page.declared.get(f"meta:twitter:label{number}", ())), ""), f"meta:twitter:data{number}"
        if authors.announces_name(label) and (joined := authors.joined(page.declared.get(source, ()))) is not None:
            yield joined, source


def _bylines(page: Candidates) -> Iterator[tuple[str, str, int]]:
    """Authors that the page shows, each with its source and element; none of a list of works."""
    shown = page.shown
    for mark in _MARKS:
        marked = list(islice(_marked_names(page, mark), MAX_LISTED))
        if _are_listed(page, marked):
            return
        yield from ((name, f"page:{mark}", node) for node, name in marked)
    near = shown.lines_near
    named = list(authors.in_lines([line.text for line in near], [line.text for line in shown.lines_before]))
    if len({comparison_key(name) for _, name in named}) >= LISTED and named[0][0] > 0:
        return
    yield from ((name, "page:line", -1) for _, name in named)
    linked = [
        (node, name)
        for node, said in shown.links_to_authors()
        if (name := authors.name_of(shown.text(node), on_page=True)) is not None and authors.is_said(name, said)
    ]
    if _are_listed(page, linked):
        return
    yield from ((name, "page:author-link", node) for node, name in linked)
    if (sender := authors.name_of(shown.sender, on_page=True)) is not None:
        yield sender, "page:mailto", -1
    yield from _beside_date(page)
    for signed in shown.signing:
        if (name := authors.labelled(signed[0]) or authors.below_label(signed[0], signed[-1])) is not None:
            yield name, "page:line", -1


def _beside_date(page: Candidates) -> Iterator[tuple[str, str, int]]:
    """Yield names of persons without a label that are texts of their own beside a date below the heading: in no link, or in a profile's."""
    tree = page.tree
    for text, node in page.shown.pieces_below:
        if (name := authors.alone(text)) is not None:
            link = int(tree.link_around[node])
            profile = _PROFILE.search(tree.attribute(link, "href") or "") if link >= 0 else None
            if link < 0 or (profile and authors.is_said(name, profile[1])):
                yield name, "page:date", -1


def _are_listed(page: Candidates, found: list[tuple[int, str]]) -> bool:
    return len(found) >= LISTED and not page.posts and page.shown.is_list(found)


def _marked_names(page: Candidates, mark: str) -> Iterator[tuple[int, str]]:
    shown = page.shown
    for node in shown.marked(mark):
        if page.has_posts and (len(label := shown.before(node)) > MAX_LABEL or _OF_FORUM.search(label)):
            continue
        lines = shown.says(node)
        named = shown.name_in(node) or any(authors.without_section(line) != line for line in lines)
        links = [] if named else [link for link in shown.links_in(node) if link[0] != "@"]
        for texts in (links, *([text] for text in lines)):
            if (names := authors.joined(texts, on_page=True)) is not None:
                first, *others = names.split("; ")  # behind the name, there may be links that do something
                yield node, names if all(map(authors.may_be_person, others)) else first
                break
