"""``tamis papers``: what the five papers' methods find on a page, in their own figures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Annotated

from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.crawl import CrawlSettings
from tamis.crawl import siblings as crawled_siblings
from tamis.errors import TamisError, UsageError
from tamis.io.pages import Source
from tamis.io.sources import open_page, open_sources
from tamis.layer.siblings import Layer, SeenPage, choose_siblings, see
from tamis.papers.html import BAD, GOOD, shown, to_html
from tamis.papers.report import Cell, Report, ReportTable, report

PAGES = 100  #: Pages of a site that are read.
ROWS, ROWS_OF_FILE = 40, 200  #: Rows of a table at most, in the terminal and in a file.
SAME_LAYER = 3  #: Same-layer pages that the page is compared with.


def papers(
    source: Annotated[str, Argument(metavar="PAGE")],
    *,
    site: Annotated[list[str] | None, Option("--site", metavar="SOURCE")] = None,
    like: Annotated[str | None, Option(metavar="SAMPLE")] = None,
    limit: options.Limit = None,
    as_json: options.Json = False,
    target: options.Target,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    fetching: options.Fetching,
) -> None:
    """Show what the five papers' methods find on a page, each with its figures, then what they keep together.

    The methods are same-layer pages, the site style tree, attenuation, records by key tree and feature codes, with the numbers of their
    papers. A folder is a site: its page with the most text is shown.

    Examples:

    - `tamis papers site/news/tides.html`
    - `tamis papers site/ -o report.html`
    - `tamis papers https://example.org/news/tides.html`
    - `tamis papers results.html --like 'li.result'`

    Options:
        source: A saved page, a folder with the pages of a site, or an http(s) address.
        site: More pages of the site: a folder, a file, a pattern, an archive. May be repeated.
            [default: for a saved page its folder, for an address the pages that it links to]
        like: A sample record of the page: a CSS selector, an XPath or HTML. [default: the first of the longest list]

    How it runs:
        limit: Maximum number of pages of the site that are read; 0: all. [default: 100]
    """
    limits = fetching.limits()
    if "://" in source and not site:
        terminal.say(f"looking for same-layer pages of {source}")
        crawling = CrawlSettings(timeout=limits.total, max_bytes=limits.max_bytes, allow_private=allow_private)
        others: list[SeenPage] = []
        layer = crawled_siblings(source, SAME_LAYER, crawling)
    else:
        layer, others = _saved(source, site, (limit or sys.maxsize) if limit is not None else PAGES, limits)
    if url is not None:
        layer = Layer(SeenPage(layer.page.tree, url, layer.page.source), layer.pages, layer.passed)
    in_file = as_json or target.output is not None
    found = report(layer, others, like=like, most=ROWS_OF_FILE if in_file else ROWS)
    if as_json or (target.output is not None and target.output.suffix.lower() == ".json"):
        terminal.deliver_json(found.to_dict(), target.output)
    elif target.output is not None and target.output.suffix.lower() in (".html", ".htm"):
        terminal.deliver(to_html(found), target.output)
    else:
        terminal.deliver_lines(_report_lines(found, get_terminal_size((100, 24)).columns), target.output)


def _saved(source: str, site: list[str] | None, most: int, limits: tamis.Limits) -> tuple[Layer, list[SeenPage]]:
    """Return the page of the command line, its same-layer pages, and the others of its site."""
    whole = "://" not in source and Path(source).is_dir()
    if whole and site:
        raise UsageError("a folder is the site: name a page, or leave out --site")
    named: list[Source] = [] if whole else [open_page(source)]
    among = list(open_sources(site or [source if whole else str(Path(source).parent)]))[:most]
    seen: list[SeenPage] = []
    failures: list[str] = []
    for each in among:
        try:
            seen.append(see(each))
        except TamisError as error:
            failures.append(str(error))
    terminal.say_unreadable(failures)
    if whole and not seen:
        terminal.stop(f"there is no page in {source}")
    page = max(seen, key=_main_length) if whole else see(named[0])
    own = _file_of(page)
    layer = choose_siblings(page, [each for each in among if getattr(each, "path", each.name) != own], SAME_LAYER)
    return layer, [each for each in seen if _file_of(each) != own]


def _file_of(page: SeenPage) -> str:
    source = page.source
    return str(getattr(source, "path", source.name)) if source is not None else page.name


def _main_length(page: SeenPage) -> int:
    return int(page.tree.text_length[tamis.Attenuation().select(page.tree).keep].sum())


def _report_lines(found: Report, width: int) -> Iterator[Text]:
    yield Text(f"{found.page}: {terminal.counted(found.pages, 'page')} of the site", "bold")
    for section in found.sections:
        yield Text()
        yield Text.assemble((f"{section.number}. {section.title}", "bold cyan"), (f"  {section.source}", "dim"))
        for fact in (section.idea, *section.facts):
            yield from map(Text, wrap(fact, width, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False))
        for table in section.tables:
            yield Text()
            yield Text(f"   {table.title}", "bold")
            yield from _drawn_table(table, width)


def _drawn_table(table: ReportTable, width: int) -> Iterator[Text]:
    """Yield a table as wide as the terminal: numbers to the right and whole, each cell in one line."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", expand=True)
    for k, heading in enumerate(table.headings):
        number = any(not isinstance(row[k], str) for row in table.rows)
        drawn.add_column(
            Text(heading, no_wrap=True, overflow="ellipsis"), justify="right" if number else "left", no_wrap=number, max_width=width // 4
        )
    drawn.columns[-1].ratio, drawn.columns[-1].max_width = 1, None
    for row in table.rows:
        cells = (terminal.harmless(" ".join(shown(value).split("\n"))) for value in row)
        drawn.add_row(*(Text(cell, _colour(value), no_wrap=True, overflow="ellipsis") for cell, value in zip(cells, row, strict=True)))
    for line in Console(width=width - 3).render_lines(drawn, pad=False):
        text = Text.assemble("   ", *((part.text, part.style or "") for part in line))
        text.rstrip()
        yield text
    if table.note:
        yield Text(f"   {table.note}", "dim")


def _colour(value: Cell) -> str:
    return "green" if value in GOOD else "red" if value in BAD else ""
