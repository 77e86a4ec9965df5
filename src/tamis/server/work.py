"""What worker processes do: plain values in, plain values out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import tamis
from tamis.document.document import Document, Format
from tamis.errors import UsageError
from tamis.io.fetch import Limits, fetch
from tamis.page.parsing import parse_decoded
from tamis.server.sites import StoredSite
from tamis.server.view import blocks_of, page_view

_SIBLINGS = 3
_REPEATED = 40
"""Most repeated blocks of a template that are shown."""
_SAMPLE = 100
"""Pages that are looked at for them."""


@dataclass(frozen=True, slots=True)
class PageOrder:
    """A page to work on: given, or to be fetched."""

    html: str | None = None
    url: str | None = None
    content_type: str | None = None

    def read(self, limits: Limits) -> PageOrder:
        """The page with its HTML.

        Raises:
            FetchError: it could not be fetched.
        """
        if self.html is not None:
            return self
        if self.url is None:
            raise UsageError("give html or url")
        answer = fetch(self.url, limits)
        html = parse_text(answer.body, answer.content_type)
        return PageOrder(html, answer.url, answer.content_type)


def parse_text(body: bytes, content_type: str | None) -> str:
    """The bytes of a page as text."""
    from tamis.page.decode import find_encoding, to_utf8
    from tamis.page.parsing import unpack

    raw = unpack(body, "the page") if body[:2] == b"\x1f\x8b" else body
    return to_utf8(raw, find_encoding(raw, content_type)).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an extraction is to give."""

    formats: tuple[Format, ...] = ("text",)
    method: str = "model"
    blocks: bool = False
    view: bool = False
    links: bool = True
    images: bool = True
    tables: bool = True


def extract(order: PageOrder, wanted: Wanted, site: StoredSite | None, limits: Limits) -> dict[str, Any]:
    """Clean a page: formats, metadata, problems; blocks and the inspector's view on demand."""
    page = order.read(limits)
    document = _document(page, wanted.method, site)
    rendering = tamis.Rendering(links=wanted.links, images=wanted.images, tables=wanted.tables)
    answer = document.to_dict(wanted.formats, rendering)
    if wanted.blocks or wanted.view:
        answer["blocks"], number = blocks_of(document)
        if wanted.view:
            answer["view"] = page_view(document, number, site.css if site is not None else "")
    return answer


def _document(page: PageOrder, method: str, site: StoredSite | None) -> Document:
    """The page by one of the methods."""
    assert page.html is not None
    known = site is not None and site.model_name is not None
    if method == "same-layer":
        others = site.pages() if site is not None else []
        siblings = [other.html for other in others if other.html != page.html]
        model = site.model() if site is not None and known else None
        if model is not None:
            layout = model.layout_of(tamis.parse(page.html))[0]
            siblings.sort(key=lambda html: model.layout_of(tamis.parse(html))[0] != layout)
        return tamis.denoise(page.html, siblings[:_SIBLINGS], url=page.url)
    if method == "template":
        if site is None or not known:
            raise UsageError("the method template needs a site with a learned template")
        return site.model().clean(page.html, url=page.url)
    return tamis.extract(page.html, url=page.url, method=method, model=site.model() if site is not None and known else None)


def segment(order: PageOrder, pdoc: int, limits: Limits) -> dict[str, Any]:
    """The blocks that a reader sees (VIPS on an estimated layout)."""
    page = order.read(limits)
    assert page.html is not None
    return tamis.segment(page.html, settings=tamis.SegmentSettings(pdoc=pdoc)).to_dict()


def records(order: PageOrder, like: str | None, limits: Limits) -> dict[str, Any]:
    """The lists of a page as tables, the main one first."""
    page = order.read(limits)
    assert page.html is not None
    found = tamis.find_records(page.html, like=like, url=page.url)
    return {
        "regions": [
            {
                "records": len(region),
                "how": region.how,
                "css": region.css,
                "columns": [column.to_dict() for column in region.table.columns],
                "rows": [list(row) for row in region.table.rows],
            }
            for region in found.regions
        ],
        "notes": list(found.notes),
    }


def compare(a: PageOrder, b: PageOrder, method: str, limits: Limits) -> dict[str, Any]:
    """How alike two pages are: structure, and the share of words that their main texts have in common."""
    first, second = a.read(limits), b.read(limits)
    assert first.html is not None and second.html is not None  # noqa: PT018  # for the type checker
    words = [set(tamis.extract(page.html or "").text.lower().split()) for page in (first, second)]
    together = len(words[0] | words[1])
    return {
        "similarity": round(float(tamis.similarity(first.html, second.html, method)), 6),  # type: ignore[arg-type]
        "method": method,
        "shared_words": round(len(words[0] & words[1]) / together, 6) if together else 1.0,
    }


def duplicates(documents: list[tuple[str, str, str | None, str | None]]) -> dict[str, Any]:
    """Clusters of near-duplicate texts. Documents are id, text, URL, time."""
    return tamis.find_duplicates([tamis.TextDocument(*each) for each in documents]).to_dict()


def site_duplicates(site: StoredSite) -> dict[str, Any]:
    """Clusters of near-duplicates among the main texts of a site's pages, with the texts of those in clusters."""
    model = site.model() if site.model_name else None
    pages = site.pages()
    texts = {page.id: tamis.extract(page.html, url=page.url, model=model).text for page in pages}
    found = tamis.find_duplicates([tamis.TextDocument(page.id, texts[page.id]) for page in pages])
    shown = {id for cluster in found.clusters for id in cluster.ids}
    return {**found.to_dict(), "texts": {id: texts[id] for id in sorted(shown)}, "names": {page.id: page.name for page in pages}}


def learn(site: StoredSite) -> dict[str, Any]:
    """Learn the template of a site from its pages; the rules stay."""
    rules = site.model().rules if site.model_name else tamis.Rules()
    site.keep_model(tamis.learn((page.html for page in site.pages()), rules=rules))
    return describe(site)


def describe(site: StoredSite) -> dict[str, Any]:
    """What was learned of a site."""
    from tamis.site.description import describe as described

    return described(site.model())


def template(site: StoredSite) -> dict[str, Any]:
    """What was learned of a site, with the layout of each page and the blocks that repeat on most pages."""
    model = site.model()
    pages = site.pages()
    layouts = {page.id: model.layout_of(tamis.parse(page.html))[0] for page in pages}
    counts: dict[str, int] = {}
    for page in pages[:_SAMPLE]:
        for text in filter(None, model.template_text([page.html]).splitlines()):
            counts[text] = counts.get(text, 0) + 1
    repeated = sorted(((count, text) for text, count in counts.items() if count > 1), key=lambda each: (-each[0], each[1]))
    return {
        **describe(site),
        "page_layouts": layouts,
        "repeated": [{"pages": count, "text": text} for count, text in repeated[:_REPEATED]],
        "sampled": min(len(pages), _SAMPLE),
    }


def rule_effect(site: StoredSite, page_id: str, keep: tuple[str, ...], drop: tuple[str, ...]) -> dict[str, Any]:
    """What other rules would change on one page, in characters."""
    page, model = site.page(page_id), site.model()
    tree, _ = parse_decoded(page.html)
    sides = (tamis.extract(tree, model=model.with_rules(rules)) for rules in (model.rules, tamis.Rules(keep, drop)))
    before, after = (document.selection.keep for document in sides)
    length = tree.text_length
    return {"id": page.id, "name": page.name, "gained": int(np.sum(length[after & ~before])), "lost": int(np.sum(length[before & ~after]))}


def save_rules(site: StoredSite, keep: tuple[str, ...], drop: tuple[str, ...]) -> dict[str, Any]:
    """Put rules into the site's model."""
    site.keep_model(site.model().with_rules(tamis.Rules(keep, drop)))
    return {"keep": list(keep), "drop": list(drop)}


def clean_page(site: StoredSite, page_id: str, wanted: Wanted) -> dict[str, Any]:
    """Clean one page of a site with its model."""
    page = site.page(page_id)
    answer = extract(PageOrder(page.html, page.url), wanted, site, Limits())
    return {"id": page.id, "name": page.name, **answer}


def clean_together(orders: list[PageOrder], format: Format, limits: Limits) -> dict[str, Any]:
    """Pages of one site: learn their template, clean each with it."""
    pages = [order.read(limits) for order in orders]
    model = tamis.learn([page.html or "" for page in pages])
    documents = [tamis.extract(page.html or "", url=page.url, model=model) for page in pages]
    return {
        "pages": [
            {"url": page.url, format: document.render(format), "problems": list(document.problems)}
            for page, document in zip(pages, documents, strict=True)
        ],
        "template_text": model.template_text([page.html or "" for page in pages]),
    }


def take_in(site: StoredSite, crawl: Path, most: int) -> int:
    """Take the pages of a crawl into a site; how many."""
    from tamis.crawl import crawled_pages

    taken = 0
    for source in crawled_pages(crawl):
        if taken == most:
            break
        served = source.read()
        html = served.html if isinstance(served.html, str) else parse_text(served.html, served.content_type)
        site.put(served.url or source.name, html, served.url)
        taken += 1
    return taken


def fetched(order: PageOrder, limits: Limits) -> PageOrder:
    """Fetch a page."""
    return replace(order.read(limits), content_type=None)
