"""learn_records: a wrapper from several pages of a layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tamis.errors import UsageError
from tamis.page.garbage import uncollected
from tamis.page.parsing import Page, parse
from tamis.page.tree import PageTree
from tamis.records.candidates import candidates
from tamis.records.finding import RecordSettings, Region, find_records, together
from tamis.records.places import places
from tamis.records.ranking import LEAST_SCORE, ranked, settled
from tamis.records.wrapper import Step, Wrapper, wrap

BEST = 20  #: Candidates of a page that are compared with those of other pages.
ABSENT = 2.0  #: What a page counts against a list that it has not: so much less than the least of its candidates.
REPEATED = 4.0  #: What it counts against a list that all of its records stand on other pages, too.

_Sort = tuple[tuple[str, ...], str, str, bool]
"""A list that pages share: the path of tags, the record's tag and one of its class names, whether it is a run."""


def learn_records(
    pages: Iterable[Page], *, like: str | Sequence[str] | None = None, settings: RecordSettings = RecordSettings()
) -> Wrapper:
    """Learn a wrapper from several pages of one layout: of the list that does best on all of them and does not repeat word for word.

    Args:
        pages: pages of one layout; two are enough, more settle optional fields.
        like: a sample, or several, as for :func:`~tamis.records.finding.find_records`, on the first page that has it.
        settings: thresholds.

    Raises:
        UsageError: no page was given, or none of them has a list.
    """
    trees = [tree for tree in (parse(page).bounded() for page in pages) if len(tree)]
    if not trees:
        raise UsageError("give at least one page to learn from")
    with uncollected():
        regions = _like(trees, like, settings) if like is not None else _shared(trees)
        if not regions:
            raise UsageError("none of the pages has a list of records")
        wrappers = [wrap(region.page, region.candidate) for region in regions]
        return replace(_merged(wrappers), columns=together(regions).columns, pages=len(regions))


def _like(trees: Sequence[PageTree], like: str | Sequence[str], settings: RecordSettings) -> list[Region]:
    """The list of the sample on the first page that has it, and its like on the others."""
    error: UsageError | None = None
    for first, tree in enumerate(trees):
        try:
            main = find_records(tree, like=like, settings=settings).main
        except UsageError as problem:
            error = error or problem
            continue
        if main is None:
            continue
        wrapper = wrap(main.page, main.candidate)
        others = [find_records(other, wrapper=wrapper, settings=settings).main for k, other in enumerate(trees) if k != first]
        return [main, *(other for other in others if other is not None)]
    raise error or UsageError("nothing on the pages is like the sample")


def _shared(trees: Sequence[PageTree]) -> list[Region]:
    """The regions, one a page, of the list that does best on all pages."""
    sorts: dict[_Sort, dict[int, Region]] = {}
    floors = []
    for number, tree in enumerate(trees):
        page = places(tree)
        scored = ranked(page, candidates(page))
        found = [settled(page, scored, each) for each in scored[:BEST]]
        floors.append(min((evidence.score for evidence, _ in found), default=LEAST_SCORE))
        for evidence, candidate in found:
            wrapper = wrap(page, candidate)
            region = Region(page, candidate, evidence, "by what the pages share")
            for name in wrapper.record.names or ("",):  # other names may be those of all records of one page only: a category
                sort = tuple(step.tag for step in wrapper.path), wrapper.record.tag, name, candidate.run
                sorts.setdefault(sort, {}).setdefault(number, region)
    return list(max(sorts.values(), key=lambda own: _value(own, floors), default={}).values())


def _value(own: dict[int, Region], floors: list[float]) -> float:
    """How well a list, by the numbers of the pages that have it, does on all pages."""
    total = sum(own[k].score if k in own else floor - ABSENT for k, floor in enumerate(floors))
    texts = [_texts(region) for region in own.values()]
    pages_with = Counter(text for each in texts for text in each)
    repeated = [sum(pages_with[text] > 1 for text in each) / max(len(each), 1) for each in texts]
    return total / len(floors) - REPEATED * sum(repeated) / len(repeated)


def _texts(region: Region) -> frozenset[str]:
    """The texts of some records."""
    tree, texts = region.page.tree, []
    for first, after in region.candidate.spans[:20].tolist():
        begin, end = tree.texts_between(first, after)
        texts.append(" ".join("".join(tree.texts[begin:end]).split()))
    return frozenset(texts)


def _merged(wrappers: Sequence[Wrapper]) -> Wrapper:
    """One wrapper of those of several pages: names that all have, siblings that any has."""
    first = wrappers[0]
    return replace(
        first,
        path=tuple(
            Step(step.tag, tuple(name for name in step.names if all(len(w.path) > k and name in w.path[k].names for w in wrappers)))
            for k, step in enumerate(first.path)
        ),
        record=Step(first.record.tag, tuple(name for name in first.record.names if all(name in w.record.names for w in wrappers))),
        siblings=tuple(dict.fromkeys(step for wrapper in wrappers for step in wrapper.siblings)),
        longest=max(wrapper.longest for wrapper in wrappers),
        skeleton=max((wrapper.skeleton for wrapper in wrappers), key=len),
    )
