"""find_records: the lists of a page, the main one first. learn_records: a wrapper from several pages of a layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice

import numpy as np

from tamis.errors import UsageError
from tamis.page import tags
from tamis.page.garbage import gc_paused
from tamis.page.hyperlinks import base_of
from tamis.page.parsing import Page, parse
from tamis.page.tree import MAX_LIST_NODES, PageTree
from tamis.records.candidates import Candidate, PageFeatures, Spans, of_elements, places, without_late_titles
from tamis.records.columns import align_records, data_tables
from tamis.records.fields import Field, FieldReader, Span
from tamis.records.labels import PathReader
from tamis.records.search import (
    COMMON,
    FEW,
    LEAST_SCORE,
    MOSTLY,
    KeyTree,
    RankingEvidence,
    RecordSettings,
    add_missing_rows,
    choose_record_level,
    drop_outlier_rows,
    find_by_key,
    key_tree,
    of_one_kind,
    of_samples,
    ranked,
    weigh,
)
from tamis.records.table import Table
from tamis.records.wrapper import PathStep, Wrapper, wrap

_PROSE = tags.lookup(
    tags.HEADINGS | tags.codes("p blockquote pre code span b strong i em u font mark small sub sup abbr cite q time kbd samp var del ins")
)
"""Elements that running text is made of."""
_CODE = tags.lookup(tags.codes("pre code"))
MAX_REGIONS = 10  #: Lists of a page that are given.
MAX_TABLES = 50  #: Tables of data that are given besides.
SURELY_ASIDE = 1.5  #: Evidence from which on records of one part are a menu or a tag cloud, and no list.
GROUP = 5  #: Links from which on, on the mean, records are groups of links, if these are half of their text.
LINKS, SENTENCE = 10, 25  #: A line with at least LINKS links and on average at most SENTENCE characters between them is a sentence.
LENGTHS = 4  #: Most that a sample is longer or shorter than the records of a list that it may be of, as a multiple.
PARAGRAPH = 60  #: Characters from which on, on the mean, texts without parts and links are paragraphs and no records.


@dataclass(frozen=True, eq=False)
class Region:
    """A list of records on a page."""

    page: PageFeatures = field(repr=False)
    candidate: Candidate = field(repr=False)
    evidence: RankingEvidence
    how: str  #: Method that found the list, in words.
    base: str | None = field(default=None, repr=False)  #: Base address of relative links.
    wrapper: Wrapper | None = field(default=None, repr=False)  #: The wrapper of the layout that it was found by, if any: gives the columns.

    def __len__(self) -> int:
        return len(self.candidate.spans)

    @property
    def score(self) -> float:
        """The logarithm of how likely this is the page's main list; only for comparing regions of a page."""
        return self.evidence.score

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return the records as ranges of nodes in preorder: first, and first after."""
        return tuple((first, after) for first, after in self.candidate.spans.tolist())

    @property
    def xpath(self) -> str:
        """The XPath of the element that holds the first record."""
        return self.page.tree.xpath(int(self.page.tree.parent[self.candidate.heads[0]]))

    @property
    def css(self) -> str:
        """Its CSS path."""
        return self.page.tree.css(int(self.page.tree.parent[self.candidate.heads[0]]))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each record, a line for each field."""
        return tuple("\n".join(field.value for field in fields if field.kind == "text") for fields in self.fields)

    @cached_property
    def fields(self) -> tuple[tuple[Field, ...], ...]:
        """The fields of each record, in order."""
        known = {(column.kind, column.path) for column in self.wrapper.columns} if self.wrapper is not None else set()
        return FieldReader(self.page, self.base).records(
            self.candidate.spans.tolist(), lambda field: bool(known) and self.paths.key(field)[:2] in known
        )

    @cached_property
    def paths(self) -> PathReader:
        """Return the paths of fields within the records."""
        return PathReader(self.page, self.candidate.spans, run=self.candidate.run)

    @cached_property
    def table(self) -> Table:
        """The records under columns: title, price and date first, addresses last."""
        return align_records([self]).arranged()

    def to_wrapper(self) -> Wrapper:
        """Return a wrapper that finds these records on other pages (:meth:`Wrapper.save`)."""
        return wrap(self.page, self.candidate, align_records([self]).columns)


@dataclass(frozen=True, eq=False)
class Records:
    """The lists of records found on a page."""

    page: PageFeatures = field(repr=False)
    regions: tuple[Region, ...]  #: The lists of the page, the main one first; no two overlap, but for a table of data in a record.
    notes: tuple[str, ...] = ()  #: Notes for the user, in words.
    menus: tuple[Region, ...] = ()  #: The menus of a page that has no list.

    @property
    def tree(self) -> PageTree:
        """The page."""
        return self.page.tree

    @property
    def main(self) -> Region | None:
        """The main list; None for a page without."""
        return self.regions[0] if self.regions else None

    @property
    def table(self) -> Table:
        """The records of the main list; an empty table for a page without."""
        return self.regions[0].table if self.regions else Table()

    @cached_property
    def data_tables(self) -> tuple[Table, ...]:
        """The page's own tables of data (``table`` elements), in order."""
        return data_tables(self.page)


@gc_paused()
def find_records(
    page: Page,
    *,
    like: str | int | Sequence[str | int] | None = None,
    wrapper: Wrapper | None = None,
    url: str | None = None,
    content_type: str | None = None,
    settings: RecordSettings = RecordSettings(),
) -> Records:
    """Find the records of a page.

    Args:
        page: HTML as text, bytes as served, a file (``Path``), or a tree.
        like: a sample record: a CSS selector, an XPath (starts with ``/``), a piece of HTML (starts with ``<``) or the index of a node. Or
            several, each of another record of the page: they decide what a record is where one sample leaves it open.
        wrapper: one that was learned of a page of the same layout.
        url: where the page came from; relative links are resolved against it.
        content_type: the HTTP ``Content-Type`` header.
        settings: thresholds.

    Returns:
        The lists of the page, the main one first; with a sample or a wrapper the one that fits. Bad HTML never raises; a page
        without a list has none, and says so in its notes.

    Raises:
        UsageError: the sample is not on the page or no selector, or both a sample and a wrapper are given.
        SourceError: the file cannot be read.

    >>> page = "<ul><li><b>Oysters</b> <i>3.20</i><li><b>Mussels</b> <i>2.10</i><li><b>Clams</b></ul>"
    >>> find_records(page, like="li").table.rows
    (('Oysters', '3.20'), ('Mussels', '2.10'), ('Clams', None))
    """
    if like is not None and wrapper is not None:
        raise UsageError("give a sample or a wrapper, not both")
    tree = bounded(page, content_type)
    seen = places(tree)
    base = base_of(tree, url)
    notes = list(tree.notes)
    if wrapper is not None:
        found, how, wrapper = wrapper.apply(seen)
        missing = how
    elif like is not None:
        keys = [key_tree(tree, each) for each in ([like] if isinstance(like, (str, int)) else like)]
        notes += [note for key in keys for note in key.notes]
        how, missing = "like the sample", "nothing on the page is like the sample"
        if len(keys) == 1:
            found = _like_one(seen, keys[0], settings)
        elif keys and all(key.on_page for key in keys):
            found = of_samples(seen, [key.node for key in keys])
        else:
            raise UsageError("several samples are elements of the page: give selectors, XPaths or nodes")
    else:
        regions, menus = discover(seen, base)
        missing = "the page has no list of records" + (", only menus" if menus else "")
        return Records(seen, tuple(regions), tuple(notes if regions else [*notes, missing]), tuple(menus))
    if found is None:
        return Records(seen, (), (*notes, missing))
    return Records(seen, (Region(seen, found, weigh(seen, found), how, base, wrapper),), tuple(notes))


def bounded(page: Page, content_type: str | None = None) -> PageTree:
    """Return a page as it is searched, with and without a sample, and to learn from: its first :data:`MAX_LIST_NODES` nodes."""
    return parse(page, content_type=content_type).bounded(MAX_LIST_NODES, depth=None)


def _like_one(page: PageFeatures, key: KeyTree, settings: RecordSettings) -> Candidate | None:
    """The list of one sample. What all of the page has in common says best which elements are records: the page's main list, if one of its
    records shows what the sample does (not if these are runs, or have one part: a sample may tell them apart); else the list of the
    sample's kind; if there is none, the sample, with the first list beside it whose records show the same sorts of things."""
    if not (settings.of_one_kind and key.on_page):
        return find_by_key(page, key, settings)
    sample = np.array([[key.node, page.tree.end[key.node]]])
    regions = discover(page, None)[0]
    main = next((each.candidate for each in regions[:1] if not each.candidate.run and each.evidence.parts > 1), None)
    if main is not None and (page.shown[main.spans] == page.shown[sample]).all(axis=1).any():
        return main
    own = of_one_kind(page, key.node)
    if len(own.heads) > FEW and weigh(page, own).score >= LEAST_SCORE:
        return own
    other = next((each.candidate for each in regions if len(each) > FEW and _shows_like(page, sample, each.candidate)), None)
    if other is None:
        return own
    place = int(np.searchsorted(other.heads, key.node))
    return Candidate(np.insert(other.heads, place, key.node), np.insert(other.spans, place, sample[0], axis=0), other.run)


def _shows_like(page: PageFeatures, sample: Spans, candidate: Candidate) -> bool:
    """Return whether a sample apart from a list has linked text, and other text, as most of its records have or have not, and is about as
    long."""
    first, after = candidate.spans.T
    if np.any((first < sample[0, 1]) & (sample[0, 0] < after)):
        return False
    linked, characters = (np.diff(column[np.concatenate([sample, candidate.spans])])[:, 0] for column in (page.linked, page.characters))
    has_like = all(has[0] == (has[1:].mean() >= COMMON) for has in (linked > 0, characters > linked))
    return bool(has_like and 1 / LENGTHS <= characters[0] / max(characters[1:].mean(), 1) <= LENGTHS)


def discover(page: PageFeatures, base: str | None) -> tuple[list[Region], list[Region]]:
    """Return the lists of a page without a sample, the main one first, then its menus; no list and the menus if it has only these."""
    taken = np.zeros(len(page.tree), dtype=np.bool_)
    regions: list[Region] = []
    menus: list[Region] = []
    scored = ranked(page, without_late_titles(page, page.candidates))
    for each in scored:
        if taken[each[1].spans[0, 0] : each[1].spans[-1, 1]].any():
            continue
        evidence, candidate = choose_record_level(page, scored, each)
        if is_no_list(page, evidence, candidate):
            continue
        candidate = drop_outlier_rows(page, candidate)
        if page.table_of[candidate.heads[0]] < 0:
            candidate = add_missing_rows(page, candidate)
        first, after = candidate.spans[0, 0], candidate.spans[-1, 1]
        if taken[first:after].any():
            continue
        taken[first:after] = True
        kind = menus if is_menu(page, evidence, candidate) else regions
        kind.append(Region(page, candidate, evidence, "by its own repetition", base))
        if len(regions) == MAX_REGIONS:
            break
    regions = with_tables(page, regions, base)
    return ([*regions, *menus][: max(MAX_REGIONS, len(regions))], []) if regions else ([], menus)


def with_tables(page: PageFeatures, regions: list[Region], base: str | None) -> list[Region]:
    """Add the data tables of a page that are not among its lists: before the sections of text that hold them, else last."""
    given = {int(table) for region in regions for table in page.table_of[region.candidate.heads]}
    found = list(regions)
    for table in [node for node in page.tables if node not in given][:MAX_TABLES]:
        rows = np.flatnonzero(page.table_of[table : int(page.tree.end[table])] == table) + table
        if not len(rows) or page.tables[table].columns < 2 or page.aside[table] > SURELY_ASIDE:
            continue
        candidate = of_elements(page, rows)
        of_text = [k for k, each in enumerate(found) if each.candidate.run and each.evidence.linked < MOSTLY]
        around = next((k for k in of_text if any(first <= table < after for first, after in found[k].spans)), len(found))
        found.insert(around, Region(page, candidate, weigh(page, candidate), "as a table of data", base))
    return found


def is_menu(page: PageFeatures, evidence: RankingEvidence, candidate: Candidate) -> bool:
    """Return whether records beside the content are links of one part, or groups of links."""
    first, after = candidate.spans.T
    linked = (page.linked[after] - page.linked[first]).sum() / max((page.characters[after] - page.characters[first]).sum(), 1)
    if np.mean(page.links[after] - page.links[first]) >= GROUP:
        return bool(evidence.main < 0.5 and linked >= 0.5 and np.mean(page.aside[candidate.heads]) >= 1)
    return bool(linked >= 0.95 and evidence.aside >= 1 and evidence.parts < 2)


def is_no_list(page: PageFeatures, evidence: RankingEvidence, candidate: Candidate) -> bool:
    """Return whether the candidate is surely beside the content, paragraphs, a sentence with many links, or (with hardly a link) code, or
    headings or words of a text."""
    tree, head = page.tree, int(candidate.heads[0])
    if (evidence.parts < 2 and evidence.aside > SURELY_ASIDE) or is_prose(page, candidate):
        return True
    if candidate.run and evidence.records <= LINKS and evidence.characters > SENTENCE * evidence.records:
        begin, end = tree.texts_between(int(candidate.spans[0, 0]), int(candidate.spans[-1, 1]))
        if tree.line[begin] == tree.line[end - 1]:
            return True
    if evidence.linked >= 0.2 or page.table_of[head] >= 0:
        return False
    if tags.within(_CODE, tree.tag[[head, *tree.ancestors(head)]]).any():
        return True
    return bool(tree.of_tags(_PROSE)[head]) and evidence.parts < 2 and evidence.characters > PARAGRAPH * evidence.records


def is_prose(page: PageFeatures, candidate: Candidate) -> bool:
    """Return whether most records are paragraphs, whatever links they have: long, on one line, and begin with words of their own."""
    tree, heads = page.tree, candidate.heads
    if candidate.run or not tree.of_tags(_PROSE)[heads[0]]:
        return False
    begin, end = tree.text_nodes.searchsorted(heads), tree.text_nodes.searchsorted(tree.end[heads]) - 1
    begins_itself = tree.parent[page.leaves[page.shown[heads]]] == heads
    is_long = page.characters[tree.end[heads]] - page.characters[heads] > PARAGRAPH
    return bool(np.mean(begins_itself & is_long & (tree.line[begin] == tree.line[end])) > COMMON)


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
    errors: list[UsageError] = []
    for first, tree in enumerate(trees):
        try:
            main = find_records(tree, like=like, settings=settings).main
        except UsageError as problem:
            errors = errors or [problem.with_traceback(None)]  # else it holds the page
            continue
        if main is None:
            continue
        wrapper = wrap(main.page, main.candidate)
        others = [find_records(other, wrapper=wrapper, settings=settings).main for k, other in enumerate(trees) if k != first]
        return [main, *(other for other in others if other is not None)]
    raise errors.pop(0) if errors else UsageError("nothing on the pages is like the sample")


def _shared(trees: Sequence[PageTree]) -> list[list[Region]]:
    """The regions, one a page, of the list that does best on all pages, by the layouts that it has."""
    sorts: dict[_Sort, dict[int, Region]] = {}
    floors = []  # the least score of each page
    for number, tree in enumerate(trees):
        page = places(tree)
        scored = ranked(page, page.candidates)
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
