"""Answers that are kept: several rules ask the same of a page, and the pages of a site share their class names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from tamis.page.tree import PageTree

MOST_NAMES, LONGEST_NAME = 4096, 200
"""Names that each function keeps answers for, and their characters: longer ones fill the memory, and are not shared."""
Answer = TypeVar("Answer")
Page = TypeVar("Page")


if TYPE_CHECKING:
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801
        """That of the standard library, without the lock that it has before Python 3.12."""

        def __get__(self, owner: Any, kind: Any = None) -> Any:
            if owner is None:
                return self
            answer = vars(owner)[self.attrname] = self.func(owner)
            return answer


def keep(tree: PageTree, name: str, answer: Answer) -> Answer:
    """Let a page keep an answer under a name, and return it. Trees never change, so answers stay true."""
    vars(tree)[name] = answer
    return answer


def kept(tree: PageTree, name: str) -> Any:
    """Return what a page keeps under a name; None if it keeps nothing."""
    return vars(tree).get(name)


def of_page(read: Callable[[Page], Answer]) -> Callable[[Page], Answer]:
    """Return a function of a page, or of what is read from one, which keeps the answer."""
    name = f"{read.__module__}.{read.__qualname__}"

    @wraps(read)
    def answered(page: Page) -> Answer:
        answers: dict[str, Answer] = vars(page)
        if name not in answers:
            answers[name] = read(page)
        return answers[name]

    return answered


def of_name(read: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """Return a function of class names or an id that keeps its latest answers."""
    latest = lru_cache(MOST_NAMES)(read)

    @wraps(read)
    def answered(name: str) -> Answer:
        return latest(name) if len(name) <= LONGEST_NAME else read(name)

    return answered
