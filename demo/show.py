"""``make demo``: write the demo site, clean it, and show what was kept, what was dropped, and how well that fits the gold."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.cells import set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tamis import Block, Document, SiteModel, TamisError, extract
from tamis.cli import options
from tamis.errors import MissingExtraError
from tamis.io.pages import Source
from tamis.io.sources import open_sources
from tamis.io.writing import check_outputs

_SHOWN = ("news/reading-room.html", "handbook/configuration.html", "zh/forum/lansheng.html")
"""Pages of the demo site to look at: a merged table, code, and GB18030 bytes that declare nothing."""
_ROWS = 12


def demo(
    site: Annotated[str | None, typer.Argument(help="A folder of saved pages, a page or a URL to clean instead of the demo site.")] = None,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the demo site and the cleaned pages.", show_default="out/demo, replaced"),
    ] = None,
    overwrite: options.Overwrite = False,
    pages: Annotated[int, typer.Option(help="How many pages to show.", min=0)] = 3,
) -> None:
    """Clean a site made for the purpose (or SITE) and show what was kept and dropped."""
    console = Console(highlight=False)
    out = output or Path("out/demo")
    try:
        check_outputs(output, overwrite=overwrite)
        _own_site(console, out, pages) if site is None else _other_site(console, site, out, pages)
    except TamisError as error:
        typer.echo(f"demo: {error}", err=True)
        raise typer.Exit(2) from error


def _own_site(console: Console, out: Path, shown: int) -> None:
    from demo import write_site
    from demo.measure import measure

    folder = out / "site"
    shutil.rmtree(folder, ignore_errors=True)
    written = write_site(folder)
    _step(console, "wrote", f"{len(written)} pages of Lantern Bay Online to {folder}")
    sources = list(open_sources([str(folder)]))
    alone, cleaned = _clean(sources, {}), _clean(sources, _learn(console, sources))
    _write_jsonl(console, cleaned, out)
    for path in _SHOWN[:shown]:
        _show_page(console, path, cleaned[path])
    gold = [(page.path, page.gold) for page in written]
    by_itself, by_template = (measure({path: page.text for path, page in pages.items()}, gold) for pages in (alone, cleaned))
    table = Table(title="fit with gold.json: every page by itself -> by the template", title_justify="left", box=None, pad_edge=False)
    for name in ("layout", "pages", "F1", "main kept", "noise removed"):
        table.add_column(name, justify="left" if name == "layout" else "right", header_style="bold")
    for before, after in zip(by_itself, by_template, strict=True):
        pairs = (
            (before.f1, after.f1, ".3f"),
            (before.main_kept, after.main_kept, ".0%"),
            (before.noise_removed, after.noise_removed, ".0%"),
        )
        measured = (f"  {old:{form}} -> {new:{form}}" for old, new, form in pairs)
        table.add_row(after.layout, str(after.pages), *measured)
    console.print(table)
    console.print()
    _corpus(console, str(folder), out)
    _step(console, "inspect", f"{_command()} inspect {folder}")
    _papers(console, folder / "news", out)


def _papers(console: Console, folder: Path, out: Path) -> None:
    """What the five papers' methods find on a page: the sentences here, the tables in a file."""
    from tamis.layer.siblings import choose_siblings, see
    from tamis.papers.html import to_html
    from tamis.papers.report import report

    page, *others = sorted(open_sources([str(folder)]), key=lambda source: "reading-room" not in source.name)
    found = report(choose_siblings(page, others), [see(source) for source in others])
    target = out / "papers.html"
    target.write_text(to_html(found), encoding="utf-8")
    console.print()
    console.print(Text(f"the five papers on {found.page}", "bold"))
    for section in found.sections:
        console.print(Text.assemble((f" {section.number}. {section.title}", "bold green"), (f"  {section.source}", "dim")))
        for fact in section.facts:
            console.print(Text(f"    {_cut(fact, console.width - 4)}"))
    _step(console, "open", f"{target}, or {_command()} papers {folder}")


def _command() -> str:
    """How to call tamis here: by name, or by its place in the virtual environment."""
    if shutil.which("tamis"):
        return "tamis"
    beside = Path(sys.executable).with_name("tamis")
    return str(beside.relative_to(Path.cwd()) if beside.is_relative_to(Path.cwd()) else beside)


def _other_site(console: Console, site: str, out: Path, shown: int) -> None:
    sources = list(open_sources([site]))
    cleaned = _clean(sources, _learn(console, sources))
    _write_jsonl(console, cleaned, out)
    full = [path for path, document in cleaned.items() if document.text]
    for path in full[:: max(len(full) // max(shown, 1), 1)][:shown]:
        _show_page(console, path, cleaned[path])
    _corpus(console, site, out)


def _corpus(console: Console, site: str, out: Path) -> None:
    """The same pages through the corpus pipeline: documents as rows, duplicates collapsed, a report to open."""
    from tamis.corpus.config import CorpusConfig
    from tamis.corpus.pipeline import run
    from tamis.corpus.report import write_report

    folder = out / "corpus"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        summary = run(CorpusConfig((site,), str(folder)))
        report = write_report(folder)
    except MissingExtraError as error:
        _step(console, "left out", f"the corpus pipeline: {error}")
        return
    documents = f"{summary.documents} documents in {folder / 'documents'}"
    _step(console, "corpus", f"{documents}, {summary.duplicates} near-duplicates collapsed, {summary.empty} pages without text")
    _step(console, "open", str(report))


def _learn(console: Console, sources: list[Source]) -> dict[str, SiteModel]:
    from tamis.site.sites import learn_sites

    models, _ = learn_sites(sources)
    for site, model in models.items():
        _step(
            console,
            "learned",
            f"the template of {site.removeprefix(f'{Path.cwd()}/')} from {model.sample.pages} pages of {len(model.layouts)} layouts",
        )
    return models


def _clean(sources: list[Source], models: Mapping[str, SiteModel]) -> dict[str, Document]:
    """Documents by name; a page that cannot be read is passed over, unless it is the only one."""
    from tamis.site.sites import site_of

    cleaned: dict[str, Document] = {}
    for source in sources:
        try:
            served = source.read()
        except TamisError:
            if len(sources) == 1:
                raise
            continue
        cleaned[str(source.place)] = extract(
            served.html, url=served.url, content_type=served.content_type, model=models.get(site_of(source))
        )
    return cleaned


def _write_jsonl(console: Console, cleaned: dict[str, Document], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    target = out / "clean.jsonl"
    rows = (json.dumps({"path": path, **document.to_dict()}, ensure_ascii=False) for path, document in cleaned.items())
    target.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    empty = sum(not document.text for document in cleaned.values())
    count = f"{len(cleaned)} page{'' if len(cleaned) == 1 else 's'}"
    _step(console, "cleaned", f"{count} to {target}" + (f" ({empty} without text)" if empty else ""))
    console.print()


def _step(console: Console, verb: str, rest: str) -> None:
    console.print(Text.assemble((f"{verb:>8} ", "bold green"), rest))


def _show_page(console: Console, path: str, document: Document) -> None:
    """A page in a dozen lines: kept lines as they are, dropped ones run by run."""
    encoding = f"{document.encoding.name} ({document.encoding.source})" if document.encoding else "text"
    kept = sum(len(block.text) for block in document.blocks if block.kept)
    share = kept / max(sum(len(block.text) for block in document.blocks), 1)
    console.print(Text.assemble((path, "bold"), (f"  {encoding}, {share:.0%} of the characters kept", "dim")))
    rows = list(_rows(document.blocks, console.width))
    for row in _middle_left_out(rows):
        console.print(row, no_wrap=True, overflow="ellipsis")
    console.print()


def _rows(blocks: Iterable[Block], width: int) -> Iterator[Text]:
    for kept, run in groupby(blocks, key=lambda block: block.kept):
        lines = list(run)
        if kept:
            for block in lines:
                yield Text.assemble((" + ", "bold green"), _cut(block.text, width - 4))
            continue
        [(reason, _)] = Counter(block.reason for block in lines).most_common(1)
        head = f"{len(lines)} dropped, {reason}: "
        words = " · ".join(block.text for block in lines)
        yield Text.assemble((" - ", "bold red"), (head, "red"), (_cut(words, width - 4 - len(head)), "dim"))


def _middle_left_out(rows: list[Text]) -> list[Text]:
    if len(rows) <= _ROWS:
        return rows
    left_out = len(rows) - _ROWS + 1
    return [*rows[: _ROWS - 4], Text(f"   … {left_out} more", style="dim"), *rows[-3:]]


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())
    cut = set_cell_size(text, max(width, 8))
    return text if cut.startswith(text) else cut[:-1].rstrip() + "…"
