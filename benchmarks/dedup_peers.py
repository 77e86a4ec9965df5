"""Other ways to find near-duplicates: MinHash with bands (datasketch, rensa) and simhash, each with several settings.

They are given the same shingles: runs of three words, lower-cased, or of six characters in Chinese and Japanese. Making them is part of
their time. Every setting gives pairs; joining those into clusters is the caller's.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.dedup_measures import Found, Method, Pair, Texts
from benchmarks.metric import unit_of
from benchmarks.timing import timed

_WORD = {"word": re.compile(r"\w+"), "character": re.compile(r"\w")}
_WIDTH = {"word": 3, "character": 6}
_SEED = 1


def shingles(text: str) -> list[str]:
    """The shingles of a text, as they come.

    >>> shingles("The ferry is back, and runs.")
    ['the ferry is', 'ferry is back', 'is back and', 'back and runs']
    """
    unit = unit_of(None, text)
    tokens = _WORD[unit].findall(text.lower())
    return [" ".join(tokens[start : start + _WIDTH[unit]]) for start in range(max(len(tokens) - _WIDTH[unit] + 1, 1))]


def datasketch(texts: Texts, thresholds: Sequence[float] = (0.5, 0.7, 0.8), permutations: int = 128) -> Iterator[Found]:
    """MinHashLSH of datasketch at several thresholds; its own choice of bands."""
    from datasketch import MinHash, MinHashLSH

    def sketches() -> list[Any]:
        blank = MinHash(num_perm=permutations, seed=_SEED)
        made = []
        for text in texts:
            sketch = blank.copy()
            sketch.update_batch([shingle.encode() for shingle in set(shingles(text))])
            made.append(sketch)
        return made

    def pairs(made: list[Any], threshold: float) -> list[Pair]:
        index = MinHashLSH(threshold=threshold, num_perm=permutations)
        found = []
        for number, sketch in enumerate(made):
            found += [(other, number) for other in index.query(sketch)]
            index.insert(number, sketch)
        return found

    made, before = timed(sketches)
    for threshold in thresholds:
        found, seconds = timed(partial(pairs, made, threshold))
        yield Found(f"datasketch, {permutations} hashes, {threshold}", before + seconds, found)


RENSA = ((128, 16, None), (128, 32, None), (128, 32, 0.5), (64, 32, None), (256, 64, 0.4))
"""Hashes, bands, and the estimated resemblance from which on candidates count (None: all of them do)."""


def rensa(texts: Texts, settings: Sequence[tuple[int, int, float | None]] = RENSA) -> Iterator[Found]:
    """RMinHash and RMinHashLSH of rensa with several numbers of hashes and bands."""
    from rensa import RMinHash, RMinHashLSH

    def pairs(hashes: int, bands: int, least: float | None) -> list[Pair]:
        index = RMinHashLSH(threshold=least or 0.5, num_perm=hashes, num_bands=bands)
        made: list[Any] = []
        found: list[Pair] = []
        for number, text in enumerate(texts):
            sketch = RMinHash(num_perm=hashes, seed=_SEED)
            sketch.update(shingles(text))
            found += [(other, number) for other in index.query(sketch) if least is None or made[other].jaccard(sketch) >= least]
            index.insert(number, sketch)
            made.append(sketch)
        return found

    for hashes, bands, least in settings:
        found, seconds = timed(partial(pairs, hashes, bands, least))
        yield Found(f"rensa, {hashes} hashes, {bands} bands" + ("" if least is None else f", {least}"), seconds, found)


def simhash(texts: Texts, distances: Sequence[int] = (3, 6)) -> Iterator[Found]:
    """Simhash and SimhashIndex of simhash: 64 bits, at most so many of them different."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from simhash import Simhash, SimhashIndex

    def pairs(made: list[Any], distance: int) -> list[Pair]:
        index = SimhashIndex([], k=distance)
        found = []
        for number, code in enumerate(made):
            found += [(int(other), number) for other in index.get_near_dups(code)]
            index.add(str(number), code)
        return found

    made, before = timed(lambda: [Simhash(list(set(shingles(text)))) for text in texts])
    for distance in distances:
        found, seconds = timed(partial(pairs, made, distance))
        yield Found(f"simhash, {distance} of 64 bits", before + seconds, found)


PEERS: dict[str, Method] = {"datasketch": datasketch, "rensa": rensa, "simhash": simhash}  #: Peers by the name of their module.
