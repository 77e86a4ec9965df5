"""``tamis records``: the lists of a page as tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Annotated, Literal, TypeAlias, get_args

from rich.cells import cell_len, set_cell_size
from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.page import readable, tree_of
from tamis.errors import SourceError, TamisError, UsageError
from tamis.io.pages import HeldPage, Source, WebPage
from tamis.io.sources import is_stream, open_sources
from tamis.io.temporary import TemporaryStore
from tamis.io.writing import check_outputs
from tamis.records.candidates import places
from tamis.records.collecting import PageRecords, stored
from tamis.records.columns import data_tables
from tamis.records.table import Kind, Table, json_array, workbook
from tamis.site.sites import choose_sources

LEARNED_FROM = 30  #: Most pages that a wrapper is learned from.
_SHORT, _LONGEST = 16, 40  #: Characters of values that are shown whole, and most characters of a column.
_Page: TypeAlias = "tuple[str, tamis.PageTree, str | None]"  #: Name, tree and address.
FOLLOWED = 20  #: Most pages of one list that are fetched.
Form = Literal["table", "csv", "json", "jsonl", "xlsx", "parquet"]
_BINARY = ("parquet", "xlsx")
_BY_SUFFIX: dict[str, Form] = {
    **{".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"},
    **{".xlsx": "xlsx", ".parquet": "parquet", ".txt": "table"},
}


def records(
    sources: Annotated[list[str], Argument(metavar="PAGE...")],
    *,
    like: Annotated[list[str] | None, Option(metavar="SAMPLE")] = None,
    wrapper: Annotated[Path | None, Option(metavar="FILE")] = None,
    save: Annotated[Path | None, Option(metavar="FILE")] = None,
    threshold: Annotated[float | None, Option(metavar="ST", min=0, max=1)] = None,
    exact: bool = False,
    form: Annotated[Form | None, Option("--format", "-f", metavar="FORMAT")] = None,
    as_json: options.Json = False,
    output: options.Output = None,
    overwrite: options.Overwrite = False,
    every: Annotated[bool, Option("--all")] = False,
    tables: bool = False,
    text_only: bool = False,
    explain: bool = False,
    follow: bool = False,
    limit: options.Limit = None,
    url: options.Url = None,
    fetching: options.Fetching,
) -> None:
    """Turn the records of a page (search results, products, posts, rows) into a table.

    Without a sample, the main list is the one that repeats most clearly. Of several pages, tamis first learns what they have in common,
    then writes their records into one table, with the page in the first column, or into one table for each layout. Several tables are
    several files of CSV or Parquet (boats.csv, boats-2.csv), or sheets of a workbook. The command ends with code 3 if there is no list.

    Examples:

    - `tamis records results.html`
    - `tamis records results.html --like 'li.result' -o results.csv`
    - `tamis records results.html --all --explain`
    - `tamis records results.html --save shop.json`, then `tamis records next/ --wrapper shop.json -o all.parquet`
    - `tamis records https://example.org/boats --follow --limit 5 -o boats.xlsx`
    - `tamis records statistics.html --tables --format jsonl`

    Options:
        sources: Saved pages, folders, 'patterns/*.html', addresses, or - for standard input.
        form: table, csv, json, jsonl, xlsx or parquet. [default: by the name of FILE; else a table on a terminal, CSV in a pipe]
        every: All lists of the page, the main one first, instead of only the main one.
        tables: The page's data tables, instead of lists.
        text_only: Leave out columns of link targets and image sources.
        follow: Also fetch the next pages of the list, politely: links that say rel=next, the numbers of a pager.
        explain: Show which lists were found, where, and the evidence for each.

    How records are found:
        like: One record: a CSS selector, an XPath (/...), or a piece of HTML. Give it twice, with two records, if one is not enough.
        wrapper: Find the records that this saved wrapper was learned for.
        save: Save a wrapper for other pages of the site (JSON).
        threshold: Minimum similarity to the sample. [default: 0.8]
        exact: With --like: find only what is similar to the sample (the paper's method).

    How it runs:
        limit: With --follow, maximum number of pages; 0: all. [default: 20]
    """
    if sum((bool(like), wrapper is not None, tables)) > 1:
        raise UsageError("choose one of --like, --wrapper and --tables")
    form = options.by_name(form, output, _BY_SUFFIX, as_json=as_json) or ("table" if output is None and sys.stdout.isatty() else "csv")
    if form in _BINARY and output is None:
        raise UsageError(f"{form} is written to a file: name one with -o")
    if limit is not None and not follow:
        raise UsageError("--limit is for --follow: it bounds the pages that are fetched")
    check_outputs(output, save, overwrite=overwrite)
    for name, given in (("--exact", exact), ("--threshold", threshold is not None)):
        if given and not like:
            raise UsageError(f"{name} is for --like: it compares records with a sample")
    failures: list[str] = []
    held: dict[str, Source] = {}
    if follow:
        pages = _followed(sources, FOLLOWED if limit is None else limit or sys.maxsize, fetching.limits())
    else:
        read = readable((held.pop(page.name, page) for page in open_sources(sources)), "reading", failures, fetching.limits())
        pages = ((source.name, tree, url or served.url) for source, tree, served in read)
    first = list(islice(pages, LEARNED_FROM))
    if not first:
        raise SourceError(next(iter(failures), "there are no pages"))
    pages = chain(first, pages)
    with ExitStack() as stack:
        if tables:
            store = stack.enter_context(closing(TemporaryStore()))
            on_pages = (stored(table, store) for _, tree, _ in pages for table in data_tables(places(tree)))
            chosen = [(f"table {number}", table) for number, table in enumerate(on_pages, 1)]
        else:
            settings = tamis.RecordSettings(of_one_kind=not exact, **options.values_of(threshold=threshold))
            shared = tamis.Wrapper.load(wrapper) if wrapper is not None else None
            if shared is None and len(first) > 1:
                is_all = len(first) < LEARNED_FROM or like or follow or any(map(is_stream, sources))
                trees = [tree for _, tree, _ in first] if is_all else _spread_pages(sources, first, held, fetching.limits())
                try:
                    shared, like = tamis.learn_records(trees, like=like or None, settings=settings), None
                except UsageError as problem:
                    if like:
                        raise
                    if not explain:
                        terminal.say_unreadable(failures)
                        terminal.stop(f"{problem} (--explain shows what was examined)")
            found = _lists(pages, like, shared, save, settings)
            if explain:
                terminal.deliver("".join(_explained(found)), output)  # at the end: a bar has the terminal while pages are read
                terminal.say_unreadable(failures)
                return
            chosen = _chosen_tables(found, stack, text_only=text_only, every=every, is_one=len(first) == 1)
        terminal.say_unreadable(failures)
        if not any(len(table) for _, table in chosen):
            terminal.stop("no records were found (--explain shows what was examined, --like names a sample)")
        _write_tables(chosen, form, output, overwrite=overwrite, flat=len(chosen) == 1 and not (every or tables))


def _write_tables(chosen: list[tuple[str, Table]], form: Form, output: Path | None, *, overwrite: bool, flat: bool) -> None:
    """Write tables with their headings. ``flat``: those of JSON are the records of the only one."""
    if form not in ("csv", "json", "jsonl"):  # which are written row by row
        chosen = [(heading, replace(table, rows=tuple(table.rows))) for heading, table in chosen]
    shown = [table for _, table in chosen]
    if form in ("csv", "parquet") and output is not None:
        files = [output, *(output.with_stem(f"{output.stem}-{k}") for k in range(2, len(shown) + 1))]
        check_outputs(*files, overwrite=overwrite)
        for file, table in zip(files, shown, strict=True):
            content, columns = (table.csv_lines(), len(table.columns)) if form == "csv" else _parquet(table)
            terminal.write(content, file, f"{terminal.counted(len(table), 'row')} of {terminal.counted(columns, 'column')}")
        return
    size = f"{terminal.counted(sum(map(len, shown)), 'row')} of "
    size += terminal.counted(len(shown[0].columns), "column") if len(shown) == 1 else f"{len(shown)} tables"
    if form == "xlsx" and output is not None:
        terminal.write(workbook(shown), output, size)
    elif form == "csv":
        terminal.deliver(chain.from_iterable(chain(["\n"] * (k > 0), table.csv_lines()) for k, table in enumerate(shown)), None)
    elif form == "table":
        terminal.deliver("\n".join(_drawn_records(*each) for each in chosen), output, size)
    else:
        terminal.deliver(_json_of_tables(shown, form, flat=flat), output, size)


def _parquet(table: Table) -> tuple[bytes, int]:
    """Return a table as Parquet, and how many columns that has."""
    from pyarrow.parquet import read_schema

    stream = BytesIO()
    table.to_parquet(stream)
    return stream.getvalue(), len(read_schema(stream))


def _json_of_tables(tables: list[Table], form: Form, *, flat: bool) -> Iterator[str]:
    """Yield tables as JSON or JSON lines, each record with the number of its list; ``flat``: the records of the only one."""
    if form == "json":
        yield from tables[0].json_pieces() if flat else json_array(table.json_pieces() for table in tables)
        yield "\n"
        return
    for k, table in enumerate(tables, 1):
        for record in table.records():
            yield json.dumps(record if flat else {"list": k, "record": record}, ensure_ascii=False) + "\n"


def _lists(
    pages: Iterable[_Page], like: list[str] | None, shared: tamis.Wrapper | None, save: Path | None, settings: tamis.RecordSettings
) -> Iterator[tuple[str, tamis.Records]]:
    """Yield the lists of each page, by a wrapper if there is one. A wrapper is saved where that is wanted."""
    notes: dict[str, tuple[str, int]] = {}  # the first page of each, and how many others
    for name, tree, address in pages:
        found = tamis.find_records(tree, like=like or None, wrapper=shared, url=address, settings=settings)
        for note in found.notes:
            first, others = notes.get(note, (name, -1))
            notes[note] = first, others + 1
        if save is not None and found.main is not None:
            (shared or found.main.to_wrapper()).save(save)
            terminal.say(f"wrapper saved: {save}")
            save = None
        yield name, found
    for note, (first, others) in notes.items():
        more = f" and {terminal.counted(others, 'other page')}" if others else ""
        terminal.say(f"note: {first}{more}: {note}")


def _spread_pages(words: list[str], first: list[_Page], held: dict[str, Source], limits: tamis.Limits) -> list[tamis.PageTree]:
    """Return pages to learn from, chosen by a hash of their names. ``first``: those that were read; ``held``: gets those that are
    fetched now."""
    known = {name: tree for name, tree, _ in first}
    chosen = choose_sources(open_sources(words), LEARNED_FROM)[:LEARNED_FROM]
    trees = [known[source.name] for source in chosen if source.name in known]
    for source in chosen:
        with suppress(TamisError):
            if source.name not in known:
                tree, served = tree_of(source, limits)
                trees.append(tree)
                if isinstance(source, WebPage):
                    held[source.name] = HeldPage(source.name, served.html, served.url, served.content_type)
    return trees or [*known.values()]


def _followed(words: list[str], most: int, limits: tamis.Limits) -> Iterator[_Page]:
    from tamis.crawl.following import followed
    from tamis.io.fetch import fetch

    if len(words) != 1 or not words[0].startswith(("http://", "https://")):
        raise UsageError("--follow begins at one address: https://...")

    def page(url: str) -> tuple[tamis.PageTree, str]:
        served = fetch(url, limits)
        return tamis.parse(served.body, content_type=served.content_type), served.url

    return ((address, tree, address) for tree, address in followed(words[0], most, page, lambda message: terminal.say(f"note: {message}")))


def _chosen_tables(
    found: Iterable[tuple[str, tamis.Records]], stack: ExitStack, *, text_only: bool, every: bool, is_one: bool
) -> list[tuple[str, Table]]:
    """Return tables with their headings: the lists of one page, or one for each layout of the list on several."""
    kinds = ("text",) if text_only else get_args(Kind)
    if is_one:
        regions = [region for _, each in found for region in each.regions]
        return [(f"{len(region)} records at {region.xpath}", region.table.only(*kinds)) for region in regions[: None if every else 1]]
    collected = stack.enter_context(closing(PageRecords()))
    count = 0
    for name, each in found:
        count += 1
        if each.main is not None:
            collected.add(name, each.main)
    layouts = collected.layouts.values()
    tables = [layout.table(*kinds) for layout in layouts]
    if without := count - sum(layout.pages for layout in layouts):
        terminal.say(f"{without} of {terminal.counted(count, 'page')} have no such list")
    if len(layouts) > 1:
        terminal.say(f"note: the pages have their lists in {len(layouts)} layouts, with columns of their own: {len(layouts)} tables")
    return [(f"{len(table)} records of {layout.pages} pages", table) for layout, table in zip(layouts, tables, strict=True)]


def _drawn_records(heading: str, table: Table) -> str:
    """Return a table as wide as the terminal, or 80 columns. Short values such as dates and numbers are whole, long ones are cut so that as
    many columns as possible fit. The names of the other columns are listed below."""
    width = room = get_terminal_size((80, 24)).columns
    table = table.only("text") if "text" in {each.kind for each in table.columns} else table
    names = [column.name for column in table.columns]
    rows = [names, *([terminal.harmless(" ".join((value or "").split())) for value in row] for row in table.rows)]
    wanted = [min(max(map(cell_len, column)), _LONGEST) for column in zip(*rows, strict=True)]
    widths: list[int] = []
    while len(widths) < len(wanted) and room >= min(wanted[len(widths)], _SHORT):
        widths.append(min(wanted[len(widths)], _SHORT))
        room -= widths[-1] + 2
    while room > -2 and (narrow := [k for k, own in enumerate(widths) if own < wanted[k]]):
        for k in narrow[: room + 2]:
            widths[k] += 1
            room -= 1

    def fitted(value: str, width: int) -> str:
        return set_cell_size(value if cell_len(value) <= width else set_cell_size(value, width - 1) + "…", width)

    shown = (names, ["-" * own for own in widths], *rows[1:])
    lines = [*wrap(heading, width), *("  ".join(map(fitted, row, widths)).rstrip() for row in shown)]
    if left := names[len(widths) :]:
        lines += wrap(f"({terminal.counted(len(left), 'column')} more: {', '.join(left)}; --format csv has all)", width)
    return "\n".join(lines) + "\n"


def _explained(found: Iterable[tuple[str, tamis.Records]]) -> Iterator[str]:
    for name, each in found:
        only = f", only {terminal.counted(len(each.menus), 'menu')}:" if each.menus else ""
        yield f"{name}: {terminal.counted(len(each.regions), 'list')}{only}\n"
        for k, region in enumerate(each.regions or each.menus):
            had = region.evidence
            yield (
                f"{k + 1}. {terminal.counted(len(region), 'record')}, {region.how}, score {region.score:.2f}: {region.xpath}\n"
                f"   {had.characters:,} characters, {had.likeness:.0%} alike, {had.parts} common parts, {had.linked:.0%} with links, "
                f"beside the content {had.aside:.1f}\n"
                f"   first: {' | '.join(region.texts[0].splitlines())[:150]}\n"
            )
