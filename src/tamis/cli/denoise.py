"""``tamis denoise``: a page without the blocks that its same-layer pages have, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tamis.cli import options, page, rendering, terminal
from tamis.cli.page import Form
from tamis.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from tamis.io.browser import Browser, BrowserSettings, RenderedPage
    from tamis.io.fetch import Limits
    from tamis.io.pages import Source
    from tamis.layer.denoising import Denoised, Denoising
    from tamis.layer.siblings import Layer, SeenPage

LAYER = "Same-layer pages"
_PAGES, _MORE_PAGES = 3, 5
"""Same-layer pages to compare with: at first, and where the first leave blocks undecided."""
_BEGINNING = 100
"""Characters of a block that are shown."""


def denoise(
    source: Annotated[str, typer.Argument(metavar="PAGE", help="A saved page (gzip too) or an http(s) address.")],
    *,
    siblings: Annotated[
        list[str] | None,
        typer.Option(
            "--siblings",
            metavar="SOURCE",
            rich_help_panel=LAYER,
            help="Pages to choose same-layer pages from: a folder, a file, a pattern, an archive. May be repeated. "
            "[default: of a saved page those of its folder, of an address those that it links to]",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            min=1,
            rich_help_panel=LAYER,
            help="How many same-layer pages to compare with. [default: 3, or 5 where 3 leave blocks undecided]",
        ),
    ] = None,
    min_support: Annotated[
        int | None,
        typer.Option(
            min=1,
            rich_help_panel=LAYER,
            help="Same-layer pages that must have a block for it to be noise. [default: 2, or 1 with an exact copy or a list of links]",
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(min=0.01, max=1, rich_help_panel=options.SELECTION, help="Share of a block's nodes that must match. [default: 0.8]"),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(min=0.01, max=1, rich_help_panel=options.SELECTION, help="Share of a block's words that must match. [default: 0.6]"),
    ] = None,
    paper: Annotated[
        bool,
        typer.Option("--paper", rich_help_panel=options.SELECTION, help="Judge as the paper does: what matches is noise, nothing else is."),
    ] = False,
    pdoc: Annotated[
        int,
        typer.Option(metavar="DOC", min=1, max=10, rich_help_panel=options.SELECTION, help="Permitted degree of coherence of the blocks."),
    ] = 5,
    main: Annotated[
        Literal["rest", "attenuation"],
        typer.Option("--main", rich_help_panel=options.SELECTION, help="Keep all the rest, or its main text by information attenuation."),
    ] = "rest",
    form: Annotated[Form, typer.Option("--format", "-f", help="Format of the output.")] = Form.TEXT,
    output: options.Output = None,
    overwrite: options.Overwrite = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show each block of the page, noise or not, and where it was found; with --format json as JSON."),
    ] = False,
    in_browser: Annotated[
        bool,
        typer.Option(
            "--browser/--estimated",
            rich_help_panel=rendering.BROWSER,
            help="Cut the page into blocks as Chromium shows it, or by a layout estimated from the markup.",
        ),
    ] = False,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    links: options.Links = True,
    images: options.Images = True,
    tables: options.Tables = True,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
) -> None:
    """Print a page without its noise: blocks that pages of the same layer of the site have, too.

    Same-layer pages hang under the same folder of the site and look alike by their addresses; pages of the same article are never taken.
    Ends with code 3 where nothing is left.

    Examples:

    - `tamis denoise https://example.org/news/tides.html`
    - `tamis denoise saved/news/tides.html --explain`
    - `tamis denoise tides.html --siblings saved/ -k 5 --format markdown`
    - `tamis denoise saved/tides.html --main attenuation -o tides.txt`
    """
    from tamis.document.render import Rendering
    from tamis.io.writing import refuse_existing

    refuse_existing(output, overwrite=overwrite)
    settings = _settings(alpha, beta, min_support, paper, pdoc, main)
    limits = options.limits(timeout, max_bytes, None)

    browser = rendering.settings(timeout=timeout, max_bytes=max_bytes, allow_private=allow_private) if in_browser else None

    def judged(count: int) -> tuple[Denoised, Layer]:
        from_the_web = not siblings and "://" in source
        layer = _from_the_web(source, count, limits, allow_private) if from_the_web else _chosen(source, siblings, count, limits)
        return _judged(layer, settings, url, browser), layer

    document, layer = judged(k or _PAGES)
    if k is None and document.unconfirmed and len(layer.pages) == _PAGES:
        terminal.say(f"{document.unconfirmed} blocks were found in one same-layer page only: comparing with up to {_MORE_PAGES}")
        document, layer = judged(_MORE_PAGES)
    _tell(document, layer)
    if explain:
        terminal.deliver(_as_json(document), output) if form is Form.JSON else terminal.deliver_lines(_lines(document), output)
    else:
        page.show(document, form, Rendering(links=links, images=images, tables=tables), output, nothing="nothing is left")


def _settings(
    alpha: float | None, beta: float | None, min_support: int | None, paper: bool, pdoc: int, main: Literal["rest", "attenuation"]
) -> Denoising:
    from dataclasses import replace

    from tamis.layer import SameLayer
    from tamis.layer.denoising import Denoising
    from tamis.segmentation import SegmentSettings

    judging = SameLayer.paper() if paper else SameLayer()
    matching = judging.matching
    matching = replace(matching, tag_similarity=alpha or matching.tag_similarity, text_similarity=beta or matching.text_similarity)
    judging = replace(judging, matching=matching, min_support=min_support or judging.min_support)
    return Denoising(judging, SegmentSettings(pdoc=pdoc), main)


def _judged(layer: Layer, settings: Denoising, url: str | None, browser: BrowserSettings | None) -> Denoised:
    """The page without what its same-layer pages have, too; all of them rendered where there is a browser."""
    from tamis.layer.denoising import denoise

    if browser is None:
        return denoise(layer.page, layer.pages, settings, url=url)
    from tamis.io.browser import Browser

    with Browser(browser) as chromium:
        return denoise(_seen(layer.page, chromium), [_again(each, chromium) for each in layer.pages], settings, url=url)


def _chosen(source: str, siblings: list[str] | None, k: int, limits: Limits) -> Layer:
    """The page, and the same-layer pages among those at hand: those that are named, else those of its folder."""
    from tamis.errors import SourceError
    from tamis.io.pages import HeldPage
    from tamis.io.sources import open_page, open_sources
    from tamis.layer.siblings import choose_siblings

    page: Source = open_page(source)
    if "://" in source:
        served = page.read(limits)
        page = HeldPage(served.url or source, served.html, served.url, served.content_type)
    places = siblings or [str(Path(source).parent)]
    among = [each for each in open_sources(places) if not _is_same(each, page)]
    if not among:
        raise SourceError(f"there is no page in {', '.join(places)} but the page itself: name others with --siblings")
    return choose_siblings(page, among, k)


def _is_same(one: Source, other: Source) -> bool:
    path = getattr(one, "path", None)
    return one.name == other.name or (path is not None and path == getattr(other, "path", None))


def _from_the_web(url: str, k: int, limits: Limits, allow_private: bool) -> Layer:
    """The page and its same-layer pages, fetched."""
    from tamis.crawl import CrawlSettings, siblings

    terminal.say(f"looking for same-layer pages of {url}")
    return siblings(url, k, CrawlSettings(timeout=limits.total, max_bytes=limits.max_bytes, allow_private=allow_private))


def _seen(page: SeenPage, chromium: Browser) -> RenderedPage:
    """A page as Chromium shows it: again from the web, or from the file with what is beside it."""
    path = getattr(page.source, "path", None)
    if path is None and page.url is None:
        raise UsageError(f"--browser renders files and addresses, and {page.name} is neither")
    rendered = chromium.render(file=Path(path), base_url=page.url) if path is not None else chromium.render(url=page.url)
    for note in rendered.notes:
        terminal.say(note)
    return rendered


def _again(page: SeenPage, chromium: Browser) -> SeenPage:
    """A same-layer page as Chromium has it after scripts; as it was read where that fails."""
    from dataclasses import replace

    from tamis.errors import RenderError

    try:
        return replace(page, tree=_seen(page, chromium).tree)
    except RenderError as error:
        terminal.say(f"{error}; so it is compared with as it was read")
        return page


def _tell(document: Denoised, layer: Layer) -> None:
    """Say what the page was compared with, and what was passed over."""
    for other in document.siblings:
        terminal.say(f"compared with {other.name}")
    for name, reason in (*layer.passed, *document.passed):
        if terminal.VOICE.verbose:
            terminal.say(f"not compared with {name}: {reason}")
    if not document.siblings:
        terminal.say("there is no same-layer page to compare with: nothing is known to be noise (-v says what was passed over)")


def _as_json(document: Denoised) -> str:
    values = {
        "url": document.url,
        "layout": _layout(document),
        "siblings": [other.name for other in document.siblings],
        "blocks": document.explain(),
        "problems": list(document.problems),
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _layout(document: Denoised) -> str:
    return "estimated" if document.segmentation is None or document.segmentation.estimated else "rendered"


def _lines(document: Denoised) -> list[Text]:
    from rich.text import Text

    blocks = document.explain()
    noise = sum(block["noise"] for block in blocks)
    head = f"{noise} of {len(blocks)} blocks are noise (-); layout {_layout(document)}; same-layer pages: {len(document.siblings)}"
    lines = [Text(head, "bold")]
    for block in blocks:
        mark = ("- ", "red") if block["noise"] else ("+ ", "bold green")
        lines.append(Text.assemble(mark, _beginning(block["text"]) or "(no text)"))
        lines.append(Text(f"    {block['reason']} · {' + '.join(block['xpath'])}", "dim"))
        if block["evidence"]:
            lines.append(Text(f"    {_found(block['evidence'])}", "dim"))
    return lines


def _beginning(text: str) -> str:
    return text if len(text) <= _BEGINNING else text[:_BEGINNING].rstrip() + "…"


def _found(evidence: list[dict[str, Any]]) -> str:
    """Where a block is most alike, and in how many pages it is."""
    best = max(evidence, key=lambda found: found["tag_similarity"] + found["text_similarity"])
    likeness = f"tags {best['tag_similarity']:.0%}, text {best['text_similarity']:.0%}"
    return f"in {len(evidence)} of them: {likeness} at {best['xpath']} of {best['page']}"
