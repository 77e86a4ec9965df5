"""The layout of news articles: nested boxes, an advert inside the text, related stories, readers' comments."""

from __future__ import annotations

from demo.chrome import Entry, Frame, advert, box, page, previous_next, share_bar, side
from demo.content import Article
from demo.markup import Node, Tag, link, tag
from demo.table import table_of


def news_body(frame: Frame, article: Article) -> tuple[Node, ...]:
    """The text of an article: by hand at first, then composed, with what the article has of lists, tables and quotes."""
    prose, stock = frame.prose, frame.language.news_sentences
    first, *rest = article.paragraphs
    body: list[Node] = [tag("p", tag("strong", first), class_="lead"), _figure(frame, article), *(tag("p", text) for text in rest)]
    body.append(tag("h2", article.heading))
    body.append(tag("p", prose.paragraph(stock, 4)))
    if article.points:
        body.append(tag("ul", *(tag("li", point) for point in article.points)))
    if article.table:
        body.append(table_of(article.table))
    body.append(tag("blockquote", tag("p", article.quote)))
    composed = (tag("p", prose.paragraph(stock, frame.dice.number(3, 5))) for _ in range(frame.dice.number(2, 4)))
    return (*body, *composed)


def news_page(frame: Frame, entry: Entry, article: Article, body: tuple[Node, ...], charset: str | None = "utf-8") -> Tag:
    """An article's page."""
    middle = len(body) // 2
    labels: list[Node] = []
    for k, name in enumerate(article.tags):
        labels += [" ", link(frame.href("news", f"t{k}"), name, rel="tag")]
    date = tag("time", entry.date, datetime=entry.date)
    story = tag(
        "article",
        tag("h1", entry.title, class_="entry-title", role="either"),
        tag("div", frame.word("by"), " ", entry.author, " · ", date, class_="byline", role="either"),
        share_bar(frame),
        tag("div", *body[:middle], advert(frame, "inline"), *body[middle:], class_="entry-content", role="main"),
        tag("p", frame.word("tags"), *labels, class_="entry-tags"),
        _author_box(frame, entry),
        id="content",
        class_="post",
    )
    main = tag("div", story, _related(frame, entry), previous_next(frame, entry), _comments(frame), class_="main-column")
    return page(frame, entry, (main, side(frame)), kind="news", charset=charset)


def _figure(frame: Frame, article: Article) -> Tag:
    caption = frame.prose.fill(frame.word("caption"))
    return tag("figure", tag("img", src=f"/{frame.dice.pick(('harbour', 'pier'))}.svg", alt=article.title), tag("figcaption", caption))


def _author_box(frame: Frame, entry: Entry) -> Tag:
    return tag("div", tag("b", entry.author), " ", frame.word("about-author"), class_="author-box")


def _related(frame: Frame, entry: Entry) -> Tag:
    others = [other for other in frame.section("news") if other.path != entry.path]
    cards = (
        tag("li", link(other.href, tag("img", src="/pier.svg", alt=""), other.title), tag("span", other.date))
        for other in frame.dice.some(others, 4)
    )
    return box(frame.word("related"), tag("ul", *cards, class_="cards"), name="related")


def _comments(frame: Frame) -> Tag:
    voices = [
        tag(
            "li",
            tag("b", frame.dice.pick(frame.language.members)),
            tag("p", comment, role="either"),
            link("#respond", frame.word("reply"), class_="comment-reply"),
        )
        for comment in frame.dice.some(frame.language.comments, frame.dice.number(1, 4))
    ]
    form = tag(
        "form",
        tag("p", frame.word("comment-rules")),
        *(tag("label", frame.word(name), tag("input", name=name)) for name in ("your-name", "your-mail")),
        tag("textarea", name="comment"),
        tag("button", frame.word("post-comment")),
        id="respond",
        action="#",
    )
    return tag("div", tag("h3", f"{frame.word('comments')} ({len(voices)})"), tag("ol", *voices), form, id="comments")
