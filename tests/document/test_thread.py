"""What the posts of a thread say of nodes, and that the node model keeps them in a forum that it does not know."""

from __future__ import annotations

import re

import numpy as np

from tamis import extract, parse
from tamis.content.evidence import COLUMNS, THREAD, gather
from tamis.document.comments import read_posts
from tamis.document.thread import POST_BODY, POST_CHROME, post_mask

POST = (
    '<div class="zq-entry" id=e{number}><div class=zq-who><a class=username href=/user/{name}>{name}</a> '
    "<time datetime=2024-03-0{number}>{number} March 2024</time></div><div class=zq-body>{text}</div>"
    "<div class=zq-tools><a href=/reply>Reply</a> <a href=/report>Report</a></div></div>"
)
SAID_BY = [
    ("Ann", "Does anybody know when the reeds on the north shore are cut?<br>Last year I came too late."),
    ("Bo", "In January."),
    (
        "Cy",
        "<p>Not before the ice holds.</p><p>Two years ago that was the second week of February, for three days.</p>",
    ),
    ("Di", "I shall come in January then."),
]


def thread(said=SAID_BY, forum="viewtopic"):
    posts = "".join(POST.format(number=number, name=name, text=text) for number, (name, text) in enumerate(said, 1))
    menu = "".join(f"<li><a href=/{name}>{name.title()}</a>" for name in ("home", "members", "search", "rules"))
    head = f"<title>Reeds</title><link rel=canonical href=https://shore.example/{forum}?t=1>"
    body = (
        f"<ul class=zq-menu>{menu}</ul><h1>When are the reeds cut?</h1><div class=zq-list>{posts}</div><p class=zq-foot>Run by the shore."
    )
    return f"<head>{head}<body>{body}"


def kinds(page):
    tree = parse(page)
    found = post_mask(tree)[tree.text_nodes]
    return {
        kind: [text.strip() for text, mine in zip(tree.texts, found, strict=True) if mine == kind and text.strip()]
        for kind in (POST_BODY, POST_CHROME)
    }


def test_texts_of_posts_are_told_from_what_stands_beside_them():
    found = kinds(thread())
    assert found[POST_BODY][0].startswith("Does anybody")
    assert {"In January.", "Not before the ice holds.", "I shall come in January then."} < set(found[POST_BODY])
    assert len(found[POST_BODY]) == 6
    assert {"Ann", "Bo", "Reply", "Report"} < set(found[POST_CHROME])


def test_a_page_of_another_kind_and_two_posts_are_no_thread():
    assert not any(kinds(thread(forum="shop")).values())
    assert not any(kinds(thread(SAID_BY[:2])).values())


def test_the_stated_language_tells_the_order_of_day_and_month():
    page = re.sub(r"<time.*?</time>", "<span class=date>03/05/2024</span>", thread())
    dates = [{post.date for post in read_posts(parse(f"<html lang='{language}'>{page}"))} for language in ("", "fr", "en")]
    assert dates == [{None}, {"2024-05-03"}, {"2024-03-05"}]


def test_words_that_a_post_repeats_are_found_where_they_stand():
    said = [(name, f"{name}<p>{text}") for name, text in SAID_BY]
    found = kinds(thread(said))
    assert found[POST_BODY].count("In January.") == 1
    assert len(found[POST_BODY]) >= 6


def test_the_evidence_has_shares_of_blocks_and_of_the_page():
    evidence = gather(parse(thread()))
    said, beside, share = (evidence.values[:, COLUMNS.index(name)] for name in THREAD)
    assert set(np.unique(said)) <= {0, 1}
    assert np.all(said + beside <= 1)
    assert 0.5 < share[0] < 1
    assert np.all(share == share[0])
    assert not gather(parse("<p>Reeds bend.")).values[:, [COLUMNS.index(name) for name in THREAD]].any()


def test_an_unknown_forum_keeps_all_its_posts():
    text = extract(thread()).text
    assert all(part in text for part in ("Does anybody know", "In January.", "second week of February", "I shall come in January then."))
    assert "Report" not in text
    assert "Members" not in text


def test_rows_of_links_that_somebody_signs_are_no_posts():
    row = "<div class=post><div class=body>{}</div> <span class=author>{}</span> <time datetime=2024-03-01>1 March</time></div>"
    said = [("Do reeds bend in the wind?", "Ann"), ("How to cut reeds in winter", "Bo"), ("Roofs that last for years", "Cy")]
    linked = [(f"<a href=/t/{name}>{text}</a>", name) for text, name in said]
    for rows, posts in ((said, 3), (linked, 0), (linked[:1] + said[1:], 3)):
        document = extract("<div class=forum>" + "".join(row.format(*each) for each in rows), url="https://example.org/forum/")
        assert len(document.posts) == posts


BOARD = (
    "<tr class=post><td><a href=/board/{number}>{title}</a><p>{text}</p></td><td>by <a class=username href=/user/{name}>{name}</a> "
    "<time datetime=2024-03-0{number}>{number} March 2024</time></td></tr>"
)
BOARDS = [
    ("Reeds", "Ann", "Where they grow, and when they are cut"),
    ("Roofs", "Bo", "Of reeds and of straw"),
    ("Rules", "Cy", "Read them first"),
]


def test_boards_of_a_forum_with_their_last_posts_have_no_posts_no_author_and_no_date():
    rows = "".join(BOARD.format(number=number, title=title, name=name, text=text) for number, (title, name, text) in enumerate(BOARDS, 1))
    document = extract(f"<div class=forum><h1>Shore forum</h1><table>{rows}</table></div>", url="https://shore.example/forum/")
    assert document.posts == ()
    assert (document.metadata.author, document.metadata.date) == (None, None)


def test_answers_with_titles_that_repeat_or_lead_to_the_page_itself_are_posts():
    for title, address in (("Re: Reeds", "/msg/{number}"), ("Answer {number}", "/reeds#c{number}"), ("Say {number}", "javascript:;")):
        posts = "".join(
            POST.format(
                number=number, name=name, text=f"<a href='{address.format(number=number)}'>{title.format(number=number)}</a> {text}"
            )
            for number, (name, text) in enumerate(SAID_BY, 1)
        )
        document = extract(f"<h1>Reeds</h1><div class=forum>{posts}</div>", url="https://shore.example/reeds")
        assert [post.author for post in document.posts] == ["Ann", "Bo", "Cy", "Di"]
        assert document.metadata.author == "Ann"
