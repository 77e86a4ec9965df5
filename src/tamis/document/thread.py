"""What the posts of a forum thread say of each node of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tamis.document.comment import Comment, written
from tamis.document.comments import read_posts
from tamis.page.tree import PageTree

LEAST_POSTS = 3  #: Posts of a thread; fewer may be anything that is signed.
BESIDE, SAID = 1, 2  #: Nodes that stand in a post beside its text (name, date, signature, buttons), and those of its text.
LINKED = 0.5  #: Share of link text in half of the posts from which on they are rows of an index: threads, boards, goods.
DIFFERENT = 0.8  #: Share of the titles of an index that differ; those of answers repeat that of the thread, or lead to the same page.
_NEXT, _NEAR, _LONG = 4, 300, 20
"""Characters after a piece of a post's text where the next one begins; where a long one may begin; characters of a long one."""


def posts_of_thread(tree: PageTree) -> NDArray[np.uint8]:
    """What each node has to do with the posts of a thread: 0, :data:`BESIDE` or :data:`SAID`, uint8 ``(n,)``.

    >>> from tamis import parse
    >>> post = "<div class=post><span class=author>{}</span> <time datetime=2024-03-01>1 March</time><div class=body>{}</div></div>"
    >>> said = [("Ann", "Do reeds bend?"), ("Bo", "They do."), ("Cy", "Not all of them.")]
    >>> tree = parse("<div class=forum>" + "".join(post.format(*each) for each in said))
    >>> [text for text, node in zip(tree.texts, tree.text_nodes) if posts_of_thread(tree)[node] == SAID]
    ['Do reeds bend?', 'They do.', 'Not all of them.']
    """
    found = np.zeros(len(tree), dtype=np.uint8)
    posts = sorted((post for post in read_posts(tree) if post.node), key=lambda post: post.node)
    if len(posts) < LEAST_POSTS:
        return found
    own = written(tree)
    for post in posts:  # those that stand in others come later
        end = post.end or int(tree.end[post.node])
        found[post.node : end] = BESIDE
        first, last = tree.texts_between(post.node, end)
        said = [k for k in _said(tree, post, first, last) if own[tree.text_nodes[k]]]
        found[tree.text_nodes[said]] = SAID
    return found


def are_rows(tree: PageTree, posts: Sequence[Comment]) -> bool:
    """Whether posts are rather the rows of an index, as of a forum: links to what is said elsewhere, or with titles that lead there."""
    if not posts:
        return False
    linked = tree.linked_before
    few = sum(linked[post.end or tree.end[post.node]] - linked[post.node] <= LINKED * len(post.text) for post in posts)
    if 2 * few <= len(posts) and float(np.median([_linked(tree, post) for post in posts])) > LINKED:  # few: counting all their links
        return True
    titles = [title for post in posts if (title := _linked_title(tree, post)) is not None]
    return len(titles) > len(posts) / 2 and all(len(set(each)) >= DIFFERENT * len(titles) for each in zip(*titles, strict=True))


def _linked_title(tree: PageTree, post: Comment) -> tuple[str, str] | None:
    """The text that a post begins with and where it leads, without the fragment; None where it is no link."""
    from tamis.document.metadata.dates import dates_in

    first, last = tree.texts_between(post.node, post.end or int(tree.end[post.node])) if post.node else (0, 0)
    for k in islice(_said(tree, post, first, last), 1):
        node = int(tree.text_nodes[k])
        if tree.in_link[node] and not any(dates_in(tree.texts[k])):  # a linked date is a link to the post itself
            return tree.texts[k].strip(), _target(tree, node)
    return None


def _linked(tree: PageTree, post: Comment) -> float:
    """Share of link text in the text of a post."""
    if not (post.node and post.text):
        return 0.0
    said = tree.text_nodes[list(_said(tree, post, *tree.texts_between(post.node, post.end or int(tree.end[post.node]))))]
    linked = [node for node in said[tree.in_link[said]].tolist() if not _target(tree, node).startswith("javascript:")]
    return float(tree.text_length[linked].sum() / len(post.text))


def _target(tree: PageTree, node: int) -> str:
    """Where the link around a text leads, without the fragment."""
    return (tree.attribute(int(tree.link_around[node]), "href") or "").strip().partition("#")[0]


def _said(tree: PageTree, post: Comment, first: int, last: int) -> Iterator[int]:
    """Which texts the text of a post is made of. They follow each other in it, so that it is gone through once."""
    at = 0
    for k, text in enumerate((" ".join(text.split()) for text in tree.texts[first:last]), first):
        if not text:
            continue
        place = post.text.find(text, at, at + _NEXT + len(text))
        if place < 0 and len(text) >= _LONG:
            place = post.text.find(text, at, at + _NEAR + len(text))
        if place >= 0:
            yield k
            at = place + len(text)
