from collections import Counter
from functools import cache

from hypothesis import example, given
from hypothesis import strategies as st

from tamis.records.alignment import MAX_REPEATS, Key, _best_match, _weights, align


def key(path, kind="text"):
    return Key(kind, path, path.split(".")[0])


def sequence(*pairs):
    return tuple((key(path), value) for path, value in pairs)


def test_a_field_that_a_record_lacks_is_empty():
    _, rows = align([sequence(("a", "1"), ("b", "2"), ("c", "3")), sequence(("a", "4"), ("c", "5"))])
    assert rows == (("1", "2", "3"), ("4", None, "5"))


def test_a_field_that_only_a_shorter_record_has_gets_a_column_beside_its_neighbours():
    keys, rows = align([sequence(("a", "1"), ("c", "2"), ("d", "3")), sequence(("a", "4"), ("b", "5"))])
    assert [each.path for each in keys] == ["a", "b", "c", "d"]
    assert rows == (("1", None, "2", "3"), ("4", "5", None, None))


def test_paths_with_class_names_count_for_more_than_tags():
    _, rows = align([sequence(("p.x", "1"), ("p.y", "2")), sequence(("p.y", "3"))])
    assert rows == (("1", "2"), (None, "3"))


def test_a_class_name_that_one_record_lacks_does_not_part_a_column():
    assert align([sequence(("p.x", "1")), sequence(("p.z", "3"))])[1] == (("1",), ("3",))


def test_kinds_do_not_mix():
    keys, _ = align([((key("a"), "text"),), ((key("a", "link"), "/x"),)])
    assert len(keys) == 2


def test_columns_of_a_wrapper_stay_first_and_stay_when_empty():
    keys, rows = align([sequence(("b", "1"))], [key("a"), key("b")])
    assert [each.path for each in keys] == ["a", "b"]
    assert rows == ((None, "1"),)


def test_columns_of_a_wrapper_stay_when_empty_behind_a_new_one():
    keys, rows = align([sequence(("a", "1"), ("new", "2"))], [key("a"), key("b"), key("c")])
    assert [each.path for each in keys] == ["a", "new", "b", "c"]
    assert rows == (("1", "2", None, None),)


def test_many_fields_at_one_path_share_a_column():
    _, rows = align([tuple((key("p"), str(k)) for k in range(MAX_REPEATS + 2)), sequence(("p", "x"))])
    assert rows == (("\n".join(map(str, range(MAX_REPEATS + 2))),), ("x",))


def test_nothing_to_align_is_no_column():
    assert align([]) == ([], ())
    assert align([(), ()]) == ([], ((), ()))


KEYS = st.sampled_from(["a.x", "a.y", "a", "b", "c.x", "d"]).map(key)
RECORDS = st.lists(st.lists(st.tuples(KEYS, st.sampled_from("1234")), max_size=7).map(tuple), max_size=6)


# The match of the first record with the columns of all of them has the most weight without its second field, and yet that has a column.
JOINED = [sequence(*((path, "1") for path in paths.split())) for paths in ("a a.x a.y", "a.x a.x a a", "a a a.x")]


@given(RECORDS)
@example(JOINED)
def test_every_value_is_in_its_row_in_order(records):
    _, rows = align(records)
    for record, row in zip(records, rows, strict=True):
        assert "\n".join(value for value in row if value is not None) == "\n".join(value for _, value in record)


@given(RECORDS)
@example(JOINED)
def test_every_value_stands_alone_under_its_tags_and_kind(records):
    keys, rows = align(records)
    for record, row in zip(records, rows, strict=True):
        held = [(key, value) for key, value in zip(keys, row, strict=True) if value is not None]
        assert [value for _, value in held] == [value for _, value in record]
        assert [(key.kind, key.tags) for key, _ in held] == [(key.kind, key.tags) for key, _ in record]


@given(RECORDS)
def test_no_column_is_empty(records):
    keys, rows = align(records)
    assert all(any(row[k] is not None for row in rows) for k in range(len(keys)))


def plain_weight(shape, keys):
    """The greatest weight of a match that keeps order, by trying everything."""
    weights = _weights(shape, keys)

    @cache
    def best(i, j):
        if i == len(shape) or j == len(keys):
            return 0
        weight = weights[i][j]
        return max(best(i + 1, j), best(i, j + 1), best(i + 1, j + 1) + weight if weight else 0)

    return best(0, 0)


@given(st.lists(KEYS, max_size=7), st.lists(KEYS, max_size=7))
def test_the_match_has_the_greatest_weight(shape, keys):
    columns = _best_match(tuple(shape), keys)
    matched = [(k, column) for k, column in enumerate(columns) if column >= 0]
    assert [column for _, column in matched] == sorted({column for _, column in matched})
    weights = _weights(shape, keys)
    assert all(weights[k][column] for k, column in matched)
    assert sum(weights[k][column] for k, column in matched) == plain_weight(tuple(shape), tuple(keys))


@given(RECORDS)
def test_the_order_of_records_changes_no_value(records):
    def values(found):
        return Counter("\n".join(value for value in row if value is not None) for row in found[1])

    assert values(align(records)) == values(align(records[::-1]))
