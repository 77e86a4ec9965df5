"""A page that shows a finished run to a person: one HTML file with its pictures in it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from tamis.corpus.figures import Figures, Rows, figures
from tamis.errors import CorpusError
from tamis.io.writing import written_whole

STYLE = """
:root { color-scheme: light dark; --line: #8884; --bar: #3b7dd8; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; } td, th { padding: .25rem .6rem; text-align: left; vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid var(--line); } tr:nth-child(even) td { background: var(--soft); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td { overflow-wrap: anywhere; } td:first-child { min-width: 11rem; } .cards { display: flex; flex-wrap: wrap; gap: 1rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; min-width: 8rem; }
.card b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin: 1rem 0; } pre { white-space: pre-wrap; overflow-wrap: anywhere;
background: var(--soft); padding: .7rem; border-radius: .4rem; font: 13px/1.45 ui-monospace, monospace; max-height: 22rem; overflow: auto; }
svg text { fill: currentColor; font: 13px system-ui, sans-serif; } .none { opacity: .7; }
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
    parts = [
        f"<h1>Corpus {escape(found.name)}</h1>",
        '<div class="cards">'
        + "".join(f'<div class="card"><b>{value:,}</b>{escape(name)}</div>' for name, value in found.counts.items())
        + "</div>",
        _section("What became of the characters", _bars(found.reasons, "characters")),
        _section(
            "How long the documents are",
            _bars([(f"{lower:,} characters or more", count) for lower, count in found.lengths], "pages with text"),
        ),
        _section("Languages, as pages state them", _bars(found.languages, "pages with text")),
        _section(
            "Sites",
            _table(
                ("site", "pages with text", "by template", "characters kept", "of all"),
                [(site, count, by, kept, f"{share:.0%}") for site, count, share, kept, by in found.sites],
            ),
        ),
        _section("Templates of sites", _table(("what was done", "sites", "pages learned from", "such as"), found.outcomes)),
        _section(
            "Heaviest templates",
            _table(
                ("site", "characters dropped", "of all", "such as"),
                [(site, length, f"{share:.0%}", lines) for site, length, share, lines in found.templates],
            ),
        ),
        _section("Largest clusters of near-duplicates", _table(("kept", "address", "copies", "relation", "for example"), found.clusters)),
        _section("Rows of lists", _table(("site", "pages with lists", "lists", "records"), found.records)),
        _section("Pages that failed or have no text", _table(("stage", "reason", "pages", "for example"), found.failures)),
        _section("Before and after", "".join(map(_sample, found.samples)) or _NONE),
        _section("Where the time goes, by stage", _table(("stage", "tasks", "processor seconds", "memory, MB", "counted"), found.stages)),
        _section(
            "Where the time goes, by part of the work on pages",
            _table(("part", "processor seconds", "milliseconds a page", "of all"), found.parts),
        ),
    ]
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Corpus {escape(found.name)}</title><style>{STYLE}</style>'
    return head + "\n".join(parts) + "</html>\n"


_NONE = '<p class="none">None.</p>'


def _section(title: str, body: str) -> str:
    return f"<h2>{escape(title)}</h2>{body}"


def _table(head: Sequence[str], rows: Rows) -> str:
    if not rows:
        return _NONE
    numbers = [all(isinstance(row[column], (int, float)) or str(row[column]).endswith("%") for row in rows) for column in range(len(head))]

    def cell(tag: str, value: object, number: bool) -> str:
        text = f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)
        return f"<{tag}{' class=n' if number else ''}>{escape(text)}</{tag}>"

    lines = ["<tr>" + "".join(cell("th", name, number) for name, number in zip(head, numbers, strict=True)) + "</tr>"]
    lines += ["<tr>" + "".join(cell("td", value, number) for value, number in zip(row, numbers, strict=True)) + "</tr>" for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _bars(rows: Rows, unit: str) -> str:
    """Horizontal bars with their values, as SVG."""
    if not rows:
        return _NONE
    most = max(*(value for _, value in rows), 1)
    lines = []
    for number, (name, value) in enumerate(rows):
        top = 24 * number
        width = 480 * value / most
        lines.append(
            f'<text x="330" y="{top + 16}" text-anchor="end">{escape(str(name))}</text>'
            f'<rect x="340" y="{top + 4}" width="{width:.1f}" height="15" rx="2" fill="var(--bar)"/>'
            f'<text x="{346 + width:.1f}" y="{top + 16}">{value:,}</text>'
        )
    height = 24 * len(rows)
    picture = f'<svg viewBox="0 0 960 {height}" width="100%" role="img" aria-label="{escape(unit)}">{"".join(lines)}</svg>'
    return f'{picture}<p class="none">{escape(unit)}</p>'


def _sample(row: tuple[str | None, str, str, list[dict[str, str]]]) -> str:
    title, place, kept, dropped = row
    head = f"<h3>{escape(title or 'no title')}</h3><p>{escape(place)}</p>"
    gone = "\n".join(f"<b>{escape(part['reason'])}</b>\n{escape(part['text'])}\n" for part in dropped)
    return f"{head}<div class=pair><div>kept<pre>{escape(kept)}</pre></div><div>dropped, and why<pre>{gone}</pre></div></div>"
