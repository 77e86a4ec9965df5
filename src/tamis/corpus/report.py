"""A page that shows a finished run to a person: one HTML file with its pictures in it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from tamis.corpus.figures import SECTIONS, Figures, Rows, figures
from tamis.errors import CorpusError
from tamis.io.writing import written_whole

STYLE = """
:root { color-scheme: light dark; --line: #8884; --bar: #3b7dd8; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); } h3 { margin-bottom: 0; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .25rem .6rem; text-align: left; vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid var(--line); overflow-wrap: normal; } tr:nth-child(even) td { background: var(--soft); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } td.long { min-width: 14rem; }
.cards { display: flex; flex-wrap: wrap; gap: .7rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .9rem; min-width: 7rem; }
.card b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.bars { display: grid; grid-template-columns: minmax(6rem, max-content) auto 1fr; gap: .3rem .7rem; align-items: center; }
.bars b { font-weight: 400; text-align: right; font-variant-numeric: tabular-nums; }
.bars i { background: var(--bar); height: 1rem; border-radius: 2px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin: 1rem 0; } pre { white-space: pre-wrap; margin: .2rem 0;
background: var(--soft); padding: .7rem; border-radius: .4rem; font: 13px/1.45 ui-monospace, monospace; max-height: 22rem; overflow: auto; }
.none { opacity: .7; }
@media (max-width: 40rem) {
  .pair { grid-template-columns: minmax(0, 1fr); }
  .bars { grid-template-columns: 1fr auto; } .bars i { grid-column: 1 / -1; height: .6rem; }
  table, tbody, tr, td { display: block; } tr:first-child { display: none; } tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  td, td.n { text-align: left; padding: .1rem 0; min-width: 0; white-space: normal; } tr:nth-child(even) td { background: none; }
  td::before { content: attr(data-name) ": "; opacity: .7; }
}
"""


def write_report(output: str | Path, target: str | Path | None = None) -> Path:
    """Write the report of a finished run.

    Args:
        output: the folder of the run.
        target: the file; None: ``report.html`` in the folder.

    Returns:
        The file.

    Raises:
        CorpusError: there is no finished run, or the file cannot be written.
    """
    path = Path(target) if target is not None else Path(output) / "report.html"
    text = page(figures(output))
    try:
        with written_whole(path, hidden=True) as stream:
            stream.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise CorpusError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def page(found: Figures) -> str:
    """The page."""
    cards = "".join(f'<div class="card"><b>{value:,}</b>{escape(name)}</div>' for name, value in found.counts.items())
    parts = [f"<h1>Corpus run: {escape(found.name)}</h1>", f'<div class="cards">{cards}</div>']
    for name, (title, head, _) in SECTIONS.items():
        rows = found.rows[name]
        shown = _table(head, rows) if len(head) > 1 else _bars(rows, head[0]) if head else "".join(map(_sample, rows))
        parts.append(f"<h2>{escape(title)}</h2>{shown if rows else _NONE}")
    top = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Corpus run: {escape(found.name)}</title><style>{STYLE}</style>"
    )
    return top + "\n".join(parts) + "</html>\n"


_NONE = '<p class="none">None.</p>'
_LONG = 60
"""Characters of a cell from which its column does not get narrow."""


def _table(head: Sequence[str], rows: Rows) -> str:
    numbers = [all(isinstance(row[column], (int, float)) or str(row[column]).endswith("%") for row in rows) for column in range(len(head))]

    def cell(name: str, value: object, number: bool) -> str:
        text = f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)
        kind = " class=n" if number else " class=long" if len(text) > _LONG else ""
        return f'<td{kind} data-name="{escape(name)}">{escape(text)}</td>'

    lines = [
        "<tr>" + "".join(f"<th{' class=n' * number}>{escape(name)}</th>" for name, number in zip(head, numbers, strict=True)) + "</tr>"
    ]
    lines += ["<tr>" + "".join(map(cell, head, row, numbers)) + "</tr>" for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _bars(rows: Rows, unit: str) -> str:
    """Horizontal bars with their values."""
    most = max(*(value for _, value in rows), 1)
    lines = (f'<span>{escape(str(name))}</span><b>{value:,}</b><i style="width:{value / most:.1%}"></i>' for name, value in rows)
    return f'<div class="bars">{"".join(lines)}</div><p class="none">{escape(unit)}</p>'


def _sample(row: tuple[str | None, str, str, list[dict[str, str]]]) -> str:
    title, place, kept, dropped = row
    head = f"<h3>{escape(title or 'no title')}</h3><p>{escape(place)}</p>"
    gone = "\n".join(f"<b>{escape(part['reason'])}</b>\n{escape(part['text'])}\n" for part in dropped)
    return f"{head}<div class=pair><div>kept<pre>{escape(kept)}</pre></div><div>dropped, and why<pre>{gone}</pre></div></div>"
