"""``tamis extract``: the main text of one page."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

import tamis
from tamis.cli import explanation, options, page, render
from tamis.cli.page import Form
from tamis.errors import UsageError


def extract(
    source: Annotated[str, Argument(metavar="PAGE")],
    *,
    form: Annotated[Form | None, Option("--format", "-f")] = None,
    markdown: bool = False,
    html: bool = False,
    as_json: options.Json = False,
    target: options.Target,
    metadata: bool = False,
    explain: bool = False,
    url: options.Url = None,
    encoding: Annotated[str | None, Option(metavar="NAME")] = None,
    title: bool = False,
    front_matter: bool = False,
    comments: bool = False,
    shown: options.Shown,
    selection: options.Selection,
    in_browser: Annotated[bool, Option("--browser")] = False,
    javascript: render.JavaScript = None,
    allow_private: options.AllowPrivate = False,
    fetching: options.Fetching,
) -> None:
    """Print the main text of one page.

    If nothing is selected, the command ends with code 3 and the reason on standard error.

    Examples:

    - `tamis extract page.html`
    - `tamis extract https://example.org/article --markdown -o article.md`
    - `curl -s https://example.org | tamis extract - --url https://example.org --json`
    - `tamis extract page.html --explain`
    - `tamis extract site/page.html --model site.model`
    - `tamis extract article.html --method attenuation --explain`
    - `tamis extract https://example.org/app --browser`

    Options:
        source: A saved page (gzip too), an http(s) address, or - for standard input.
        form: Format of the output. [default: text]
        markdown: Short for --format markdown.
        html: Short for --format html.
        metadata: Print title, author, date and more before the text, as a JSON object and an empty line.
        explain: Show how the main text was found, and each block of the page with the reason for it.
        encoding: Encoding of the page, instead of the detected one.
        title: Put the page's title first.
        front_matter: Begin Markdown with title, author, date, address, site and language as YAML.
        comments: Keep visitors' comments; JSON lists them by author, date and text.

    Browser:
        in_browser: Render the page in Chromium first: scripts run if it is from the web.
    """
    short = [name for name, wanted in zip((Form.MARKDOWN, Form.HTML, Form.JSON), (markdown, html, as_json), strict=True) if wanted]
    if len(short) > 1:
        raise UsageError(f"choose one format, not --{' and --'.join(short)}")
    if short and form is not None and form is not short[0]:
        raise UsageError(f"--{short[0]} contradicts --format {form}")
    form = short[0] if short else form or Form.TEXT
    if metadata and form is Form.HTML:
        raise UsageError("--metadata goes before text or Markdown, not HTML; --json has both")
    if front_matter and form is not Form.MARKDOWN:
        raise UsageError("--front-matter is for --markdown")
    how = {"method": selection.settings(), "model": selection.site_model(), "comments": comments}
    if in_browser or javascript:
        for name, value in (("--encoding", encoding), ("--retries", fetching.retries)):
            if value is not None:
                raise UsageError(f"{name} is not for --browser")
        browser = render.Rendered(
            url, javascript=javascript, allow_private=allow_private, timeout=fetching.timeout, max_bytes=fetching.max_bytes
        )
        seen = browser.page(source)
        document = tamis.extract(seen.tree, url=url or seen.url, **how)  # type: ignore[arg-type]  # named by their keys
    elif allow_private or javascript is not None:
        raise UsageError(f"{'--allow-private' if allow_private else '--no-javascript'} is for --browser")
    else:
        document = page.cleaned(source, url, encoding, fetching.limits(), **how)
    if explain:
        explanation.show(document, target.output, as_json=form is Form.JSON)
        return
    page.show(document, form, shown.rendering(title=title, front_matter=front_matter), target.output, metadata=metadata, comments=comments)
