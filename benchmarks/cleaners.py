"""The cleaning methods of the library that are compared on sites: each learns from page trees and then selects what to keep of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from benchmarks import pagelets, paragraph_frequency
from benchmarks.choosing import chosen
from tamis.content import attenuation, node_model
from tamis.document.selection import Cause, Reason, Selection
from tamis.layer.siblings import SeenPage
from tamis.page.tree import PageTree
from tamis.papers.method import FewPages, Papers, what_is_left
from tamis.site import style_tree
from tamis.site.digest import judged_digest
from tamis.site.model import learn_digests

SAME_LAYER = 3  #: Pages that the same-layer method compares with.


@dataclass(frozen=True, slots=True)
class Model:
    """What a method learned of a site."""

    select: Callable[[PageTree], Selection]  #: Selects what to keep of a page of the site.
    layouts: tuple[int, ...] = ()  #: Pages of each layout that was found, the largest first; empty where the method knows none.


@dataclass(frozen=True, slots=True)
class Cleaner:
    """A method."""

    name: str
    setup: str  #: What is called, in words.
    learn: Callable[[Iterable[PageTree]], Model] = field(repr=False)
    learns: bool = True  #: Whether the pages learned from matter.


def _site(pages: Iterable[PageTree]) -> Model:
    model = learn_digests(map(judged_digest, pages))
    return Model(model.template_selection, tuple(len(layout.members) for layout in model.layouts))


def _site_and_model(pages: Iterable[PageTree]) -> Model:
    model = learn_digests(map(judged_digest, pages))
    return Model(model.select, tuple(len(layout.members) for layout in model.layouts))


def _node_model(_pages: Iterable[PageTree]) -> Model:
    return Model(node_model.select)


def _style_tree(pages: Iterable[PageTree]) -> Model:
    return Model(style_tree.simplify(style_tree.StyleTree.build(pages)).map_page)


def _style_tree_paper(pages: Iterable[PageTree]) -> Model:
    tree = style_tree.StyleTree.build(pages, style_tree.StyleSettings.paper())
    return Model(style_tree.simplify(tree, style_tree.StyleCleaning.paper()).map_page)


def _papers(pages: Iterable[PageTree]) -> Model:
    method, known = Papers(), list(pages)
    model = method.learn(known) if known else None
    return Model(lambda tree: method.select(tree, model))


def _same_layer_and_model(pages: Iterable[PageTree]) -> Model:
    known = FewPages(tuple(map(SeenPage, islice(pages, SAME_LAYER))))
    return Model(lambda tree: known.select(tree, node_model.NodeModel()))


def _pagelets(pages: Iterable[PageTree]) -> Model:
    model = pagelets.learn(pages)
    return Model(lambda tree: pagelets.select(tree, model))


def _paragraph_frequency(pages: Iterable[PageTree]) -> Model:
    model = paragraph_frequency.learn(pages)
    return Model(lambda tree: paragraph_frequency.select(tree, model))


def _attenuation(_pages: Iterable[PageTree]) -> Model:
    return Model(attenuation.select)


def _everything(_pages: Iterable[PageTree]) -> Model:
    return Model(_all_text)


def _all_text(tree: PageTree) -> Selection:
    return Selection(
        "everything", np.ones(len(tree), dtype=np.bool_), np.zeros(len(tree), dtype=np.uint8), (Reason("all text", Cause.CONTENT),)
    )


def _then_attenuation(learn: Callable[[Iterable[PageTree]], Model]) -> Callable[[Iterable[PageTree]], Model]:
    """A method followed by attenuation on what it leaves."""

    def learn_first(pages: Iterable[PageTree]) -> Model:
        first = learn(pages)
        return Model(lambda tree: attenuation_on(tree, first.select(tree)))

    return learn_first


def attenuation_on(tree: PageTree, first: Selection) -> Selection:
    """Attenuation on what a selection leaves of a page: as if the dropped texts had never stood there."""
    second = attenuation.select(what_is_left(tree, first.keep))
    return replace(second, keep=second.keep & first.keep)


CLEANERS: tuple[Cleaner, ...] = (
    Cleaner(
        "site", "SiteModel.template_selection: attenuation, and a sample judged by the node model, which was trained on these sites", _site
    ),
    Cleaner(
        "site+model", "site.learn(pages), SiteModel.select: template and node model, which was trained on these sites", _site_and_model
    ),
    Cleaner("model", "content.node_model.select: each page by itself; trained on these sites", _node_model, learns=False),
    Cleaner("same-layer+model", "the node model, less what three same-layer pages have, too", _same_layer_and_model),
    Cleaner("attenuation", "content.attenuation.select: each page by itself", _attenuation, learns=False),
    Cleaner("style-tree", "style_tree, its defaults", _style_tree),
    Cleaner("style-tree+att", "style-tree, then attenuation on what it leaves", _then_attenuation(_style_tree)),
    Cleaner("style-tree-paper", "style_tree, StyleSettings.paper() and StyleCleaning.paper(), t chosen from the tree", _style_tree_paper),
    Cleaner("papers", "Papers().select: the five papers together", _papers),
    Cleaner("pagelets", "pagelets, its defaults", _pagelets),
    Cleaner("pagelets+att", "pagelets, then attenuation on what it leaves", _then_attenuation(_pagelets)),
    Cleaner(
        "paragraphs",
        "paragraph_frequency: blocks on at least a tenth of the pages, and on two, are dropped",
        _paragraph_frequency,
    ),
    Cleaner("paragraphs+att", "paragraphs, then attenuation on what it leaves", _then_attenuation(_paragraph_frequency)),
    Cleaner("all-text", "all text of the body", _everything, learns=False),
)
CLEANER_BY_NAME: dict[str, Cleaner] = {cleaner.name: cleaner for cleaner in CLEANERS}


def choose_cleaners(names: Iterable[str]) -> tuple[Cleaner, ...]:
    """The methods of these names.

    Raises:
        UsageError: there is no such method.
    """
    return tuple(CLEANER_BY_NAME[name] for name in chosen("method", names, CLEANER_BY_NAME))
