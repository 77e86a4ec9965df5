import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.document.metadata.broken_json import MAX_DEPTH, read_broken_json


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "The "old" mill", "by": "Bo Ek"}',
        '{"name": "The "old" mill" "by": "Bo Ek"}',
        '{"name": "The "old" mill",\n\n"by": "Bo Ek"',
        '{name: "The \\"old\\" mill", by: "Bo Ek"}',
        "{'name': 'The \"old\" mill', 'by': 'Bo Ek'}",
        '{"name": "The "old" mill", "image": , "by": "Bo Ek", "url": }',
        '{"name": "The "old" mill", "by": "Bo Ek", , "tags": ["a" "b", c]]}',
        '{"name": "The "old" mill", "by": "Bo Ek"}}}]',
        'window.data = {"name": "The "old" mill", "by": "Bo Ek"};',
        '{“name”: “The "old" mill”, "by": "Bo Ek"}',
    ],
)
def test_one_fault_costs_no_other_value(text: str):
    [found] = read_broken_json(text)
    assert {name: found[name] for name in ("name", "by")} == {"name": 'The "old" mill', "by": "Bo Ek"}


def test_values_keep_their_kinds_and_escapes():
    [found] = read_broken_json('{"a": 1, "b": -2.5e1, "c": true, "d": null, "e": "\\u00e9\\n\\ud83d\\ude00\\ud83d", f: 1.2.3,}')
    assert found == {"a": 1, "b": -25.0, "c": True, "d": None, "e": "é\n😀\ufffd", "f": "1.2.3"}


def test_what_is_too_deep_is_left_out():
    [found] = read_broken_json('{"a":' * (MAX_DEPTH + 50))
    depth = 0
    while found:
        found, depth = found.get("a"), depth + 1
    assert depth < MAX_DEPTH + 1


PLAIN = st.text(alphabet="abc äé1 .-", max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN.map(lambda name: f"n{name}"), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(PLAIN, JSON))
def test_json_without_faults_is_read_as_it_is(value: dict[str, object]):
    assert read_broken_json(json.dumps(value)) == [value]


@given(st.text(max_size=60) | st.text(alphabet="{}[]\"',:/*\\ ab1\n", max_size=60))
def test_no_text_raises(text: str):
    read_broken_json(text)
