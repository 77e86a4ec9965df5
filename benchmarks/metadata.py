"""How often a page's title, author and date are found, and how often one is given where there is none; and what is said of products.

Title, author and date are compared with gold, beside trafilatura and, for dates, htmldate. How well dates are read in each language is
measured on those that CLDR's forms give (babel), beside dateparser. There is no gold for products: what tamis says of a page's product
is compared with what
extruct, which reads all of JSON-LD and microdata, finds stated on it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from typer import Argument

import tamis
from benchmarks.command import Limit, bench
from benchmarks.gold import read_records
from benchmarks.report import Report, Table
from benchmarks.timing import Progress, unseen
from tamis.document.metadata.dates import read_date
from tamis.document.metadata.product import price_of
from tamis.errors import SourceError, needs_extra
from tamis.page.decode import decode
from tamis.page.parsing import read_file

Field = Literal["title", "author", "date"]
PRODUCT_FIELDS = ("name", "price", "currency", "availability", "brand", "id", "rating")

LANGUAGES = (
    "en es de fr pt ru it ja zh nl pl tr cs sv fa vi id uk ko hu ro el da fi ar he sk bg hr sr nb th ca lt lv sl et hi ms bn ta ur te mr"
).split()
"""Languages whose dates are read."""
DAYS = (date(2024, 5, 3), date(2023, 11, 12), date(2021, 1, 31), date(2018, 10, 10))

_WORD = re.compile(r"\w+")
_LEADING = re.compile(r"^\s*(?:by|von|par|por)\s+", re.IGNORECASE)
_CONNECTIVES = frozenset(("and", "und", "et", "y"))


@dataclass(frozen=True, slots=True)
class FieldScore:
    """Counts over pages; an empty string counts as nothing said."""

    pages: int  #: All pages.
    with_gold: int  #: Pages whose gold has a value.
    exact: int  #: Of these, pages where the predicted value is the gold, letter for letter.
    right: int  #: Of these, pages where it is the same after :func:`normalise`.
    given: int  #: Of these, pages where a value is predicted at all.
    invented: int
    """Pages whose gold has no value where one is predicted. Gold may be silent on what the page does say, so this is no error rate."""

    @property
    def accuracy(self) -> float:
        """Share of the pages with gold where the normalised value is right, 0..1."""
        return self.right / self.with_gold if self.with_gold else 0.0

    @property
    def exact_accuracy(self) -> float:
        """Share of the pages with gold where the value is the gold to the letter, 0..1."""
        return self.exact / self.with_gold if self.with_gold else 0.0

    @property
    def precision(self) -> float:
        """Share of the values given on pages with gold that are right after normalisation, 0..1."""
        return self.right / self.given if self.given else 0.0


def score_metadata(pairs: Iterable[tuple[str | None, str | None]], field: Field) -> FieldScore:
    """Compare predicted with gold values of one field.

    Args:
        pairs: (predicted, gold), one pair a page; None or an empty string where there is no value.
        field: decides how values are normalised.

    >>> score_metadata([("By Ann Lee", "Ann Lee"), (None, "Bo"), ("Site", None)], "author").accuracy
    0.5
    """
    pages = with_gold = exact = right = given = invented = 0
    same = normalise(field)
    for said, true in pairs:
        pages += 1
        predicted, gold = (said or "").strip(), (true or "").strip()
        if not gold:
            invented += bool(predicted)
            continue
        with_gold += 1
        given += bool(predicted)
        compared = predicted[: len(gold)] if field == "date" else predicted
        exact += compared == gold
        right += bool(predicted) and same(compared) == same(gold)
    return FieldScore(pages, with_gold, exact, right, given, invented)


def normalise(field: Field) -> Callable[[str], object]:
    """What two values of a field have in common where they say the same.

    - title: the words (``\\w+``) in their order, case and width ignored;
    - author: the words in any order, without a leading "by" and without "and", so that ``A; B`` is ``B and A``;
    - date: the value itself. A predicted date is cut to the length of the gold before any comparison: the day decides, not the time.
    """
    if field == "title":
        return _words
    if field == "author":
        return lambda value: sorted(word for word in _words(_LEADING.sub("", value)) if word not in _CONNECTIVES)
    return str.strip


def _words(value: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", value).casefold())


@dataclass(frozen=True, slots=True)
class ProductScore:
    """One field of products."""

    stated: int  #: Pages on which extruct finds it stated of a product.
    given: int  #: Of these, pages for which tamis gives a value.
    same: int  #: Of these, pages for which it is one of the stated values.


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    fields: dict[str, dict[str, FieldScore]]  #: By tool, then by field.
    products: dict[str, ProductScore]
    languages: list[tuple[str, int, int, int]]  #: A language, dates written in its forms; of these, those that tamis and dateparser read.
    differing: list[tuple[str, str, str | None, list[str]]]
    """Page, field, what tamis says of the product, and what is stated, where these differ."""


def run(
    folder: Annotated[Path, Argument(help="Single pages with gold (gold.jsonl.gz and html/).")],
    *,
    limit: Limit = None,
    progress: Progress = unseen,
) -> Result:
    """Title, author and date against gold, beside trafilatura and htmldate; products beside extruct; forms of dates beside dateparser."""
    if not (folder / "gold.jsonl.gz").is_file():
        raise SourceError(f"no gold in {folder}: it needs a gold.jsonl.gz")
    with needs_extra("comparing metadata", "bench"):
        read_other, read_stated = import_module("trafilatura").extract_metadata, import_module("extruct").extract
        find_date = import_module("htmldate").find_date
    chosen = read_records(folder, limit)
    pairs: defaultdict[tuple[str, Field], list[tuple[str | None, str | None]]] = defaultdict(list)
    products: defaultdict[str, list[tuple[str | None, set[str]]]] = defaultdict(list)
    differing = []
    for done, record in enumerate(chosen):
        html, url = decode(read_file(folder / "html" / f"{record['id']}.html.gz")), record.get("url")
        ours, theirs = tamis.extract(html, url=url).metadata, read_other(html, default_url=url)
        for field in get_args(Field):
            true = record.get("publish_date" if field == "date" else field)
            pairs["tamis", field].append((getattr(ours, field), true))
            pairs["trafilatura", field].append((getattr(theirs, field, None), true))
        pairs["htmldate", "date"].append((find_date(html, original_date=True, url=url), record.get("publish_date")))
        said = _said(ours.product)
        for name, values in _stated(read_stated, html).items():
            products[name].append((said.get(name), values))
            if said.get(name) not in values:
                differing.append((record["id"], name, said.get(name), sorted(values)))
        progress(done + 1, len(chosen))
    fields: dict[str, dict[str, FieldScore]] = {"tamis": {}, "trafilatura": {}, "htmldate": {}}
    for (tool, field), values_of in pairs.items():
        fields[tool][field] = score_metadata(values_of, field)
    counted = {
        name: ProductScore(len(each), sum(said is not None for said, _ in each), sum(said in values for said, values in each))
        for name, each in products.items()
    }
    return Result(fields, {name: counted[name] for name in PRODUCT_FIELDS if name in counted}, read_in_languages(), differing)


def read_in_languages() -> list[tuple[str, int, int, int]]:
    """For each language, the dates that its forms give, and how many of these tamis and dateparser read."""
    with needs_extra("dates of languages", "bench"):
        format_date, parse = import_module("babel.dates").format_date, import_module("dateparser").parse
    found = []
    for language in LANGUAGES:
        written = [(day, format_date(day, form, locale=language)) for day in DAYS for form in ("full", "long", "medium")]
        ours = sum((read_date(text, language) or "")[:10] == day.isoformat() for day, text in written)
        theirs = 0
        for day, text in written:
            with suppress(ValueError):  # a language that it does not know
                theirs += (said := parse(text, languages=[language])) is not None and said.date() == day
        found.append((language, len(written), ours, theirs))
    return found


def _said(product: tamis.document.metadata.Product | None) -> dict[str, str | None]:
    if product is None:
        return {}
    values = {name: getattr(product, name, None) for name in PRODUCT_FIELDS} | {"id": next(iter(product.ids.values()), None)}
    return {name: _alike(name, value) for name, value in values.items()}


def _stated(read: Callable[..., Mapping[str, list[Any]]], html: str) -> dict[str, set[str]]:
    """The values that a page's products have in JSON-LD and microdata, by field; nothing where it has several products by name."""
    try:
        found = read(html, syntaxes=["json-ld", "microdata"], uniform=True, errors="ignore")
    except Exception:  # whatever the tool makes of the page, there is nothing to compare with
        return {}
    products = [
        thing for things in found.values() for thing in _things(things) if "product" in str(thing.get("@type", "")).lower().split("/")[-1]
    ]
    if len({str(product.get("name")) for product in products}) != 1:
        return {}
    stated: defaultdict[str, set[str]] = defaultdict(set)
    for product in products:
        for offer in [*_things(product.get("offers")), {}]:
            values = {
                "name": product.get("name"),
                "price": offer.get("price") or offer.get("lowPrice"),
                "currency": offer.get("priceCurrency"),
                "availability": offer.get("availability"),
                "brand": product.get("brand"),
                "rating": next(iter(_things(product.get("aggregateRating"))), {}).get("ratingValue"),
            }
            for name, value in values.items():
                if (text := _alike(name, value)) is not None:
                    stated[name].add(text)
            for name in ("sku", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "isbn", "productID"):
                for value in (product.get(name), offer.get(name)):
                    if (text := _alike("id", value)) is not None:
                        stated["id"].add(text)
    return dict(stated)


def _things(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a property, and in a ``@graph``."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            yield each
            yield from _things(each.get("@graph"))


def _alike(name: str, value: Any) -> str | None:
    """A value in the form that is compared."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value")
    text = " ".join(str(value).split()) if value is not None else ""
    if name in ("price", "rating"):
        number = price_of(text)
        return f"{float(number):g}" if number else None
    if name == "availability":
        text = re.split(r"[/:#]", text)[-1]
    return " ".join(_words(text)) or None


# -- report -----------------------------------------------------------------------------------------------------------------


def report(result: Result) -> Report:
    """One row for each field and tool, and one for each field of products."""
    rows = [
        (name, tool, score.with_gold, score.accuracy, score.exact_accuracy, score.precision, score.invented)
        for name in ("title", "author", "date")
        for tool, fields in result.fields.items()
        if (score := fields.get(name)) is not None
    ]
    columns = "field; tool; pages with gold; right|.3f; to the letter|.3f; right of those given|.3f; given without gold"
    tables = [Table("metadata", columns, rows)]
    products = [(name, score.stated, score.given, score.same) for name, score in result.products.items()]
    tables.append(Table("products", "field; pages that state it; given; one of the stated values", products))
    written, ours, theirs = map(sum, zip(*(row[1:] for row in result.languages), strict=True))
    rows_of_languages = [("all", written, ours, theirs), *result.languages]
    tables.append(Table("dates of languages", "language; dates; read by tamis; by dateparser", rows_of_languages))
    return Report(tables)


command = bench(run, report, "pages")
