"""Mark the nodes of a page that belong to posts of a forum thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tamis.document.comment import Comment
from tamis.document.comments import read_posts
from tamis.page.tree import PageTree

LEAST_POSTS = 3  #: Posts of a thread; fewer may be anything that is signed.
POST_CHROME, POST_BODY = 1, 2  #: Nodes of a post beside its text (name, date, signature, buttons), and nodes of its text.
LINKED = 0.5  #: Share of link text in half of the posts from which on they are rows of an index: threads, boards, goods.
DIFFERENT = 0.8  #: Share of the titles of an index that differ; those of answers repeat that of the thread, or lead to the same page.
_NEXT, _NEAR, _LONG = 4, 300, 20
"""Characters after a piece of a post's text where the next one begins; where a long one may begin; characters of a long one."""


def post_mask(tree: PageTree) -> NDArray[np.uint8]:
    """Mark each node by its part in the posts of a thread: 0, :data:`POST_CHROME` or :data:`POST_BODY`, uint8 ``(n,)``.

    >>> from tamis import parse
    >>> post = "<div class=post><span class=author>{}</span> <time datetime=2024-03-01>1 March</time><div class=body>{}</div></div>"
    >>> said = [("Ann", "Do reeds bend?"), ("Bo", "They do."), ("Cy", "Not all of them.")]
    >>> tree = parse("<div class=forum>" + "".join(post.format(*each) for each in said))
    >>> [text for text, node in zip(tree.texts, tree.text_nodes) if post_mask(tree)[node] == POST_BODY]
    ['Do reeds bend?', 'They do.', 'Not all of them.']
    """
    found = np.zeros(len(tree), dtype=np.uint8)
    posts = sorted(read_posts(tree), key=lambda post: post.node)
    for post in posts if len(posts) >= LEAST_POSTS else ():  # nested posts come later
        found[slice(*post.span(tree))] = POST_CHROME
        found[list(_texts_of_post(tree, post))] = POST_BODY
    return found


def are_rows(tree: PageTree, posts: Sequence[Comment]) -> bool:
    """Return whether posts are rather the rows of an index, such as a forum's: links to other pages, or with titles that lead there."""
    if not posts:
        return False
    linked = tree.linked_before
    few = sum(linked[end] - linked[first] <= LINKED * len(post.text) for post in posts for first, end in [post.span(tree)])
    if 2 * few <= len(posts) and float(np.median([_linked(tree, post) for post in posts])) > LINKED:  # few: counting all their links
        return True
    titles = [title for post in posts if (title := _linked_title(tree, post)) is not None]
    return len(titles) > len(posts) / 2 and all(len(set(each)) >= DIFFERENT * len(titles) for each in zip(*titles, strict=True))


def _linked_title(tree: PageTree, post: Comment) -> tuple[str, str] | None:
    """Return the text that begins a post and the target of its link, without the fragment; None if it is not a link."""
    from tamis.document.metadata.dates import dates_in

    for node in islice(_texts_of_post(tree, post), 1):
        said = tree.text(node)
        if tree.in_link[node] and not any(dates_in(said)):  # a linked date is a link to the post itself
            return said, _link_target(tree, node)
    return None


def _linked(tree: PageTree, post: Comment) -> float:
    linked = [node for node in _texts_of_post(tree, post) if tree.in_link[node] and not _link_target(tree, node).startswith("javascript:")]
    return float(tree.text_length[linked].sum() / len(post.text))


def _link_target(tree: PageTree, node: int) -> str:
    return (tree.attribute(int(tree.link_around[node]), "href") or "").strip().partition("#")[0]


def _texts_of_post(tree: PageTree, post: Comment) -> Iterator[int]:
    """Yield the texts that the text of a post is made of, nodes. They follow each other in it, so that it is gone through once."""
    at = 0
    first, last = tree.texts_between(*post.span(tree))
    for node, text in zip(tree.text_nodes[first:last].tolist(), tree.texts[first:last], strict=True):
        said = " ".join(text.split())
        place = post.text.find(said, at, at + (_NEAR if len(said) >= _LONG else _NEXT) + len(said)) if said else -1
        if place >= 0:
            yield node
            at = place + len(said)
