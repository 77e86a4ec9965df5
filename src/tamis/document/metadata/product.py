"""Read the product that a page states: from JSON-LD first, then microdata, then Open Graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.document.metadata.candidates import Candidates
from tamis.document.metadata.cldr import currency_of, decimals_of
from tamis.document.metadata.clean_text import comparison_key, line
from tamis.document.metadata.json_ld import Thing, resolve, types_of, words_of
from tamis.page import tags
from tamis.page.caching import of_page
from tamis.page.lexicon import currencies_in, entries
from tamis.page.microdata import kind_of
from tamis.page.tree import PageTree

if TYPE_CHECKING:
    from price_parser import Price

_TYPES = frozenset("product productgroup productmodel individualproduct vehicle car book".split())
_NEUTRAL = re.compile("offer|price|page$|itemlist|listitem|thing")  #: Types of items that may be of a product.
_IDS = "sku mpn gtin gtin8 gtin12 gtin13 gtin14 isbn productID".split()
_NUMBER = re.compile(r"\d[\d\s.,'\u00a0\u202f]*")
_TEN_THOUSAND = ("万", "萬", "만")  #: Behind a number.
_RATING = re.compile(r"\d{1,3}(?:[.,]\d+)?(?!\d)")
_LONGEST = 100  #: Characters of a price or an identifier; longer ones are ignored, since their first characters would be another value.
_OF_PROGRAM = re.compile(r"\d+(?:\.\d+)?")  #: A number as programs write it.
_GROUPED = re.compile(r"[1-9]\d{0,2}\.\d{3}")  #: It may have a point before thousands as well: most currencies have two decimals or none.
_MEAN = re.compile(r"(?<!\d)\d(?:(?:[.,]\d{1,2})?\s?(?:/|[^\W\d_]{1,3}(?:\sof)?)\s?(?:5|10|100)\b|[.,]\d{1,2}(?!\d))")  #: "4.5/5", "4.5".
_COUNT = re.compile(r"\d{1,3}(?:[.,'\s]\d{3})+(?!\d)|\d+")
_SUP, _STRUCK = tags.CODE["sup"], tags.lookup(tags.codes("del s strike"))
_AVAILABILITY = {name.lower(): name for name in entries("availability")}
_AVAILABILITY |= {"outstock": "OutOfStock", "available": "InStock", "oos": "OutOfStock", "availablefororder": "BackOrder"}
"""Names of availability in lower-case letters."""
_PROPERTIES = (*"name price lowprice pricecurrency availability brand ratingvalue reviewcount ratingcount".split(), *map(str.lower, _IDS))
"""Properties of microdata that are read."""
_META = {
    "name": ("og:title",),
    "price": ("product:price:amount", "og:price:amount", "product:sale_price:amount"),
    "pricecurrency": ("product:price:currency", "og:price:currency"),
    "availability": ("product:availability", "og:availability"),
    "brand": ("product:brand", "og:brand"),
    "sku": ("product:retailer_item_id",),
    "isbn": ("book:isbn",),
}
"""``meta`` tags by what they say."""


@dataclass(frozen=True, slots=True)
class Product:
    """A product; None if the page does not say."""

    name: str | None = None
    price: str | None = None  #: A decimal number such as ``1299.00``; of a range, the lowest price.
    currency: str | None = None  #: ISO 4217, such as ``EUR``.
    availability: str | None = None  #: As schema.org names it: ``InStock``, ``OutOfStock``, ``PreOrder``, ...
    brand: str | None = None
    ids: Mapping[str, str] = field(default_factory=dict, hash=False)
    """``sku``, ``gtin13``, ``mpn``, ``isbn``, ... as far as they are stated."""
    rating: float | None = None  #: Mean rating as stated.
    ratings: int | None = None  #: Number of ratings or reviews.
    source: str = ""  #: Source of the price, or else of the name: ``json-ld``, ``microdata``, ``meta`` or ``page``.

    def to_dict(self) -> dict[str, Any]:
        """Return the product as plain values."""
        return asdict(self) | {"ids": dict(self.ids)}


@of_page
def stated_product(page: Candidates) -> Product | None:
    """Return the product that a page states."""
    found: dict[str, tuple[str, str]] = {}
    for source, values in (
        ("json-ld", _stated_products(page.things, page.by_id)),
        ("microdata", _marked_values(page)),
        ("meta", _declared_product(page)),
    ):
        if not (found or "price" in values or source == "json-ld"):
            continue
        for name, value in values.items():
            if value and name not in found:
                found[name] = (value, source)
    values = {name: value for name, (value, _) in found.items()}
    if not (values.get("price") or values.get("name")):
        return None
    currency = currency_of(values.get("pricecurrency", ""), page.language_tag) or currency_in(values.get("price", ""), page.language_tag)
    rating = _RATING.search(values.get("ratingvalue", "")[:_LONGEST])
    return Product(
        name=line(values.get("name", ""), 500) or None,
        price=price_of(values.get("price", ""), currency),
        currency=currency,
        availability=_availability(values.get("availability", "")),
        brand=line(values.get("brand", ""), 200) or None,
        ids=_identifiers(values),
        rating=float(rating[0].replace(",", ".")) if rating else None,
        ratings=_count_of(values.get("ratings", "")),
        source=found.get("price", found.get("name", ("", "")))[1],
    )


def _identifiers(values: Mapping[str, str]) -> dict[str, str]:
    found = {name: line(values.get(name.lower(), "")) for name in _IDS}
    return {name: value for name, value in found.items() if value and len(value) <= _LONGEST}


def price_of(text: str, currency: str | None = None) -> str | None:
    """Return a price as a decimal number, with any separators. ``currency``: its code, which tells the number of decimals.

    >>> price_of("1.299,00 €"), price_of("$1,299"), price_of("9.5"), price_of("1'000.50"), price_of("free")
    ('1299.00', '1299', '9.5', '1000.50', None)
    >>> price_of("12.500"), price_of("12.500", "KWD"), price_of("1299.000"), price_of("1.899,-"), price_of("35€ 99"), price_of("1.28万元")
    ('12500', '12.500', '1299.000', '1899', '35.99', '12800.00')
    """
    text = text.strip()[:200].replace("\u2019", "'")
    number = _NUMBER.search(text)
    if number is None or len(number[0]) > _LONGEST:
        return None
    if _OF_PROGRAM.fullmatch(text) and not (_GROUPED.fullmatch(text) and decimals_of(currency) < 3):
        return text
    amount = _money(text).amount
    if amount is not None and text[number.end() :].startswith(_TEN_THOUSAND):
        amount *= 10_000
    return None if amount is None else f"{amount:f}"


def _money(text: str) -> Price:
    from price_parser import Price  # takes longer than the rest of the room

    return Price.fromstring(text)


def _count_of(text: str) -> int | None:
    """Return the number of ratings in a text, which may also state their mean.

    >>> _count_of("4.5/5 (1,023 reviews)"), _count_of("12 reviews, 4.5 of 5 stars"), _count_of("7"), _count_of("none")
    (1023, 12, 7, None)
    """
    counts = [re.sub(r"\D", "", count) for count in _COUNT.findall(_MEAN.sub(" ", text[:200]))]
    return int(counts[0]) if counts and len(counts[0]) < 10 else None


def _availability(stated: str) -> str | None:
    """Return a stated availability as schema.org names it; other words as they are."""
    said = line(re.split(r"[/:#]", stated[:_LONGEST])[-1])
    return _AVAILABILITY.get(comparison_key(said), said) if said else None


def currency_in(price: str, language: str | None) -> str | None:
    """Return the code of the currency of a price."""
    price = price[:200]
    beside = _NUMBER.sub("", price).strip().lstrip("".join(_TEN_THOUSAND))
    word = beside.isascii() and beside.isalpha()
    shown = _money(price).currency or next(currencies_in(price), "") or ("kr" if beside == ":-" else "" if word else beside)
    return currency_of(shown, language) if shown else None


def _stated_products(things: Iterable[Thing], by_id: dict[str, Thing]) -> dict[str, str]:
    products = [_with_parts(thing, by_id) for thing in things if _TYPES.intersection(types_of(thing))]
    names = {tuple(words_of(thing.get("name"))) for thing in products}
    if not products or (len(names) > 1 and len(products) > 2 and "productgroup" not in types_of(products[0])):
        return {}  # a list of products
    values: dict[str, str] = {}
    for thing in products:
        offer = _offer(thing)
        specification = _object(offer.get("priceSpecification"))
        rating = _object(thing.get("aggregateRating"))
        stated = {
            "name": thing.get("name"),
            "price": offer.get("price") or offer.get("lowPrice") or specification.get("price"),
            "pricecurrency": offer.get("priceCurrency") or specification.get("priceCurrency"),
            "availability": offer.get("availability"),
            "brand": thing.get("brand") or thing.get("manufacturer"),
            "ratingvalue": rating.get("ratingValue"),
            "ratings": rating.get("reviewCount") or rating.get("ratingCount"),
            **{name.lower(): thing.get(name) or offer.get(name) for name in _IDS},
        }
        for name, value in stated.items():
            if (text := _first_text(value)) and name not in values:
                values[name] = text
    return values


def _with_parts(thing: Thing, by_id: dict[str, Thing]) -> Thing:
    """Return a product with the things that its properties refer to in their place."""
    return thing | {name: resolve(thing[name], by_id) for name in ("offers", "hasVariant", "aggregateRating", "brand") if name in thing}


def _offer(thing: Thing) -> Thing:
    """Return the offer of a product; of a group without one the cheapest of its variants."""
    variants = thing.get("hasVariant")
    if (own := _object(thing.get("offers"))) or not isinstance(variants, list):
        return own
    offers = [_object(each.get("offers")) for each in variants if isinstance(each, dict)]
    priced = [(price, offer) for offer in offers if (price := price_of(_first_text(offer.get("price") or offer.get("lowPrice"))))]
    return min(priced, key=lambda each: float(each[0]), default=("", {}))[1]


def _object(value: Any) -> Thing:
    if isinstance(value, list):
        value = next((each for each in value if isinstance(each, dict)), None)
    return value if isinstance(value, dict) else {}


def _first_text(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return next(iter(words_of(value, ("@value", "name", "@id"))), "")


def _marked_values(page: Candidates) -> dict[str, str]:
    values: dict[str, str] = {}
    shown = page.shown
    scope = shown.only_item("product")
    priced = [node for name in ("price", "lowprice") for node in islice(shown.marked(f"itemprop={name}", scope), 1)]
    if not priced or _is_of_other(page, priced[0]):
        return values
    for name in _PROPERTIES:
        node = next(shown.marked(f"itemprop={name}", scope), None)
        if node is not None:
            attributes = shown.tree.attributes[node]
            said = price_in(shown.tree, *shown.tree.texts_below(node)) if "price" in name else ""
            values[name] = attributes.get("content") or attributes.get("href") or said or next(iter(shown.says(node)), "")
    values.setdefault("price", values.pop("lowprice", ""))
    values["ratings"] = values.pop("reviewcount", "") or values.pop("ratingcount", "")
    return values


def price_in(tree: PageTree, first: int, last: int) -> str:
    """Return what the texts of a price say: a former one left out, a point before raised cents, without the raised number of a note."""
    shown = np.arange(first, last)
    said, shown = "", shown[~tree.subtree_mask(tree.tagged(_STRUCK))[tree.text_nodes[shown]]]
    for k, above in zip(shown.tolist(), tree.tag[tree.parent[tree.text_nodes[shown]]].tolist(), strict=True):
        text = tree.texts[k]
        raised = above == _SUP and text.isdecimal() and said[-1:].isdecimal()
        said += text if not raised else f".{text}" if len(text) == 2 else ""
    return said


def _is_of_other(page: Candidates, node: int) -> bool:
    """Return whether an element is part of an item that is not a product, such as an event or an invoice."""
    types = (page.tree.attribute(above, "itemtype") for above in page.tree.ancestors(node))
    kinds = (kind_of(name) for name in types if name)
    return next((kind not in _TYPES for kind in kinds if not _NEUTRAL.search(kind)), False)


def _declared_product(page: Candidates) -> dict[str, str]:
    said = {name: [page.declared[f"meta:{tag}"][0] for tag in names if f"meta:{tag}" in page.declared] for name, names in _META.items()}
    return {name: values[0] for name, values in said.items() if values} if said["price"] else {}
