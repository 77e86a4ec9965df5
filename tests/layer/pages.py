"""Made pages and their blocks."""

from __future__ import annotations

from hypothesis import strategies as st

from tamis import parse
from tamis.layer.strings import NodeString, Part, node_string, parts
from tamis.page.tags import CODE


def body(html: str) -> NodeString:
    return node_string(parse(f"<body>{html}"))


def position(page: NodeString, tag: str, nth: int = 0) -> int:
    """Position of the nth node with a tag."""
    return [k for k in range(len(page)) if page.tag[k] == CODE[tag]][nth]


def block(page: NodeString, tag: str, count: int = 1, nth: int = 0) -> Part:
    """A run of sibling subtrees that begins with the nth node of a tag."""
    roots = [position(page, tag, nth)]
    while len(roots) < count:
        roots.append(int(page.end[roots[-1]]))
    (part,) = parts(page, [int(page.node[root]) for root in roots])
    return part


def all_blocks(page: NodeString) -> list[Part]:
    """Every subtree, and every pair and triple of sibling subtrees."""
    found = []
    for first in range(1, len(page)):
        roots = [first]
        while len(roots) <= 3:
            found += parts(page, [int(page.node[root]) for root in roots])
            following = int(page.end[roots[-1]])
            if following >= len(page) or page.parent[following] != page.parent[first]:
                break
            roots.append(following)
    return found


_TEXT = st.lists(st.sampled_from(["red", "red", "green", "blue", "12"]), min_size=1, max_size=4).map(" ".join)


def _element(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    made = st.tuples(st.sampled_from(["div", "span", "i"]), st.lists(inner, max_size=4))
    return made.map(lambda element: f"<{element[0]}>{''.join(element[1])}</{element[0]}>")


HTML = st.lists(st.recursive(_TEXT, _element, max_leaves=14), min_size=1, max_size=5).map("".join)
"""Small pages of few tags and words, which are often alike."""
