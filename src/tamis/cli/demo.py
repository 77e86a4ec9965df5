"""``tamis demo``: write the demo site, clean it, and show what was kept, what was dropped, and how well that fits the gold."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.cells import set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tamis import Block, Document, TamisError, UsageError, extract

_SHOWN = ("news/reading-room.html", "handbook/configuration.html", "zh/forum/lansheng.html")
"""Pages of the demo site to look at: a merged table, code, and GB18030 bytes that declare nothing."""
_ROWS = 12
_PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz")


def demo(
    site: Annotated[str | None, typer.Argument(help="A folder of saved pages, a page or a URL to clean instead of the demo site.")] = None,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the demo site and the cleaned pages.")] = Path("demo"),
    pages: Annotated[int, typer.Option(help="How many pages to show.", min=0)] = 3,
) -> None:
    """Clean a site made for the purpose (or SITE) and show what was kept and dropped."""
    console = Console(highlight=False)
    try:
        _own_site(console, out, pages) if site is None else _other_site(console, site, out, pages)
    except TamisError as error:
        typer.echo(f"tamis demo: {error}", err=True)
        raise typer.Exit(2) from error


def _own_site(console: Console, out: Path, shown: int) -> None:
    from tamis.demo import write_site
    from tamis.demo.measure import measure

    folder = out / "site"
    shutil.rmtree(folder, ignore_errors=True)
    written = write_site(folder)
    _step(console, "wrote", f"{len(written)} pages of Lantern Bay Online to {folder}")
    cleaned = dict(_clean(str(folder)))
    _write_jsonl(console, cleaned, out)
    for path in _SHOWN[:shown]:
        _show_page(console, path, cleaned[path])
    table = Table(title="fit with gold.json, by layout", title_justify="left", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("layout")
    for name in ("pages", "F1", "main kept", "noise removed"):
        table.add_column(name, justify="right")
    for score in measure({path: document.text for path, document in cleaned.items()}, ((page.path, page.gold) for page in written)):
        measured = (f"{score.f1:.3f}", f"{score.main_kept:.1%}", f"{score.noise_removed:.1%}")
        table.add_row(score.layout, str(score.pages), *measured)
    console.print(table)
    console.print()


def _other_site(console: Console, site: str, out: Path, shown: int) -> None:
    cleaned = dict(_clean(site))
    _write_jsonl(console, cleaned, out)
    full = [path for path, document in cleaned.items() if document.text]
    for path in full[:: max(len(full) // max(shown, 1), 1)][:shown]:
        _show_page(console, path, cleaned[path])


def _clean(source: str) -> Iterator[tuple[str, Document]]:
    """Clean a URL, a file, or all pages below a folder: names and documents."""
    if source.startswith(("http://", "https://")):
        from tamis.fetch import fetch

        response = fetch(source)
        yield response.url, extract(response.body, url=response.url, content_type=response.content_type)
        return
    folder = Path(source)
    if folder.is_file():
        yield folder.name, extract(folder)
        return
    paths = sorted(path for path in folder.rglob("*") if path.name.lower().endswith(_PAGE_ENDINGS) and path.is_file())
    if not paths:
        raise UsageError(f"{source} is no folder with saved pages ({', '.join(_PAGE_ENDINGS)}), no page, and no URL")
    for path in paths:
        yield path.relative_to(folder).as_posix(), extract(path)


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
