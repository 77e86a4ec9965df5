"""Similarity of pages: the figures of Song and Zhang (2011) in form on real pages, peers, clusters of layouts, compression.

- *Figure 3*: the three largest pages of a site, compared pairwise: similarity and time of free and ordered matching.
- *Figure 4*: pages of 1,000 nodes and more with themselves, and with another page of their site. Where a site has no pages of that size,
  its pages are joined to larger ones. Beside ours, the plain recursion, twice: with the counts of nodes kept, and as the paper's steps
  say it, counting the nodes of both trees in every comparison.
- *Peers*: tree edit distance (apted, zss) as ``1 - d / (n(A) + n(B))``, and html-similarity (sequences of tags), on smaller pages.
- *Clusters*: pages of several layouts in one heap, grouped by similarity, and by the near-linear sketches of site templates.
- *Compression*: bytes of pages, with equal subtrees stored once.

Every comparison has a process of its own and a limit of time; times are processor times without parsing.

Source: Song and Zhang (2011), section 3.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Annotated, Any, get_args

import numpy as np
from typer import Argument, Option

from benchmarks.child import measured_in_child
from benchmarks.choosing import chosen
from benchmarks.command import Names, Numbers, bench
from benchmarks.report import Report, Table
from benchmarks.similarity_pages import Groups, join, largest, markup, nodes, read_groups
from benchmarks.timing import Progress, unseen
from tamis.errors import MissingExtraError, SourceError, UsageError
from tamis.page.parsing import parse, read_file
from tamis.page.tree import PageTree
from tamis.structure.clusters import cluster, similarity_matrix
from tamis.structure.compression import compress
from tamis.structure.layouts import group, sketch
from tamis.structure.shapes import Labels, Shaping, shapes
from tamis.structure.similarity import Method

OURS: tuple[Method, ...] = ("free", "ordered")
PLAIN = ("free, plain", "free, paper", "ordered, plain")
PEERS = {"apted": "apted", "zss": "zss", "html-similarity": "html_similarity"}  #: Peers and the module of each.
SIZES = (1000, 2000, 3500, 6000, 12000)
PEER_SIZES = (100, 200, 400, 800)
SITES = 3  #: Sites that are compared where none are named.
PAGES_PER_GROUP = 20  #: Pages of each site or layout that are clustered and compressed.


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two pages and one method."""

    part: str  #: ``figure 3``, ``itself``, ``another`` or ``peers``.
    pages: tuple[str, str]
    nodes: tuple[int, int]
    method: str
    value: float | None  #: The similarity; None where it failed.
    seconds: float | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Clustering:
    """Pages of known layouts, grouped by one method."""

    heap: str
    method: str
    pages: int
    layouts: int
    clusters: int
    rand: float  #: Adjusted Rand index.
    v_measure: float
    purity: float  #: Share of pages that are of the commonest layout of their cluster.
    seconds: float


@dataclass(frozen=True, slots=True)
class Compression:
    """Pages of one heap, in bytes together."""

    heap: str
    pages: int
    nodes: int  #: Nodes, texts included.
    shapes: int  #: Distinct subtrees of tags, page by page.
    shapes_together: int  #: Distinct subtrees of tags of all pages together.
    html: int
    html_deflated: int
    markup: int  #: The trees written as markup: what of the HTML is in them.
    markup_deflated: int
    tree: int  #: Compressed trees without zlib.
    tree_deflated: int


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    comparisons: tuple[Comparison, ...] = field(repr=False)
    clusterings: tuple[Clustering, ...]
    compressions: tuple[Compression, ...]
    not_run: dict[str, str]  #: Peers that could not run, and why.
    timeout: float

    def of(self, part: str, method: str | None = None) -> list[Comparison]:
        """The comparisons of a part."""
        return [one for one in self.comparisons if one.part == part and method in (None, one.method)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "seconds at most": self.timeout,
            "comparisons": [asdict(one) for one in self.comparisons],
            "clusterings": [asdict(one) for one in self.clusterings],
            "compression": [asdict(one) for one in self.compressions],
            "not run": self.not_run,
        }


@dataclass(frozen=True)
class _Job:
    part: str
    a: tuple[str, PageTree]
    b: tuple[str, PageTree]
    methods: tuple[str, ...]


def run(
    folders: Annotated[list[Path], Argument()],
    *,
    sites: Names = None,
    sizes: Numbers = SIZES,
    peer_sizes: Numbers = PEER_SIZES,
    timeout: Annotated[float, Option(min=0.1)] = 30.0,
    progress: Progress = unseen,
) -> Result:
    """The similarity paper's figures 3 and 4 on our pages: free and ordered matching, similarity and time; peers, clusters, compression.

    Options:
        folders: Folders of sites (*/site.json), or of pages whose gold.json names the cluster or site of each.
        sites: Names of sites whose three largest pages are compared, with commas between; the first is enlarged.
            [default: the three with the largest pages]
        sizes: Nodes of enlarged pages, with commas between.
        peer_sizes: Nodes of the pages that peers compare, with commas between.
        timeout: Seconds that one comparison may take.
    """
    if min([*sizes, *peer_sizes], default=10) < 10 or not sizes:
        raise UsageError("sizes are 10 nodes or more")
    if find_spec("sklearn") is None:
        raise MissingExtraError("measuring clusters", "bench")
    heaps = {folder.name: read_groups(folder) for folder in folders}
    picked = _chosen_sites(heaps, sites)
    there = [name for name, module in PEERS.items() if find_spec(module) is not None]
    jobs = [*_figure_3(picked), *_figure_4(picked, sizes), *_against_peers(picked, peer_sizes, there)]
    total, comparisons = sum(len(job.methods) for job in jobs), []
    for job in jobs:
        for method in job.methods:
            comparisons.append(_compared(job, method, timeout))
            progress(len(comparisons), total)
    return Result(
        comparisons=tuple(comparisons),
        clusterings=tuple(one for name, groups in heaps.items() for one in _clustered(name, groups)),
        compressions=tuple(_compressed(name, groups) for name, groups in heaps.items()),
        not_run={name: "not installed" for name in PEERS if name not in there},
        timeout=timeout,
    )


# -- comparisons -----------------------------------------------------------------------------------------------------------------


def _chosen_sites(heaps: dict[str, Groups], names: Sequence[str] | None) -> list[tuple[str, list[tuple[str, PageTree]]]]:
    """The sites of these names, or those whose third largest page is largest; each with its three largest pages."""
    known = {name: paths for groups in heaps.values() for name, paths in groups.items()}
    found = [(name, largest(known[name], 3)) for name in chosen("site", names, known)]
    found = [one for one in found if len(one[1]) == 3]
    if not found:
        raise SourceError("comparing takes a site with three pages of different sizes")
    return found if names else sorted(found, key=lambda one: (-nodes(one[1][2][1]), one[0]))[:SITES]


def _figure_3(picked: list[tuple[str, list[tuple[str, PageTree]]]]) -> list[_Job]:
    methods = (*OURS, *PLAIN)
    return [
        _Job("figure 3", (f"{site}/{a}", first), (f"{site}/{b}", second), methods)
        for site, pages in picked
        for k, (a, first) in enumerate(pages)
        for b, second in pages[k:]
    ]


def _figure_4(picked: list[tuple[str, list[tuple[str, PageTree]]]], sizes: Sequence[int]) -> list[_Job]:
    """The first site's pages grown to each size: with themselves, and with pages that begin with another page."""
    site, pages = picked[0]
    trees = [tree for _, tree in pages]
    jobs = []
    for size in sizes:
        one, other = (f"{site} 1", join(trees, size)), (f"{site} 2", join(trees[1:] + trees[:1], size))
        jobs += [_Job("itself", one, one, (*OURS, *PLAIN)), _Job("another", one, other, (*OURS, *PLAIN))]
    return jobs


def _against_peers(picked: list[tuple[str, list[tuple[str, PageTree]]]], sizes: Sequence[int], peers: list[str]) -> list[_Job]:
    return [
        _Job("peers", (f"{site}/{a}", join([first], size)), (f"{site}/{b}", join([second], size)), (*OURS, "free, plain", *peers))
        for size in sizes
        for site, ((a, first), (b, second), _) in picked
    ]


def _compared(job: _Job, method: str, timeout: float) -> Comparison:
    """One comparison, in its own process."""
    first = compress(job.a[1])
    sent = len(first).to_bytes(8, "little") + first + compress(job.b[1])
    names, sizes = (job.a[0], job.b[0]), (nodes(job.a[1]), nodes(job.b[1]))
    answer = measured_in_child("similarity_child", method, timeout=timeout, threads=1, sent=sent)
    return Comparison(job.part, names, sizes, method, answer.get("value"), answer.get("seconds"), answer.get("error"))


# -- clusters --------------------------------------------------------------------------------------------------------------------


def _spread(paths: list[Path]) -> list[Path]:
    """At most so many pages, spread evenly."""
    there = [path for path in paths if path.is_file()]
    return [there[k * len(there) // PAGES_PER_GROUP] for k in range(PAGES_PER_GROUP)] if len(there) > PAGES_PER_GROUP else there


def _clustered(heap: str, groups: Groups) -> list[Clustering]:
    """The pages of all groups in one heap, grouped by each method."""
    pages = [(name, parse(path)) for name, paths in groups.items() for path in _spread(paths)]
    gold = [name for name, _ in pages]
    trees = [tree for _, tree in pages]
    found = []
    for method in OURS:
        for labels in get_args(Labels):
            start = process_time()
            answer = cluster(similarity_matrix(trees, method, Shaping(labels=labels)))
            found.append(measured(heap, f"{method}, {labels}", gold, answer, process_time() - start))
    start = process_time()
    answer = np.zeros(len(trees), dtype=np.int64)
    for number, layout in enumerate(group([_sketch(tree) for tree in trees])):
        answer[list(layout.members)] = number
    return [*found, measured(heap, "layout sketches", gold, answer, process_time() - start)]


def _sketch(tree: PageTree) -> frozenset[int]:
    from tamis.site.digest import digest

    page = digest(tree).digest
    return sketch(page.names, page.paths)


def measured(heap: str, method: str, gold: Sequence[str], answer: np.ndarray[Any, np.dtype[np.int64]], seconds: float) -> Clustering:
    """Measures of one grouping."""
    from sklearn.metrics import adjusted_rand_score, v_measure_score
    from sklearn.metrics.cluster import contingency_matrix

    shared = contingency_matrix(gold, answer)
    return Clustering(
        heap=heap,
        method=method,
        pages=len(gold),
        layouts=len(set(gold)),
        clusters=int(shared.shape[1]),
        rand=float(adjusted_rand_score(gold, answer)),
        v_measure=float(v_measure_score(gold, answer)),
        purity=float(shared.max(0).sum() / shared.sum()),
        seconds=seconds,
    )


# -- compression -----------------------------------------------------------------------------------------------------------------


def _compressed(heap: str, groups: Groups) -> Compression:
    """Bytes of the pages of all groups."""
    paths = [path for group in groups.values() for path in _spread(group)]
    trees = [parse(path) for path in paths]
    html = [read_file(path) for path in paths]
    written = [markup(tree).encode("utf-8", "replace") for tree in trees]
    shaping = Shaping(ordered=True, texts=True, drop=())
    return Compression(
        heap=heap,
        pages=len(trees),
        nodes=sum(map(len, trees)),
        shapes=sum(len(shapes(tree, shaping)) for tree in trees),
        shapes_together=len(shapes(trees, shaping)),
        html=sum(map(len, html)),
        html_deflated=sum(len(zlib.compress(page, 9)) for page in html),
        markup=sum(map(len, written)),
        markup_deflated=sum(len(zlib.compress(page, 9)) for page in written),
        tree=sum(len(compress(tree, deflate=False)) for tree in trees),
        tree_deflated=sum(len(compress(tree)) for tree in trees),
    )


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """The paper's figures 3 and 4 in form, other tools, clusters and compression."""
    tables = [
        _pairs(result, "figure 3", "figure 3: the three largest pages of a site, compared pairwise"),
        _pairs(result, "itself", "figure 4: a page with itself"),
        _pairs(result, "another", "a page with another of its site"),
        _peers(result),
        Table(
            "clusters of pages with known layouts",
            "set; method; pages; layouts; clusters; Rand|.3f; V|.3f; purity|.3f; s|.2f",
            [
                (one.heap, one.method, one.pages, one.layouts, one.clusters, one.rand, one.v_measure, one.purity, one.seconds)
                for one in result.clusterings
            ],
        ),
        Table(
            "compression: equal subtrees are stored once; sizes in kB",
            "set; pages; nodes|,; distinct|.1%; over all pages|.1%; HTML|,.0f; HTML zlib|,.0f; tree as HTML|,.0f; tree as HTML zlib|,.0f; "
            "tree|,.0f; tree zlib|,.0f; tree zlib / tree as HTML zlib|.1%",
            [
                (
                    *(one.heap, one.pages, one.nodes, *(number / max(one.nodes, 1) for number in (one.shapes, one.shapes_together))),
                    *(size / 1e3 for size in (one.html, one.html_deflated, one.markup, one.markup_deflated, one.tree, one.tree_deflated)),
                    one.tree_deflated / max(one.markup_deflated, 1),
                )
                for one in result.compressions
            ],
        ),
    ]
    remarks = [_LEGEND, *(f"{name} did not run: {why}" for name, why in result.not_run.items())]
    failed = [one for one in result.comparisons if one.error is not None]
    remarks += [f"{one.method} failed at {one.nodes[0]:,} and {one.nodes[1]:,} nodes ({one.part}): {one.error}" for one in failed]
    return Report(tables, remarks)


_LEGEND = (
    "free, ordered: tamis, from page trees to the similarity. plain: the recursion of the definition, with cached node counts; "
    "paper: the same, but nodes are counted in every comparison, as in the steps of the paper. Times: processor time, best of up "
    "to 5 runs. more: time of plain and of paper, relative to tamis."
)


def _grouped(comparisons: list[Comparison]) -> list[dict[str, Comparison]]:
    """Comparisons of the same pages, by method."""
    found: dict[tuple[object, ...], dict[str, Comparison]] = {}
    for one in comparisons:
        found.setdefault((one.pages, one.nodes), {})[one.method] = one
    return list(found.values())


def _pairs(result: Result, part: str, title: str) -> Table:

    rows = []
    for methods in _grouped(result.of(part)):
        one = methods["free"]
        plain = [methods[name].seconds for name in PLAIN[:2]]
        more = tuple(f"{seconds / one.seconds:,.0f}" if one.seconds and seconds else None for seconds in plain)
        values = (methods[name].value if name in methods else None for name in OURS)
        rows.append((_names(one), one.nodes, *values, *(_milliseconds(methods.get(name)) for name in (*OURS, *PLAIN)), more))
    headings = ["pages", "nodes|,", *(f"{name}|.4f" for name in OURS), *(f"ms {name}|,.1f" for name in (*OURS, *PLAIN)), "more"]
    return Table(title, "; ".join(headings), rows)


def _names(one: Comparison) -> str:
    return " ".join(dict.fromkeys(one.pages))


def _milliseconds(one: Comparison | None) -> float | None:
    return None if one is None or one.seconds is None else 1e3 * one.seconds


def _peers(result: Result) -> Table:
    methods = list(dict.fromkeys(one.method for one in result.of("peers")))
    rows = []
    for found in _grouped(result.of("peers")):
        one = next(iter(found.values()))
        cells = ((found[name].value, _milliseconds(found[name])) if name in found else None for name in methods)
        rows.append((" ".join(one.pages), one.nodes, *cells))
    return Table("tamis and other tools: similarity, ms", "; ".join(["pages", "nodes|,", *(f"{name}|,.4g" for name in methods)]), rows)


command = bench(run, report, "comparisons")
