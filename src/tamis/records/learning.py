"""learn_records: a wrapper from several pages of a layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice

from tamis.errors import UsageError
from tamis.page.garbage import gc_paused
from tamis.page.parsing import Page
from tamis.page.tree import PageTree
from tamis.records.candidates import candidates
from tamis.records.columns import align_records
from tamis.records.finding import Region, bounded, find_records, is_menu, is_no_list
from tamis.records.key_search import RecordSettings
from tamis.records.places import places
from tamis.records.ranking import COMMON, LEAST_SCORE, choose_record_level, ranked
from tamis.records.wrapper import PathStep, Wrapper, wrap

BEST = 20  #: Candidates of a page that are compared with those of other pages.
ABSENT = 2.0  #: Penalty for a list that a page lacks: this much below the least score of its candidates.
MAX_LAYOUTS = 3  #: Layouts of one list.
MAX_COMPARED = 200  #: Lists that are compared with each other: the best of most pages.
SAMPLED = 20  #: Records of a list whose class names or texts are compared with those of another.
REPEATED = 4.0  #: Penalty for a list whose records all occur on other pages, too.

_Sort = tuple[tuple[str, ...], str, str, bool]
"""A list that pages share: the path of tags, the record's tag and one of its class names, whether it is a run."""


def learn_records(
    pages: Iterable[Page], *, like: str | Sequence[str] | None = None, settings: RecordSettings = RecordSettings()
) -> Wrapper:
    """Learn a wrapper from several pages: of the list that does best on all of them and does not repeat word for word. If some pages have
    its records in another layout (the goods as a grid), the wrapper knows both.

    Args:
        pages: pages of one kind; two are enough, more settle optional fields.
        like: a sample, or several, as for :func:`~tamis.records.finding.find_records`, on the first page that has it.
        settings: thresholds.

    Raises:
        UsageError: no page was given, or none of them has a list.
    """
    trees = [tree for tree in map(bounded, pages) if len(tree)]
    if not trees:
        raise UsageError("give at least one page to learn from")
    with gc_paused():
        layouts = [_like(trees, like, settings)] if like is not None else _shared(trees)
        if not layouts:
            raise UsageError("none of the pages has a list of records")
        first, *others = map(_wrapper_of, layouts)
        return replace(first, others=tuple(others))


def _wrapper_of(regions: Sequence[Region]) -> Wrapper:
    """The wrapper of a list on several pages of one layout."""
    wrappers = [wrap(region.page, region.candidate) for region in regions]
    return replace(_merged(wrappers), columns=align_records(regions).columns, pages=len(regions))


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


def _shared(trees: Sequence[PageTree]) -> list[list[Region]]:
    """The regions, one a page, of the list that does best on all pages, by the layouts that it has."""
    sorts: dict[_Sort, dict[int, Region]] = {}
    floors = []  # the least score of each page
    for number, tree in enumerate(trees):
        page = places(tree)
        scored = ranked(page, candidates(page))
        whole = (choose_record_level(page, scored, each) for each in scored[:BEST])
        likely = [each for each in whole if not is_no_list(page, *each) and not is_menu(page, *each)]
        scores = [evidence.score for evidence, _ in likely] or [LEAST_SCORE]
        floors.append(min(scores))
        for evidence, candidate in likely:
            wrapper = wrap(page, candidate)
            region = Region(page, candidate, evidence, "by what the pages share")
            for name in wrapper.record.names or ("",):  # other names may be those of all records of one page only: a category
                sort = tuple(step.tag for step in wrapper.path), wrapper.record.tag, name, candidate.run
                sorts.setdefault(sort, {}).setdefault(number, region)
    return _layouts(list(sorts.values()), dict(enumerate(floors)))


def _layouts(lists: Sequence[dict[int, Region]], floors: dict[int, float]) -> list[list[Region]]:
    """The regions, one a page, of the list that does best on all pages, then those of the same records in other layouts on the pages that
    are left: with at least half of the class names in common, and no more beside the content."""
    found: list[dict[int, Region]] = []
    left = dict(floors)
    while left and len(found) < MAX_LAYOUTS:
        own = [{k: region for k, region in each.items() if k in left} for each in lists]
        if found:
            first = next(iter(found[0].values()))
            near = sorted(own, key=lambda each: -sum(region.score for region in each.values()))[:MAX_COMPARED]
            own = [each for each in near if any(_has_records_of(region, first) for region in islice(each.values(), 1))]
        best = max(own, key=lambda each: _value(each, left), default=None)
        if not best:
            break
        found.append(best)
        left = {k: floor for k, floor in left.items() if k not in best}
    return [[layout[k] for k in sorted(layout)] for layout in found]


def _has_records_of(region: Region, other: Region) -> bool:
    """Return whether two lists have the same records in different layouts."""
    own, names = _class_names(region), _class_names(other)
    return 2 * len(own & names) >= max(len(own | names), 4) and region.evidence.aside <= other.evidence.aside


def _class_names(region: Region) -> set[str]:
    """Class names within at least half of the records."""
    spans = region.candidate.spans[:SAMPLED].tolist()
    having = Counter(name for begin, end in spans for name in set(chain.from_iterable(region.page.names[begin + 1 : end])))
    return {name for name, count in having.items() if count >= COMMON * len(spans)}


def _value(own: dict[int, Region], floors: dict[int, float]) -> float:
    """Return how well a list scores on the pages. ``floors``: the least score on each page, by number."""
    total = sum(own[k].score if k in own else floor - ABSENT for k, floor in floors.items())
    texts = [_texts(region) for region in own.values()]
    pages_with = Counter(text for each in texts for text in each)
    repeated = [sum(pages_with[text] > 1 for text in each) / max(len(each), 1) for each in texts]
    return total / len(floors) - REPEATED * sum(repeated) / max(len(repeated), 1)


def _texts(region: Region) -> frozenset[str]:
    """The texts of some records."""
    tree, texts = region.page.tree, []
    for first, after in region.candidate.spans[:SAMPLED].tolist():
        begin, end = tree.texts_between(first, after)
        texts.append(" ".join("".join(tree.texts[begin:end]).split()))
    return frozenset(texts)


def _merged(wrappers: Sequence[Wrapper]) -> Wrapper:
    """One wrapper of those of several pages: names that all have, siblings that any has."""
    first = wrappers[0]
    return replace(
        first,
        path=tuple(
            PathStep(step.tag, tuple(name for name in step.names if all(len(w.path) > k and name in w.path[k].names for w in wrappers)))
            for k, step in enumerate(first.path)
        ),
        record=PathStep(first.record.tag, tuple(name for name in first.record.names if all(name in w.record.names for w in wrappers))),
        siblings=tuple(dict.fromkeys(step for wrapper in wrappers for step in wrapper.siblings)),
        longest=max(wrapper.longest for wrapper in wrappers),
        skeleton=max((wrapper.skeleton for wrapper in wrappers), key=len),
    )
