"""Wrapper: what was learned of the records of one page, to find them on the next; JSON that people can read and edit."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from tamis.errors import ModelError
from tamis.io.writing import written_whole
from tamis.page import tags
from tamis.records.candidates import Candidate, PageFeatures, Spans, header_rows, line_starts, of_elements, subtrees
from tamis.records.search import LEAST_SCORE, RecordSettings, drop_outlier_rows, find_by_key, key_tree, weigh
from tamis.records.table import MAX_COLUMNS, Column, Kind, ValueType

FORMAT = "tamis-records"
VERSION = 2
MAX_SKELETON = 300  #: Elements of a skeleton.
_AT_PATH, _AT_TAGS = "at the wrapper's path", "at the wrapper's path of tags"
_NAMED, _BESIDE, _SIMILAR = (
    "by the record's class names",
    "at the wrapper's path, in another layout",
    "by similarity to the wrapper's record",
)


@dataclass(frozen=True, slots=True)
class PathStep:
    """An element by its tag and class names."""

    tag: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.tag, *self.names))

    @classmethod
    def parse(cls, text: str) -> PathStep:
        """Return the step that was written so."""
        tag, *names = text.split(".")
        return cls(tag, tuple(names))


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A saved description of where the records of a page are, and of their fields."""

    path: tuple[PathStep, ...]  #: The elements above a record, from the root.
    record: PathStep  #: The record's element, or the first of its siblings; its names are those that all records have.
    siblings: tuple[PathStep, ...] = ()  #: The elements that follow it within a record; none where a record is one element.
    longest: int = 1  #: Most siblings (texts among them) of one record.
    skeleton: str = ""  #: A record's tags and class names as HTML, without text.
    columns: tuple[Column, ...] = ()
    pages: int = 1  #: Pages that it was learned from.
    others: tuple[Wrapper, ...] = ()  #: Of other layouts of the same records: the goods as a list, and as a grid.

    def apply(self, page: PageFeatures) -> tuple[Candidate | None, str, Wrapper]:
        """Return the records of a page, or None, how they were found, in words, and the wrapper of their layout."""
        for how in (_AT_PATH, _AT_TAGS, _NAMED, _SIMILAR, _BESIDE):
            found = [(candidate, layout) for layout in (self, *self.others) if (candidate := layout._find(page, how)) is not None]
            if found:
                candidate, layout = max(found, key=lambda each: weigh(page, each[0]).score)
                return candidate, how, layout
        return None, "nothing on the page fits the wrapper", self

    def _find(self, page: PageFeatures, how: str) -> Candidate | None:
        """The records of this layout, found in one way."""
        if how == _SIMILAR:
            is_one = self.skeleton and not self.siblings
            return find_by_key(page, key_tree(page.tree, self.skeleton), RecordSettings(of_one_kind=False)) if is_one else None
        if how in (_NAMED, _BESIDE):
            likely = self._elsewhere(page) if how == _NAMED else self._beside(page)
            return max(likely, key=lambda each: weigh(page, each).score, default=None)
        heads = self._heads(page, exact=how == _AT_PATH)
        if not len(heads):
            return None
        spans = self._runs(page, heads) if self.siblings else subtrees(page, heads)
        return drop_outlier_rows(page, Candidate(heads, spans, run=bool(self.siblings)))

    @property
    def _spare(self) -> int:
        """Return how many class names a record may lack: those of a category that all sample records belong to."""
        return max(len(self.record.names) - 1, 0) // 2

    def _elsewhere(self, page: PageFeatures) -> list[Candidate]:
        """Return the groups of elements anywhere on the page that have all class names of the record; else the only one."""
        shown = np.flatnonzero(page.shown[page.tree.end] > page.shown[:-1]).tolist()
        names = set(self.record.names)
        of_names = [node for node in shown if len(names.difference(page.names[node])) <= self._spare]
        own = [node for node in of_names if names and page.tree.name(node) == self.record.tag]
        groups = [each for each in page.candidates if not each.run and np.isin(each.heads, own).all()] if len(own) > 1 else []
        return groups or [of_elements(page, np.array(own[:1], dtype=np.intp))] * bool(own)

    def _beside(self, page: PageFeatures) -> list[Candidate]:
        """Return the groups of elements of the record's tag at the wrapper's path that are a list, whatever their names."""
        above = np.unique(page.tree.parent[self._heads(page, exact=True, named=False)])
        tag = self.record.tag
        own = [
            each
            for each in page.candidates
            if np.isin(page.tree.parent[each.heads], above).all() and page.tree.name(int(each.heads[0])) == tag
        ]
        return [each for each in own if weigh(page, each).score >= LEAST_SCORE] if any(step.names for step in self.path[-2:]) else []

    def _heads(self, page: PageFeatures, *, exact: bool, named: bool = True) -> NDArray[np.intp]:
        """The elements at the end of the path; ``exact``: the names of the elements above count; ``named``: those of the record."""
        tree = page.tree
        codes = {name: code for code, name in enumerate(tree.names)}
        level = np.array([-1])
        for step in (*self.path, self.record):
            nodes = np.flatnonzero(np.isin(tree.parent, level) & (tree.tag == codes.get(step.tag, -1)))
            names = set(step.names if (named if step is self.record else exact) else ())
            spare = self._spare if step is self.record else 0
            level = np.array([node for node in nodes.tolist() if len(names.difference(page.names[node])) <= spare], dtype=np.intp)
        return np.asarray(level[(page.shown[tree.end[level]] > page.shown[level]) & ~header_rows(tree)[level]])

    def _runs(self, page: PageFeatures, heads: NDArray[np.intp]) -> Spans:
        """Return each head with the text before it on its line if most records have some (of a single record: if the siblings of those
        learned include the head), and the siblings after it: of the known tags, at most as many as in the longest record, before the
        next."""
        tree, begins = page.tree, heads.copy()
        allowed = {step.tag for step in self.siblings}
        for parent in np.unique(tree.parent[heads]).tolist():
            own, siblings = np.flatnonzero(tree.parent[heads] == parent), tree.children(parent)
            if len(own) > 1 or self.record.tag in allowed:
                begins[own] = line_starts(page, heads[own], siblings, np.searchsorted(siblings, heads[own]))
        starts = set(begins.tolist())
        spans = []
        for head in begins.tolist():
            last, end = int(tree.end[tree.parent[head]]), int(tree.end[head])
            for _ in range(self.longest - 1):
                if end >= last or end in starts or tree.name(end) not in allowed:
                    break
                end = int(tree.end[end])
            spans.append((head, end))
        return np.array(spans)

    def to_dict(self) -> dict[str, Any]:
        """Return the wrapper as plain values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "pages": self.pages,
            "path": [str(step) for step in self.path],
            "record": str(self.record),
            "siblings": [str(step) for step in self.siblings],
            "longest": self.longest,
            "skeleton": self.skeleton,
            "columns": [{**column.to_dict(), "tags": column.tags} for column in self.columns],
            **({"others": [other.to_dict() for other in self.others]} if self.others else {}),
        }

    @classmethod
    def from_dict(cls, values: Any) -> Wrapper:
        """Return the wrapper of plain values; raises ModelError if they are damaged, or of a newer version."""
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise ModelError("not a wrapper for records; tamis records --save writes one")
        if values.get("version") != VERSION:
            raise ModelError(
                f"this wrapper is of version {values.get('version')}; this tamis reads version {VERSION}: update tamis, or learn anew"
            )
        try:
            if len(values["columns"]) > MAX_COLUMNS:
                raise ModelError(f"the wrapper is damaged: more than {MAX_COLUMNS} columns")
            return cls(
                path=tuple(PathStep.parse(str(step)) for step in values["path"]),
                record=PathStep.parse(str(values["record"])),
                siblings=tuple(PathStep.parse(str(step)) for step in values.get("siblings", ())),
                longest=max(int(values.get("longest", 1)), 1),
                skeleton=str(values.get("skeleton", "")),
                columns=tuple(map(_column_of, values["columns"])),
                pages=int(values.get("pages", 1)),
                others=tuple(replace(cls.from_dict(other), others=()) for other in values.get("others", ())),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ModelError(f"the wrapper is damaged: {error!r}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write the wrapper as JSON; missing folders are made. Raises ModelError if the file cannot be written."""
        try:
            with written_whole(Path(path)) as stream:
                stream.write((json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise ModelError(f"cannot write {path}: {error.strerror or error}") from error

    @staticmethod
    def load(path: str | PathLike[str]) -> Wrapper:
        """Read a wrapper. Raises ModelError if the file is missing, damaged, or written by a newer tamis."""
        try:
            return Wrapper.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError, RecursionError) as error:
            raise ModelError(f"cannot read the wrapper {path}: {getattr(error, 'strerror', None) or error}") from error
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from error


def _column_of(values: dict[str, Any]) -> Column:
    kind, type = values["kind"], values.get("type", "text")
    if kind not in get_args(Kind) or type not in get_args(ValueType):
        raise ValueError(f"a column of kind {kind!r} and type {type!r}")
    return Column(str(values["name"]), kind, str(values["path"]), type, str(values["tags"]), str(values.get("said", "")))


def wrap(page: PageFeatures, found: Candidate, columns: tuple[Column, ...] = ()) -> Wrapper:
    """Return the wrapper of the records of one page."""
    tree = page.tree
    heads = found.heads
    common = set.intersection(*(set(page.names[head]) for head in heads.tolist()))
    siblings: dict[str, None] = {}
    longest = 1
    if found.run:
        for first, after in found.spans.tolist():
            own = np.flatnonzero(tree.parent[first:after] == tree.parent[first]) + first
            siblings.update(dict.fromkeys(map(tree.name, own[1:].tolist())))
            longest = max(longest, len(own))
    sample = heads[int(np.argmax(page.shown[tree.end[heads]] - page.shown[heads]))]
    return Wrapper(
        path=_path(page, found),
        record=PathStep(tree.name(int(heads[0])), _writable(name for name in page.names[int(heads[0])] if name in common)),
        siblings=tuple(PathStep(name) for name in siblings),
        longest=longest,
        skeleton=skeleton(page, int(sample)),
        columns=columns,
    )


def _writable(names: Any) -> tuple[str, ...]:
    return tuple(name for name in names if "." not in name and not name.startswith(("#", "@")))


def _path(page: PageFeatures, found: Candidate) -> tuple[PathStep, ...]:
    """The elements above the records, with the names that all of them have in common; without names of ``html`` and ``body``."""
    tree = page.tree
    places = [int(place) for place in dict.fromkeys(tree.parent[found.heads].tolist())]
    steps: list[PathStep] = []
    while places and places[0] >= 0:
        count = Counter(name for place in places for name in page.names[place])
        same = (name for name in page.names[places[0]] if count[name] == len(places))
        steps.append(PathStep(tree.name(places[0]), () if len(places) == 1 and tree.depth[places[0]] < 2 else _writable(same)))
        places = [int(place) for place in dict.fromkeys(tree.parent[places].tolist())]
    return tuple(reversed(steps))


def skeleton(page: PageFeatures, node: int) -> str:
    """Return a subtree's tags and class names as HTML, without text; at most :data:`MAX_SKELETON` elements."""
    tree = page.tree
    marks: list[tuple[int, int, int, str]] = []  # places of tags, ends first, the innermost of them first
    for each in [each for each in range(node, int(tree.end[node])) if tree.tag[each] != tags.TEXT][:MAX_SKELETON]:
        names = " ".join(page.classes(each))
        name = tree.name(each)
        marks.append((each, 1, 0, f'<{name} class="{escape(names)}">' if names else f"<{name}>"))
        if tree.tag[each] not in tags.VOID:
            marks.append((int(tree.end[each]), 0, -each, f"</{name}>"))
    return "".join(mark for *_, mark in sorted(marks))
