"""Figures of the style tree and of pagelets on sites with gold, and the chosen threshold of each site.

PYTHONPATH=. python scripts/style_tree.py SITES
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from benchmarks import pagelets
from benchmarks.gold import read_gold
from benchmarks.metric import compare, content_lost, mean, noise_removed
from tamis import parse
from tamis.document.render.text import to_text
from tamis.page.tree import PageTree
from tamis.site.style_tree import StyleCleaning, StyleSettings, StyleTree, simplify

METHODS = {
    "nothing removed": None,
    "pagelets": 2,
    "pagelets, 4 pages": 4,
    "style tree": (StyleSettings(), StyleCleaning()),
    "min_pages=2": (StyleSettings(), StyleCleaning.paper()),
    "links, images": (StyleSettings(links=True, images=True), StyleCleaning()),
    "attributes=display": (StyleSettings(attributes="display"), StyleCleaning()),
    "paper": (StyleSettings.paper(), StyleCleaning.paper()),
    **{f"threshold {t}": (StyleSettings(), StyleCleaning(threshold=t)) for t in (0, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)},
}


def cleaner(method: object, trees: Iterable[PageTree]) -> tuple[Callable[[PageTree], np.ndarray], float]:
    """What a method keeps of a page, and its threshold."""
    if method is None:
        return lambda tree: np.ones(len(tree), dtype=bool), 0.0
    if isinstance(method, int):
        model = pagelets.learn(trees)
        return lambda tree: pagelets.select(tree, model, method).keep, 0.0
    simplified = simplify(StyleTree.build(trees, method[0]), method[1])
    return lambda tree: simplified.map_page(tree).keep, simplified.threshold


rows = {}
for site in sorted(path for path in Path(sys.argv[1]).iterdir() if path.is_dir()):
    trees = {path.name: parse(path) for path in sorted((site / "pages").glob("*.html.gz"))}
    gold = [page for page in read_gold(site) if page.main]
    for name, method in METHODS.items():
        keep, threshold = cleaner(method, trees.values())
        kept = [to_text(trees[page.path.name], keep(trees[page.path.name])) for page in gold]
        pairs = list(zip(kept, gold, strict=True))
        rows[name, site.name] = (
            mean(compare(text, page.main, ignored=page.ignored, unit=page.unit).f1 for text, page in pairs),
            mean(noise_removed(text, page.main, page.noise, ignored=page.ignored, unit=page.unit) for text, page in pairs),
            mean(content_lost(text, page.main, page.unit) for text, page in pairs),
            threshold,
        )
    best = max((rows[name, site.name],) for name in METHODS if name.startswith("threshold"))
    print(site.name, *(f"{value:.3f}" for value in rows["style tree", site.name]), "best:", *(f"{value:.3f}" for value in best[0]))
for name in METHODS:
    print(f"{name:20}", *(f"{mean(row[k] for (method, _), row in rows.items() if method == name):.3f}" for k in range(3)))
