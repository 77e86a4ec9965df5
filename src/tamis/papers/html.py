"""The report of the five methods as one HTML file without scripts."""

from __future__ import annotations

from html import escape
from pathlib import Path

from tamis.papers.report import Cell, Report, ReportTable, Section

GOOD, BAD = frozenset(("content", "meaningful", "new", "+")), frozenset(("noise", "noisy", "dropped", "-"))
"""Words of verdicts that are shown in green and in red."""


def shown(value: Cell) -> str:
    """Return a cell as text: shares and similarities with two digits, whole numbers with commas."""
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value


def to_html(report: Report) -> str:
    """Return the report as an HTML document. Nothing of a page is taken over but its text."""
    title, style = f"The five papers on {report.page}", Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title><style>{style}</style>'
    pages = f'<p class="source">{report.pages:,} page{"" if report.pages == 1 else "s"} of the site</p>'
    body = "".join(map(_section, report.sections))
    return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body><h1>{escape(title)}</h1>{pages}{body}</body></html>\n'


def _section(section: Section) -> str:
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in section.facts)
    heading = (
        f'<h2>{section.number}. {escape(section.title)}</h2><p class="source">{escape(section.source)}</p><p>{escape(section.idea)}</p>'
    )
    return f"<section>{heading}<ul>{facts}</ul>{''.join(map(_html_table, section.tables))}</section>"


def _html_table(table: ReportTable) -> str:
    headings = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.headings)
    rows = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f'<h3>{escape(table.title)}</h3><div class="scroll"><table><tr>{headings}</tr>{rows}</table></div>{note}'


def _html_cell(value: Cell) -> str:
    if not isinstance(value, str):
        return f'<td class="n">{shown(value)}</td>'
    kind = "good" if value in GOOD else "bad" if value in BAD else "w" if value.startswith(" ") else ""
    return f"<td{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{escape(value)}</td>"
