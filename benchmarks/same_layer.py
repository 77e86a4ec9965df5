"""Same-layer noise: which blocks of a site's pages are taken for noise, against the gold; by thresholds, by k, and by what is switched on.

Of each site some content pages are judged, each by same-layer pages that :func:`tamis.layer.siblings.choose_siblings` finds among all pages
of the site, as a crawl would. Blocks come from VIPS on an estimated layout. A block is noise where at least nine tenths of its
characters are, content likewise; blocks of both, and of titles, bylines and comments, which the gold ignores, count neither way and are
reported. Recall and precision are those of noise blocks, pooled over all sites: by count, every block alike, and by characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from typer import Argument, Option

from benchmarks.command import Sites, bench, numbers
from benchmarks.report import Report, Table
from benchmarks.same_layer_pages import Sample, read_samples
from benchmarks.same_layer_parts import CONTENT_TYPES, PARTS, Likeness, Typed, likeness, typed_blocks
from benchmarks.same_layer_speed import Speed, speed
from benchmarks.same_layer_text import WAYS, TextScore, texts
from benchmarks.site_pages import site_folders
from benchmarks.timing import Progress, unseen
from tamis.errors import UsageError
from tamis.layer.judging import Verdict, judge
from tamis.layer.places import LayerPage
from tamis.layer.settings import SameLayer

__all__ = ["ALPHAS", "BETAS", "FORMS", "KS", "WAYS", "K", "Result", "Score", "run", "scored", "total"]

KS = (1, 2, 3, 5)
ALPHAS = (0.6, 0.7, 0.8, 0.9, 1.0)
BETAS = (0.4, 0.6, 0.8, 1.0)
K = 3  #: Same-layer pages where nothing else is said.
_DEFAULT = SameLayer()
FORMS: dict[str, SameLayer] = {
    "paper": SameLayer.paper(),
    "tamis": _DEFAULT,
    "tamis, numbers exact": replace(_DEFAULT, numbers_alike=False),
    "tamis without places": replace(_DEFAULT, repeated_share=None),
    "tamis without slots": replace(_DEFAULT, slot_share=None),
    "tamis, one page is enough": replace(_DEFAULT, min_support=1),
    "tamis, two pages always": replace(_DEFAULT, min_support=2),
    "tamis without containers": replace(_DEFAULT, container_share=None),
}
"""Ways of judging that are compared."""


@dataclass(frozen=True, slots=True)
class Score:
    """Noise blocks found and missed, by count and by characters."""

    found: int = 0
    missed: int = 0
    wrong: int = 0  #: Content blocks taken for noise.
    found_characters: int = 0
    missed_characters: int = 0
    wrong_characters: int = 0
    uncounted: int = 0  #: Blocks that are mixed, ignored or without text.

    @property
    def recall(self) -> float:
        """Share of the noise blocks that were found, 0..1; 1 where there are none."""
        return _share(self.found, self.missed)

    @property
    def precision(self) -> float:
        """Share of the blocks found that are noise, 0..1; 1 where none was found."""
        return _share(self.found, self.wrong)

    @property
    def recall_characters(self) -> float:
        """Recall, weighted by characters."""
        return _share(self.found_characters, self.missed_characters)

    @property
    def precision_characters(self) -> float:
        """Precision, weighted by characters."""
        return _share(self.found_characters, self.wrong_characters)

    def to_dict(self) -> dict[str, Any]:
        """Counts and shares."""
        names = ("recall", "precision", "recall_characters", "precision_characters")
        return {**asdict(self), **{name: round(getattr(self, name), 4) for name in names}}


@dataclass(frozen=True, eq=False)
class Result:
    """All that was measured."""

    ks: tuple[int, ...]
    pages: Mapping[str, int]  #: Pages judged, by site.
    by_form: Mapping[str, Mapping[str, Score]]  #: By form and site, with k = 3.
    by_k: Mapping[tuple[str, int], Score]
    grid: Mapping[tuple[str, float, float], Score]  #: By form, alpha and beta, with k = 3.
    kinds: Mapping[str, tuple[int, int]]  #: Blocks and characters of each kind.
    likeness: tuple[Likeness, ...]
    typed: tuple[Typed, ...] = ()
    speed: Speed | None = None
    texts: tuple[TextScore, ...] = field(default=())

    def pooled(self, form: str) -> Score:
        """The score of a form over all sites."""
        return total(self.by_form[form].values())

    def mean(self, form: str, name: str) -> float:
        """Mean over sites of one of the shares of a score."""
        return fmean(getattr(score, name) for score in self.by_form[form].values())

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "pages": dict(self.pages),
            "kinds of blocks": {kind: {"blocks": blocks, "characters": size} for kind, (blocks, size) in self.kinds.items()},
            "forms": {
                form: {"pooled": self.pooled(form).to_dict(), "sites": {site: score.to_dict() for site, score in sites.items()}}
                for form, sites in self.by_form.items()
            },
            "by k": [{"form": form, "k": k, **score.to_dict()} for (form, k), score in self.by_k.items()],
            "grid": [{"form": f, "alpha": a, "beta": b, **score.to_dict()} for (f, a, b), score in self.grid.items()],
            "likeness": [asdict(each) for each in self.likeness],
            "typed blocks": [asdict(each) for each in self.typed],
            "speed": asdict(self.speed) if self.speed is not None else None,
            "texts": [asdict(each) for each in self.texts],
        }


def run(
    folder: Annotated[Path, Argument(help="A folder of sites with gold, or one site.")],
    *,
    typed: Path | None = None,
    sites: Sites = None,
    pages: Annotated[int, Option(min=1)] = 10,
    ks: Annotated[Sequence[int], numbers, Option("--k")] = KS,
    grid: bool = True,
    timed: Annotated[int, Option(min=0)] = 2,
    with_texts: Annotated[bool, Option("--texts/--no-texts")] = True,
    progress: Progress = unseen,
) -> Result:
    """Same-layer noise: block recall and precision by thresholds and k, similarity of same-layer pages, fast against plain matcher.

    Options:
        typed: A folder of pages with hand-marked, typed blocks.
        pages: Most content pages of each site that are judged.
        ks: Numbers of same-layer pages, with commas between.
        grid: Try other (alpha, beta).
        timed: Pages of each site that the fast path is timed on; 0: none.
        with_texts: Measure texts, alone and together with the site's template.
    """
    if not ks or min(ks) < 1:
        raise UsageError("k are numbers of pages from 1")
    folders = site_folders(folder, sites)
    sheet = _Sheet(tuple(sorted(set(ks))), grid)
    alike: list[Likeness] = []
    timings: list[Speed] = []
    scores: list[TextScore] = []
    for done, path in enumerate(folders):
        samples = read_samples(path, pages, max(*ks, K))
        sheet.judge(samples)
        alike.append(likeness(samples, K))
        if timed:
            timings.append(speed(samples[:: max(len(samples) // timed, 1)][:timed], K))
        if with_texts:
            scores += texts(samples, [k for k in sheet.ks if k > 1])
        progress(done + 1, len(folders))
    return Result(
        ks=sheet.ks,
        pages=sheet.pages,
        by_form=sheet.by_form,
        by_k=sheet.by_k,
        grid=sheet.grid,
        kinds={kind: (sheet.blocks[kind], sheet.characters[kind]) for kind in sorted(sheet.blocks)},
        likeness=tuple(alike),
        typed=typed_blocks(typed) if typed is not None else (),
        speed=Speed.total(timings) if timings else None,
        texts=tuple(scores),
    )


class _Sheet:
    """What is noted site by site."""

    def __init__(self, ks: tuple[int, ...], with_grid: bool) -> None:
        self.ks = ks
        self.pages: dict[str, int] = {}
        self.by_form: dict[str, dict[str, Score]] = {form: {} for form in FORMS}
        self.by_k: dict[tuple[str, int], Score] = {}
        self.grid: dict[tuple[str, float, float], Score] = {}
        self.blocks: Counter[str] = Counter()
        self.characters: Counter[str] = Counter()
        self._points = [(a, b) for a in ALPHAS for b in BETAS] if with_grid else []

    def judge(self, samples: Sequence[Sample]) -> None:
        """Judge the pages of a site in all ways."""
        name = samples[0].site
        self.pages[name] = len(samples)
        for sample in samples:
            layers = {alike: _layer(sample, replace(_DEFAULT, numbers_alike=alike)) for alike in (False, True)}
            for form, settings in FORMS.items():
                score = scored(sample, _judged(sample, layers, settings, K))
                self.by_form[form][name] = total((self.by_form[form].get(name, Score()), score))
            for form in ("paper", "tamis"):
                for k in self.ks:
                    self._note(self.by_k, (form, k), scored(sample, _judged(sample, layers, FORMS[form], k)))
                for a, b in self._points:
                    settings = replace(FORMS[form], matching=replace(FORMS[form].matching, tag_similarity=a, text_similarity=b))
                    self._note(self.grid, (form, a, b), scored(sample, _judged(sample, layers, settings, K)))
            for verdict in _judged(sample, layers, _DEFAULT, K):
                kind, size = sample.kind(verdict.nodes)
                self.blocks[kind] += 1
                self.characters[kind] += size

    def _note(self, scores: dict[Any, Score], key: tuple[Any, ...], score: Score) -> None:
        scores[key] = total((scores.get(key, Score()), score))


def _layer(sample: Sample, settings: SameLayer) -> list[LayerPage]:
    """The page and its same-layer pages, made ready once for all ways of judging that read them alike."""
    return [LayerPage(page.tree, settings) for page in (sample.page, *sample.siblings)]


def _judged(sample: Sample, layers: Mapping[bool, Sequence[LayerPage]], settings: SameLayer, k: int) -> tuple[Verdict, ...]:
    page, *siblings = layers[settings.numbers_alike]
    return judge(page, sample.blocks, siblings[:k], settings)


def scored(sample: Sample, verdicts: Iterable[Verdict]) -> Score:
    """The score of a page's verdicts."""
    count: Counter[str] = Counter()
    for verdict in verdicts:
        kind, characters = sample.kind(verdict.nodes)
        if kind == "noise":
            name = "found" if verdict.noise else "missed"
        elif kind == "content" and verdict.noise:
            name = "wrong"
        else:
            count["uncounted"] += kind != "content"
            continue
        count[name] += 1
        count[f"{name}_characters"] += characters
    return Score(**count)


def total(scores: Iterable[Score]) -> Score:
    """The sum of scores."""
    count: Counter[str] = Counter()
    for score in scores:
        count.update(asdict(score))
    return Score(**count)


def _share(part: int, rest: int) -> float:
    return part / (part + rest) if part + rest else 1.0


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """Noise blocks by form of the rule, site, k and thresholds; likeness of same-layer pages; main text."""
    forms = ("paper", "tamis")
    measures = "recall|.1%; precision|.1%; recall\nchars|.1%; precision\nchars|.1%"
    pages = f"{sum(result.pages.values())} pages of {len(result.pages)} sites"
    by_site = []
    for site in result.pages:
        scores = [result.by_form[form][site] for form in forms]
        shares = (share for score in scores for share in (score.recall, score.precision))
        by_site.append((site, scores[0].found + scores[0].missed, *shares))
    tables = [
        Table(
            f"noise blocks, k = {K}: {pages}, all blocks pooled; mean over sites",
            f"form; {measures}; recall\nsites|.1%; precision\nsites|.1%",
            [(form, *_shares(result.pooled(form)), result.mean(form, "recall"), result.mean(form, "precision")) for form in result.by_form],
        ),
        Table(
            f"by site, k = {K}, by count",
            "; ".join(["site", "noise\nblocks", *(f"{form}\n{name}|.1%" for form in forms for name in ("recall", "precision"))]),
            by_site,
        ),
        Table(
            "by number of same-layer pages, pooled",
            f"form, k; {measures}",
            [(f"{form}, {k}", *_shares(score)) for (form, k), score in result.by_k.items()],
        ),
    ]
    for form in forms if result.grid else ():
        rows = [
            (f"{alpha:.1f}", *((grid.recall, grid.precision) for beta in BETAS for grid in (result.grid[form, alpha, beta],)))
            for alpha in ALPHAS
        ]
        columns = "; ".join(["alpha \\ beta", *(f"{beta:.1f}|.1%" for beta in BETAS)])
        tables.append(Table(f"recall, precision by count, {form}, k = {K}", columns, rows))
    tables.append(_likeness(result, PARTS))
    if result.typed:
        typed = [
            (f"{row.type}{' (content)' * (row.type in CONTENT_TYPES)}", row.blocks, row.in_layer / row.blocks, row.elsewhere / row.blocks)
            for row in result.typed
        ]
        title = "hand-marked blocks by type: found in a synthetic same-layer page, and in pages of other sites"
        tables.append(Table(title, "type; blocks; synthetic|.1%; other sites|.1%", typed))
    if result.texts:
        tables.append(_texts(result))
    return Report(tables, _remarks(result))


def _shares(score: Score) -> tuple[float | None, ...]:
    return (score.recall, score.precision, score.recall_characters, score.precision_characters)


def _likeness(result: Result, parts: Iterable[str]) -> Table:
    rows: list[tuple[object, ...]] = [
        (row.site, row.siblings, *(alike / of if of else None for alike, of in row.parts.values()), row.value) for row in result.likeness
    ]
    means = [[alike / of for row in result.likeness for alike, of in (row.parts[name],) if of] for name in parts]
    values = [row.value for row in result.likeness if row.value is not None]
    rows.append(("mean", sum(row.siblings for row in result.likeness), *(fmean(mean) if mean else None for mean in (*means, values))))
    columns = "; ".join(["site", "same-layer\npages", *(f"{part}|.1%" for part in parts), "similarity|.1%"])
    return Table("the paper's table 1: parts of a page that are the same on its same-layer pages", columns, rows)


def _texts(result: Result) -> Table:

    ks = sorted({score.k for score in result.texts})
    rows = []
    for way in WAYS:
        scores = [[score for score in result.texts if score.way == way and score.k == k] for k in ks]
        rows.append((way, *(tuple(fmean(getattr(one, name) for one in of_k) for name in ("f1", "precision", "recall")) for of_k in scores)))
    return Table("main text: F1, precision, recall, mean over sites", "; ".join(["way", *(f"k = {k}|.3f" for k in ks)]), rows)


def _remarks(result: Result) -> list[str]:
    kinds = ", ".join(f"{kind} {blocks:,} ({size:,} characters)" for kind, (blocks, size) in result.kinds.items())
    lines = [
        f"Blocks judged: {kinds}. Noise and content blocks are scored. Mixed (less than 90 % of either), ignored (titles, bylines, "
        "comments) and empty blocks are not."
    ]
    if result.speed is not None:
        speed = result.speed
        fast, plain, flattening = (1e3 * seconds / speed.pairs for seconds in (speed.fast, speed.plain, speed.flattening))
        lines.append(
            f"Fast path: {speed.ratio:.1f} times as fast as the plain matcher ({fast:.2f} against {plain:.2f} ms of processor time per "
            f"pair of pages; flattening {flattening:.2f} ms), {speed.differing} of {speed.verdicts:,} verdicts differ."
        )
    return lines


command = bench(run, report, "sites")
