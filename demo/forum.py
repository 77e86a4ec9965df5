"""The layout of forum threads: posts beside their authors, quotes, signatures, buttons."""

from __future__ import annotations

from demo.chrome import Entry, Frame, advert, box, page
from demo.content import Thread
from demo.markup import Node, Tag, link, tag


def forum_page(frame: Frame, entry: Entry, thread: Thread, charset: str | None = "utf-8") -> Tag:
    """A thread's page."""
    texts = _texts(frame, thread)
    posts: list[Node] = []
    members = [entry.author, *frame.dice.some([name for name in frame.language.members if name != entry.author], 5)]
    for k, text in enumerate(texts):
        quoted = k - 1 if k > 1 and frame.dice.number(1, 3) == 1 else None
        posts.append(_post(frame, members[k % len(members)], k, text, (members[quoted % len(members)], texts[quoted]) if quoted else None))
        if k == 1:
            posts.append(advert(frame, "between"))
    main = tag(
        "div",
        tag("h1", entry.title, class_="thread-title", role="either"),
        _toolbar(frame, thread),
        tag("div", *posts, id="posts"),
        tag("p", frame.word("quick-reply"), class_="quick-reply"),
        _similar(frame, entry),
        _online(frame),
        id="content",
        class_="thread",
    )
    return page(frame, entry, (main,), kind="forum", charset=charset)


def _texts(frame: Frame, thread: Thread) -> list[str]:
    """Hand-written posts with composed ones between the first and the last."""
    stock = frame.language.forum_sentences
    composed = [frame.prose.paragraph(stock, frame.dice.number(1, 3)) for _ in range(frame.dice.number(3, 6))]
    return [*thread.posts[:2], *composed, *thread.posts[2:]]


def _post(frame: Frame, member: str, k: int, text: str, quoted: tuple[str, str] | None) -> Tag:
    panel = tag(
        "div",
        tag("img", src="/lantern.svg", alt="", class_="avatar"),
        tag("h4", link(frame.href("forum", f"u{member}"), member)),
        tag("p", f"{frame.word('joined')}: {frame.dice.number(2001, 2018)}"),
        tag("p", f"{frame.word('posts')}: {frame.dice.number(3, 4000)}"),
        class_="author-panel",
        role="either",
    )
    body: list[Node] = []
    if quoted:
        body.append(tag("blockquote", tag("cite", f"{quoted[0]} {frame.word('wrote')}", role="either"), tag("p", quoted[1])))
    body.append(tag("div", text, class_="message"))
    signature = frame.language.signatures[len(member) % len(frame.language.signatures)]
    buttons = (link(f"#p{k}-{name}", frame.word(name)) for name in ("like", "quote", "reply", "report"))
    content = tag(
        "div",
        tag("div", f"#{k + 1}", class_="post-number"),
        tag("div", *body, role="main", class_="post-body"),
        tag("div", signature, class_="signature"),
        tag("div", *buttons, class_="post-buttons"),
        class_="post-content",
    )
    return tag("div", panel, content, class_="forum-post", id=f"post-{k + 1}")


def _toolbar(frame: Frame, thread: Thread) -> Tag:
    return tag(
        "div",
        link(frame.href("forum"), thread.board),
        link("#watch", frame.word("watch")),
        *(link(f"#page{k}", str(k)) for k in (1, 2, 3)),
        link("#page2", frame.word("next")),
        class_="toolbar",
    )


def _similar(frame: Frame, entry: Entry) -> Tag:
    others = [other for other in frame.section("forum") if other.path != entry.path]
    head = tag("tr", *(tag("th", frame.word(name)) for name in ("thread", "replies", "views")))
    threads = (
        tag("tr", tag("td", link(other.href, other.title)), *(tag("td", str(frame.dice.number(2, 90) * k)) for k in (1, 17)))
        for other in frame.dice.some(others, 4)
    )
    return box(frame.word("similar"), tag("table", head, *threads), name="similar")


def _online(frame: Frame) -> Tag:
    names: list[Node] = []
    for name in frame.dice.some(frame.language.members, 5):
        names += [link(frame.href("forum", f"u{name}"), name), ", "]
    return box(frame.word("online"), tag("p", *names, f"+ {frame.dice.number(10, 200)}"), name="online")
