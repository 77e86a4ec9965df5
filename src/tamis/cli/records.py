"""``tamis records``: the lists of a page as tables."""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path
from shutil import get_terminal_size
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
    output: options.Output = None,
    overwrite: options.Overwrite = False,
    every: Annotated[bool, Option("--all")] = False,
    tables: bool = False,
    text_only: bool = False,
    raw_csv: bool = False,
    explain: bool = False,
    follow: bool = False,
    limit: options.Limit = None,
    url: options.Url = None,
    fetching: options.Fetching,
) -> None:
    """Turn the records of a page (search results, products, posts, rows) into a table.

    Without a sample, the main list is the one that repeats most clearly. Several pages must have the same layout: tamis first learns what
    they have in common, then writes their records into one table, with the page in the first column. The command ends with code 3 if
    there is no list.

    Examples:

    - `tamis records results.html`
    - `tamis records results.html --like 'li.result' -o results.csv`
    - `tamis records results.html --all --explain`
    - `tamis records results.html --save shop.json`, then `tamis records next/ --wrapper shop.json -o all.parquet`
    - `tamis records https://example.org/boats --follow --limit 5 -o boats.xlsx`
    - `tamis records statistics.html --tables --format jsonl`

    Options:
        sources: Saved pages, folders, 'patterns/*.html', addresses, or - for standard input. Several must have the same layout.
        form: table, csv, json, jsonl, xlsx or parquet. [default: by the name of FILE; else a table on a terminal, CSV in a pipe]
        every: All lists of the page, the main one first, instead of only the main one.
        tables: The page's data tables, instead of lists.
        text_only: Leave out columns of link targets and image sources.
        raw_csv: Write CSV values unchanged, even if a spreadsheet would read them as formulas.
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
    form = options.by_name(form, output, _BY_SUFFIX) or ("table" if output is None and sys.stdout.isatty() else "csv")
    if form in _BINARY and output is None:
        raise UsageError(f"{form} is written to a file: name one with -o")
    if limit is not None and not follow:
        raise UsageError("--limit is for --follow: it bounds the pages that are fetched")
    if every and form in ("csv", *_BINARY) and not explain:
        raise UsageError("lists with different columns do not fit in one table: use --format jsonl or table with --all")
    check_outputs(output, save, overwrite=overwrite)
    for name, given in (("--exact", exact), ("--threshold", threshold is not None)):
        if given and not like:
            raise UsageError(f"{name} is for --like: it compares records with a sample")
    pages = (
        _followed(sources, FOLLOWED if limit is None else limit or sys.maxsize, fetching.limits())
        if follow
        else _pages(sources, url, fetching.limits())
    )
    if tables:
        from tamis.records.data_tables import data_tables
        from tamis.records.places import places

        on_pages = (table for _, tree, _ in pages for table in data_tables(places(tree)))
        chosen = [(f"table {number}", table) for number, table in enumerate(on_pages, 1)]
    else:
        settings = tamis.RecordSettings(of_one_kind=not exact, **options.values_of(threshold=threshold))
        found = _lists(pages, like, tamis.Wrapper.load(wrapper) if wrapper is not None else None, save, settings)
        if explain:
            _explain(found, output)
            return
        chosen = _chosen(found, every)
    if not any(len(table) for _, table in chosen):
        terminal.stop("no records were found (--explain shows what was examined, --like names a sample)")
    if text_only:
        chosen = [(heading, table.only("text")) for heading, table in chosen]
    if form == "parquet" and output is not None:
        stream = BytesIO()
        _single(chosen).to_parquet(stream)
        from pyarrow.parquet import read_schema

        terminal.write(stream.getvalue(), output, _size(chosen, len(read_schema(stream))))
    elif form == "xlsx" and output is not None:
        terminal.write(_single(chosen).to_xlsx(), output, _size(chosen, len(chosen[0][1].columns)))
    else:
        terminal.deliver(_rendered(chosen, form, every or tables, raw_csv), output, _size(chosen, len(chosen[0][1].columns)))


def _size(tables: list[tuple[str, Table]], columns: int) -> str:
    """How much some tables are, in words. ``columns``: of the only one."""
    rows = terminal.counted(sum(len(table) for _, table in tables), "row")
    return f"{rows} of {terminal.counted(columns, 'column')}" if len(tables) == 1 else f"{rows} of {len(tables)} tables"


def _lists(
    pages: list[_Page], like: list[str] | None, shared: tamis.Wrapper | None, save: Path | None, settings: tamis.RecordSettings
) -> list[tuple[str, tamis.Records]]:
    """The lists of each page, by a wrapper if there is one; of several pages one is learned. It is saved where that is wanted."""
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


def _pages(words: list[str], url: str | None, limits: tamis.Limits) -> list[_Page]:
    """Name, tree and address of the pages that can be read. Raises SourceError if there is none."""
    failures: list[str] = []
    pages = readable(list(open_sources(words)), "reading", failures, limits)
    found = [(source.name, tree, url or address) for source, tree, address in pages]
    if not found:
        raise SourceError(failures[0])
    terminal.say_unreadable(failures)
    return found


def _followed(words: list[str], most: int, limits: tamis.Limits) -> list[_Page]:
    """The pages of the list that begins at an address."""
    from tamis.crawl.following import followed
    from tamis.io.fetch import fetch

    if len(words) != 1 or not words[0].startswith(("http://", "https://")):
        raise UsageError("--follow begins at one address: https://...")

    def page(url: str) -> tuple[tamis.PageTree, str]:
        served = fetch(url, limits)
        return tamis.parse(served.body, content_type=served.content_type), served.url

    return [(address, tree, address) for tree, address in followed(words[0], most, page)]


def _chosen(found: list[tuple[str, tamis.Records]], every: bool) -> list[tuple[str, Table]]:
    """The tables to write, each with a heading."""
    from tamis.records.table import Column, Table
    from tamis.records.tabulating import together

    if len(found) == 1:
        regions = found[0][1].regions if every else found[0][1].regions[:1]
        return [(f"{len(region)} records at {region.xpath}", region.table.arranged()) for region in regions]
    lists: list[tuple[str, Region]] = [(name, each.main) for name, each in found if each.main is not None]
    if not lists:
        return []
    if without := len(found) - len(lists):
        terminal.say(f"{without} of {terminal.counted(len(found), 'page')} without such a list")
    table = together([region for _, region in lists]).arranged()
    names = [name for name, region in lists for _ in range(len(region))]
    rows = tuple((name, *row) for name, row in zip(names, table.rows, strict=True))
    return [(f"{len(rows)} records of {len(lists)} pages", Table((Column("page"), *table.columns), rows))]


def _single(tables: list[tuple[str, Table]]) -> Table:
    if len(tables) > 1:
        raise UsageError(f"the page has {len(tables)} tables, which do not fit in one: use --format jsonl or table")
    return tables[0][1]


def _rendered(tables: list[tuple[str, Table]], form: Form, numbered: bool, raw_csv: bool) -> str:
    if form == "csv":
        return _single(tables).to_csv(escape=not raw_csv)
    if form == "table":
        return "\n".join(
            _drawn(heading, table.only("text") if "text" in {each.kind for each in table.columns} else table) for heading, table in tables
        )
    if not numbered:
        return _single(tables).to_json() if form == "json" else _single(tables).to_jsonl()
    if form == "json":
        return json.dumps([list(table.records()) for _, table in tables], ensure_ascii=False, indent=1) + "\n"
    rows = ({"list": k + 1, "record": record} for k, (_, table) in enumerate(tables) for record in table.records())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _drawn(heading: str, table: Table) -> str:
    """A table as wide as the terminal. Short values such as dates and numbers are whole, long ones are cut so that as many columns as
    possible fit. The names of the other columns stand below."""
    names = [column.name for column in table.columns]
    rows = [names, *([terminal.harmless(" ".join((value or "").split())) for value in row] for row in table.rows)]
    wanted = [min(max(map(cell_len, column)), _LONGEST) for column in zip(*rows, strict=True)]
    widths: list[int] = []
    room = get_terminal_size((160, 24)).columns
    while len(widths) < len(wanted) and room >= min(wanted[len(widths)], _SHORT):
        widths.append(min(wanted[len(widths)], _SHORT))
        room -= widths[-1] + 2
    while room > -2 and (narrow := [k for k, width in enumerate(widths) if width < wanted[k]]):
        for k in narrow[: room + 2]:
            widths[k] += 1
            room -= 1

    def fitted(value: str, width: int) -> str:
        return set_cell_size(value if cell_len(value) <= width else set_cell_size(value, width - 1) + "…", width)

    shown = (names, ["-" * width for width in widths], *rows[1:])
    lines = [heading, *("  ".join(map(fitted, row, widths)).rstrip() for row in shown)]
    if left := names[len(widths) :]:
        lines.append(f"({terminal.counted(len(left), 'column')} more: {', '.join(left)}; --format csv has all)")
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
