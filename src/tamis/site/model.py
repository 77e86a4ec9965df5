"""SiteModel: what was learned of a site, and how a page of it is cleaned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, compress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tamis.content import attenuation, node_model
from tamis.content.node_model import NodeModel
from tamis.document.document import Block, Document
from tamis.document.selection import CLEANED_ALONE, Cause, Reason, Selection
from tamis.errors import TamisError, UsageError
from tamis.page.css import select_css
from tamis.page.grouping import group as group_keys
from tamis.page.parsing import Page, parse, parse_decoded
from tamis.page.stopwatch import timed
from tamis.page.tree import BoolColumn, PageTree
from tamis.site.digest import PageDigest, attenuated_digest, digest, judged_digest, with_log_odds
from tamis.site.folders import Arrays, Stored, write_folder
from tamis.site.learned import Rules, SiteSettings
from tamis.site.places import COLUMNS, FREQUENT, Sample, learn_sample, naming_tokens
from tamis.site.store import FORMAT, VERSION, fields_of, parts_of
from tamis.site.template import CONTENT, LINKS, STATIC, TEMPLATE, SitePlace, read_places
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
    Reason("title or script: not page text", Cause.UNREAD),
)
WITHOUT_MODEL = "site"  #: Method of a selection that the site made without the node model.
NEARLY_NOTHING = f"the template would leave nearly nothing of this page{CLEANED_ALONE}"
NO_LAYOUT, TOO_FEW = "the page has no known layout", "too few pages of the site are known"
LITTLE_WORDS, LITTLE_SHARE = 100, 0.2
"""A page is judged by itself if the site's evidence leaves fewer words than this, numbers aside, and less than this share of what the page
alone would give: an archive that would keep only its dates."""
_CONTENT, _OUTSIDE, _STATIC, _LINKS, _UNREAD = range(len(REASONS))
MANY = 10  #: Pages of a large sample, more than: what one other page has at a place says little there.
HARDLY = 0.15  #: Mean probability of text in containers that are outside the content place, less than.
_OF_REASONS = [*map(COLUMNS.index, ("text pages", "text at place", "path: page count", "path: links", "around: consensus"))]
_PLACE_PAGES = _OF_REASONS[2]
MOST_COUNTS = 250 - len(node_model.REASONS)  #: Numbers of pages that reasons of a selection tell apart, the highest ones.


@dataclass(frozen=True, eq=False)
class SiteModel(Stored):
    """The template of a site: learned once, applied to every page, saved and edited as plain values."""

    FORMAT, VERSION = FORMAT, VERSION
    sample: Sample
    layouts: tuple[Layout, ...] = ()
    settings: SiteSettings = SiteSettings()
    rules: Rules = Rules()
    trees: Trees | None = field(default=None, repr=False)  #: Others than those that come with the library; not saved.
    evidence: tuple[PageDigest, ...] = field(default=(), repr=False)
    """Digests of the pages learned from, by key: what :meth:`update` needs."""

    def __repr__(self) -> str:
        return f"SiteModel(pages={self.sample.pages}, layouts={len(self.layouts)}, rules={self.rules})"

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
            said = self._evidence(with_log_odds(digest(tree).digest, alone.evidence.words, alone.log_odds))
            if isinstance(said, str):
                return self.apply_rules(tree, replace(node_model.selection_of(tree, alone), notes=(f"{said}{CLEANED_ALONE}",)))
            judged = node_model.with_site(alone, self._log_odds(said) - alone.log_odds, settings)
        if _nearly_nothing(judged.kept_words, alone.kept_words):
            return self.apply_rules(tree, replace(node_model.selection_of(tree, alone), notes=(NEARLY_NOTHING,)))
        return self.apply_rules(tree, node_model.selection_of(tree, judged, self._left_out(digest(tree).digest, judged.keep, said)))

    def evidence_of(self, tree: PageTree) -> NDArray[np.float64] | str:
        """Return the log-odds that the site adds to each block of a page, float64 ``(b,)``; for an unknown page, the reason."""
        alone = node_model.predict(tree)
        said = self._evidence(with_log_odds(digest(tree).digest, alone.evidence.words, alone.log_odds))
        return said if isinstance(said, str) else self._log_odds(said) - alone.log_odds

    def _log_odds(self, evidence: NDArray[np.float32]) -> NDArray[np.float64]:
        return (self.trees or shipped()).log_odds(evidence)

    def _evidence(self, page: PageDigest) -> NDArray[np.float32] | str:
        """Return the site's evidence for the blocks of a page, float32 ``(b, COLUMNS)``; for an unknown page, the reason: it has no layout
        that several other pages have, and less than a fifth of its text is at places of another page (of several pages, if the sample is
        large)."""
        if self.sample.pages < self.settings.least_pages:
            return TOO_FEW
        likeness, sizes = self._layouts_of(page)
        evidence = self._gather(page, likeness, sizes)
        least = self.settings.least_pages if self.sample.pages > MANY else 1
        known = page.length[evidence[:, _PLACE_PAGES] >= least].sum()
        shared = [score for score, size in zip(likeness, sizes, strict=True) if size >= self.settings.least_pages]
        has_layout = max(shared, default=0.0) >= self.settings.alike
        return evidence if has_layout or 5 * known >= page.length.sum() > 0 else NO_LAYOUT

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

    def _gather(self, page: PageDigest, likeness: list[float], sizes: list[int]) -> NDArray[np.float32]:
        return self.sample.gather(page, max((score for size, score in zip(sizes, likeness, strict=True) if size), default=0.0))

    def _left_out(self, page: PageDigest, keep: BoolColumn, evidence: NDArray[np.float32]) -> tuple[NDArray[np.uint8], tuple[Reason, ...]]:
        """The site's reasons for blocks that are left out, and which of them holds for each block, from 1; 0: none. A text that repeats has
        the number of other sample pages that have it."""
        others = self.sample.pages - self.sample.holds(page)
        share, at_place, at_pages, at_links, consensus = evidence.T[_OF_REASONS]
        repeats = ((np.fmax(share, at_place) >= FREQUENT) & (share > 0) & ~keep).nonzero()[0]
        on_pages = (share[repeats] * others).round().astype(np.int64)
        counts = np.bincount(on_pages, minlength=1).nonzero()[0][-MOST_COUNTS:]
        code = (consensus < HARDLY).astype(np.uint8)
        code[(at_pages > 1) & (at_links >= TEMPLATE)] = 2
        code[repeats] = 3 + counts.searchsorted(on_pages)
        return code, (REASONS[_OUTSIDE], REASONS[_LINKS], *(_shared_text(pages, others) for pages in counts.tolist()))

    def apply_rules(self, tree: PageTree, selection: Selection) -> Selection:
        """Return a selection of a page's nodes, with what the manual rules say."""
        if not self.rules.keep and not self.rules.drop:
            return selection
        keep, drop = (tree.subtree_mask(select_css(tree, selectors)) for selectors in (self.rules.keep, self.rules.drop))
        return selection.overridden(keep, drop)

    def template_selection(self, tree: PageTree) -> Selection:
        """Select the main text of a page without the node model: the trees decide, with what attenuation says of the page. The selection's
        method is :data:`WITHOUT_MODEL` where the site knows the page."""
        alone = attenuation.select(tree)
        page = attenuated_digest(tree, alone)
        said = self._evidence(page)
        if isinstance(said, str):
            return self.apply_rules(tree, replace(alone, notes=(f"{said}{CLEANED_ALONE}",)))
        keep = self._log_odds(said) > 0
        if _nearly_nothing(page.words[keep].sum(), page.words[page.log_odds > 0].sum()):
            return self.apply_rules(tree, replace(alone, notes=(NEARLY_NOTHING,)))
        code, reasons = self._left_out(page, keep, said)
        reasons = (REASONS[_CONTENT], *reasons, REASONS[_UNREAD])
        of_blocks = np.where(keep, _CONTENT, np.maximum(code, _OUTSIDE)).astype(np.uint8)
        reason = digest(tree).blocks.to_nodes(tree, of_blocks, unread=len(reasons) - 1, between=_OUTSIDE)
        return self.apply_rules(tree, Selection(WITHOUT_MODEL, reason == _CONTENT, reason, reasons))

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

    def template_text(self, pages: Iterable[Page] | str | Path) -> str:
        """Return the template's own text, each line once: text that :meth:`clean` drops from pages, because the site repeats it."""
        lines: dict[str, None] = {}
        for page in trees_given(pages):
            lines.update((block.text, None) for block in self.explain(page) if block.reason.startswith(REASONS[_STATIC]))
        return "\n".join(lines)

    @cached_property
    def places(self) -> list[SitePlace]:
        """The places of the site, each before those below it; none without the evidence, which names them."""
        return read_places(self.sample, self.evidence)

    def describe(self) -> dict[str, Any]:
        """Return the model in plain values: for people, the parts of the template that no other part holds, heaviest first."""
        noisy = [place for place in self.places if place.verdict in (STATIC, LINKS)]
        within = {below for place in noisy for below in place.below}
        parts = sorted((place for place in noisy if place not in within), key=lambda place: (-place.words * place.pages, place.path))
        return {
            "pages": self.sample.pages,
            "layouts": [len(layout.members) for layout in self.layouts],
            "content": [place.path for place in self.places if place.verdict == CONTENT][:1],
            "template": [
                {
                    "path": place.path,
                    "verdict": place.verdict,
                    "pages": place.pages,
                    "words_a_page": round(place.words),
                    "links": round(place.links, 3),
                    "repeated": round(place.repeated, 3),
                }
                for place in parts
            ],
            "rules": asdict(self.rules),
        }

    def update(self, pages: Iterable[Page] | str | Path) -> SiteModel:
        """Return a model of the pages learned from before and these. The same as learning from all of them at once.

        Raises:
            UsageError: the model was saved without its evidence.
        """
        return self.with_digests(map(judged_digest, trees_given(pages)), self.rules)

    def with_digests(self, digests: Iterable[PageDigest], rules: Rules) -> SiteModel:
        """Return a model of the pages learned from before and those of some digests, with other rules. Raises as :meth:`update` does."""
        if self.sample.pages and not self.evidence:
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
        """Return whether a page is of a known layout or at known places. ``page``: as in :meth:`evidence_of_digest`."""
        return not isinstance(self._evidence(page), str)


def _nearly_nothing(kept: float, alone: float) -> bool:
    """Return whether a site leaves so few words of a page that the page is judged by itself, which keeps ``alone`` words."""
    return kept < min(LITTLE_WORDS, LITTLE_SHARE * alone)


@lru_cache(maxsize=4096)
def _shared_text(pages: int, others: int) -> Reason:
    """Return the reason for text that some of the other sample pages have, too."""
    return Reason(f"{REASONS[_STATIC]} ({pages} of {others})", Cause.TEMPLATE)


def learn(pages: Iterable[Page] | str | Path, settings: SiteSettings = SiteSettings(), rules: Rules = Rules()) -> SiteModel:
    """Learn the template of a site from some of its pages.

    The model depends on the set of pages, not on their order, and a page given twice counts once.

    Args:
        pages: pages of one site, or their folder (unreadable files are left out); some 30 are enough, 5 are already useful.
        settings: thresholds.
        rules: manual rules to start with.

    Raises:
        SourceError: a file cannot be read, or the folder holds no page.
        UsageError: there are no pages.
    """
    model = learn_digests(map(judged_digest, trees_given(pages)), settings, rules)
    if not model.evidence:
        raise UsageError("there is no page to learn from")
    return model


def trees_given(pages: Iterable[Page] | str | Path) -> Iterator[PageTree]:
    """Yield the trees of pages, or of the readable pages of a folder."""
    if isinstance(pages, (str, Path)):
        from tamis.io.sources import open_sources

        return (tree for tree, _ in trees_of(open_sources([pages])))
    return map(parse, pages)


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
    judged = [page for page in own if len(page.log_odds) == len(page.text)]
    return SiteModel(
        sample=learn_sample(judged, [page.key for page in pages], naming_tokens(own)),
        layouts=group([sketch(page.names, page.paths, known) for page in pages], settings.alike),
        settings=settings,
        rules=rules,
        evidence=tuple(pages),
    )


def smallest_keys(evidence: Iterable[PageDigest], most: int) -> list[PageDigest]:
    """Return the pages with the smallest keys, rising, a page given twice once: a sample that depends on the set of pages alone, whatever
    their order and however they come in parts. Memory is bounded."""
    kept: dict[int, PageDigest] = {}
    for page in evidence:
        kept.setdefault(page.key, page)
        if len(kept) == 2 * most:
            kept = {key: kept[key] for key in sorted(kept)[:most]}
    return [kept[key] for key in sorted(kept)[:most]]


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
