"""``python -m benchmarks same-layer``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from benchmarks.commands.reporting import Json, Sites, names, numbers, shown
from benchmarks.report import Report, Table

if TYPE_CHECKING:
    from benchmarks.same_layer import Result, Score


def same_layer(
    folder: Annotated[Path, Argument(help="A folder of sites with gold, or one site.")],
    *,
    typed: Path | None = None,
    sites: Sites = None,
    pages: Annotated[int, Option(min=1)] = 10,
    ks: Annotated[str, Option("--k")] = "1,2,3,5",
    grid: bool = True,
    timed: Annotated[int, Option(min=0)] = 2,
    with_texts: Annotated[bool, Option("--texts/--no-texts")] = True,
    json_file: Json = None,
) -> None:
    """Same-layer noise: block recall and precision by thresholds and k, similarity of same-layer pages, fast against plain matcher.

    Options:
        typed: A folder of pages with hand-marked, typed blocks.
        pages: Most content pages of each site that are judged.
        ks: Numbers of same-layer pages, with commas between.
        grid: Try other (alpha, beta).
        timed: Pages of each site that the fast path is timed on; 0: none.
        with_texts: Measure texts, alone and together with the site's template.
    """
    shown("same_layer", "sites", report, locals(), sites=names, ks=numbers)


def report(result: Result) -> Report:
    """Noise blocks by form of the rule, site, k and thresholds; likeness of same-layer pages; main text."""
    from benchmarks.same_layer import ALPHAS, BETAS, K
    from benchmarks.same_layer_parts import CONTENT_TYPES, PARTS

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
    from benchmarks.same_layer_text import WAYS

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
