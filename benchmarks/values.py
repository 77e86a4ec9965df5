"""The share of the attribute values of a shop's pages that cleaning keeps, alone and with a model of the site.

Gold: a ``gold.json`` with ``pages`` (file, attributes with their values) and ``noise_selectors`` for header, footer and the like.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from typer import Option

import tamis
from benchmarks.command import Folders, Limit, bench
from benchmarks.metric import bag
from benchmarks.report import Report, Table
from benchmarks.timing import Progress, unseen
from tamis.errors import SourceError
from tamis.page.css import select_css
from tamis.page.parsing import read_file

SEED = 1


@dataclass(frozen=True, slots=True)
class ValueScore:
    """One way of cleaning one folder."""

    folder: str
    how: str  #: ``alone`` or ``model of K``.
    pages: int
    kept: dict[str, float]  #: Share of values kept by attribute; ``all`` is the mean over values.
    noise: float  #: Share of the words of header, footer and the like that is kept.


def run(
    folders: Folders, *, k: Annotated[int, Option("--k", min=2)] = 30, limit: Limit = None, progress: Progress = unseen
) -> list[ValueScore]:
    """The share of the attribute values of shop pages that cleaning keeps, alone and with a site's model.

    Options:
        k: Pages that a model is learned from.
    """
    scores = []
    for folder in folders:
        gold = folder / "gold.json"
        if not gold.is_file():
            raise SourceError(f"no gold in {folder}: it needs a gold.json")
        given: dict[str, Any] = json.loads(gold.read_text("utf-8"))
        pages = list(given["pages"])
        random.Random(SEED).shuffle(pages)
        read = {page["file"]: read_file(folder / "pages" / page["file"]) for page in pages}
        model = tamis.learn([read[page["file"]] for page in pages[:k]])
        scored = pages[k:][:limit]
        for number, (how, of_site) in enumerate((("alone", None), (f"model of {k}", model))):
            kept: defaultdict[str, list[bool]] = defaultdict(list)
            noise: list[float] = []
            for done, page in enumerate(scored):
                tree = tamis.parse(read[page["file"]])
                text = " ".join(tamis.extract(tree, model=of_site).text.split())
                for name, values in page["attributes"].items():
                    kept[name] += [" ".join(value.strip(" :").split()) in text for value in values]
                noise.append(_noise_kept(tree, given["noise_selectors"], text))
                progress(number * len(scored) + done + 1, 2 * len(scored))
            shares = {name: sum(each) / len(each) for name, each in kept.items() if each}
            every = [value for each in kept.values() for value in each]
            shares = {"all": sum(every) / max(len(every), 1), **shares}
            scores.append(ValueScore(folder.name, how, len(scored), shares, sum(noise) / max(len(noise), 1)))
    return scores


def _noise_kept(tree: tamis.PageTree, selectors: Sequence[str], text: str) -> float:
    """Share of the words below some elements that a text holds beyond the page's other words."""
    inside = tree.subtree_mask(select_css(tree, tuple(selectors)))[tree.text_nodes].tolist()
    noise, rest = (bag(" ".join(t for t, k in zip(tree.texts, inside, strict=True) if k is wanted)) for wanted in (True, False))
    return sum(((bag(text) - rest) & noise).values()) / max(sum(noise.values()), 1)


# -- report -----------------------------------------------------------------------------------------------------------------


def report(scores: list[ValueScore]) -> Report:
    """One row for each attribute of a folder and way of cleaning."""
    columns = "folder; how; pages; attribute; values kept|.3f; header and footer kept|.3f"
    rows = [(s.folder, s.how, s.pages, name, share, s.noise) for s in scores for name, share in s.kept.items()]
    return Report([Table("attribute values", columns, rows)])


command = bench(run, report, "pages")
