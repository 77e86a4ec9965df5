import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.document.metadata.json_ld import MAX_BLOCK, MAX_THINGS, parse_block, read_json_ld, resolve, types_of, words_of

ARTICLE = '{"@type": "Article", "headline": "Ripe tomatoes"}'


def headlines(*blocks: str) -> list[str]:
    return [thing["headline"] for thing in read_json_ld(blocks) if "headline" in thing]


@pytest.mark.parametrize(
    "block",
    [
        '{"@type": "Article", "headline": "Ripe tomatoes",}',
        '{"@type": ["Article"], "tags": ["a", "b", ], "headline": "Ripe tomatoes"}',
        '{"@type": "Article", /* why */ "headline": "Ripe tomatoes" // so\n}',
        '{"@type": "Article", "description": "two\nlines\tand a tab", "headline": "Ripe tomatoes"}',
        f"//<![CDATA[\n{ARTICLE}\n//]]>",
        f"/*<![CDATA[*/{ARTICLE}/*]]>*/",
        f"<!-- {ARTICLE} -->",
        f"\ufeff{ARTICLE};",
        ARTICLE.replace('"', "&quot;"),
        '{"url": "http://example.org/a//b", "name": "it\\\'s", "headline": "Ripe tomatoes",}',
        f'{{"@type": "WebSite"}}\n{ARTICLE}',
        f'[{{"@type": "WebSite"}}, {ARTICLE}]',
        f'{{"@context": "https://schema.org", "@graph": [{{"@type": "WebPage"}}, {ARTICLE}]}}',
        f'{{"@type": "WebPage", "mainEntity": {ARTICLE[:-1]}, "url": "x"}}}}',
    ],
)
def test_blocks_as_pages_write_them_are_read(block):
    assert headlines(block) == ["Ripe tomatoes"]


@pytest.mark.parametrize(
    "broken", ["", "not json", "{", '{"a": }', "[" * 100_000, '{"a":' * 50_000, "null", "7", '"text"', "[[[]]]", "9" * 10_000]
)
def test_a_broken_block_costs_nothing_but_itself(broken):
    assert headlines(broken, ARTICLE) == ["Ripe tomatoes"]


def test_comments_and_commas_inside_strings_stay():
    assert parse_block('{"a": "http://b, ]", "c": "/* d */",}') == [{"a": "http://b, ]", "c": "/* d */"}]


def test_things_about_something_else_are_not_looked_at():
    block = json.dumps({"@type": "Article", "comment": [{"@type": "Comment", "headline": "no"}], "hasPart": {"headline": "no"}})
    assert headlines(block) == []


def test_a_number_too_long_for_python_does_not_cost_the_rest():
    assert headlines('{"x": ' + "9" * 10_000 + ', "headline": "Ripe tomatoes"}') == ["Ripe tomatoes"]


@pytest.mark.parametrize("digits", [1_000, 1_001, 10_000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_no_digit_of_a_long_number_is_lost(sign, digits):
    [thing] = read_json_ld(['{"sku": %s}' % (sign + "7" * digits)])
    assert str(thing["sku"]) == sign + "7" * digits


def test_sizes_are_bounded():
    assert read_json_ld(['{"a": "' + "b" * MAX_BLOCK + '"}']) == []
    assert len(read_json_ld(["[" + "{}," * 10_000 + "{}]"])) == MAX_THINGS


def test_references_are_followed_one_step():
    person = {"@id": "#ann", "name": "Ann Lee"}
    assert words_of(resolve([{"@id": "#ann"}, "Bo Ek", {"@id": "#nobody"}], {"#ann": person})) == ["Ann Lee", "Bo Ek"]


def test_types_may_be_lists_and_addresses():
    assert types_of({"@type": ["http://schema.org/BlogPosting", 3]}) == ("blogposting",)
    assert types_of({}) == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["@type", "@id", "@graph", "name", "headline", "mainEntity"]), inner)
    ),
    max_leaves=20,
)


@given(JSON)
def test_valid_json_is_read_as_it_is(value):
    assert parse_block(json.dumps(value)) == [value]


@given(st.text(alphabet='{}[]",:/*\\\n abn1', max_size=60))
def test_no_text_raises(text):
    assert headlines(text, ARTICLE)[-1] == "Ripe tomatoes"
