"""Dataclasses made of plain values, as JSON and TOML have them; the types of the fields say what each value has to be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tamis.errors import UsageError

_Made = TypeVar("_Made")
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", Path: "a text", dict: "an object", list: "a list"}


def made(kind: type[_Made], values: object, named: str) -> _Made:
    """Return a dataclass with these values; fields that are dataclasses are made of theirs. ``named``: what has the values, for messages.

    Raises:
        UsageError: a value is unknown, missing, or of another type.
    """
    if not isinstance(values, Mapping):
        raise UsageError(f"{named} is an object, not {values!r}")
    types = get_type_hints(kind)
    for name in values:
        if name not in types:
            near = get_close_matches(name, types, 1)
            raise UsageError(f"{named}: there is no setting {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    for field in fields(kind):  # type: ignore[arg-type]  # a dataclass
        if field.name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise UsageError(f"{named}: {field.name} is missing")
    return kind(**{name: _field_value(types[name], value, f"{named}: {name}") for name, value in values.items()})


def _field_value(kind: Any, value: Any, named: str) -> Any:
    """Return a value as its field holds it. Whether a text is one of several that a ``Literal`` names is checked by the class."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if value is None and NoneType in inner else _field_value(inner[0], value, named)
    if is_dataclass(kind):
        return made(kind, value, named)  # type: ignore[arg-type]  # a class
    if origin is tuple:
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
            raise UsageError(f"{named} is a list of texts, not {value!r}")
        return tuple(items)
    wanted = str if origin is Literal else dict if origin is Mapping else origin or kind
    if wanted is Any:
        return value
    right: Any = {float: (int, float), Path: str}.get(wanted, wanted)
    if not isinstance(value, right) or (isinstance(value, bool) and wanted is not bool):
        raise UsageError(f"{named} is {_WORDS[wanted]}, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{named} is {value}")
    return Path(value) if wanted is Path else value
