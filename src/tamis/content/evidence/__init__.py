"""Evidence: what every method says of each text block of a page, as columns of one table.

A value that is not there (no ancestor of that level, no vocabulary) is NaN, never an error. Nothing in these columns depends on the
language of a page but the class names (:data:`NAMES`, :data:`VOCABULARY`), words that sign posts (:data:`THREAD`), and learned words
(:data:`WORDS`).
All sums are of whole numbers and no logarithm is taken, so a
page gives the same columns, bit by bit, on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.characters import kinds
from tamis.content.evidence.markup import HOLDER_BITS, MARKUP, NAMES, TAG_BITS, hint_table
from tamis.content.evidence.vocabulary import VOCABULARY, Vocabulary
from tamis.content.evidence.words import SOURCES, TWICE, WORDS, LearnedWords, PageWords
from tamis.document.thread import post_mask
from tamis.native import evidence as compiled
from tamis.page import tags
from tamis.page.blocks import TextBlocks, text_blocks
from tamis.page.tree import BoolColumn, PageTree

TEXT: tuple[str, ...] = ("weight", "words", "links", "commas", "stops", "stop share", "sign share", "digit share", "ends in stop")
TEXT += ("copies", "first copy", "copy")
"""Evidence of the block's text; the last three: how often it occurs on the page, whether here first, and how far the first is."""
LEVELS = 6  #: Containers around a block that are looked at: its own element, and each time the next ancestor that holds more blocks.
_MEASURES = ("share", "weight", "links", "blocks", "mean", "stops", "prose")
CONTAINERS = tuple(f"container {level} {measure}" for level in range(LEVELS) for measure in _MEASURES)
"""Evidence of the containers: share of the page's text, weight, link density, number of blocks, text per block, punctuation,
share of the page's paragraphs."""
_DESCENTS = ("topic", "loose topic", "prose topic")
ATTENUATION = (*(f"{name} {what}" for name in _DESCENTS for what in ("inside", "after", "share")), "way left", "way share")
"""Evidence of three descents (T = 0.34; T = 0.6; T = 0.3 on paragraphs only) and of where the block leaves the way of the last."""
REPETITION = (
    *(f"{kind} {what}" for kind in ("path", "named") for what in ("blocks", "share", "links", "mean", "stops", "prose", "span")),
    "siblings",
    "siblings above",
    "siblings two above",
)
"""Evidence of the blocks at the same path of tags, at the same path of tags and class names, and of siblings."""
THREAD = ("said in posts", "beside posts", "posts share")
"""Evidence of the posts of a forum thread (:func:`tamis.document.thread.post_mask`): shares of the block in the text of posts, and beside
it; share of the page's text in posts. All are 0 on other pages."""
NEARBY = ("fields", "images", "players", "near blocks")
"""Evidence of the widest element around a block with at most six blocks: fields to fill in, images, players and blocks in it."""
UNITS = ("units", "unit images", "unit headings", "unit links", "unit blocks", "units share", "units linked", "units prose")
"""Evidence of the list that a block is in (the most elements of one tag in one parent, more than half with a link): their number, the
shares with an image, a heading and a link, blocks of each; share of the page's text, and of its own in links and in paragraphs."""
PARAGRAPHS = ("longest paragraph", "of longest paragraph", "paragraphs before", "paragraphs after", "paragraphs share")
"""Evidence of the page's paragraphs: the longest, the block's length by it, their shares before, after and in the page's text."""
HIDDEN = ("hidden",)  #: The page hides the block, or shows it in a dialog only (:func:`hidden_nodes`).
GROUPS: dict[str, tuple[str, ...]] = {
    "text": TEXT,
    "containers": CONTAINERS,
    "attenuation": ATTENUATION,
    "repetition": REPETITION,
    "markup": MARKUP,
    "names": NAMES,
    "vocabulary": VOCABULARY,
    "hidden": HIDDEN,
    "nearby": NEARBY,
    "units": UNITS,
    "paragraphs": PARAGRAPHS,
    "thread": THREAD,
    "words": WORDS,
    "twice": TWICE,
}
"""The columns by group."""
COLUMNS: tuple[str, ...] = tuple(name for names in GROUPS.values() for name in names)
"""All columns, in the order of :attr:`Evidence.values`."""
_NO_FIELDS = ("hidden", "submit", "button", "image", "reset", "checkbox", "radio")  #: Types of ``input`` that no text is typed into.
_MARKS = np.frombuffer(
    tags.flags(
        tags.codes("input select textarea"),
        tags.codes("img picture"),
        tags.codes("iframe video audio embed object"),
        tags.HEADINGS,
        tags.codes("a"),
    )
    + b"\0",
    np.uint8,
)
_DIALOGS = frozenset(("dialog", "alertdialog", "alert"))  #: Values of ``role``.


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence of a page of ``b`` text blocks."""

    blocks: TextBlocks
    words: NDArray[np.int64]  #: Words of each block, int64 ``(b,)``; each wide character is one.
    values: NDArray[np.float32]
    """One row for each text block, one column for each of :data:`COLUMNS`, float32 ``(b, c)``; NaN is "not known"."""
    aside: NDArray[np.int64]
    """Sum of the learned words of each block (:attr:`~tamis.content.evidence.words.LearnedWords.aside`), int64 ``(b,)``; no column:
    networks do not read it."""

    def column(self, name: str) -> NDArray[np.float32]:
        """Return one column, float32 ``(b,)``."""
        return np.asarray(self.values[:, COLUMNS.index(name)])


def gather(tree: PageTree, vocabulary: Vocabulary | None = None, words: LearnedWords | None = None) -> Evidence:
    """Gather the evidence of a page.

    Args:
        tree: the page.
        vocabulary: learned names; None: nothing is known of names.
        words: learned words; None: nothing is known of words.
    """
    blocks = text_blocks(tree)
    if not len(blocks):
        nothing = np.zeros(0, dtype=np.int64)
        return Evidence(blocks, nothing, np.zeros((0, len(COLUMNS)), dtype=np.float32), nothing)
    raw, counted, aside = _read(tree, blocks, vocabulary, words)
    values = np.frombuffer(raw, np.float32).reshape(-1, len(blocks))
    values = values if vocabulary is not None else _without_vocabulary(values)
    return Evidence(blocks, np.frombuffer(counted, np.int64), values.T, np.frombuffer(aside, np.int64))


def read_words(tree: PageTree, blocks: TextBlocks) -> PageWords:
    """Return the words of a page's blocks."""
    if not len(blocks):
        return PageWords(np.zeros(0, dtype=np.uint32), np.zeros((0, SOURCES), dtype=np.int32))
    *_, count, key = _read(tree, blocks, None, None, wants_keys=True)
    return PageWords(np.frombuffer(key, np.uint32), np.frombuffer(count, np.int32).reshape(-1, SOURCES))


def _read(
    tree: PageTree, blocks: TextBlocks, vocabulary: Vocabulary | None, words: LearnedWords | None, *, wants_keys: bool = False
) -> Any:
    """Return the columns, one after the other, the words of each block, and what learned words say of it as an aside; with keys also their
    numbers by block and source."""
    return compiled.gather(
        *(tree.tag, tree.parent, tree.end, tree.link, tree.text_nodes, tree.texts),
        *(blocks.element, blocks.first, blocks.last, blocks.length, blocks.link_length),
        *(part for name in ("class", "id", "href") for part in tree.values(name)),
        *(hidden_nodes(tree), _marks_of_nodes(tree), post_mask(tree)),
        *(kinds(), TAG_BITS, HOLDER_BITS, *hint_table()),
        *((vocabulary or Vocabulary.empty()).table),
        *((words or LearnedWords.empty()).table),
        wants_keys,
    )


def _marks_of_nodes(tree: PageTree) -> NDArray[np.uint8]:
    """Return bits for fields, images, players, headings and links, uint8 ``(n,)``."""
    marks = _MARKS.take(tree.tag, mode="clip")
    types = tree.values("type")
    if codes := types.passing(lambda value: value.strip().lower() in _NO_FIELDS, _NO_FIELDS):
        marks[types.of_codes(codes)] &= 0xFE
    return marks


def _without_vocabulary(values: NDArray[np.float32]) -> NDArray[np.float32]:
    values = values.copy()
    values[[COLUMNS.index(name) for name in VOCABULARY]] = np.nan
    return values


def hidden_nodes(tree: PageTree) -> BoolColumn:
    """Return the nodes that the page hides (:attr:`tamis.page.tree.PageTree.hidden`), or shows in a dialog or alert, bool ``(n,)``."""
    dialogs = tree.values("role").passing(lambda role: role.strip().lower() in _DIALOGS, ("dialog", "alert"))
    return tree.subtree_mask(tree.hidden | tree.values("role").of_codes(dialogs) if dialogs else tree.hidden)
