"""Examples: pages with gold as evidence and labels of their blocks, each page in several disguises.

What the model must do without is left out, or made meaningless, in some disguises: class names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.gold import GoldPage, read_gold
from benchmarks.metric import Unit, tokens
from benchmarks.site_pages import read_site_pages, site_folders
from tamis.content.evidence import COLUMNS, GROUPS, gather, read_words
from tamis.content.evidence.vocabulary import VOCABULARY, Vocabulary
from tamis.content.evidence.words import WORDS, LearnedWords, PageWords
from tamis.content.network import ROLES
from tamis.content.node_model import among_anchors, around_posts
from tamis.page import tags
from tamis.page.blocks import TextBlocks, text_blocks
from tamis.page.css import select_css
from tamis.page.parsing import parse
from tamis.page.tree import Attributes, PageTree
from tamis.site.model import SiteModel, learn
from training.alignment import align
from training.boxes import BOX, Material, insert_boxes, language_of
from training.folds import fold_of
from training.lists import make_list
from training.names import PageNames, read_page_names

SITE_PAGES = (30, 10, 5, 3, 2)
"""Pages that a site's templates are learned from."""
MORE = 20
"""Content pages of each site that are trained on beside those that are scored."""
PLAIN, NAMELESS, SHUFFLED = "plain", "nameless", "shuffled"
_LEARNED = [COLUMNS.index(name) for name in VOCABULARY]
_SAID = [COLUMNS.index(name) for name in WORDS]
_THREAD = [COLUMNS.index(name) for name in GROUPS["thread"]]
_LABELS = ("main", "ignore", "drop")
LONG_PAGES = (10_000, 20_000, 40_000, 80_000, 160_000) * 2
"""Characters of main text of the long pages that are made of each site's pages."""
FEW_PAGES, FEW_LONG = 12, (20_000, 60_000, 160_000)
"""Pages of a site that is only trained on, and characters of its long ones."""
LONG_FROM = 150
"""Pages of a site that long ones are made of, at the most."""
LEAST_MAIN, LEAST_BLOCKS = 0.5, 150
"""Share of the blocks of a long page that are main text, by the site's rules, and blocks, both at the least."""
MOST_HOLDERS = 2
_MARK = "@@ more @@"
BOXED_OF_SITE = 5
"""Pages of each site that boxes are inserted into."""
LISTS_OF_SITE, TRIED = 3, 6
"""Pages of each site that are made lists of its others, and that are tried for it, at the most."""
FEWEST_LISTED = 5
"""Blocks of a list at the least."""
OTHERS = 60
"""Pages whose texts the boxes of one page are made of, at the most."""
Progress = Callable[[int, int], None]
Shares = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Shares of each block that are main text, that are neither rewarded nor punished, and that are comments, float64 ``(b,)`` each."""


COMMENTED = ("dragnet", "l3s")
"""Sets whose gold says of every page what visitors' comments are."""
OPTIONAL = ("l3s", "readability")
"""Sets whose gold says what bylines and dates are."""
_TITLES = tags.lookup(tags.codes("h1 h2"))
_TITLE_END = re.compile(r"\s[-|–—·»]\s")
_NOT_LETTERS = re.compile(r"\W+")
OPEN = 0.15
"""Weight of text of which the gold does not say whether it is main text."""
_HEADING = [COLUMNS.index(name) for name in ("holder h1", "holder h2", "holder h3", "in heading")]
AS_LIST = " as list"
"""The end of the id of a page that was made a list."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page: what its ``b`` blocks are, and the evidence of them."""

    id: str
    group: str
    """Domain or site: all pages of one are in one fold."""
    collection: str
    page_type: str
    scored: bool
    """Whether it counts in evaluations; it is trained on anyhow (in the other folds)."""
    typed: bool
    """Whether its page type is one of those that the model tells apart."""
    single: bool
    """Whether it is a single page; else it is a page of a site."""
    unit: Unit
    words: NDArray[np.int32]
    """The page's tokens as numbers, int32 ``(t,)``."""
    block: NDArray[np.int32]
    """The block of each token, int32 ``(t,)``."""
    gold: NDArray[np.int64]
    """How often the gold text has each token, int64 ``(v,)``."""
    ignored: NDArray[np.int64]
    """How often the ignored text has each token, int64 ``(v,)``."""
    label: NDArray[np.float64]
    """Share of each block that is main text, float64 ``(b,)``."""
    excused: NDArray[np.float64]
    """Share of each block that is neither rewarded nor punished, float64 ``(b,)``."""
    comment: NDArray[np.float64]
    """Share of each block that is known to be visitors' comments, float64 ``(b,)``."""
    disguises: dict[str, NDArray[np.float32]] = field(repr=False)
    """Evidence by disguise, float32 ``(b, c)`` each, without that of learned names (:meth:`evidence` has it)."""
    names: dict[str, PageNames] = field(repr=False)
    """The names around the blocks by disguise, where there are any."""
    stated: NDArray[np.float64]
    """What microdata adds to the log-odds of the blocks (:func:`tamis.content.node_model.around_posts`), float64 ``(b,)``."""
    anchored: NDArray[np.bool_]
    """Blocks among headings that link to themselves (:func:`tamis.content.node_model.among_anchors`), bool ``(b,)``."""
    made: bool
    """Whether it was made of other pages, made a list, or had boxes inserted: for training only."""
    more: bool
    """Whether its site is one of many of a kind that is only trained on (:mod:`training.manuals`), and weighs less."""
    inserted: NDArray[np.bool_] = field(repr=False)
    """Blocks in boxes that were inserted, bool ``(b,)``."""
    roles: NDArray[np.float32] = field(repr=False)
    """Share of each block that has each of :data:`tamis.content.network.ROLES`, float32 ``(b, r)``; NaN where the gold does not say."""
    said: PageWords = field(repr=False)
    """The words of the blocks."""
    page: GoldPage = field(repr=False)
    """The page, to be read again."""
    rules: dict[str, list[str]] | None = field(repr=False)
    """The selectors of its site."""
    noise: tuple[str, ...] = field(repr=False)
    """Some short texts of it that are noise."""
    beginning: str = field(repr=False)
    """The first paragraph of its main text."""
    title: str = field(repr=False)
    sites: dict[int, NDArray[np.float64] | None] = field(repr=False)
    """What templates of so many pages of the site add to the log-odds of the blocks, float64 ``(b,)`` each; None where one does not know
    the page."""

    def evidence(self, disguise: str, vocabulary: Vocabulary, words: LearnedWords) -> NDArray[np.float32]:
        """All evidence of the page in a disguise, float32 ``(b, c)``."""
        values = self.disguises[disguise].copy()
        values[:, _LEARNED] = self.names[disguise].weigh(vocabulary) if disguise in self.names else 0
        values[:, _SAID] = weigh_words(self.said, words)
        return values

    @property
    def is_list(self) -> bool:
        """Whether it was made a list of its site's other pages."""
        return self.made and self.id.endswith(AS_LIST)

    @property
    def length(self) -> NDArray[np.int64]:
        """Tokens of each block, int64 ``(b,)``."""
        return np.bincount(self.block, minlength=len(self.label))

    def f1(self, keep: NDArray[np.bool_]) -> float:
        """F1 of the chosen blocks (:func:`benchmarks.metric.compare`). ``keep``: bool ``(b,)``."""
        return self.compare(keep)[0]

    def compare(self, keep: NDArray[np.bool_]) -> tuple[float, float, float]:
        """F1, precision and recall of the chosen blocks. ``keep``: bool ``(b,)``."""
        found = np.bincount(self.words[keep[self.block]], minlength=len(self.gold))
        right = int(np.minimum(found, self.gold).sum())
        if not right:
            return 0.0, 0.0, 0.0
        wrong = int(np.maximum(found - self.gold - self.ignored, 0).sum())
        precision, recall = right / (right + wrong), right / int(self.gold.sum())
        return 2 * right / (right + wrong + int(self.gold.sum())), precision, recall


def read_single_pages(folder: Path, *, limit: int | None = None, progress: Progress | None = None) -> list[Example]:
    """Examples of a folder of single pages; a page's group is its domain. Arguments as of :func:`benchmarks.gold.read_gold`."""
    examples = []
    pages = read_gold(folder, limit)
    typed = len({page.page_type for page in pages}) > 1  # a set of one type teaches nothing about types
    for number, page in enumerate(pages):
        tree = parse(page.html())
        blocks = text_blocks(tree)
        examples.append(_example(page, tree, blocks, domain(page.url) or page.id, None, (), scored=True, typed=typed))
        if progress is not None:
            progress(number + 1, len(pages))
    return examples


def read_sites(
    folder: Path,
    *,
    names: list[str] | None = None,
    templates: Sequence[int] = SITE_PAGES,
    more: bool = False,
    progress: Progress | None = None,
) -> list[Example]:
    """Examples of a folder of sites: those pages that :mod:`benchmarks.sites` scores, and some more.

    Args:
        folder: of sites.
        names: only these.
        templates: pages that a site's templates are learned from: others than those that are scored.
        more: some pages of each are only trained on (:attr:`Example.more`).
        progress: told how many sites are done, of how many.
    """
    examples = []
    folders = site_folders(folder, names)
    for number, path in enumerate(folders):
        pages = read_site_pages(path)
        rules = json.loads((path / "site.json").read_text("utf-8"))["selectors"]
        sizes = () if more else templates
        draw = [parse(page.html()) for page in pages.draw(0)[: max(sizes, default=0)]]
        models = tuple(learn(draw[:count]) for count in sizes)
        scored = {page.path for page in pages.scored}
        further = [page for page in read_gold(path, len(scored) + 2 * MORE) if page.path not in scored][:MORE]
        for page in (*pages.scored, *further)[: FEW_PAGES if more else None]:
            tree = parse(page.html())
            named, judged = replace(page, collection=folder.name), page.path in scored and not more
            example = _example(named, tree, text_blocks(tree), page.site, rules, models, scored=judged, typed=False, more=more)
            examples.append(example)
        long = FEW_LONG if more else LONG_PAGES
        for page, tree in _long_pages(read_gold(path, LONG_FROM), rules["main"], long, Random(path.name)):
            named = replace(page, collection=folder.name)
            example = _example(named, tree, text_blocks(tree), page.site, rules, (), scored=False, typed=False, made=True, more=more)
            if example.label.mean() >= LEAST_MAIN and len(example.label) >= LEAST_BLOCKS:
                examples.append(example)
        if progress is not None:
            progress(number + 1, len(folders))
    return examples


def _long_pages(pages: list[GoldPage], selectors: list[str], sizes: Sequence[int], dice: Random) -> Iterator[tuple[GoldPage, PageTree]]:
    """Pages with the main text of other pages after their own, such as a manual on one page: the sets have few long pages."""
    for most in sizes:
        dice.shuffle(pages)
        parser = LexborHTMLParser(pages[0].html())
        holders = _holders(parser, selectors)
        added, taken = [pages[0]], list[str]()
        for page in pages[1:] if holders else ():
            if sum(len(each.main) for each in added) >= most:
                break
            if others := _holders(LexborHTMLParser(page.html()), selectors):
                taken.append(f"<section>{''.join(filter(None, (part.html for part in others[0].iter(include_text=True))))}</section>")
                added.append(page)
        if taken:
            holders[0].insert_child(_MARK)
            html = (parser.html or "").replace(_MARK, "".join(taken))
            main, ignored = ("\n".join(texts) for texts in ((each.main for each in added), (each.ignored for each in added)))
            yield replace(pages[0], id=f"{pages[0].id} and {len(taken)} more", main=main, ignored=ignored), parse(html)


def _holders(parser: LexborHTMLParser, selectors: list[str]) -> list[LexborNode]:
    """The elements that hold the main text of a page; none where it stands in many, such as the posts of a thread."""
    found = [node for selector in selectors for node in parser.css(selector)]
    return found if len(found) <= MOST_HOLDERS else []


@dataclass(frozen=True, slots=True)
class Plan:
    """A page that boxes are to be inserted into."""

    page: GoldPage
    group: str
    rules: dict[str, list[str]] | None
    language: str
    material: Material
    seed: str

    def make(self) -> Example | None:
        """Return the page with boxes; None if it has no place for them."""
        html = insert_boxes(self.page.html(), self.page.main, self.language, self.material, Random(self.seed))
        if html is None:
            return None
        tree, page = parse(html), replace(self.page, id=f"{self.page.id} with boxes")
        return _example(page, tree, text_blocks(tree), self.group, self.rules, (), scored=False, typed=False, made=True)


def plan_boxed(examples: Sequence[Example], count: int, seed: int) -> list[Plan]:
    """Return pages for boxes (:mod:`training.boxes`): articles of the sets, and some pages of each site.

    Args:
        examples: pages with gold.
        count: how many articles of the sets, at the most.
        seed: where chance begins.
    """
    dice = Random(seed)
    singles = [example for example in examples if example.single and example.page_type == "article" and len(example.label)]
    base = dice.sample(singles, min(count, len(singles)))
    by_site: dict[str, list[Example]] = {}
    for example in examples:
        if not (example.single or example.made) and len(example.label):
            by_site.setdefault(example.group, []).append(example)
    for own in by_site.values():
        base += dice.sample(own, min(BOXED_OF_SITE, len(own)))
    given: dict[tuple[str, int], list[Example]] = {}
    for example in examples:
        if not example.made:  # a page and the texts of its boxes are of one fold, so that no fold learns of another
            given.setdefault((language_of_page(example.page), fold_of(example.group)), []).append(example)
    plans = []
    for example in base:
        language = language_of_page(example.page)
        others = [other for other in given[language, fold_of(example.group)] if other.group != example.group]
        some = dice.sample(others, min(OTHERS, len(others)))
        material = Material(
            [text for other in some for text in other.noise],
            [other.title for other in some if other.title],
            [other.beginning for other in some if other.beginning],
        )
        plans.append(Plan(example.page, example.group, example.rules, language, material, f"{seed} {example.id}"))
    return plans


def make_lists(examples: Sequence[Example]) -> Iterator[Example]:
    """Make lists (:mod:`training.lists`) of the pages of each site."""
    by_site: dict[str, list[Example]] = {}
    for example in examples:
        if not (example.single or example.made) and len(example.label):
            by_site.setdefault(example.group, []).append(example)
    for site, own in by_site.items():
        dice, made = Random(f"lists {site}"), 0
        pages = list(dict.fromkeys((other.title, other.beginning) for other in own if len(other.title) > 8))
        for number, base in enumerate(dice.sample(own, min(TRIED, len(own)))):
            others, rules = [each for each in pages if each[0] != base.page.title], base.rules or {}
            html = make_list(base.page.html(), rules["main"], others, Random(f"{number} {base.id}"))
            if html is None or made == LISTS_OF_SITE:
                continue
            tree = parse(html)
            blocks = text_blocks(tree)
            label = _labels_by_rules(tree, blocks, rules)[0]
            if label.sum() >= FEWEST_LISTED:
                main = "\n".join(text for text, share in zip(blocks.texts(tree), label, strict=True) if share > 0.5)
                page = replace(base.page, id=f"{base.id}{AS_LIST}", title="", main=main, ignored="")
                yield _example(page, tree, blocks, site, rules, (), scored=False, typed=False, made=True)
                made += 1


def language_of_page(page: GoldPage) -> str:
    """Return the language of a page, as :data:`training.boxes.PHRASES` calls it; Chinese if it is not stated and words are characters."""
    return language_of(page.language) if page.language or page.unit == "word" else "zh"


def domain(url: str) -> str:
    """The part of a host name that one owner has, roughly: two labels, or three under a short second one (``bbc.co.uk``).

    >>> domain("https://www.news.example.co.uk/a"), domain("http://example.org")
    ('example.co.uk', 'example.org')
    """
    labels = (urlsplit(url).hostname or "").split(".")
    short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3:] if short else labels[-2:])


def _example(
    page: GoldPage,
    tree: PageTree,
    blocks: TextBlocks,
    group: str,
    rules: dict[str, list[str]] | None,
    models: tuple[SiteModel, ...],
    *,
    scored: bool,
    typed: bool,
    made: bool = False,
    more: bool = False,
) -> Example:
    numbers: dict[str, int] = {}
    texts = blocks.texts(tree)
    of_blocks = [[numbers.setdefault(token, len(numbers)) for token in tokens(text, page.unit)] for text in texts]
    main, ignored, comments = (
        np.array([numbers.setdefault(token, len(numbers)) for token in tokens(text, page.unit)], dtype=np.int64)
        for text in (page.main, page.ignored, page.comments)
    )
    words = np.array([number for block in of_blocks for number in block], dtype=np.int64)
    block = np.repeat(np.arange(len(of_blocks)), [len(found) for found in of_blocks])
    if rules is None:
        label, excused, comment = _labels_by_text(words, block, len(blocks), (main, ignored, comments))
    else:
        label, excused, comment = _labels_by_rules(tree, blocks, rules)
    boxes = np.zeros(len(blocks), dtype=np.bool_)
    if made and any(inserted := [BOX in own for own in tree.attributes]):
        boxes = tree.subtree_mask(np.array(inserted))[tree.text_nodes[blocks.first]]
        label, excused, comment = (np.where(boxes, 0.0, share) for share in (label, excused, comment))
    length = np.bincount(block, minlength=len(blocks))
    dice = Random(f"noise {page.id}")
    short = [texts[k] for k in np.flatnonzero((label == 0) & (excused == 0) & (comment == 0) & (length >= 3) & (length <= 45)).tolist()]
    first = np.flatnonzero((label > 0.9) & (length >= 20))
    return Example(
        id=page.id,
        group=group,
        collection=page.collection,
        page_type=page.page_type,
        scored=scored,
        typed=typed,
        single=rules is None,
        unit=page.unit,
        words=words.astype(np.int32),
        block=block.astype(np.int32),
        gold=np.bincount(main, minlength=len(numbers)),
        ignored=np.bincount(ignored, minlength=len(numbers)),
        label=label,
        excused=excused,
        comment=comment,
        **_disguised(tree, Random(page.id)),
        stated=around_posts(tree, blocks),
        anchored=among_anchors(tree, blocks),
        made=made,
        more=more,
        inserted=boxes,
        roles=_roles(page, texts, (label, excused, comment), length, tree.of_tags(_TITLES)[blocks.element], rules),
        said=read_words(tree, blocks),
        page=page,
        rules=rules,
        noise=tuple(dice.sample(short, min(30, len(short)))),
        beginning=texts[first[0]] if len(first) else "",
        title=page.title or _TITLE_END.split(tree.title)[0].strip(),
        sites={count: _said_by(model, tree) for count, model in zip(SITE_PAGES, models, strict=False)},
    )


def _roles(
    page: GoldPage,
    texts: list[str],
    shares: Shares,
    length: NDArray[np.int64],
    heading: NDArray[np.bool_],
    rules: dict[str, list[str]] | None,
) -> NDArray[np.float32]:
    """:attr:`Example.roles`: comment, title, byline."""
    label, excused, comment = shares
    roles = np.full((len(texts), len(ROLES)), np.nan, dtype=np.float32)
    main = (label >= 0.5) & (page.page_type != "forum")
    roles[main, 0] = 0
    if page.collection in COMMENTED or (rules is not None and rules.get("comments")):
        roles[:, 0] = comment
    wanted = _NOT_LETTERS.sub("", page.title).lower()
    if wanted:
        roles[:, 1] = np.array([_NOT_LETTERS.sub("", text).lower() == wanted for text in texts], dtype=np.float32)
    elif rules is not None:
        roles[:, 1] = heading & (excused > 0.5)
    small = (length <= 25) & (label < 0.5) & (comment == 0) & ~heading & (np.nan_to_num(roles[:, 1]) == 0)
    roles[main, 2] = 0
    if rules is not None and rules.get("ignore"):
        roles[:, 2] = small & (excused > 0.5)
    elif page.author:
        found = small & np.array([page.author.lower() in text.lower() for text in texts], dtype=np.bool_)
        roles[found, 2] = 1
        if found.any():
            roles[(length > 25) | heading, 2] = 0
    elif page.ignored and page.collection in OPTIONAL:
        roles[:, 2] = small & (excused > 0.5)
    return roles


def weigh_words(said: PageWords, words: LearnedWords) -> NDArray[np.float32]:
    """The evidence of :data:`tamis.content.evidence.words.WORDS`, float32 ``(b, s)``: sums of the weights of the words."""
    return _sums(said, words, words.weight)[:, : len(WORDS)].astype(np.float32)


def weigh_asides(said: PageWords, words: LearnedWords) -> NDArray[np.int64]:
    """What the words of each block say of it as an aside (:attr:`tamis.content.evidence.Evidence.aside`), int64 ``(b,)``."""
    return np.asarray(_sums(said, words, words.aside).sum(axis=1))


def _sums(said: PageWords, words: LearnedWords, weight: NDArray[np.int8]) -> NDArray[np.int64]:
    """Sums of a weight of the words by block and source, int64 ``(b, s)``."""
    if not len(words.key):
        return np.zeros(said.count.shape, dtype=np.int64)
    at = np.minimum(np.searchsorted(words.key, said.key), len(words.key) - 1)
    total = np.append(0, np.cumsum(np.where(words.key[at] == said.key, weight[at], 0)))
    end = np.cumsum(said.count.reshape(-1).astype(np.int64))
    return np.asarray((total[end] - total[end - said.count.reshape(-1)]).reshape(said.count.shape))


def _labels_by_text(words: NDArray[np.int64], block: NDArray[np.int64], blocks: int, texts: Sequence[NDArray[np.int64]]) -> Shares:
    """Shares of each block that stand in the gold texts (main, ignored, comments); what one has, the next cannot have."""
    length = np.maximum(np.bincount(block, minlength=blocks), 1)
    free, shares = np.ones(len(words), dtype=np.bool_), []
    for text in texts:
        found = np.zeros(len(words), dtype=np.bool_)
        if len(text):
            found[free] = align(words[free], block[free], text) >= 0
        shares.append(np.bincount(block, weights=found, minlength=blocks) / length)
        free &= ~found
    return shares[0], shares[1], shares[2]


def _labels_by_rules(tree: PageTree, blocks: TextBlocks, rules: dict[str, list[str]]) -> Shares:
    """Shares of each block that are main text, to be ignored, and comments, by a site's selectors: the innermost decides."""
    found = sorted(
        (int(node), rank) for rank, name in enumerate(_LABELS) for node in np.flatnonzero(_matches(tree, tuple(rules.get(name, ()))))
    )
    of_node = np.full(len(tree), len(_LABELS))
    for node, rank in found:
        of_node[node : tree.end[node]] = rank
    comments = tree.subtree_mask(np.flatnonzero(_matches(tree, tuple(rules.get("comments", ())))))
    length = tree.text_length[tree.text_nodes]
    shares = []
    for chosen in (of_node == 0, of_node == 1, comments):
        prefix = np.append(0, np.cumsum(np.where(chosen[tree.text_nodes], length, 0)))
        shares.append((prefix[blocks.last] - prefix[blocks.first]) / np.maximum(blocks.length, 1))
    return shares[0], shares[1], shares[2]


def _matches(tree: PageTree, selectors: tuple[str, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(len(tree), dtype=np.bool_)
    if selectors:
        mask[select_css(tree, selectors)] = True
    return mask


def _disguised(tree: PageTree, dice: Random) -> dict[str, Any]:
    """Evidence and names of the page in each disguise."""
    dealt = shuffled(tree, dice)
    pages = {PLAIN: tree, NAMELESS: replace(tree, attributes=[nameless(own) for own in tree.attributes]), SHUFFLED: dealt}
    evidence = {name: gather(page).values for name, page in pages.items()}
    evidence[SHUFFLED][:, _THREAD] = evidence[PLAIN][:, _THREAD]  # posts are found by what their names have in common
    return {
        "disguises": evidence,
        "names": {name: read_page_names(pages[name]) for name in (PLAIN, SHUFFLED)},
    }


def _said_by(model: SiteModel, tree: PageTree) -> NDArray[np.float64] | None:
    """What a template adds to the log-odds of the page's blocks; None where it does not know the page."""
    said = model.evidence_of(tree)
    return None if isinstance(said, str) else said


def nameless(attributes: Attributes) -> Attributes:
    """The attributes without class names and ids."""
    return {name: value for name, value in attributes.items() if name not in ("class", "id")}


def shuffled(tree: PageTree, dice: Random) -> PageTree:
    """The page with its class names and ids dealt out anew among the elements that have any."""
    named = [node for node, own in enumerate(tree.attributes) if "class" in own or "id" in own]
    given = [{name: value for name, value in tree.attributes[node].items() if name in ("class", "id")} for node in named]
    dice.shuffle(given)
    attributes = list(tree.attributes)
    for node, names in zip(named, given, strict=True):
        attributes[node] = {**nameless(attributes[node]), **names}
    return replace(tree, attributes=attributes)


def weigh(example: Example, open_text: float = OPEN) -> NDArray[np.float64]:
    """What each block weighs: by its share of the page's F1, so that a long page counts as much as a short one, float64 ``(b,)``.

    Gold often leaves open what a byline or a date is. Such blocks count a little (``open_text``), as no main text; headings do not.
    """
    length = example.length
    gold = max(int(example.gold.sum()), 20)
    noise = max(int(length.sum()) - gold, 0)
    weight = (length + 0.3) / (gold + 0.25 * noise)
    heading = np.nan_to_num(example.disguises[PLAIN][:, _HEADING]).max(axis=1, initial=0) > 0
    return np.asarray(weight * np.clip(1 - example.excused, np.where(heading & (open_text < 1), 0.001, open_text), 1))


def without(evidence: NDArray[np.float32], groups: Sequence[str]) -> NDArray[np.float32]:
    """The evidence without some groups: not known."""
    if not groups:
        return evidence
    evidence = evidence.copy()
    evidence[:, columns_of(groups)] = np.nan
    return evidence


def columns_of(groups: Sequence[str]) -> list[int]:
    """Where the evidence of some groups stands (:data:`tamis.content.evidence.GROUPS`)."""
    return [COLUMNS.index(name) for group in groups for name in GROUPS[group]]
