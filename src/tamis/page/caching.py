"""Answers that are kept: several rules ask the same of a page, and the pages of a site share their class names."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tamis.page.tree import PageTree

MOST_NAMES, LONGEST_NAME = 4096, 200
"""Names that each function keeps answers for, and their characters: longer ones fill the memory, and are not shared."""
Answer = TypeVar("Answer")


def of_page(read: Callable[[PageTree], Answer]) -> Callable[[PageTree], Answer]:
    """A function of a page whose answer the page keeps: trees never change."""
    name = f"{read.__module__}.{read.__qualname__}"

    @wraps(read)
    def kept(tree: PageTree) -> Answer:
        answers = vars(tree)
        if name not in answers:
            answers[name] = read(tree)
        answer: Answer = answers[name]
        return answer

    return kept


def of_name(read: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """A function of class names or an id that keeps its latest answers."""
    latest = lru_cache(MOST_NAMES)(read)

    @wraps(read)
    def kept(name: str) -> Answer:
        return latest(name) if len(name) <= LONGEST_NAME else read(name)

    return kept
