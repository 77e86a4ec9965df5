"""``tamis denoise``: a page without the blocks that its same-layer pages share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from tamis.cli import options, page, terminal
from tamis.cli.page import Form
from tamis.cli.rendering import Rendered
from tamis.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from tamis.io.browser import Browser, BrowserSettings, RenderedPage
    from tamis.io.fetch import Limits
    from tamis.io.pages import Source
    from tamis.layer.denoising import Denoised, Denoising
    from tamis.layer.siblings import Layer, SeenPage

_PAGES, _MORE_PAGES = 3, 5
"""Same-layer pages to compare with: at first, and if the first leave blocks undecided."""
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
    form: Annotated[Form, Option("--format", "-f")] = Form.TEXT,
    target: options.Target,
    explain: bool = False,
    in_browser: Annotated[bool, Option("--browser/--estimated")] = False,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    shown: options.Shown,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
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
        form: Format of the output.
        explain: Show each block of the page, noise or not, and where else it was found; with --format json as JSON.

    Same-layer pages:
        siblings: Pages to choose same-layer pages from: a folder, a file, a pattern, an archive. May be repeated.
            [default: for a saved page its folder, for an address the pages that it links to]
        k: How many same-layer pages to compare with. [default: 3, or 5 if 3 leave blocks undecided]
        min_support: Same-layer pages that must have a block for it to be noise. [default: 2, or 1 with an exact copy or a list of links]

    What is selected:
        alpha: Share of a block's nodes that must match. [default: 0.8]
        beta: Share of a block's words that must match. [default: 0.6]
        paper: Judge as the paper does: only blocks that match are noise.
        pdoc: Permitted degree of coherence of the blocks.

    Browser:
        in_browser: Cut the page into blocks as Chromium shows it, or by a layout estimated from the markup.
    """
    settings = _settings(alpha, beta, min_support, paper, pdoc)
    limits = options.Fetching(timeout, max_bytes).limits()
    browser = Rendered(allow_private=allow_private, timeout=timeout, max_bytes=max_bytes).settings() if in_browser else None

    def judged(count: int) -> tuple[Denoised, Layer]:
        from_the_web = not siblings and "://" in source
        layer = _from_the_web(source, count, limits, allow_private) if from_the_web else _chosen(source, siblings, count, limits)
        return _judged(layer, settings, url, browser), layer

    document, layer = judged(k or _PAGES)
    if k is None and document.unconfirmed and len(layer.pages) == _PAGES:
        terminal.say(f"{document.unconfirmed} blocks were found in one same-layer page only: comparing with up to {_MORE_PAGES}")
        document, layer = judged(_MORE_PAGES)
    _say_compared(document, layer)
    if not explain:
        page.show(document, form, shown.rendering(), target.output, nothing="nothing is left")
    elif form is Form.JSON:
        terminal.deliver_json(_as_dict(document), target.output)
    else:
        terminal.deliver_lines(_lines(document), target.output)


def _settings(alpha: float | None, beta: float | None, min_support: int | None, paper: bool, pdoc: int) -> Denoising:
    from tamis.layer import SameLayer
    from tamis.layer.denoising import Denoising
    from tamis.segmentation import SegmentSettings

    judging = SameLayer.paper() if paper else SameLayer()
    matching = judging.matching
    matching = replace(matching, tag_similarity=alpha or matching.tag_similarity, text_similarity=beta or matching.text_similarity)
    judging = replace(judging, matching=matching, min_support=min_support or judging.min_support)
    return Denoising(judging, SegmentSettings(pdoc=pdoc))


def _judged(layer: Layer, settings: Denoising, url: str | None, browser: BrowserSettings | None) -> Denoised:
    """The page without the blocks that its same-layer pages share; with a browser, all of them are rendered first."""
    from tamis.layer.denoising import denoise

    if browser is None:
        return denoise(layer.page, layer.pages, settings, url=url)
    from tamis.io.browser import Browser

    with Browser(browser) as chromium:
        return denoise(_seen(layer.page, chromium), [_again(each, chromium) for each in layer.pages], settings, url=url)


def _chosen(source: str, siblings: list[str] | None, k: int, limits: Limits) -> Layer:
    """The page, and same-layer pages from the named sources, or from its folder."""
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
    """A page as Chromium shows it: fetched again, or from its file."""
    path = getattr(page.source, "path", None)
    if path is None and page.url is None:
        raise UsageError(f"--browser renders files and addresses, and {page.name} is neither")
    rendered = chromium.render(file=Path(path), base_url=page.url) if path is not None else chromium.render(url=page.url)
    for note in rendered.notes:
        terminal.say(note)
    return rendered


def _again(page: SeenPage, chromium: Browser) -> SeenPage:
    """A same-layer page after its scripts have run; without rendering if that fails."""
    from tamis.errors import RenderError

    try:
        return replace(page, tree=_seen(page, chromium).tree)
    except RenderError as error:
        terminal.say(f"{error}; it is compared without rendering")
        return page


def _say_compared(document: Denoised, layer: Layer) -> None:
    """Name the pages that the page was compared with; with ``--verbose`` also those that were rejected."""
    for other in document.siblings:
        terminal.say(f"compared with {other.name}")
    for name, reason in (*layer.passed, *document.passed):
        if terminal.VOICE.verbose:
            terminal.say(f"not compared with {name}: {reason}")
    if not document.siblings:
        terminal.say("there is no same-layer page to compare with, so no block is known to be noise (-v lists the rejected pages)")


def _as_dict(document: Denoised) -> dict[str, Any]:
    return {
        "url": document.url,
        "layout": _layout(document),
        "siblings": [other.name for other in document.siblings],
        "blocks": document.explain(),
        "problems": list(document.problems),
    }


def _layout(document: Denoised) -> str:
    return "estimated" if document.segmentation is None or document.segmentation.estimated else "rendered"


def _lines(document: Denoised) -> list[Text]:
    from rich.text import Text

    from tamis.cli.explanation import DROPPED, KEPT

    blocks = document.explain()
    noise = sum(block["noise"] for block in blocks)
    head = f"{noise} of {len(blocks)} blocks are noise (-); layout {_layout(document)}; same-layer pages: {len(document.siblings)}"
    lines = [Text(head, "bold")]
    for block in blocks:
        lines.append(Text.assemble(DROPPED if block["noise"] else KEPT, terminal.beginning(block["text"]) or "(no text)"))
        lines.append(Text(f"    {block['reason']} · {' + '.join(block['xpath'])}", "dim"))
        if evidence := block["evidence"]:
            best = max(evidence, key=lambda found: found["tag_similarity"] + found["text_similarity"])
            likeness = f"tags {best['tag_similarity']:.0%}, text {best['text_similarity']:.0%}"
            lines.append(Text(f"    in {len(evidence)} of them: {likeness} at {best['xpath']} of {best['page']}", "dim"))
    return lines
