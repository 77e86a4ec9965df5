"""Milliseconds of each step of the style tree, on one page and on its site.

python scripts/style_tree_time.py SITE/pages
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from gzip import decompress
from pathlib import Path
from timeit import repeat

from tamis import parse
from tamis.site.style_tree import StyleTree, features, places, simplify


def best(job: Callable[[], object], times: int = 50) -> float:
    """Milliseconds of the quickest of several calls."""
    return min(repeat(job, setup="import gc; gc.enable()", number=1, repeat=times)) * 1000


files = sorted(Path(sys.argv[1]).glob("*.html.gz"))
html = decompress(files[20].read_bytes())
page = parse(html)
at = places(page)
print(len(page), "nodes,", sum(map(len, page.texts)), "characters")
print(f"parse to a PageTree  {best(lambda: parse(html)):.2f} ms")
print(f"places               {best(lambda: places(page)):.2f} ms")
print(f"features             {best(lambda: features(page, at)):.2f} ms")
pages = [parse(file) for file in files]
tree = StyleTree.build(pages)
model = simplify(tree)
print(len(pages), "pages,", len(tree), "element nodes,", len(model.place), "after pruning")
print(f"build, a page        {best(lambda: StyleTree.build(pages), 5) / len(pages):.2f} ms")
print(f"simplify, the site   {best(lambda: simplify(tree), 5):.0f} ms")
print(f"map a page           {best(lambda: [model.map_page(page) for page in pages], 5) / len(pages):.2f} ms")
