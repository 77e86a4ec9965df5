"""JSON-LD as pages write it: each block is read by itself, with its faults.

The *things* of a page are objects at the top, in a ``@graph``, or the ``mainEntity`` of another; other nested objects are not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from tamis.document.metadata.broken_json import MAX_DIGITS, read_broken_json
from tamis.page.references import unescaped

Thing = dict[str, Any]

MAX_BLOCK = 2_000_000  #: Characters of a block; a longer one is left out.
MAX_THINGS = 500  #: Things looked at on one page.
MAX_VALUES = 50  #: Values of one property that are looked at.

_DECODER = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) <= MAX_DIGITS else digits)


def read_json_ld(blocks: Iterable[str]) -> list[Thing]:
    """Return the things that a page's JSON-LD blocks are about, in order; broken blocks give what can be saved of them.

    >>> [thing["headline"] for thing in read_json_ld(['<!-- {"headline": "A"} -->', '[{"headline": "B",},]'])]
    ['A', 'B']
    """
    things: list[Thing] = []
    for block in blocks:
        if len(block) <= MAX_BLOCK and len(things) < MAX_THINGS:
            things.extend(islice(_about_the_page(parse_block(block)), MAX_THINGS - len(things)))
    return things


def parse_block(block: str) -> list[Any]:
    """Return the JSON values of a block. Most are valid; others are read with their faults."""
    text = block.strip()
    try:
        return [_DECODER.decode(text)]
    except (ValueError, RecursionError):
        pass
    if text.startswith(("{&quot;", "[{&quot;")) or '"' not in text[:1_000]:
        text = unescaped(text)
    return read_broken_json(text)


def _about_the_page(values: list[Any]) -> Iterator[Thing]:
    stack = values[::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value[::-1])
        elif isinstance(value, dict):
            yield value
            # several main entities are the entries of a list (questions, products): none of them is the page's own
            stack.extend(
                inner for name in ("mainEntityOfPage", "mainEntity") if isinstance(inner := value.get(name), dict) and len(inner) > 2
            )
            stack.append(value.get("@graph"))


def types_of(thing: Thing) -> tuple[str, ...]:
    """Return the types of a thing, lower case, without the vocabulary's address.

    >>> types_of({"@type": ["https://schema.org/NewsArticle", "schema:Report"]})
    ('newsarticle', 'report')
    """
    return tuple(re.split(r"[/#:]", name)[-1].lower() for name in words_of(thing.get("@type")))


def words_of(value: Any, names: Sequence[str] = ("@value", "name")) -> list[str]:
    """Return the strings of a property: itself, those in a list, and the first of ``names`` that an object has.

    >>> words_of(["A", {"name": "B"}, {"name": ["C", "D"]}, None, 7])
    ['A', 'B', 'C', 'D']
    """
    found: list[str] = []
    stack = [value]
    looked = 0
    while stack and len(found) < MAX_VALUES and looked < 4 * MAX_VALUES:
        looked += 1
        value = stack.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list):
            stack.extend(value[:MAX_VALUES][::-1])
        elif isinstance(value, dict):
            stack.append(next((value[name] for name in names if value.get(name)), None))
    return found


def resolve(value: Any, by_id: dict[str, Thing]) -> Any:
    """Return a property whose values are references (``{"@id": ...}``), with the things referred to in their place; one step."""
    if isinstance(value, list):
        return [_referred(item, by_id) for item in value[:MAX_VALUES]]
    return _referred(value, by_id)


def _referred(value: Any, by_id: dict[str, Thing]) -> Any:
    if isinstance(value, dict) and not value.get("name") and isinstance(value.get("@id"), str):
        return by_id.get(value["@id"], value)
    return value
