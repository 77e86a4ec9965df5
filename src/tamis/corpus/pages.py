"""The pages of a task's shard."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from tamis.corpus.shards import Shard, read
from tamis.corpus.tasks import NOBODY, Work
from tamis.io.pages import BrokenSource, Fields, Source


def open_shard(work: Work) -> Iterator[tuple[int, Source]]:
    """The pages of the shard that a task is about, with their positions. A page is noted before it is read, so reading counts for it.

    Where the shard cannot be read any further, that stands in the place of the rest.
    """
    needs = work.task.needs
    pages = read(Shard.from_dict(needs["shard"]), Fields(needs["url_field"], needs["html_field"]))
    for position in count():
        work.note(position)
        try:
            source = next(pages, None)
        except Exception as error:  # one damaged file must not end the run
            path = needs["shard"]["paths"][0]
            yield position, BrokenSource(path, f"cannot read {path} any further: {type(error).__name__}: {error}")
            break
        if source is None:
            break
        yield position, source
    work.note(NOBODY)
