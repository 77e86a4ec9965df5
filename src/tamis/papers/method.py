"""The five papers as one method: same-layer pages or the style tree, then attenuation, records by key tree, feature codes.

Noise that a site repeats goes first: by the site's style tree (Yi, Liu and Li 2003), which needs some pages, or, of a smaller site, by
same-layer pages (Yuan and others 2006). Attenuation (Chen, Chen and Wu 2012) finds the main text in what is left. It is made for pages
about a topic; on a navigation page the records that a key tree finds (Song and Zhang 2011) are content, too. Two texts are the same page
if their feature codes say so (Chen and Niu 2006). ``docs/methods/papers.md`` compares each method with its paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from os import PathLike
from typing import Any, Literal

import numpy as np

from tamis.content.attenuation import Attenuation
from tamis.document.selection import Cause, Reason, Selection
from tamis.duplicates.feature_code import CodeSettings, feature_code
from tamis.duplicates.forest import FeatureCodeForest, Outcome
from tamis.errors import SourceError, UsageError
from tamis.layer.denoising import Denoising, denoise
from tamis.layer.siblings import SeenPage
from tamis.page import tags
from tamis.page.tree import BoolColumn, PageTree
from tamis.records.finding import Region, find_records
from tamis.records.search import RecordSettings
from tamis.site.folders import Arrays, Stored, format_of, format_of_packed
from tamis.site.model import SiteModel
from tamis.site.style_tree import SimplifiedTree, StyleTreeMethod
from tamis.structure.compression import compress, decompress

METHOD = "papers"  #: Method of a selection by all of them.
RECORD = Reason("a record of a navigation page, like its key tree", Cause.CONTENT)
Kind = Literal["topic", "navigation", "picture"]
_IMAGES = tags.lookup(tags.codes("img"))
_ALONE = "no other page of the site is known: nothing is known to repeat"


@dataclass(frozen=True, eq=False)
class FewPages(Stored):
    """A site of too few pages for a style tree: the pages themselves, with which others are compared."""

    FORMAT, VERSION = "tamis-same-layer", 1
    pages: tuple[SeenPage, ...] = field(repr=False)
    settings: Denoising = field(default=Denoising(), repr=False)

    def __repr__(self) -> str:
        return f"FewPages({len(self.pages)})"

    def template_selection(self, tree: PageTree) -> Selection:
        """Select what the same-layer method keeps of a page. A page is not compared with itself."""
        others = [page for page in self.pages if list(page.tree.texts) != list(tree.texts)]
        return denoise(tree, others, self.settings).selection

    def select(self, tree: PageTree, settings: Any) -> Selection:
        """Select what another method keeps of what the same-layer pages leave of a page; ``settings``: of that method."""
        found: Selection = settings.select(tree)
        return found.changed(*_both(found, self.template_selection(tree)))

    def describe(self) -> dict[str, Any]:
        """Return the model as plain values."""
        return {"pages": len(self.pages), "template": []}

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return what is kept: the addresses, and every page compressed."""
        packed = {f"page{k}": np.frombuffer(compress(page.tree), dtype=np.uint8) for k, page in enumerate(self.pages)}
        return {"urls": [page.url for page in self.pages]}, packed

    @classmethod
    def of_parts(cls, head: dict[str, Any], columns: Arrays) -> FewPages:
        """Make the model of its parts. What does not fit together raises one of the errors of damage."""
        try:
            trees = [decompress(columns[f"page{k}"].tobytes()) for k in range(len(head["urls"]))]
        except SourceError as error:
            raise ValueError(str(error)) from error
        return cls(tuple(SeenPage(tree, url) for tree, url in zip(trees, head["urls"], strict=True)))


_KINDS: dict[str | None, type[SiteModel | SimplifiedTree | FewPages]] = {each.FORMAT: each for each in (SimplifiedTree, FewPages)}


def load_site(path: str | PathLike[str]) -> SiteModel | SimplifiedTree | FewPages:
    """Load what ``tamis learn`` saved, by whichever method.

    Raises:
        ModelError: there is no model, or a damaged or newer one.
    """
    return _KINDS.get(format_of(path), SiteModel).load(path)


def unpack_site(data: bytes) -> SiteModel | SimplifiedTree | FewPages:
    """Return the model that ``pack`` of one of these packed. Raises :class:`~tamis.errors.ModelError` as :func:`load_site`."""
    return _KINDS.get(format_of_packed(data), SiteModel).unpack(data)


@dataclass(frozen=True, slots=True)
class Papers:
    """Settings of all five methods; :meth:`paper` has the papers' own."""

    layer: Denoising = Denoising()
    style_tree: StyleTreeMethod = StyleTreeMethod()
    attenuation: Attenuation = Attenuation()
    records: RecordSettings = RecordSettings.paper()
    code: CodeSettings = CodeSettings()
    least_pages: int = 4  #: Pages of a site from which on its style tree is used; of fewer, same-layer pages.

    @classmethod
    def paper(cls) -> Papers:
        """Return every method as its paper has it."""
        return cls(Denoising.paper(), StyleTreeMethod.paper(), Attenuation.paper(), RecordSettings.paper(), CodeSettings.paper())

    def learn(self, pages: Iterable[PageTree]) -> SimplifiedTree | FewPages:
        """Learn a site from its pages: its style tree, or, of fewer pages than that needs, the pages.

        Raises:
            UsageError: there is no page.
        """
        trees = iter(pages)
        few = list(islice(trees, self.least_pages))
        if not few:
            raise UsageError("there is no page to learn from")
        if len(few) < self.least_pages:
            return FewPages(tuple(map(SeenPage, few)), self.layer)
        return self.style_tree.learn(chain(few, trees))

    def select(self, tree: PageTree, model: Any = None) -> Selection:
        """Select the main text of a page.

        Args:
            tree: the page.
            model: what :meth:`learn` gave; None: the page is cleaned alone.

        Raises:
            UsageError: ``model`` is of another method.
        """
        if not isinstance(model, (SimplifiedTree, FewPages, type(None))):
            raise UsageError(f"the method papers takes what it learned itself (tamis learn --method papers), not {type(model).__name__}")
        first = None if model is None else model.template_selection(tree)
        left = tree if first is None else what_is_left(tree, first.keep)
        found = self.attenuation.select(left)
        notes = (*(first.notes if first is not None else (_ALONE,)), *found.notes)
        chosen = replace(found, method=METHOD, notes=notes)
        if first is not None:
            chosen = chosen.changed(*_both(found, first))
        kind = page_kind(left, self.attenuation)
        if kind == "topic":
            return chosen
        chosen = replace(chosen, notes=(*chosen.notes, f"a {kind} page: attenuation is made for pages about a topic"))
        region = self.list_of(left) if kind == "navigation" else None
        if region is None:
            return chosen
        inside = np.zeros(len(tree), dtype=np.bool_)
        for start, stop in region.spans:
            inside[start:stop] = True
        if first is not None:
            inside &= first.keep
        return chosen.adding(inside & ~tree.non_text, RECORD)

    def list_of(self, tree: PageTree) -> Region | None:
        """Return the records of a page that are like the first record of its main list, the key tree; None if it has no list."""
        main = find_records(tree).main
        if main is None or main.candidate.run:
            return None
        key = slice(int(main.candidate.heads[0]), int(tree.end[main.candidate.heads[0]]))
        if np.count_nonzero(tree.tag[key] != tags.TEXT) < 2:  # a single node is like all others of its tag
            return None
        return find_records(tree, like=int(main.candidate.heads[0]), settings=self.records).main

    def forest(self, texts: Iterable[tuple[str, str]]) -> tuple[FeatureCodeForest, list[Outcome]]:
        """Return the forest of the feature codes of some texts, given as ids and texts, and what became of each."""
        forest = FeatureCodeForest(self.code)
        return forest, [forest.add(id, feature_code(text, self.code)) for id, text in texts]


def what_is_left(tree: PageTree, keep: BoolColumn) -> PageTree:
    """Return a page as if the texts that are not kept had never been there."""
    kept = keep[tree.text_nodes].tolist()
    return replace(tree, texts=[text if stays else "" for text, stays in zip(tree.texts, kept, strict=True)])


def page_kind(tree: PageTree, settings: Attenuation = Attenuation()) -> Kind:
    """Tell pages about a topic from navigation and picture pages (Chen 2012, section 2).

    The paper gives no measure. Here a navigation page is one whose link density is above DLmax, and a picture page one that has more
    images than texts outside links.

    Args:
        tree: the page, or what is left of it.
        settings: of attenuation: DLmax.
    """
    length = np.where(tree.non_text, 0, tree.text_length)
    plain = np.where(tree.in_link, 0, length)
    if length.sum() - plain.sum() > settings.link_density * length.sum():
        return "navigation"
    return "picture" if tree.of_tags(_IMAGES).sum() > np.count_nonzero(plain) else "topic"


def _both(found: Selection, first: Selection) -> tuple[Any, ...]:
    """The arguments of :meth:`Selection.changed` that drop from a selection what an earlier one dropped, with its reasons."""
    dropped = found.keep & ~first.keep | (~first.keep & first.rests_on(Cause.TEMPLATE))
    by_reason = [(dropped & (first.reason == code), first.reasons[code]) for code in np.unique(first.reason[dropped]).tolist()]
    return (found.keep & first.keep, *by_reason)
