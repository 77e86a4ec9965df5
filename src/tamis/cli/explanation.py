"""How the main text of a page was found, for people and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any

from rich.text import Text

from tamis.cli import terminal
from tamis.content.evidence import COLUMNS
from tamis.content.node_model import Judgement, judge
from tamis.document.document import Document

KEPT, DROPPED = ("+ ", "bold green"), ("- ", "red")  #: Marks of blocks, with their styles.


def as_dict(document: Document) -> dict[str, Any]:
    """The descent and all blocks as plain values, with the whole text of each block; of the node model all its evidence."""
    values: dict[str, Any] = {
        "url": document.url,
        "method": document.selection.method,
        "trail": [
            {"path": document.tree.xpath(step.node), "characters": step.length, "attenuation": round(step.attenuation, 4)}
            for step in document.selection.trail
        ],
        "blocks": [block.to_dict() for block in document.blocks],
        "problems": list(document.problems),
    }
    if (judged := _judged(document)) is not None:
        rows = zip(judged.blocks.texts(document.tree), judged.probability.tolist(), judged.evidence.values.tolist(), strict=True)
        values["model"] = {
            **{name: getattr(judged, name) for name in ("page_types", "confidence", "threshold")},
            "evidence": [
                {
                    "text": text,
                    "probability": share,
                    **{name: None if isnan(value) else value for name, value in zip(COLUMNS, row, strict=True)},
                }
                for text, share, row in rows
            ],
        }
    return values


def _judged(document: Document) -> Judgement | None:
    """The node model's judgement of the page, if it took part in the selection."""
    return judge(document.tree) if "model" in document.selection.method else None


def show(document: Document, output: Path | None = None, *, as_json: bool = False) -> None:
    """Print the descent and the beginning of each block, or write them to a file."""
    if as_json:
        terminal.deliver_json(as_dict(document), output)
    else:
        terminal.deliver_lines(_lines(document), output)


def _lines(document: Document) -> Iterator[Text]:
    line = Text.assemble
    selection = document.selection
    if selection.trail:
        yield line(
            ("Descent", "bold"), (f" ({selection.method}): characters outside links, share that the best child lacks, element", "dim")
        )
        for step in selection.trail:
            yield line(f"{step.length:>9,}  {step.attenuation:>6.3f}  ", (document.tree.xpath(step.node), "cyan"))
        yield line()
    judged = _judged(document)
    if judged is not None and judged.page_types:
        likely = ", ".join(f"{name} {share:.0%}" for name, share in list(judged.page_types.items())[:3])
        yield line(("Node model", "bold"), (f": page type {likely}; threshold {judged.threshold:.2f};", "dim"))
        yield line((f"expected F1 {judged.confidence:.2f} (--json shows all evidence for each block)", "dim"))
        yield line()
    kept = sum(block.kept for block in document.blocks)
    yield line(("Blocks", "bold"), (f": {kept} kept (+) of {len(document.blocks)}", "dim"))
    for block in document.blocks:
        yield line(KEPT if block.kept else DROPPED, terminal.beginning(block.text))
        yield line((f"    {block.reason} · links {block.link_density:.0%} · {block.xpath}", "dim"))
    for problem in document.problems:
        yield line((f"Note: {problem}", "yellow"))
