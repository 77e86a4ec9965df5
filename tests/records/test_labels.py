"""Fields stay in their column, whichever a record lacks."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import find_records
from tamis.records.labels import Key, Told, said_by_words

FIELDS = ("place", "pay", "posted", "hours")
LABELS = ("Place", "Pay", "Posted", "Hours")
RECORDS = [
    ("Deck hand", "Tarn", "€2,100", "3 May 2024", "full time"),
    ("Cook", "Mill", "€1,850", "1 May 2024", "part time"),
    ("Lamp keeper", "Quay", "€1,900", "28 Apr 2024", "by the hour"),
    ("Rope maker", "Salt", "€2,400", "26 Apr 2024", "full time"),
    ("Clerk", "Bay", "€2,000", "20 Apr 2024", "part time"),
    ("Pilot", "Pier", "€3,100", "12 Apr 2024", "on call"),
]
STYLES = {
    "properties": "<span itemprop={field}>{value}</span>",
    "names for tests": '<div data-testid="job-{field}">{value}</div>',
    "class names": "<span class={field}>{value}</span>",
    "labels in the text": "<div>{label}: {value}</div>",
    "labels in bold": "<p><b>{label}</b> {value}</p>",
    "labels with a colon": "<p><strong>{label}:</strong> {value}</p>",
    "labels in a line": "<span class=k>{label}</span> {value} ",
    "labels beside": "<div><span>{label}</span><span>{value}</span></div>",
    "labels with class names": "<div><span class=l>{label}</span><span class=v>{value}</span></div>",
    "terms": "<dt>{label}</dt><dd>{value}</dd>",
    "icons": "<span><i class='icon icon-{field}'></i>{value}</span>",
}
SAYING = list(STYLES)  #: Those that say what a field is.
STYLES["nothing"] = "<p>{value}</p>"


def page(style, lacking):
    items = ""
    for number, (title, *values) in enumerate(RECORDS):
        fields = "".join(
            STYLES[style].format(field=field, label=label, value=value)
            for field, label, value in zip(FIELDS, LABELS, values, strict=True)
            if (number, field) not in lacking
        )
        items += f"<li><a href=/job{number}>{title}</a>{f'<dl>{fields}</dl>' if style == 'terms' else fields}</li>"
    return f"<main><h1>Jobs</h1><ul>{items}</ul></main>"


def assert_in_columns(style, lacking):
    table = find_records(page(style, lacking)).table
    columns = set(zip(*table.rows, strict=True))
    assert len(table) == len(RECORDS)
    for place, field in enumerate(FIELDS, start=1):
        values = tuple(None if (number, field) in lacking else record[place] for number, record in enumerate(RECORDS))
        assert values in columns or not any(values), (field, table.names, table.rows)


@pytest.mark.parametrize("style", SAYING)
def test_a_record_may_lack_any_field(style):
    for lacking in product(range(len(RECORDS)), FIELDS):
        assert_in_columns(style, {lacking})


@given(st.sampled_from(SAYING), st.sets(st.tuples(st.integers(0, 3), st.sampled_from(FIELDS)), max_size=7))
def test_records_may_lack_any_fields(style, lacking):
    assert_in_columns(style, lacking)


@pytest.mark.parametrize("lacking", [set(), *({each} for each in product(range(len(RECORDS)), ("pay", "posted")))])
def test_prices_and_dates_of_which_the_page_says_nothing_stay_in_their_columns(lacking):
    assert_in_columns("nothing", lacking)


@pytest.mark.parametrize("old", ["del", "s", "strike"])
@pytest.mark.parametrize("around", ["<span class=price>{}</span>", "<p>{}</p>", "<div><div>{}</div></div>"])
@pytest.mark.parametrize("second", ["$45", None])
def test_the_price_that_holds_is_in_one_column_whether_it_was_another_before(old, around, second):
    goods = [("Oak", "$80", "$99"), ("Pine", "$140", None), ("Ash", "$35", second), ("Elm", "$95", None)]
    items = ""
    for name, now, before in goods:
        price = f"<{old}>{before}</{old}> <ins>{now}</ins>" if before else f"<span>{now}</span>"
        items += f"<li><h2><a href=/{name}>{name}</a></h2>{around.format(price)}</li>"
    table = find_records(f"<main><ul>{items}</ul></main>").table
    columns = dict(zip(table.names, zip(*table.rows, strict=True), strict=True))
    assert (columns["price"], columns["price before"]) == (("$80", "$140", "$35", "$95"), ("$99", None, second, None))


def test_labels_are_no_columns_and_name_theirs():
    table = find_records(page("terms", {(1, "pay")})).table
    assert {"Place", "Pay", "Posted", "Hours"} <= set(table.names)
    assert not any("Pay" in row for row in table.rows)
    assert {column.name: column.type for column in table.columns}["Pay"] == "price"


def test_titles_with_a_colon_are_no_labels():
    titles = ["Show: a clock", "Why ropes", "Ask: which lamp", "Show: a bell", "Salt", "Tell: us"]
    items = "".join(f"<li><a href=/{k}>{title}</a> <i>{k} points</i></li>" for k, title in enumerate(titles))
    assert tuple(titles) in set(zip(*find_records(f"<ul>{items}</ul>").table.rows, strict=True))


WORDS = st.sampled_from(["Pay", "Pay:", "Pay: 3", "Ann", "$3", "4", "3 May 2024", "x: y"])
PATHS = st.sampled_from(["a", "dl/dt", "dl/dd", "p"])
TOLD = st.builds(
    lambda path, value, said: Told(Key("text", path, path, said), value),
    *(PATHS, WORDS, st.sampled_from(["", "name"])),
)


@given(st.lists(st.lists(TOLD, max_size=6), max_size=5))
def test_no_value_is_lost_but_labels(records):
    found = said_by_words(records, set())
    assert len(found) == len(records)
    for own, record in zip(found, records, strict=True):
        given = [field.value for field in record]
        for _, value in own:
            assert any(value in each for each in given)
