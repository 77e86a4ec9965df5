"""Lines of running text in Markdown: where marks, links and code spans open and close.

A delimiter run such as ``**`` needs certain characters beside it (CommonMark, "flanking"). Where these are missing, as often in text
without spaces, punctuation at the edge of the mark is moved out of it: ``**摘要：**会议`` becomes ``**摘要**：会议``. Where that does not
help, the HTML element is written instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from tamis.document.render.escapes import code_span, destination, escape, formula, image, title
from tamis.document.render.runs import Leaf, Mark
from tamis.document.render.text import collapsed
from tamis.native.outline import plain

BREAK = "\n"  #: A line break that is to come.

_DELIMITERS = {"strong": "**", "em": "*", "del": "~~"}
_SHOWN = frozenset({"a", "code", "sub", "sup", *_DELIMITERS})
_SIMPLE = frozenset({"a", "code", *_DELIMITERS})
_APART = frozenset({"a", "image"})  #: Leaves that may touch their like.
_VERBATIM = frozenset({"tex", "note"})
_READ = _SHOWN | _VERBATIM

_PASSES = 6
_SIGNS = "，。、：；！？…—·“”‘’「」『』《》〈〉【】（）〔〕｛｝,.;:?\"'"
_EDGES = {True: re.compile(rf"[{_SIGNS}\s]+"), False: re.compile(rf"(?<![{_SIGNS}\s])[{_SIGNS}\s]+$")}
"""Punctuation that a mark can do without, where it opens and where it closes."""


@dataclass(slots=True, eq=False)
class _Delimiter:
    """Position at which a mark opens or closes."""

    mark: Mark
    opens: bool
    position: int  #: Index among the parts of the run.
    family: str  #: The character it is made of; nothing where it is HTML.
    nested: bool = False  #: Another mark of the same character is open around it.
    other: int = -1  #: Position of the one that closes or opens the mark.


def simple(leaves: list[Leaf], line_break: str, without: frozenset[str] = frozenset()) -> str | None:
    """Return the Markdown of a run with at most one mark at a time, and readable emphasis; else None. ``without``: kinds not shown."""
    parts: list[str] = []
    emphasised = False
    before: Mark | None = None
    gap, last, kind_before = "", "", "nothing"
    for text, picture, marks, breaks, _ in leaves:
        mark, kind = None, "image" if picture else ""
        for each in marks:
            if each.kind in _READ and each.kind not in without:
                if mark or each.kind not in _SIMPLE or (picture and each.kind != "a"):
                    return None
                mark, kind = each, each.kind
        easy = None if picture else plain(text)
        core = image(picture) if picture else collapsed(text) if easy is None else easy
        gap = line_break if breaks else gap or (" " if text[:1].isspace() else "")
        if not core:
            continue
        gap = gap if parts else ""
        touches = not gap and len(parts) > 0
        alike = kind == kind_before and kind not in _APART and (touches or kind in _DELIMITERS or (not kind and gap == " "))
        if alike or (mark and mark is before):
            return None  # both are one text, one mark, or two that must not touch
        emphasis = _DELIMITERS.get(kind, "")
        if touches and ((emphasised and (emphasis or not (picture or last.isalnum()))) or (emphasis and not core[0].isalnum())):
            return None
        last = core[-1]
        if kind == "code":
            core = code_span(core)
        elif easy is None and not picture:
            core = escape(core, linked=kind == "a")
        core = f"{emphasis}{core}{emphasis}" if emphasis else core
        if mark and kind == "a":
            core = f"[{core}]({destination(mark.url)}{_link_title(mark, core)})"
            if touches and parts[-1].endswith("!"):
                return None
        if gap:
            parts.append(gap)
        parts.append(core)
        gap, emphasised, before, kind_before = " " if text[-1:].isspace() else "", bool(emphasis), mark, kind
    return "".join(parts)


class InlineLine:
    """Composes the leaves of a run. Marks open where text begins and close where it ends, so none is empty or has outer spaces."""

    def __init__(self, line_break: str, without: frozenset[str], within: tuple[str, ...], notes: Mapping[int, str]) -> None:
        self.notes = notes
        self.noted: Mark | None = None  #: The reference to a note that was written last.
        self.line_break = line_break
        self.without = without
        self.within = tuple(Mark(kind, kind, -1) for kind in within)
        self.parts: list[str] = []
        self.delimiters: dict[int, _Delimiter] = {}  #: Delimiters of all marks but links, by position.
        self.open: list[_Delimiter] = []
        self.code: list[str] | None = None  #: Parts of the open code span.
        self.code_mark: Mark | None = None
        self.pending = ""

    def compose(self, leaves: list[Leaf]) -> str:
        """Return the Markdown of a run."""
        text = ""
        marks: tuple[Mark, ...] = ()
        for leaf in leaves:
            if leaf.breaks or leaf.image or leaf.marks != marks:
                self._add_text(text, marks)
                text, marks = "", leaf.marks
            if leaf.breaks:
                self.pending = BREAK
            if leaf.image:
                opened = {delimiter.mark.node for delimiter in self.open}
                marks = tuple(mark for mark in marks if mark.kind == "a" or mark.node in opened)  # no picture is bold
                self._sync(marks, image=True)
                self._emit(image(leaf.image))
            else:
                text += leaf.text
        self._add_text(text, marks)
        self._end_code()
        self._close(0)
        if self.delimiters:
            self._check_flanks()
        return "".join(self.parts)

    def _shown(self, marks: tuple[Mark, ...]) -> tuple[tuple[Mark, ...], Mark | None]:
        """Of the marks, those that Markdown shows, each kind once; the one that makes the text code. Code has no marks in it but links."""
        if not (marks or self.within):
            return (), None
        shown: dict[str, Mark] = {}
        coded: Mark | None = None
        for mark in (*self.within, *marks):
            if mark.kind == "code":
                coded = coded or mark
            elif mark.kind in _SHOWN and mark.kind not in self.without and (coded is None or mark.kind == "a"):
                shown.setdefault(mark.kind, mark)
        return tuple(shown.values()), coded

    def _add_text(self, text: str, marks: tuple[Mark, ...]) -> None:
        if not text:
            return
        if text[0].isspace() and not self.pending:
            self.pending = " "
        if core := " ".join(text.split()):
            self._add_marked(core, marks)
            if text[-1].isspace():
                self.pending = " "

    def _add_marked(self, core: str, marks: tuple[Mark, ...]) -> None:
        verbatim = next((mark for mark in marks if mark.kind in _VERBATIM), None) if marks else None
        if verbatim and verbatim.kind == "note":
            marks = tuple(mark for mark in marks if mark.kind not in ("sup", "a", "note"))
        shown, coded = self._sync(marks)
        if verbatim and verbatim.kind == "note":
            if verbatim is not self.noted:  # a reference may be several texts: "[", "1", "]"
                self._emit(f"[^{self.notes[verbatim.node]}]")
            self.noted = verbatim
        elif verbatim:
            self._emit(formula(core))
        elif coded:
            self._add_code(core, coded)
        else:
            self._emit(escape(core, linked=bool(shown) and any(mark.kind == "a" for mark in shown)))

    def _sync(self, marks: tuple[Mark, ...], image: bool = False) -> tuple[tuple[Mark, ...], Mark | None]:
        """Close the marks that end before the next text, put the space, open those that begin; the marks shown, and that of code."""
        shown, coded = self._shown(marks)
        same = 0
        for delimiter, mark in zip(self.open, shown, strict=False):
            if delimiter.mark is not mark and (mark.kind == "a" or delimiter.mark.kind != mark.kind):
                break
            same += 1
        joined = coded and not image and self.pending != BREAK and (coded is self.code_mark or not self.pending)  # two spans must not touch
        if not (joined and same == len(self.open) == len(shown)):
            self._end_code()
        self._close(same)
        if self.code is None:
            self._put_space()
        for mark in shown[same:]:
            self.open.append(self._delimit(mark, opens=True))
        return shown, coded

    def _delimit(self, mark: Mark, *, opens: bool) -> _Delimiter:
        """Write where a mark opens or closes."""
        kind = mark.kind
        written = _DELIMITERS.get(kind, "")
        delimiter = _Delimiter(mark, opens, len(self.parts), written[:1])
        if kind != "a":
            delimiter.nested = any(outer.family == delimiter.family for outer in self.open)
            self.delimiters[delimiter.position] = delimiter
            self.parts.append(written or _tag(delimiter))
        elif opens:
            self._emit("[")
        return delimiter

    def _put_space(self) -> None:
        if self.pending and self.parts:
            self.parts.append(self.line_break if self.pending == BREAK else self.pending)
        self.pending = ""

    def _emit(self, text: str) -> None:
        before = self.parts[-1] if self.parts else ""
        if text[:1] == "[" and before.endswith("!"):  # or the link would be an image
            self.parts[-1] = before[:-1] + r"\!"
        elif text[:1] in ("(", ":") and before.endswith("]"):  # or both would be a link or the target of one
            text = "\\" + text
        self.parts.append(text)

    def _add_code(self, text: str, mark: Mark) -> None:
        if self.code is None:
            self.code = []
        elif self.pending:
            self.code.append(self.pending)
        self.pending = ""
        self.code.append(text)
        self.code_mark = mark

    def _end_code(self) -> None:
        if self.code is not None:
            self._emit(code_span("".join(self.code)))
            self.code = None

    def _close(self, same: int) -> None:
        while len(self.open) > same:
            opened = self.open.pop()
            mark = opened.mark
            closing = self._delimit(mark, opens=False)
            opened.other, closing.other = closing.position, opened.position
            if mark.kind == "a":
                within = range(opened.position + 1, len(self.parts))
                text = "".join(self.parts[k] for k in within if k not in self.delimiters)
                self.parts.append(f"]({destination(mark.url)}{_link_title(mark, text)})")

    def _check_flanks(self) -> None:
        """Narrow marks whose delimiters would not be read as such at their place, or write them as HTML."""
        for last in (False,) * _PASSES + (True,):  # a mark written as HTML may change the neighbours of others
            changed = False
            for token in self.delimiters.values():
                if token.family and (last or not self._is_read(token)):
                    changed = True
                    if not last and self._narrow(token):
                        continue
                    for each in (token, self.delimiters.get(token.other)):
                        if each:
                            each.family = ""
                            self.parts[each.position] = _tag(each)
            if not changed:
                break

    def _narrow(self, token: _Delimiter) -> bool:
        """Move the punctuation at the edge of a mark out of it; whether there is some, and text on both sides of the edge."""
        step = 1 if token.opens else -1
        inner, outer = token.position + step, token.position - step
        while (beside := self.delimiters.get(inner)) and beside.opens == token.opens:
            inner += step
        while (beside := self.delimiters.get(outer)) and beside.opens == token.opens:
            outer -= step
        if {inner, outer} & self.delimiters.keys() or not (0 <= inner < len(self.parts) and 0 <= outer < len(self.parts)):
            return False
        text = self.parts[inner]
        edge = _EDGES[token.opens].match(text) if token.opens else _EDGES[token.opens].search(text)
        if not edge or edge[0] == text:
            return False
        self.parts[inner] = text[edge.end() :] if token.opens else text[: edge.start()]
        self.parts[outer] = self.parts[outer] + edge[0] if token.opens else edge[0] + self.parts[outer]
        return True

    def _is_read(self, token: _Delimiter) -> bool:
        """Return whether a delimiter opens or closes as it should, by the characters before and after its run."""
        before, after = self._neighbour(token, -1), self._neighbour(token, 1)
        if not token.opens:
            return _flanks(before, after)
        beside = self.delimiters.get(token.position - 1)
        if beside and beside.family == token.family:
            return beside.opens and _flanks(after, before)  # an end and a beginning in one run would be read as one
        if token.nested and _could_flank(before, after):
            return False  # it could as well end the mark around it
        return _flanks(after, before)

    def _neighbour(self, token: _Delimiter, step: int) -> str:
        """Return the nearest character beyond delimiters of the same family; a space at the edges."""
        position = token.position + step
        while 0 <= position < len(self.parts):
            beside = self.delimiters.get(position)
            text = "" if beside and beside.family == token.family else self.parts[position]
            if text:
                return text[0 if step > 0 else -1]
            position += step
        return " "


def _tag(delimiter: _Delimiter) -> str:
    return f"<{'' if delimiter.opens else '/'}{delimiter.mark.kind}>"


def _link_title(link: Mark, text: str) -> str:
    """Return the title of a link, unless it only repeats the link's text."""
    value = link.attributes.get("title", "")
    return "" if not value or "".join(value.split()) == "".join(text.replace("\\", "").split()) else title(value)


def _flanks(inner: str, outer: str) -> bool:
    """Return whether a run is left-flanking (``inner`` after it) or right-flanking (before it), in every version of CommonMark."""
    return not inner.isspace() and (not _may_be_punctuation(inner) or outer.isspace() or _is_punctuation(outer))


def _could_flank(inner: str, outer: str) -> bool:
    """As :func:`_flanks`, in any version."""
    return not inner.isspace() and (not _is_punctuation(inner) or outer.isspace() or _may_be_punctuation(outer))


@lru_cache(maxsize=4096)
def _may_be_punctuation(character: str) -> bool:
    """Return whether any version of CommonMark takes it for punctuation."""
    return unicodedata.category(character)[0] in "PS"


@lru_cache(maxsize=4096)
def _is_punctuation(character: str) -> bool:
    """Return whether every version of CommonMark takes it for punctuation."""
    return unicodedata.category(character)[0] == "P" or (character.isascii() and _may_be_punctuation(character))
