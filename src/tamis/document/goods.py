"""Goods: the name, price, author, brand and availability on the page of a product, which readers of its text look for first.

The page is of a product if it states one, or if the element around its name holds few prices and a way to the cart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tamis.document.selection import Cause, Reason, Selection
from tamis.document.units import readable_below
from tamis.page import tags
from tamis.page.caching import of_page
from tamis.page.lexicon import WordPattern, currencies_in, either
from tamis.page.microdata import holders_of
from tamis.page.tree import BoolColumn, PageTree, Values

if TYPE_CHECKING:
    from tamis.document.metadata.candidates import Candidates
    from tamis.document.metadata.product import Product

GOODS = Reason("kept: name, price, author, brand or availability of the product", Cause.UNIT)
SHORTEST_NAME = 4  #: Characters of a name.
LONGEST_FACT, LONGEST_PRICE = 80, 40  #: Characters of a line with a price or the like; of one that no name marks as a price.
MOST_PRICES, MOST_CARTS = 12, 4  #: Lines with prices, and ways to the cart, around the name of one product; more are a list of products.
MOST_AUTHORS = 10  #: Authors that are looked for.
LINES_OF_PRICES, LINES_AFTER = 4, 10  #: Lines that the prices of a product take; those after them that may say more of it.
MOST_BEFORE, MOST_AFTER = 100, 600  #: Texts before and after the name of a product that are looked at.
MOST_BETWEEN = 1_200  #: Characters between the name and a price that the page does not state.
MOST_HEADINGS = 100  #: Headings of a page that may be the name.

_STATED = re.compile(r'"(?:https?://schema\.org/)?(?:Product(?:Group|Model)?|IndividualProduct|Book|Car|Vehicle)"')
_ITEM = re.compile(r"/(?:Product|IndividualProduct|Book|Car|Vehicle)\b", re.I)
_PRICE, _CART = WordPattern(r"price|(?:^|[\s_-])amount"), WordPattern(rf"{either('cart')}|(?:^|[\s_-])buy")
_FACT = WordPattern(rf"(?:^|[\s_-]){either('fact')}(?:$|[\s_-])")
_PRICES = frozenset({"price", "lowprice"})
_FACTS = frozenset({"availability", "brand", "author", "manufacturer"})
_AMOUNT = re.compile(r"\d(?>(?:[\d.,'\u2019\u00a0\u202f]|\s(?=\d{3}(?!\d)))*)")
_META = tags.lookup(tags.codes("meta"))
_NAMING = tags.lookup(tags.codes("h1 h2"))
_BESIDE = tags.lookup(tags.codes("nav aside footer select option"))
_FORM = re.compile(r" \(| : ")  #: Before the form of a product, such as (Hardcover), or a subtitle.


class _Line(NamedTuple):
    """A line of a page: the positions of its texts, and its text."""

    first: int
    after: int
    text: str


class Goods(NamedTuple):
    """The element with the name of a product, the short lines that say more of it, and those of them with its price."""

    name: int
    facts: Sequence[_Line]
    costs: Sequence[_Line]


def with_goods(tree: PageTree, selection: Selection, candidates: Callable[[], Candidates]) -> Selection:
    """Return a selection with what the page of a product says of it in short lines. ``candidates``: reads what the page states.

    >>> from tamis import extract
    >>> page = "<title>Reed</title><div><h1>Reed</h1><p class=price>$ 4.00<p class=add-to-cart>Add</div><p>It grows in shallow water."
    >>> "$ 4.00" in extract(page).text
    True
    """
    goods = read_goods(candidates()) if _may_sell(tree) else None
    if goods is None:
        return selection
    nodes = np.concatenate([[goods.name], *(tree.text_nodes[line.first : line.after] for line in goods.facts)])
    return selection.adding(readable_below(tree, selection, nodes), GOODS)


def _may_sell(tree: PageTree) -> bool:
    return len(tree.texts) > 0 and (_states_product(tree) or any(codes for _, codes in _carts(tree)))


@of_page
def _states_product(tree: PageTree) -> bool:
    if any(map(_STATED.search, tree.json_ld)) or any(map(_ITEM.search, tree.values("itemtype").distinct)):
        return True
    amounts = tree.values("property").nodes(lambda name: name.endswith("price:amount"), ("price:amount",))
    return len(amounts) > 0 and bool(tags.within(_META, tree.tag[amounts]).any())


def _carts(tree: PageTree) -> list[tuple[Values, list[int]]]:
    return [(values, values.passing(_CART.search, _CART.hints)) for values in (tree.values("class"), tree.values("action"))]


def read_product(page: Candidates) -> Product | None:
    """Return the product that a page is about, its price as shown if none is stated; None if there is none, or several are equally so."""
    from tamis.document.metadata.clean_text import line
    from tamis.document.metadata.product import Product, currency_in, price_in, price_of, stated_product

    stated = stated_product(page)
    goods = None if stated and stated.price else read_goods(page)
    unstruck = (price_in(page.tree, each.first, each.after) for each in goods.costs) if goods else ()
    shown = next(filter(price_of, unstruck), None)
    if goods is None or shown is None:
        return stated
    currency = currency_in(shown, page.language_tag)
    named = stated or Product(line(page.tree.text(goods.name), 500))
    return replace(named, price=price_of(shown, currency), currency=currency, source="page")


@of_page
def read_goods(page: Candidates) -> Goods | None:
    """Return what a page shows of the one product that it is about; None if it shows neither a price nor the name of a stated one."""
    tree = page.tree
    if not _may_sell(tree):
        return None
    from tamis.document.metadata.product import stated_product

    stated = _states_product(tree)
    product = stated_product(page) if stated else None
    title = page.find("title") if product else None
    name = _product_name(tree, product.name if product else None, title[0] if title else tree.title) if product or not stated else -1
    if name < 0:
        return None
    in_price = _marked_texts(tree, _PRICE, _PRICES)
    amount = Decimal(product.price) if product and product.price else None
    box, lines, costs = _goods_around(tree, name, in_price, amount)
    if amount and not costs:  # of another variant, or in another currency
        amount, (box, lines, costs) = None, _goods_around(tree, name, in_price, None)
    if costs and amount is None:
        first, last = sorted((tree.texts_below(name)[0], costs[0].first))
        if sum(map(len, tree.texts[first:last])) > MOST_BETWEEN:  # an article, and goods beside it
            return None
        to_cart = np.logical_or.reduce([values.of_codes(codes) for values, codes in _carts(tree)])
        costs = costs if 0 < len(tree.top_level(box + to_cart[box : tree.end[box]].nonzero()[0])) <= MOST_CARTS else []
    if not (costs or (product and product.price)):
        return None
    authors = (page.find("author") or ("",))[0].split("; ")
    said = [text.casefold() for text in (product.brand if product else None, *authors[:MOST_AUTHORS]) if text]
    marked = _marked_texts(tree, _FACT, _FACTS)
    lines = lines[: lines.index(costs[-1]) + LINES_AFTER] if costs else []
    near = [line for line in lines if tree.text_nodes[line.first] > name]
    facts = [line for line in near if marked[tree.text_nodes[line.first : line.after]].any()]
    facts += [line for each in said for line in [line for line in near if each in line.text.casefold()][:1]]
    return Goods(name, [*costs, *facts], costs)


def _product_name(tree: PageTree, stated: str | None, title: str) -> int:
    """Return the node with the stated name of a product, headings first, or the heading that begins the title; -1 for none."""
    from tamis.document.metadata.clean_text import comparison_key

    title, name = comparison_key(title), comparison_key(stated or "")
    headings = tree.tagged(_NAMING)
    found = [(node, tree.text(node)) for node in headings[~tree.non_text[headings]].tolist()[:MOST_HEADINGS]]
    if name:
        for node, text in found:
            if len(text) >= SHORTEST_NAME and (comparison_key(text) in name or name in comparison_key(text)):
                return int(node)
        same = (k for k, text in enumerate(tree.texts) if len(text) >= SHORTEST_NAME and comparison_key(text) == name)
        nodes = (int(tree.text_nodes[k]) for k in same)
        if (node := next((node for node in nodes if not tree.non_text[node]), -1)) >= 0:
            return node
    return next((int(node) for node, text in found if (key := comparison_key(_FORM.split(text)[0])) and title.startswith(key)), -1)


def _marked_texts(tree: PageTree, form: WordPattern, properties: frozenset[str]) -> BoolColumn:
    """Return the texts in short elements with a class or property for such facts, bool ``(n,)``."""
    found = tree.values("class").where(form.search, form.hints).copy()
    found[holders_of(tree, properties)] = True
    return tree.subtree_mask(found & (tree.length_below > 0) & (tree.length_below <= LONGEST_FACT))


def _goods_around(tree: PageTree, name: int, in_price: BoolColumn, amount: Decimal | None) -> tuple[int, list[_Line], list[_Line]]:
    """Return the smallest element around a name that also holds a price, its short lines, and those of them that are the product's prices.

    ``amount``: the price that the page states, which one of the lines has to say. Where no name of an element marks prices that
    have a currency, a currency does, soon after the name.
    """
    above = (tree.end > name) & (np.arange(len(tree)) <= name)  # is shown, or none of the product is
    hidden = tree.non_text | tree.subtree_mask((tree.hidden | tree.of_tags(_BESIDE)) & ~above)
    unseen, priced = hidden[tree.text_nodes].tolist(), np.append(0, in_price[tree.text_nodes].cumsum()).tolist()
    around = _lines_of(tree, 0, name, unseen) if amount is None else []
    told = any(priced[line.after] > priced[line.first] and _is_price(line.text) for line in around)
    below = not told and bool(_prices_below(tree, name, around))
    if amount is None and not (below or in_price.any()):
        return -1, [], []
    for box in tree.ancestors(name):
        lines = _lines_of(tree, box, name, unseen)
        marked = [line for line in lines if priced[line.after] > priced[line.first]]
        if amount is not None:
            free = [line for line in marked if not any(_amounts(line.text))]  # "Free to play"
            same = [line for line in lines if amount in _amounts(line.text)] if amount else free
            after = [line for line in same if tree.text_nodes[line.first] > name]
            if same:
                return box, lines, (after or same)[:1]
            continue
        costs = _prices_below(tree, name, lines) if below else [line for line in marked if any(_amounts(line.text))]
        if costs:
            first = next((line for line in costs if tree.text_nodes[line.first] > name), costs[0])
            at = lines.index(first)
            if len(costs) > MOST_PRICES:
                break
            return box, lines, [line for line in costs if line in lines[at : at + LINES_OF_PRICES]]
    return -1, [], []


def _lines_of(tree: PageTree, box: int, name: int, unseen: list[bool]) -> list[_Line]:
    """Return the short lines in an element that are seen, around a name, as far as they are looked at. ``unseen``: of each text."""
    first, last = tree.texts_below(box)
    at = int(tree.text_nodes.searchsorted(name))
    first, last = max(first, at - MOST_BEFORE), min(last, at + MOST_AFTER)
    starts = first + 1 + np.flatnonzero(np.diff(tree.line[first:last]))
    found = []
    for a, b in pairwise((first, *starts.tolist(), last)):
        text = "".join(tree.texts[k] for k in range(a, b) if not unseen[k])
        if 0 < len(text := " ".join(text.split())) <= LONGEST_FACT:
            found.append(_Line(a, b, text))
    return found


def _prices_below(tree: PageTree, name: int, lines: list[_Line]) -> list[_Line]:
    """Return the lines soon after a name that say an amount and its currency."""
    below = [line for line in lines if tree.text_nodes[line.first] > name][:LINES_AFTER]
    return [line for line in below if _is_price(line.text) and any(_amounts(line.text))]


def _is_price(text: str) -> bool:
    """Return whether a short line says an amount and its currency.

    >>> _is_price("Preis: 18,90 €"), _is_price("12 990 руб."), _is_price("10 pieces")
    (True, True, False)
    >>> _is_price("Orders that come to more than 50 € are free of postage")
    False
    """
    return len(text) <= LONGEST_PRICE and any(currencies_in(text))


def _amounts(text: str) -> set[Decimal]:
    """Return the amounts that a line says, whatever separates thousands and decimals.

    >>> [sorted(map(str, _amounts(text))) for text in ("Now $1.299,00", "3 for 152,900", "1 299:-", "2 1250")]
    [['1299.00', '129900'], ['152900', '3'], ['1299'], ['1250', '2']]
    """
    found = set()
    for number in _AMOUNT.findall(text):
        parts = re.findall(r"\d+", number)
        found.add(Decimal("".join(parts)))
        if len(parts) > 1 and len(parts[-1]) < 3:
            found.add(Decimal("".join(parts[:-1]) + "." + parts[-1]))
    return found
