r"""The node model: one decision from all evidence.

Every text block of a page gets evidence from each method (:mod:`tamis.content.evidence`): its own text, the
containers around it, attenuation on the way to it, the content of similar places, tags and names. A small network over the sequence of
blocks (:mod:`tamis.content.network`) gives each a probability of being main text, and the blocks that make the expected F1 of the page
highest are kept (:mod:`tamis.content.decision`). ``docs/methods/node-model.md`` says what it was trained on, and how well it does on pages
that it has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content import attenuation
from tamis.content.attenuation import Site
from tamis.content.decision import NO_TITLE, Choice, select_threshold
from tamis.content.evidence import COLUMNS, Evidence, gather
from tamis.content.evidence.words import UNIT
from tamis.content.network import Table
from tamis.content.weights import Weights, probability_of, shipped
from tamis.document.selection import ROLE, Cause, Reason, Selection
from tamis.errors import UsageError
from tamis.native import network as compiled
from tamis.page import tags
from tamis.page.blocks import TextBlocks
from tamis.page.caching import cached_property
from tamis.page.microdata import ANSWERS, COMMENTS, TEXTS, holders_of, items_of
from tamis.page.stopwatch import timed
from tamis.page.tree import BoolColumn, PageTree

MAX_LINES = 150_000  #: Lines of a page up to which it is judged; the evidence takes some 2 kB for each.
SHORT_WORDS, SHORT_BETA = 60, 2.0
"""On a page of fewer words, recall is worth this many times as much: a lost line is a large part of it."""
DOUBTFUL, SPREAD, APART = 0.5, 2.0, frozenset(("article", "forum"))
"""On a page of these types the main text is apart from the rest: doubtful blocks (below this probability) are comments or teasers, and
depend on each other: their log-odds share a shift of this deviation."""
ASIDE_WORDS, ASIDE, ELSEWHERE, ASIDE_WEIGHT = (3, 45), -4.0, 2.0, 6.0
"""Fewest and most words of an aside; its words have log-odds below the second value on an article, and elsewhere, where main text speaks to
the reader as asides do, below the third times as much; the difference, times the fourth, is added to its log-odds. Items of lists, cells
and headings are never asides."""
USUAL_WORDS = 8
"""Words beyond which text that is probably main text tells how the page speaks: where the words of half of it sound like an aside, as in
a language that is little known, the second value above is lower by what they say."""
AROUND_POSTS = -3.0
"""Added to the log-odds of text in a comment or an answer that microdata states, outside its body: names, dates, buttons. Every value from
-2 to -6 does as well."""
ROLE_LEAST = 0.5  #: Least probability of a block's role.
MANUAL, MANUAL_SHARE, MANUAL_BLOCKS = "documentation", 0.3, 150
"""A page with this many blocks and this probability of the type is a long manual if at least some headings or terms link to themselves."""
LEAST_ANCHORS, AMONG_ANCHORS, MOST_LINKS = 5, 2.5, 1 / 3
"""Fewest of them, the addition to the log-odds of text among them, and the largest share of it that links may hold. Each section is as
small a part of the page as a teaser is of another page."""
_ANCHORED = tags.lookup(tags.HEADINGS | tags.codes("dt"))
_LINKS, _TITLE, _WORDS = map(COLUMNS.index, ("links", "holder h1", "words"))
_NEVER_ASIDES = [COLUMNS.index(name) for name in ("in item", "in heading", "holder cell", "holder term")]
_FRAGMENT = ("#",)
_SAID = COMMENTS | ANSWERS
_STEPS = 20  #: Steps in which a reason tells a probability.
REASONS = (  # in the order of native/network.c
    *(Reason(f"left out: main text with a probability of {step / _STEPS:.2f}", Cause.MODEL) for step in range(_STEPS + 1)),
    *(Reason(f"kept: main text with a probability of {step / _STEPS:.2f}", Cause.CONTENT) for step in range(_STEPS + 1)),
    Reason("kept: the title of kept text", Cause.CONTENT),
    Reason("title or script: not page text", Cause.UNREAD),
    Reason("between blocks that are not all kept", Cause.OUTSIDE),
    Reason("page without text", Cause.UNREAD),
)
_EMPTY = len(REASONS) - 1
WITH_SITE = "site, model"  #: Method of a selection that was made with what a site says.


@dataclass(frozen=True, slots=True)
class NodeModel:
    """Settings of the node model.

    Raises:
        UsageError: a value is out of its range.
    """

    beta: float = 1.0  #: Weight of recall against precision: the choice makes the expected F-beta highest.
    threshold: float | None = None
    """A fixed probability from which blocks are kept, on every page; None: the one that suits the page best."""
    weights: Weights | None = field(default=None, repr=False)  #: Others than those that come with the library.

    def __post_init__(self) -> None:
        if self.beta <= 0:
            raise UsageError(f"beta is a number above 0, not {self.beta}")
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise UsageError(f"threshold is a probability from 0 to 1, not {self.threshold}")

    def select(self, tree: PageTree, model: Site | None = None) -> Selection:
        """Select the main text of a page, with the evidence of its site where ``model`` is given."""
        return select(tree, self) if model is None else model.select(tree, self)

    @classmethod
    def precision(cls) -> NodeModel:
        """Rather too little than noise."""
        return cls(beta=0.25)

    @classmethod
    def recall(cls) -> NodeModel:
        """Rather noise than too little."""
        return cls(beta=2.0)


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions for a page of ``b`` text blocks. The choice is made when it is asked for."""

    evidence: Evidence
    log_odds: NDArray[np.float64]  #: Of each block, to be main text, by the page alone, float64 ``(b,)``.
    types: NDArray[np.float64]  #: The probability of each of the page types that the weights tell, float64 ``(k,)``.
    roles: NDArray[np.float64]
    """Probability of each block for each of :data:`~tamis.content.network.ROLES`, float64 ``(b, r)``; no column if weights lack roles."""
    probability: NDArray[np.float64]  #: Of each block, to be main text, with what the site adds, float64 ``(b,)``.
    settings: NodeModel
    weights: Weights = field(repr=False)

    @cached_property
    def _choice(self) -> Choice:
        beta = self.settings.beta * (SHORT_BETA if self.evidence.words.sum() < SHORT_WORDS else 1)
        return threshold_for_type(self.probability, self.evidence.words, self.page_type, beta, self.evidence.values[:, _TITLE])

    @cached_property
    def keep(self) -> BoolColumn:
        """The blocks that are chosen, bool ``(b,)``."""
        least = self.settings.threshold
        return self._choice.keep if least is None else self.probability >= least

    @property
    def threshold(self) -> float:
        """The least probability of a chosen block."""
        return self._choice.threshold if self.settings.threshold is None else self.settings.threshold

    @property
    def confidence(self) -> float:
        """The F that the model expects of its choice, 0..1."""
        return self._choice.expected

    @property
    def blocks(self) -> TextBlocks:
        """The page's text blocks."""
        return self.evidence.blocks

    @property
    def kept_words(self) -> float:
        """Words of the chosen blocks, each block's without the share of its characters that are digits."""
        return float((self.evidence.words * (1 - self.evidence.column("digit share")))[self.keep].sum())

    @property
    def page_types(self) -> dict[str, float]:
        """The probability of each type of page, the most probable first; empty for a page without text."""
        kinds = self.weights.page_types if len(self.evidence.values) else ()
        return {kinds[kind]: float(self.types[kind]) for kind in np.argsort(-self.types, kind="stable")} if kinds else {}

    @property
    def page_type(self) -> str | None:
        """The most probable type; None for a page without text."""
        return self.weights.type_of(self.types) if len(self.evidence.values) else None


def predict(tree: PageTree, settings: NodeModel = NodeModel(), *, weights: Weights | None = None) -> Prediction:
    """Judge a page by itself, block by block.

    Args:
        tree: the page.
        settings: how to choose.
        weights: others than those of the settings.
    """
    weights = weights or settings.weights or shipped()
    with timed("evidence"):
        evidence = gather(tree, weights.vocabulary, weights.words)
    with timed("model"):
        around, among = around_posts(tree, evidence.blocks), among_anchors(tree, evidence.blocks)
        found, types = of_page(evidence.values, evidence.aside, around, among, weights)
        probability = probability_of(found)
        return Prediction(evidence, found[:, 0], types, probability[:, 1:], probability[:, 0], settings, weights)


def of_page(
    evidence: Table, aside: NDArray[np.int64], stated: NDArray[np.float64], anchored: BoolColumn, weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-odds of each block to be main text, and to have each role, by the page alone, float64 ``(b, 1 + r)``; and the
    probability of each page type, float64 ``(k,)``.

    Args:
        evidence: of the blocks, float32 ``(b, c)``.
        aside: what the words of each block say of it as an aside (:attr:`tamis.content.evidence.Evidence.aside`), int64 ``(b,)``.
        stated: what microdata adds (:func:`around_posts`), float64 ``(b,)``.
        anchored: blocks among headings that link to themselves (:func:`among_anchors`), bool ``(b,)``.
        weights: of the networks.
    """
    found, types = weights.predict(evidence)
    found[:, 0] += stated
    said = (aside < ASIDE * UNIT).nonzero()[0]
    if len(said):
        usual = np.sort(aside[(evidence[:, _WORDS] > USUAL_WORDS) & (found[:, 0] > 0)])
        least = ASIDE if weights.type_of(types) == "article" else ELSEWHERE * ASIDE
        bound = least * UNIT + (min(usual[len(usual) // 2], 0) if len(usual) > 1 else 0)
        length = evidence[said, _WORDS]
        said = said[(length >= ASIDE_WORDS[0]) & (length <= ASIDE_WORDS[1]) & ~evidence[said[:, None], _NEVER_ASIDES].any(axis=1)]
        found[said, 0] += ASIDE_WEIGHT / UNIT * np.minimum(aside[said] - bound, 0)
    if anchored.any() and MANUAL in weights.page_types and types[weights.page_types.index(MANUAL)] >= MANUAL_SHARE:
        found[:, 0] += AMONG_ANCHORS * (anchored & (evidence[:, _LINKS] <= MOST_LINKS))
    return found, types


def around_posts(tree: PageTree, blocks: TextBlocks) -> NDArray[np.float64]:
    """Return the addition to the log-odds of each block for stated comments (:data:`AROUND_POSTS`), float64 ``(b,)``."""
    if not len(items := items_of(tree, _SAID)):
        return np.zeros(len(blocks))
    bodies = holders_of(tree, TEXTS)
    stating = items[bodies.searchsorted(tree.end[items]) > bodies.searchsorted(items)]
    around = tree.subtree_mask(stating) & ~tree.subtree_mask(bodies)
    return np.where(around[tree.text_nodes[blocks.first]], AROUND_POSTS, 0.0)


def among_anchors(tree: PageTree, blocks: TextBlocks) -> BoolColumn:
    """Return the blocks of a long page from the first heading that links to itself to the end of the element that holds all of these, bool
    ``(b,)``; none if there are few. Generators of documentation give each section and term a link to itself."""
    if len(blocks) < MANUAL_BLOCKS:
        return np.zeros(len(blocks), dtype=np.bool_)
    hrefs = tree.values("href")
    links = hrefs.of_codes(hrefs.passing(lambda href: href.startswith("#") and len(href) > 1, _FRAGMENT))
    titles = tree.of_tags(_ANCHORED)
    anchors = (links & tree.link & tree.subtree_mask(titles)).nonzero()[0].tolist() if links.any() else []
    if len(anchors) < LEAST_ANCHORS:
        return np.zeros(len(blocks), dtype=np.bool_)
    first, last = next(above for above in tree.ancestors(anchors[0]) if titles[above]), anchors[-1]
    holder = next((above for above in tree.ancestors(first) if tree.end[above] > last), 0)
    nodes = tree.text_nodes[blocks.first]
    return np.asarray((nodes >= first) & (nodes < tree.end[holder]))


def with_site(judged: Prediction, site: NDArray[np.float64], settings: NodeModel = NodeModel()) -> Prediction:
    """Return the prediction for the same page with what its site adds to the log-odds of each block, float64 ``(b,)``."""
    return replace(judged, probability=probability_of(judged.log_odds + site), settings=settings)


def threshold_for_type(
    probability: NDArray[np.float64],
    words: NDArray[np.int64],
    page_type: str | None,
    beta: float = 1.0,
    title: NDArray[np.float32] = NO_TITLE,
) -> Choice:
    """Return the choice that suits a page of some type (:func:`tamis.content.decision.select_threshold`).

    Args:
        probability: of each block, to be main text, float64 ``(b,)``.
        words: of each block, int64 ``(b,)``.
        page_type: the most probable one.
        beta: what recall is worth by precision.
        title: whether each block is the title, float32 ``(b,)``.
    """
    spread = SPREAD if beta <= 1 and page_type in APART else 0.0
    return select_threshold(probability, words, beta, spread=spread, below=DOUBTFUL, title=title)


def select(tree: PageTree, settings: NodeModel = NodeModel(), *, weights: Weights | None = None) -> Selection:
    """Select the main text of a page. Arguments as in :func:`predict`.

    >>> from tamis import parse
    >>> tree = parse("<body><ul><li><a href=/>Home</a></ul><h1>Reeds</h1><p>Reeds grow, where the water is calm. They bend, and rise again."
    ...              "<p>In winter they are cut, dried, and bound. Many roofs are made of them, and last for fifty years.</body>")
    >>> selection = select(tree)
    >>> [text for text, node in zip(tree.texts, tree.text_nodes) if selection.keep[node]][-1]
    'In winter they are cut, dried, and bound. Many roofs are made of them, and last for fifty years.'
    """
    if has_too_many_lines(tree):
        note = f"more than {MAX_LINES} lines of text: judged by attenuation, and not by the node model"
        return replace(attenuation.select(tree), notes=(note,))
    return selection_of(tree, predict(tree, settings, weights=weights))


def has_too_many_lines(tree: PageTree) -> bool:
    """Return whether a page is too large for the evidence of all its lines."""
    return len(tree.texts) > MAX_LINES and int(tree.line[-1]) >= MAX_LINES


def selection_of(tree: PageTree, judged: Prediction, left_out: tuple[NDArray[np.uint8], tuple[Reason, ...]] | None = None) -> Selection:
    """Return the selection that a prediction makes, with a reason for every node.

    ``left_out``: reasons for blocks that are left out, and which of them holds for each block, from 1, uint8 ``(b,)``; 0: its probability.
    """
    blocks = judged.blocks
    if not len(blocks):
        nothing = np.full(len(tree), _EMPTY, dtype=np.uint8)
        return Selection("model", np.zeros(len(tree), dtype=np.bool_), nothing, REASONS)
    given, reasons = left_out or (None, ())
    found = compiled.select(
        *(blocks.first, blocks.last, tree.text_nodes, judged.probability, judged.keep),
        bytes(len(blocks)) if given is None else (given > 0) * np.uint8(len(REASONS) - 1) + given,
        *(np.ascontiguousarray(judged.roles.T), judged.threshold, ROLE_LEAST, len(tree), _STEPS),
    )
    keep, reason, role = np.frombuffer(found[0], np.bool_), np.frombuffer(found[1], np.uint8), np.frombuffer(found[3], np.uint8)
    scores: dict[str, NDArray[Any]] = {"probability": np.frombuffer(found[2])}
    scores |= {ROLE: role} if judged.roles.shape[1] else {}
    return Selection("model" if left_out is None else WITH_SITE, keep, reason, REASONS + reasons, scores=scores)
