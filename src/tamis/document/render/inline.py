"""Lines of running text in Markdown: where marks, links and code spans open and close.

A delimiter run such as ``**`` opens or closes emphasis only where the characters beside it allow that (CommonMark, "left-flanking" and
"right-flanking"). In text without spaces, as in Chinese, they often do not; there the HTML element is written instead.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from tamis.document.render.escapes import code_span, destination, escape, image, title
from tamis.document.render.runs import Leaf, Mark

BREAK = "\n"
"""A line break that is to come."""

_DELIMITERS = {"strong": "**", "em": "*", "del": "~~"}
_HTML = {"strong": "strong", "em": "em", "del": "del", "sub": "sub", "sup": "sup"}
_SHOWN = frozenset({"a", "code", *_HTML})
_VERBATIM = frozenset({"tex", "note"})

_PASSES = 6


@dataclass(slots=True, eq=False)
class _Delimiter:
    """Where a mark opens or closes."""

    mark: Mark
    opens: bool
    position: int = 0
    """Index among the tokens of the run."""
    nested: bool = False
    """Whether another mark of the same character is open around it."""
    other: _Delimiter | None = None
    as_html: bool = False
    text: str = ""
    """What a link's end says."""

    @property
    def family(self) -> str:
        """The character it is made of, or nothing."""
        return "" if self.as_html else _DELIMITERS.get(self.mark.kind, "")[:1]

    def written(self) -> str:
        """What stands for it in Markdown."""
        if self.mark.kind == "a":
            return "[" if self.opens else self.text
        if self.family:
            return _DELIMITERS[self.mark.kind]
        return f"<{'' if self.opens else '/'}{_HTML[self.mark.kind]}>"


_Token = str | _Delimiter


def plain(leaves: list[Leaf]) -> str | None:
    """The Markdown of a run that is nothing but text; None of another."""
    for leaf in leaves:
        if leaf.marks or leaf.image or leaf.breaks:
            return None
    return escape(" ".join((leaves[0].text if len(leaves) == 1 else "".join([leaf.text for leaf in leaves])).split()))


class Line:
    """Composes the leaves of a run. Marks open where text begins and close where it ends, so none is empty or has outer spaces."""

    def __init__(
        self,
        line_break: str = "  \n",
        without: frozenset[str] = frozenset(),
        within: tuple[str, ...] = (),
        notes: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        self.notes = notes
        self.noted: Mark | None = None
        """The reference to a note that was written last."""
        self.line_break = line_break
        self.without = without
        self.within = tuple(Mark(kind, kind, -1) for kind in within)
        self.tokens: list[_Token] = []
        self.open: list[_Delimiter] = []
        self.code: list[str] | None = None
        """Parts of the open code span."""
        self.code_mark: Mark | None = None
        self.pending = ""

    def compose(self, leaves: list[Leaf]) -> str:
        """The Markdown of a run."""
        text = ""
        marks: tuple[Mark, ...] = ()
        for leaf in leaves:
            if leaf.breaks or leaf.image or leaf.marks != marks:
                self._add_text(text, marks, bool(marks) and marks[0] in leaf.marks)
                text, marks = "", leaf.marks
            if leaf.breaks:
                self.pending = BREAK
            if leaf.image:
                self._sync(marks, image=True)
                self._emit(image(leaf.image))
            else:
                text += leaf.text
        self._add_text(text, marks)
        self._end_code()
        self._close(0)
        return _written(_with_flanks(self.tokens))

    def _shown(self, marks: tuple[Mark, ...]) -> tuple[tuple[Mark, ...], Mark | None]:
        """Of the marks, those that Markdown shows, each kind once; the one that makes the text code. Code has no marks in it but links."""
        shown: dict[str, Mark] = {}
        coded: Mark | None = None
        for mark in (*self.within, *marks):
            if mark.kind == "code":
                coded = coded or mark
            elif mark.kind in _SHOWN and mark.kind not in self.without and (coded is None or mark.kind == "a"):
                shown.setdefault(mark.kind, mark)
        return tuple(shown.values()), coded

    def _add_text(self, text: str, marks: tuple[Mark, ...], goes_on: bool = False) -> None:
        """Add a text. ``goes_on``: its outermost mark also holds what follows."""
        if not text:
            return
        words = text.split()
        if text[0].isspace() and not self.pending:
            self.pending = " "
        if not words:
            return
        core = " ".join(words)
        alone = not (self.open or self.within or self.code is not None)
        if alone and not marks:
            self._put_space()
            self._emit(escape(core))
        elif alone and len(marks) == 1 and marks[0].kind == "a" and not goes_on:
            self._put_space()
            text_of_link = escape(core, linked=True)
            self._emit(f"[{text_of_link}]({destination(marks[0].url)}{_title(marks[0], text_of_link)})")
        else:
            self._add_marked(core, marks)
        if text[-1].isspace():
            self.pending = " "

    def _add_marked(self, core: str, marks: tuple[Mark, ...]) -> None:
        verbatim = next((mark for mark in marks if mark.kind in _VERBATIM), None)
        if verbatim and verbatim.kind == "note":
            marks = tuple(mark for mark in marks if mark.kind not in ("sup", "a", "note"))
        shown, coded = self._sync(marks)
        if verbatim and verbatim.kind == "note":
            if verbatim is not self.noted:  # a reference may be several texts: "[", "1", "]"
                self._emit(f"[^{self.notes[verbatim.node]}]")
            self.noted = verbatim
        elif verbatim:
            self._emit(core)
        elif coded:
            self._add_code(core, coded)
        else:
            self._emit(escape(core, linked=any(mark.kind == "a" for mark in shown)))

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
            delimiter = _Delimiter(mark, opens=True, position=len(self.tokens))
            delimiter.nested = any(outer.family == delimiter.family for outer in self.open)
            self.open.append(delimiter)
            self.tokens.append(delimiter)
        return shown, coded

    def _put_space(self) -> None:
        if self.pending and self.tokens:
            self.tokens.append(self.line_break if self.pending == BREAK else self.pending)
        self.pending = ""

    def _emit(self, text: str) -> None:
        self.tokens.append(text)

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
            closing = _Delimiter(opened.mark, opens=False, other=opened)
            opened.other = closing
            if opened.mark.kind == "a":
                text = "".join(token for token in self.tokens[opened.position :] if isinstance(token, str))
                closing.text = f"]({destination(opened.mark.url)}{_title(opened.mark, text)})"
            self.tokens.append(closing)


def _title(link: Mark, text: str) -> str:
    """The title of a link, unless it only repeats the link's text."""
    value = link.attributes.get("title", "")
    return "" if not value or "".join(value.split()) == "".join(text.replace("\\", "").split()) else title(value)


def _with_flanks(tokens: list[_Token]) -> list[_Token]:
    """Write as HTML the marks whose delimiters would not be read as such where they stand."""
    delimiters = [(position, token) for position, token in enumerate(tokens) if isinstance(token, _Delimiter) and token.family]
    for last in (False,) * _PASSES + (True,):  # a mark written as HTML may change what its neighbours stand beside
        changed = False
        for position, token in delimiters:
            if token.family and (last or not _is_read(tokens, position, token)):
                token.as_html = changed = True
                if token.other:
                    token.other.as_html = True
        if not changed:
            break
    return tokens


def _is_read(tokens: list[_Token], position: int, token: _Delimiter) -> bool:
    """Whether a delimiter opens or closes as it should, by the characters before and after its run."""
    before = _neighbour(tokens, position, -1, token.family)
    after = _neighbour(tokens, position, 1, token.family)
    if not token.opens:
        return _flanks(before, after)
    beside = tokens[position - 1] if position else ""
    if isinstance(beside, _Delimiter) and beside.family == token.family:
        return beside.opens and _flanks(after, before)  # an end and a beginning in one run would be read as one
    if token.nested and _could_flank(before, after):
        return False  # it could as well end the mark around it
    return _flanks(after, before)


def _flanks(inner: str, outer: str) -> bool:
    """Whether a run is left-flanking (``inner`` after it) or right-flanking (``inner`` before it), in every version of CommonMark."""
    return not inner.isspace() and (not _may_be_punctuation(inner) or outer.isspace() or _is_punctuation(outer))


def _could_flank(inner: str, outer: str) -> bool:
    """As :func:`_flanks`, in any version."""
    return not inner.isspace() and (not _is_punctuation(inner) or outer.isspace() or _may_be_punctuation(outer))


def _neighbour(tokens: list[_Token], position: int, step: int, family: str) -> str:
    """The nearest character beyond delimiters of the same family; a space at the edges."""
    position += step
    while 0 <= position < len(tokens):
        token = tokens[position]
        text = token if isinstance(token, str) else "" if token.family == family else token.written()
        if text:
            return text[0 if step > 0 else -1]
        position += step
    return " "


@lru_cache(maxsize=4096)
def _may_be_punctuation(character: str) -> bool:
    """Whether any version of CommonMark takes it for punctuation."""
    return unicodedata.category(character)[0] in "PS"


@lru_cache(maxsize=4096)
def _is_punctuation(character: str) -> bool:
    """Whether every version of CommonMark takes it for punctuation."""
    return unicodedata.category(character)[0] == "P" or (character.isascii() and _may_be_punctuation(character))


def _written(tokens: list[_Token]) -> str:
    parts: list[str] = []
    for token in tokens:
        text = token if isinstance(token, str) else token.written()
        if text[:1] == "[" and parts and parts[-1].endswith("!"):  # or the link would be an image
            parts[-1] = parts[-1][:-1] + r"\!"
        elif text[:1] in ("(", ":") and parts and parts[-1].endswith("]"):  # or both would be a link or the target of one
            text = "\\" + text
        parts.append(text)
    return "".join(parts)
