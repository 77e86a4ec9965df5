"""Plain text, and the lines that every renderer begins with: the kept text of a page, white space collapsed, one string per line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.document.render import Rendering
from tamis.document.render.code import broken_lines, gutters, language_labels, line_numbers
from tamis.document.render.footnotes import Notes, footnotes, without_label
from tamis.document.render.formulas import Formulas, formulas
from tamis.native import columns as compiled
from tamis.page import tags
from tamis.page.styles import APART, FLEXIBLE, IN_BOX, styled
from tamis.page.tree import BoolColumn, PageTree

_PRE = tags.lookup(tags.PREFORMATTED & tags.BLOCKS)
_CELL = tags.lookup(tags.CELLS)
_PRE_OR_CELL = _PRE | _CELL
_CODE = tags.lookup(tags.PREFORMATTED | tags.codes("code kbd samp var tt dt sub sup rt math"))
_LABEL, _SPAN = tags.CODE["label"], tags.lookup(tags.codes("span"))
_Q, _RT, _RP, _BLOCKS = (*(tags.lookup(tags.codes(name)) for name in ("q", "rt", "rp")), tags.lookup(tags.BLOCKS))
_QUOTES = frozenset("\"'“”„‟‘’‚«»‹›「『《")
_MONEY = frozenset("$€£¥₹")
_QUANTITY = re.compile(r"\d[\d.,]*\s?[^\W\d]")  #: A number with a unit.
_ORDINAL = re.compile(r"(?:st|nd|rd|th|er|ère|ème|de|te|ten|ter|tes|ste|sten|ste[nrs])\b")  #: Endings of a number.
_GOING_ON = tuple("@/0123456789")  #: After these a number goes on: it is part of another one or of an address.
_AMOUNT = re.compile(r"[$€£¥₹]?\d[\d.,:]*+(?:[$€£¥₹%]|\s?[^\W\d_]{1,5})?")  #: Amounts, which small letters do not continue.
_BETWEEN = tags.lookup(tags.codes("img svg input button label select video audio iframe object canvas"))
_ENDS_IN_FULL_WORD = re.compile(r"(?:^|\s)[^\W\d_]{3,}[.:?!]\Z")  #: The end of a sentence, no part of a name such as java.lang.
_ENDING = frozenset(".!?…:;,%)]®™”»")
_INVISIBLE = "\u00ad\u200b\u2060\ufeff"
_SHAPING = "\u200c\u200d\u200e\u200f"  #: Marks that join letters or turn their direction.
_PERMALINKS = frozenset(f"{before}{mark}{after}" for mark in "¶#§🔗⚓∞" for before in ("", " ") for after in ("", " "))
"""Texts of a heading's links to itself."""
_NEAR = tags.lookup(tags.HEADINGS | tags.codes("dt caption figcaption summary"))
_NAMED = re.compile(r"\b(?:header-?link|perma-?link|heading-?(?:anchor|link)|anchor(?:js)?-?(?:link)?|hash-?link|anchorlink)\b", re.I)
EDIT = re.compile(r"(?:^|[\s_-])edit(?:-?section|-?link|-?icon|-?button)?(?:$|[\s_-])", re.I)
_LONGEST_EDIT = 20  #: Characters of a heading's link to change its section.
_UP = 4  #: Most levels from a permalink to its heading.


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The kept text of a page, line by line."""

    tree: PageTree
    shown: NDArray[np.intp]  #: Positions of the shown texts among the page's texts, rising, intp ``(s,)``.
    nodes: NDArray[np.int32]  #: Their nodes, int32 ``(s,)``.
    starts: NDArray[np.intp]  #: Index into ``shown`` of the first text on each line, intp ``(l,)``.
    texts: list[str]  #: The ``l`` lines; empty where nothing is left to see.
    every: list[str]  #: All texts of the page, shown or not, with the line breaks of code.
    pre: BoolColumn | None  #: Preformatted lines, bool ``(l,)``; None if there are none.
    cells: NDArray[np.intp]  #: The page's table cells.
    quoted: list[tuple[int, int, str]]  #: First and last position of each text between two signs that a browser shows, and the signs.
    notes: Notes
    formulas: Formulas | None


def read_lines(tree: PageTree, keep: BoolColumn) -> Lines:
    """Return the kept lines of a page, without permalinks, numbers and languages of code, forms of TeX. ``keep``: nodes, bool ``(n,)``."""
    shown = keep[tree.text_nodes].nonzero()[0]
    special = tree.tagged(_PRE_OR_CELL)
    pres = cells = special
    if len(special):
        is_pre = tags.within(_PRE, tree.tag[special])
        pres, cells = special[is_pre], special[~is_pre]
    numbers = tree.subtree_mask(gutters(tree, cells, pres)) if len(pres) and len(cells) else None
    texts = broken_lines(tree, pres) if len(pres) else tree.texts
    if len(pres) and (inline := line_numbers(tree, pres)):
        numbers = np.zeros(len(tree), dtype=np.bool_) if numbers is None else numbers
        texts = list(texts)
        for k in inline:
            texts[k] = texts[k][: len(texts[k]) - len(texts[k].lstrip("\r\n"))]
            numbers[tree.text_nodes[k]] = not texts[k]
    found = formulas(tree)
    notes = footnotes(tree, tree.text_nodes[shown])
    back = tree.subtree_mask(np.array(list(notes.back), dtype=np.intp)) if notes.back else None
    labels = tree.subtree_mask(np.array(language_labels(tree, pres), dtype=np.intp)) if len(pres) else None
    for left_out in (numbers, labels, permalinks(tree, shown), found.hidden if found else None, back):
        if left_out is not None:
            shown = shown[~left_out[tree.text_nodes[shown]]]
    nodes, starts = tree.text_nodes[shown], line_starts(tree, shown)
    pre = tree.subtree_mask(pres)[nodes[starts]] if len(pres) else None
    begun = [(node, label, int(nodes.searchsorted(node))) for node, label in notes.notes.items()]
    begun = [(node, label, k) for node, label, k in begun if k < len(nodes) and nodes[k] < tree.end[node]]
    if begun:
        texts = unlabelled = list(texts)
        for node, label, k in begun:
            unlabelled[shown[k]] = without_label(texts[shown[k]], label, bool(tree.before[nodes[k]] > tree.before[node]))
    every = _spaced(tree, shown, texts)
    said = list(every)
    for node, formula in found.tex.items() if found else ():
        said[tree.texts_below(node)[0]] = formula
    for _, label, k in begun:
        said[shown[k]] = f"[{label}] {said[shown[k]].lstrip()}"
    quoted = [*quotations(tree, shown, said), *readings(tree, shown)]
    for first, last, signs in quoted:
        said[first] = _before_word(said[first], signs[0])
        said[last] = _before_word(said[last][::-1], signs[1])[::-1]
    texts = _joined_lines(said, shown, starts, pre)
    return Lines(tree, shown, nodes, starts, texts, every, pre, cells, quoted, notes, found)


def readings(tree: PageTree, shown: NDArray[np.intp]) -> list[tuple[int, int, str]]:
    """Return first and last position of the texts that a browser shows above others, as :attr:`Lines.quoted`: ``rt`` without ``rp``.

    >>> from tamis import parse
    >>> readings(parse("<ruby>漢<rt>kan</ruby>"), np.arange(2))
    [(1, 1, '()')]
    """
    nodes, found = tree.tagged(_RT), list[tuple[int, int, str]]()
    if not len(nodes):
        return found
    shown_texts = np.zeros(len(tree), dtype=np.bool_)
    shown_texts[tree.text_nodes[shown]] = True
    brackets = tree.tagged(_RP)
    brackets = brackets[tree.subtree_sum(shown_texts, brackets) > 0]
    outside = tree.subtree_mask(tree.tagged(_PRE)) | (tree.nearest_ancestor(tree.tag == tags.CODE["ruby"]) < 0)
    nodes = nodes[~(outside[nodes] | np.isin(tree.parent[nodes], tree.parent[brackets]))]
    worded = shown[tree.text_length[tree.text_nodes[shown]] > 0]
    for node in tree.top_level(nodes).tolist():
        inside = worded[slice(*worded.searchsorted(tree.texts_below(node)))]
        for line in np.split(inside, np.flatnonzero(np.diff(tree.line[inside])) + 1):
            found += [(int(line[0]), int(line[-1]), "()")] if len(line) else []
    return found


def quotations(tree: PageTree, shown: NDArray[np.intp], texts: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return first and last position of the texts around which a browser puts the only quotation marks, as :attr:`Lines.quoted`: ``q`` in a
    line.

    >>> from tamis import parse
    >>> tree = parse('<p><q>One</q>, "<q>two</q>", <q>“three”</q>')
    >>> [tree.texts[first] for first, *_ in quotations(tree, np.arange(len(tree.texts)), tree.texts)]
    ['One']
    """
    found: list[tuple[int, int, str]] = []
    elements = tree.tagged(_Q)
    if not len(elements):
        return found
    worded = shown[tree.text_length[tree.text_nodes[shown]] > 0]
    code = tree.subtree_mask(tree.tagged(_PRE))
    elements = elements[[not (code[node] or holds_blocks(tree, node)) for node in elements.tolist()]]
    for node in tree.top_level(elements).tolist():
        first, last = worded.searchsorted(tree.texts_below(node)).tolist()
        before = texts[worded[first - 1]].rstrip()[-1:] if first else ""
        if first < last and not _QUOTES & {before, texts[worded[first]].lstrip()[:1]}:
            found.append((int(worded[first]), int(worded[last - 1]), '""'))
    return found


def holds_blocks(tree: PageTree, node: int) -> bool:
    """Return whether an element holds more than running text: around blocks, ``q`` is not a quotation."""
    return bool(tags.within(_BLOCKS, tree.tag[node : tree.end[node]]).any())


def _before_word(text: str, sign: str) -> str:
    word = text.lstrip()
    return f"{text[: len(text) - len(word)]}{sign}{word}"


def _spaced(tree: PageTree, shown: NDArray[np.intp], texts: list[str]) -> list[str]:
    """Return the texts, with a space after those that only a style separates from the next: ``<span>Ann Reed</span><span>Editor</span>``.

    These are two elements side by side on a line: the first ends a word, and the second begins with a capital letter, a number, a
    price or a unit. In small letters the second may go on with the word, unless both are links of several characters with different
    addresses, words are parted there in another row of the same kind, or a style or a picture parts them. A link begins a word after a
    sentence. In a term, ``i<span class="classifier">int</span>``, they add a colon. A sign that is a label is a space.
    """
    of = tree.text_nodes
    columns = (tree.tag, tree.parent, tree.end, tree.in_link, of, tree.line)
    found = compiled.close_texts(*columns, texts, shown.astype(np.int64, copy=False), _LABEL)
    lettered, close, signs, linked, leading, to_link = found
    first = set(leading)
    glued = [k for k in close if _ends_word(texts[k], texts[k + 1], "" if k in first else texts[k - 1])]
    glued += _in_other_rows(tree, close, glued)
    glued += _parted_by_style(tree, lettered + [k for k in close if texts[k + 1][:1].isdecimal()])
    glued += [k for k in to_link if _ENDS_IN_FULL_WORD.search(texts[k])]
    for k in linked:
        both = tree.attributes_of(tree.link_around[of[k : k + 2]].tolist())
        glued += [k] if len({its.get("href", "").rstrip("/") for its in both}) > 1 else []
    signs = [k for k in signs if not texts[k].strip().isalnum()]
    typed = tree.values("class").nodes(lambda value: "classifier" in value.split(), ("classifier",))
    if len(typed):
        typed = of.searchsorted(typed[(tree.tag[tree.parent[typed]] == tags.CODE["dt"]) & (tree.length_below[typed] > 0)])
    if not (glued or signs or len(typed)):
        return texts
    code = tree.subtree_mask(tree.tagged(_CODE))
    spaced = list(texts)
    on_line = set(shown[:-1][(shown[1:] == shown[:-1] + 1) & (tree.line[shown[1:]] == tree.line[shown[:-1]])].tolist())
    for k in [k for k in (typed - 1).tolist() if k in on_line]:
        if texts[k].rstrip()[-1:] not in ("", ":"):
            spaced[k] = f"{texts[k].rstrip()} : "
    for k in glued:
        if not code[of[k]] and not code[of[k + 1]]:
            spaced[k] += " "
    for k in signs:  # they open notes beside the text
        spaced[k] = " "
    return spaced


def _in_other_rows(tree: PageTree, close: list[int], glued: list[int]) -> list[int]:
    """Of some texts those that end a word because, in another row of the same list, a word ends before the same kind of element."""
    if not glued or len(glued) == len(close):
        return []
    classes = tree.values("class").codes

    def place(text: int) -> tuple[int, ...] | None:
        element = int(tree.parent[tree.text_nodes[text + 1]])
        row = int(tree.parent[element])
        if row < 0 or tree.parent[tree.parent[tree.text_nodes[text]]] != row:
            return None
        number = () if classes[element] >= 0 else (int(tree.ordinal[element]),)
        return int(tree.parent[row]), int(tree.tag[row]), int(classes[row]), int(tree.tag[element]), int(classes[element]), *number

    known = {place(text) for text in glued} - {None}
    words = (k for k in sorted({*close} - {*glued}) if tree.texts[k][-1:].isalnum() and tree.texts[k + 1][:1].isalnum())
    return [k for k in words if place(k) in known]


def _parted_by_style(tree: PageTree, found: list[int]) -> list[int]:
    """Return those of some texts before the edge of an element that a style, or its parent's, shows apart, before a picture, or between two
    boxes in a line or two blocks that a style shows in one."""
    if not found:
        return found
    apart, flexible, between = styled(tree, APART), styled(tree, FLEXIBLE), tree.tagged(_BETWEEN)
    nodes = np.concatenate([(apart | ((tree.parent >= 0) & flexible[tree.parent])).nonzero()[0], between])
    written = tree.tag if tree.written is None else tree.written
    alike = (styled(tree, IN_BOX) | ((written != tree.tag) & tree.of_tags(_SPAN))).nonzero()[0]
    edges = [tree.text_nodes.searchsorted(bound) - 1 for bound in (nodes, tree.end[nodes], alike, tree.end[alike])]
    parted = {*edges[0].tolist(), *edges[1].tolist(), *(set(edges[2].tolist()) & set(edges[3].tolist()))}
    return [k for k in found if k in parted]


def _ends_word(text: str, following: str, before: str) -> object:
    last, first = text[-1:], following[:1]
    if first.islower():
        unit = text.isalpha() and before[-1:].isdecimal()
        number = _AMOUNT.fullmatch((before + text if unit else text).strip())
        goes_on = _ORDINAL.match(following) or (before.endswith(_GOING_ON) and not unit)
        return last in _MONEY or (last == ":" and text[-4:-1].isalpha()) or (number and following[1:2].islower() and not goes_on)
    if not first.isupper():
        if first == "(":
            return last.isalpha() and following[1:2].isdigit() and following.rstrip()[-1:] == ")"
        if first.isdecimal() and text.strip().isdecimal():
            return _QUANTITY.match(following) and not before.endswith(_GOING_ON)
        return last.isdigit() if first in _MONEY else first.isdecimal() and len(text) > 2 and text[-3:].isalpha() and text[-3:].islower()
    return last.islower() or last in _ENDING or (last.isdigit() and following[1:2].islower())


def _joined_lines(texts: list[str], shown: NDArray[np.intp], starts: NDArray[np.intp], pre: BoolColumn | None) -> list[str]:
    found = made_of(texts, shown, starts, pre)
    for k in pre.nonzero()[0].tolist() if pre is not None else ():
        found[k] = _verbatim(visible(found[k]))
    return found


def _verbatim(text: str) -> str:
    """Preformatted text without empty lines around it; nothing where it is all white space."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "" if text.isspace() else text.strip("\n")


def lines(tree: PageTree, shown: NDArray[np.intp]) -> list[str]:
    """Return the lines of some texts, white space collapsed. ``shown``: positions among the page's texts, rising, intp ``(s,)``."""
    if not len(shown):
        return []
    first = shown[0]
    return made_of(tree.texts[first : shown[-1] + 1], shown - first, line_starts(tree, shown))


def made_of(texts: list[str], shown: NDArray[np.intp], starts: NDArray[np.intp], verbatim: BoolColumn | None = None) -> list[str]:
    """Return the lines that some texts make, white space collapsed.

    Args:
        texts: some or all of a page.
        shown: positions among them, intp ``(s,)``.
        starts: where each line begins (:func:`line_starts`), intp ``(l,)``.
        verbatim: lines that stay as they are, bool ``(l,)``.
    """
    verbatim = np.zeros(len(starts), dtype=np.bool_) if verbatim is None else verbatim
    here, first = shown.astype(np.int64, copy=False), starts.astype(np.int64, copy=False)
    found: list[str] = compiled.lines(texts, here, first, verbatim, collapsed)
    return found


def line_starts(tree: PageTree, shown: NDArray[np.intp], part: NDArray[np.uint8] | None = None) -> NDArray[np.intp]:
    """Index into ``shown`` of the first text on each line, intp ``(l,)``.

    ``part``: of each text, uint8 ``(s,)``, where a line may not hold texts of two parts.
    """
    line = tree.line[shown]
    begins = np.empty(len(shown), dtype=np.bool_)
    begins[:1] = True
    np.not_equal(line[1:], line[:-1], out=begins[1:])
    if part is not None:
        begins[1:] |= part[1:] != part[:-1]
    return begins.nonzero()[0]


def to_text(tree: PageTree, keep: BoolColumn, rendering: Rendering = Rendering()) -> str:
    """Return the kept text of a page: one line per block, preformatted lines unchanged, tabs between cells. ``keep``: nodes, bool ``(n,)``.

    >>> from tamis import parse
    >>> tree = parse("<h1>Title</h1><p>One <b>two</b>.<table><tr><td>a<td>b</table>")
    >>> to_text(tree, tree.depth >= 0)
    'Title\\nOne two.\\na\\tb'
    """
    return write_text(read_lines(tree, keep), rendering)


def write_text(lines: Lines, rendering: Rendering = Rendering()) -> str:
    """Return :func:`to_text` of lines that are read."""
    if not (len(lines.cells) and rendering.tables):
        return "\n".join(filter(None, lines.texts))
    parts: list[str] = []
    before = 0
    for text, row in zip(lines.texts, _table_rows(lines).tolist(), strict=True):
        if text:
            parts += ("\t" if row and row == before else "\n", text)
            before = row
    return "".join(parts[1:])


def _table_rows(lines: Lines) -> NDArray[np.int64]:
    """For each line, its table row + 1 if it is all of the text of its cell and no cell of the row is broken, else 0, int64 ``(l,)``."""
    tree, cells, nodes, starts = lines.tree, lines.cells, lines.nodes, lines.starts
    first = np.searchsorted(nodes, cells)
    last = np.searchsorted(nodes, tree.end[cells]) - 1
    filled = first <= last
    cells, first, last = cells[filled], first[filled], last[filled]
    of_line = np.searchsorted(starts, first, side="right") - 1
    row = tree.parent[cells].astype(np.int64) + 1
    broken = np.zeros(len(tree) + 1, dtype=np.bool_)
    whole = np.searchsorted(starts, last, side="right") - 1 == of_line
    broken[row[~whole]] = True
    whole &= ~broken[row]
    result = np.zeros(len(starts), dtype=np.int64)
    result[of_line[whole]] = row[whole]  # of nested cells the innermost one, which comes last, counts
    return result


def collapsed(text: str) -> str:
    """Return a visible text with its white space collapsed and none around it.

    >>> collapsed(" one\u00a0 two\u200b ")
    'one two'
    """
    return " ".join(visible(text).split())


def visible(text: str) -> str:
    """Return a text without soft hyphens, zero-width spaces, word joiners and byte order marks; joiners that shape letters stay.

    >>> visible("Dampf\\u00adschiff\\u200b"), visible("\\u200d")
    ('Dampfschiff', '')
    """
    if not text.isascii():
        for character in _INVISIBLE:
            if character in text:
                text = text.replace(character, "")
        text = text and text.strip(_SHAPING) and text
    return text


def permalinks(tree: PageTree, shown: NDArray[np.intp]) -> BoolColumn | None:
    """Return the texts that are only a heading's link to itself, or "[edit]", bool ``(n,)``, or None. ``shown``: positions, intp ``(s,)``.

    >>> from tamis import parse
    >>> tree = parse('<h2>Reeds<a href="#reeds">¶</a></h2><p>Use <a href="#c">#</a>')
    >>> [tree.texts[k] for k, mark in enumerate(permalinks(tree, np.arange(3))[tree.text_nodes]) if mark]
    ['¶']

    >>> tree = parse('<h2>Reeds<a class="edit-link" href="/edit?s=2">编辑</a></h2>')
    >>> [tree.texts[k] for k, mark in enumerate(permalinks(tree, np.arange(2))[tree.text_nodes]) if mark]
    ['编辑']
    """
    single = shown[tree.text_length[tree.text_nodes[shown]] == 1].tolist()
    found = [int(tree.text_nodes[k]) for k in single if _is_permalink(tree, k)]
    classes = tree.values("class")
    edits = classes.passing(EDIT.search, ("edit",))
    if not found and not edits:
        return None
    named = classes.of_codes([code for code in edits if "mw-editsection" in classes.distinct[code]])
    if edits:
        named |= classes.of_codes(edits) & tree.subtree_mask(tree.headings) & (tree.length_below <= _LONGEST_EDIT)
    mask = tree.subtree_mask(named)
    mask[found] = True
    return mask


def before_permalink(tree: PageTree, first: int, last: int) -> int:
    """Return the end of the texts from ``first`` to ``last`` without a heading's link to itself.

    >>> from tamis import parse
    >>> tree = parse('<h2>Reeds <a href="#reeds">#</a> </h2><h2>C<b>#</b></h2>')
    >>> [tree.text_between(first, before_permalink(tree, first, last)) for first, last in ((0, 2), (2, 4))]
    ['Reeds', 'C#']
    """
    while last > first and (_is_permalink(tree, last - 1) or not tree.texts[last - 1].strip()):
        last -= 1
    return last


def _is_permalink(tree: PageTree, position: int) -> bool:
    if tree.texts[position] not in _PERMALINKS:
        return False
    linked = False
    for above, _ in zip(tree.ancestors(int(tree.text_nodes[position])), range(_UP), strict=False):
        attributes = tree.attributes[above]
        if tree.link[above]:
            if "#" not in attributes.get("href", ""):
                return False
            linked = True
            if _NAMED.search(attributes.get("class", "")):
                return True
        elif linked and tags.within(_NEAR, tree.tag[above : above + 1])[0]:
            return True
    return False
