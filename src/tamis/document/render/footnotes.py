"""Footnotes: notes that short links in the text refer to, by number or sign.

A link refers to a note if the page states it, the link is raised, or the note leads back to it, is named as one, or is the item of a list
that has the number which the link says. The names differ from tool to tool; links back and numbers do not. Raised signs without links refer
to the blocks that begin with them if there is one for each, in the same order.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from unicodedata import normalize

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
_NUMBER = re.compile(r"[\[(〔【]?\s?(?:(?:※|[注註])\s?)?(\d{1,3}|[a-z*†‡])\s?[\])〕】]?")  #: Text that refers to any other note.
_SIGN = re.compile(r"\d{1,3}|[*†‡]|[①-⑳]|[\[(（〔【※注註][\[(（〔【※注註\s\d]{1,6}[\])）〕】]?")
"""Raised text without a link that may refer to a note."""
_OWN = re.compile(r"\s*([\[(（〔【]?\s?(?:[※注註]\s?)?([\d①-⑳]{1,3}|[*†‡])\s?[\])）〕】]?)?([.．)\]:：、]?)\s*")
"""The label that the text of a note begins with: all but the sign behind it, the number, the sign behind it."""
_BRACKETS = frozenset({("[", "]"), ("(", ")")})
_FRAGMENT = ("#",)
_STATED = re.compile(r"(?:^|[\s-])note-?ref|footnote-?(?:ref|anchor)", re.I)  #: Attributes of links to notes.
_LONG = 80  #: Characters of a paragraph at least; shorter ones may be notes.
_LONGEST_LABEL = 12  #: Characters of a link that may refer to a note.
_LONGEST_BACK = 3  #: Characters of a link back, such as an arrow.
_STATING = ("class", "role", "epub:type")  #: Attributes that may say what a link or an element is.
_UP = 4  #: Most levels from the target of a link to its note.
_PARAGRAPHS = tags.lookup(tags.codes("p"))
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
    back = {node for link in pairs for node in _brackets_around(tree, link)}
    back |= {node for note, label in labels.items() for node in (*_own_label(tree, note, label), *every.back.get(note, ()))}
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


def referring_paragraphs(tree: PageTree, keep: BoolColumn) -> NDArray[np.intp]:
    """Return the long paragraphs with references to notes beside kept ones, intp ``(k,)``: only a text has notes. ``keep``: nodes, bool
    ``(n,)``."""
    references = _every(tree).references
    if not references:
        return np.zeros(0, dtype=np.intp)
    paragraphs = tree.tagged(_PARAGRAPHS)
    found = paragraphs[(tree.length_below[paragraphs] >= _LONG) & ~tree.in_chrome[paragraphs]]
    found = found[tree.count_below(found, np.sort(np.array(list(references), dtype=np.intp))) > 0]
    kept = paragraphs[tree.count_below(paragraphs, tree.text_nodes[keep[tree.text_nodes]]) > 0]
    return found[np.isin(tree.parent[found], tree.parent[kept])]


def _page_footers(tree: PageTree) -> NDArray[np.intp]:
    """Return the footers of the page itself, intp ``(k,)``: their notes are terms of sale."""
    footers = tree.tagged(_FOOTER)
    return footers[~tree.subtree_mask(tree.of_tags(_PARTS))[footers]]


@of_page
def _every(tree: PageTree) -> _Links:
    return _by_links(tree) or _Links(_notes_of_signs(tree))


def _by_links(tree: PageTree) -> _Links | None:
    """Return the notes that links lead to; None where no link may lead to one."""
    length, hrefs = tree.length_below, tree.values("href")
    if not (leading := hrefs.passing(lambda href: href.partition("#")[2], _FRAGMENT)):
        return None
    links = hrefs.nodes_of(leading)
    links = links[tree.link[links] & (length[links] > 0) & (length[links] <= _LONGEST_LABEL)][:MAX_LINKS]
    names = _fragments(tree, links) if len(links) else None
    if not names:
        return None
    places = _elements_named(tree, set(names.values()))
    said = {link: tree.text(link) for link, name in names.items() if name in places}
    names = {link: names[link] for link, text in said.items() if _LABEL.fullmatch(text) or _NUMBER.fullmatch(normalize("NFKC", text))}
    at = {place: _note_at(tree, place) for place in {places[name] for name in names.values()}}
    pairs = [
        (link, note, name, label)
        for link, name in names.items()
        if (note := at[places[name]]) >= 0 and not note <= link < tree.end[note] and (label := _label_of_note(tree, said[link], note))
    ]
    if not pairs:
        return None
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
            _NAMED.search(name)
            or any(_CLASS.search(tree.attribute(note, key) or "") for key in _STATING)
            or any(_STATED.search(tree.attribute(link, key) or "") for key in _STATING)
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
        for node in column.nodes_of(codes).tolist()[::-1]:
            places[column.distinct[column.codes[node]]] = node
    return places


def _note_at(tree: PageTree, place: int) -> int:
    """Return the note that a link to a place leads to, -1 for none: the place, or what begins with it, and a whole item of a list."""
    begun = [node for node in (place, *islice(tree.ancestors(place), _UP)) if tree.before[node] == tree.before[place]]
    holders = [node for node in begun if tags.within(_HOLDERS, tree.tag[node : node + 1])[0]]
    note = next((node for node in holders if tree.tag[node] == _LI), holders[0] if holders else -1)
    return note if note >= 0 and tree.length_below[note] and not tree.count_below(np.array([note]), tree.headings)[0] else -1


def _label_of_note(tree: PageTree, text: str, note: int) -> str:
    text = normalize("NFKC", text)
    match = _NUMBER.fullmatch(text) or (_LABEL.fullmatch(text) if tree.tag[note] == _LI else None)
    return match[1].replace(" ", "") if match else ""


def _number_in(text: str) -> str:
    match = _NUMBER.fullmatch(normalize("NFKC", text).rstrip(".:"))
    return match[1] if match else text.strip("[]().")


def without_label(text: str, label: str, alone: bool) -> str:
    """Return the text of a note without its own label, or the rest of it. ``alone``: the label is before the text.

    >>> without_label("(1) Reeds", "1", False), without_label(". Reeds", "1", True), without_label("※2　葦", "2", False)
    ('Reeds', 'Reeds', '葦')
    >>> without_label("1 Reed", "1", False), without_label("12 reeds", "1", False)
    ('1 Reed', '12 reeds')
    """
    match = _OWN.match(text)
    if match is None:
        return text
    own, number, after = match.groups()
    marked = own and normalize("NFKC", number) == label and (after or own.strip() != number or not (number.isascii() and number.isalnum()))
    return text[match.end() :] if marked or (alone and not own and after) else text


def _notes_of_signs(tree: PageTree) -> dict[int, int]:
    """Return the note by the raised sign that refers to it, where no link does: a block for each begins with it."""
    raised = tree.tagged(_RAISED)
    if not len(raised):
        return {}
    raised = raised[(tree.length_below[raised] > 0) & (tree.length_below[raised] <= _LONGEST_LABEL) & ~tree.link[raised]][:MAX_LINKS]
    block = tree.nearest_ancestor(tree.of_tags(_BLOCKS))
    inside = raised[tree.before[raised] > tree.before[block[raised]]]
    signs = {sign: node for node in inside.tolist() if _SIGN.fullmatch(sign := tree.text(node))}
    numbers = [normalize("NFKC", sign) for sign in signs]
    if len(signs) < len(inside) or not signs:  # a sign twice, or powers
        return {}
    if all(map(str.isdecimal, numbers)) and numbers != [str(k + 1) for k in range(len(numbers))]:
        return {}
    notes: dict[str, int] = {}
    first = int(tree.text_nodes.searchsorted(inside[-1])) + 1
    starts = [
        k for k in range(first, len(tree.texts)) if tree.line[k] != tree.line[k - 1] and tree.texts[k].lstrip().startswith(tuple(signs))
    ]
    for k in starts:
        node = int(block[tree.text_nodes[k]])
        own = _own_sign(tree, k, signs)
        if own is None or not tags.within(_HOLDERS, tree.tag[node : node + 1])[0] or own in notes:
            continue
        notes[own] = node
    return {signs[sign]: note for sign, note in notes.items()} if list(notes) == list(signs) else {}


def _own_sign(tree: PageTree, k: int, signs: dict[str, int]) -> str | None:
    """Return the sign that a line begins with: one in an element of its own, or with a sign that no other text begins with."""
    text = tree.texts[k].strip()
    if text in signs:
        return text
    own = max((sign for sign in signs if text.startswith(sign)), key=len)
    return own if not own.isascii() or not own.isalnum() else None


def _is_numbered(tree: PageTree, note: int, label: str) -> bool:
    """Return whether an item of a list is the one of that number, or begins with it."""
    return bool(tree.tag[note] == _LI and label.isdecimal() and (int(label) == tree.ordinal[note] or _own_label(tree, note, label)))


def _with_sign(tree: PageTree, link: int, note: int) -> list[int]:
    """Return a link back, with the sign before several of them."""
    before = int(tree.text_nodes.searchsorted(link)) - 1
    signed = before >= 0 and tree.texts[before].strip() in ("^", "↑") and note < tree.text_nodes[before]
    return [link, int(tree.text_nodes[before])] if signed else [link]


def _brackets_around(tree: PageTree, link: int) -> tuple[int, ...]:
    """Return the texts beside a link to a note that are brackets around it: ``[<a>1</a>]``."""
    first, last = tree.texts_below(link)
    if first == 0 or last == len(tree.texts) or (tree.texts[first - 1].strip(), tree.texts[last].strip()) not in _BRACKETS:
        return ()
    beside = (int(tree.text_nodes[first - 1]), int(tree.text_nodes[last]))
    return beside if all(tree.parent[node] == tree.parent[link] for node in beside) else ()


def _own_label(tree: PageTree, note: int, number: str) -> list[int]:
    """Return the texts that a note begins with and that are its number, such as "[", "1", "]"."""
    first, last = map(int, tree.texts_below(note))
    said, its = "", []
    for at in range(first, min(last, first + 5)):
        said += tree.texts[at].strip()
        its.append(int(tree.text_nodes[at]))
        if _number_in(said) == number:
            after = tree.texts[at + 1].strip() if at + 1 < last else ""
            return [*its, int(tree.text_nodes[at + 1])] if after in ("]", ")", ".") else its
        if said.strip("[("):
            break
    return []
