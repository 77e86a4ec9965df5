"""HTML as it is written for the demo: small trees of tags in which a part can be marked as main text, as noise, or as either.

Page and gold come from the same tree, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Literal, TypeAlias

from tamis.page import tags

Role = Literal["main", "noise", "either"]
"""What a part of a page is. ``either``: title, byline, readers' comments, where opinions differ; it is not counted."""


@dataclass(frozen=True, slots=True)
class Tag:
    """An element with its children."""

    name: str
    children: tuple[Node, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    role: Role | None = None
    """None: as the element around it."""


Node: TypeAlias = "Tag | str"

_RAW = frozenset({"script", "style"})
_VOID = frozenset(tags.KNOWN[code] for code in tags.VOID)
_UNSEEN = frozenset(tags.KNOWN[code] for code in tags.UNSEEN)
_BREAKS = frozenset(tags.KNOWN[code] for code in tags.BREAKS | tags.CELLS) | {"button"}


def tag(tag_name: str, *children: Node, role: Role | None = None, **attributes: str) -> Tag:
    """An element; ``class_`` stands for ``class``, ``data_id`` for ``data-id``.

    >>> to_html(tag("p", "Tide & ", tag("b", "time"), class_="note"))
    '<p class="note">Tide &amp; <b>time</b></p>\\n'
    """
    return Tag(tag_name, children, {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}, role)


def link(href: str, *children: Node, **attributes: str) -> Tag:
    """A link."""
    return tag("a", *children, role=None, href=href, **attributes)


def inline(text: str) -> tuple[Node, ...]:
    """Text with `code` between backticks.

    >>> inline("Run `tide --now` twice.")
    ('Run ', Tag(name='code', children=('tide --now',), attributes={}, role=None), ' twice.')
    """
    return tuple(tag("code", part) if odd % 2 else part for odd, part in enumerate(text.split("`")) if part)


def _walk(root: Node) -> Iterator[tuple[Node, bool]]:
    """Every node in document order; elements come twice, the second time (True) at their end."""
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, ends = stack.pop()
        yield node, ends
        if isinstance(node, Tag) and not ends:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))


def to_html(root: Node, *, marked: bool = False) -> str:
    """The tree as HTML, a line for each block; ``marked``: with the role of each part in its attribute ``data-role``."""
    out: list[str] = []
    raw = False
    for node, ends in _walk(root):
        if isinstance(node, str):
            out.append(node if raw else escape(node, quote=False))
        elif ends:
            raw = False
            if node.name not in _VOID:
                out.append(f"</{node.name}>")
            if node.name in _BREAKS or node.name in _RAW or node.name in ("head", "meta", "link", "title"):
                out.append("\n")
        else:
            raw = node.name in _RAW
            role = {"data-role": node.role} if marked and node.role else {}
            attributes = (f' {name}="{escape(value)}"' for name, value in (node.attributes | role).items())
            out.append(f"<{node.name}{''.join(attributes)}>")
    return "".join(out)


def lines(root: Node) -> list[tuple[Role, str]]:
    """The text a reader sees, line by line (a table cell is a line), white space collapsed, with its role."""
    found: list[tuple[Role, str]] = []
    roles: list[Role] = ["noise"]
    line: list[str] = []
    unseen = 0

    def end_line() -> None:
        found.extend((roles[-1], " ".join(row.split())) for row in "".join(line).splitlines() if row.strip())
        line.clear()

    for node, ends in _walk(root):
        if isinstance(node, str):
            if not unseen:
                line.append(node)
            continue
        if node.name in _BREAKS or node.role:
            end_line()
        unseen += (node.name in _UNSEEN) * (-1 if ends else 1)
        if ends:
            roles.pop()
        else:
            roles.append(node.role or roles[-1])
    end_line()
    return found
