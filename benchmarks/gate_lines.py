"""The lines of the gate: what is measured of each page of the sample, out of fold (:mod:`benchmarks.gate`)."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress, groupby
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

import numpy as np
from selectolax.lexbor import LexborHTMLParser

import tamis
from benchmarks import markdown
from benchmarks.gold import GoldPage, read_gold, read_records
from benchmarks.metadata import Field, normalise
from benchmarks.metric import compare, noise_removed
from benchmarks.record_gold import RecordPage, locate, read_record_pages, sample_node
from benchmarks.record_judging import judge
from benchmarks.site_pages import read_site_pages
from tamis.content.node_model import NodeModel
from tamis.document.document import Document
from tamis.page.blocks import text_blocks
from tamis.page.css import select_css
from tamis.page.parsing import read_file
from tamis.page.tree import PageTree
from tamis.records.finding import find_records
from tamis.records.search import RecordSettings
from tamis.site.digest import judged_digest
from tamis.site.model import SiteModel, learn, learn_digests
from training.boxes import BOX, language_of, paragraphs_in
from training.examples import domain
from training.folds import FoldWeights

SETS = ("wcxb", "articles/dragnet", "articles/l3s", "articles/cleaneval", "articles/readability")
WITH_COMMENTS = ("dragnet", "l3s")  #: Sets whose gold says which text is a visitor's comment, on all pages.
MODELS = (2, 5, 30)  #: Pages that a site's model is learned from.
SITE_SCORED = 8  #: Pages of each site that are scored, at the most.
RECORD_PAGES = {"search-results": 1, "wien": 20, "site-listings": 2}  #: Pages of each site, at the most.
SHOP, SHOP_LEARNED, SHOP_SCORED = "attributes/booksamillion", 30, 60
LEAST_COMMENTS = 250  #: Characters of a site's area of comments; one with less may hold only words such as "no comments yet".
GOLD_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s+(.*)")  #: A line of a list in WCXB's gold.
BOXES = Path(__file__).with_name("inserted_boxes.json")
"""Boxes by language: sign-ups, pitches, appeals, prompts, notices of consent and the like, in the words of nobody who trains on them."""
BOXED, BOXED_OF_SITE = 3, 2  #: Each article of so many of WCXB, and pages of each site, that get a box between two paragraphs.
_BOX_MARK = "@@box@@"
CHUNK = 100  #: Single pages of one task.
MEANING = {
    "wcxb": "main text, single pages of all types: F1 of words",
    "wcxb TYPE": "the same by page type",
    "dragnet, l3s, cleaneval, readability": "main text, blog, news and other pages of 2007 to 2012: F1 of words",
    "title, author, date": "metadata of WCXB: share of the pages with gold where it is right",
    "lists found, lists whole": "share of the lists of WCXB's gold that are not lost, and of which no item is",
    "comments SET": "visitors' comments, names and texts: F1 of words on pages that have some; the gold has dates and buttons, too",
    "comments in place SET": "the same of all text where they were found, with dates and buttons",
    "no comments SET": "share of the pages without comments where none are found",
    "boxes left out": "a box between two paragraphs, one of 450 in 14 languages: share of its text that is left out",
    "sites alone": "main text of whole sites, page by page: F1, mean over sites",
    "sites of K": "the same with a model of K other pages of the site",
    "blocks alone, blocks of 30": "the same by text blocks: each counts once, a heading, a caption or a row as much as a paragraph",
    "records SET": "records of list pages without a sample: F1",
    "records by sample": "the same with the first record as the sample",
    "values alone, values of 30": "a shop's attribute values that the text keeps",
    "values noise": "share of the shop's header, footer and menus that the text leaves out, with a model of 30 pages",
    "markdown": "Markdown of hand-written pages: mean of five similarities",
}
"""What each line measures."""
Told = Callable[[str, str, str], None]
"""Is told a line, a page and the text that was scored."""


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one page in one line."""

    line: str
    page: str
    """The page's file, relative to the folder of data."""
    value: float
    """0..1."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some pages that are measured together, in one process."""

    kind: str
    name: str
    start: int = 0
    stop: int | None = None


def tasks(data: Path) -> list[Task]:
    """Return all tasks of the gate, the longest first. ``data``: the folder of data."""
    found = [Task("site", path.parent.name) for path in sorted((data / "sites").glob("*/site.json"))]
    for name in SETS:
        count = len(read_records(data / name)) if (data / name).is_dir() else 0
        found += [Task("single", name, start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
    for name, limit in RECORD_PAGES.items():
        folder = data / "records" / name
        count = len(read_record_pages(folder, limit)) if folder.is_dir() else 0
        found += [Task("records", name, start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
    if (data / SHOP).is_dir():
        found.append(Task("values", SHOP))
    return [*found, Task("markdown", "")]


def measure(task: Task, data: Path, folds: FoldWeights, told: Told) -> list[Score]:
    """Return the scores of a task's pages. ``folds``: the weights; ``told``: gets each text that was scored."""
    if task.kind == "single":
        return list(_single_pages(task, data, folds, told))
    if task.kind == "site":
        return list(_site(data / "sites" / task.name, folds, told))
    if task.kind == "records":
        return list(_records(task, data))
    if task.kind == "values":
        return list(_values(data / task.name, NodeModel(weights=folds.of_group(task.name)), told))
    return list(_markdown(NodeModel(weights=folds.folds[0]), told))


def _single_pages(task: Task, data: Path, folds: FoldWeights, told: Told) -> Iterator[Score]:
    """Yield main text, comments, and for WCXB metadata."""
    folder = data / task.name
    records = read_records(folder)[task.start : task.stop]
    for number, (page, record) in enumerate(zip(read_gold(folder)[task.start : task.stop], records, strict=True)):
        file, name = f"{task.name}/{page.path.relative_to(folder)}", folder.name
        method = NodeModel(weights=folds.of_group(domain(page.url) or page.id))
        tree = tamis.parse(page.html())
        document = tamis.extract(tree, method=method, url=page.url if name == "wcxb" else None)  # the others' addresses are guesses
        told(name, file, document.text)
        score = page.score(document.text).f1
        yield Score(name, file, score)
        if name == "wcxb":
            yield Score(f"wcxb {page.page_type}", file, score)
            yield from _metadata(file, document, record)
            yield from _lists(file, document, page)
            if page.page_type == "article" and number % BOXED == 0:
                yield from _box(file, page, method)
        if name in WITH_COMMENTS:
            yield from _comments(name, file, document, page)


def _metadata(file: str, document: Document, record: dict[str, Any]) -> Iterator[Score]:
    for field in get_args(Field):
        true = (record.get("publish_date" if field == "date" else field) or "").strip()
        if not true:
            continue
        said = (getattr(document.metadata, field) or "").strip()
        same = normalise(field)
        yield Score(field, file, float(bool(said) and same(said[: len(true)] if field == "date" else said) == same(true)))


def _lists(file: str, document: Document, page: GoldPage) -> Iterator[Score]:
    """Yield whether each list of the gold is found and whole."""
    for number, kept in enumerate(kept_items(page.main, "".join(document.tree.texts), document.text)):
        yield Score("lists found", f"{file} {number}", float(any(kept)))
        yield Score("lists whole", f"{file} {number}", float(all(kept)))


def kept_items(gold: str, page: str, text: str) -> list[list[bool]]:
    """Return for each list of a gold text, all of whose items a page has, which items a text keeps; only letters and digits count.

    >>> kept_items("- Reed\\n- Rush\\nWe saw:\\n1. a gull", "Reed.Rush. We saw: a gull", "Reed")
    [[True, False]]
    """

    def key(text: str) -> str:
        return "".join(filter(str.isalnum, text.casefold()))

    lines = map(GOLD_ITEM.fullmatch, gold.split("\n"))
    runs = [[key(line[1]) for line in run if line] for is_list, run in groupby(lines, bool) if is_list]
    there, kept = key(page), key(text)
    return [[item in kept for item in run] for run in runs if len(run) > 1 and all(item in there for item in run)]


@cache
def _boxes() -> dict[str, list[str]]:
    boxes: dict[str, list[str]] = json.loads(BOXES.read_text("utf-8"))
    return boxes


def _box(file: str, page: GoldPage, method: NodeModel) -> Iterator[Score]:
    """Yield how far a box in the language of the page, put after one of its paragraphs, is left out."""
    parser, dice = LexborHTMLParser(page.html()), random.Random(file)
    if len(paragraphs := paragraphs_in(parser, page.main)) < 3:
        return
    boxes = _boxes()
    box = dice.choice(boxes.get(language_of(page.language), boxes["en"]))
    dice.choice(paragraphs[:-1]).insert_after(_BOX_MARK)
    tree = tamis.parse((parser.html or "").replace(_BOX_MARK, re.sub(r"<(?=\w)\w+", rf"\g<0> {BOX}", box)))
    inside = tree.subtree_mask(np.array([BOX in own for own in tree.attributes]))[tree.text_nodes]
    length = tree.text_length[tree.text_nodes] * inside
    kept = tamis.extract(tree, method=method, url=page.url).text_selection.keep[tree.text_nodes]
    yield Score("boxes left out", file, 1 - float(length[kept].sum() / length.sum()))


def _comments(name: str, file: str, document: Document, page: GoldPage) -> Iterator[Score]:
    wanted = page.comments.strip()
    if not wanted:
        yield Score(f"no comments {name}", file, float(not document.comments))
    elif page.noise is None or len(wanted) >= LEAST_COMMENTS:
        text = "\n".join(f"{comment.author or ''}\n{comment.text}" for comment in document.comments)
        yield Score(f"comments {name}", file, compare(text, wanted, unit=page.unit).f1)
        shown = np.zeros(len(document.tree), dtype=np.bool_)
        for comment in document.comments:
            shown[slice(*comment.span(document.tree))] = True
        texts = compress(document.tree.texts, shown[document.tree.text_nodes])
        yield Score(f"comments in place {name}", file, compare("\n".join(texts), wanted, unit=page.unit).f1)


def _site(folder: Path, folds: FoldWeights, told: Told) -> Iterator[Score]:
    """Yield the main text of a site's pages, alone and with models."""
    pages = read_site_pages(folder, SITE_SCORED)
    gold = json.loads((folder / "site.json").read_text("utf-8"))["selectors"]
    method = NodeModel(weights=folds.of_group(folder.name))
    draw = [judged_digest(tamis.parse(page.html()), method) for page in pages.draw(0)[: max(MODELS)]]
    trees = folds.trees_of(folder.name)
    models: dict[str, SiteModel | None] = {"alone": None}
    models |= {f"of {count}": replace(learn_digests(draw[:count]), trees=trees) for count in MODELS}
    for number, page in enumerate(pages.scored):
        file = f"sites/{folder.name}/pages/{page.path.name}"
        tree = tamis.parse(page.html())
        if number < BOXED_OF_SITE:
            yield from _box(file, page, method)
        known: dict[bytes, tuple[float, float]] = {}
        for how, model in models.items():
            document = tamis.extract(tree, method=method, model=model, url=page.url)
            keep = document.selection.keep
            if (key := keep.tobytes()) not in known:
                known[key] = page.score(document.text).f1, block_f1(tree, keep, gold)
            told(f"sites {how}", file, document.text)
            yield Score(f"sites {how}", file, known[key][0])
            if how in ("alone", f"of {max(MODELS)}"):
                yield Score(f"blocks {how}", file, known[key][1])
            if model is None and "comments" in gold:
                yield from _comments("sites", file, document, page)


def block_f1(tree: PageTree, keep: np.ndarray[Any, np.dtype[np.bool_]], gold: dict[str, Sequence[str]]) -> float:
    """Return the F1 of the text blocks that are kept, each counted once; ignored ones do not count.

    Args:
        tree: the page.
        keep: whether each node is kept, bool ``(n,)``.
        gold: selectors of ``main``, ``ignore`` and ``drop``; the innermost element decides.
    """
    label = np.zeros(len(tree), dtype=np.int8)
    ranks = [(1, "main"), (2, "ignore"), (0, "drop")]
    found = [(int(node), rank) for rank, name in ranks if gold.get(name) for node in select_css(tree, tuple(gold[name]))]
    for node, rank in sorted(found, key=lambda each: each[0]):  # on the same element the later list decides
        label[node : tree.end[node]] = rank
    nodes = tree.text_nodes[text_blocks(tree).first]
    kept, main, counts = keep[nodes], label[nodes] == 1, label[nodes] != 2
    right, wrong = int((kept & main).sum()), int((kept & ~main & counts).sum())
    return 2 * right / (right + wrong + int(main.sum())) if right else 0.0


def _records(task: Task, data: Path) -> Iterator[Score]:
    """Yield records with and without a sample."""
    pages = read_record_pages(data / "records" / task.name, RECORD_PAGES[task.name])
    for number, page in enumerate(pages[task.start : task.stop]):
        yield from _record_page(page, number, data)


def _record_page(page: RecordPage, number: int, data: Path) -> Iterator[Score]:
    tree = tamis.parse(page.path)
    text, gold = locate(page, tree)
    targets, file = page.collection == "wien", str(page.path.relative_to(data))
    yield Score(f"records {page.collection}", file, judge(number, text, gold, find_records(tree), with_targets=targets).f1)
    node = next((node for k in range(len(gold)) if (node := sample_node(text, gold, k)) is not None), None)
    if node is not None:
        found = find_records(tree, like=[node], settings=RecordSettings())
        yield Score("records by sample", file, judge(number, text, gold, found, with_targets=targets).f1)


def _values(folder: Path, method: NodeModel, told: Told) -> Iterator[Score]:
    """Yield the share of a shop's attribute values that is kept, and of its noise that is not."""
    given: dict[str, Any] = json.loads((folder / "gold.json").read_text("utf-8"))
    pages = list(given["pages"])
    random.Random(1).shuffle(pages)
    model = learn([read_file(folder / "pages" / page["file"]) for page in pages[:SHOP_LEARNED]])
    for page in pages[SHOP_LEARNED:][:SHOP_SCORED]:
        file, tree = f"{SHOP}/pages/{page['file']}", tamis.parse(read_file(folder / "pages" / page["file"]))
        values = [" ".join(value.strip(" :").split()) for each in page["attributes"].values() for value in each]
        for how, of_site in (("alone", None), (f"of {SHOP_LEARNED}", model)):
            text = tamis.extract(tree, method=method, model=of_site).text
            told(f"values {how}", file, text)
            joined = " ".join(text.split())
            yield Score(f"values {how}", file, fmean(value in joined for value in values))
        inside = tree.subtree_mask(select_css(tree, tuple(given["noise_selectors"])))[tree.text_nodes].tolist()
        noise, main = (" ".join(t for t, k in zip(tree.texts, inside, strict=True) if k is wanted) for wanted in (True, False))
        yield Score("values noise", file, noise_removed(text, main, noise) or 0.0)


def _markdown(method: NodeModel, told: Told) -> Iterator[Score]:
    """Yield the Markdown of the hand-written pages."""
    for path in sorted(markdown.PAGES.glob("*.md")):
        page = path.with_suffix(".html")
        if page.is_file():
            written = tamis.extract(page.read_text("utf-8"), method=method).markdown
            told("markdown", page.name, written)
            found = markdown.compare(written, path.read_text("utf-8"))
            values = [value for name in markdown.PARTS if (value := found[name]) is not None]
            yield Score("markdown", page.name, fmean(values) if values else 0.0)
