"""SiteModel: what was learned of a site, and how a page of it is cleaned."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, compress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tamis.content import attenuation, node_model
from tamis.content.node_model import NodeModel, Prediction
from tamis.document.document import Block, Document
from tamis.document.selection import CLEANED_ALONE, Cause, Reason, Selection
from tamis.errors import TamisError, UsageError
from tamis.page.css import select_css
from tamis.page.grouping import group as group_keys
from tamis.page.parsing import Page, parse, parse_decoded
from tamis.page.stopwatch import timed
from tamis.page.tree import BoolColumn, PageTree
from tamis.site.digest import Digested, PageDigest, digest, judged_digest, with_log_odds
from tamis.site.folders import Arrays, Stored, write_folder
from tamis.site.learned import Rules, SiteSettings
from tamis.site.places import COLUMNS, NAMED, Sample, learn_sample
from tamis.site.store import FORMAT, VERSION, fields_of, parts_of
from tamis.site.template import DESCEND, LINKS, STATIC, VERDICTS, ElementNames, PageVerdicts, Template, learn_template
from tamis.site.trees import Trees, shipped
from tamis.structure.layouts import KnownLayouts, Layout, best, group, sketch

if TYPE_CHECKING:
    from tamis.io.fetch import Limits
    from tamis.io.pages import Source

REASONS = (
    Reason("content place of the site", Cause.CONTENT),
    Reason("outside the content place of the site", Cause.OUTSIDE),
    Reason("template: the same text on the site's pages", Cause.TEMPLATE),
    Reason("template: a box whose links vary (related articles, ads)", Cause.TEMPLATE),
    Reason("template text at the edge of the content", Cause.TEMPLATE),
    Reason("title or script: not page text", Cause.UNREAD),
)
TEMPLATE = "site"  #: Method of a selection that the template made.
NEARLY_NOTHING = f"the template would leave nearly nothing of this page{CLEANED_ALONE}"
NO_LAYOUT, TOO_FEW = "the page has no known layout", "too few pages of the site are known"
LITTLE_WORDS, LITTLE_SHARE = 100, 0.2
"""A page is judged by itself if the site's evidence leaves fewer words than this, numbers aside, and less than this share of what the page
alone would give: an archive that would keep only its dates."""
_CONTENT, _OUTSIDE, _STATIC, _LINKS, _EDGE, _UNREAD = range(6)
MANY = 10  #: Pages of a large sample, more than: what one other page has at a place says little there.
HARDLY = 0.15  #: Mean probability of text in containers that are outside the content place, less than.
_OF_REASONS = [*map(COLUMNS.index, ("text pages", "text at place", "path: page count", "path: links", "around: consensus"))]
_PLACE_PAGES = _OF_REASONS[2]
MOST_COUNTS = 250 - len(node_model.REASONS)  #: Numbers of pages that reasons of a selection tell apart, the highest ones.
Span = tuple[int, int]  #: A node, and the node after the last of what begins with it.
BODY = 1  #: Step of the descent at which all pages still are: html, body. A page that goes no further with the others has a way of its own.
LITTLE = 200
"""Characters; a page is cleaned by itself if the template leaves fewer, and less than a tenth of what the page alone would give."""
_OF_VERDICT = np.array([_CONTENT, _CONTENT, _OUTSIDE, _STATIC, _LINKS], dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A page that a template knows."""

    page: Digested
    verdicts: PageVerdicts  #: Verdicts of the template.
    content: list[Span]  #: The parts of the page that are the content place.


@dataclass(frozen=True, eq=False)
class SiteModel(Stored):
    """The template of a site: learned once, applied to every page, saved and edited as plain values."""

    FORMAT, VERSION = FORMAT, VERSION
    template: Template
    sample: Sample
    layouts: tuple[Layout, ...] = ()
    settings: SiteSettings = SiteSettings()
    rules: Rules = Rules()
    trees: Trees | None = field(default=None, repr=False)  #: Others than those that come with the library; not saved.
    evidence: tuple[PageDigest, ...] = field(default=(), repr=False)
    """Digests of the pages learned from, by key: what :meth:`update` needs."""

    def __repr__(self) -> str:
        return f"SiteModel(pages={self.template.pages}, layouts={len(self.layouts)}, rules={self.rules})"

    def select(self, tree: PageTree, settings: NodeModel = NodeModel()) -> Selection:
        """Select the main text of a page of the site: the node model decides, with the template's evidence beside that of the page.

        A page of no known layout, or of a site with too few pages, is judged on its own, and the selection says so; the same where the
        template would leave nearly nothing of a page that has a text.

        Args:
            tree: the page.
            settings: of the node model.
        """
        if node_model.has_too_many_lines(tree):
            single = node_model.select(tree, settings)
            return self.apply_rules(tree, replace(single, notes=(*single.notes, f"the page is too large{CLEANED_ALONE}")))
        digest(tree)  # first: the node model then takes its blocks
        alone = node_model.predict(tree, settings)
        with timed("template"):
            said = self._evidence(tree, alone)
            if isinstance(said, str):
                return self.apply_rules(tree, replace(node_model.selection_of(tree, alone), notes=(f"{said}{CLEANED_ALONE}",)))
            judged = node_model.with_site(alone, self._log_odds(said) - alone.log_odds, settings)
        kept = judged.kept_words
        if kept < LITTLE_WORDS and LITTLE_SHARE * alone.kept_words > kept:
            return self.apply_rules(tree, replace(node_model.selection_of(tree, alone), notes=(NEARLY_NOTHING,)))
        return self.apply_rules(tree, self._joined_reasons(tree, judged, said))

    def evidence_of(self, tree: PageTree) -> NDArray[np.float64] | str:
        """Return the log-odds that the site adds to each block of a page, float64 ``(b,)``; for an unknown page, the reason."""
        alone = node_model.predict(tree)
        said = self._evidence(tree, alone)
        return said if isinstance(said, str) else self._log_odds(said) - alone.log_odds

    def _log_odds(self, evidence: NDArray[np.float32]) -> NDArray[np.float64]:
        return (self.trees or shipped()).log_odds(evidence)

    def _evidence(self, tree: PageTree, alone: Prediction) -> NDArray[np.float32] | str:
        """Return the site's evidence for the blocks of a page, float32 ``(b, COLUMNS)``; for an unknown page, the reason: it has no layout
        that several other pages have, and less than a fifth of its text is at places of another page (of several pages, if the sample is
        large)."""
        if self.template.pages < self.settings.least_pages:
            return TOO_FEW
        page = with_log_odds(digest(tree).digest, alone.evidence.words, alone.log_odds)
        likeness, sizes = self._layouts_of(page)
        evidence = self._gather(page, likeness, sizes)
        least = self.settings.least_pages if self.sample.pages > MANY else 1
        known = page.length[evidence[:, _PLACE_PAGES] >= least].sum()
        return evidence if self._has_layout(likeness, sizes) or 5 * known >= page.length.sum() > 0 else NO_LAYOUT

    def evidence_of_digest(self, page: PageDigest) -> NDArray[np.float32]:
        """Return the site's evidence for the blocks of a page, float32 ``(b, COLUMNS)`` (:data:`tamis.site.places.COLUMNS`).

        ``page``: its digest with the page model's log-odds (:func:`tamis.site.digest.judged_digest`).
        """
        return self._gather(page, *self._layouts_of(page))

    def _layouts_of(self, page: PageDigest) -> tuple[list[float], list[int]]:
        """The likeness of a page to each layout, and how many other pages of the sample have it."""
        likeness, sizes = self._known_layouts.likeness(page.names, page.paths), self._sizes.copy()
        if self.sample.holds(page):
            sizes[best(likeness)[0]] -= 1
        return likeness, sizes

    def _has_layout(self, likeness: list[float], sizes: list[int]) -> bool:
        shared = [score for score, size in zip(likeness, sizes, strict=True) if size >= self.settings.least_pages]
        return max(shared, default=0.0) >= self.settings.alike

    def _gather(self, page: PageDigest, likeness: list[float], sizes: list[int]) -> NDArray[np.float32]:
        return self.sample.gather(page, max((score for size, score in zip(sizes, likeness, strict=True) if size), default=0.0))

    def _joined_reasons(self, tree: PageTree, judged: Prediction, evidence: NDArray[np.float32]) -> Selection:
        """The selection of the node model in which blocks that are left out have the site's reason where it has one; with the number of
        other sample pages that have the text, if it repeats."""
        others = self.sample.pages - self.sample.holds(digest(tree).digest)
        share, at_place, at_pages, at_links, consensus = evidence.T[_OF_REASONS]
        repeats = ((np.fmax(share, at_place) >= self.settings.template.repeated) & (share > 0) & ~judged.keep).nonzero()[0]
        on_pages = (share[repeats] * others).round().astype(np.int64)
        counts = np.bincount(on_pages, minlength=1).nonzero()[0][-MOST_COUNTS:]
        links = (at_pages > 1) & (at_links >= self.settings.template.static)
        code = (consensus < HARDLY).astype(np.uint8)
        code[links] = 2
        code[repeats] = 3 + counts.searchsorted(on_pages)
        reasons = (REASONS[_OUTSIDE], REASONS[_LINKS], *(_shared_text(pages, others) for pages in counts.tolist()))
        return node_model.selection_of(tree, judged, (code, reasons))

    def apply_rules(self, tree: PageTree, selection: Selection) -> Selection:
        """Return a selection of a page's nodes, with what the manual rules say."""
        if not self.rules.keep and not self.rules.drop:
            return selection
        keep, drop = (tree.subtree_mask(select_css(tree, selectors)) for selectors in (self.rules.keep, self.rules.drop))
        return selection.overridden(keep, drop)

    def template_selection(self, tree: PageTree) -> Selection:
        """Select the main text of a page by the template alone, without the node model; its method is :data:`TEMPLATE` where it could."""
        known = self.judge(tree)
        if isinstance(known, str):
            return self.apply_rules(tree, self._alone(tree, f"{known}{CLEANED_ALONE}"))
        reason, kept = decide(tree, known.page, known.verdicts, known.content)
        selection = Selection(TEMPLATE, reason == _CONTENT, reason, REASONS)
        if kept < LITTLE:
            alone = self._alone(tree, NEARLY_NOTHING)
            selection = alone if kept < 0.1 * int(tree.text_length[alone.keep].sum()) else selection
        return self.apply_rules(tree, selection)

    def judge(self, tree: PageTree) -> Judged | str:
        """Return the template's verdicts on a page; for an unknown page, the reason."""
        if self.template.pages < self.settings.least_pages:
            return TOO_FEW
        page = digest(tree)
        verdicts = self._known(page.digest)
        return NO_LAYOUT if verdicts is None else Judged(page, verdicts, self._content(tree, page, verdicts))

    def _known(self, page: PageDigest) -> PageVerdicts | None:
        """Return the template's verdicts on the places of a page; None for an unknown page: it has no layout that several pages have, or
        less than a fifth of its text at known places."""
        verdicts = self.template.verdicts_of(page)
        likeness = self._known_layouts.likeness(page.names, page.paths)
        known = 5 * verdicts.known >= int(page.length.sum()) > 0
        return verdicts if known and self._has_layout(likeness, self._sizes) else None

    def _alone(self, tree: PageTree, note: str) -> Selection:
        """The selection by the single-page method, and why it was taken."""
        return replace(attenuation.select(tree, self.settings.single), notes=(note,))

    def clean(self, page: Page, *, url: str | None = None, content_type: str | None = None) -> Document:
        """Clean a page of the site. Arguments as in :func:`tamis.extract`."""
        tree, encoding = parse_decoded(page, content_type=content_type)
        return Document.from_selection(tree, self.select(tree), url=url, encoding=encoding)

    def with_rules(self, rules: Rules) -> SiteModel:
        """Return the same model with other manual rules."""
        return replace(self, rules=rules)

    def without_evidence(self) -> SiteModel:
        """Return the same model, lighter: it can be applied, but not updated."""
        return replace(self, evidence=())

    def explain(self, page: Page) -> tuple[Block, ...]:
        """Return every line of a page, kept or dropped, each with its reason."""
        return self.clean(page).blocks

    def template_text(self, pages: Iterable[Page] | Path) -> str:
        """Return the template's own text, each line once: text that :meth:`clean` drops from pages, because the site repeats it."""
        if isinstance(pages, Path):
            from tamis.io.sources import open_sources

            pages = (source.read().html for source in open_sources([pages]))
        lines: dict[str, None] = {}
        for page in pages:
            lines.update((block.text, None) for block in self.explain(page) if block.reason.startswith(REASONS[_STATIC]))
        return "\n".join(lines)

    def describe(self) -> dict[str, Any]:
        """Return the model in plain values: for people, the parts of the template that no other part holds, heaviest first."""
        learned = self.template
        noisy = [place for place in range(len(learned.place)) if learned.verdict[place] in (STATIC, LINKS)]
        parts = [place for place in noisy if int(learned.parent[place]) not in set(noisy)]
        parts.sort(key=lambda place: (-learned.length[place], learned.path(place)))
        return {
            "pages": learned.pages,
            "layouts": [len(layout.members) for layout in self.layouts],
            "content": [learned.path(place) for place in (learned.chain[-1] if learned.chain else ())],
            "template": [
                {
                    "path": learned.path(place),
                    "verdict": VERDICTS[learned.verdict[place]],
                    "pages": int(learned.on_pages[place]),
                    "characters_a_page": round(float(learned.length[place] / learned.on_pages[place])),
                    "links": round(float(learned.link_share[place]), 3),
                    "repeated": round(float(learned.repeated_share[place]), 3),
                }
                for place in parts
            ],
            "rules": {"keep": list(self.rules.keep), "drop": list(self.rules.drop)},
        }

    def update(self, pages: Iterable[Page] | Path) -> SiteModel:
        """Return a model of the pages learned from before and these. The same as learning from all of them at once.

        Raises:
            UsageError: the model was saved without its evidence.
        """
        return self.with_digests(_digests_of(pages), self.rules)

    def with_digests(self, digests: Iterable[PageDigest], rules: Rules) -> SiteModel:
        """Return a model of the pages learned from before and those of some digests, with other rules. Raises as :meth:`update` does."""
        if self.template.pages and not self.evidence:
            raise UsageError("a model that was saved without its evidence cannot be updated: learn it anew, from all pages")
        return learn_digests(chain(self.evidence, digests), self.settings, rules)

    def save(self, path: str | PathLike[str], *, evidence: bool = True) -> None:
        """Save as a folder (:mod:`tamis.site.store`); ``evidence=False`` leaves out what only updates need.

        Raises:
            ModelError: the folder cannot be written, or holds something else.
        """
        write_folder(path, FORMAT, VERSION, *parts_of(self, evidence=evidence))

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return what is kept of the model without its evidence."""
        return parts_of(self, evidence=False)

    @classmethod
    def of_parts(cls, head: dict[str, Any], columns: Arrays) -> SiteModel:
        """Make the model of its parts. What does not fit together raises one of the errors of damage."""
        return cls(**fields_of(head, columns))

    def layout_of(self, tree: PageTree) -> tuple[int, float]:
        """Return the layout that a page is most like, by position in ``layouts``, and the likeness; -1 for a page of no known layout."""
        page = digest(tree).digest
        index, score = best(self._known_layouts.likeness(page.names, page.paths))
        return (index, score) if score >= self.settings.alike else (-1, score)

    @cached_property
    def _known_layouts(self) -> KnownLayouts:
        return KnownLayouts([layout.sketch for layout in self.layouts])

    @cached_property
    def _sizes(self) -> list[int]:
        return [len(layout.members) for layout in self.layouts]

    def knows(self, page: PageDigest) -> bool:
        """Return whether the template applies to a page: it is of a known layout, and at known places."""
        return self._known(page) is not None

    def _content(self, tree: PageTree, page: Digested, verdicts: PageVerdicts) -> list[Span]:
        """The parts of the page that are the content place; where the page does not have it, the place that attenuation finds below
        the deepest step of the descent that it has."""
        steps = len(self.template.chain) - 1
        if verdicts.stage <= BODY < steps:
            keep = attenuation.select(tree, self.settings.single).keep[tree.text_nodes]
            return [(node, node + 1) for node in tree.text_nodes[keep].tolist()]
        roots = page.elements[verdicts.roots if verdicts.stage >= 0 else [0]].tolist() if len(page.elements) else []
        if verdicts.stage < steps and roots:
            noisy = (verdicts.verdict == STATIC) | (verdicts.verdict == LINKS) | verdicts.repeats
            roots = [_local_content(tree, page, roots[0], noisy, self.settings.template.threshold)]
        return [(root, int(tree.end[root])) for root in roots]


@lru_cache(maxsize=4096)
def _shared_text(pages: int, others: int) -> Reason:
    """Return the reason for text that some of the other sample pages have, too."""
    return Reason(f"{REASONS[_STATIC]} ({pages} of {others})", Cause.TEMPLATE)


def learn(pages: Iterable[Page] | Path, settings: SiteSettings = SiteSettings(), rules: Rules = Rules()) -> SiteModel:
    """Learn the template of a site from some of its pages.

    The model depends on the set of pages, not on their order, and a page given twice counts once.

    Args:
        pages: pages of one site, or their folder (``Path``; unreadable files are left out); some 30 are enough, 5 are already useful.
        settings: thresholds.
        rules: manual rules to start with.

    Raises:
        SourceError: a file cannot be read, or the folder holds no page.
        UsageError: there are no pages, or a string was given instead.
    """
    model = learn_digests(_digests_of(pages), settings, rules)
    if not model.evidence:
        raise UsageError("there is no page to learn from")
    return model


def _digests_of(pages: Iterable[Page] | Path) -> Iterator[PageDigest]:
    if isinstance(pages, Path):
        from tamis.io.sources import open_sources

        return digests_of(open_sources([pages]))
    if isinstance(pages, (str, bytes)):
        raise UsageError("pages are a list of pages, or the pathlib.Path of a folder with pages, not one string")
    return (judged_digest(parse(page)) for page in pages)


def digests_of(sources: Iterable[Source], limits: Limits | None = None) -> Iterator[PageDigest]:
    """Yield digests of the pages that can be read."""
    return (judged_digest(tree) for tree, _ in trees_of(sources, limits))


def trees_of(sources: Iterable[Source], limits: Limits | None = None) -> Iterator[tuple[PageTree, str | None]]:
    """Yield trees and addresses of the pages that can be read; what cannot be read fails later, when it is cleaned."""
    for source in sources:
        try:
            served = source.read() if limits is None else source.read(limits)
        except TamisError:
            continue
        yield parse(served.html, content_type=served.content_type), served.url


def learn_digests(evidence: Iterable[PageDigest], settings: SiteSettings = SiteSettings(), rules: Rules = Rules()) -> SiteModel:
    """Return :func:`learn` from digests, which may have been made elsewhere."""
    pages = smallest_keys(evidence, settings.most_pages)
    known: dict[str, tuple[int, ...]] = {}
    own = without_copies(pages)
    names = ElementNames.of(own)
    template = learn_template(own, settings.template, names)
    judged = [page for page in own if len(page.log_odds) == len(page.text)]
    return SiteModel(
        template=template,
        sample=learn_sample(judged, [page.key for page in pages], names.vocabulary(NAMED)),
        layouts=group([sketch(page.names, page.paths, known) for page in pages], settings.alike),
        settings=settings,
        rules=rules,
        evidence=tuple(pages),
    )


def smallest_keys(evidence: Iterable[PageDigest], most: int) -> list[PageDigest]:
    """Return the pages with the smallest keys, rising, a page given twice once: a sample that depends on the set of pages alone, whatever
    their order and however they come in parts. Memory is bounded."""
    kept: dict[int, PageDigest] = {}
    largest: list[int] = []
    for page in evidence:
        if page.key in kept or (len(kept) == most and page.key > -largest[0]):
            continue
        kept[page.key] = page
        heapq.heappush(largest, -page.key)
        if len(kept) > most:
            del kept[-heapq.heappop(largest)]
    return [kept[key] for key in sorted(kept)]


def without_copies(pages: list[PageDigest], alike: float = 0.95) -> list[PageDigest]:
    """Return the pages without near-copies of others: text on two copies of one page does not repeat on the site.

    Pages are copies when nearly all of their text outside links, by characters, is in the same blocks. If that leaves less than
    half of the pages, text that all share is a template's, not a copy's, and all stay.
    """
    suspects = _may_be_copies(pages, alike)
    if not suspects.any():
        return pages
    of_suspects = set(chain.from_iterable(page.text.tolist() for page in compress(pages, suspects)))
    by_text: dict[int, list[int]] = {}
    kept: list[PageDigest] = []
    for page, suspect in zip(pages, suspects.tolist(), strict=True):
        plain = page.length - page.link_length
        shared = [0] * len(kept)
        for text, length in zip(page.text.tolist(), plain.tolist(), strict=True) if suspect else ():
            for other in by_text.get(text, ())[:64]:
                shared[other] += length
        total = max(int(plain.sum()), 1)
        if any(same > alike * total and _unlinked_length(kept[other]) < total / alike for other, same in enumerate(shared)):
            continue
        for text in of_suspects.intersection(page.text.tolist()):
            by_text.setdefault(text, []).append(len(kept))
        kept.append(page)
    return kept if 2 * len(kept) >= len(pages) else pages


def _may_be_copies(pages: list[PageDigest], alike: float) -> BoolColumn:
    """Return which pages share so much text with others that they may be copies, bool ``(len(pages),)``."""
    text = np.concatenate([*(page.text for page in pages), np.zeros(0, dtype=np.uint64)])
    plain = np.concatenate([*(page.length - page.link_length for page in pages), np.zeros(0, dtype=np.int32)])
    of_page = np.repeat(np.arange(len(pages)), [len(page.text) for page in pages])
    number, _ = group_keys(text)
    pairs = number * max(len(pages), 1) + of_page
    pages_with = np.bincount(number[group_keys(pairs.astype(np.uint64))[1]], minlength=1)
    shared = np.bincount(of_page, plain * (pages_with[number] > 1), minlength=len(pages))
    total = np.bincount(of_page, plain, minlength=len(pages))
    return np.asarray(shared > alike * np.maximum(total, 1))


def _unlinked_length(page: PageDigest) -> int:
    return int((page.length - page.link_length).sum())


def _local_content(tree: PageTree, page: Digested, root: int, noisy: BoolColumn, threshold: float) -> int:
    """The content place of one page below a node, by attenuation on what is not template."""
    weight = np.zeros(len(tree), dtype=np.int64)
    nodes = page.blocks.nodes(tree, ~noisy)
    weight[nodes] = tree.text_length[nodes]
    weight[tree.in_link] = 0
    below = tree.subtree_sum(weight)
    here = root
    while below[here]:
        children = tree.children(here)
        if not len(children):
            break
        best = int(children[np.argmax(below[children])])
        if below[here] - below[best] > threshold * below[here] or not DESCEND[min(int(tree.tag[best]), len(DESCEND) - 1)]:
            break
        here = best
    return here


def decide(tree: PageTree, page: Digested, verdicts: PageVerdicts, content: list[Span]) -> tuple[NDArray[np.uint8], int]:
    """Return the reason of each node, uint8 ``(n,)``, and the characters kept.

    Args:
        tree: the page.
        page: its digest.
        verdicts: what the template says of it.
        content: the parts of the page that are the content place, in order.
    """
    first = tree.text_nodes[page.blocks.first]
    starts, ends = np.sort(np.array(content, dtype=np.intp).reshape(-1, 2), axis=0).T
    inside = starts.searchsorted(first, "right") > ends.searchsorted(first, "right")
    reason = _OF_VERDICT[verdicts.verdict]
    reason[(reason == _CONTENT) | (reason == _OUTSIDE)] = _OUTSIDE
    reason[inside & (reason == _OUTSIDE)] = _CONTENT
    own = ((reason == _CONTENT) & ~verdicts.repeats).nonzero()[0]
    edge = verdicts.repeats & (reason == _CONTENT)
    if len(own):
        edge[own[0] : own[-1]] = False
    reason[edge] = _EDGE
    kept = int(page.digest.length[reason == _CONTENT].sum())
    return page.blocks.to_nodes(tree, reason, unread=_UNREAD, between=_OUTSIDE), kept
