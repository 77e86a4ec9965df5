"""Models for a run over many pages: which site a page is of, and the template of every site, learned from a sample of its pages."""

from __future__ import annotations

import heapq
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from tamis.content.attenuation import Site
from tamis.document.metadata import address_of
from tamis.io.addresses import PORTS, Patterns, normalize_url, read_address
from tamis.io.fetch import Limits
from tamis.io.naming import named
from tamis.io.pages import BrokenSource, FilePage, Source, WebPage
from tamis.page.tree import PageTree
from tamis.site.digest import PageDigest, judged_digest
from tamis.site.model import SiteModel, learn_digests, trees_of
from tamis.structure.hashing import text_hash
from tamis.structure.layouts import group, sketch

CANDIDATES = 4  #: Pages looked at for each page that is learned from.
PAGES = 50  #: Pages a template is learned from at the most. More make it slower, and no better.
LEAST = 5  #: Pages a template is learned from at the least: with fewer, what the pages' texts have in common may be chance.
SHARED = 3  #: Least pages of a layout: a folder is not a site if fewer than half of its pages have one.
_ALIKE = 0.5  #: Likeness of pages within a layout (:func:`tamis.structure.layouts.group`).
_SHARED_TEXTS = 0.1  #: Share of the repeated texts of a layout that it has in common with another one of its site.
_SHOWN = 5  #: Hosts that are named.
_NO_DOMAIN = "x?html? php aspx? jsp files txt pdf zip tar tgz gz warc json xml old new bak backup copy orig save tmp temp git svn"
_HOST = re.compile(rf"((?:[\w-]+\.)+(?!(?:{_NO_DOMAIN.replace(' ', '|')})\b)(?:[^\W\d_]{{2,}}|xn--[a-z0-9-]+))(?:[:+](\d+))?")
"""The name of a folder that is called like a host, perhaps with its port (wget): its last part is letters alone (RFC 3696), and none that
files and copies of folders are called by."""


def site_of(source: Source) -> str:
    """Return the site that a page is of: its host without ``www.`` where its address is known, else the folder or file it came from.

    A folder in that folder that is called like a host is this host: ``crawl/example.org/about.html``. Two ports of a host are two sites.
    """
    if source.url:
        return read_address(source.url).host or source.url
    if not isinstance(source, FilePage):
        return source.name.rpartition(":")[0]
    folder = _host_folder(source)
    if folder:
        return named(folder[1]) + (f":{folder[2]}" if folder[2] and int(folder[2]) not in PORTS.values() else "")
    return source.root or str(PurePath(source.path).parent)


def _host_folder(source: FilePage) -> re.Match[str] | None:
    return _HOST.fullmatch(source.place.parts[0].lower()) if len(source.place.parts) > 1 else None


def refused(source: Source, patterns: Patterns) -> str | None:
    """Return the address of a page that is not wanted, or the path of a saved page: that of its file in its folder, or in the folder there
    that is called like a host; the name of what has neither. None for a page that is wanted, and for what cannot be read and has no
    address: it fails later."""
    if isinstance(source, FilePage):
        parts = source.place.parts
        address = "/" + quote(os.fsencode("/".join(parts[1:] if _host_folder(source) else parts)))
        return address if patterns.refusal(address) else None
    if source.url is None:
        return source.name if patterns.include and not isinstance(source, BrokenSource) else None
    try:
        return normalize_url(source.url) if patterns.refusal(normalize_url(source.url)) else None
    except ValueError:
        return source.url if patterns.include else None


def host_of(tree: PageTree, url: str | None = None) -> str:
    """Return the host of a page (:func:`tamis.document.metadata.address_of`), named as a site (:func:`named`), with its port if one is
    given; empty where it is not known."""
    return read_address(address_of(tree, url) or "").host


def several_hosts(hosts: Counter[str]) -> str:
    """Return the hosts with at least :data:`SHARED` pages, as words; empty unless there are several.

    >>> several_hosts(Counter({"a.org": 9, "b.org": 3, "c.org": 1, "": 9})), several_hosts(Counter({"a.org": 9, "": 9}))
    ('a.org, b.org', '')
    """
    found = [name for name, count in sorted(hosts.items(), key=lambda each: (-each[1], each[0])) if name and count >= SHARED]
    return ", ".join((*found[:_SHOWN], *["..."] * (len(found) > _SHOWN))) if len(found) > 1 else ""


def learn_sites_by(method: Any, sources: Iterable[Source], *, limits: Limits = Limits()) -> dict[str, Site]:
    """Return what the settings of a method with a way of its own to learn, such as the style tree, learn of all sites that have pages to be
    compared: at least two."""
    by_site = {site: chosen for site, chosen in choose_by_site(sources).items() if len(chosen) > 1}
    return {site: method.learn(tree for tree, _ in trees_of(chosen, limits)) for site, chosen in by_site.items()}


def several_templates(pages: Sequence[PageDigest]) -> str:
    """Return groups of pages that have no template in common, as words; empty where all pages may be of one site.

    Layouts are of one site if they share at least a tenth of the texts that repeat on the pages of either. Only groups of :data:`LEAST`
    pages count.
    """
    sketches = [sketch(page.names, page.paths) for page in pages]
    layouts = (layout.members for layout in group(sketches, _ALIKE) if len(layout.members) >= SHARED)
    groups: list[tuple[int, set[int]]] = []
    for members in layouts:
        counts = Counter(chain.from_iterable(set(pages[member].text.tolist()) for member in members))
        repeated = {text for text, count in counts.items() if count >= max(len(members) / 2, SHARED)}
        if len(repeated) < SHARED:
            continue
        alike = [each for each in groups if len(each[1] & repeated) >= _SHARED_TEXTS * min(len(each[1]), len(repeated))]
        groups = [each for each in groups if each not in alike]
        groups.append((len(members) + sum(size for size, _ in alike), repeated.union(*(texts for _, texts in alike))))
    sizes = sorted((size for size, _ in groups if size >= LEAST), reverse=True)
    return f"groups of {', '.join(map(str, sizes[:_SHOWN]))} pages without a template in common" if len(sizes) > 1 else ""


def learn_sites(sources: Iterable[Source], *, limits: Limits = Limits()) -> tuple[dict[str, SiteModel], dict[str, str]]:
    """Return the models of all sites that the pages are of, where their pages share a template; and the hosts (:func:`several_hosts`), or
    the groups without a template in common (:func:`several_templates`), of what was taken for one site, but has pages of several. Nothing
    is fetched.

    Args:
        sources: the pages; those to be fetched are passed over.
        limits: bound the size of a page.
    """
    models, mixed = {}, {}
    for site, chosen in choose_by_site(sources).items():
        seen = [(host_of(tree, url), judged_digest(tree)) for tree, url in trees_of(chosen, limits)]
        model = learn_digests(spread_over_layouts((page for _, page in seen), PAGES))
        several = several_hosts(Counter(host for host, _ in seen))
        if several := several or ("" if chosen[0].url else several_templates([page for _, page in seen])):
            mixed[site] = several
        if is_site(model):
            models[site] = model.without_evidence()
    return models, mixed


def choose_by_site(sources: Iterable[Source]) -> dict[str, list[Source]]:
    """Choose of each site :data:`CANDIDATES` times as many pages as are learned from, by a hash of their names; none is to be fetched."""
    found: dict[str, list[Source]] = {}
    for source in sources:
        if not isinstance(source, WebPage):
            own = found.setdefault(site_of(source), [])
            own.append(source)
            if len(own) == 2 * CANDIDATES * PAGES:
                own[:] = choose_sources(own, PAGES)
    return {site: choose_sources(own, PAGES) for site, own in found.items()}


def is_site(model: SiteModel) -> bool:
    """Return whether a model's pages are enough and alike enough to share a template. The model has its evidence."""
    in_layouts = sum(len(layout.members) for layout in model.layouts if len(layout.members) >= SHARED)
    return model.sample.pages >= LEAST and 2 * in_layouts >= len(model.evidence)


def choose_sources(sources: Iterable[Source], pages: int) -> list[Source]:
    """Return some of many sources, chosen by a hash of their names: the same whatever the order they come in. Memory stays flat.

    Args:
        sources: any number.
        pages: pages wanted in the end; :data:`CANDIDATES` times as many are chosen, for :func:`spread_over_layouts` to choose from.
    """
    return heapq.nsmallest(CANDIDATES * pages, sources, key=lambda source: (text_hash(source.name), source.name))


def spread_over_layouts(digests: Iterable[PageDigest], pages: int) -> list[PageDigest]:
    """Return at most ``pages`` pages, by page key: up to half of them :data:`SHARED` of each smaller layout; the others as they come.

    So a rare layout is known, and the template still counts what is on most pages of the site.

    Args:
        digests: pages to choose from.
        pages: how many to choose.
    """
    distinct = [page for _, page in sorted({page.key: page for page in digests}.items())]
    if len(distinct) <= pages:
        return distinct
    layouts = [layout.members for layout in group([sketch(page.names, page.paths) for page in distinct], _ALIKE)]
    first = list(chain.from_iterable(members[:SHARED] for members in layouts[1:] if len(members) >= SHARED))[: pages // 2]
    others = sorted(set(range(len(distinct))).difference(first))
    return [distinct[index] for index in sorted(first + others[: pages - len(first)])]
