"""Comments, reviews and posts that a page states (https://schema.org/Comment): in microdata, element by element, or in JSON-LD."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.document.comment import MAX_COMMENTS, MAX_LEVELS, SHORT, Comment, Dates, Parts, each_own, nesting, read_comment, written
from tamis.page.microdata import ANSWERS, COMMENTS, Kinds, items_of, kind_of
from tamis.page.tree import PageTree

MAX_TEXT = 100_000  #: Characters of a comment in JSON-LD.
_PROPERTIES = ("comment", "review", "reviews")  #: Of a thing, that hold comments.
_TEXTS, _DATES = ("text", "reviewBody", "commentText", "description"), ("datePublished", "dateCreated")
REVIEWS: Kinds = frozenset({"review", "userreview"})
POSTS: Kinds = ANSWERS | {"question"}
OPENING: Kinds = frozenset({"discussionforumposting"})
_THREADS: Kinds = OPENING | {"qapage"}


def is_stated_thread(tree: PageTree) -> bool:
    """Return whether microdata says that the page is a thread of a forum, or a question with answers of its visitors."""
    return any(kind_of(name) in _THREADS for name in tree.values("itemtype").distinct)


def read_items(tree: PageTree, wanted: NDArray[np.intp], dates: Dates) -> Iterator[Comment]:
    """Yield the comments in some of :func:`items_of`, in order."""
    if not len(wanted):
        return
    every, chosen = items_of(tree, COMMENTS | REVIEWS | POSTS | OPENING), set(wanted.tolist())
    every = every[nesting(tree, every, 0, len(tree))[every] <= MAX_LEVELS][:MAX_COMMENTS]
    parts = Parts(tree, tree.subtree_mask(wanted))
    for node, own, level in each_own(tree, every.tolist(), written(tree)):
        if node in chosen and (comment := read_comment(parts, node, own, level, dates, 1.0)).text:
            yield comment


def read_json_ld_comments(tree: PageTree, dates: Dates) -> Iterator[Comment]:
    """Yield the comments, and two reviews or more, of the things in the page's JSON-LD; a review alone may be the editor's."""
    from tamis.document.metadata.json_ld import read_json_ld

    places: dict[str, int] = {}
    for thing in read_json_ld(tree.json_ld):
        for name in _PROPERTIES:
            given = thing.get(name)
            given = given if isinstance(given, list) else [given] * (name == "comment")
            if given and not places:
                places = {_beginning_of(text): node for text, node in zip(tree.texts, tree.parent[tree.text_nodes].tolist(), strict=True)}
            if len(given) > 1 or name == "comment":
                yield from _read_things(given[:MAX_COMMENTS], places, dates)


def _read_things(given: list[Any], places: dict[str, int], dates: Dates) -> Iterator[Comment]:
    """Comments and the replies to them. ``places``: of the page's texts."""
    stack = [(each, 0) for each in reversed(given)]
    while stack:
        thing, level = stack.pop()
        if not isinstance(thing, dict):
            continue
        if text := _first_property(thing, _TEXTS, MAX_TEXT):
            yield Comment(
                text,
                _first_property(thing, ("author",)),
                dates.first_in(_first_property(thing, _DATES) or ""),
                level,
                places.get(_beginning_of(text), 0),
            )
        replies = thing.get("comment")
        if level < MAX_LEVELS:
            stack.extend((each, level + 1) for each in reversed(replies if isinstance(replies, list) else [replies]))


def _first_property(thing: dict[str, Any], names: tuple[str, ...], limit: int = SHORT) -> str | None:
    from tamis.document.metadata.clean_text import line
    from tamis.document.metadata.json_ld import words_of

    return next((said for name in names for word in words_of(thing.get(name)) if (said := line(word, limit))), None)


def _beginning_of(text: str) -> str:
    """Return the beginning of a text, by which its place on the page is found."""
    return " ".join(text[: 2 * SHORT].split())[: SHORT // 2]
