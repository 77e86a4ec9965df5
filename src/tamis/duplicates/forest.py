"""The forest of extended search trees of Chen and Niu (2006, sections 4.1 to 4.4), as published.

There is a tree, ordered by primary code, for every interval of the aggregation factor; each node holds the codes that were merged into it.
A code only meets the nodes on one path of one tree, so copies are missed; :mod:`tamis.duplicates.index` misses none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from tamis.duplicates.clusters import Cluster, Clusters, Likeness, Member
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.feature_code import CodeComparison, CodeSettings, FeatureCode, compare, feature_code
from tamis.errors import UsageError

Outcome = Literal["new", "dropped", "listed", "replaced", "no code"]
"""Fate of a code that is added. ``new``: a node of its own; ``dropped``: identical to a node, or to a code in its list; ``listed``:
put into a node's list; ``replaced``: took the place of a node, which went into the list; ``no code``: the text has none."""


@dataclass(slots=True, eq=False)
class _Node:
    id: str
    code: FeatureCode
    merged: list[tuple[str, FeatureCode]] = field(default_factory=list)  #: The list at the auxiliary pointer.
    gone: list[str] = field(default_factory=list)  #: Ids that were dropped.
    left: _Node | None = None
    right: _Node | None = None


class FeatureCodeForest:
    """Codes in search trees, one tree for each interval of the aggregation factor.

    >>> from tamis.duplicates.feature_code import feature_code
    >>> forest = FeatureCodeForest()
    >>> text = "The ferry is back.\\nIt runs daily.\\nTickets are at the quay."
    >>> [forest.add(name, feature_code(text)) for name in "ab"]
    ['new', 'dropped']
    """

    def __init__(self, settings: CodeSettings = CodeSettings(), *, interval: int = 50) -> None:
        if interval < 1:
            raise UsageError(f"interval must be 1 or more, not {interval}")
        self._settings = settings
        self._interval = interval
        self._nodes: dict[int, list[_Node]] = {}  #: Nodes by tree, the root first.
        self._ids: set[str] = set()

    def add(self, id: str, code: FeatureCode) -> Outcome:
        """Put a code into its tree, or merge it with the first node on its way that is the same.

        Raises:
            UsageError: a code with this id was added before.
        """
        if id in self._ids:
            raise UsageError(f"the forest has a code with the id {id!r} already")
        self._ids.add(id)
        if not code.primary:
            return "no code"
        nodes = self._nodes.setdefault(self.tree_of(code), [])
        node = nodes[0] if nodes else None
        new = _Node(id, code)
        while node is not None:
            comparison = compare(code, node.code, self._settings)
            if comparison.same:
                return self._merge(id, code, node, comparison)
            side = "left" if code.primary < node.code.primary else "right"
            below: _Node | None = getattr(node, side)
            if below is None:
                setattr(node, side, new)
            node = below
        nodes.append(new)
        return "new"

    def tree_of(self, code: FeatureCode) -> int:
        """Return the number of the tree of a code: 0 for factors in (0, 50], 1 for (50, 100], and so on."""
        return max(ceil(code.aggregation_factor / self._interval) - 1, 0)

    def clusters(self) -> list[tuple[str, ...]]:
        """Return ids by node, the node's own first; in the order of the trees, and within a tree by their main codes."""
        nodes = (node for tree in sorted(self._nodes) for node in sorted(self._nodes[tree], key=lambda node: node.code.primary))
        return [(node.id, *(other for other, _ in node.merged), *node.gone) for node in nodes]

    def _merge(self, id: str, code: FeatureCode, node: _Node, comparison: CodeComparison) -> Outcome:
        """Apply the merge rules 1 to 4 of section 4.2."""
        if comparison.relation == "identical":
            node.gone.append(id)
            return "dropped"
        if comparison.relation == "contains":
            shorter, node.id, node.code = (node.id, node.code), id, code
            self._list(node, *shorter)
            return "replaced"
        return "listed" if self._list(node, id, code) else "dropped"

    def _list(self, node: _Node, id: str, code: FeatureCode) -> bool:
        """Put a code into a node's list, unless an equal is there."""
        if any(compare(code, other, self._settings).same for _, other in node.merged):
            node.gone.append(id)
            return False
        node.merged.append((id, code))
        return True


def find_by_feature_code(documents: Iterable[TextDocument], settings: CodeSettings = CodeSettings()) -> Clusters:
    """Find copies as the paper does: each document goes into the forest, and the text of each node is kept.

    The result depends on the order of the documents. Of several with one id, the first counts.
    """
    forest, codes, urls, empty = FeatureCodeForest(settings), {}, {}, []
    for document in documents:
        if document.id not in codes:
            codes[document.id] = feature_code(document.text, settings)
            urls[document.id] = document.url
            if forest.add(document.id, codes[document.id]) == "no code":
                empty.append(document.id)
    found = forest.clusters()

    def member(id: str, kept: str) -> Member:
        relation = compare(codes[id], codes[kept], settings).relation
        likeness: Likeness = relation if relation in ("identical", "part of", "contains") else "near"
        return Member(id, likeness, url=urls[id])

    clusters = [Cluster(kept, tuple(member(id, kept) for id in sorted(others)), urls[kept]) for kept, *others in sorted(found) if others]
    return Clusters(tuple(clusters), tuple(sorted([kept for kept, *_ in found] + empty)), tuple(sorted(empty)))
