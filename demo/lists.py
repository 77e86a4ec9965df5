"""List pages: the front page, the news in short, the chapters, the threads in a table."""

from __future__ import annotations

from demo.chrome import Entry, Frame, page, side
from demo.markup import Tag, link, tag


def front_page(frame: Frame, entry: Entry) -> Tag:
    """The page at the top of a language, with the newest of every section."""
    welcome = tag("p", frame.word("welcome"), role="main")
    sections = (
        tag(
            "section",
            tag("h2", frame.word(name)),
            tag("ul", *(tag("li", link(other.href, other.title)) for other in frame.section(name)[:4]), role="main"),
            class_="front-section",
        )
        for name in ("news", "handbook", "forum")
    )
    main = tag("div", tag("h1", entry.title, role="either"), welcome, *sections, id="content", class_="main-column")
    return page(frame, entry, (main, side(frame)), kind="list")


def news_list(frame: Frame, entry: Entry) -> Tag:
    """The news: cards with title, date and the beginning of the text."""
    cards = (
        tag(
            "div",
            tag("h2", link(other.href, other.title)),
            tag("p", other.date, class_="date"),
            tag("p", other.teaser, class_="teaser"),
            tag("p", link(other.href, frame.word("read-more")), role="noise"),
            class_="card",
        )
        for other in frame.section("news")
    )
    main = tag("div", tag("h1", entry.title, role="either"), tag("div", *cards, role="main"), id="content", class_="main-column")
    return page(frame, entry, (main, side(frame)), kind="list")


def handbook_list(frame: Frame, entry: Entry) -> Tag:
    """The chapters with their first sentences."""
    chapters = (tag("li", link(other.href, other.title), tag("p", other.teaser)) for other in frame.section("handbook"))
    main = tag("div", tag("h1", entry.title, role="either"), tag("ol", *chapters, role="main"), id="content", class_="main-column")
    return page(frame, entry, (main, side(frame)), kind="list")


def forum_list(frame: Frame, entry: Entry) -> Tag:
    """The threads as rows of a table."""
    head = tag("tr", *(tag("th", frame.word(name)) for name in ("thread", "replies", "views", "last-post")), role="noise")
    threads = (
        tag(
            "tr",
            tag("td", link(other.href, other.title), tag("br"), tag("small", other.author)),
            *(tag("td", str(frame.dice.number(3, 90) * k)) for k in (1, 23)),
            tag("td", other.date),
        )
        for other in frame.section("forum")
    )
    main = tag(
        "div",
        tag("h1", entry.title, role="either"),
        tag("table", head, *threads, class_="threads", role="main"),
        tag("p", frame.word("quick-reply"), class_="quick-reply"),
        id="content",
        class_="main-column",
    )
    return page(frame, entry, (main, side(frame)), kind="list")
