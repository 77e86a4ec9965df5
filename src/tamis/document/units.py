"""Units: parts of a page that belong together (tables, lists, code, figures), and a selection that keeps each of them whole.

A unit whose text is mostly kept is kept whole; in other data tables each row is kept or dropped whole.
Terms are kept with their definitions. A list of labels and values near kept text is kept. Layout tables, navigation and lists of posts or
cards stay as selected.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.document.render.footnotes import referred_notes, referring_paragraphs
from tamis.document.render.table import data_tables
from tamis.document.selection import DROPPED_BY_RULE, Cause, Reason, Selection
from tamis.native import columns as compiled
from tamis.page import caching, tags
from tamis.page.blocks import text_blocks
from tamis.page.tree import BoolColumn, PageTree

MAJORITY = 0.75  #: Share of a unit's text from which all of it is kept.
POINTS_SHARE, FEW_SHARE = 0.25, 0.5  #: The same of a list of points, and of one of few or of terms.
SOME_POINTS = 3  #: Fewer are few, such as a byline: an author and a date.
ROW_SHARE = 0.4  #: Share of a data row's text above which the whole row is kept; at or below it, the whole row is dropped.
TABLE_SHARE = 0.5  #: Share of kept text from which all of a data table is kept, unless it is a list of links.
LIST_LINKS = 0.3  #: Share of link text above which a list is taken for navigation and left as selected.
LINES_PER_ITEM = 1.5
"""Lines per item up to which a list is a list of points; items with more lines are posts or cards, each judged by itself."""
LEAST_FACTS, MOST_FACTS, FACTS_SHARE = 3, 60, 0.7
"""Of a list of labels and values: its items, those looked at, and the share of them that are a label, a colon and a value."""
LEAST_PROBABLE = 0.2  #: Mean probability of a line or element that is kept as those beside it are.
LONGEST_ROW = 500  #: Characters of a row of data; one with more that holds most of the main text is of a layout.
LONGEST_FOOTER = 200  #: Characters of the footer of a quote or section.
WHOLE = Reason("kept: part of a table, list, code block or figure that is mostly kept", Cause.UNIT)
NOTE = Reason("kept: a note that kept text refers to", Cause.UNIT)
AMONG_KEPT = Reason("kept: one of several parts of a kind that are mostly kept", Cause.UNIT)
LOST = Reason("left out: rest of a table row that is mostly left out", Cause.UNIT)

_TABLE = tags.CODE["table"]
_LIST = tags.lookup(tags.LISTS)
_FOOTER, _FOOTED, _ARTICLE = map(tags.lookup, (tags.codes("footer"), tags.codes("blockquote figure section"), tags.codes("article")))
_SECTION = tags.CODE["section"]
OPENERS = tags.codes("summary button")  #: Elements that may open a part of the page, and be its title.
_NOT_IN_POINTS, _ITEM = tags.lookup(tags.HEADINGS | tags.codes("dl table article section")), tags.lookup(tags.codes("li"))
_FACT = re.compile(r"[^:：]{2,40}[:：] ?\S.{0,80}+")
PARTLY, FACTS, DEFINED, LEADS, SHOWN, FOLLOWED, ALIKE = (1 << bit for bit in range(7))
"""Bits of a node: a unit kept in part; a list of few links near kept text; a term whose definition is kept; a short heading or the like,
not aside, that begins with dropped text, between kept texts; a node that holds kept text; one before kept text; a short element without
links that is not kept, or in part, among mostly kept ones of its kind."""
ANNOUNCED, FOOTERS, COPIES, BUTTONS, PARTS, BARE, BETWEEN = (1 << bit for bit in range(8, 15))
"""Bits of a page, where a rule may change what is kept: a list that a kept line may announce; the footer of a quote; two kept blocks that
may be the same; a kept button; a short hidden part; a kept heading before dropped text; code or lines that are not kept, between kept
texts."""
_STATE = np.dtype([("total", "i8"), ("kept", "i8"), *((name, "i4") for name in ("texts", "next", "left", "rich"))])
"""``state`` of ``native/columns.c``."""
SURVEYED = "survey"  #: Under this name a page keeps its latest survey.
CODES = (tags.PREFORMATTED & tags.BLOCKS) | tags.codes("math")  #: Elements that are kept between kept text.
REPEATING = tags.codes("pre code textarea table blockquote q")  #: Elements that repeat text on purpose: code, values, quotes.
_FLAGS = tags.flags(
    tags.LISTS | (tags.PREFORMATTED & tags.BLOCKS) | tags.codes("table dl figure"),
    tags.LISTS,
    *map(tags.codes, ("dt", "dd", "body")),
    tags.UNSEEN,
    tags.HEADINGS | OPENERS,
    tags.HEADINGS,
    tags.codes("h1"),
    tags.HEADINGS | tags.codes("article section"),
    *map(tags.codes, ("button", "footer", "blockquote figure section")),
    REPEATING,
    tags.codes("figure"),
    tags.codes("div section p span"),
    CODES,
)


def keep_tables_and_lists_whole(tree: PageTree, selection: Selection) -> Selection:
    """Complete a selection so that it breaks no unit of the page. What a rule dropped stays dropped.

    >>> from tamis import parse
    >>> tree = parse("<table><tr><th>Weight of a gull<td>1 kg<tr><th>Span of its wings<td>1.4 m</table>")
    >>> by_length = np.isin(np.arange(len(tree)), tree.text_nodes) & (tree.text_length > 6)
    >>> selection = Selection("length", by_length, by_length.astype(np.uint8), ("short", "long"))
    >>> [tree.texts[k] for k, kept in enumerate(keep_tables_and_lists_whole(tree, selection).keep[tree.text_nodes]) if kept]
    ['Weight of a gull', '1 kg', 'Span of its wings', '1.4 m']
    """
    if len(referring := referring_paragraphs(tree, selection.keep)):
        selection = selection.adding(readable_below(tree, selection, referring), NOTE, Cause.MODEL)
    if len(notes := referred_notes(tree, selection.keep)):
        selection = selection.adding(readable_below(tree, selection, notes), NOTE)
    if subtree_stats(tree, selection)[2] & FOOTERS:
        selection = _with_footers(tree, selection)
    selection = _keep_sibling_lines(tree, selection)
    bits, state, found = subtree_stats(tree, selection)
    if not found & (PARTLY | FACTS | DEFINED):
        return selection
    units, facts, terms = ((bits & bit).nonzero()[0] for bit in (PARTLY, FACTS, DEFINED))
    total, kept_length = (state[name][tree.end] - state[name][:-1] for name in ("total", "kept"))
    facts = _facts(tree, selection, facts)
    if not (len(units) or len(facts) or len(terms)):
        return selection
    wanted, lost = _units_to_change(tree, units, np.diff(state["total"]), total, kept_length)
    wanted = np.concatenate([wanted, terms, facts])
    added = readable_below(tree, selection, wanted)
    return selection.adding(added, WHOLE).without(tree.subtree_mask(lost) & ~added, LOST)


def subtree_stats(tree: PageTree, selection: Selection) -> tuple[NDArray[np.uint8], Any, int]:
    """Return kept parts of a selection: bits of each node (:data:`PARTLY` and so on), uint8 ``(n,)``; sums before each node
    (:data:`_STATE`); the bits that any node has, and those of the page."""
    known: tuple[Selection, tuple[NDArray[np.uint8], Any, int]] | None = caching.kept(tree, SURVEYED)
    if known is not None and known[0] is selection:  # most rules change nothing
        return known[1]
    blocks = text_blocks(tree)
    counts = (tree.text_length, tree.before, tree.linked_before, tree.lines_before, tree.in_chrome, tree.hidden)
    texts = (tree.text_nodes, tree.texts, blocks.element, blocks.first, blocks.length)
    columns = (tree.tag, tree.parent, tree.end, tree.values("class").codes)
    chosen = (selection.keep, selection.reason)
    bits, state, found = compiled.survey(_FLAGS, *columns, *counts, *chosen, *texts, _reason_of_drop(selection))
    return caching.keep(tree, SURVEYED, (selection, (np.frombuffer(bits, np.uint8), np.frombuffer(state, _STATE), found)))[1]


def _keep_sibling_lines(tree: PageTree, selection: Selection) -> Selection:
    """Keep short elements without links among kept ones of one parent, tag and class, and all of rows that are kept in part."""
    probability, (bits, _, found) = selection.scores.get("probability"), subtree_stats(tree, selection)
    if probability is None or not found & ALIKE:
        return selection
    nodes = (bits & ALIKE).nonzero()[0]
    probable = tree.subtree_sum(probability * tree.text_length, nodes) >= LEAST_PROBABLE * tree.length_below[nodes]
    return selection.adding(tree.subtree_mask(nodes[probable]), AMONG_KEPT, Cause.MODEL)


def _with_footers(tree: PageTree, selection: Selection) -> Selection:
    """Return a selection with the short footers of few links, such as who said it, of kept quotes, figures and sections of an article."""
    footers = tree.tagged(_FOOTER)
    footers = footers[tags.within(_FOOTED, tree.tag[tree.parent[footers]])]
    around = tree.parent[footers]
    more = tree.length_below[around] - tree.length_below[footers]
    kept = tree.subtree_sum(tree.text_length * selection.keep, around)
    whole = (kept >= MAJORITY * more) & (tree.length_below[footers] <= LONGEST_FOOTER)
    inside = (tree.tag[around] != _SECTION) | tree.subtree_mask(tree.tagged(_ARTICLE))[around]
    return selection.adding(tree.subtree_mask(footers[whole & few_linked(tree, footers) & inside & (more > 0)]), WHOLE, Cause.MODEL)


def few_linked(tree: PageTree, elements: NDArray[np.intp]) -> BoolColumn:
    """Return which elements hold at most a small share of linked text, bool ``(k,)``."""
    linked = tree.linked_before[tree.end[elements]] - tree.linked_before[elements]
    return np.asarray(linked <= LIST_LINKS * tree.length_below[elements])


def readable_below(tree: PageTree, selection: Selection, elements: NDArray[np.intp]) -> BoolColumn:
    """Return the text of some elements but for what a rule dropped, bool ``(n,)``."""
    found: BoolColumn = tree.subtree_mask(elements) & ~tree.non_text & (selection.reason != _reason_of_drop(selection))
    return found


def _reason_of_drop(selection: Selection) -> int:
    """Return the index of the reason of what a rule dropped; -1: there is none."""
    return selection.reasons.index(DROPPED_BY_RULE) if DROPPED_BY_RULE in selection.reasons else -1


def _facts(tree: PageTree, selection: Selection, lists: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the lists that hold labels and values, such as an ISBN and a publisher, and are not template, intp ``(f,)``."""
    if not len(lists):
        return lists
    found, own, links = [], ~selection.rests_on(Cause.TEMPLATE), tree.link.nonzero()[0]
    for node in lists.tolist():
        first, last = tree.texts_below(node)
        items = tree.children(node)
        if not own[tree.text_nodes[first:last]].any() or (tree.count_below(items, links) > 0).all():
            continue  # latest comments: each names a visitor, and leads to a page
        texts = [tree.text(item) for item in items.tolist()[:MOST_FACTS]]
        facts = sum(map(bool, map(_FACT.fullmatch, texts)))
        if facts >= LEAST_FACTS and facts >= FACTS_SHARE * len(texts):
            found.append(node)
    return np.array(found, dtype=np.intp)


def _units_to_change(
    tree: PageTree, units: NDArray[np.intp], length: NDArray[np.int64], total: NDArray[np.int64], kept: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the partly kept units to keep and to drop whole; readable characters of texts, and of subtrees in all and kept."""
    tag = tree.tag[units]
    tables = units[tag == _TABLE]
    lists = tags.within(_LIST, tag)
    few = tree.count_below(units[lists], tree.tagged(_ITEM)) < SOME_POINTS
    least = np.where(tag == tags.CODE["dl"], FEW_SHARE, MAJORITY)
    least[lists] = np.where(_are_points(tree, units[lists]), np.where(few, FEW_SHARE, POINTS_SHARE), np.inf)
    whole = kept[units] >= least * total[units]
    wanted, lost = [units[whole & (tag != _TABLE)]], []
    if len(tables):
        data = data_tables(tree, np.flatnonzero(length))
        tables = tables[[table in data for table in tables.tolist()]]
    if len(tables):
        found = [data[table] for table in tables.tolist()]
        linked = tree.subtree_sum(tree.in_link * length, tables)
        half = (kept[tables] >= TABLE_SHARE * total[tables]) & (linked <= LIST_LINKS * total[tables])
        rows = np.array(list(chain.from_iterable(each.rows for each in found)), dtype=np.intp)
        some = kept[rows] > ROW_SHARE * total[rows]
        number = np.arange(len(tables)).repeat([len(each.rows) for each in found])
        most = np.maximum(kept[tables], np.bincount(number, total[rows] * some, len(tables))) >= MAJORITY * total[tables]
        shown = set(rows[some].tolist())
        heads = [next(iter(each.rows)) for each in found if each.head and not shown.isdisjoint(each.rows)]
        partly = (kept[rows] > 0) & (kept[rows] < total[rows])
        wanted += [tables[half | most], rows[some & partly], np.array(heads, dtype=np.intp)]
        layout = (kept[rows] > LONGEST_ROW) & (2 * kept[rows] > kept[0])  # a row that holds most of the main text
        lost.append(rows[~some & partly & ~layout])
    return np.concatenate(wanted), np.concatenate([*lost, tables[:0]])


def _are_points(tree: PageTree, lists: NDArray[np.intp]) -> BoolColumn:
    """Return which lists hold points of a line or so, not posts or cards, bool ``(u,)``."""
    inner, items = (tree.count_below(lists, tree.tagged(of)) for of in (_NOT_IN_POINTS, _ITEM))
    return np.asarray((inner == 0) & (tree.lines_below(lists) <= LINES_PER_ITEM * items) & ~tree.in_chrome[lists])
