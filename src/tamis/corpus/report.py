"""The report of a finished run: figures from its tables, and one HTML file that shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tamis.corpus.tables import LEFT_OUT, database, quoted
from tamis.corpus.tasks import Manifest, TaskStore
from tamis.errors import CorpusError
from tamis.io.writing import written_whole

_NOTHING = "0::bigint id, 0::bigint survivor, '' relation, '' site, 0 region, '' stage"
"""Columns that a table has where the run did not make it."""
LENGTHS = (0, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)  #: where the classes of text lengths begin, characters
Rows = list[tuple[Any, ...]]
_REASON = "regexp_replace(reason, 'main text with a probability of [0-9.]+', 'unlikely to be main text')"
"""A reason, without the probability that it may name."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of a run."""

    name: str  #: the folder's name
    counts: dict[str, int]  #: pages, documents and what became of the rest
    rows: dict[str, Rows]  #: by section (``report.sql``)


def figures(output: str | Path) -> Figures:
    """Return the figures of a finished run. Raises CorpusError if there is none."""
    from tamis.corpus.pipeline import record_of  # which loads much
    from tamis.corpus.templates import mixed_sites

    folder = Path(output)
    record = record_of(folder)
    if not record.finished:
        raise CorpusError(f"the run in {folder} is not finished: tamis corpus run resumes it")
    rounds = record.round
    if not (folder / "work").is_dir():
        raise CorpusError(f"{folder} has no work/ any more, from which a report is made: see {folder / 'report.html'}")
    store = TaskStore(folder / "work")
    later = f"-{rounds}" if rounds else ""
    cleaned = [found for stage in ("clean", *(f"clean-{number}" for number in range(1, rounds + 1))) for found in store.of_stage(stage)]
    published = store.of_stage(f"publish{later}")
    copies = folder / "duplicates.parquet"
    files = {
        "cleaned": [store.file(found, "documents") for found in cleaned],
        "read": [store.file(found, "documents") for found in store.of_stage("read") if "documents" in found.files],
        "dropped": [store.file(found, "dropped") for found in published],
        "failures": [store.file(found, "failures") for found in published],
        "duplicates": [copies] if copies.exists() else [],
        "records": [store.file(found, "records") for found in published if "records" in found.files],
        "models": [store.file(found, "models") for found in store.of_stage("templates")],
    }
    names = ["models", "earlier", "read", "survey", "templates", *dict.fromkeys(found.task.rpartition("-")[0] for found in cleaned)]
    stages = {stage: done for stage in names if (done := store.of_stage(stage))}
    for stage in ("deduplicate", "publish"):
        if done := store.of_stage(f"{stage}{later}"):
            stages[stage] = done
    on_pages = [found for stage in stages if stage in ("read", "survey") or stage.startswith("clean") for found in stages[stage]]
    with closing(_connect(files)) as base:
        rows = {name: base.execute(query).fetchall() for name, (_, _, query) in _sections_with_queries().items() if query}
        rows["stages"] = [_stage_row(stage, done) for stage, done in stages.items()]
        rows["parts"] = parts(on_pages)
        rows["mixed"] = list(mixed_sites([*on_pages, *stages.get("templates", [])]).items())
        left_out = sum(found.counts.get(LEFT_OUT, 0) for found in on_pages)
        return Figures(folder.name, _counts(base) | ({LEFT_OUT: left_out} if left_out else {}), rows)


def _stage_row(stage: str, manifests: Sequence[Manifest]) -> tuple[Any, ...]:
    """Return a stage, its tasks, processor seconds, peak memory in megabytes, and what was counted."""
    totals: Counter[str] = Counter()
    for manifest in manifests:
        totals.update({name: value for name, value in manifest.counts.items() if isinstance(value, int)})
    seconds = round(sum((found.costs.get("seconds", 0.0) for found in manifests), 0.0), 1)
    memory = max(found.costs.get("memory", 0) for found in manifests) // 1_000_000
    return stage, len(manifests), seconds, memory, ", ".join(f"{value:,} {name}" for name, value in totals.items())


def parts(manifests: Sequence[Manifest]) -> Rows:
    """Return the time of tasks that work on pages: part, processor seconds, milliseconds a page, share."""
    pages = max(sum(manifest.counts.get("pages", 0) for manifest in manifests if manifest.task.startswith("read-")), 1)
    total = sum(manifest.costs.get("seconds", 0.0) for manifest in manifests)
    found: Counter[str] = Counter()
    for manifest in manifests:
        found.update(manifest.costs.get("parts", {}))
    found["other"] = max(total - sum(found.values()), 0)
    return [(name, round(s, 1), round(1000 * s / pages, 2), f"{s / max(total, 1e-9):.0%}") for name, s in found.most_common()]


def _connect(files: Mapping[str, Sequence[Path]]) -> Any:
    base = database("1GB")
    for name, paths in files.items():
        query = f"* from read_parquet([{', '.join(map(quoted, paths))}])" if paths else f"{_NOTHING} where false"
        base.execute(f"create view {name} as select {query}")
    # with a store of templates, pages were cleaned when they were read, and some of them again
    early = "select * from read where id not in (select id from cleaned)" if files["read"] else ""
    late = "select * from cleaned" if files["cleaned"] or not early else ""
    base.execute(f"create view documents as {' union all by name '.join(filter(None, (late, early)))}")
    return base


def _counts(base: Any) -> dict[str, int]:
    query = """
        select (select count(*) from documents), (select count(*) from duplicates), count(*) filter (stage = 'select'),
            count(*) filter (stage = 'language'), count(*) filter (stage = 'quality'), count(*) filter (stage = 'filter'),
            count(*) filter (stage not in ('select', 'language', 'quality', 'filter')) from failures
    """
    ((documents, duplicates, empty, other, low, filtered, failed),) = base.execute(query).fetchall()
    found = {
        "pages": documents + empty + other + low + filtered + failed,
        "documents": documents - duplicates,
        "near-duplicates": duplicates,
    }
    reasons = (("in other languages", other), ("of low quality", low), ("filtered", filtered))
    unwanted = {name: count for name, count in reasons if count}
    return {**found, "without text": empty, **unwanted, "failed": failed}


def _sections_with_queries() -> dict[str, tuple[str, list[str], str]]:
    """Return the sections of the report by name: the title, the columns and the query (``report.sql``)."""
    text = _data("report.sql").replace("{reason}", _REASON).replace("{lengths}", str(list(LENGTHS)))
    found = {}
    for section in re.split(r"(?m)^-- (?=\w+: )", text)[1:]:
        head, _, query = section.partition("\n")
        name, _, shown = head.partition(": ")
        title, *columns = shown.split(" | ")
        found[name] = title, columns, query.strip()
    return found


def _data(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def write_report(output: str | Path, target: str | Path | None = None) -> Path:
    """Write the report of the finished run in a folder to a file, ``report.html`` in the folder by default; returns the file. After a run
    whose folder ``work`` was removed it is the report that the run wrote.

    Raises:
        CorpusError: there is no finished run, or the file cannot be written.
    """
    path = Path(target) if target is not None else Path(output) / "report.html"
    made = Path(output) / "report.html"
    was_cleared = made.is_file() and not (made.parent / "work").is_dir()
    text = made.read_text(encoding="utf-8") if was_cleared else page(figures(output))
    try:
        with written_whole(path, hidden=True) as stream:
            stream.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise CorpusError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def page(found: Figures) -> str:
    """Return the page."""
    cards = "".join(f'<div class="card"><b>{value:,}</b>{escape(name)}</div>' for name, value in found.counts.items())
    parts = [f"<h1>Corpus run: {escape(found.name)}</h1>", f'<div class="cards">{cards}</div>']
    for name, (title, head, _) in _sections_with_queries().items():
        rows = found.rows[name]
        shown = _html_rows(head, rows) if len(head) > 1 else _bars(rows, head[0]) if head else "".join(map(_sample_html, rows))
        parts.append(f"<h2>{escape(title)}</h2>{shown if rows else _NONE}")
    top = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Corpus run: {escape(found.name)}</title><style>{_data('report.css')}</style>"
    )
    return top + "\n".join(parts) + "</html>\n"


_NONE = '<p class="none">None.</p>'
_SHORT, _LONG = 30, 60  # characters of a cell up to which it is not wrapped, and from which its column does not get narrow


def _html_rows(head: Sequence[str], rows: Rows) -> str:
    numbers = [all(isinstance(row[column], (int, float)) or str(row[column]).endswith("%") for row in rows) for column in range(len(head))]

    def cell(name: str, value: object, number: bool) -> str:
        text = f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)
        kind = " class=n" if number else " class=long" if len(text) > _LONG else " class=short" if len(text) <= _SHORT else ""
        return f'<td{kind} data-name="{escape(name)}">{escape(text)}</td>'

    lines = [
        "<tr>" + "".join(f"<th{' class=n' * number}>{escape(name)}</th>" for name, number in zip(head, numbers, strict=True)) + "</tr>"
    ]
    lines += ["<tr>" + "".join(map(cell, head, row, numbers)) + "</tr>" for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _bars(rows: Rows, unit: str) -> str:
    most = max(*(value for _, value in rows), 1)
    lines = (f'<span>{escape(str(name))}</span><b>{value:,}</b><i style="width:{value / most:.1%}"></i>' for name, value in rows)
    return f'<div class="bars">{"".join(lines)}</div><p class="none">{escape(unit)}</p>'


def _sample_html(row: tuple[str | None, str, str, list[dict[str, str]]]) -> str:
    title, place, kept, dropped = row
    head = f"<h3>{escape(title or 'no title')}</h3><p>{escape(place)}</p>"
    gone = "\n".join(f"<b>{escape(part['reason'])}</b>\n{escape(part['text'])}\n" for part in dropped)
    return f"{head}<div class=pair><div>kept<pre>{escape(kept)}</pre></div><div>dropped, and why<pre>{gone}</pre></div></div>"
