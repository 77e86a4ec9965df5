"""What surrounds the text on every page of the demo site: head, banner, menus, boxes, adverts, footer."""

from __future__ import annotations

import json
from dataclasses import dataclass

from demo.content import Language
from demo.dice import Dice
from demo.markup import Node, Tag, link, tag
from demo.prose import Prose

BASE = "https://lantern-bay.example"


@dataclass(frozen=True, slots=True)
class Entry:
    """A page as other pages know it."""

    section: str
    """news, handbook, forum or home."""
    path: str
    title: str
    author: str
    date: str
    """ISO 8601."""
    teaser: str

    @property
    def href(self) -> str:
        """Where links to it point."""
        return f"/{self.path}"


@dataclass(frozen=True, slots=True)
class Frame:
    """All that a layout needs to know besides the text of its page."""

    language: Language
    entries: tuple[Entry, ...]
    dice: Dice
    """Choices of this page."""
    prose: Prose
    """The writer of all pages of the language."""

    def word(self, name: str) -> str:
        """A label."""
        return self.language.words[name]

    def section(self, name: str) -> tuple[Entry, ...]:
        """The entries of a section."""
        return tuple(entry for entry in self.entries if entry.section == name)

    def href(self, section: str = "", fragment: str = "") -> str:
        """A link to the list page of a section or, without one, to the front page."""
        return f"{self.language.home}{section + '/' if section else ''}index.html{'#' + fragment if fragment else ''}"


def page(frame: Frame, entry: Entry, columns: tuple[Node, ...], *, kind: str, charset: str | None = "utf-8") -> Tag:
    """A whole page.

    Args:
        frame: language, links and choices.
        entry: what the page says of itself.
        columns: what stands between header and footer.
        kind: name of the layout, for the class of ``body``.
        charset: the encoding that is declared; None: none is.
    """
    body = tag(
        "body",
        link("#content", frame.word("skip"), class_="skip-link"),
        _cookie_banner(frame),
        _masthead(frame),
        _menu(frame),
        advert(frame, "leaderboard"),
        _breadcrumb(frame, entry),
        tag("div", *columns, id="page", class_="container"),
        _footer(frame),
        tag("script", "window.dataLayer=window.dataLayer||[];dataLayer.push({event:'view',layout:'" + kind + "'});"),
        class_=f"layout-{kind} lang-{frame.language.code}",
    )
    return tag("html", _head(frame, entry, kind, charset), body, lang=frame.language.code)


def _head(frame: Frame, entry: Entry, kind: str, charset: str | None) -> Tag:
    url = f"{BASE}{entry.href}"
    title = f"{entry.title} | {frame.word('site')}"
    statement = {
        "@context": "https://schema.org",
        "@type": {"news": "NewsArticle", "handbook": "TechArticle", "forum": "DiscussionForumPosting"}.get(kind, "WebPage"),
        "headline": entry.title,
        "author": {"@type": "Person", "name": entry.author},
        "datePublished": entry.date,
        "publisher": {"@type": "Organization", "name": frame.word("site")},
        "mainEntityOfPage": url,
    }
    declared = [tag("meta", http_equiv="Content-Type", content=f"text/html; charset={charset}")] if charset else []
    return tag(
        "head",
        *declared,
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("meta", name="description", content=entry.teaser),
        tag("meta", name="author", content=entry.author),
        tag("meta", property="og:title", content=entry.title),
        tag("meta", property="og:type", content="article"),
        tag("meta", property="og:url", content=url),
        tag("meta", property="og:site_name", content=frame.word("site")),
        tag("meta", property="article:published_time", content=entry.date),
        tag("link", rel="canonical", href=url),
        tag("link", rel="stylesheet", href="/style.css"),
        tag("script", json.dumps(statement, ensure_ascii=False), type="application/ld+json"),
    )


def _cookie_banner(frame: Frame) -> Tag:
    return tag(
        "div",
        tag("p", frame.word("cookies"), " ", link(frame.href(fragment="privacy"), frame.word("policy"))),
        tag("button", frame.word("accept"), class_="primary"),
        tag("button", frame.word("settings")),
        id="cookie-banner",
        class_="banner",
    )


def _masthead(frame: Frame) -> Tag:
    return tag(
        "header",
        link(frame.href(), tag("img", src="/lantern.svg", alt=frame.word("site"), width="48", height="48"), class_="logo"),
        tag("div", tag("strong", frame.word("site")), tag("p", frame.word("tagline")), class_="brand"),
        tag("form", tag("input", type="search", name="q", placeholder=frame.word("search")), class_="search", action=frame.href()),
        tag("ul", *(tag("li", link(frame.href(fragment=name), frame.word(name))) for name in ("login", "register", "subscribe"))),
        id="masthead",
    )


def _menu(frame: Frame) -> Tag:
    sections = ("news", "news", "news", "handbook", "forum", "", "", "")
    heads = []
    for row, (head, entries) in enumerate(frame.language.menu):
        below = (tag("li", link(frame.href(sections[row], f"m{row}-{k}"), entry)) for k, entry in enumerate(entries))
        heads.append(tag("li", link(frame.href(sections[row]), head), tag("ul", *below, class_="submenu"), class_="menu-item"))
    return tag("nav", tag("ul", *heads, class_="menu"), id="main-menu")


def _breadcrumb(frame: Frame, entry: Entry) -> Tag:
    steps: list[Node] = [link(frame.href(), frame.word("home"))]
    if entry.section != "home":
        steps += [" › ", link(frame.href(entry.section), frame.word(entry.section)), " › ", tag("span", entry.title)]
    return tag("div", *steps, class_="breadcrumb")


def advert(frame: Frame, place: str) -> Tag:
    """One of the adverts, in a box."""
    head, text = frame.dice.pick(frame.language.adverts)
    return tag(
        "div",
        tag("div", frame.word("advert"), class_="ad-label"),
        link(f"https://ads.example/click?id={frame.dice.number(10000, 99999)}", tag("b", head), tag("br"), text, rel="sponsored"),
        class_=f"ad ad-{place}",
        role="noise",
    )


def box(title: str, *children: Node, name: str) -> Tag:
    """A side box."""
    return tag("section", tag("h3", title, class_="box-title"), *children, class_=f"box box-{name}", role="noise")


def side(frame: Frame) -> Tag:
    """The side column: popular pages, topics, weather, newsletter, an advert, the archive."""
    popular = (tag("li", link(entry.href, entry.title)) for entry in frame.dice.some(frame.entries, 6))
    topics = [
        link(frame.href("news", f"t{k}"), topic, style=f"font-size:{frame.dice.number(80, 170)}%")
        for k, topic in enumerate(frame.word("topics").split())
    ]
    months = (
        tag("li", link(frame.href("news", f"a{k}"), month), f" ({frame.dice.number(2, 40)})")
        for k, month in enumerate(frame.word("months").split())
    )
    cloud: list[Node] = []
    for topic in topics:
        cloud += [topic, " "]
    return tag(
        "aside",
        box(frame.word("popular"), tag("ol", *popular), name="popular"),
        advert(frame, "skyscraper"),
        box(frame.word("tag-cloud"), tag("p", *cloud), name="cloud"),
        box(frame.word("weather"), tag("p", f"{frame.dice.number(4, 24)} °C · {frame.dice.number(2, 7)} Bft"), name="weather"),
        newsletter(frame),
        box(frame.word("archive"), tag("ul", *months), name="archive"),
        id="sidebar",
        role="noise",
    )


def newsletter(frame: Frame) -> Tag:
    """A form to sign up."""
    form = tag("form", tag("input", type="email", name="mail"), tag("button", frame.word("sign-up")), action=frame.href())
    return box(frame.word("newsletter"), tag("p", frame.word("newsletter-text")), form, name="newsletter")


def share_bar(frame: Frame) -> Tag:
    """Buttons to share a page."""
    networks = ("Pinboard", "Chirp", "Faces", "Mail")
    links = (link(f"https://share.example/{name.lower()}", name, rel="nofollow") for name in networks)
    return tag("div", tag("span", frame.word("share"), ": "), *links, class_="share-bar", role="noise")


def previous_next(frame: Frame, entry: Entry) -> Tag:
    """Links to the neighbours in the same section."""
    section = frame.section(entry.section)
    k = section.index(entry)
    links: list[Node] = [
        link(section[other].href, f"{frame.word(name)}: {section[other].title}", rel=rel)
        for name, rel, other in (("previous", "prev", k - 1), ("next", "next", k + 1))
        if 0 <= other < len(section)
    ]
    return tag("nav", *links, class_="pager", role="noise")


def _footer(frame: Frame) -> Tag:
    columns = (
        tag("div", tag("h4", head), tag("ul", *(tag("li", link(frame.href(fragment=f"f{k}"), name)) for name in names)), class_="column")
        for k, (head, names) in enumerate(frame.language.menu[4:])
    )
    return tag(
        "footer",
        tag("div", *columns, class_="footer-columns"),
        *(tag("p", text, class_="legal") for text in frame.language.legal),
        tag("p", f"© 1998–2019 {frame.word('site')}. {frame.word('rights')}", class_="copyright"),
        id="colophon",
    )
