"""``tamis extract``: the main text of one page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tamis.cli import options, page, rendering, terminal
from tamis.cli.page import Form
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.document.document import Document


def extract(
    source: Annotated[str, typer.Argument(metavar="PAGE", help="A saved page (gzip too), an http(s) address, or - for standard input.")],
    *,
    form: Annotated[Form | None, typer.Option("--format", "-f", help="Format of the output. [default: text]")] = None,
    text: Annotated[bool, typer.Option("--text", help="Short for --format text.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Short for --format markdown.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Short for --format html.")] = False,
    as_json: options.Json = False,
    output: options.Output = None,
    overwrite: options.Overwrite = False,
    metadata: Annotated[
        bool, typer.Option("--metadata", help="Put title, author, date and more before the text, as a JSON object and an empty line.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how the main text was found, and each block of the page with the reason for it.")
    ] = False,
    url: options.Url = None,
    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="Encoding of the page, where you know better.")] = None,
    links: options.Links = True,
    images: options.Images = True,
    tables: options.Tables = True,
    title: Annotated[bool, typer.Option("--title", help="Put the page's title first.")] = False,
    front_matter: Annotated[
        bool, typer.Option("--front-matter", help="Begin Markdown with title, author, date, address, site and language as YAML.")
    ] = False,
    comments: Annotated[
        bool, typer.Option("--comments", help="Keep visitors' comments; JSON lists them by author, date and text.")
    ] = False,
    method: options.Method = None,
    threshold: options.Threshold = None,
    link_density: options.LinkDensity = None,
    precision: options.Precision = False,
    recall: options.Recall = False,
    model: options.Model = None,
    in_browser: rendering.InBrowser = False,
    javascript: rendering.JavaScript = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
    retries: options.Retries = None,
) -> None:
    """Print the main text of one page.

    Ends with code 3, and the reason on standard error, where nothing is selected.

    Examples:

    - `tamis extract page.html`
    - `tamis extract https://example.org/article --markdown -o article.md`
    - `curl -s https://example.org | tamis extract - --url https://example.org --json`
    - `tamis extract page.html --explain`
    - `tamis extract site/page.html --model site.model`
    - `tamis extract article.html --method attenuation --explain`
    - `tamis extract https://example.org/app --browser`
    """
    import tamis
    from tamis.document.render import Rendering
    from tamis.io.writing import refuse_existing

    short = [name for name, wanted in zip(Form, (text, markdown, html, as_json), strict=False) if wanted]
    if len(short) > 1:
        raise UsageError(f"choose one format, not --{' and --'.join(short)}")
    if short and form is not None and form is not short[0]:
        raise UsageError(f"--{short[0]} contradicts --format {form}")
    form = short[0] if short else form or Form.TEXT
    if metadata and form is Form.HTML:
        raise UsageError("--metadata goes before text or Markdown, not HTML; --json has both")
    if front_matter and form is not Form.MARKDOWN:
        raise UsageError("--front-matter is for --markdown")
    refuse_existing(output, overwrite=overwrite)
    chosen = options.method_of(method, threshold, link_density, precision, recall)
    site = options.site_model(model)
    if not in_browser and not javascript and (allow_private or javascript is not None):
        raise UsageError(f"{'--allow-private' if allow_private else '--no-javascript'} is for --browser")
    if in_browser or javascript:
        if encoding is not None or retries is not None:
            raise UsageError(f"{'--encoding' if encoding is not None else '--retries'} is not for --browser")
        browser = rendering.settings(timeout=timeout, max_bytes=max_bytes, javascript=javascript, allow_private=allow_private)
        seen = rendering.rendered(source, browser, url=url)
        document = tamis.extract(seen.tree, url=url or seen.url, method=chosen, model=site, comments=comments)
    else:
        limits = options.limits(timeout, max_bytes, retries)
        document = page.cleaned(source, url, encoding, limits, method=chosen, model=site, comments=comments)
    if explain:
        _explain(document, form, output)
        return
    shown = Rendering(links=links, images=images, tables=tables, title=title, front_matter=front_matter)
    page.show(document, form, shown, output, metadata=metadata, comments=comments)


def _explain(document: Document, form: Form, output: Path | None) -> None:
    from tamis.cli import explanation

    if form is Form.JSON:
        terminal.deliver(json.dumps(explanation.as_dict(document), ensure_ascii=False, indent=2) + "\n", output)
    else:
        explanation.show(document, output)
