"""Pages of the command line as trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tamis.errors import TamisError

if TYPE_CHECKING:
    from tamis.io.fetch import Limits
    from tamis.io.pages import Source
    from tamis.page.tree import PageTree


def tree_of(source: Source, limits: Limits | None = None) -> tuple[PageTree, str | None]:
    """The tree of a page, and its address.

    Raises:
        SourceError: it cannot be read.
    """
    from tamis.io.fetch import Limits
    from tamis.page.parsing import parse

    served = source.read(limits or Limits())
    return parse(served.html, content_type=served.content_type), served.url


def readable(sources: Sequence[Source], label: str, failures: list[str]) -> Iterator[tuple[Source, PageTree]]:
    """The trees of the pages that can be read, while a progress bar of this label moves; ``failures`` takes the reasons for the others."""
    from tamis.cli.progress import bars

    with bars() as update:
        for number, source in enumerate(sources):
            update(label, number, len(sources))
            try:
                yield source, tree_of(source)[0]
            except TamisError as error:
                failures.append(str(error))
