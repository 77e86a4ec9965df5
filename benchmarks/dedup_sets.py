"""Documents with known near-duplicates, for ``python -m benchmarks dedup``.

What makes a *true pair*:

- *planted edits*: two documents that were made of the same text, the text itself too; an excerpt of 60 % and what else was made of its
  text as well. Texts that are alike to begin with, by a plain count of runs of words (:func:`unlike`), would be neither true nor
  false, and are left out. As many other texts of the folder stand among them.
- *articles*: the pairs of the ``.truth`` file.
- *pages*: two pages of one ``cluster`` of the ``gold.json``; raw (all text of the body) and cleaned by a template learned for each set.
- *near misses*: none. See :mod:`benchmarks.near_misses`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.dedup_peers import shingles
from benchmarks.edits import EDITS, Edit
from benchmarks.gold import read_gold
from benchmarks.metric import unit_of
from benchmarks.near_misses import FAMILIES, family
from tamis.errors import SourceError
from tamis.page.blocks import text_blocks
from tamis.page.parsing import parse
from tamis.site.model import learn

LEAST_LETTERS = 500  #: Texts with fewer characters (Chinese and Japanese: half as many) are not edited.
NEAR_MISSES = "near misses"
EDITED_SHARE = 0.25  #: Share of a text's runs of words that another one has, from which on edits are planted of the longer one alone.
_CHINESE = ("zh", "ja")


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, and which of them are near-duplicates."""

    name: str
    texts: tuple[str, ...] = field(repr=False)
    groups: tuple[str, ...] = field(repr=False)  #: The group of each text.
    labels: tuple[str, ...] = field(repr=False)
    """What each text is: the edit that it was made by (``original`` for none), a family of near misses, or the file of a page."""

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def edited_pairs(self) -> dict[str, list[tuple[int, int]]]:
        """For each edit, the pairs of an original and what was made of it."""
        first = {group: number for number, (group, label) in enumerate(zip(self.groups, self.labels, strict=True)) if label == "original"}
        found: dict[str, list[tuple[int, int]]] = {}
        for number, (group, label) in enumerate(zip(self.groups, self.labels, strict=True)):
            if label in _EDIT_NAMES:
                original = first[group]
                found.setdefault(label, []).append((min(original, number), max(original, number)))
        return {edit.name: found[edit.name] for edit in EDITS if edit.name in found}


_EDIT_NAMES = frozenset(edit.name for edit in EDITS)


def read_collections(folder: Path, *, sources: int, edits: int, seed: int = 0) -> Iterator[Collection]:
    """The collections that a folder gives; what is in it tells how it is read.

    Args:
        folder: single pages with gold (``gold.jsonl.gz``): planted edits, English and other spaced texts apart from Chinese and Japanese;
            sites (``*/site.json``): planted edits of the Chinese and Japanese ones; pages with ``gold.json``; ``*.train`` with ``*.truth``.
        sources: texts of each collection that edits are planted of, at most; as many others stand among them as they are.
        edits: edits of each of these texts.
        seed: of the dice.

    Raises:
        SourceError: the folder is none of these.
        MissingExtraError: the extra ``bench`` is not installed.
    """
    trains = sorted(folder.glob("*.train"), key=lambda path: (path.stat().st_size, path.name))
    if trains:
        yield from map(read_articles, trains)
    elif (folder / "gold.jsonl.gz").is_file():
        texts = [page.main for page in read_gold(folder)]
        for unit, name in (("word", "spaced"), ("character", "Chinese and Japanese")):
            chosen = [text for text in texts if unit_of(None, text) == unit]
            if len(long_enough(chosen)) > 1:
                yield planted(f"{folder.name}, {name}", chosen, sources, edits, seed)
    elif (folder / "gold.json").is_file():
        yield from read_pages(folder)
    elif sites := sorted(path.parent for path in folder.glob("*/site.json")):
        chinese = [site for site in sites if json.loads((site / "site.json").read_text("utf-8")).get("lang", "").startswith(_CHINESE)]
        if not chinese:
            raise SourceError(f"no site in {folder} is Chinese or Japanese; other texts are taken from single pages with gold")
        yield planted(f"{folder.name}, Chinese", [page.main for site in chinese for page in read_gold(site)], sources, edits, seed)
    else:
        raise SourceError(f"{folder} holds no near-duplicates: it needs gold.jsonl.gz, */site.json, gold.json, or *.train and *.truth")


def long_enough(texts: Sequence[str]) -> list[str]:
    """Texts that can be edited, those that are equal but for space and case once."""
    found: dict[str, str] = {}
    for text in texts:
        if len(text) >= (LEAST_LETTERS if unit_of(None, text) == "word" else LEAST_LETTERS // 2):
            found.setdefault("".join(text.lower().split()), text)
    return list(found.values())


def unlike(texts: Sequence[str]) -> list[str]:
    """Texts without those of which a good part (:data:`EDITED_SHARE`) stands in a longer one.

    The count knows nothing of the methods that are compared: distinct runs of three words (six characters), each as it is.
    """
    runs = [set(shingles(text)) for text in texts]
    holders: dict[str, list[int]] = {}
    stays = []
    for number in sorted(range(len(texts)), key=lambda number: (-len(runs[number]), number)):
        common = Counter(other for run in runs[number] for other in holders.get(run, ()))
        if max(common.values(), default=0) < EDITED_SHARE * len(runs[number]):
            stays.append(number)
            for run in runs[number]:
                holders.setdefault(run, []).append(number)
    return [texts[number] for number in sorted(stays)]


def planted(name: str, texts: Sequence[str], sources: int, edits: int, seed: int = 0) -> Collection:
    """Texts, half of them with edits."""
    there = unlike(long_enough(texts))
    order = Random(f"{seed} {name}").sample(range(len(there)), min(2 * sources, len(there)))
    sources = min(sources, (len(order) + 1) // 2)
    documents: list[tuple[str, str, str]] = []
    for place, number in enumerate(order):
        text = there[number]
        documents.append((text, str(number), "original"))
        if place < sources:
            possible = [edit for edit in EDITS if edit.fits(text)]
            chosen = Random(f"{seed} {number}").sample(possible, min(edits, len(possible)))
            documents += [(made(edit, text, number, seed), str(number), edit.name) for edit in chosen]
    Random(f"{seed} order").shuffle(documents)
    return _collection(name, documents)


def made(edit: Edit, text: str, number: int, seed: int = 0) -> str:
    """A text, edited; the same whatever else is."""
    return edit.make(text, Random(f"{seed} {number} {edit.name}"))


def near_misses(count: int, seed: int = 0) -> Collection:
    """Texts of every family, each a group of its own."""
    documents = [(text, f"{name} {k}", name) for name in FAMILIES for k, text in enumerate(family(name, count, seed))]
    return _collection(NEAR_MISSES, documents)


def read_articles(path: Path) -> Collection:
    """Articles, an id and a text a line, and their pairs from the ``.truth`` file beside.

    Raises:
        SourceError: there is no such file, or a line says nothing.
    """
    try:
        lines = [line.split(" ", 1) for line in path.read_text("utf-8").split("\n") if " " in line]
        pairs = [line.split() for line in path.with_suffix(".truth").read_text("utf-8").split("\n") if line.strip()]
    except OSError as error:
        raise SourceError(f"cannot read {path} and the .truth beside it: {error.strerror or error}") from error
    group = {id: id for id, _ in lines}
    for pair in pairs:
        if len(pair) != 2 or not set(pair) <= set(group):
            raise SourceError(f"{path.with_suffix('.truth')} names in a line two articles of {path.name}, not {' '.join(pair)!r}")
        group[pair[1]] = group[pair[0]]
    return _collection(path.stem, [(text, group[id], id) for id, text in lines])


def read_pages(folder: Path) -> Iterator[Collection]:
    """Pages with a ``gold.json``: raw, and cleaned by a template of each set.

    Raises:
        SourceError: an entry of ``gold.json`` names no file or cluster.
    """
    try:
        gold = [(entry["file"], entry["cluster"], entry.get("set", "")) for entry in json.loads((folder / "gold.json").read_text("utf-8"))]
    except (KeyError, TypeError, ValueError) as error:
        raise SourceError(f"{folder / 'gold.json'} is no list of pages with file and cluster: {error}") from error
    raw, cleaned = [], []
    for site in sorted({site for _, _, site in gold}):
        pages = [(folder / "pages" / file, file, cluster) for file, cluster, of in gold if of == site]
        model = learn([path for path, _, _ in pages])
        for path, file, cluster in pages:
            tree = parse(path)
            raw.append(("\n".join(text_blocks(tree).texts(tree)), cluster, file))
            cleaned.append((model.clean(tree).text, cluster, file))
    yield _collection(f"{folder.name}, raw", raw)
    yield _collection(f"{folder.name}, cleaned", cleaned)


def _collection(name: str, documents: Sequence[tuple[str, str, str]]) -> Collection:
    return Collection(
        name,
        tuple(text for text, _, _ in documents),
        tuple(group for _, group, _ in documents),
        tuple(label for _, _, label in documents),
    )
