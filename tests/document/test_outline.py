"""The compiled pass over what is shown."""

from __future__ import annotations

import numpy as np
import pytest

import tamis
from tamis.document.render.outline import _FLAGS
from tamis.native.outline import outline
from tamis.page import tags
from tamis.page.tree import PageTree

NONE = np.zeros(0, dtype=np.int64)


def columns_of(tree: PageTree, shown: np.ndarray | None = None, others: np.ndarray = NONE) -> list[np.ndarray]:
    shown = np.arange(len(tree.texts)) if shown is None else shown
    return [tree.tag, tree.parent, tree.end, tree.text_length, tree.text_nodes, shown, others, _FLAGS]


def rows_of(tree: PageTree, **given: np.ndarray) -> list[tuple[object, ...]]:
    found = outline(*columns_of(tree, **given))
    return [(tree.name(row[0]), *row[2:]) for row in np.frombuffer(found or b"", np.int32).reshape(-1, 7).tolist()]


def test_texts_of_one_line_with_the_same_marks_are_one_piece():
    tree = tamis.parse("<body><p>one <span>two</span> <small><small>three</small></small><br>four")
    pieces = [row for row in rows_of(tree) if row[0] == "#text"]
    assert [(first, after) for _, first, after, *_ in pieces] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    tree = tamis.parse("<body><p>one <font>two</font> three<p>four")
    assert [(first, after) for name, first, after, *_ in rows_of(tree) if name == "#text"] == [(0, 3), (3, 4)]


def test_elements_without_anything_shown_are_left_out_and_borders_of_theirs_count():
    tree = tamis.parse("<body><div><p>one</p><p></p><p>two</p></div>")
    rows = rows_of(tree)
    assert [row[0] for row in rows] == ["body", "div", "p", "#text", "p", "#text"][-len(rows) :]
    borders = [row[-2] for row in rows if row[0] == "#text"]
    assert borders[1] - borders[0] == 4


def test_elements_count_the_lists_and_headings_in_them():
    tree = tamis.parse("<body><h2>one<ul><li>two</ul><ul></ul></h2>three")
    assert [row[2] for row in rows_of(tree) if row[0] == "h2"] == [2]


def test_nothing_but_white_space_is_nothing():
    tree = tamis.parse("<p>one")
    assert outline(*columns_of(tree, shown=NONE)) is None
    assert rows_of(tree, shown=NONE, others=np.flatnonzero(tree.tag == tags.CODE["p"]))


def test_columns_that_do_not_fit_are_an_error():
    good = columns_of(tamis.parse("<p>one <b>two</b>"))
    outline(*good)
    for place, wrong in [
        (0, good[0][1:]),
        (1, good[1] + 9),
        (2, good[2] * 0),
        (2, good[2] + 9),
        (4, good[4] + 9),
        (5, good[5] - 1),
        (5, good[5] + 9),
        (6, np.array([99])),
        (6, np.array([-1])),
        (7, good[7][:-1].view(np.uint8)[:-1]),
    ]:
        with pytest.raises(ValueError, match="fit"):
            outline(*good[:place], np.ascontiguousarray(wrong), *good[place + 1 :])
