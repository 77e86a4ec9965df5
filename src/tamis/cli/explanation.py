"""How the main text of a page was found, for people and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from tamis.cli import terminal
from tamis.document.document import Document

if TYPE_CHECKING:
    from tamis.content.node_model import Judgement

KEPT, DROPPED = ("+ ", "bold green"), ("- ", "red")
"""Marks of blocks, with their styles."""


def as_dict(document: Document) -> dict[str, Any]:
    """The descent and all blocks as plain values, with the whole text of each block; of the node model all its evidence."""
    judged = _judged(document)
    return {
        "url": document.url,
        "method": document.selection.method,
        "trail": [
            {"path": document.tree.xpath(step.node), "characters": step.length, "attenuation": round(step.attenuation, 4)}
            for step in document.selection.trail
        ],
        **({"model": _model(document, judged)} if judged is not None else {}),
        "blocks": [block.to_dict() for block in document.blocks],
        "problems": list(document.problems),
    }


def _judged(document: Document) -> Judgement | None:
    """The node model's judgement of the page, if it took part in the selection."""
    if "model" not in document.selection.method:
        return None
    from tamis.content.node_model import judge

    return judge(document.tree)


def _model(document: Document, judged: Judgement) -> dict[str, Any]:
    from tamis.content.evidence import COLUMNS

    rows = zip(judged.blocks.texts(document.tree), judged.probability.tolist(), judged.evidence.values.tolist(), strict=True)
    return {
        "page_types": judged.page_types,
        "confidence": judged.confidence,
        "threshold": judged.threshold,
        "evidence": [
            {
                "text": text,
                "probability": probability,
                **{name: None if isnan(value) else value for name, value in zip(COLUMNS, values, strict=True)},
            }
            for text, probability, values in rows
        ],
    }


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
        yield line(("Node model", "bold"), (f": a page of type {likely}; blocks from a probability of {judged.threshold:.2f},", "dim"))
        yield line((f"expected F1 {judged.confidence:.2f} (all evidence of each block: --json)", "dim"))
        yield line()
    kept = sum(block.kept for block in document.blocks)
    yield line(("Blocks", "bold"), (f": {kept} kept (+) of {len(document.blocks)}", "dim"))
    for block in document.blocks:
        yield line(KEPT if block.kept else DROPPED, terminal.beginning(block.text))
        yield line((f"    {block.reason} · links {block.link_density:.0%} · {block.xpath}", "dim"))
    for problem in document.problems:
        yield line((f"Note: {problem}", "yellow"))
