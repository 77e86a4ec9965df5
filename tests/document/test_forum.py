"""A page is a thread of a forum by its address, its JSON-LD and its microdata, or by the names that a forum's software gives."""

from __future__ import annotations

import pytest

from tamis import parse
from tamis.document.forum import is_forum, is_thread

ARTICLE, THREAD = "https://reeds.example/notes/1", "https://reeds.example/viewtopic.php?t=1"


@pytest.mark.parametrize(
    "url", [THREAD, "https://bbs.example.cn/thread-1-1-1.html", "https://example.org/t/reeds/17", "https://ex.org/QUESTIONS/7"]
)
def test_an_address_says_that_a_page_is_a_thread(url):
    assert is_thread(parse("<p>Reeds."), url)
    assert not is_thread(parse("<p>Reeds."), ARTICLE)


def test_the_address_is_the_canonical_one_else_the_last_that_meta_states():
    canonical, stated = '<link rel="{}canonical" href="{}">'.format, '<meta property="og:url" content="{}">'.format
    assert is_thread(parse(canonical("", THREAD)))
    assert is_thread(parse(canonical("", "") + canonical("next ", THREAD)))
    assert is_thread(parse(stated(ARTICLE) + stated(THREAD)))
    assert not is_thread(parse(stated(THREAD) + stated(ARTICLE)))
    assert not is_thread(parse(stated(THREAD) + canonical("", ARTICLE)))
    assert not is_thread(parse(canonical("", THREAD)), ARTICLE)


def test_json_ld_says_that_a_page_is_a_thread():
    page = '<script type="application/ld+json">{{"@type": {}}}</script><p>Reeds.'
    assert is_thread(parse(page.format('"https://schema.org/QAPage"')))
    assert is_thread(parse(page.format('["DiscussionForumPosting"]')))
    assert not is_thread(parse(page.format('"Article", "name": "QAPage"')))


@pytest.mark.parametrize("given", ["class='row phpBB3'", "id=vbulletin_html", "id='forum-main'", "class='" + "a " * 11 + "bbpress'"])
def test_names_say_that_a_page_was_made_by_the_software_of_a_forum(given):
    assert is_forum(parse(f"<div {given}><p>Reeds.</div>"))
    assert not is_thread(parse(f"<div {given}><p>Reeds.</div>"))
    assert not is_forum(parse(f"<p><span {given}>Reeds.</span>"))  # no part of a page


@pytest.mark.parametrize("given", ["class='" + "a " * 12 + "bbpress'", f"id={'a' * 80}forum", "class=présse"])
def test_names_that_say_nothing_of_a_forum(given):
    assert not is_forum(parse(f"<div {given}><p>Reeds.</div>"))


def test_the_texts_of_posts_show_a_forum_where_another_name_does():
    assert is_forum(parse("<p class=forum><b id=postmessage_17>Reeds.</b>"))


def test_a_page_below_a_forum_is_a_thread():
    crumbs = "<div class=breadcrumb><a href=/>Home</a> <a href={}>Talk</a></div>"
    assert is_thread(parse(crumbs.format("../../forum/7/")), ARTICLE)
    assert is_thread(parse(crumbs.format("viewforum.php?f=7")), ARTICLE)
    assert not is_thread(parse(crumbs.format("/reforums/")), ARTICLE)
    assert not is_thread(parse("<body class=has-breadcrumb><a href=/forum/>Talk</a>" + crumbs.format("/reeds/")), ARTICLE)
