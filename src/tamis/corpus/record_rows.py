"""The lists of a page as rows: results, products, posts, entries. What belongs to the site's template is no list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis.document.document import Document
from tamis.document.selection import Cause
from tamis.records.finding import Region, find_records

FEWEST = 3
"""Records of a list."""
MOST_TEMPLATE = 0.5
"""A list of whose characters more belong to the template is part of it: a menu."""
FEWEST_FIELDS = 2
"""Fields that half of the records have at least: what has one is lines of running text, or of code."""


def record_rows(document: Document, number: int, site: str) -> Iterator[dict[str, Any]]:
    """The rows of :data:`tamis.corpus.tables.RECORDS` of a page, lists and records in order."""
    kept = 0
    for region in find_records(document.tree, url=document.url).regions:
        if len(region) < FEWEST or _is_template(region, document):
            continue
        table = region.table
        filled = sorted(sum(value is not None for value in row) for row in table.rows)
        if filled[len(filled) // 2] < FEWEST_FIELDS:
            continue
        place = region.css
        for record, values in enumerate(table.records()):
            row = {"id": number, "url": document.url, "site": site, "region": kept, "place": place, "record": record}
            yield {**row, "values": json.dumps(values, ensure_ascii=False).encode("utf-8", "replace").decode()}
        kept += 1


def _is_template(region: Region, document: Document) -> bool:
    selection, lengths = document.selection, document.tree.text_length
    templates = np.array([reason.cause is Cause.TEMPLATE for reason in selection.reasons], dtype=np.bool_)
    own = np.zeros(len(lengths), dtype=np.bool_)
    for spans in region.spans:
        for first, after in spans:
            own[first:after] = True
    template = own & ~selection.keep & templates[selection.reason]
    return int(lengths[template].sum()) > MOST_TEMPLATE * max(int(lengths[own].sum()), 1)
