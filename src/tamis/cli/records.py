"""``tamis records``: the lists of a page as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from tamis.cli import options, terminal
from tamis.errors import UsageError

if TYPE_CHECKING:
    from tamis.io.fetch import Limits
    from tamis.io.pages import Source
    from tamis.page.tree import PageTree
    from tamis.records.finding import Records, RecordSettings, Region
    from tamis.records.table import Table
    from tamis.records.wrapper import Wrapper

LEARNED_FROM = 30
"""Pages that a wrapper is learned from at the most."""
_SHORT, _LONGEST = 16, 40
"""Characters of values that are shown whole, and of a column at the most."""
FINDING = "How records are found"


class Form(StrEnum):
    """Forms of the output."""

    TABLE = "table"
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


_BY_SUFFIX = {".csv": Form.CSV, ".jsonl": Form.JSONL, ".ndjson": Form.JSONL, ".parquet": Form.PARQUET, ".txt": Form.TABLE}


def records(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="PAGE...", help="Saved pages, folders, 'patterns/*.html', addresses, or - for standard input. Several: of one layout."
        ),
    ],
    *,
    like: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SAMPLE",
            rich_help_panel=FINDING,
            help="One record: a CSS selector, an XPath (/...), or a piece of HTML. Twice, with two records, where one is not enough.",
        ),
    ] = None,
    wrapper: Annotated[
        Path | None, typer.Option(metavar="FILE", rich_help_panel=FINDING, help="Find what this saved wrapper was learned for.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", rich_help_panel=FINDING, help="Save a wrapper for other pages of the site (JSON).")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(metavar="ST", min=0, max=1, rich_help_panel=FINDING, help="Least similarity to the sample. [default: 0.8]"),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", rich_help_panel=FINDING, help="With --like: only what is similar to the sample (the paper's method).")
    ] = False,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format", "-f", help="Form of the output. [default: by the name of FILE; else a table on a terminal, CSV in a pipe]"
        ),
    ] = None,
    output: options.Output = None,
    overwrite: options.Overwrite = False,
    every: Annotated[bool, typer.Option("--all", help="All lists of the page, the main one first, not the main one alone.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="The page's own tables of data, instead of lists.")] = False,
    text_only: Annotated[bool, typer.Option("--text-only", help="Leave out columns of link targets and image sources.")] = False,
    raw_csv: Annotated[
        bool, typer.Option("--raw-csv", help="Write CSV values as they are, those too that a spreadsheet would take for formulas.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show which lists were found, where, and what speaks for each.")] = False,
    url: options.Url = None,
    timeout: options.Timeout = None,
    max_bytes: options.MaxBytes = None,
    retries: options.Retries = None,
) -> None:
    """Lift the records of a page (search results, products, posts, rows) into a table.

    Without a sample, the main list is found by its repetition. Several pages are taken to be of one layout: what they have in common is
    learned first, and their records become one table, with the page in the first column. Ends with code 3 where there is no list.

    Examples:

    - `tamis records results.html`
    - `tamis records results.html --like 'li.result' -o results.csv`
    - `tamis records results.html --all --explain`
    - `tamis records results.html --save shop.json`, then `tamis records next/ --wrapper shop.json -o all.parquet`
    - `tamis records statistics.html --tables --format jsonl`
    """
    from tamis.io.sources import open_sources
    from tamis.io.writing import refuse_existing

    if sum((bool(like), wrapper is not None, tables)) > 1:
        raise UsageError("one of --like, --wrapper and --tables at a time")
    form = form or _form(output)
    if form is Form.PARQUET and output is None:
        raise UsageError("Parquet is written to a file: name one with -o")
    if every and form in (Form.CSV, Form.PARQUET) and not explain:
        raise UsageError("lists with different columns do not fit in one table: take --format jsonl or table with --all")
    refuse_existing(output, save, overwrite=overwrite)
    pages = list(open_sources(sources))
    run = _Run(pages, url, options.limits(timeout, max_bytes, retries))
    if tables:
        _deliver(
            [(f"table {k + 1}", table) for k, table in enumerate(run.data_tables())], form, output, text_only, every=True, raw_csv=raw_csv
        )
        return
    found = run.found(like or None, wrapper, _settings(threshold, exact))
    if save is not None and (main := next((each.main for _, each in found if each.main is not None), None)) is not None:
        (run.wrapper or main.to_wrapper()).save(save)
        terminal.say(f"wrapper saved: {save}")
    for note in dict.fromkeys(note for _, each in found for note in each.notes):
        terminal.say(f"note: {note}")
    if explain:
        _explain(found, output)
        return
    _deliver(_chosen(found, every), form, output, text_only, every=every, raw_csv=raw_csv)


def _form(output: Path | None) -> Form:
    import sys

    if output is None:
        return Form.TABLE if sys.stdout.isatty() else Form.CSV
    if output.suffix.lower() not in _BY_SUFFIX:
        raise UsageError(f"what form is {output.name}? Name it .csv, .jsonl, .parquet or .txt, or say --format")
    return _BY_SUFFIX[output.suffix.lower()]


def _settings(threshold: float | None, exact: bool) -> RecordSettings:
    from tamis.records.finding import RecordSettings
    from tamis.records.key_search import KeySearch

    given = {} if threshold is None else {"threshold": threshold}
    return RecordSettings(search=KeySearch(of_one_kind=not exact, **given))


class _Run:
    """The pages of one run of the command."""

    def __init__(self, pages: list[Source], url: str | None, limits: Limits) -> None:
        self._pages = pages
        self._url = url
        self._limits = limits
        self.wrapper: Wrapper | None = None
        """What several pages were found to have in common, or the wrapper that was given."""

    def _trees(self) -> Iterator[tuple[str, PageTree, str | None]]:
        """Name, tree and address of each page that can be read; one page that cannot ends the run, one of several is told."""
        from tamis.errors import SourceError
        from tamis.page.parsing import parse

        for page in self._pages:
            try:
                served = page.read(self._limits)
            except SourceError as error:
                if len(self._pages) == 1:
                    raise
                terminal.complain(f"left out: {error}")
                continue
            yield page.name, parse(served.html, content_type=served.content_type), self._url or served.url

    def data_tables(self) -> list[Table]:
        """The data tables of all pages."""
        from tamis.records.data_tables import data_tables
        from tamis.records.places import places

        return [table for _, tree, _ in self._trees() for table in data_tables(places(tree)).values()]

    def found(self, like: list[str] | None, wrapper: Path | None, settings: RecordSettings) -> list[tuple[str, Records]]:
        """What was found on each page."""
        from itertools import islice

        from tamis.records.finding import find_records
        from tamis.records.learning import learn_records
        from tamis.records.wrapper import Wrapper

        if wrapper is not None:
            self.wrapper = Wrapper.load(wrapper)
        elif len(self._pages) > 1:
            self.wrapper = learn_records([tree for _, tree, _ in islice(self._trees(), LEARNED_FROM)], like=like, settings=settings)
            like = None
        return [
            (name, find_records(tree, like=like, wrapper=self.wrapper, url=url, settings=settings)) for name, tree, url in self._trees()
        ]


def _chosen(found: list[tuple[str, Records]], every: bool) -> list[tuple[str, Table]]:
    """The tables to write, each with a heading."""
    from tamis.records.finding import together
    from tamis.records.table import Column, Table

    if len(found) == 1:
        regions = found[0][1].regions if every else found[0][1].regions[:1]
        return [(f"{len(region)} records at {region.xpath}", region.table) for region in regions]
    lists: list[tuple[str, Region]] = [(name, each.main) for name, each in found if each.main is not None]
    if not lists:
        return []
    if without := len(found) - len(lists):
        terminal.say(f"{without} of {terminal.counted(len(found), 'page')} without such a list")
    table = together([region for _, region in lists])
    names = [name for name, region in lists for _ in range(len(region))]
    rows = tuple((name, *row) for name, row in zip(names, table.rows, strict=True))
    return [(f"{len(rows)} records of {len(lists)} pages", Table((Column("page"), *table.columns), rows))]


def _deliver(chosen: list[tuple[str, Table]], form: Form, output: Path | None, text_only: bool, *, every: bool, raw_csv: bool) -> None:
    from tamis.io.writing import written_whole

    if not any(len(table) for _, table in chosen):
        terminal.complain("no records were found (--explain shows what was looked at, --like names a sample)")
        raise SystemExit(terminal.NOTHING)
    tables = [(heading, table.only("text") if text_only else table) for heading, table in chosen]
    if form is Form.PARQUET and output is not None:
        with written_whole(output) as stream:
            _joined(tables).to_parquet(stream)
        terminal.say(f"written to {output}")
        return
    terminal.deliver(_rendered(tables, form, every, raw_csv), output)


def _joined(tables: list[tuple[str, Table]]) -> Table:
    if len(tables) > 1:
        raise UsageError(f"the page has {len(tables)} tables, which do not fit in one: take --format jsonl or table")
    return tables[0][1]


def _rendered(tables: list[tuple[str, Table]], form: Form, every: bool, raw_csv: bool) -> str:
    if form is Form.CSV:
        return _joined(tables).to_csv(escape=not raw_csv)
    if form is Form.TABLE:
        return "\n".join(_drawn(heading, table) for heading, table in tables)
    if not every:
        return _joined(tables).to_jsonl()
    rows = ({"list": k + 1, "record": record} for k, (_, table) in enumerate(tables) for record in table.records())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _drawn(heading: str, table: Table) -> str:
    """A table for people, as wide as the terminal. Short values, such as dates and numbers, are whole; long ones are cut, so that as many
    columns as possible find room; the other columns are named below."""
    from rich.cells import cell_len, set_cell_size

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
    lines = [heading]
    for row in (names, ["-" * width for width in widths], *rows[1:]):
        cut = (
            value if cell_len(value) <= width else set_cell_size(value, width - 1) + "…" for value, width in zip(row, widths, strict=False)
        )
        lines.append("  ".join(set_cell_size(value, width) for value, width in zip(cut, widths, strict=True)).rstrip())
    if left := names[len(widths) :]:
        lines.append(f"({terminal.counted(len(left), 'column')} more: {', '.join(left)}; --format csv has all)")
    return "\n".join(lines) + "\n"


def _explain(found: list[tuple[str, Records]], output: Path | None) -> None:
    lines = []
    for name, each in found:
        lines.append(f"{name}: {len(each.regions)} list{'s' * (len(each.regions) != 1)}")
        for k, region in enumerate(each.regions):
            had = region.evidence
            lines += [
                f"{k + 1}. {len(region)} records, {region.how}, score {region.score:.2f}: {region.xpath}",
                f"   {had.characters:,} characters, {had.likeness:.0%} alike, {had.parts} common parts, {had.linked:.0%} with links, "
                f"{had.link_text:.0%} link text, beside the content {had.aside:.1f}",
                f"   first: {' | '.join(region.texts[0].splitlines())[:150]}",
            ]
    terminal.deliver("\n".join(lines) + "\n", output)
