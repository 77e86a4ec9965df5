"""``tamis records``: the lists of a page as tables."""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from rich.cells import cell_len, set_cell_size
from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.page import readable
from tamis.errors import SourceError, UsageError
from tamis.io.sources import open_sources
from tamis.io.writing import check_outputs

if TYPE_CHECKING:
    from tamis.records.finding import Region
    from tamis.records.table import Table

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
    pages = (
        _followed(sources, FOLLOWED if limit is None else limit or sys.maxsize, fetching.limits())
        if follow
        else _readable_pages(sources, url, fetching.limits())
    )
    if tables:
        from tamis.records.candidates import places
        from tamis.records.columns import data_tables

        on_pages = (table for _, tree, _ in pages for table in data_tables(places(tree)))
        chosen = [(f"table {number}", table) for number, table in enumerate(on_pages, 1)]
    else:
        settings = tamis.RecordSettings(of_one_kind=not exact, **options.values_of(threshold=threshold))
        found = _lists(pages, like, tamis.Wrapper.load(wrapper) if wrapper is not None else None, save, settings)
        if explain:
            _explain(found, output)
            return
        chosen = _chosen_tables(found, every)
    if not any(len(table) for _, table in chosen):
        terminal.stop("no records were found (--explain shows what was examined, --like names a sample)")
    if text_only:
        chosen = [(heading, table.only("text")) for heading, table in chosen]
    shown = [table for _, table in chosen]
    if form in ("csv", "parquet") and output is not None:
        files = [output, *(output.with_stem(f"{output.stem}-{k}") for k in range(2, len(shown) + 1))]
        check_outputs(*files, overwrite=overwrite)
        for file, table in zip(files, shown, strict=True):
            content, columns = (table.to_csv().encode("utf-8", "replace"), len(table.columns)) if form == "csv" else _parquet(table)
            terminal.write(content, file, f"{terminal.counted(len(table), 'row')} of {terminal.counted(columns, 'column')}")
        return
    is_one = len(shown) == 1
    size = f"{terminal.counted(sum(map(len, shown)), 'row')} of "
    size += terminal.counted(len(shown[0].columns), "column") if is_one else f"{len(shown)} tables"
    if form == "xlsx" and output is not None:
        from tamis.records.table import workbook

        terminal.write(workbook(shown), output, size)
    elif form == "csv":
        terminal.deliver("\n".join(table.to_csv() for table in shown), None)
    else:
        text = (
            "\n".join(_drawn_records(*each) for each in chosen)
            if form == "table"
            else _json_of_tables(shown, form, flat=is_one and not (every or tables))
        )
        terminal.deliver(text, output, size)


def _parquet(table: Table) -> tuple[bytes, int]:
    """Return a table as Parquet, and how many columns that has."""
    from pyarrow.parquet import read_schema

    stream = BytesIO()
    table.to_parquet(stream)
    return stream.getvalue(), len(read_schema(stream))


def _json_of_tables(tables: list[Table], form: Form, *, flat: bool) -> str:
    """Tables as JSON or JSON lines, each record with the number of its list; ``flat``: the records of the only one."""
    if flat:
        return tables[0].to_json() if form == "json" else tables[0].to_jsonl()
    if form == "json":
        return json.dumps([list(table.records()) for table in tables], ensure_ascii=False, indent=1) + "\n"
    rows = ({"list": k, "record": record} for k, table in enumerate(tables, 1) for record in table.records())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _lists(
    pages: list[_Page], like: list[str] | None, shared: tamis.Wrapper | None, save: Path | None, settings: tamis.RecordSettings
) -> list[tuple[str, tamis.Records]]:
    """Return the lists of each page, by a wrapper if there is one; of several pages one is learned. It is saved where that is wanted."""
    if shared is None and len(pages) > 1:
        shared, like = tamis.learn_records([tree for _, tree, _ in pages[:LEARNED_FROM]], like=like or None, settings=settings), None
    found = [
        (name, tamis.find_records(tree, like=like or None, wrapper=shared, url=address, settings=settings)) for name, tree, address in pages
    ]
    if save is not None and (main := next((each.main for _, each in found if each.main is not None), None)) is not None:
        (shared or main.to_wrapper()).save(save)
        terminal.say(f"wrapper saved: {save}")
    pages_of: dict[str, list[str]] = {}
    for name, each in found:
        for note in each.notes:
            pages_of.setdefault(note, []).append(name)
    for note, (first, *others) in pages_of.items():
        more = f" and {terminal.counted(len(others), 'other page')}" if others else ""
        terminal.say(f"note: {first}{more}: {note}")
    return found


def _readable_pages(words: list[str], url: str | None, limits: tamis.Limits) -> list[_Page]:
    """Name, tree and address of the pages that can be read. Raises SourceError if there is none."""
    failures: list[str] = []
    pages = readable(list(open_sources(words)), "reading", failures, limits)
    found = [(source.name, tree, url or served.url) for source, tree, served in pages]
    if not found:
        raise SourceError(failures[0])
    terminal.say_unreadable(failures)
    return found


def _followed(words: list[str], most: int, limits: tamis.Limits) -> list[_Page]:
    from tamis.crawl.following import followed
    from tamis.io.fetch import fetch

    if len(words) != 1 or not words[0].startswith(("http://", "https://")):
        raise UsageError("--follow begins at one address: https://...")

    def page(url: str) -> tuple[tamis.PageTree, str]:
        served = fetch(url, limits)
        return tamis.parse(served.body, content_type=served.content_type), served.url

    return [(address, tree, address) for tree, address in followed(words[0], most, page, lambda message: terminal.say(f"note: {message}"))]


def _chosen_tables(found: list[tuple[str, tamis.Records]], every: bool) -> list[tuple[str, Table]]:
    from tamis.records.columns import align_records
    from tamis.records.table import Column, Table

    if len(found) == 1:
        regions = found[0][1].regions if every else found[0][1].regions[:1]
        return [(f"{len(region)} records at {region.xpath}", region.table) for region in regions]
    layouts: dict[tamis.Wrapper | None, list[tuple[str, Region]]] = {}
    for name, each in found:
        if each.main is not None:
            layouts.setdefault(each.main.wrapper, []).append((name, each.main))
    if without := len(found) - sum(map(len, layouts.values())):
        terminal.say(f"{without} of {terminal.counted(len(found), 'page')} have no such list")
    if len(layouts) > 1:
        terminal.say(f"note: the pages have their lists in {len(layouts)} layouts, with columns of their own: {len(layouts)} tables")
    tables = []
    for lists in layouts.values():
        table = align_records([region for _, region in lists]).arranged()
        rows = tuple(
            (name, *row) for name, row in zip((name for name, region in lists for _ in range(len(region))), table.rows, strict=True)
        )
        tables.append((f"{len(rows)} records of {len(lists)} pages", Table((Column("page"), *table.columns), rows)))
    return tables


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


def _explain(found: list[tuple[str, tamis.Records]], output: Path | None) -> None:
    lines = []
    for name, each in found:
        only = f", only {terminal.counted(len(each.menus), 'menu')}:" if each.menus else ""
        lines.append(f"{name}: {terminal.counted(len(each.regions), 'list')}{only}")
        for k, region in enumerate(each.regions or each.menus):
            had = region.evidence
            lines += [
                f"{k + 1}. {terminal.counted(len(region), 'record')}, {region.how}, score {region.score:.2f}: {region.xpath}",
                f"   {had.characters:,} characters, {had.likeness:.0%} alike, {had.parts} common parts, {had.linked:.0%} with links, "
                f"beside the content {had.aside:.1f}",
                f"   first: {' | '.join(region.texts[0].splitlines())[:150]}",
            ]
    terminal.deliver("\n".join(lines) + "\n", output)
