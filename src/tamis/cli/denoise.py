"""``tamis denoise``: a page without the blocks that its same-layer pages share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from rich.text import Text
from typer import Argument, Option

import tamis
from tamis.cli import options, page, terminal
from tamis.crawl import CrawlSettings
from tamis.crawl import siblings as crawled_siblings
from tamis.errors import SourceError
from tamis.io.pages import HeldPage, Source
from tamis.io.sources import open_page, open_sources
from tamis.layer.siblings import Layer, choose_siblings

_PAGES, _MORE_PAGES = 3, 5  #: Same-layer pages to compare with: at first, and if the first leave blocks undecided.
_Share = Annotated[float | None, Option(min=0.01, max=1)]


def denoise(
    source: Annotated[str, Argument(metavar="PAGE")],
    *,
    siblings: Annotated[list[str] | None, Option("--siblings", metavar="SOURCE")] = None,
    k: Annotated[int | None, Option("-k", min=1)] = None,
    min_support: Annotated[int | None, Option(min=1)] = None,
    alpha: _Share = None,
    beta: _Share = None,
    paper: bool = False,
    pdoc: Annotated[int, Option(metavar="DOC", min=1, max=10)] = 5,
    form: options.PageFormat = None,
    as_json: options.Json = False,
    target: options.Target,
    explain: bool = False,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    shown: options.ShownOptions,
    fetching: options.Fetching,
) -> None:
    """Print a page without its noise: the blocks that same-layer pages of the site share.

    Same-layer pages are in the same folder of the site and have similar addresses; other parts of the same article are never used.
    The command ends with code 3 if nothing is left.

    Examples:

    - `tamis denoise https://example.org/news/tides.html`
    - `tamis denoise saved/news/tides.html --explain`
    - `tamis denoise tides.html --siblings saved/ -k 5 --format markdown`
    - `tamis denoise saved/tides.html -o tides.txt`

    Options:
        source: A saved page (gzip too) or an http(s) address.
        explain: Show each block, whether it is noise, and where else it was found; as JSON with --format json.

    Same-layer pages:
        siblings: Pages to choose same-layer pages from: a folder, a file, a pattern, an archive. May be repeated.
            [default: for a saved page its folder, for an address the pages that it links to]
        k: Number of same-layer pages to compare with. [default: 3, or 5 if 3 leave blocks undecided]
        min_support: Same-layer pages that must have a block for it to be noise. [default: 2, or 1 with an exact copy or a list of links]

    What is selected:
        alpha: Share of a block's nodes that must match. [default: 0.8]
        beta: Share of a block's words that must match. [default: 0.6]
        paper: The paper's method: only blocks that match are noise.
        pdoc: Permitted degree of coherence of the blocks.
    """
    form = options.by_name(form, target.output, options.BY_ENDING, as_json=as_json) or "text"
    settings = tamis.Denoising.paper() if paper else tamis.Denoising()
    judging, matching = settings.judging, settings.judging.matching
    matching = replace(matching, tag_similarity=alpha or matching.tag_similarity, text_similarity=beta or matching.text_similarity)
    judging = replace(judging, matching=matching, min_support=min_support or judging.min_support)
    settings = replace(settings, judging=judging, segmentation=replace(settings.segmentation, pdoc=pdoc))
    limits = fetching.limits()

    def judged(count: int) -> tuple[tamis.Denoised, Layer]:
        if siblings or "://" not in source:
            layer = _layer_of(source, siblings, count, limits)
        else:
            terminal.say(f"looking for same-layer pages of {source}")
            crawling = CrawlSettings(timeout=limits.total, max_bytes=limits.max_bytes, allow_private=allow_private)
            layer = crawled_siblings(source, count, crawling)
        return tamis.denoise(layer.page, layer.pages, settings, url=url), layer

    document, layer = judged(k or _PAGES)
    if k is None and document.unconfirmed and len(layer.pages) == _PAGES:
        terminal.say(f"{document.unconfirmed} blocks were found in one same-layer page only: comparing with up to {_MORE_PAGES}")
        document, layer = judged(_MORE_PAGES)
    for other in document.siblings:
        terminal.say(f"compared with {other.name}")
    for name, reason in (*layer.passed, *document.passed) if terminal.VOICE.verbose else ():
        terminal.say(f"not compared with {name}: {reason}")
    if not document.siblings:
        terminal.say("there is no same-layer page to compare with, so no block is known to be noise (-v lists the rejected pages)")
    if not explain:
        page.show(document, form, shown.rendering((form,)), target.output, nothing="nothing is left")
    elif form == "json":
        values = {"url": document.url, "siblings": [other.name for other in document.siblings], "blocks": document.explain()}
        terminal.deliver_json({**values, "problems": list(document.problems)}, target.output)
    else:
        terminal.deliver_lines(_denoised_lines(document), target.output)


def _layer_of(source: str, siblings: list[str] | None, k: int, limits: tamis.Limits) -> Layer:
    """Return the page, and same-layer pages from the named sources, or from its folder."""
    page: Source = open_page(source)
    if "://" in source:
        served = page.read(limits)
        page = HeldPage(served.url or source, served.html, served.url, served.content_type)
    places = siblings or [str(Path(source).parent)]
    among = list(open_sources(places))
    layer = choose_siblings(page, among, k)
    if len(among) < 2 and not layer.pages:
        raise SourceError(f"there is no page in {', '.join(places)} but the page itself: name others with --siblings")
    return layer


def _denoised_lines(document: tamis.Denoised) -> list[Text]:
    blocks = document.explain()
    noise = sum(block["noise"] for block in blocks)
    head = f"{noise} of {len(blocks)} blocks are noise (-); same-layer pages: {len(document.siblings)}"
    lines = [Text(head, "bold")]
    for block in blocks:
        lines.append(Text.assemble(terminal.DROPPED if block["noise"] else terminal.KEPT, terminal.beginning(block["text"]) or "(no text)"))
        lines.append(Text(f"    {block['reason']} · {' + '.join(block['xpath'])}", "dim"))
        if evidence := block["evidence"]:
            best = max(evidence, key=lambda found: found["tag_similarity"] + found["text_similarity"])
            likeness = f"tags {best['tag_similarity']:.0%}, text {best['text_similarity']:.0%}"
            lines.append(Text(f"    in {len(evidence)} of them: {likeness} at {best['xpath']} of {best['page']}", "dim"))
    return lines
