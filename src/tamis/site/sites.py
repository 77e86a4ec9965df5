"""Models for a run over many pages: which site a page is of, and the template of every site, learned from a sample of its pages."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from itertools import chain
from pathlib import PurePath
from urllib.parse import urlsplit

from tamis.io.fetch import Limits
from tamis.io.pages import FilePage, Source, WebPage
from tamis.site.digest import PageDigest
from tamis.site.model import SiteModel, digests_of, learn_digests
from tamis.structure.hashing import text_hash
from tamis.structure.layouts import group, sketch

CANDIDATES = 4  #: Pages looked at for each page that is learned from.
PAGES = 50  #: Pages a template is learned from at the most. More make it slower, and no better.
LEAST = 5  #: Pages a template is learned from at the least: with fewer, what the pages' texts have in common may be chance.
SHARED = 3  #: Pages that make a layout: a folder where fewer than half of the pages are of such layouts is no site.


def site_of(source: Source) -> str:
    """The site that a page is of: its host where its address is known, else the folder or file it came from."""
    if source.url:
        try:
            return urlsplit(source.url).hostname or source.url
        except ValueError:
            return source.url
    if isinstance(source, FilePage):
        return source.root or str(PurePath(source.path).parent)
    return source.name.rpartition(":")[0]


def learn_sites(sources: Iterable[Source], *, pages: int = PAGES, limits: Limits = Limits()) -> dict[str, SiteModel]:
    """The models of all sites that the pages are of, where their pages share a template. Nothing is fetched.

    Args:
        sources: the pages; those to be fetched are passed over.
        pages: pages that one site's template is learned from.
        limits: bound the size of a page.
    """
    models = {}
    for site, chosen in choose_by_site(sources, pages).items():
        model = learn_digests(spread_over_layouts(digests_of(chosen, limits), pages))
        if is_site(model):
            models[site] = model.without_evidence()
    return models


def choose_by_site(sources: Iterable[Source], pages: int = PAGES) -> dict[str, list[Source]]:
    """Of each site some pages to learn from, chosen by a hash of their names; those to be fetched are passed over.

    Args:
        sources: the pages.
        pages: pages wanted of a site; :data:`CANDIDATES` times as many are chosen.
    """
    chosen: dict[str, list[tuple[int, str, int, Source]]] = {}
    for number, source in enumerate(sources):
        if not isinstance(source, WebPage):
            heap = chosen.setdefault(site_of(source), [])
            entry = (-text_hash(source.name), source.name, number, source)
            if len(heap) < CANDIDATES * pages:
                heapq.heappush(heap, entry)
            else:
                heapq.heappushpop(heap, entry)
    return {site: [entry[-1] for entry in heap] for site, heap in chosen.items()}


def is_site(model: SiteModel) -> bool:
    """Whether the pages that a model was learned from are enough and alike enough to share a template. The model has its evidence."""
    in_layouts = sum(len(layout.members) for layout in model.layouts if len(layout.members) >= SHARED)
    return model.template.pages >= LEAST and 2 * in_layouts >= len(model.evidence)


def choose_sources(sources: Iterable[Source], pages: int) -> list[Source]:
    """Some of many sources, chosen by a hash of their names: the same whatever the order they come in. Memory stays flat.

    Args:
        sources: any number.
        pages: pages wanted in the end; :data:`CANDIDATES` times as many are chosen, for :func:`spread_over_layouts` to choose from.
    """
    return heapq.nsmallest(CANDIDATES * pages, sources, key=lambda source: (text_hash(source.name), source.name))


def spread_over_layouts(digests: Iterable[PageDigest], pages: int, alike: float = 0.5) -> list[PageDigest]:
    """At most so many pages, by page key: up to half of them, :data:`SHARED` of each layout but the largest; the others as they come.

    So a rare layout is known, and the template still counts what is on most pages of the site.

    Args:
        digests: pages to choose from.
        pages: how many to choose.
        alike: likeness within a layout (:func:`tamis.structure.layouts.group`).
    """
    distinct = [page for _, page in sorted({page.key: page for page in digests}.items())]
    if len(distinct) <= pages:
        return distinct
    layouts = [layout.members for layout in group([sketch(page.names) for page in distinct], alike)]
    first = list(chain.from_iterable(members[:SHARED] for members in layouts[1:] if len(members) >= SHARED))[: pages // 2]
    others = sorted(set(range(len(distinct))).difference(first))
    return [distinct[index] for index in sorted(first + others[: pages - len(first)])]
