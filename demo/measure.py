"""How well cleaned demo pages fit their gold, layout by layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.metric import compare, content_lost, mean, mean_score, noise_removed, unit_of
from demo.site import Gold


@dataclass(frozen=True, slots=True)
class LayoutScore:
    """The pages of one layout, measured (means over pages)."""

    layout: str
    pages: int
    f1: float
    """Over token multisets, characters for Chinese and Japanese, 0..1."""
    main_kept: float
    """Share of the main text's characters, 0..1."""
    noise_removed: float
    """Share of the noise's characters, 0..1."""


def measure(texts: Mapping[str, str], gold: Iterable[tuple[str, Gold]]) -> tuple[LayoutScore, ...]:
    """Compare cleaned text with the gold.

    Args:
        texts: cleaned text by path; a path that is missing counts as an empty text.
        gold: path and gold of each page; pages without main text are left out.

    Returns:
        A score for each layout, in the order in which the layouts appear.
    """
    layouts: dict[str, list[tuple[str, Gold]]] = {}
    for path, page in gold:
        if page.main:
            layouts.setdefault(page.layout, []).append((texts.get(path, ""), page))
    return tuple(_measure_layout(layout, pages) for layout, pages in layouts.items())


def _measure_layout(layout: str, pages: list[tuple[str, Gold]]) -> LayoutScore:
    scores, lost, removed = [], [], []
    for text, page in pages:
        main, noise, either = "\n".join(page.main), "\n".join(page.noise), "\n".join(page.either)
        unit = unit_of(page.language, main)
        scores.append(compare(text, main, ignored=either, unit=unit))
        lost.append(content_lost(text, main, unit))
        removed.append(noise_removed(text, main, noise, ignored=either, unit=unit))
    return LayoutScore(layout, len(pages), mean_score(scores).f1, 1 - (mean(lost) or 0.0), mean(removed) or 0.0)
