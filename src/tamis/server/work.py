"""The work of the worker processes: requests in, plain values out."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

import tamis
from tamis.document.document import Document, Format
from tamis.errors import UsageError
from tamis.io.fetch import Limits, fetch
from tamis.io.pages import HeldPage
from tamis.layer.siblings import Layer, SeenPage, choose_siblings
from tamis.page.parsing import parse, parse_decoded
from tamis.papers.report import report
from tamis.server.requests import (
    CleanRequest,
    ExtractRequest,
    PageRequest,
    PapersRequest,
    RecordsRequest,
    SegmentRequest,
    SimilarityRequest,
)
from tamis.server.sites import StoredSite, parse_text
from tamis.server.view import blocks_of, page_styles, page_view, saved_files

_SIBLINGS = 3  # pages that a page is compared with by the same-layer method
_LEARNED = 100  # pages of a site from which the methods of the papers learn, at most
_REPEATED = 40  # most repeated blocks of a template that are shown
_SAMPLE = 100  # pages in which repeated blocks are counted


def read(page: PageRequest, limits: Limits) -> tuple[str, str | None]:
    """Return the HTML of a page and its address; a page without HTML is fetched."""
    if page.html is not None:
        return page.html, page.url
    answer = fetch(page.url or "", limits)
    return parse_text(answer.body, answer.content_type), answer.url


def extract(page: ExtractRequest, site: StoredSite | None, limits: Limits) -> dict[str, Any]:
    """Clean a page: formats, metadata, problems; blocks and the inspector's view on demand."""
    if page.browser:
        browser = _browser(tamis.BrowserSettings(seconds=limits.total, allow_private=limits.allow_private))
        address, base = (page.url, None) if page.html is None else (None, page.url)
        seen = browser.render(url=address, html=page.html, base_url=base, markup=True)
        html, url = seen.markup or "", seen.url
        document = _document(seen.tree, url, page, site)
    else:
        html, url = read(page, limits)
        document = _document(html, url, page, site)
    rendering = tamis.Rendering(page.links, page.images, page.tables, page.title, page.front_matter)
    answer = document.to_dict(page.formats, rendering, comments=page.comments)
    if page.chunks:
        answer["chunks"] = [chunk.to_dict() for chunk in document.chunks(page.chunks, rendering=rendering)]
    if page.blocks or page.view:
        answer["blocks"], number = blocks_of(document)
        if page.view:
            stored = site.page(page.page) if site is not None and page.page is not None else None
            file = saved_files(stored.folder, stored.name) if stored is not None and stored.folder else lambda address: ("", b"")
            css = f"{site.css if site is not None else ''}\n{page_styles(html, file)}"
            answer["view"] = page_view(document, number, css.strip(), file)
    return answer


@lru_cache(maxsize=1)
def _browser(settings: tamis.BrowserSettings) -> tamis.Browser:
    """The browser of this process, which stays open for further pages."""
    return tamis.Browser(settings)


def _document(html: str | tamis.PageTree, url: str | None, page: ExtractRequest, site: StoredSite | None) -> Document:
    if page.method == "same-layer":
        layer = _layer(html, url, site)
        return tamis.denoise(layer.page, layer.pages, url=url)
    if page.method in ("papers", "style-tree"):
        learned = _learned_once(page.method, site.folder, _stamps(site)) if site is not None else None
        return tamis.extract(html, url=url, method=page.method, model=learned, comments=page.comments)
    model = site.model() if site is not None and site.model_name is not None else None
    if page.method == "template":
        if model is None:
            raise UsageError("the method template needs a site with a learned template")
        return model.clean(html, url=url)
    return tamis.extract(html, url=url, method=page.method, model=model, comments=page.comments)


def papers(page: PapersRequest, site: StoredSite | None, limits: Limits) -> dict[str, Any]:
    """Apply the five papers' methods to a page, with the pages of its site."""
    layer = _layer(*read(page, limits), site)
    others = [SeenPage(parse(each.read().html), each.url) for each in _sources(site)[:_LEARNED]]
    same = [other for other in others if list(other.tree.texts) != list(layer.page.tree.texts)]
    return report(layer, same, like=page.like).to_dict()


def _sources(site: StoredSite | None) -> list[HeldPage]:
    """The pages of a site; those without an address have one made of their name, so that parts of one article are known by it."""
    pages = site.pages() if site is not None else ()
    return [HeldPage(page.name, page.html, page.url or f"http://site.invalid/{quote(page.name.lstrip('/'))}") for page in pages]


def _layer(html: str | tamis.PageTree, url: str | None, site: StoredSite | None) -> Layer:
    sources = _sources(site)
    own = url or next((each.url for each in sources if each.html == html), None)
    return choose_siblings(
        SeenPage(parse(html) if isinstance(html, str) else html, own), [each for each in sources if each.html != html], _SIBLINGS
    )


def _stamps(site: StoredSite) -> tuple[tuple[str, int], ...]:
    """The pages of a site that are learned from, each with the time when it was written."""
    return tuple((id, (site.folder / "pages" / f"{id}.json").stat().st_mtime_ns) for id in site.page_ids()[:_LEARNED])


@lru_cache(maxsize=8)
def _learned_once(method: str, folder: Path, stamps: tuple[tuple[str, int], ...]) -> Any:
    """Return a paper's model of the pages of a site; the times of the pages tell when it is to be learned anew."""
    site = StoredSite(folder.parents[1], folder.name)
    return tamis.learn([site.page(id).html for id, _ in stamps], method=method)


def segment(page: SegmentRequest, limits: Limits) -> dict[str, Any]:
    """Return the blocks that a reader sees (VIPS on an estimated layout)."""
    return tamis.segment(read(page, limits)[0], settings=tamis.SegmentSettings(pdoc=page.pdoc)).to_dict()


def records(page: RecordsRequest, limits: Limits) -> dict[str, Any]:
    """Return the lists of a page as tables, the main one first."""
    html, url = read(page, limits)
    found = tamis.find_records(html, like=page.like, url=url)
    return {
        "regions": [
            {
                "records": len(region),
                "how": region.how,
                "css": region.css,
                "columns": [column.to_dict() for column in region.table.columns],
                "rows": [list(row) for row in region.table.rows],
                **({"csv": region.table.to_csv()} if page.csv else {}),
            }
            for region in found.regions
        ],
        "notes": list(found.notes),
    }


def compare(pages: SimilarityRequest, limits: Limits) -> dict[str, Any]:
    """Return how similar the structure of two pages is."""
    one, other = (read(page, limits)[0] for page in (pages.a, pages.b))
    return {"similarity": round(float(tamis.similarity(one, other, pages.method)), 6), "method": pages.method}


def duplicates(documents: list[tuple[str, str, str | None, str | None]]) -> dict[str, Any]:
    """Return clusters of near-duplicate texts. Documents are id, text, URL, time."""
    return tamis.find_duplicates([tamis.TextDocument(*each) for each in documents]).to_dict()


def site_duplicates(site: StoredSite) -> dict[str, Any]:
    """Return clusters of near-duplicates among the main texts of a site's pages, with the texts of those in clusters."""
    model = site.model() if site.model_name else None
    pages = list(site.pages())
    texts = {page.id: tamis.extract(page.html, url=page.url, model=model).text for page in pages}
    found = tamis.find_duplicates([tamis.TextDocument(page.id, texts[page.id]) for page in pages])
    shown = {id for cluster in found.clusters for id in cluster.ids}
    return {**found.to_dict(), "texts": {id: texts[id] for id in sorted(shown)}, "names": {page.id: page.name for page in pages}}


def learn(site: StoredSite) -> dict[str, Any]:
    """Learn the template of a site from its pages; the rules stay."""
    rules = site.model().rules if site.model_name else tamis.Rules()
    site.keep_model(tamis.learn((page.html for page in site.pages()), rules=rules))
    return site.model().describe()


def template(site: StoredSite) -> dict[str, Any]:
    """Return the description of a site model, with the layout of each page and the blocks that repeat on most pages."""
    model = site.model()
    pages = list(site.pages())
    layouts = {page.id: model.layout_of(tamis.parse(page.html))[0] for page in pages}
    counts: Counter[str] = Counter()
    for page in pages[:_SAMPLE]:
        counts.update(filter(None, model.template_text([page.html]).splitlines()))
    repeated = sorted(((count, text) for text, count in counts.items() if count > 1), key=lambda each: (-each[0], each[1]))
    return {
        **model.describe(),
        "page_layouts": layouts,
        "repeated": [{"pages": count, "text": text} for count, text in repeated[:_REPEATED]],
        "sampled": min(len(pages), _SAMPLE),
    }


def rule_effect(site: StoredSite, page_id: str, changed: tamis.Rules) -> dict[str, Any]:
    """Return the effect of other rules on one page, in characters."""
    page, model = site.page(page_id), site.model()
    tree, _ = parse_decoded(page.html)
    sides = (tamis.extract(tree, model=model.with_rules(rules)) for rules in (model.rules, changed))
    before, after = (document.selection.keep for document in sides)
    length = tree.text_length
    return {"id": page.id, "name": page.name, "gained": int(np.sum(length[after & ~before])), "lost": int(np.sum(length[before & ~after]))}


DOUBTFUL = (0.2, 0.8)  #: Between these probabilities of being main text a block is in doubt.


def survey_page(site: StoredSite, page_id: str) -> dict[str, Any]:
    """Tell of a page its title, and the shares of its characters that are kept, and in doubt."""
    page = site.page(page_id)
    document = tamis.extract(page.html, url=page.url, model=site.model() if site.model_name else None)
    length = document.tree.text_length
    probability = document.selection.scores.get("probability", np.zeros(len(length)))
    doubt = (probability > DOUBTFUL[0]) & (probability < DOUBTFUL[1])
    kept, doubtful = (float(length[which].sum() / max(length.sum(), 1)) for which in (document.selection.keep, doubt))
    return {"id": page.id, "title": document.metadata.title, "kept": round(kept, 4), "doubt": round(doubtful, 4)}


def save_rules(site: StoredSite, rules: tamis.Rules) -> None:
    """Put rules into the site's model."""
    site.keep_model(site.model().with_rules(rules))


def clean_page(site: StoredSite, page_id: str, wanted: CleanRequest) -> dict[str, Any]:
    """Clean one page of a site with its model."""
    page = site.page(page_id)
    request = ExtractRequest(html=page.html, url=page.url, **wanted.model_dump(exclude={"pages"}))
    return {"id": page.id, "name": page.name, **extract(request, site, Limits())}


def clean_together(pages: list[PageRequest], format: Format, limits: Limits) -> dict[str, Any]:
    """Learn the template of pages of one site, and clean each with it."""
    known = [read(page, limits) for page in pages]
    model = tamis.learn([html for html, _ in known])
    documents = [tamis.extract(html, url=url, model=model) for html, url in known]
    return {
        "pages": [
            {"url": url, format: document.render(format), "problems": list(document.problems)}
            for (_, url), document in zip(known, documents, strict=True)
        ],
        "template_text": model.template_text([html for html, _ in known]),
    }
