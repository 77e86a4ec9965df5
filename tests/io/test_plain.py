"""Dataclasses of plain values: what was written is read again, and what is of another type is refused."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from tamis.errors import UsageError
from tamis.io.plain import made


@dataclass(frozen=True)
class Inner:
    share: float = 0.5


@dataclass(frozen=True)
class Outer:
    name: str
    words: tuple[str, ...] = ()
    count: int | None = None
    on: bool = False
    kind: Literal["a", "b"] = "a"
    place: Path = Path()
    more: Mapping[str, Any] = field(default_factory=dict)
    inner: Inner = Inner()


def test_what_was_written_as_json_is_read_again():
    outer = Outer("n", ("x", "y"), 3, True, "b", Path("f"), {"k": [1]}, Inner(1.0))
    assert made(Outer, json.loads(json.dumps(asdict(outer), default=str)), "it") == outer
    assert made(Outer, {"name": "n", "words": "one", "inner": {"share": 1}}, "it") == Outer("n", ("one",), inner=Inner(1))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "it is an object"),
        ({}, "it: name is missing"),
        ({"nme": "n"}, "there is no setting 'nme'; did you mean 'name'"),
        ({"name": 1}, "it: name is a text, not 1"),
        ({"name": "n", "words": ["x", 1]}, "it: words is a list of texts"),
        ({"name": "n", "count": True}, "it: count is a whole number, not True"),
        ({"name": "n", "on": 1}, "it: on is true or false, not 1"),
        ({"name": "n", "kind": 1}, "it: kind is a text, not 1"),
        ({"name": "n", "more": []}, "it: more is an object"),
        ({"name": "n", "inner": {"share": "x"}}, "it: inner: share is a number, not 'x'"),
        ({"name": "n", "inner": {"share": float("nan")}}, "it: inner: share is nan"),
    ],
)
def test_what_is_of_another_type_is_refused(values, said):
    with pytest.raises(UsageError, match=said):
        made(Outer, values, "it")
