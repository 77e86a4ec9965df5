"""Same-layer noise: a block of a page that also stands in its same-layer pages (Yuan, Zhang, Jiang, Zhao 2006)."""

from tamis.noise.same_layer.index import PageIndex
from tamis.noise.same_layer.judging import REASONS, LayerPage, Occurrence, Verdict, judge
from tamis.noise.same_layer.matcher import Match, find
from tamis.noise.same_layer.parts import Part, parts
from tamis.noise.same_layer.settings import Matching, SameLayer
from tamis.noise.same_layer.strings import NodeString, node_string

__all__ = [
    "REASONS",
    "Occurrence",
    "LayerPage",
    "Match",
    "Matching",
    "NodeString",
    "PageIndex",
    "Part",
    "SameLayer",
    "Verdict",
    "find",
    "judge",
    "node_string",
    "parts",
]
