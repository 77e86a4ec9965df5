"""``tamis extract``: the main text of one page."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

import tamis
from tamis.cli import options, page, render, terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from tamis.content.node_model import Prediction


def extract(
    source: Annotated[str, Argument(metavar="PAGE")],
    *,
    form: options.PageFormat = None,
    markdown: bool = False,
    html: bool = False,
    as_json: options.Json = False,
    target: options.Target,
    explain: bool = False,
    url: options.Url = None,
    encoding: options.Encoding = None,
    comments: bool = False,
    chunking: options.Chunks,
    shown: options.ShownOptions,
    selection: options.SelectionOptions,
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
    - `tamis extract page.html --chunks 300 -o chunks.jsonl`
    - `tamis extract page.html --explain`
    - `tamis extract site/page.html --model site.model`
    - `tamis extract article.html --method attenuation --explain`
    - `tamis extract https://example.org/app --browser`

    Options:
        source: A saved page (gzip too), an http(s) address, or - for standard input.
        markdown: Short for --format markdown.
        html: Short for --format html.
        explain: Show how the main text was found, and each block of the page with its reason.
        comments: Keep visitors' comments in the text; JSON also lists them, and the posts of a thread, by author, date and text.

    Browser:
        in_browser: Render the page in Chromium first; scripts run if it is from the web.
    """
    chunks = chunking.settings()
    if chunks and (form not in (None, "text") or markdown or html or as_json or explain):
        raise UsageError("--chunks prints JSON lines: leave out --format, --markdown, --html, --json and --explain")
    if chunks and target.output and target.output.suffix.lower() not in ("", ".txt", ".jsonl", ".ndjson"):
        raise UsageError(f"--chunks prints JSON lines: name the file .jsonl, not {target.output}")
    output = None if chunks else target.output
    form = options.by_name(form, output, options.BY_ENDING, markdown=markdown, html=html, as_json=as_json) or "text"
    rendering = shown.rendering((form,))
    how = {"method": selection.settings(), "model": selection.site_model(), "comments": comments}
    if in_browser or javascript:
        for name, value in (("--encoding", encoding), ("--retries", fetching.retries)):
            if value is not None:
                raise UsageError(f"{name} is not for --browser")
        browser = render.RenderOptions(
            url, javascript=javascript, allow_private=allow_private, timeout=fetching.timeout, max_bytes=fetching.max_bytes
        )
        seen = browser.page(source)
        document = tamis.extract(seen.tree, url=url or seen.url, **how)  # type: ignore[arg-type]  # named by their keys
    elif allow_private or javascript is not None:
        raise UsageError(f"{'--allow-private' if allow_private else '--no-javascript'} is for --browser")
    else:
        document = page.cleaned(source, url, encoding, fetching.limits(), **how)
    if chunks:
        page.show_chunks(document, source, chunks, rendering, target.output)
    elif not explain:
        page.show(document, form, rendering, target.output, comments=comments)
    elif form == "json":
        terminal.deliver_json(_explanation(document), target.output)
    else:
        terminal.deliver_lines(_explained_lines(document), target.output)


def _explanation(document: tamis.Document) -> dict[str, Any]:
    """Return the descent and all blocks as plain values, with the whole text of each block; of the node model all its evidence."""
    values: dict[str, Any] = {
        "url": document.url,
        "method": document.selection.method,
        "trail": [
            {"path": document.tree.xpath(step.node), "characters": step.length, "attenuation": round(step.attenuation, 4)}
            for step in document.selection.trail
        ],
        "blocks": [block.to_dict() for block in document.blocks],
        "problems": list(document.problems),
    }
    if (judged := _prediction(document)) is not None:
        from tamis.content.evidence import COLUMNS

        rows = zip(judged.blocks.texts(document.tree), judged.probability.tolist(), judged.evidence.values.tolist(), strict=True)
        values["model"] = {
            **{name: getattr(judged, name) for name in ("page_types", "confidence", "threshold")},
            "evidence": [
                {
                    "text": text,
                    "probability": share,
                    **{name: None if isnan(value) else value for name, value in zip(COLUMNS, row, strict=True)},
                }
                for text, share, row in rows
            ],
        }
    return values


def _prediction(document: tamis.Document) -> Prediction | None:
    """Return the node model's judgement of the page, if it took part in the selection."""
    from tamis.content.node_model import predict

    return predict(document.tree) if "model" in document.selection.method else None


def _explained_lines(document: tamis.Document) -> Iterator[Text]:
    from rich.text import Text

    line = Text.assemble
    selection = document.selection
    if selection.trail:
        yield line(
            ("Descent", "bold"), (f" ({selection.method}): characters outside links, share that the best child lacks, element", "dim")
        )
        for step in selection.trail:
            yield line(f"{step.length:>9,}  {step.attenuation:>6.3f}  ", (document.tree.xpath(step.node), "cyan"))
        yield line()
    judged = _prediction(document)
    if judged is not None and judged.page_types:
        likely = ", ".join(f"{name} {share:.0%}" for name, share in list(judged.page_types.items())[:3])
        yield line(("Node model", "bold"), (f": page type {likely}; threshold {judged.threshold:.2f};", "dim"))
        yield line((f"expected F1 {judged.confidence:.2f} (--json shows all evidence for each block)", "dim"))
        yield line()
    kept = sum(block.kept for block in document.blocks)
    yield line(("Blocks", "bold"), (f": {kept} kept (+) of {len(document.blocks)}", "dim"))
    for block in document.blocks:
        yield line(terminal.KEPT if block.kept else terminal.DROPPED, terminal.beginning(block.text))
        yield line((f"    {block.reason} · links {block.link_density:.0%} · {block.xpath}", "dim"))
    for problem in document.problems:
        yield line((f"Note: {problem}", "yellow"))
