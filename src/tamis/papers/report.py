"""Report on a page and its site by each of the five papers, in the papers' own figures: for text, JSON and HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from typing import Any

import numpy as np

from tamis.document.document import Document
from tamis.document.selection import Cause, Selection
from tamis.duplicates.feature_code import compare, feature_code
from tamis.layer.denoising import Denoised, denoise
from tamis.layer.places import LayerPage
from tamis.layer.siblings import Layer, SeenPage
from tamis.layer.strings import parts
from tamis.page.tree import PageTree
from tamis.papers.method import FewPages, Papers, page_kind, what_is_left
from tamis.records.search import KeyTree, key_tree, similarity_to_key
from tamis.site.extraction import extract
from tamis.site.style_tree import SimplifiedTree, StyleTree, importance, places
from tamis.site.style_tree.cleaning import NOISY
from tamis.site.style_tree.importance import histogram
from tamis.site.style_tree.outline import outline

LIST_PAGES = 30  #: Pages among which one with a list is looked for.
LONGEST = 300  #: Characters of a text in a table.
STYLE = 50  #: Characters of a style.
MAIN_CODE = 30  #: Tokens of the main code in its sentence.
_VERDICTS = {0: "meaningful", NOISY: "noisy"}
_METHODS = (
    ("Same-layer pages", "Yuan, Zhang, Jiang and Zhao 2006", "Blocks that pages beside this one have, too, are noise."),
    ("Site style tree", "Yi, Liu and Li 2003", "What is the same at the same place on the pages of a site is noise."),
    (
        "Attenuation, on what is left",
        "Chen, Chen and Wu 2012",
        "The main text lies below the element whose children each hold only a part of it.",
    ),
    ("Records by key tree", "Song and Zhang 2011", "Elements that are built like one sample record are records."),
    ("Feature codes", "Chen and Niu 2006", "Pages whose paragraphs begin with the same tokens are copies."),
    ("The five together, and tamis extract", "the method papers", "Every line that one of the two keeps."),
)
_NONE = "-"  #: A figure that there is not.
Cell = str | int | float | None
Found = tuple[tuple[str, ...], tuple["ReportTable", ...]]  #: Sentences with figures, and tables.


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of a section; its last column is text that may be cut."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    @classmethod
    def cut(cls, title: str, headings: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], most: int) -> ReportTable:
        """Make a table of at most ``most`` rows, with long texts cut; its note counts the others."""
        kept = tuple(tuple(_shortened(value) if isinstance(value, str) else value for value in row) for row in rows[:most])
        return cls(title, headings, kept, f"and {len(rows) - most:,} more" if len(rows) > most else "")


@dataclass(frozen=True, slots=True)
class Section:
    """One method on the page."""

    number: int
    title: str
    source: str  #: The paper.
    idea: str  #: Its idea in a sentence.
    facts: tuple[str, ...]  #: Sentences with figures.
    tables: tuple[ReportTable, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a page."""

    page: str
    pages: int  #: Pages of the site that were read, the page included.
    sections: tuple[Section, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def report(
    layer: Layer, others: Sequence[SeenPage] = (), *, like: str | int | None = None, settings: Papers | None = None, most: int = 40
) -> Report:
    """Apply the five methods to a page, one by one and together.

    Args:
        layer: the page and its same-layer pages (:func:`tamis.layer.siblings.choose_siblings`).
        others: more pages of the site, for the style tree, the lists and the feature codes.
        like: a sample record of the page (:func:`tamis.find_records`); None: the first record of its main list, or of another page's.
        settings: of the methods; None: as in the papers.
        most: rows of a table at most.

    Raises:
        UsageError: the sample is not on the page.
    """
    settings = settings or Papers.paper()
    site = list({page.name: page for page in (*others, *layer.pages, layer.page)}.values())[::-1]
    denoised = denoise(layer.page, layer.pages, settings.layer)
    tree = StyleTree.build((page.tree for page in site), settings.style_tree.style)
    simplified = settings.style_tree.simplified(tree)
    model = simplified if len(site) >= settings.least_pages else FewPages(layer.pages, settings.layer)
    found = (
        _same_layer(layer, denoised, len(site), settings, most),
        _style_tree(layer.page.tree, tree, simplified, settings, most),
        _attenuation(layer.page.tree, model.template_selection(layer.page.tree), settings, most),
        _key_tree(site, like, settings, most),
        _feature_codes(site, model, settings, most),
        _five_together(layer.page, model, settings, most),
    )
    return Report(layer.page.name, len(site), tuple(Section(k, *_METHODS[k - 1], *each) for k, each in enumerate(found, 1)))


def _same_layer(layer: Layer, found: Denoised, pages: int, settings: Papers, most: int) -> Found:
    """Section 1: same-layer pages, and every block with its similarities."""
    matching = settings.layer.judging.matching
    alpha, beta = matching.tag_similarity, matching.text_similarity
    noise = sum(verdict.noise for verdict in found.verdicts)
    page = LayerPage(found.tree, settings.layer.judging)
    tags_only = replace(matching, text_similarity=0.01)
    blocks = [part for verdict in found.verdicts for part in parts(page.string, verdict.nodes)]
    looked = [LayerPage(other.tree, settings.layer.judging).index.find(blocks, page.string, tags_only) for other in found.siblings]
    rows: list[tuple[Cell, ...]] = []
    for k, verdict in enumerate(found.verdicts):
        near = [match for of_page in looked if (match := of_page[k]) is not None]
        seen = [(each.tag_similarity, each.text_similarity) for each in verdict.occurrences or near]
        tag, text = max(seen, default=(None, None), key=lambda pair: pair[1])
        words = " ".join(filter(None, map(found.tree.text, verdict.nodes)))
        rows.append(("noise" if verdict.noise else "content", tag, text, verdict.support, words or "(no text)"))
    passed = tuple(layer.passed) + found.passed
    more = pages - 1 - len(found.siblings) - len(passed)
    facts = (
        f"compared with {len(found.siblings)} same-layer pages: {', '.join(_short(found.siblings)) or 'none'}"
        + (f"; {more:,} more of the site rank lower by their address" if more > 0 else ""),
        f"a block is noise if Tag >= {alpha:g} and Text >= {beta:g} (alpha, beta): {noise} of {len(rows)} blocks; without figures: "
        f"no place with Tag >= {alpha:g}",
        f"blocks by VIPS with pDoC = {settings.layer.segmentation.pdoc}, on an estimated layout; MAX = {matching.skips}",
    )
    tables = [ReportTable.cut("Blocks", ("", "Tag", "Text", "pages", "block"), rows, most)]
    if passed:
        tables.append(ReportTable.cut("Passed over", ("page", "why"), passed, most))
    return facts, tuple(tables)


def _style_tree(page: PageTree, tree: StyleTree, simplified: SimplifiedTree, settings: Papers, most: int) -> Found:
    """Section 2: the style tree, and the histogram that its threshold comes from."""
    scores = importance(tree, settings.style_tree.cleaning.gamma, settings.style_tree.cleaning.min_pages)
    where = places(page, tree.settings)
    text_at = dict(zip(where.place.tolist(), (page.text(int(node)) for node in where.node), strict=True))
    rows: list[tuple[Cell, ...]] = []
    for line in outline(tree, simplified, scores, where):
        if line.row is None:
            rows.append((line.words[:STYLE], line.pages, None, None, None, "", ""))
            continue
        row, words = line.row, text_at.get(int(tree.elements.place[line.row]), "") if line.verdict else ""
        imp, comp = float(scores.node[row]), float(scores.composite[row])
        rows.append((line.words, line.pages, line.styles, imp, comp, line.verdict, words))
    above = histogram(tree, scores)
    widest = max((characters for *_, characters in above), default=1) or 1
    at = simplified.threshold
    bars = tuple(
        (f"{low:.1f} to {high:.1f}", characters, "█" * round(30 * characters / widest) + (f" t = {at:.2f}" if low <= at < high else ""))
        for low, high, characters in above
    )
    gamma = settings.style_tree.cleaning.gamma
    decided = Counter(_VERDICTS.get(int(verdict)) for verdict in simplified.verdict.tolist())
    chosen = "chosen from the tree (Otsu)" if settings.style_tree.cleaning.threshold is None else "as set"
    gone = simplified.map_page(page)
    facts = (
        f"{tree.pages} pages, {len(tree):,} element nodes, {len(tree.styles.place):,} style nodes; gamma = {gamma:g}",
        f"t = {simplified.threshold:.2f}, {chosen}: pruned to {decided['noisy']} noisy and {decided['meaningful']} meaningful elements",
        f"of this page's text {_share_of_text(page, ~gone.keep & ~page.non_text)} lies in noisy elements",
    )
    tables = (
        ReportTable.cut(
            "Element nodes, and between them their styles",
            ("place", "pages", "styles", "NodeImp", "CompImp", "", "on this page"),
            rows,
            most,
        ),
        ReportTable("Importance of leaves, in characters", ("CompImp", "characters", ""), bars),
    )
    return facts, tables


def _attenuation(tree: PageTree, first: Selection, settings: Papers, most: int) -> Found:
    """Section 3: the descent on what the first step leaves, and what is trimmed."""
    left = what_is_left(tree, first.keep)
    found = settings.attenuation.select(left)
    limit, threshold = settings.attenuation.link_density, settings.attenuation.threshold
    steps = tuple(
        (step.length, step.attenuation, ">" if step.attenuation > threshold else "<=", _element(tree, step.node)) for step in found.trail
    )
    removed = tree.top_level(np.flatnonzero(found.rests_on(Cause.LINKS) & (left.length_below > 0)))
    rows = tuple((float(found.scores["link_density"][node]), _element(tree, node), left.text(node)) for node in removed.tolist())
    kind = page_kind(left, settings.attenuation)
    end = _element(tree, found.trail[-1].node) if found.trail else "none: the page has no text"
    facts = (
        f"the descent goes on while r <= T = {threshold:g}; the topic subtree is {end}",
        f"nodes with a link density DL > {limit:g} are removed: {len(rows)}",
        f"a {kind} page" + ("" if kind == "topic" else "; attenuation is made for pages about a topic"),
    )
    tables = [ReportTable.cut("The descent", ("Lc", "r", "T", "element"), steps, most)]
    if rows:
        tables.append(ReportTable.cut("Removed", ("DL", "element", "text"), rows, most))
    return facts, tuple(tables)


def _key_tree(site: Sequence[SeenPage], like: str | int | None, settings: Papers, most: int) -> Found:
    """Section 4: the key tree, and the similarity of the elements of its tag."""
    page, key = _page_and_key(site, like, settings)
    if key is None:
        return ("no page has a list; name a record with --like",), ()
    limit = settings.records.threshold
    nodes, similar = similarity_to_key(page.tree, key)
    hits = page.tree.top_level(nodes[(similar > limit) | (similar == 1)])
    covered = page.tree.subtree_mask(hits)
    others = [k for k in np.argsort(-similar, kind="stable").tolist() if not covered[nodes[k]] and nodes[k] not in hits]
    by_node = dict(zip(nodes.tolist(), similar.tolist(), strict=True))
    rows = [(by_node[node], page.tree.text(node)) for node in hits.tolist()]
    rest = [(float(similar[k]), page.tree.text(int(nodes[k]))) for k in others]
    drawn = key.outline()
    facts = (
        f"on {page.name}",
        f"{len(hits)} of {len(nodes)} elements {key.tree.name(key.node)} are records: Sim > ST = {limit:g}",
        f"the next best element has Sim = {rest[0][0]:.2f}" if rest else "no other element has this tag",
    )
    tables = (
        ReportTable.cut("Key tree", ("nodes", "element"), drawn, most),
        ReportTable.cut("Records", ("Sim", "text"), rows, most),
        ReportTable.cut("The nearest others", ("Sim", "text"), rest[:8], most),
    )
    return facts, tables


def _page_and_key(site: Sequence[SeenPage], like: str | int | None, settings: Papers) -> tuple[SeenPage, KeyTree | None]:
    """The page whose records are shown, and the key tree: the page itself if it has a list, else that whose list has the most text."""
    if like is not None:
        return site[0], key_tree(site[0].tree, like)
    own = settings.list_of(site[0].tree)
    among = [(site[0], own)] if own else [(page, region) for page in site[:LIST_PAGES] if (region := settings.list_of(page.tree))]
    page, region = max(among, key=lambda each: each[0].tree.length_below[each[1].candidate.heads].sum(), default=(site[0], None))
    return page, None if region is None else KeyTree(page.tree, int(region.candidate.heads[0]), on_page=True)


def _feature_codes(site: Sequence[SeenPage], model: Any, settings: Papers, most: int) -> Found:
    """Section 5: the codes of the page, and what becomes of every page in the forest."""
    texts = [_cleaned(page, model, settings).text for page in site]
    codes = [feature_code(text, settings.code) for text in texts]
    forest, outcomes = settings.forest(zip((str(k) for k in range(len(site))), texts, strict=True))
    clusters = [[int(member) for member in cluster] for cluster in forest.clusters()]
    with_ = {k: next(other for other in cluster if other != k) for cluster in clusters if len(cluster) > 1 for k in cluster}
    own, names = codes[0], _short(site)
    rows = []
    for k, (code, outcome) in enumerate(zip(codes, outcomes, strict=True)):
        said = f" with {names[with_[k]]}: {compare(code, codes[with_[k]], settings.code).reason}" if k in with_ else ""
        rows.append((outcome, len(code), round(code.aggregation_factor, 1), forest.tree_of(code), names[k] + said))
    rows.sort(key=lambda row: " with " not in row[-1])
    counts = Counter(outcomes)
    low = 50 * forest.tree_of(own)
    facts = (
        f"main code: {' '.join(own.primary[:MAIN_CODE]) or _NONE}{' ...' if len(own) > MAIN_CODE else ''}",
        f"aggregation factor {own.size:,} / {len(own)} = {own.aggregation_factor:.1f}: tree {forest.tree_of(own)}, ({low}, {low + 50}]",
        f"{len(site)} pages: {', '.join(f'{count} {name}' for name, count in counts.most_common())}",
    )
    auxiliary = tuple((first, " ".join(rest) or _NONE) for first, rest in zip(own.primary, own.auxiliary, strict=True))
    marks = f"auxiliary code (before the first {settings.code.marks} marks)"
    tables = (
        ReportTable.cut("Code of this page", ("main", marks), auxiliary, most),
        ReportTable.cut("The forest", ("outcome", "length", "factor", "tree", "page"), rows, most),
    )
    return facts, tables


def _five_together(page: SeenPage, model: Any, settings: Papers, most: int) -> Found:
    """Last: what the five together keep, beside what ``tamis extract`` keeps, line by line."""
    ours, theirs = extract(page.tree, url=page.url), _cleaned(page, model, settings)
    kept = [_kept_lines(document) for document in (theirs, ours)]
    lines = [text for text in dict.fromkeys(block.text for block in ours.blocks) if text]
    rows = tuple((*("+" if text in each else "-" for each in kept), text) for text in lines if any(text in each for each in kept))
    both = sum(row[:2] == ("+", "+") for row in rows)
    only = [sum(row[k] == "+" for row in rows) - both for k in (0, 1)]
    facts = (
        f"first noise by {'the style tree' if isinstance(model, SimplifiedTree) else 'same-layer pages'}, then attenuation, then records",
        f"of {len(lines)} lines both keep {both}; only the papers {only[0]}, only tamis extract {only[1]}",
        *theirs.problems,
    )
    table = ReportTable.cut("Lines that either keeps", ("papers", "extract", "line"), rows, most)
    return facts, (table,)


def _cleaned(page: SeenPage, model: Any, settings: Papers) -> Document:
    return Document.from_selection(page.tree, settings.select(page.tree, model), url=page.url)


def _kept_lines(document: Document) -> frozenset[str]:
    return frozenset(block.text for block in document.blocks if block.kept)


def _element(tree: PageTree, node: int) -> str:
    own = tree.attribute(node, "id")
    return "".join([tree.name(node), f"#{own}" if own else "", *(f".{name}" for name in (tree.attribute(node, "class") or "").split())])


def _short(pages: Sequence[SeenPage]) -> list[str]:
    """The names of pages without the folder that all have in common."""
    folders = [page.name.split("/")[:-1] for page in pages]
    common = len(list(takewhile(lambda steps: len(set(steps)) == 1, zip(*folders, strict=False))))
    return ["/".join(page.name.split("/")[common:]) or page.name for page in pages]


def _share_of_text(tree: PageTree, nodes: Any) -> str:
    length = np.where(tree.non_text, 0, tree.text_length)
    return f"{length[nodes].sum() / max(length.sum(), 1):.0%}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…"
