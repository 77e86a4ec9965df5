"""The five papers' experiments in one report, each figure of a paper beside ours.

A folder is searched for what each experiment needs: sites with gold, lists with gold, pages or texts with known copies, texts of topics.
The demo writes all of them (``python -m demo write FOLDER``). Samples are small, so that the run takes a minute or two; the benchmark of
each paper (``same-layer``, ``attenuation``, ``similarity`` and ``records``, ``dedup``, ``mining``) measures on more, and in more detail.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean
from time import process_time
from typing import Annotated

from typer import Argument, Option

from benchmarks import attenuation, dedup, mining, records, same_layer
from benchmarks.choosing import chosen
from benchmarks.cleaners import CLEANER_BY_NAME
from benchmarks.command import Names, bench
from benchmarks.dedup_methods import choose
from benchmarks.dedup_sets import read_collections
from benchmarks.gold import read_gold, spread
from benchmarks.metric import mean
from benchmarks.record_gold import read_record_pages
from benchmarks.record_judging import summarise
from benchmarks.report import Panel, Report, Table
from benchmarks.same_layer_pages import read_samples
from benchmarks.same_layer_parts import likeness
from benchmarks.similarity_pages import largest, read_groups
from benchmarks.site_pages import read_site_pages, site_folders
from benchmarks.timing import Progress, unseen
from tamis.document.render.text import to_text
from tamis.duplicates.feature_code import feature_code
from tamis.errors import SourceError, TamisError
from tamis.io.addresses import read_address
from tamis.page.parsing import parse
from tamis.structure.shapes import shapes
from tamis.structure.similarity import similarities, similarity

PAPERS = ("same-layer", "attenuation", "similarity", "feature-code", "style-tree")
TOPICS, SITES_OF_ROUND, TEXTS = 5, 5, 8  #: Of the experiment of paper 5, where there is enough.
LITTLE = 2  #: Of each, where there is little.
LISTS = 40  #: Pages with lists that are looked at, spread evenly.


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a paper."""

    measure: str
    paper: str  #: The figure in the paper.
    ours: str  #: The paper's method on our pages.
    tamis: str = ""  #: What tamis does by default, on the same pages.


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    folder: str
    figures: dict[str, tuple[Figure, ...]]  #: By paper.
    seconds: dict[str, float]  #: Processor time by paper.
    not_run: dict[str, str]  #: Experiments that could not run, and why.
    curve: tuple[tuple[float, float | None], ...] = field(
        default=(), repr=False
    )  #: Figure 4 of paper 2: T, and the share of right subtrees.
    sites: tuple[tuple[str, attenuation.Summary], ...] = field(default=(), repr=False)  #: Table 1 of paper 2: sites at T = 0.34.


def run(
    folder: Annotated[Path, Argument(help="A folder with gold: the one that `python -m demo write` made, or a larger one.")],
    *,
    papers: Names = None,
    sites: Annotated[int, Option(min=2)] = 8,
    pages: Annotated[int, Option(min=1)] = 2,
    progress: Progress = unseen,
) -> Result:
    """The experiments of all five papers, small, each figure beside the paper's.

    Options:
        papers: same-layer, attenuation, similarity, feature-code, style-tree, with commas between. [default: all]
        sites: Most sites that are looked at, spread evenly.
        pages: Pages of each site that are measured.
    """
    every = site_folders(_home(folder, "*/site.json"))
    some = [every[k * len(every) // sites] for k in range(sites)] if len(every) > sites else every
    experiments: dict[str, Callable[[], Iterator[Figure]]] = {
        "same-layer": lambda: _same_layer(some, pages),
        "attenuation": lambda: _attenuation(some, pages, curve, of_sites),
        "similarity": lambda: _similarity(folder, some, pages),
        "feature-code": lambda: _feature_code(folder),
        "style-tree": lambda: _style_tree(folder, every, some, pages),
    }
    curve: list[tuple[float, float | None]] = []
    of_sites: list[tuple[str, attenuation.Summary]] = []
    figures, seconds, not_run = {}, {}, {}
    wanted = chosen("paper", papers, experiments)
    for number, name in enumerate(wanted):
        start = process_time()
        try:
            figures[name] = tuple(experiments[name]())
        except TamisError as error:
            not_run[name] = str(error)
        seconds[name] = round(process_time() - start, 1)
        progress(number + 1, len(wanted))
    return Result(str(folder), figures, seconds, not_run, tuple(curve), tuple(of_sites))


def _home(folder: Path, pattern: str) -> Path:
    """The folder in which files of a pattern are, itself or one that is at most two levels below: that with the most of them."""
    found = Counter(path.parents[pattern.count("/")] for below in ("", "*/", "*/*/") for path in folder.glob(below + pattern))
    if not found:
        raise SourceError(f"there is no {pattern} in {folder}: `python -m demo write {folder.name}` writes gold to {folder.name}.gold")
    return min(found, key=lambda path: (-found[path], str(path)))


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _same_layer(sites: Sequence[Path], pages: int) -> Iterator[Figure]:
    """Paper 1: recall and precision of noise blocks, table 1, and the remark on long addresses."""
    sheet = same_layer._Sheet((1, same_layer.K), with_grid=False)  # one module of measures, two reports
    of_address: dict[int, list[float]] = defaultdict(list)
    parts = []
    for path in sites:
        samples = read_samples(path, pages, same_layer.K)
        sheet.judge(samples)
        parts.append(likeness(samples, same_layer.K))
        for sample in samples:
            if (alike := likeness([sample], same_layer.K).value) is not None:
                of_address[min(len(read_address(sample.gold.url).segments), 4)].append(alike)
    paper, ours = (same_layer.total(sheet.by_form[form].values()) for form in ("paper", "tamis"))
    yield Figure("noise blocks: recall", "95.4 %", _share(paper.recall), _share(ours.recall))
    yield Figure("noise blocks: precision", "98.1 %", _share(paper.precision), _share(ours.precision))
    yield Figure("noise by characters: recall", "-", _share(paper.recall_characters), _share(ours.recall_characters))
    yield Figure("same-layer pages are alike (table 1)", "97.3 %", _share(mean(part.value for part in parts)))
    depths = "; ".join(f"{depth}{'+' if depth == 4 else ''}: {fmean(of_address[depth]):.1%}" for depth in sorted(of_address))
    yield Figure("alike, by segments of the address", "the longer, the more", depths)


def _attenuation(
    sites: Sequence[Path], pages: int, curve: list[tuple[float, float | None]], of_sites: list[tuple[str, attenuation.Summary]]
) -> Iterator[Figure]:
    """Paper 2: accuracy, clip precision, the best T, and the range over sites; the curve and the table by site go into the lists."""
    found = attenuation.run(list(sites), limit=pages)
    names = found.collections
    at = [found.summary(name, attenuation.PAPER_THRESHOLD) for name in names]
    of_sites += zip(names, at, strict=True)
    by_t = {t: [found.summary(name, t) for name in names] for t in found.thresholds}
    curve += [(t, mean(one.subtree_right for one in each)) for t, each in by_t.items()]
    best = max(by_t, key=lambda t: (mean(one.f1 for one in by_t[t]) or 0, -t))
    single = [one.accuracy for one in at if one.accuracy is not None]
    yield Figure("pages right, exactly or with one sentence more", "95.1 %", _share(mean(single)))
    yield Figure("the same, lowest and highest of a site", "93 to 97 %", f"{_share(min(single))} to {_share(max(single))}")
    yield Figure("clip precision", "over 96 %", _share(mean(one.clip_precision for one in at)))
    yield Figure("topic subtree holds all", "-", _share(mean(one.holds_all for one in at)))
    yield Figure("best T of 0.20 to 0.50, by F1", "0.34", f"{best:.2f}")
    model = CLEANER_BY_NAME["model"].learn([])
    golds = [page for path in sites for page in read_gold(path, pages)]
    trees = [parse(page.raw()) for page in golds]
    alone = mean(page.score(to_text(tree, model.select(tree).keep)).f1 for page, tree in zip(golds, trees, strict=True))
    yield Figure("F1", "-", f"{mean(one.f1 for one in at):.3f}", f"{alone:.3f} (node model; it was trained on such sites)")


def _similarity(folder: Path, sites: Sequence[Path], pages: int) -> Iterator[Figure]:
    """Paper 3: figure 2, figure 3 in form, and table 2."""
    a, b = "<div><i></i><ul><li></li></ul><i></i></div>", "<div><i></i><ol><li></li></ol><ul><li></li></ul></div>"
    shaped = shapes([parse(a), parse(b)])
    worked = similarities(shaped, shaped.of(3), shaped.of(3, 1))
    yield Figure("the worked example (figure 2)", f"9/11 = {9 / 11:.4f}", f"{float(worked):.4f}")
    groups = read_groups(sites[0].parent)
    biggest = [largest(groups[path.name], 2) for path in sites]
    biggest = [pair for pair in biggest if len(pair) == 2]
    values, times, nodes = [], [], []
    for (_, one), (_, other) in biggest:
        start = process_time()
        values.append((similarity(one, other), similarity(one, other, "ordered")))
        times.append(process_time() - start)
        nodes.append((len(one) + len(other)) / 2)
    yield Figure("two largest pages of a site: free", "drawn in figure 3", f"{fmean(free for free, _ in values):.3f}")
    yield Figure("the same: ordered", "below free", f"{fmean(ordered for _, ordered in values):.3f}")
    yield Figure("seconds for both, nodes on the mean", "tens of seconds, 3,486", f"{fmean(times):.3f}, {fmean(nodes):,.0f}")
    listed = read_record_pages(_home(folder, "records/*/gold.json") / "records", limit=1)
    visits = [records._Visit(listed[k], k, Random(k)) for k in spread(len(listed), LISTS)]  # as above
    ways = {way: [visit.outcome(way, {}) for visit in visits] for way in ("paper", "first record", "no sample")}
    paper, ours, without = (summarise([one for one in outcomes if one is not None]) for outcomes in ways.values())
    yield Figure("records found from one sample (table 2)", "155 of 162, 95.7 %", _share(paper.recall), _share(ours.recall))
    yield Figure("records that are records", "-", _share(paper.precision), _share(ours.precision))
    yield Figure("records found without a sample", "-", "", _share(without.recall))


def _feature_code(folder: Path) -> Iterator[Figure]:
    """Paper 4: copies found, what the forest misses, the time, and how often codes of different texts are equal."""
    homes = [path for path in (_first(folder, "near-duplicates/**/gold.json"), _first(folder, "topics/gold.jsonl.gz")) if path is not None]
    if not homes:
        raise SourceError(f"there is no near-duplicates/gold.json in {folder}")
    every = [one for home in homes for one in read_collections(home, sources=60, edits=3)]
    every = [one for one in every if not one.name.endswith("raw")]
    methods = ["feature code, forest", "feature code, all pairs", "tamis"]
    for one in every:
        answers = [answer for name in methods for answer in choose([name])[0][name](one.texts)]
        scored = {answer.method: dedup.judge(one, answer) for answer in answers}
        forest, ours = (
            next(score for name, score in scored.items() if name.startswith(each)) for each in ("feature code, forest", "tamis")
        )
        agreed = dedup.agreement(one, answers)
        name = f"{one.name}, {len(one)} texts"
        yield Figure(f"{name}: copies found", "over 95 %", _share(forest.clusters.recall), _share(ours.clusters.recall))
        yield Figure(f"{name}: right copies", "-", _share(forest.clusters.precision), _share(ours.clusters.precision))
        missed = None if not agreed.code_pairs else (agreed.missed_by_forest or 0) / agreed.code_pairs
        yield Figure(f"{name}: pairs of the rule that the forest misses", "-", _share(missed))
    texts = [text for one in every for text in {group: text for text, group in zip(one.texts, one.groups, strict=True)}.values()]
    start = process_time()
    codes = [feature_code(text) for text in texts]
    yield Figure("codes of 1,000 texts, seconds", "7", f"{1000 * (process_time() - start) / max(len(texts), 1):.2f}")
    yield Figure("different texts with one main code of n tokens", "1 in 6,700^n", _collisions([code.primary for code in codes]))


def _first(folder: Path, pattern: str) -> Path | None:
    """The folder of the first file of a pattern; for texts, any set of single pages will do."""
    found = sorted(folder.glob(pattern)) or (sorted(folder.glob("*/gold.jsonl.gz")) if "jsonl" in pattern else [])
    return found[0].parent if found else None


def _collisions(codes: Sequence[tuple[str, ...]]) -> str:
    """Of the pairs of texts with main codes of equal length, the share with equal codes, by length."""
    by_length: dict[int, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for code in codes:
        by_length[len(code)][code] += 1
    said = []
    for length in range(1, 6):
        counts = by_length.get(length, Counter())
        pairs = counts.total() * (counts.total() - 1) // 2
        if pairs:
            said.append(f"{length}: {sum(count * (count - 1) // 2 for count in counts.values())} of {pairs}")
    return "; ".join(said) or "no two codes of one length up to 5"


def _style_tree(folder: Path, every: Sequence[Path], sites: Sequence[Path], pages: int) -> Iterator[Figure]:
    """Paper 5: classification and clustering before and after cleaning; then main text, which the paper did not measure."""
    topics = _first(folder, "topics/gold.jsonl.gz")
    if topics is None:
        raise SourceError(f"there is no gold.jsonl.gz with texts of topics in {folder}")
    large = len(every) > SITES_OF_ROUND
    methods = ["all-text", "pagelets", "style-tree-paper", "style-tree", "style-tree+att", "site"]
    few = {} if large else {"topic_count": LITTLE, "sites_per_round": LITTLE, "per_cell": LITTLE}
    found = mining.run(every[0].parent, topics, methods=methods, seeds=1, **few)  # type: ignore[arg-type]
    before, after, own = "all-text", "style-tree-paper", "site"
    for name, said in (("crossed_nb", "0.625 to 0.954"), ("crossed_svm", "-"), ("cluster_f", "-")):
        values = f"{found.mean(before, name):.3f} to {found.mean(after, name):.3f}"
        yield Figure(mining.MEASURES[name], said, values, f"{found.mean(own, name):.3f} (site template)")
    yield Figure("the same, after the paper's baseline (pagelets)", "-", f"{found.mean('pagelets', 'crossed_nb'):.3f}")
    scores: dict[str, list[float | None]] = defaultdict(list)
    for path in sites:
        of_site = read_site_pages(path, score=pages)
        learned_from = [parse(page.html()) for page in of_site.draw(0)[:30]]
        trees = [(page, parse(page.raw())) for page in of_site.scored]
        for name in ("all-text", "attenuation", "style-tree-paper", "style-tree", "style-tree+att", "papers", "site"):
            model = CLEANER_BY_NAME[name].learn(learned_from)
            scores[name].append(mean(page.score(to_text(tree, model.select(tree).keep)).f1 for page, tree in trees))
    f1 = {name: f"{mean(values):.3f}" for name, values in scores.items()}
    ours = {"style-tree": f"{f1['style-tree']} (with our settings)", "papers": f"{f1['site']} (site template)"}
    for name in ("all-text", "attenuation", "style-tree-paper", "style-tree+att", "papers"):
        yield Figure(f"main text after learning from 30 pages, F1: {name}", "-", f1[name], ours.get(name.removesuffix("-paper"), ""))


# -- report -----------------------------------------------------------------------------------------------------------------


_TITLES = {
    "same-layer": "1. Same-layer pages (Yuan and others 2006)",
    "attenuation": "2. Attenuation (Chen, Chen and Wu 2012)",
    "similarity": "3. Structural similarity, key trees (Song and Zhang 2011)",
    "feature-code": "4. Feature codes (Chen and Niu 2006)",
    "style-tree": "5. Site style tree (Yi, Liu and Li 2003)",
}


def report(result: Result) -> Report:
    """A table for each paper; figure 4 of paper 2 as a plot."""
    columns = "measure; the paper; its method here; tamis by default"
    tables = [
        Table(
            f"{_TITLES[name]}, {result.seconds[name]:.0f} s",
            columns,
            [(figure.measure, figure.paper, figure.ours, figure.tamis) for figure in figures],
        )
        for name, figures in result.figures.items()
    ]
    if result.sites:
        rows = [(name, _share(one.accuracy), _share(one.clip_precision), f"{one.f1 or 0:.3f}") for name, one in result.sites]
        tables.append(Table("Paper 2, table 1: by site, T = 0.34", "site; pages right; clip precision; F1", rows))
        by_t = [(f"{t:.2f}", _share(right)) for t, right in result.curve]
        tables.append(Table("Paper 2, figure 4: right topic subtrees", "T; right", by_t))
    remarks = [f"Not run: {name}: {reason}" for name, reason in result.not_run.items()]
    panels = [Panel("figure 4", "T", "topic subtree right", {"ours": result.curve})] if result.curve else []
    return Report(tables, remarks, panels)


command = bench(run, report, "papers", plots=True)
