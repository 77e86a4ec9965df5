"""What the demo site has to say, before it has a layout."""

from __future__ import annotations

from dataclasses import dataclass, field

Table = tuple[tuple[str, ...], ...]
"""Rows of cells; ``""`` continues the cell above, so that cells merge."""


@dataclass(frozen=True, slots=True)
class Article:
    """A news article: what is written by hand; layouts add paragraphs made of :attr:`Language.news_sentences`."""

    slug: str
    title: str
    paragraphs: tuple[str, ...]
    heading: str
    quote: str
    tags: tuple[str, ...]
    points: tuple[str, ...] = ()
    table: Table = ()


@dataclass(frozen=True, slots=True)
class Chapter:
    """A page of the handbook. ``parts``: (kind, text) pairs in order; kinds are p, h2, note, code-<language>, ul, ol, dl and table."""

    slug: str
    title: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Thread:
    """A forum thread: the question and hand-written answers; layouts add to the answers."""

    slug: str
    title: str
    board: str
    posts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """Everything that is written in one language."""

    code: str
    """As in ``<html lang>``."""
    home: str
    """Where its pages start, e.g. ``/zh/``."""
    joiner: str
    """What stands between two sentences."""
    words: dict[str, str]
    """Labels of the chrome by name."""
    menu: tuple[tuple[str, tuple[str, ...]], ...]
    legal: tuple[str, ...]
    adverts: tuple[tuple[str, str], ...]
    slots: dict[str, tuple[str, ...]]
    """Fillings for ``{place}``, ``{person}`` and so on."""
    news_sentences: tuple[str, ...]
    forum_sentences: tuple[str, ...]
    handbook_sentences: tuple[str, ...]
    comments: tuple[str, ...]
    articles: tuple[Article, ...]
    chapters: tuple[Chapter, ...]
    threads: tuple[Thread, ...]
    authors: tuple[str, ...]
    members: tuple[str, ...]
    signatures: tuple[str, ...] = field(default=())


def rows(text: str) -> tuple[str, ...]:
    """The lines of a text that say something.

    >>> rows('''
    ... one
    ... two
    ... ''')
    ('one', 'two')
    """
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def blocks(text: str, joiner: str = " ") -> tuple[str, ...]:
    """Paragraphs of a text: they are apart by an empty line; a paragraph's own lines are joined."""
    return tuple(joiner.join(rows(block)) for block in text.strip().split("\n\n") if block.strip())


def table(text: str) -> Table:
    """A table written with ``|`` between cells."""
    return tuple(tuple(cell.strip() for cell in row.split("|")) for row in rows(text))
