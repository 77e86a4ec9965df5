"""``tamis dedup``: which texts are copies, and the rest."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperGroup

from tamis.cli import options, terminal
from tamis.errors import SourceError, UsageError

if TYPE_CHECKING:
    from tamis.cli.progress import Update
    from tamis.duplicates.clusters import Deduplication, Survivor
    from tamis.duplicates.documents import TextDocument
    from tamis.io.collections import Collection

SAME = "What is the same"
FIELDS = "Fields"


class Dedup(TyperGroup):
    """``tamis dedup IN`` is ``tamis dedup find IN``: what is no command is the first input."""

    plain: ClassVar[str] = "find"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command's name where it was left out."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = [self.plain, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=Dedup, no_args_is_help=True, add_completion=False, rich_markup_mode="markdown")


@app.callback()
def dedup() -> None:
    """Find near-duplicates among texts: tamis dedup IN -o OUT.

    IN is what `tamis clean` writes, JSON lines or a folder of texts, or Parquet. 'tamis dedup find --help' shows all options; 'find' may be
    left out (a folder of that name is ./find).

    **Examples**

    tamis dedup texts.jsonl -o unique.jsonl

    tamis dedup today.jsonl -o new.jsonl --index crawl.index --report copies.jsonl

    tamis dedup compare a.txt b.txt
    """


class Kept(StrEnum):
    """Which of several is kept."""

    LONGEST = "longest"
    EARLIEST = "earliest"
    ADDRESS = "best-address"

    @property
    def order(self) -> Survivor:
        """As the library calls it."""
        orders: dict[Kept, Survivor] = {Kept.LONGEST: "longest", Kept.EARLIEST: "earliest", Kept.ADDRESS: "best address"}
        return orders[self]


Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write every cluster, with the evidence for each copy, as JSON lines.")
]
Field = Annotated[str | None, typer.Option(metavar="NAME", rich_help_panel=FIELDS)]


@app.command("find")
def find(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="IN", help="JSON lines (.jsonl, .ndjson; gzip too), Parquet, or folders of .txt and .md: clean pages, not raw ones."
        ),
    ],
    *,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="OUT", help="Where the rest goes, as it came: the same kind as IN.")
    ] = None,
    index: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Compare with this index of earlier runs, too, and put the rest into it. Made where it is not there."
        ),
    ] = None,
    report: Report = None,
    keep: Annotated[Kept, typer.Option("--keep", rich_help_panel=SAME, help="Which of several copies is kept.")] = Kept.LONGEST,
    parts: Annotated[
        bool, typer.Option("--parts/--no-parts", rich_help_panel=SAME, help="A text that is part of another is a copy.")
    ] = True,
    addresses: Annotated[
        bool, typer.Option("--addresses/--no-addresses", rich_help_panel=SAME, help="Texts of the same address are copies.")
    ] = True,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="T",
            min=0.05,
            max=1,
            rich_help_panel=SAME,
            help="Share of the shorter text that has to be in the longer. [default: 0.8]",
        ),
    ] = None,
    id_field: Field = None,
    text_field: Field = None,
    url_field: Field = None,
    time_field: Field = None,
    workers: options.Workers = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Find the copies among texts, and write the rest, in its order, as it came.

    Copies are texts that are the same but for words, marks, order of paragraphs or what stands around them, and texts that are part of
    another. Each is compared with the one that is kept for it. Texts that say too little to be compared are kept, and counted.

    With an index, texts are known by id (field id or source), and the same run again changes nothing.

    Examples:

    - `tamis dedup texts.jsonl -o unique.jsonl --report copies.jsonl`
    - `tamis dedup today.jsonl -o new.jsonl --index crawl.index`
    - `tamis dedup texts/ -o unique/ --keep earliest`
    - `tamis dedup texts.parquet --report copies.jsonl`
    """
    from tamis.io.collections import Names, check_target, open_collection
    from tamis.io.writing import refuse_existing

    if output is None and index is None and report is None:
        raise UsageError("nothing would come of it: name an output (-o), an index (--index) or a report (--report)")
    collection = open_collection(inputs, Names(id_field, text_field, url_field, time_field))
    target = check_target(collection, output, inputs, overwrite) if output is not None else None
    refuse_existing(report, overwrite=overwrite)
    run = _Run(collection, target, report, stable=index is not None)
    run.find(_settings(keep, parts, addresses, threshold), index, workers or 1)
    run.write()
    if not terminal.VOICE.quiet:
        run.tell()
    raise SystemExit(run.exit_code())


def _settings(keep: Kept, parts: bool, addresses: bool, coverage: float | None) -> Deduplication:
    from tamis.duplicates.clusters import Deduplication
    from tamis.duplicates.rule import DuplicateRule

    rule = DuplicateRule(parts=parts)
    if coverage is not None:
        rule = replace(rule, coverage=coverage, windows=coverage)
    return Deduplication(rule, keep.order, addresses)


class _Run:
    """One run of the command."""

    def __init__(self, collection: Collection, target: Path | None, report: Path | None, *, stable: bool) -> None:
        self._collection = collection
        self._target = target
        self._report = report
        self._stable = stable
        self._ids: list[str | None] = []
        """The id of each document, in order; None where it has no text or could not be read."""
        self._failed: dict[int, tuple[str, str]] = {}
        """Place and reason, by number."""
        self._start = time.monotonic()

    def find(self, settings: Deduplication, index: Path | None, workers: int) -> None:
        """Read all texts and decide."""
        from tamis.cli.progress import bars
        from tamis.duplicates.finding import find_duplicates
        from tamis.duplicates.index import DuplicateIndex

        with bars() as update:
            documents = self._documents(update)

            def decided(count: int) -> None:
                update("decided", count, max(count, len(self._ids)))

            if index is None:
                self._clusters = find_duplicates(documents, settings, workers=workers, progress=decided)
                return
            given = settings.rule != type(settings.rule)()
            rule = settings.rule if given or not index.exists() else None
            with DuplicateIndex(index, rule) as opened:
                self._clusters = opened.update(documents, replace(settings, rule=opened.rule), workers=workers, progress=decided)

    def _documents(self, update: Update) -> Iterator[TextDocument]:
        from tamis.duplicates.documents import TextDocument

        for number, item in enumerate(self._collection.items()):
            if number % 64 == 63:
                update("read", number + 1)
            id = item.id if item.id is not None or self._stable else item.place
            if item.failure is not None:
                self._failed[number] = (item.place, item.failure)
            elif item.text is not None and id is None:
                self._failed[number] = (item.place, "no id: with --index, texts need a field that names them (--id-field)")
            self._ids.append(None if number in self._failed or item.text is None else id)
            if id is not None and item.text is not None and number not in self._failed:
                yield TextDocument(id, item.text, item.url, item.time)

    def write(self) -> None:
        """Write the output, the report, and what failed beside them."""
        from tamis.cli.output import as_line, failures_path
        from tamis.io.writing import written_whole

        if self._target is not None:
            self._collection.copy(self._target, self._keeper())
        if self._report is not None:
            self._report.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(self._report) as stream:
                stream.writelines(as_line(cluster.to_dict()) for cluster in self._clusters.clusters)
        self._failures = failures_path(str(self._target or self._report)) if self._target or self._report else None
        if self._failures is not None:
            self._failures.unlink(missing_ok=True)
            if self._failed:
                with written_whole(self._failures) as stream:
                    stream.writelines(as_line({"source": place, "reason": reason}) for place, reason in self._failed.values())

    def _keeper(self) -> Callable[[int], bool]:
        """Which documents are written: survivors, each once, and records without text; not what could not be read."""
        waiting = set(self._clusters.survivors)

        def keep(number: int) -> bool:
            id = self._ids[number]
            if id is None:
                return number not in self._failed
            kept = id in waiting
            waiting.discard(id)
            return kept

        return keep

    def tell(self) -> None:
        """A table of what was found, on standard error."""
        found, total, seconds = self._clusters, len(self._ids), time.monotonic() - self._start
        likeness = Counter(member.likeness for cluster in found.clusters for member in cluster.members)
        without = self._ids.count(None) - len(self._failed)
        rows = [
            ("texts", total, f"{total / max(seconds, 0.001):,.0f} a second, {seconds:.1f} seconds"),
            ("kept", len(found.survivors), f"{len(found.left_alone):,} of them say too little to be compared"),
            ("copies", found.copies, f"in {terminal.counted(len(found.clusters), 'cluster')}, the largest of {self._largest():,}"),
            *((f"  {_LIKENESS[name]}", count, "") for name, count in likeness.most_common()),
        ]
        if found.crowded:
            rows.append(("not decided", len(found.crowded), "kept: compared with as many as a text may be"))
        if without:
            rows.append(("without text", without, "passed on as they are"))
        if self._failed:
            _, reason = next(iter(self._failed.values()))
            where = f"see {self._failures}, " if self._failures is not None else ""
            rows.append(("failed", len(self._failed), f"{where}such as: {reason}"))
        terminal.table(rows)

    def _largest(self) -> int:
        return max((len(cluster.ids) for cluster in self._clusters.clusters), default=0)

    def exit_code(self) -> int:
        """Whether the run is a success."""
        if not self._ids:
            terminal.complain("there were no texts")
            return terminal.NOTHING
        if len(self._failed) > MOST_FAILED * len(self._ids):
            _, reason = next(iter(self._failed.values()))
            terminal.complain(f"{len(self._failed):,} of {len(self._ids):,} texts could not be read, such as: {reason}")
            return terminal.TOO_MANY_FAILED
        return 0


MOST_FAILED = 0.5
"""Share of the texts."""
_LIKENESS = {
    "identical": "identical",
    "same address": "of the same address",
    "near": "nearly the same",
    "part of": "part of what is kept",
    "contains": "with what is kept in it",
}


@app.command("compare")
def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="A text, or a page (.html), which is cleaned first.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    *,
    as_json: options.Json = False,
) -> None:
    """Compare two texts: are they the same, is one part of the other, and why.

    Shown is what decides, and for comparison the paper's feature codes (Chen and Niu 2006) of both.

    Examples:

    - `tamis dedup compare a.txt b.txt`
    - `tamis dedup compare old.html new.html --json`
    """
    from tamis.duplicates.feature_code import compare as compare_codes
    from tamis.duplicates.feature_code import feature_code
    from tamis.duplicates.rule import explain

    one, other = _text(a), _text(b)
    evidence = explain(one, other)
    codes = feature_code(one), feature_code(other)
    by_code = compare_codes(*codes)
    if as_json:
        import json

        described = {"primary": [code.primary for code in codes], "relation": by_code.relation, "reason": by_code.reason}
        terminal.to_stdout(json.dumps({**evidence.to_dict(), "feature code": described}, ensure_ascii=False, indent=2) + "\n")
        return
    relation = {"near": "nearly the same", "part of": f"{a} is part of {b}", "contains": f"{a} contains {b}"}.get(
        evidence.relation, evidence.relation
    )
    lines = [
        f"{relation}: {evidence.reason}",
        f"  passages      {evidence.passages:4.0%}  of the shorter text's passages are in the longer",
        f"  windows       {evidence.windows:4.0%}  of the shorter text's windows",
        f"  containment   {evidence.containment:4.0%}  of the shorter text's shingles",
        f"  resemblance   {evidence.resemblance:4.0%}  of the shingles of both",
        f"  numbers       {evidence.numbers:4.0%}  of the shorter text's numbers",
        f"by feature code: {by_code.relation}: {by_code.reason}",
        *(f"  {' '.join(code.primary)[:76]}" for code in codes),
    ]
    terminal.to_stdout("\n".join(lines) + "\n")


def _text(path: Path) -> str:
    if path.suffix.lower() in (".html", ".htm", ".xhtml"):
        import tamis

        return tamis.extract(path).text
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}") from error
