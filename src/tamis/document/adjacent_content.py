"""Keep content adjacent to kept text: headings, images, code, lists that it announces."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tamis.document.forum import is_forum
from tamis.document.render.links import IMAGE_ENDING, are_media
from tamis.document.selection import Cause, Reason, Selection
from tamis.document.units import ANNOUNCED, BETWEEN, CODES, LEADS, LEAST_PROBABLE, LIST_LINKS, MAJORITY, OPENERS, few_linked, subtree_stats
from tamis.page import tags
from tamis.page.blocks import text_blocks
from tamis.page.grouping import ranges
from tamis.page.tree import Attributes, BoolColumn, PageTree

HEADED_SHARE = 0.5  #: Share of the text below a heading that is enough between kept texts.
WRAPPERS = 3  #: Elements that hold a list alone, between it and its section.
LEAST_LISTED = 0.15  #: Mean probability from which a list below a heading or between texts is kept.
LEAST_BESIDE, LEAST_LINE, LEAST_PARAGRAPH = 0.3, 6, 60
"""Mean probability and characters of lines of any elements that are kept between kept lines, and of the longer of these, at the least."""
LONGEST_HEADING = 200  #: Characters of a heading that is kept with the text below it.
LEAST_SAID = 20  #: Characters of a line that announces links; shorter ones name a list of links beside the text ("Related:").

CODE = Reason("kept: preformatted text, a formula or a note between kept text", Cause.UNIT)
ENCLOSED = Reason("kept: a paragraph or line between kept text", Cause.UNIT)
BESIDE = Reason("kept: an image beside kept text", Cause.UNIT)
HEADED = Reason("kept: the heading of kept text", Cause.UNIT)
ICON = Reason("left out: a small image without words", Cause.UNIT)
INTRODUCED = Reason("kept: a kept line or its own heading introduces it, or kept text is around it", Cause.UNIT)

_OPENING = ("aria-expanded", "aria-controls")  #: Attributes of a button that opens a part of the page and is its title.
MOMENT = re.compile(r"[(\[]?(?:\d{1,2}:)?\d{1,2}:\d\d[)\]]?")  #: A moment of a recording, where a button begins to play it.
_LEADING = re.compile(rf"[?？؟]\W*+\Z|\A{MOMENT.pattern}\Z")
"""The end of a question, after which a sign such as + may follow, or a moment: of a button that is a title without these attributes."""
_END = 20  #: Characters at the end of a button that are looked at.
_OPENERS, _IMAGE = tags.lookup(OPENERS), tags.lookup(tags.codes("img"))
_SMALL = re.compile(r"\s*\d{1,2}(?:px)?\s*")  #: The width or height of an icon.
_IMAGE_FILE = re.compile(rf"{IMAGE_ENDING}(?:[?#]|$)", re.I)
_P = tags.CODE["p"]
_CODE = tags.lookup(CODES)
_KINDS = tags.lookup(tags.LISTS | (tags.PREFORMATTED & tags.BLOCKS) | tags.codes("dl table"))
_LISTS = tags.lookup(tags.LISTS)
_RICH = tags.lookup(tags.HEADINGS | tags.codes("article section"))


def keep_enclosed_blocks(tree: PageTree, selection: Selection) -> Selection:
    """Return a selection with what the model left out between kept texts: code, formulas, notes, and probable paragraphs and lines."""
    notes = _stated_notes(tree)
    if not len(notes) and not subtree_stats(tree, selection)[2] & BETWEEN:
        return selection
    code = np.union1d(tree.tagged(_CODE), notes) if len(notes) else tree.tagged(_CODE)
    if len(code):
        others = tree.text_nodes[~tree.subtree_mask(code)[tree.text_nodes]]
        kept, after = np.concatenate(([False], selection.keep[others], [False])), others.searchsorted(code)
        wanted = kept[after] & kept[after + 1] & ~tree.in_chrome[tree.parent[code]]
        selection = selection.adding(tree.subtree_mask(code[wanted]), CODE, Cause.MODEL)
    probability, nodes, lines = selection.scores.get("probability"), tree.text_nodes, text_blocks(tree)
    if probability is None or not len(lines):
        return selection
    keep, element = selection.keep[nodes[lines.first]], lines.element
    ends = np.append((np.diff(element) != 0) | (np.diff(keep) != 0), True).nonzero()[0] + 1
    starts, keep = np.append(0, ends[:-1]), np.append(keep, False)  # runs of lines; none is after the last
    may = ~tree.in_chrome[element[starts]]
    starts, ends = (bound[may & ~keep[starts] & keep[starts - 1] & keep[ends]] for bound in (starts, ends))
    like = (tree.tag[element[starts]] == _P) | (element[starts - 1] == element[starts]) | (element[starts] == element[ends])
    long = np.maximum(lines.length[starts - 1], lines.length[ends]) >= LEAST_PARAGRAPH
    length, linked = (np.append(0, column.cumsum()) for column in (lines.length, lines.link_length))
    length, linked = (column[ends] - column[starts] for column in (length, linked))
    may = (like | (long & (length >= LEAST_LINE))) & (linked <= LIST_LINKS * length)
    starts, ends, like, length = (column[may] for column in (starts, ends, like, length))
    if not len(starts):
        return selection
    parent, first, after = tree.parent[element[starts]], lines.first[starts], lines.last[ends - 1]
    before = nodes[first - 1]
    for _ in range(WRAPPERS):
        parent = np.where(like | (parent <= 0) | (parent < before), parent, tree.parent[parent])
    probable = np.append(0, (probability * tree.text_length)[nodes].cumsum())
    beside = (before > parent) & (nodes[lines.first[ends]] < tree.end[parent]) & ~tree.subtree_mask(tree.headings)[before]  # no byline
    beside &= probable[after] - probable[first] >= np.where(like, LEAST_PROBABLE, LEAST_BESIDE) * length
    beside &= ~_end_in_colon(tree, after - 1)
    chosen = np.zeros(len(lines), dtype=np.bool_)
    chosen[ranges(starts[beside], ends[beside])[1]] = True
    return selection.adding(lines.nodes(tree, chosen), ENCLOSED, Cause.MODEL)


def _stated_notes(tree: PageTree) -> NDArray[np.intp]:
    """Return the elements of few links that the page states to be notes to the text, intp ``(k,)``."""
    found = tree.values("role").nodes(lambda role: role.strip().lower() == "note", ("note",))
    if not len(found):
        return found
    return found[few_linked(tree, found)]


def keep_introduced_blocks(tree: PageTree, selection: Selection) -> Selection:
    """Return a selection with what kept lines announce by a colon, and with probable lists below headings and between texts.

    Of a page that keeps nothing but headings and lists, titled lists are the text.
    """
    probability, nodes = selection.scores.get("probability"), tree.text_nodes
    if probability is None or not subtree_stats(tree, selection)[2] & ANNOUNCED:
        return selection
    found = tree.tagged(_KINDS)
    found = found[(tree.length_below[found] > 0) & (tree.count_below(found, tree.tagged(_RICH)) == 0)]
    found = found[tree.count_below(found, (~selection.keep).nonzero()[0]) > 0]
    at, after = nodes.searchsorted(found) - 1, nodes.searchsorted(tree.end[found])  # the texts before, and those after
    keep, section = selection.keep[nodes], section_of(tree, found)
    said = (at >= 0) & keep[at] & (tree.in_chrome[nodes[at]] | ~tree.in_chrome[found])
    heading = tree.subtree_mask(tree.headings)
    listed = not (keep & ~(heading | tree.subtree_mask(tree.of_tags(_LISTS)))[nodes]).any()
    inside, lists = nodes[at] > section, tags.within(_LISTS, tree.tag[found])
    titled = heading[nodes[at]] & lists
    between = lists & inside & np.append(keep, False)[after] & (np.append(nodes, len(tree))[after] < tree.end[section])
    colon = said & _end_in_colon(tree, at)
    links = ~few_linked(tree, found)
    probable = tree.subtree_sum(probability * tree.text_length, found) / tree.length_below[found]
    under = titled & inside & ~keep[at] & ~tree.in_chrome[found] & ~links & (np.minimum(probable, probability[nodes[at]]) >= LEAST_LISTED)
    first = tree.line.searchsorted(tree.line[at])  # the first text of the line before
    one = links & (tree.lines_below(found) < 2)  # a link to other reading
    wanted = (probable >= LEAST_LISTED) & (colon | titled | ~one)
    wanted |= (colon & (~links | (tree.before[found] - tree.before[nodes[first]] >= LEAST_SAID))) | (titled & listed)
    wanted &= under | (said & ((titled & listed) | between | ((colon | titled) & inside)))
    heads = np.zeros(len(tree), dtype=np.bool_)
    heads[nodes[np.isin(tree.line, tree.line[at[under & wanted]])]] = True
    return selection.adding(heads | tree.subtree_mask(found[wanted]), INTRODUCED, Cause.MODEL, Cause.LINKS)


def _end_in_colon(tree: PageTree, texts: NDArray[np.intp]) -> BoolColumn:
    """Return which of some texts, by position, end in a colon, bool ``(k,)``."""
    return np.array([tree.texts[k][-2:].rstrip().endswith((":", "：")) for k in texts.tolist()], dtype=np.bool_)


def with_headings(tree: PageTree, selection: Selection, url: str | None = None) -> Selection:
    """Keep headings, and buttons that open parts, whose text up to the next one is mostly kept from its beginning on."""
    bits, _, found = subtree_stats(tree, selection)
    if not found & LEADS:
        return selection
    headings, openers = tree.headings, tree.tagged(_OPENERS)
    if len(openers):
        openers = openers[~tree.subtree_mask(headings)[openers] & (tree.count_below(openers, headings) == 0)]
        opens = open_parts(tree, openers) | (tree.tag[openers] != tags.CODE["button"])
        asks = [opened or _LEADING.search(tree.text(node)[-_END:]) for opened, node in zip(opens.tolist(), openers.tolist(), strict=True)]
        headings = np.sort(np.append(headings, openers[np.array(asks, dtype=np.bool_)]))
    headings = tree.top_level(headings)
    headings = headings[tree.before[tree.end[headings]] > tree.before[headings]]
    length, texts, ends = tree.before, tree.text_nodes, tree.end[headings]
    kept = _kept_before(tree, selection)
    first, keep = texts.searchsorted(headings), selection.keep[texts]
    follows = bits[headings] & LEADS > 0  # a heading that begins with dropped text, before kept text
    last = int(texts[keep][-1:].max(initial=-1)) + 1  # what comes after the last kept text is below no heading
    stop = np.append(headings[1:], ends[-1:].max(initial=last))
    own = length[ends] - length[headings]
    below = length[stop] - length[ends]
    between = keep[first - 1]  # with kept text above
    share = np.where(between, HEADED_SHARE, MAJORITY)
    wanted = follows & (kept[ends] == kept[headings]) & (kept[stop] - kept[ends] >= share * below) & (below >= own)
    wanted &= (own <= LONGEST_HEADING) & (kept[headings] > 0)
    wanted &= selection.rests_on(Cause.MODEL, Cause.TEMPLATE, nodes=texts[first])
    classes = tree.values("class").codes
    kinds = tree.tag[headings] * (int(classes.max()) + 2) + classes[headings]
    goes_on = wanted & between  # a heading of the same kind elsewhere is not the title of a side box
    shown = set(kinds[goes_on | keep[first]].tolist())
    wanted &= goes_on | np.array([kind in shown for kind in kinds.tolist()], dtype=np.bool_)
    return selection.adding(tree.subtree_mask(headings[wanted]), HEADED) if wanted.any() and not is_forum(tree, url) else selection


def with_images(tree: PageTree, selection: Selection) -> Selection:
    """Keep images right before or after kept text, unless they are in a box of dropped text; drop icons."""
    images = (tree.of_tags(_IMAGE) | are_media(tree)).nonzero()[0]
    if not len(images):
        return selection
    shown = images[selection.keep[images]].tolist()
    icons = [node for node, its in zip(shown, tree.attributes_of(shown), strict=True) if not its.get("alt", "").strip() and _is_small(its)]
    selection = selection.without(tree.subtree_mask(np.array(icons, dtype=np.intp)), ICON)
    before, after = (tree.text_nodes.searchsorted(bound) for bound in (images, tree.end[images]))
    keep = np.append(selection.keep[tree.text_nodes], False)  # after the last text there is none
    images = images[(keep[after] | keep[before - 1]) & ~tree.in_chrome[images]]
    images = images[selection.rests_on(Cause.OUTSIDE, nodes=images)]
    if not len(images):
        return selection
    readable, kept = np.append(0, (tree.text_length * ~tree.non_text).cumsum()), _kept_before(tree, selection)
    total = readable[tree.end] - readable[:-1]  # without what a player says where it can not play
    filled = tree.nearest_ancestor(total > 0)
    figure = tree.nearest_ancestor(tree.tag == tags.CODE["figure"])[images]
    box = filled[tree.parent[np.where(figure < 0, images, figure)]]  # a figure says no more than its caption
    link = tree.link_around[images]
    within = (box >= 0) & (2 * (kept[tree.end[box]] - kept[box]) >= total[box])
    images, link = images[within], np.where(link > box, link, -1)[within]
    shown = [
        not _is_small(its) and (linked < 0 or _IMAGE_FILE.search(tree.attribute(linked, "href") or "") is not None)
        for linked, its in zip(link.tolist(), tree.attributes_of(images.tolist()), strict=True)
    ]
    return selection.adding(tree.subtree_mask(images[np.array(shown, dtype=np.bool_)]) & (tree.tag != tags.TEXT), BESIDE)


def open_parts(tree: PageTree, buttons: NDArray[np.intp]) -> BoolColumn:
    """Return whether each button states that it opens a part of the page, bool ``(b,)``."""
    return np.asarray(np.logical_or.reduce([tree.values(name).codes[buttons] >= 0 for name in _OPENING]))


def _is_small(image: Attributes) -> bool:
    return bool(_SMALL.fullmatch(image.get("width", "")) or _SMALL.fullmatch(image.get("height", "")))


def section_of(tree: PageTree, blocks: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the element around each of some blocks that holds more text, a few levels up."""
    section, length = tree.parent[blocks], tree.length_below
    for _ in range(WRAPPERS):
        section = np.where((section > 0) & (length[section] == length[blocks]), tree.parent[section], section)
    return np.asarray(section)


def _kept_before(tree: PageTree, selection: Selection) -> NDArray[np.int64]:
    """Kept characters before each node, and of the page, int64 ``(n + 1,)``."""
    kept = np.zeros(len(tree) + 1, dtype=np.int64)
    (tree.text_length * selection.keep).cumsum(out=kept[1:])
    return kept
