"""How the main text of a page was found, for people and as plain values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from tamis.cli.terminal import harmless
from tamis.document import Block, Document

_BEGINNING = 100
"""Characters of a block that are shown."""


def as_dict(document: Document) -> dict[str, Any]:
    """The descent and all blocks as plain values; the whole text of each block."""
    return {
        "url": document.url,
        "method": document.selection.method,
        "trail": [
            {"path": document.tree.xpath(step.node), "characters": step.length, "attenuation": round(step.attenuation, 4)}
            for step in document.selection.trail
        ],
        "blocks": [block.to_dict() for block in document.blocks],
        "problems": list(document.problems),
    }


def show(document: Document, output: Path | None = None) -> None:
    """Print the descent and the beginning of each block, to a file where one is named. Lines are never folded."""
    if output is None:
        _print(document, Console(highlight=False))
        return
    from io import StringIO

    from tamis.cli.output import written_whole

    page = StringIO()
    _print(document, Console(file=page, highlight=False, width=10_000))
    with written_whole(output) as stream:
        stream.write(page.getvalue().encode("utf-8", "replace"))


def _print(document: Document, console: Console) -> None:
    def line(*parts: str | tuple[str, str]) -> None:
        console.print(Text.assemble(*parts), soft_wrap=True)

    selection = document.selection
    if selection.trail:
        line(("Descent", "bold"), (f" ({selection.method}): characters outside links, share that the best child lacks, element", "dim"))
        for step in selection.trail:
            line(f"{step.length:>9,}  {step.attenuation:>6.3f}  ", (document.tree.xpath(step.node), "cyan"))
        line()
    kept = sum(block.kept for block in document.blocks)
    line(("Blocks", "bold"), (f": {kept} kept (+) of {len(document.blocks)}", "dim"))
    for block in document.blocks:
        line(*_heading(block))
        line((f"    {block.reason} · links {block.link_density:.0%} · {block.xpath}", "dim"))
    for problem in document.problems:
        line((f"Note: {problem}", "yellow"))


def _heading(block: Block) -> tuple[tuple[str, str], str]:
    text = harmless(block.text)
    mark = ("+ ", "bold green") if block.kept else ("- ", "red")
    return mark, text if len(text) <= _BEGINNING else text[:_BEGINNING].rstrip() + "…"
