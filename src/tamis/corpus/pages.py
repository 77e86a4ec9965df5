"""The pages of a task's shard."""

from __future__ import annotations

from collections.abc import Iterator

from tamis.corpus.shards import Shard, read
from tamis.corpus.tasks import Work
from tamis.io.pages import Fields, Source


def open_shard(work: Work) -> Iterator[Source]:
    """The pages of the shard that a task is about, in order."""
    needs = work.task.needs
    return read(Shard.from_dict(needs["shard"]), Fields(needs["url_field"], needs["html_field"]))
