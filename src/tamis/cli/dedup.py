"""``tamis dedup``: find near-duplicates among texts, and write the texts without them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from typer import Argument, Option

import tamis
from tamis.cli import options, terminal
from tamis.cli.lazy import PlainGroup, Subcommands
from tamis.cli.output import failures, failures_path
from tamis.duplicates.clusters import Survivor
from tamis.duplicates.feature_code import compare as compare_codes
from tamis.duplicates.feature_code import feature_code
from tamis.duplicates.rule import explain
from tamis.errors import UsageError
from tamis.io.arguments import PAGE_SUFFIXES, bare_suffix
from tamis.io.collections import Collection, FieldNames, check_target, open_collection
from tamis.io.writing import alone_in, as_line, check_outputs, written_whole


class Dedup(PlainGroup):
    """``tamis dedup IN`` is ``tamis dedup find IN``: a first word that is not a command is the first input."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Add the name of the command if it is missing."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["find", *args]
        return super().parse_args(ctx, args)


app = Subcommands(cls=Dedup)


@app.callback()
def dedup() -> None:
    """Find near-duplicates among texts: tamis dedup IN -o OUT.

    IN is what `tamis clean` writes, JSON lines or a folder of texts, or Parquet. 'tamis dedup find --help' shows all options; 'find' may be
    omitted (a folder of that name is ./find).

    **Examples**

    tamis dedup texts.jsonl -o unique.jsonl

    tamis dedup today.jsonl -o new.jsonl --index crawl.index --report copies.jsonl

    tamis dedup compare a.txt b.txt
    """


Field = Annotated[str | None, Option(metavar="NAME")]


@app.add("find")
def find(
    inputs: Annotated[list[str], Argument(metavar="IN")],
    *,
    output: Annotated[str | None, Option("--output", "-o", metavar="OUT")] = None,
    index: Annotated[Path | None, Option(metavar="FOLDER")] = None,
    report: Annotated[Path | None, Option(metavar="FILE")] = None,
    method: Literal["passages", "feature-code"] = "passages",
    keep: Literal["longest", "earliest", "best-address"] = "longest",
    parts: bool = True,
    addresses: bool = True,
    threshold: Annotated[float | None, Option(metavar="T", min=0.05, max=1)] = None,
    id_field: Field = None,
    text_field: Field = None,
    url_field: Field = None,
    time_field: Field = None,
    workers: options.Workers = None,
    max_error_ratio: options.MaxErrorRatio = 0.5,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Find the copies among texts, and write the other texts unchanged and in the same order.

    Two texts are copies if they are the same apart from a few words, punctuation, the order of paragraphs or the text around them, or if
    one is part of the other. Each copy is compared with the text that is kept for it, the longest; if most copies of a page name one of
    them as canonical (field canonical_url, also in metadata), that one stays in its place. Texts that are too short to compare are kept,
    and counted.

    With an index, texts are identified by id (field id or source), and repeating a run changes nothing.

    Examples:

    - `tamis dedup texts.jsonl -o unique.jsonl --report copies.jsonl`
    - `tamis dedup today.jsonl -o new.jsonl --index crawl.index`
    - `tamis dedup texts/ -o unique/ --keep earliest`
    - `tamis dedup texts.parquet --report copies.jsonl`

    Options:
        inputs: JSON lines (.jsonl, .ndjson, also packed), Parquet, or folders of .txt and .md. Clean pages first: raw pages share too much.
        output: Write the texts without copies here, in the format of IN.
        index: Also compare with this index of earlier runs, and add the kept texts. It is created if it does not exist.
        report: Write every cluster, with the evidence for each copy, as JSON lines.

    Which texts are copies:
        method: Compare passages of the texts, or the feature codes of the paper in its search forest, which misses more copies.
        keep: Which of several copies to keep.
        parts: Treat a text that is part of another as a copy.
        addresses: Treat texts of the same address as copies.
        threshold: Share of the shorter text that must be in the longer one. [default: 0.8]

    Fields:
        id_field: Field with the id. [default: id, source]
        text_field: Field with the text. [default: text, markdown, content]
        url_field: Field with the address. [default: url]
        time_field: Field with the time. [default: time, date, published]

    How it runs:
        workers: Maximum number of worker processes. [default: 1]
    """
    if output is None and index is None and report is None:
        raise UsageError("name what to write: an output (-o), an index (--index) or a report (--report)")
    collection = open_collection(inputs, FieldNames(id_field, text_field, url_field, time_field))
    target = check_target(collection, output, inputs) if output is not None else None
    check_outputs(target, report, overwrite=overwrite)
    if method == "feature-code" and (index is not None or keep != "longest" or not parts or not addresses or threshold is not None):
        raise UsageError("--index, --keep, --no-parts, --no-addresses and --threshold are options of the method passages")
    rule = tamis.DuplicateRule(parts=parts)
    if threshold is not None:
        rule = replace(rule, coverage=threshold, windows=threshold)
    settings = tamis.Deduplication(rule, cast("Survivor", keep.replace("-", " ")), addresses)
    start = time.monotonic()
    texts = _CollectionTexts(collection, ids_needed=index is not None)
    found = _clusters_of_forest(texts) if method == "feature-code" else _compared(texts, settings, index, workers or 1)
    if target is not None:
        collection.copy(target, texts.keeper(found.survivors))
    if report is not None:
        with written_whole(report) as stream:
            stream.writelines(as_line(cluster.to_dict()) for cluster in found.clusters)
    listed = failures_path(str(target or report or "-"))
    with failures(listed) as fail:
        for place, reason in texts.failed.values():
            fail({"source": place, "reason": reason})
    rows = _run_rows(texts, found, time.monotonic() - start, f"see {listed}, " if listed else "")
    nothing = None if texts.ids else "there were no texts"
    summary = {
        **{"texts": len(texts.ids), "kept": len(found.survivors), "too_short": len(found.left_alone), "copies": found.copies},
        **{"clusters": len(found.clusters), "not_decided": len(found.crowded), "failed": len(texts.failed)},
        **{"output": output, "report": report, "failures_file": listed if texts.failed else None},
    }
    terminal.end(
        list(rows),
        total=len(texts.ids),
        failed=len(texts.failed),
        noun="text",
        most=max_error_ratio,
        nothing=nothing,
        summary=summary if as_json else None,
    )


class _CollectionTexts:
    """The texts of a collection, and what is known of each after reading."""

    def __init__(self, collection: Collection, *, ids_needed: bool) -> None:
        self._collection = collection
        self._ids_needed = ids_needed
        self.ids: list[str | None] = []  #: The id of each document, in order; None if it has no text or could not be read.
        self.failed: dict[int, tuple[str, str]] = {}  #: Place and reason, by number.

    def documents(self, update: terminal.Update) -> Iterator[tamis.TextDocument]:
        """Read the documents that have a text."""
        for number, item in enumerate(self._collection.items()):
            if number % 64 == 63:
                update("read", number + 1)
            id = item.id if item.id is not None or self._ids_needed else item.place
            if item.failure is not None:
                self.failed[number] = (item.place, item.failure)
            elif item.text is not None and id is None:
                self.failed[number] = (item.place, "no id: with --index, texts need a field that names them (--id-field)")
            self.ids.append(None if number in self.failed or item.text is None else id)
            if id is not None and item.text is not None and number not in self.failed:
                yield tamis.TextDocument(id, item.text, item.url, item.time, item.canonical)

    def keeper(self, survivors: tuple[str, ...]) -> Callable[[int], bool]:
        """Return a test for documents to write: survivors, each once, and records without text; not those that could not be read."""
        waiting = set(survivors)

        def keep(number: int) -> bool:
            id = self.ids[number]
            if id is None:
                return number not in self.failed
            kept = id in waiting
            waiting.discard(id)
            return kept

        return keep


def _compared(texts: _CollectionTexts, settings: tamis.Deduplication, index: Path | None, workers: int) -> tamis.Clusters:
    with terminal.bars() as update:
        documents = texts.documents(update)

        def decided(count: int) -> None:
            update("decided", count, max(count, len(texts.ids)))

        if index is None:
            return tamis.find_duplicates(documents, settings, workers=workers, progress=decided)
        given = settings.rule != type(settings.rule)()
        rule = settings.rule if given or not index.exists() else None
        with tamis.DuplicateIndex(index, rule) as opened, alone_in(index):
            return opened.update(documents, replace(settings, rule=opened.rule), workers=workers, progress=decided)


def _clusters_of_forest(texts: _CollectionTexts) -> tamis.Clusters:
    """Return the clusters of the forest of feature codes, as the paper has it: the text of each node is kept."""
    from tamis.duplicates.forest import find_by_feature_code

    with terminal.bars() as update:
        return find_by_feature_code(texts.documents(update))


_LIKENESS = {"same address": "of the same address", "near": "nearly the same"}
_LIKENESS |= {"part of": "part of the kept text", "contains": "containing the kept text"}


def _run_rows(texts: _CollectionTexts, found: tamis.Clusters, seconds: float, failures: str) -> Iterator[tuple[str, int | str, str]]:
    total = len(texts.ids)
    largest = max((len(cluster.ids) for cluster in found.clusters), default=0)
    yield "texts", total, f"{total / max(seconds, 0.001):,.0f} a second, {seconds:.1f} seconds"
    yield "kept", len(found.survivors), f"{len(found.left_alone):,} of them too short to compare"
    yield "copies", found.copies, f"in {terminal.counted(len(found.clusters), 'cluster')}, the largest of {largest:,}"
    likeness = Counter(member.likeness for cluster in found.clusters for member in cluster.members)
    yield from ((f"  {_LIKENESS.get(name, name)}", count, "") for name, count in likeness.most_common())
    if found.crowded:
        yield "not decided", len(found.crowded), "kept: they reached the limit on comparisons"
    named = [id for id in texts.ids if id is not None]
    if repeated := len(named) - len(set(named)):
        yield "repeated", repeated, "with the id and text of another: written once"
    if without := texts.ids.count(None) - len(texts.failed):
        yield "without text", without, "written unchanged"
    if texts.failed:
        _, reason = next(iter(texts.failed.values()))
        yield "failed", len(texts.failed), f"{failures}such as: {reason}"


@app.add("compare")
def compare(a: Annotated[Path, Argument(metavar="A")], b: Annotated[Path, Argument(metavar="B")], *, as_json: options.Json = False) -> None:
    """Compare two texts: are they the same, is one part of the other, and why.

    The output shows the measures that decide, and for comparison the feature codes of both texts (Chen and Niu 2006).

    Examples:

    - `tamis dedup compare a.txt b.txt`
    - `tamis dedup compare old.html new.html --json`

    Options:
        a: A text, or a page (.html, .html.gz), which is cleaned first.
        b: Another text or page.
    """
    one, other = (
        tamis.extract(path).text if bare_suffix(path) in PAGE_SUFFIXES else path.read_text(encoding="utf-8", errors="replace")
        for path in (a, b)
    )
    evidence = explain(one, other)
    codes = feature_code(one), feature_code(other)
    by_code = compare_codes(*codes)
    if as_json:
        described = {
            "primary": [code.primary for code in codes],
            "auxiliary": [code.auxiliary for code in codes],
            "aggregation factor": [round(code.aggregation_factor, 2) for code in codes],
            "relation": by_code.relation,
            "reason": by_code.reason,
        }
        terminal.deliver_json({**evidence.to_dict(), "feature code": described})
        return
    relations = {"near": "nearly the same", "part of": f"{a} is part of {b}", "contains": f"{a} contains {b}"}
    lines = [
        f"{relations.get(evidence.relation, evidence.relation)}: {evidence.reason}",
        f"  passages      {evidence.passages:4.0%}  of the shorter text's passages are in the longer",
        f"  windows       {evidence.windows:4.0%}  of the shorter text's windows",
        f"  containment   {evidence.containment:4.0%}  of the shorter text's shingles",
        f"  resemblance   {evidence.resemblance:4.0%}  of the shingles of both",
        f"  numbers       {evidence.numbers:4.0%}  of the shorter text's numbers",
        f"by feature code: {by_code.relation}: {by_code.reason}",
        *(line for code in codes for line in _feature_code_lines(code)),
    ]
    terminal.to_stdout("\n".join(lines) + "\n")


def _feature_code_lines(code: tamis.FeatureCode) -> list[str]:
    auxiliary = " | ".join(" ".join(tokens) for tokens in code.auxiliary)
    return [
        f"  main code       {' '.join(code.primary)[:62]}",
        f"  auxiliary code  {auxiliary[:62]}",
        f"  factor          {code.size:,} / {len(code)} = {code.aggregation_factor:.1f}",
    ]
