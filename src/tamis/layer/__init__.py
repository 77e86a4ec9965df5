"""Same-layer noise: a block of a page that also stands in its same-layer pages (Yuan, Zhang, Jiang, Zhao 2006)."""

from tamis.layer.index import PageIndex
from tamis.layer.judging import REASONS, LayerPage, Occurrence, Verdict, judge
from tamis.layer.matcher import Match, find
from tamis.layer.settings import Matching, SameLayer
from tamis.layer.strings import NodeString, Part, node_string, parts

__all__ = [
    "REASONS",
    "LayerPage",
    "Match",
    "Matching",
    "NodeString",
    "Occurrence",
    "PageIndex",
    "Part",
    "SameLayer",
    "Verdict",
    "find",
    "judge",
    "node_string",
    "parts",
]
