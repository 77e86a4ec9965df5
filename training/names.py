"""Names of elements on pages with gold, and a vocabulary fitted to them: what each name says of the text below it.

A logistic regression on counts of names, beside a text and farther up, with the weight that a text has in its page's F1. A name counts
where several domains have it: what only one has says nothing about another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.vocabulary import Vocabulary
from tamis.errors import MissingExtraError
from tamis.page import tags
from tamis.page.blocks import text_blocks
from tamis.page.element_names import element_names
from tamis.page.tree import PageTree

DOMAINS = 4
"""Domains on which a name is met at the least."""
STRENGTH, STEP, PASSES = 1e-3, 2e-3, 6
"""Regularisation, step and passes of the regression."""
NEAREST = 3
UNIT = 256  #: What a weight is divided by to be log-odds.

_PARTS = re.compile(r"[A-Za-z][a-z]+")
_FNV_START, _FNV_STEP, _LONG = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
_NO_PLACE = ("html", "body")
_WORD_MARK = "-"  #: What stands before a word of a name, as no whole name does.


def key_of(text: str) -> int:
    """A hash of a name or word (FNV-1a over its characters, folded to 32 bits); never 0."""
    key = _FNV_START
    for character in text:
        key = (key ^ ord(character)) * _FNV_STEP & _LONG
    return (key >> 32 ^ key) & 0xFFFFFFFF or 1


def name_keys(name: str) -> list[int]:
    r"""The hashes of an element's class names and id, each as a whole and by its words.

    A name is tag, class names and id, with tabs between and ``.`` or ``#`` before each; case and numbers do not matter.

    >>> name_keys("p\t.post-17") == name_keys("div\t.Post-5") != []
    True
    """
    tag, *tokens = name.split("\t")
    if tag in _NO_PLACE:
        return []
    keys = []
    for token in tokens:
        keys.append(key_of(_general(token[1:])))
        keys.extend(key_of(_WORD_MARK + word.lower()) for word in _PARTS.findall(token[1:]) if len(word) > 2)
    return keys


def _general(token: str) -> str:
    """A name with ASCII letters in lower case and each number as a zero."""
    pieces: list[str] = []
    for character in token:
        if character.isdecimal():
            if not pieces or pieces[-1] != "0":
                pieces.append("0")
        else:
            pieces.append(chr(ord(character) | 32) if "A" <= character <= "Z" else character)
    return "".join(pieces)


@dataclass(frozen=True, slots=True, eq=False)
class PageNames:
    """The names around the ``b`` blocks of a page, which stand at ``p`` distinct places."""

    place: NDArray[np.int32]
    """The place of each block, int32 ``(b,)``."""
    key: NDArray[np.uint32]
    """Hashes of the names around the places, uint32 ``(k,)``."""
    around: NDArray[np.int32]
    """The place that each stands around, int32 ``(k,)``."""
    above: NDArray[np.bool_]
    """Whether it stands farther up, bool ``(k,)``."""

    @property
    def places(self) -> int:
        """How many places there are."""
        return int(self.place.max(initial=-1)) + 1

    def weigh(self, vocabulary: Vocabulary) -> NDArray[np.float32]:
        """The evidence of :data:`tamis.content.evidence.vocabulary.VOCABULARY`, float32 ``(b, 2)``."""
        at, known = _find(self.key, vocabulary.key)
        sums = []
        for above, values in ((False, vocabulary.near), (True, vocabulary.above)):
            taken = known & (self.above == above)
            sums.append(np.bincount(self.around[taken], values[at[taken]], self.places))
        return np.asarray(np.column_stack(sums)[self.place], dtype=np.float32)


def _find(keys: NDArray[np.uint32], known: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each key stands among the known ones, and whether it is one of them."""
    at = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
    return at, known[at] == keys if len(known) else np.zeros(len(keys), dtype=np.bool_)


def read_page_names(tree: PageTree) -> PageNames:
    """The names around a page's blocks."""
    node = tree.text_nodes[text_blocks(tree).first]
    started = np.zeros(len(tree) + 1, dtype=np.int64)
    started[node + 1] = 1
    before = np.cumsum(started)
    elements = np.flatnonzero((before[tree.end] > before[:-1]) & (tree.tag != tags.TEXT))
    index, names = element_names(tree, elements)
    keys = [name_keys(name) for name in names]
    own = dict(zip(elements.tolist(), index.tolist(), strict=True))
    parent = tree.parent.tolist()
    places: dict[int, int] = {}
    found: list[tuple[int, int, bool]] = []
    for start in (parent[text] for text in node.tolist()):
        if start in places:
            continue
        place = places[start] = len(places)
        here, steps = start, 0
        while here >= 0:
            found.extend((key, place, steps >= NEAREST) for key in keys[own[here]])
            here, steps = parent[here], steps + 1
    key, around, above = zip(*found, strict=True) if found else ((), (), ())
    return PageNames(
        place=np.array([places[parent[text]] for text in node.tolist()], dtype=np.int32),
        key=np.array(key, dtype=np.uint32),
        around=np.array(around, dtype=np.int32),
        above=np.array(above, dtype=np.bool_),
    )


def fit_vocabulary(
    pages: Sequence[PageNames],
    labels: Sequence[NDArray[np.float64]],
    weights: Sequence[NDArray[np.float64]],
    groups: Sequence[str],
    seed: int,
    domains: int = DOMAINS,
) -> Vocabulary:
    """Fit a vocabulary.

    Args:
        pages: the names of each page.
        labels: share of each block that is main text, float64 ``(b,)`` for each page.
        weights: what each block weighs, float64 ``(b,)`` for each page.
        groups: the domain of each page.
        seed: where chance begins.
        domains: on how many a name is met at the least.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        from scipy import sparse
        from sklearn.linear_model import SGDClassifier
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    known = _common(pages, groups, domains)
    total = [np.bincount(page.place, weight, page.places) for page, weight in zip(pages, weights, strict=True)]
    main = [np.bincount(page.place, weight * label, page.places) for page, weight, label in zip(pages, weights, labels, strict=True)]
    weight = np.concatenate([*total, np.zeros(0)])
    if not len(known) or not weight.any():
        return Vocabulary.empty()
    table = _counts(pages, known, sparse)
    share = np.concatenate(main)
    # Each place twice: as main text and as none, with the weight of either.
    both = np.concatenate((share, weight - share)) / weight.mean()
    taken = np.flatnonzero(both > 1e-6)
    label = np.repeat((1, 0), len(weight))
    if len(set(label[taken].tolist())) < 2:
        return Vocabulary.empty()
    model = SGDClassifier(
        loss="log_loss", alpha=STRENGTH, learning_rate="constant", eta0=STEP, max_iter=PASSES, tol=None, average=True, random_state=seed
    )
    model.fit(sparse.vstack((table, table)).tocsr()[taken], label[taken], sample_weight=both[taken])
    found = np.clip(np.round(model.coef_[0] * UNIT), -32000, 32000).astype(np.int16).reshape(2, -1)
    said = found.any(axis=0)
    return Vocabulary(known[said], found[0][said], found[1][said])


def _common(pages: Sequence[PageNames], groups: Sequence[str], domains: int) -> NDArray[np.uint32]:
    """The names that enough domains have, rising."""
    of_group: dict[str, list[NDArray[np.uint32]]] = {}
    for page, group in zip(pages, groups, strict=True):
        of_group.setdefault(group, []).append(np.unique(page.key))
    every = [np.unique(np.concatenate(keys)) for keys in of_group.values()]
    keys, count = np.unique(np.concatenate([*every, np.zeros(0, dtype=np.uint32)]), return_counts=True)
    return np.asarray(keys[count >= domains])


def _counts(pages: Sequence[PageNames], known: NDArray[np.uint32], sparse: Any) -> Any:
    """How often each known name stands beside each place, and above it: float32 ``(places, 2 * len(known))``."""
    rows, columns, first = [], [], 0
    for page in pages:
        at, met = _find(page.key, known)
        rows.append(page.around[met].astype(np.int64) + first)
        columns.append(at[met] + len(known) * page.above[met])
        first += page.places
    row, column = np.concatenate(rows), np.concatenate(columns)
    table = sparse.coo_matrix((np.ones(len(row), dtype=np.float32), (row, column)), shape=(first, 2 * len(known)))
    return table.tocsr()
