"""Footnotes: notes that short links in the text refer to, by number or sign.

A link refers to a note if the link is raised, or the note leads back to it, is named as one, or is the item of a list that has the number
which the link says. The names differ from tool to tool; links back and numbers do not.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.caching import of_page
from tamis.page.lexicon import either
from tamis.page.tree import BoolColumn, PageTree

MAX_LINKS = 30_000  #: Short links that are read on one page, the first ones; books have some thousand notes.
_NAMED = re.compile(rf"(?:^|[-_:.\d]){either('note')}(?![a-z])", re.I)
"""Names of notes, as links write them."""
_BACK = re.compile(rf"(?:^|[-_:.\d]){either('note back')}(?![a-z])", re.I)
"""Names of places that notes lead back to; a page may lack them."""
_CLASS = re.compile(r"(?:^|\s)(?:doc-)?(?:foot|side|end)-?note(?:-definition)?(?:\s|$)", re.I)  #: Classes and roles of notes.
_LABEL = re.compile(r"\[?\s?((?:[a-z]{1,5} )?\w{1,8})\s?\]?")  #: Text that refers to an item of a list, such as [4] or [n 4].
_NUMBER = re.compile(r"[\[(]?\s?(\d{1,3}|[a-z*†‡])\s?[\])]?")  #: Text that refers to any other note.
_FRAGMENT = ("#",)
_LONGEST_LABEL = 12  #: Characters of a link that may refer to a note.
_LONGEST_BACK = 3  #: Characters of a link back, such as an arrow.
_UP = 4  #: Most levels from the target of a link to its note.
_LI = tags.CODE["li"]
_HOLDERS = tags.lookup(tags.codes("li p div aside section"))  #: Elements that may be a note; all but list items need a number as label.
_FOOTER, _PARTS = tags.lookup(tags.codes("footer")), tags.lookup(tags.codes("article main section"))
_BLOCKS, _RAISED = tags.lookup(tags.BLOCKS), tags.lookup(tags.codes("sup"))


@dataclass(frozen=True, slots=True)
class Notes:
    """The footnotes of a page."""

    references: dict[int, str] = field(default_factory=dict)  #: Label by the ``a`` element that refers to a note.
    notes: dict[int, str] = field(default_factory=dict)  #: Label by the element that is the note.
    back: frozenset[int] = frozenset()  #: Links from notes back to the text, and labels that notes begin with.


@dataclass(frozen=True, slots=True)
class _Links:
    """Links to notes and back, whatever is shown of them."""

    references: dict[int, int] = field(default_factory=dict)  #: The note by the link that refers to it.
    back: dict[int, set[int]] = field(default_factory=dict)  #: By note its links back, and the sign before them.


def footnotes(tree: PageTree, shown: NDArray[np.integer]) -> Notes:
    """Find the footnotes of a page. ``shown``: nodes of the texts that are shown, rising; the rest of the page does not count.

    >>> from tamis import parse
    >>> tree = parse('<p>Reeds<sup><a id="up" href="#one">1</a></sup><ol><li id="one">Rushes. <a href="#up">↩</a></ol>')
    >>> found = footnotes(tree, tree.text_nodes)
    >>> list(found.references.values()), list(found.notes.values()), len(found.back)
    (['1'], ['1'], 1)
    """
    every = _every(tree)
    if not every.references:
        return Notes()
    links, notes = (np.array(list(column), dtype=np.intp) for column in (every.references, every.references.values()))
    both = (tree.count_below(links, shown) > 0) & (tree.count_below(notes, shown) > 0)
    pairs = dict(zip(links[both].tolist(), notes[both].tolist(), strict=True))
    labels: dict[int, str] = {}
    for link, note in pairs.items():
        labels.setdefault(note, _label_of_note(tree, tree.text(link), note))
    back = {node for note, label in labels.items() for node in (*_own_label(tree, note, label), *every.back.get(note, ()))}
    met: Counter[str] = Counter()
    for note, label in labels.items():  # notes of several articles on one page may have one number
        met[label] += 1
        labels[note] = label if met[label] == 1 else f"{label}-{met[label]}"
    return Notes({link: labels[note] for link, note in pairs.items()}, labels, frozenset(back))


def referred_notes(tree: PageTree, keep: BoolColumn) -> NDArray[np.intp]:
    """Return the notes that kept text refers to, intp ``(k,)``. ``keep``: nodes, bool ``(n,)``."""
    references = _every(tree).references
    if not references:
        return np.zeros(0, dtype=np.intp)
    links, notes = (np.array(list(column), dtype=np.intp) for column in (references, references.values()))
    referred = (tree.subtree_sum(keep & (tree.text_length > 0), links) > 0) & ~tree.subtree_mask(_page_footers(tree))[notes]
    return np.unique(notes[referred])


def _page_footers(tree: PageTree) -> NDArray[np.intp]:
    """Return the footers of the page itself, intp ``(k,)``: their notes are terms of sale."""
    footers = tree.tagged(_FOOTER)
    return footers[~tree.subtree_mask(tree.of_tags(_PARTS))[footers]]


@of_page
def _every(tree: PageTree) -> _Links:
    length, hrefs = tree.length_below, tree.values("href")
    if not (leading := hrefs.passing(lambda href: href.partition("#")[2], _FRAGMENT)):
        return _Links()
    links = (hrefs.of_codes(leading) & tree.link).nonzero()[0]
    links = links[(length[links] > 0) & (length[links] <= _LONGEST_LABEL)][:MAX_LINKS]
    names = _fragments(tree, links) if len(links) else None
    if not names:
        return _Links()
    places = _elements_named(tree, set(names.values()))
    said = {link: tree.text(link) for link, name in names.items() if name in places}
    names = {link: names[link] for link, text in said.items() if any(form.fullmatch(text) for form in (_LABEL, _NUMBER))}
    at = {place: _note_at(tree, place) for place in {places[name] for name in names.values()}}
    pairs = [
        (link, note, name, label)
        for link, name in names.items()
        if (note := at[places[name]]) >= 0 and not note <= link < tree.end[note] and (label := _label_of_note(tree, said[link], note))
    ]
    if not pairs:
        return _Links()
    is_note = np.zeros(len(tree), dtype=np.bool_)
    is_note[[note for _, note, *_ in pairs]] = True
    around, block = tree.nearest_ancestor(is_note), tree.nearest_ancestor(tree.of_tags(_BLOCKS))
    names = _fragments(tree, ((around >= 0) & tree.link).nonzero()[0])
    places = _elements_named(tree, set(names.values()))
    reached: dict[int, list[tuple[int, str, int]]] = {}
    for link, name in names.items():
        place = places.get(name, -1)  # a block that a note leads to may hold all of the page
        reached.setdefault(int(around[link]), []).append((link, name, int(block[place]) if place >= 0 and block[place] != place else -1))
    found, raised = _Links(), tree.subtree_mask(tree.tagged(_RAISED))
    for link, note, name, label in pairs:
        named = not _BACK.search(name) and (
            _NAMED.search(name) or any(_CLASS.search(tree.attribute(note, key) or "") for key in ("class", "role"))
        )
        leads_back = any(to == block[link] for _, _, to in reached.get(note, ()))
        if named or (link < note and (leads_back or _is_numbered(tree, note, label) or raised[link : link + 2].any())):
            found.references[link] = note
    for link, note in found.references.items():
        back = [
            each for each, name, to in reached.get(note, ()) if length[each] <= _LONGEST_BACK and (to == block[link] or _BACK.search(name))
        ]
        found.back.setdefault(note, set()).update(*(_with_sign(tree, each, note) for each in back))
    return found


def _fragments(tree: PageTree, links: NDArray[np.intp]) -> dict[int, str]:
    """Return the name that each of some links leads to, on a page."""
    codes, distinct = tree.values("href")
    given = zip(links.tolist(), codes[links].tolist(), strict=True)
    return {node: name for node, code in given if code >= 0 and (name := distinct[code].partition("#")[2])}


def _elements_named(tree: PageTree, wanted: set[str]) -> dict[str, int]:
    """Return the first element of each of some names (``id``, or ``name``)."""
    places: dict[str, int] = {}
    for column in (tree.values("name"), tree.values("id")) if wanted else ():
        codes = [] if wanted.isdisjoint(column.distinct) else column.passing(wanted.__contains__)
        for node in column.of_codes(codes).nonzero()[0].tolist()[::-1] if codes else ():
            places[column.distinct[column.codes[node]]] = node
    return places


def _note_at(tree: PageTree, place: int) -> int:
    """Return the note that a link to a place leads to, -1 for none: the place, or what begins with it, and a whole item of a list."""
    begun = [node for node in (place, *islice(tree.ancestors(place), _UP)) if tree.before[node] == tree.before[place]]
    holders = [node for node in begun if tags.within(_HOLDERS, tree.tag[node : node + 1])[0]]
    note = next((node for node in holders if tree.tag[node] == _LI), holders[0] if holders else -1)
    return note if note >= 0 and tree.length_below[note] and not tree.count_below(np.array([note]), tree.headings)[0] else -1


def _label_of_note(tree: PageTree, text: str, note: int) -> str:
    match = (_LABEL if tree.tag[note] == _LI else _NUMBER).fullmatch(text)
    return match[1].replace(" ", "") if match else ""


def _is_numbered(tree: PageTree, note: int, label: str) -> bool:
    """Return whether an item of a list is the one of that number, or begins with it."""
    return bool(tree.tag[note] == _LI and label.isdecimal() and (int(label) == tree.ordinal[note] or _own_label(tree, note, label)))


def _with_sign(tree: PageTree, link: int, note: int) -> list[int]:
    """Return a link back, with the sign before several of them."""
    before = int(tree.text_nodes.searchsorted(link)) - 1
    signed = before >= 0 and tree.texts[before].strip() in ("^", "↑") and note < tree.text_nodes[before]
    return [link, int(tree.text_nodes[before])] if signed else [link]


def _own_label(tree: PageTree, note: int, number: str) -> list[int]:
    """Return the texts that a note begins with and that are its number, such as "[", "1", "]"."""
    first, last = map(int, tree.texts_below(note))
    said, its = "", []
    for at in range(first, min(last, first + 5)):
        said += tree.texts[at].strip()
        its.append(int(tree.text_nodes[at]))
        if said.strip("[]().") == number:
            after = tree.texts[at + 1].strip() if at + 1 < last else ""
            return [*its, int(tree.text_nodes[at + 1])] if after in ("]", ")", ".") else its
        if said.strip("[("):
            break
    return []
