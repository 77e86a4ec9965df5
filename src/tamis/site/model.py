"""SiteModel: what was learned of a site, and how a page of it is cleaned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from tamis.content import attenuation
from tamis.content.attenuation import Attenuation
from tamis.css import check_css, select_css
from tamis.document import Block, Document
from tamis.parsing import Page, parse, parse_decoded
from tamis.selection import Selection
from tamis.site.digest import Digested, PageDigest, digest
from tamis.site.template import DESCEND, LINKS, STATIC, Template, TemplateSettings, learn_template
from tamis.structure.hashing import Hashes
from tamis.structure.layouts import Layout, group, nearest, sketch
from tamis.tree import BoolColumn, PageTree

REASONS = (
    "content place of the site",
    "outside the content place of the site",
    "template: the same text on the site's pages",
    "template: links that change from page to page",
    "template text at the edge of the content",
    "no running text in this tag",
)
_CONTENT, _OUTSIDE, _STATIC, _LINKS, _EDGE, _UNREAD = range(6)
BODY = 1
"""Step of the descent at which all pages still are: html, body. A page that goes no further with the others has a way of its own."""
LITTLE = 200
"""Characters; a page of which a template leaves fewer, and not a tenth of what the page alone would give, is cleaned by itself."""
_OF_VERDICT = np.array([_CONTENT, _CONTENT, _CONTENT, _STATIC, _LINKS], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """Settings of a site model."""

    template: TemplateSettings = TemplateSettings()
    alike: float = 0.5
    """Least likeness of a page to its layout (:func:`tamis.structure.layouts.likeness`)."""
    least_pages: int = 2
    """Pages a template is learned from at the least; with fewer a page is cleaned by itself."""
    single: Attenuation = Attenuation()
    """The method for a page of which the model knows nothing."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Manual rules: CSS selectors that win over what was learned; where both match, drop wins.

    Raises:
        UsageError: a selector is not valid CSS.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for selector in (*self.keep, *self.drop):
            check_css(selector)


@dataclass(frozen=True, eq=False)
class SiteModel:
    """The template of a site: learned once, applied to every page, saved and edited as plain tables."""

    template: Template
    layouts: tuple[Layout, ...] = ()
    settings: SiteSettings = SiteSettings()
    rules: Rules = Rules()
    evidence: tuple[PageDigest, ...] = field(default=(), repr=False)
    """Digests of the pages learned from, by key: what :meth:`update` needs."""

    def select(self, tree: PageTree) -> Selection:
        """Select the main text of a page of the site.

        A page of no known layout, or of a site with too few pages, is cleaned by itself, and the selection says so; the same
        where the template would leave nearly nothing of a page that has a text.
        """
        selection = self._learned_selection(tree)
        if self.rules == Rules():
            return selection
        keep, drop = (tree.covered(select_css(tree, selectors)) for selectors in (self.rules.keep, self.rules.drop))
        return selection.overridden(keep, drop)

    def _learned_selection(self, tree: PageTree) -> Selection:
        if self.template.pages < self.settings.least_pages:
            return self._alone(tree, "too few pages of the site are known: cleaned by itself")
        page = digest(tree)
        places = self.template.places(page.digest)
        known = self.template.find(places)
        if not self._is_known(page, known):
            return self._alone(tree, "the page is of no known layout: cleaned by itself")
        selection = self._apply(tree, page, places, known)
        kept = int(tree.text_length[selection.keep].sum())
        if kept < LITTLE:
            alone = self._alone(tree, "the template would leave nearly nothing of this page: cleaned by itself")
            if kept < 0.1 * int(tree.text_length[alone.keep].sum()):
                return alone
        return selection

    def _alone(self, tree: PageTree, note: str) -> Selection:
        """The selection by the single-page method, and why it was taken."""
        return replace(attenuation.select(tree, self.settings.single), notes=(note,))

    def clean(self, page: Page, *, url: str | None = None, content_type: str | None = None) -> Document:
        """Clean a page of the site. Arguments as of :func:`tamis.extract`."""
        tree, encoding = parse_decoded(page, content_type=content_type)
        return Document(tree=tree, selection=self.select(tree), url=url, encoding=encoding)

    def with_rules(self, rules: Rules) -> SiteModel:
        """The same model with other manual rules."""
        return replace(self, rules=rules)

    def without_evidence(self) -> SiteModel:
        """The same model, lighter: it can be applied, but not updated."""
        return replace(self, evidence=())

    def explain(self, page: Page) -> tuple[Block, ...]:
        """Every line of a page, kept or dropped, each with its reason."""
        return self.clean(page).blocks

    def template_text(self, pages: Iterable[Page]) -> str:
        """The template's own text, each line once: what :meth:`clean` drops from these pages because the site repeats it."""
        lines: dict[str, None] = {}
        for page in pages:
            lines.update((block.text, None) for block in self.explain(page) if block.reason == REASONS[_STATIC])
        return "\n".join(lines)

    def update(self, pages: Iterable[Page]) -> SiteModel:
        """A model of the pages learned from so far and these. The same as learning from all of them at once."""
        return learn_digests([*self.evidence, *(digest(parse(page)).digest for page in pages)], self.settings, self.rules)

    def save(self, path: str | PathLike[str], *, evidence: bool = True) -> None:
        """Save as a folder of Parquet and JSON (:mod:`tamis.site.store`); ``evidence=False`` leaves out what only updates need."""
        from tamis.site.store import save

        save(self, path, evidence=evidence)

    @staticmethod
    def load(path: str | PathLike[str]) -> SiteModel:
        """Load a saved model. Raises :class:`~tamis.errors.ModelError` where there is none, or a damaged or newer one."""
        from tamis.site.store import load

        return load(path)

    def layout_of(self, tree: PageTree) -> tuple[int, float]:
        """The layout that a page is most like, by position in ``layouts``, and the likeness; -1 for a page of no known layout."""
        seen = sketch(digest(tree).digest.names, self._hashes) & self._known_names
        index, score = nearest(seen, [layout.sketch for layout in self.layouts])
        return (index, score) if score >= self.settings.alike else (-1, score)

    @cached_property
    def _known_names(self) -> frozenset[int]:
        """All names in the sketches of the layouts: what no layout has is not compared."""
        return frozenset().union(*(layout.sketch for layout in self.layouts))

    @cached_property
    def _hashes(self) -> dict[str, tuple[int, ...]]:
        """Hashes of the element names met so far."""
        return {}

    @cached_property
    def _step_of_place(self) -> NDArray[np.int32]:
        """For each place the step of the descent that it is, and -1 for all others and, last, for none."""
        steps = np.full(len(self.template.place) + 1, -1, dtype=np.int32)
        for step, places in enumerate(self.template.chain):
            steps[list(places)] = step
        return steps

    def _is_known(self, page: Digested, known: NDArray[np.intp]) -> bool:
        """Whether the page is of a layout that several pages have, and at least a fifth of its text stands at places of the template."""
        seen = sketch(page.digest.names, self._hashes) & self._known_names
        _, score = nearest(seen, [layout.sketch for layout in self.layouts if len(layout.members) >= self.settings.least_pages])
        length = page.digest.length
        return score >= self.settings.alike and bool(5 * length[known[page.digest.element] >= 0].sum() >= length.sum() > 0)

    def _apply(self, tree: PageTree, page: Digested, places: Hashes, known: NDArray[np.intp]) -> Selection:
        verdict = _inherit(np.append(self.template.verdict, 0)[known], page.digest)
        of_block = verdict[page.digest.element]
        reason = _OF_VERDICT[of_block]
        repeated = self.template.repeats(places[page.digest.element], page.digest.text)
        noisy = (of_block == STATIC) | (of_block == LINKS)
        inside = self._content(tree, page, known, noisy | repeated)
        reason[~inside & ~noisy] = _OUTSIDE
        edge = _edges(repeated, reason == _CONTENT)
        reason[edge] = _EDGE
        return _selection(tree, page, reason)

    def _content(self, tree: PageTree, page: Digested, known: NDArray[np.intp], noisy: BoolColumn) -> BoolColumn:
        """Which blocks lie in the content place; where the page does not have it, in the place that attenuation finds below the
        deepest step of the descent that it has."""
        steps = self._step_of_place[known]
        deepest = int(steps.max(initial=-1))
        if deepest <= BODY < len(self.template.chain) - 1:
            alone = attenuation.select(tree, self.settings.single)
            return np.asarray(alone.keep[tree.text_nodes[page.blocks.first]])
        roots = page.elements[steps == deepest] if deepest >= 0 else page.elements[:1]
        if deepest < len(self.template.chain) - 1:
            roots = _local_content(tree, page, int(roots[0]), noisy, self.settings.template.threshold)
        return np.asarray(tree.covered(roots)[tree.text_nodes[page.blocks.first]])


def learn(pages: Iterable[Page], settings: SiteSettings = SiteSettings(), rules: Rules = Rules()) -> SiteModel:
    """Learn the template of a site from some of its pages.

    The model depends on the set of pages, not on their order, and a page given twice counts once.

    Args:
        pages: pages of one site; some 30 are enough, 5 are already useful.
        settings: thresholds.
        rules: manual rules to start with.
    """
    return learn_digests([digest(parse(page)).digest for page in pages], settings, rules)


def learn_digests(evidence: Iterable[PageDigest], settings: SiteSettings = SiteSettings(), rules: Rules = Rules()) -> SiteModel:
    """:func:`learn` from digests, which may have been made elsewhere."""
    pages = [page for _, page in sorted({page.key: page for page in evidence}.items())]
    return SiteModel(
        template=learn_template(without_copies(pages), settings.template),
        layouts=group([sketch(page.names) for page in pages], settings.alike),
        settings=settings,
        rules=rules,
        evidence=tuple(pages),
    )


def without_copies(pages: list[PageDigest], alike: float = 0.95) -> list[PageDigest]:
    """The pages without near-copies of others: a text that stands on two copies of one page does not repeat on the site.

    Pages are copies when nearly all of their text outside links, by characters, is in the same blocks. If that leaves less than
    half of the pages, text that all share is a template's, not a copy's, and all stay.
    """
    by_text: dict[int, list[int]] = {}
    kept: list[PageDigest] = []
    for page in pages:
        plain = page.length - page.link_length
        shared = np.zeros(len(kept))
        for text, length in zip(page.text.tolist(), plain.tolist(), strict=True):
            for other in by_text.get(text, ())[:64]:
                shared[other] += length
        total = max(int(plain.sum()), 1)
        copies = [other for other in np.flatnonzero(shared > alike * total).tolist() if _plain(kept[other]) < total / alike]
        if copies:
            continue
        for text in set(page.text.tolist()):
            by_text.setdefault(text, []).append(len(kept))
        kept.append(page)
    return kept if 2 * len(kept) >= len(pages) else pages


def _plain(page: PageDigest) -> int:
    return int((page.length - page.link_length).sum())


def _inherit(verdict: NDArray[np.uint8], page: PageDigest) -> NDArray[np.uint8]:
    """Verdicts of the elements, noise handed down to what stands below it: below a menu all is menu, known or not."""
    noisy = np.flatnonzero((verdict == STATIC) | (verdict == LINKS))
    if not len(noisy):
        return verdict
    outermost = noisy[np.append(True, noisy[1:] >= np.maximum.accumulate(page.end[noisy])[:-1])]
    holder = outermost[np.maximum(np.searchsorted(outermost, np.arange(len(verdict)), side="right") - 1, 0)]
    below = (holder <= np.arange(len(verdict))) & (np.arange(len(verdict)) < page.end[holder])
    return np.where(below, verdict[holder], verdict)


def _edges(repeated: BoolColumn, content: BoolColumn) -> BoolColumn:
    """Repeated blocks before the first and after the last block of the content that does not repeat."""
    own = np.flatnonzero(content & ~repeated)
    edge = content.copy()
    if len(own):
        edge[own[0] : own[-1] + 1] = False
    return edge & repeated


def _local_content(tree: PageTree, page: Digested, root: int, noisy: BoolColumn, threshold: float) -> NDArray[np.intp]:
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
    return np.array([here])


def _selection(tree: PageTree, page: Digested, reason: NDArray[np.uint8]) -> Selection:
    """The reasons of the blocks spread over their text nodes, and over the elements between texts of one reason."""
    blocks = page.blocks
    of_text = np.full(len(tree.text_nodes), _UNREAD, dtype=np.uint8)
    counts = blocks.last - blocks.first
    offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    of_text[np.repeat(blocks.first, counts) + offsets] = np.repeat(reason, counts)
    before = np.maximum(np.searchsorted(tree.text_nodes, np.arange(len(tree)), side="right") - 1, 0)
    after = np.minimum(np.searchsorted(tree.text_nodes, np.arange(len(tree))), max(len(of_text) - 1, 0))
    if not len(of_text):
        nodes = np.full(len(tree), _OUTSIDE, dtype=np.uint8)
    else:
        nodes = np.where(of_text[before] == of_text[after], of_text[before], _OUTSIDE).astype(np.uint8)
    return Selection("site", nodes == _CONTENT, nodes, REASONS)
