"""Comments are found by what pages call them, read with author, date and level, and left out of the text of articles."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import extract, parse
from tamis.document import comments
from tamis.document.comment_places import comment_areas
from tamis.document.comments import MAX_AREAS, MAX_PLAIN_AREAS, read_comments, read_posts
from tamis.document.forum import is_thread
from tamis.document.selection import Cause, Reason, Selection
from tamis.page.tree import PageTree

TEXT = "<p>The kettle of this year has a longer spout, a wider lid and a handle that stays cool, which many people asked for.</p>" * 4
WORDPRESS = """
<div id="comments" class="comments-area"><h2 class="comments-title">2 thoughts</h2><ol class="comment-list">
<li id="comment-1" class="comment depth-1"><article id="div-comment-1" class="comment-body"><footer class="comment-meta">
  <div class="comment-author vcard"><b class="fn">Ann Lee</b> <span class="says">says:</span></div>
  <div class="comment-metadata"><time datetime="2024-03-01T10:00:00+00:00">1 March 2024</time></div></footer>
  <div class="comment-content"><p>I like how the lid closes without a sound in the morning.</p></div>
  <div class="reply"><a href=#>Reply</a></div></article>
  <ol class="children"><li id="comment-2" class="comment depth-2"><article id="div-comment-2" class="comment-body">
  <div class="comment-author vcard"><b class="fn">Bo</b></div>
  <div class="comment-content"><p>Mine squeaks, though.</p></div></article></li></ol></li>
</ol><div id="respond" class="comment-respond"><form>Leave a reply <textarea></textarea></form></div></div>
"""


def test_comments_have_author_date_text_and_level():
    first, second = read_comments(parse(f"<article>{TEXT}</article>{WORDPRESS}"))
    assert (first.author, first.date, first.level) == ("Ann Lee", "2024-03-01T10:00:00+00:00", 0)
    assert first.text == "I like how the lid closes without a sound in the morning."
    assert (second.author, second.text, second.level) == ("Bo", "Mine squeaks, though.", 1)


def test_an_article_has_no_comments_in_its_text_unless_asked_for():
    page = f"<html><body><article><h1>Kettles</h1>{TEXT}{WORDPRESS}</article></body></html>"
    document = extract(page)
    assert "kettle" in document.text
    assert "squeaks" not in document.text
    assert len(document.comments) == 2
    assert [comment["author"] for comment in document.to_dict(comments=True)["comments"]] == ["Ann Lee", "Bo"]
    assert "comments" not in document.to_dict()
    with_comments = extract(page, comments=True)
    for comment in document.comments:
        assert comment.text in with_comments.text
        assert comment.author in with_comments.text
        assert comment.text in with_comments.markdown
    assert "Reply" not in with_comments.text


@pytest.mark.parametrize("url", [None, "https://hardware.slashdot.org/story/24/07/24/kettles"])
def test_comments_leave_a_short_post_and_a_story_with_a_discussion(url: str | None):
    post = "<h1>A new lid</h1><p>The kettle of this year has a new lid, and it closes without a sound in the morning.</p>"
    text = extract(f"<article>{post}</article>{WORDPRESS}", url=url).text
    assert "closes without a sound in the morning." in text
    assert "squeaks" not in text


@pytest.mark.parametrize(
    "name", ["kommentare", "commentaires", "comentarios", "commentlist", "disqus_thread", "comments-section", "post-comments"]
)
def test_areas_in_several_languages_and_systems(name):
    assert len(comment_areas(parse(f"<p>One<div id={name}><div>Two</div></div>"))) == 1


@pytest.mark.parametrize(
    "name", ["comment-count", "comments-link", "recent-comments-widget", "comments-open", "commentform", "no-comments"]
)
def test_what_only_speaks_of_comments_holds_none(name):
    assert len(comment_areas(parse(f"<p>One<div class={name}><div>Two</div></div>"))) == 0


def test_siblings_that_repeat_are_comments():
    rows = "".join(f"<div><b class=author>Ann {k}</b><p>What a long and winding kettle, number {k}.</p></div>" for k in range(3))
    assert [comment.author for comment in read_comments(parse(f"<section id=comments>{rows}</section>"))] == ["Ann 0", "Ann 1", "Ann 2"]


def test_posts_of_a_thread():
    posts = "".join(
        f'<div class="post" id="p{k}"><p class="author"><a href=/u class="username">User{k}</a> 2024-05-0{k}</p>'
        f'<div class="content">Answer {k}.</div></div>'
        for k in range(1, 4)
    )
    found = read_posts(parse(f"<div class=forum-thread>{posts}</div>"))
    assert [(post.author, post.text) for post in found] == [(f"User{k}", f"Answer {k}.") for k in range(1, 4)]
    assert found[0].date == "2024-05-01"


def test_a_post_is_what_shows_author_and_date_whatever_its_name():
    def row(k):
        member = f'<a href="/members/user{k}.{k}/">'
        side = f'<div class="side col">{member}</a>{member}User{k}</a><p>Joined May 1, 2011</div>'
        text = f"<p>The {k}. answer says that reeds grow best where the water is calm and shallow.</p>"
        date = f'<time datetime="2024-05-0{k}T10:00">x</time>'
        return f'<section class="box{k} col">{side}<div class=col>{date}<div class=col-text>{text}</div></div></section>'

    page = parse(
        f"<h1>Reeds</h1><div>{''.join(map(row, range(1, 4)))}</div><aside class=col>Members online: <a href=/members/a.1/>a</a></aside>"
    )
    found = read_posts(page, url="https://forum.example.org/threads/reeds.1/")
    assert [(post.author, post.date, post.level) for post in found] == [(f"User{k}", f"2024-05-0{k}T10:00:00", 0) for k in range(1, 4)]
    assert found[1].text == "The 2. answer says that reeds grow best where the water is calm and shallow."
    assert read_posts(page, url="https://example.org/reeds") == ()


def test_the_first_post_may_look_different():
    text = "What should I plant along the bank of a pond where the water rises every spring and falls again in summer?"
    first = f'<div class=node><span class=submitted>By <a href="/user/1">Ann</a> on 1 May 2024</span><div class=content>{text}</div></div>'
    replies = "".join(
        f'<div class=reply><a href="/user/{k}">User{k}</a> 2 May 2024<div class=content>Reeds, {k} of them at the least.</div></div>'
        for k in (2, 3)
    )
    found = read_posts(parse(f"<h1>Pond</h1>{first}<div>{replies}</div>"), url="https://example.org/forum/pond")
    assert [(post.author, post.date) for post in found] == [("Ann", "2024-05-01"), ("User2", "2024-05-02"), ("User3", "2024-05-02")]
    assert found[0].text == text


def test_a_heading_names_comments_that_no_class_names():
    rows = "".join(
        f"<tr><td>Reader {k}, 0{k} May 2024<br>I have seen reeds that were as tall as a house, and {k} taller.</td></tr>" for k in (1, 2)
    )
    page = parse(f"<table><tr><td>{TEXT}<h3>Your comments (2)</h3><table>{rows}</table></td></tr></table>")
    assert [comment.date for comment in read_comments(page)] == ["2024-05-01", "2024-05-02"]
    assert read_comments(parse(f"<h3>Comments</h3>{TEXT}")) == ()


def test_deep_replies_and_long_names_take_linear_work():
    page = "<div id=comments>" + "<ul><li class=comment><b class=author>Ann</b>x" * 2000 + "</div>"
    assert len(read_comments(parse(page))) == 64
    assert len(comment_areas(parse(f"<div class=comments{'1' * 60}x>a</div>"))) == 0


def test_only_the_first_of_very_many_areas_are_read():
    page = "<p>Text.</p>" + "<div class=comments><div class=comment><b class=author>Ann</b><p>Well said.</div></div>" * (MAX_AREAS + 50)
    assert len(read_comments(parse(page))) == MAX_AREAS


def test_areas_and_headings_do_not_each_go_through_the_page(monkeypatch):
    summed, named = [], []
    subtree_sum, element_names = PageTree.subtree_sum, comments.element_names
    monkeypatch.setattr(PageTree, "subtree_sum", lambda tree, values: summed.append(1) or subtree_sum(tree, values))
    monkeypatch.setattr(comments, "element_names", lambda tree, nodes: named.append(len(nodes)) or element_names(tree, nodes))
    read_comments(parse("<div class=comments><div class=comment>Well said.</div></div>" * 150))
    assert len(summed) <= 10
    named.clear()
    read_comments(tree := parse("<h3>3 comments</h3><p>Well said.</p>" * 500))
    assert sum(named) < 2 * MAX_PLAIN_AREAS * len(tree)


PLAIN = {
    "before": "<p class=by>Posted by: {0} | January {1}, 2008 06:24 PM</p><p>{2}</p>",
    "after": "<p>{2}</p><p class=by>Posted by: {0} | January {1}, 2008 06:24 PM</p>",
}


@pytest.mark.parametrize("signature", PLAIN)
def test_comments_without_elements_of_their_own_stand_between_signatures(signature: str):
    words = "and so it goes on for a while, as people do when they have something to say about reeds."
    said = [("Ann", 14, f"Reeds bend, {words}"), ("Bo Ek", 15, f"Rushes break, {words}"), ("Cy", 16, f"Who told you that, {words}")]
    comments = "".join(PLAIN[signature].format(*each) for each in said)
    page = f"<h1>Reeds</h1><p>They bend where rushes would break.</p><h3>Comments are closed</h3>{comments}"
    found = read_comments(parse(f"<body><div>{page}<form><label>Your name</label></form></div>"))
    assert [(comment.author, comment.text) for comment in found] == [(name, text) for name, _, text in said]
    assert found[0].date == "2008-01-14T18:24:00"


def test_signatures_stand_before_what_they_sign_where_an_article_stands_before_them():
    words = "and so it goes on for a while, as people do when they have something to say about reeds."
    said = "<div class=b>Posted by: {0}, Bo on <i class=date>9:35am 9 Jan 2008</i></div><div hidden>{1}</div><div class=entry>{1}</div>"
    links = "<div class=b><a href=#>Quote</a> | <a href=#>Report this post</a></div>"
    page = "".join(said.format(name, f"{name}: {words}") + links for name in ("guiness4me", "caad4"))
    found = read_comments(parse(f"<body><div><p>Your say</p>{TEXT}<h3>Comments</h3>{page}</div>"))
    said = [(f"{name}, Bo", f"{name}: {words}") for name in ("guiness4me", "caad4")]
    assert [(comment.author, comment.text) for comment in found] == said


def test_a_signature_of_nothing_but_a_date_names_nobody():
    said = "<p>Reeds bend, and so it goes on for a while, as people do when they have something to say.</p><p class=on>January 14, 2008</p>"
    found = read_comments(parse(f"<body><div><h3>Comments</h3>{said * 3}</div>"))
    assert [(comment.author, comment.date) for comment in found] == [(None, "2008-01-14")] * 3


SAID = "Reeds bend where rushes would break, and so it goes on for a while."


@pytest.mark.parametrize(
    "area",
    [
        "<h3>0 comments</h3><p>Be the first to say something.</p>",
        "<p class=comment-note>Please <a href=/login class=user>log in</a> to comment on this article.</p>",
        "".join(f"<li><b class=author>Ann</b> <a href=/{k}>Reeds of the year {k}, and where to see them</a></li>" for k in range(4)),
        "".join(f"<li><a href=/{k}>Reeds of the year</a> <span>Tue Nov {k}th 2012</span></li>" for k in range(6, 10)),
    ],
    ids=["none yet", "form", "links", "links with dates"],
)
def test_an_area_without_signed_text_has_no_comments(area: str):
    assert read_comments(parse(f"<p>Text.</p><div id=comments>{area}</div>")) == ()


def test_what_nobody_signs_beside_the_field_for_a_comment_is_none():
    hint = f"<h4>Leave a Reply</h4><form><textarea name=comment></textarea><p>You can use these tags: {'quote, strong, em, ' * 9}</form>"
    assert read_comments(parse(f"<p>Text.</p><div id=comment-box>{hint}</div>")) == ()


def test_an_address_before_a_name_is_not_the_name():
    said = f"<li class=comment><cite>http://reeds.example/ann <span class=author>Ann Lee</span></cite><p>{SAID}</li>"
    assert read_comments(parse(f"<p>Text.</p><ul id=comments>{said}</ul>"))[0].author == "Ann Lee"


def test_what_nobody_signs_is_a_comment_if_it_is_long():
    said = "The old kettle had the same fault, and the shop changed the lid without a question. " * 2
    area = f"<div id=comments><h3>Comments</h3><div class=comment><p>{said}</p></div><div class=comment><p>Agreed.</p></div></div>"
    assert [comment.text for comment in read_comments(parse(f"<p>Text.</p>{area}"))] == [said.strip()]


@pytest.mark.parametrize(
    ("signature", "author"),
    [
        ("Posted by: <a href=/x>Ann Lee</a> | May 1, 2024 at 09:38 PM", "Ann Lee"),
        ("Posted by: Ann Lee at May 1, 2024 7:00 AM", "Ann Lee"),
        ("posted on Wednesday, May 1, 2024 at 7:26 PM by <a href=/x>Ann Lee</a>", "Ann Lee"),
        ("Comment by Ann Lee — May 1, 2024 @ 8:48 pm", "Ann Lee"),
    ],
)
def test_a_line_that_signs_a_comment_is_not_its_text(signature: str, author: str):
    item = f"<div class='comment odd'><div class=comment-content><p>{SAID}</p></div><p class=foot>{signature}</p></div>"
    for count in (1, 2):
        found = read_comments(parse(f"<p>Text.</p><div id=comments>{item * count}</div>"))
        assert [(comment.author, comment.date[:10], comment.text, comment.level) for comment in found] == [
            (author, "2024-05-01", SAID, 0)
        ] * count


def test_a_signature_may_be_an_element_of_its_own():
    said = "<dt class=comment><a class=author href=/x>{0}</a></dt><dd class=comment>{0} says that reeds bend.</dd>"
    page = f"<p>Text.</p><dl id=comments>{said.format('Ann')}{said.format('Bo')}</dl>"
    assert [(comment.author, comment.text) for comment in read_comments(parse(page))] == [
        (name, f"{name} says that reeds bend.") for name in ("Ann", "Bo")
    ]


def test_a_heading_before_the_main_text_names_no_comments():
    told = "".join(f"<div class=part><p class=by>Ann Lee, {k} May 2024</p>{TEXT}</div>" for k in (1, 2))
    page = f"<body><div><p>Your views</p><h1>Kettles</h1>{told}</div>"
    assert extract(page).comments == ()


def _discuz(number: int, name: str, day: str, text: str) -> str:
    profile = f"<div class=authi><a href=space-uid-{number}.html class=xw1>{name}</a></div><dl><dt>积分<dd>{number}7</dl>"
    head = f"<strong>{number}#</strong><div class=authi><em id=authorposton{number}>发表于 {day}</em>|<a href=t>只看该作者</a></div>"
    body = f"<table><tr><td class=t_f id=postmessage_{number}>{text}</table>"
    tools = "<div class=po><a href=reply>回复</a> <a href=report>举报</a></div>"
    return f"<div id=post_{number}><table class=plhin><tr><td class=pls>{profile}<td class=plc>{head}{body}{tools}</table></div>"


def test_posts_of_discuz():
    said = [
        ("小明", "2024-3-1 11:21", "番茄不结果，为什么？"),
        ("老王", "2024-3-2 12:22", "太热了。"),
        ("小红", "2024-3-3 13:23", "缺肥。"),
    ]
    title = "<title>番茄不结果 - 园艺 - 园艺论坛 - Powered by Discuz!</title><h1>番茄不结果</h1>"
    document = extract(title + "<div id=postlist>" + "".join(_discuz(k + 1, *each) for k, each in enumerate(said)) + "</div>")
    found = [(post.author, post.date, post.text) for post in document.posts]
    assert found == [(name, f"2024-03-0{k + 1}T{day[-5:]}:00", text) for k, (name, day, text) in enumerate(said)]
    assert (document.metadata.author, document.metadata.site_name) == ("小明", "园艺论坛")
    assert is_thread(document.tree, "https://bbs.example.cn/thread-1-1-1.html")


def test_lines_that_all_comments_have_are_no_text():
    said = [("Ann", "Reeds bend."), ("Bo", "They do."), ("Cy", "Reply")]
    items = "".join(
        f"<li class=comment><cite>{name}</cite><p>{text}<p>#{k}<p>Reply to {name}<p>Score: {k}{k}" for k, (name, text) in enumerate(said)
    )
    found = read_comments(parse(f"<ol id=comments>{items}</ol>"))
    assert [comment.text for comment in found] == ["Reeds bend.", "They do.", "Reply"]


@pytest.mark.parametrize(
    "page",
    [
        "<div id=comments><div class=comment-item><a href=/u/ann>Ann</a> 2024-03-06<p class=reply-content>{0}</p><i>Reply</i></div></div>",
        "<div id=pageComments><ul><li class=u_cbox_comment><b class=nick>Ann</b><p>{0}</p>2024-03-06</ul></div>",
        "<div class=discuss_container><ul><li class=discuss_item><b class=nickname>Ann</b><p class=discuss_message>{0}</p></ul></div>",
        "<div class=comments-list><div class=comment-item><b class=user>Ann</b><p class=comment-con>{0}</p>2024-03-06</div></div>",
    ],
)
def test_areas_and_texts_of_comments_by_their_names(page: str):
    found = read_comments(parse(page.format("They bend in the wind.")))
    assert [(comment.author, comment.text) for comment in found] == [("Ann", "They bend in the wind.")]


NAMES = ("Ann", "Bo", "Cy")
LONG = "The lid of mine squeaks a little, and so it goes on for a while, as people do when they have something to say about a kettle. "


def _below(heading: str, said: str = LONG * 2, by: str = "<p class=by>Posted by: {0} | January 14, 2008 06:24 PM</p>") -> str:
    comments = "".join(f"<p>{name} says that. {said}</p>{by.format(name)}" for name in NAMES)
    return f"<body><div><h1>Kettles</h1>{TEXT}<h3>{heading}</h3>{comments}</div></body>"


def _without(page: str) -> str:
    """The text that is left where everything was kept."""
    tree = parse(page)
    keep = np.ones(len(tree), dtype=np.bool_)
    selection = Selection("made up", keep, np.zeros(len(tree), dtype=np.uint8), (Reason("kept", Cause.CONTENT),))
    kept = comments.without_comments(tree, selection).keep
    return " ".join(text for text, shown in zip(tree.texts, kept[tree.text_nodes], strict=True) if shown)


def test_signed_comments_below_a_heading_are_not_in_the_text_of_an_article():
    left = _without(_below("Comments"))
    assert "handle that stays cool" in left
    assert not any(name in left for name in NAMES)


@pytest.mark.parametrize(
    "page",
    [
        _below("Comments", said="Yes."),
        _below("Comments", by=""),
        _below("Reviews (3)", by="<p class=by>Posted by: {0} | January 14, 2008</p>"),
        _below("Comments").replace(TEXT, "<p>Text.</p>"),
    ],
    ids=["no prose", "not signed", "reviews may be main text", "hardly any text besides"],
)
def test_what_may_be_main_text_stays_below_a_heading(page: str):
    assert all(f"{name} says that" in _without(page) for name in NAMES)


def test_comments_below_a_heading_stay_where_a_named_area_holds_the_comments():
    named = "<div id=comments><div class=comment><b class=author>Di</b> <i class=date>1 May 2024</i><p>It is said here.</p></div></div>"
    left = _without(_below("Discussion").replace("</body>", f"{named}</body>"))
    assert "Ann says that" in left
    assert "It is said here" not in left


@pytest.mark.parametrize("counts", [(0, 2), (1, 1, 1, 1), ("none", 3, 4)], ids=["other numbers", "many alike", "words"])
def test_counts_of_comments_in_a_list_of_pages_are_no_headings(counts: tuple[object, ...]):
    post = "<h3>Kettles of {0}</h3><p class=by>Posted by: Ann | January {0}, 2008 06:24 PM</p><p>{1}</p><p>Comments ({2})</p>"
    posts = "".join(post.format(day, LONG * 2, count) for day, count in enumerate((*counts, counts[-1]), 11))
    assert read_comments(parse(f"<body><div>{posts}</div></body>")) == ()


def test_a_word_in_a_line_is_no_heading():
    page = _below("Kettles of 2007").replace(TEXT, f"{TEXT}<p>{LONG} <a href=#>comment</a></p>")
    assert read_comments(parse(page)) == ()


def test_a_few_of_many_paragraphs_that_speak_of_today_sign_nothing():
    told = "<p>Kettles today, and lids</p>" + f"<p>{LONG * 2}</p>" * 4
    assert read_comments(parse(f"<body><div>{TEXT}<h3>4 comments</h3>{told * 2}</div></body>")) == ()


RUNS = {
    "signatures before texts": "<p class=by>{0} @ 2024-05-01 17:2{1}</p><p>{2}</p>",
    "signatures after texts": "<p>{2}</p><p class=by>{0}, 1 May 2024, 17:2{1}</p>",
    "blocks": "<div class=box><p>{0} @ 2024-05-01 17:2{1}</p><p>{2}</p></div>",
    "rows": "<tr><td>{0}<br>2024-05-01 17:2{1}<td>{2}",
}


def _run(form: str, said: str = LONG * 2) -> str:
    blocks = "".join(form.format(name, number, f"{name} says that. {said}") for number, name in enumerate(NAMES))
    blocks = f"<table>{blocks}</table>" if form.startswith("<tr") else blocks
    return f"<body><div><h1>Kettles</h1>{TEXT}{TEXT}{blocks}<form><label>Your name</label></form></div></body>"


@pytest.mark.parametrize("form", RUNS)
def test_a_run_of_blocks_that_say_the_minute_are_comments_without_a_name_or_a_heading(form: str):
    tree = parse(page := _run(RUNS[form]))
    found = read_comments(tree, None, tree.text_nodes[:8])
    assert [any(f"{name} says that" in comment.text for comment in found) for name in NAMES] == [True] * 3
    assert [comment.date for comment in found] == [f"2024-05-01T17:2{number}:00" for number in range(3)]
    left = _without(page)
    assert "handle that stays cool" in left
    assert "says that" not in left


@pytest.mark.parametrize(
    "page",
    [
        _run(RUNS["blocks"].replace("<p>{2}", "<h3>Kettles of {0}</h3><p>{2}")),
        _run(RUNS["blocks"].replace("<p>{2}", "<p><a href=/>{2}</a>")),
        _run(RUNS["blocks"].replace("</div>", "<p>{1} comments</p></div>")),
        _run(RUNS["blocks"].replace("17:2{1}", "")),
        _run(RUNS["blocks"], said="So."),
        _run(RUNS["blocks"], said=LONG * 9),
        _run(RUNS["blocks"]).replace("class=box", "class=postbit"),
        _run("<p>{0} 17:2{1}, 1.5.2024</p><p>{2}</p>").replace("Cy 17", "Cy").replace("</form>", f"</form>{TEXT}"),
        _run("<pre>{0} 2024-05-01 17:2{1}\n{2}</pre>"),
        _run(RUNS["blocks"]).replace(TEXT, "<p>Text.</p>"),
    ],
    ids=["headings", "links", "counts", "days", "short", "longer than the text", "forum", "few", "output", "no text before"],
)
def test_other_runs_are_no_comments(page: str):
    tree = parse(page)
    assert read_comments(tree, None, tree.text_nodes[:8]) == ()
    assert all(f"{name} says that" in _without(page) for name in NAMES)


SAID = (
    "This function gives the number of gulls on the sea wall, those in flight and those on eggs included, but not their chicks, which "
    "nobody counts before they fly."
)


@pytest.mark.parametrize(
    ("page", "found"),
    [
        (f"<div class=comments><div class=comment>{SAID}</div><div class=comment>{SAID} And so on.</div></div>", 2),
        (
            "".join(
                f"<div class=comments><h4>f</h4><div class=comment>{SAID} {k}</div><div class=comment>{SAID}</div></div>" for k in "ab"
            ),
            0,
        ),
        (f"<table><tr><th>Date<th>Comments<tr><td>1 May 2024<td>{SAID}<tr><td>2 May 2024<td>{SAID}</table>", 0),
        (f"<h2>Comments</h2><table><tr><td>1 May 2024<td>{SAID}<tr><td>2 May 2024<td>{SAID}</table>", 2),
        (f"<pre>Comments\n<i>Ann wrote:</i> {SAID}</pre>", 0),
    ],
)
def test_a_manual_that_comments_on_its_functions_has_no_comments_of_visitors(page: str, found: int):
    assert len(read_comments(parse(f"<main><h1>Gulls</h1>{page}</main>"))) == found
