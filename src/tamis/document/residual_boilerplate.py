"""Remnants of dropped parts: bare headings ("See also"), texts of buttons and forms, texts that are not seen, labels of advertisements."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, takewhile

import numpy as np
from numpy.typing import NDArray

from tamis.document.adjacent_content import MOMENT, open_parts
from tamis.document.render.text import EDIT
from tamis.document.selection import Cause, Reason, Selection
from tamis.document.units import BARE, BUTTONS, FOLLOWED, PARTS, SHOWN, subtree_stats
from tamis.page import tags
from tamis.page.lexicon import WordPattern, either
from tamis.page.tree import BoolColumn, PageTree

BARE_HEADING = Reason("left out: a heading whose content is left out", Cause.UNIT)
BUTTON = Reason("left out: text of a button", Cause.UNIT)
UNSEEN = Reason("left out: text for screen readers only", Cause.UNIT)
HIDDEN = Reason("left out: a hidden part of a line", Cause.UNIT)
SIGN_UP = Reason("left out: a box with a field for a mail address", Cause.UNIT)
FURNITURE = Reason("left out: label of an advertisement, or link back to the top or to other reading", Cause.UNIT)

LONGEST_HEADING, LONGEST_LAST, LONGEST_BUTTON = 40, 100, 30
"""Characters of a heading that only announces something, of the last one, and of the text of a button or a hidden part, at the most."""
LONGEST_SIGN_UP, SHARE_OF_SIGN_UP = 300, 0.2  #: Characters of a box to sign up, and its share of the kept text, at the most.
MOST_PARTS = 20  #: Elements beside a heading, and texts of a line, that are looked at.
LEAST_ALIKE_HEADINGS = 3  #: This many bare headings with the same tag and class form a list and are kept.
LONGEST_LINE = 300  #: Characters of a link to other reading with its label.
_UP = 40  #: Most levels from a heading to the element that holds more than the heading.
_TITLES = tags.lookup(tags.HEADINGS | tags.CELLS | tags.codes("summary dt"))  #: Elements whose title or value a button may be.
_MATH = tags.lookup(tags.codes("math"))
_H1, _BUTTON = tags.CODE["h1"], tags.lookup(tags.codes("button"))
_LINK, _WORDS, _AFTER_COLON = "\0", re.compile(r"\w.*", re.DOTALL), re.compile(r"(?<=[:：]).+", re.DOTALL)
_FURNITURE = WordPattern(
    rf"[^\w\0]{{,9}}+(?:{either('furniture')}[^\w\0]{{,9}}"
    rf"|(?P<label>{either('other reading')})[^\w\0]*(?P<links>\0\W*)?)"
    r"|(?:\\[nrt]){1,2}"
)
"""Lines of texts and links; line breaks that a program wrote as their escapes."""
_CONTENTS = re.compile(rf"\W*{either('contents')}\W*", re.I)
_EDITS = re.compile(r"(?<![a-z])edit(?![a-z])", re.I)  #: Addresses of links to edit a section.


def without_remnants(tree: PageTree, selection: Selection) -> Selection:
    """Return a selection without remnants. What a rule kept stays.

    >>> from tamis import parse
    >>> tree = parse("<h2>Reeds</h2><p>They bend.<h2>See also</h2><ul><li><a href=/r>Rushes</a></ul>")
    >>> keep = np.isin(np.arange(len(tree)), tree.text_nodes[:3])
    >>> selection = Selection("made up", keep, keep.astype(np.uint8), (Reason("dropped", Cause.LINKS), Reason("kept", Cause.CONTENT)))
    >>> [tree.texts[k] for k, kept in enumerate(without_remnants(tree, selection).keep[tree.text_nodes]) if kept]
    ['Reeds', 'They bend.']
    """
    shown = selection.keep[tree.text_nodes]
    if not shown.any():
        return selection
    may = subtree_stats(tree, selection)[2]
    remnants = [(UNSEEN, tree.for_readers), (FURNITURE, _furniture(tree, shown)), (BUTTON, _buttons(tree, selection, may))]
    remnants += [(SIGN_UP, _sign_ups(tree, selection.keep))]
    remnants += [(HIDDEN, _hidden_parts(tree, shown))] if may & PARTS else []
    for reason, found in remnants:
        selection = selection.without(tree.subtree_mask(found), reason) if len(found) else selection
    if not subtree_stats(tree, selection)[2] & BARE:
        return selection
    return selection.without(tree.subtree_mask(_bare_headings(tree, selection)), BARE_HEADING)


def _bare_headings(tree: PageTree, selection: Selection) -> NDArray[np.intp]:
    """Headings whose content, up to the next heading of their rank, is dropped, intp ``(k,)``."""
    bits, _, _ = subtree_stats(tree, selection)
    every = tree.headings
    shown = every[bits[every] & SHOWN > 0]
    ends: BoolColumn = (bits[shown] & FOLLOWED == 0) & (tree.tag[shown] != _H1)  # of the others the content begins with kept text
    if ends[:1].any():  # the first one is the title
        ends[0] = _CONTENTS.fullmatch(tree.text(int(shown[0]))) is not None
    shown = shown[ends]
    if not len(shown):
        return every[:0]
    kept = tree.text_nodes[selection.keep[tree.text_nodes]]
    before, linked, end = tree.before, tree.linked_before, tree.end[shown]
    length = before[end] - before[shown]
    longest = np.where(end > kept[-1], LONGEST_LAST, LONGEST_HEADING)
    candidates = set(shown[(length <= longest) & (2 * (linked[end] - linked[shown]) <= length)].tolist())
    if not candidates:
        return every[:0]
    found: list[int] = []
    following = [(len(tree), 0)]
    for node, rank in zip(every[::-1].tolist(), tree.tag[every[::-1]].tolist(), strict=True):
        while following[-1][1] > rank:
            following.pop()
        start, stop = int(tree.end[node]), following[-1][0]
        if bits[node] & SHOWN:  # a dropped heading, such as that of a product below, begins no other section
            following.append((node, rank))
        if node not in candidates:
            continue
        own = before[start] - before[node]
        holder = next((above for above in islice(tree.ancestors(node), _UP) if _holds_more(tree, above, own)), 0)
        stop = min(stop, int(tree.end[holder]))
        below = before[stop] - before[start]
        if below > 0 and kept.searchsorted(start) == kept.searchsorted(stop):
            found.append(node)
    bare = np.array(found[::-1], dtype=np.intp)
    kinds = list(zip(tree.tag[bare].tolist(), tree.values("class").codes[bare].tolist(), strict=True))
    count = Counter(kinds)
    return bare[[count[kind] < LEAST_ALIKE_HEADINGS for kind in kinds]] if found else bare


def _holds_more(tree: PageTree, above: int, own: int) -> bool:
    """Return whether an element holds more than a heading of ``own`` characters and a link to edit its section."""
    more = int(tree.before[tree.end[above]] - tree.before[above]) - own
    if not more or more > LONGEST_BUTTON:
        return more > 0
    inside = tree.attributes_of(list(range(above + 1, min(int(tree.end[above]), above + MOST_PARTS))))
    return not any(EDIT.search(given.get("class", "")) or _EDITS.search(given.get("href", "")) for given in inside)


def _buttons(tree: PageTree, selection: Selection, may: int) -> NDArray[np.intp]:
    """Buttons with short kept text, alone on their lines, that are not the title of a part of the page, intp ``(k,)``."""
    roles = tree.values("role")
    named = roles.passing(lambda role: role.strip().lower() == "button", ("button",))
    if not named and not may & BUTTONS:
        return np.zeros(0, dtype=np.intp)
    found = (tree.of_tags(_BUTTON) | roles.of_codes(named)).nonzero()[0] if named else tree.tagged(_BUTTON)
    bits, _, _ = subtree_stats(tree, selection)
    found = found[bits[found] & SHOWN > 0]
    if not len(found):
        return found
    kept = tree.text_nodes[selection.keep[tree.text_nodes]]
    titles = tree.of_tags(_TITLES).nonzero()[0]
    small = tree.length_below[found] <= LONGEST_BUTTON
    found = found[small & ~open_parts(tree, found) & ~tree.subtree_mask(titles)[found] & (tree.count_below(found, titles) == 0)]
    found = found[[MOMENT.fullmatch(tree.text(node)) is None for node in found.tolist()]]
    shared = np.zeros(len(tree.texts), dtype=np.bool_)
    shared[tree.line[tree.text_nodes.searchsorted(kept[~tree.subtree_mask(found)[kept]])]] = True
    return np.asarray(found[~shared[tree.line[tree.text_nodes.searchsorted(found)]]])


def _sign_ups(tree: PageTree, keep: BoolColumn) -> NDArray[np.intp]:
    """The largest short elements around fields for mail addresses, after the first kept text, intp ``(k,)``."""
    fields = tree.values("type").nodes(lambda kind: kind.strip().lower() == "email", ("email",))[:MOST_PARTS]
    if not len(fields):
        return fields
    kept = np.append(0, (tree.text_length * keep).cumsum())
    short = (tree.length_below <= LONGEST_SIGN_UP) & (kept[tree.end] - kept[:-1] <= SHARE_OF_SIGN_UP * kept[-1]) & (kept[:-1] > 0)
    return np.array([[node, *takewhile(short.__getitem__, tree.ancestors(node))][-1] for node in fields.tolist()], dtype=np.intp)


def _furniture(tree: PageTree, shown: BoolColumn) -> NDArray[np.intp]:
    """Texts of lines that say "Advertisement", "Loading..." or "Back to top", "Read also:" and links here or below, or
    nothing but an escaped line break, intp ``(k,)``. ``shown``: whether each text is kept, bool ``(m,)``."""
    found, nodes, line = list[int](), tree.text_nodes, tree.line
    for k in filter(shown.__getitem__, tree.contains_any(_FURNITURE.hints, LONGEST_LINE)):
        first, last = line.searchsorted((line[k], line[k] + 1)).tolist()
        if last - first > MOST_PARTS:
            continue
        linked = tree.in_link[nodes[first:last]].tolist()
        said = [_WORDS.sub(_LINK, tree.texts[j]) if linked[j - first] else tree.texts[j] for j in range(first, last)]
        said[k - first] = _AFTER_COLON.sub(_LINK, tree.texts[k]) if linked[k - first] else tree.texts[k]
        match, end = _FURNITURE.fullmatch("".join(said).strip()), last
        if match and match["label"] and not match["links"]:
            holder = tree.parent[nodes[k]]
            if not tree.link[holder] and int(tree.tag[holder]) not in tags.HEADINGS:
                end += sum(1 for _ in takewhile(bool, tree.in_link[nodes[last : last + MOST_PARTS]].tolist()))
        if match and (end > last or not match["label"] or match["links"]):
            found += range(first, end)
    return np.asarray(nodes[found])


def _hidden_parts(tree: PageTree, shown: BoolColumn) -> NDArray[np.intp]:
    """Short hidden elements within a line of kept text, intp ``(k,)``. ``shown``: whether each text is kept, bool ``(m,)``.

    Longer ones may be the rest of a text, or a spoiler. Several that follow each other are alternatives, and a script shows
    one; formulas are hidden behind their pictures.
    """
    found = tree.top_level(tree.hidden.nonzero()[0])
    length = tree.before[tree.end[found]] - tree.before[found]
    found = found[(length > 0) & (length <= LONGEST_BUTTON)]
    found = found[tree.count_below(found, tree.tagged(_MATH)) == 0] if len(found) else found
    if not len(found):
        return np.asarray(found)
    first, after = (tree.text_nodes.searchsorted(nodes) for nodes in (found, tree.end[found]))
    line, hidden = np.concatenate((tree.line, [-1])), np.append(tree.subtree_mask(tree.hidden)[tree.text_nodes], False)
    beside = [(k, line[k] == line[first]) for k in (first - 1, after)]
    seen = np.logical_or.reduce([same & np.append(shown, False)[k] & ~hidden[k] for k, same in beside])
    return np.asarray(found[seen & ~np.logical_or.reduce([same & hidden[k] for k, same in beside])])
