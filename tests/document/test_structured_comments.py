"""Comments, reviews and posts that a page states in microdata or JSON-LD are read as it states them."""

from __future__ import annotations

import json

import pytest

from tamis import extract, parse
from tamis.document.comment import MAX_LEVELS
from tamis.document.comments import read_comments, read_posts

TEXT = "<p>The kettle of this year has a longer spout, a wider lid and a handle that stays cool, which many people asked for.</p>" * 4
SAID = "I like how the lid closes, and that the handle is cool."


def item(kind: str, name: str, said: str, *, day: int = 1, inside: str = "", text: str = "text") -> str:
    """An item of microdata as forums write it: the name twice, tools around the text, and a class name that says nothing."""
    return (
        f'<div class="css-1x{day}" itemscope itemtype="https://schema.org/{kind}"><i>{name[0]} Offline</i>'
        f'<div class="user-details">edited Jul {day}, 2020</div><a class=who href=#>moderator</a>'
        f'<div itemprop="author" itemscope itemtype="https://schema.org/Person"><meta itemprop="name" content="{name}">{name} Sailor</div>'
        f'<time itemprop="datePublished" datetime="2024-03-0{day}T10:00:00Z">x</time>'
        f'<div class="reply-like" itemprop="{text}"><p>{said}</p></div><p>Save Share Reply Like</p>{inside}</div>'
    )


def told(found):
    return [(each.author, each.date and each.date[:10], each.text, each.level) for each in found]


@pytest.mark.parametrize(("kind", "text"), [("Comment", "text"), ("UserComments", "commentText"), ("Review", "reviewBody")])
def test_comments_of_microdata_need_no_name(kind: str, text: str):
    items = item(kind, "Ann Lee", SAID, text=text) + item(kind, "Bo", "Yes.", day=2, text=text)
    found = extract(f"<body><article><h1>Kettles</h1>{TEXT}</article><div>{items}</div></body>").comments
    assert told(found) == [("Ann Lee", "2024-03-01", SAID, 0), ("Bo", "2024-03-02", "Yes.", 0)]


def test_a_reply_is_not_part_of_the_comment_that_it_is_in():
    reply = item("Comment", "Bo", "Mine squeaks.", day=2)
    assert told(read_comments(parse(f"{TEXT}{item('Comment', 'Ann', SAID, inside=reply)}"))) == [
        ("Ann", "2024-03-01", SAID, 0),
        ("Bo", "2024-03-02", "Mine squeaks.", 1),
    ]


def test_a_review_that_is_the_main_text_is_no_comment():
    film = f'<article itemscope itemtype="https://schema.org/Review"><h1>Reeds</h1><b itemprop=author>Ann</b><div>{TEXT}</div></article>'
    assert extract(f"<body>{film}</body>").comments == ()
    assert len(extract(f"<body>{film}{item('Review', 'Bo', SAID, text='reviewBody')}</body>").comments) == 1


def test_what_a_page_states_has_no_other_comments_if_it_is_a_thread():
    items = "".join(item("Comment", f"User{k}", f"Answer {k}.", day=k) for k in (2, 3))
    suggested = "".join(f"<tr><td><b class=author>Feedback</b> Kettle {k}, 1 May 202{k}</td></tr>" for k in range(5))
    first = '<meta itemprop="headline" content="Kettles"><div itemprop=text><p>Which kettle is yours?</p></div>'
    first += (
        '<span itemprop=author itemscope itemtype="https://schema.org/Person"><a itemprop=url href=/u><b itemprop=name>Ann</b></a></span>'
    )
    page = f'<div itemscope itemtype="https://schema.org/DiscussionForumPosting">{first}{items}</div><table id=comments>{suggested}</table>'
    assert [(each.author, each.text) for each in read_comments(parse(page))] == [("User2", "Answer 2."), ("User3", "Answer 3.")]
    assert [(each.author, each.text) for each in read_posts(parse(page))] == [
        ("Ann", "Which kettle is yours?"),
        ("User2", "Answer 2."),
        ("User3", "Answer 3."),
    ]


def test_a_thread_may_state_its_first_post_twice():
    items = "".join(item("Comment", f"User{k}", f"Answer {k}.", day=k) for k in (1, 2))
    around = '<meta itemprop="datePublished" content="2024-03-01T10:00:00Z"><p>Pinned, 2 posts</p>'
    page = f'<div itemscope itemtype="http://schema.org/DiscussionForumPosting">{around}{items}</div>'
    assert [each.text for each in read_posts(parse(page))] == ["Answer 1.", "Answer 2."]


def test_questions_and_answers_are_posts_and_what_is_said_of_them_are_comments():
    note = item("Comment", "Cy", "What about rushes?", day=3)
    answers = item("Answer", "Bo", "In calm water.", day=2, inside=note)
    page = parse(
        f'<main itemscope itemtype="https://schema.org/QAPage">{item("Question", "Ann", "Where do reeds grow?", inside=answers)}</main>'
    )
    assert [(each.author, each.text) for each in read_posts(page)] == [("Ann", "Where do reeds grow?"), ("Bo", "In calm water.")]
    assert [(each.author, each.text) for each in read_comments(page)] == [("Cy", "What about rushes?")]


def json_ld(**thing: object) -> str:
    return f"{TEXT}<section><p>{SAID}</p></section><script type='application/ld+json'>{json.dumps(thing)}</script>"


def review(name: str, said: str) -> dict[str, object]:
    return {"@type": "Review", "author": {"@type": "Person", "name": name}, "reviewBody": said, "datePublished": "2024-03-01"}


def test_reviews_in_json_ld_are_read_where_the_page_shows_none():
    tree = parse(json_ld(**{"@type": "Product", "review": [review("Ann", SAID), review("Bo", "Fine &amp; <b>cool</b>"), "x", {}]}))
    found = read_comments(tree)
    assert told(found) == [("Ann", "2024-03-01", SAID, 0), ("Bo", "2024-03-01", "Fine & cool", 0)]
    assert [tree.text(each.node) == SAID for each in found] == [True, False]
    assert found[1].node == 0


def test_a_review_alone_may_be_the_editors():
    assert read_comments(parse(json_ld(**{"@type": "Product", "review": review("Ann", SAID)}))) == ()


def test_comments_in_json_ld_have_replies():
    reply = {"@type": "Comment", "author": {"name": "Bo"}, "text": "Mine squeaks."}
    deep: dict[str, object] = {"text": "deep"}
    for _ in range(200):
        deep = {"text": "deep", "comment": deep}
    found = read_comments(parse(json_ld(**{"@type": "Article", "comment": [{"text": SAID, "author": "Ann", "comment": reply}, deep]})))
    assert [(each.author, each.text, each.level) for each in found[:2]] == [("Ann", SAID, 0), ("Bo", "Mine squeaks.", 1)]
    assert len(found) == 2 + MAX_LEVELS + 1


def test_items_in_items_take_linear_work():
    found = read_comments(parse('<div itemscope itemtype="https://schema.org/Comment"><b itemprop=author>Ann</b>x' * 5000))
    assert len(found) == MAX_LEVELS
