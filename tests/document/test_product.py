from __future__ import annotations

import pytest

from tamis import parse
from tamis.document.metadata import read_metadata
from tamis.document.metadata.cldr import currency_of

JSON_LD = """<script type="application/ld+json">{"@type": "Product", "name": "Kettle", "sku": "K-1", "gtin13": "4006381333931",
"brand": {"@type": "Brand", "name": "Lantern"}, "aggregateRating": {"ratingValue": "4,5", "reviewCount": 12},
"offers": [{"@type": "Offer", "price": 39.9, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}]}</script>"""
MICRODATA = """<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Kettle</h1><div itemprop=offers itemscope>
<span itemprop=price content="39.90">39,90 €</span><meta itemprop=priceCurrency content=EUR><link itemprop=availability href="http://schema.org/InStock">
</div><span itemprop=sku>K-1</span></div>"""
GRAPH = """<meta property="og:title" content="Kettle"><meta property="product:price:amount" content="39.90">
<meta property="product:price:currency" content="EUR"><meta property="product:availability" content="InStock">"""


REFERRED = """<script type="application/ld+json">{"@graph": [{"@type": "Product", "name": "Kettle", "offers": {"@id": "#o"}},
{"@type": "Offer", "@id": "#o", "price": 39.9, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}]}</script>"""


@pytest.mark.parametrize(("page", "source"), [(JSON_LD, "json-ld"), (REFERRED, "json-ld"), (MICRODATA, "microdata"), (GRAPH, "meta")])
def test_a_product_as_pages_state_it(page, source):
    found = read_metadata(parse(page)).product
    assert found is not None
    assert (found.name, found.currency, found.availability, found.source) == ("Kettle", "EUR", "InStock", source)
    assert float(found.price or 0) == 39.9


def test_the_only_item_of_type_product_is_read_whatever_its_parts_are_called():
    found = read_metadata(parse(MICRODATA.replace("itemprop=offers", 'itemprop=offers class="sidebar"'))).product
    assert found is not None
    assert (found.price, found.currency, found.availability) == ("39.90", "EUR", "InStock")


def test_the_first_offer_may_be_empty():
    found = read_metadata(parse(JSON_LD.replace('"offers": [', '"offers": [null, '))).product
    assert found is not None
    assert found.price == "39.9"


def test_brand_ids_and_rating():
    found = read_metadata(parse(JSON_LD)).product
    assert found is not None
    assert (found.brand, found.rating, found.ratings) == ("Lantern", 4.5, 12)
    assert found.ids == {"sku": "K-1", "gtin13": "4006381333931"}
    assert read_metadata(parse(JSON_LD)).to_dict()["product"]["ids"]["sku"] == "K-1"


def test_no_product_where_none_or_many_are_stated():
    assert read_metadata(parse("<h1>Reeds</h1><p>Price: 3 €")).product is None
    many = "".join(f'<script type="application/ld+json">{{"@type": "Product", "name": "{k}"}}</script>' for k in range(4))
    assert read_metadata(parse(many)).product is None
    assert "product" not in read_metadata(parse("<p>One")).to_dict()


@pytest.mark.parametrize("value", ["null", "[]", "{}", '"x"', "7", '[{"price": {}}]', '{"@id": "#o"}'])
def test_odd_offers_never_raise(value):
    page = f'<script type="application/ld+json">{{"@type": "Product", "name": "K", "offers": {value}}}</script>'
    found = read_metadata(parse(page)).product
    assert found is not None
    assert found.price is None


def test_what_is_too_long_is_left_out_and_not_cut_to_another_value():
    number = "9" * 1_500
    given = (
        f'"sku": {number}, "mpn": "K-1", "offers": {{"price": {number}}}, "aggregateRating": {{"ratingValue": 4, "reviewCount": {number}}}'
    )
    found = read_metadata(parse(f'<script type="application/ld+json">{{"@type": "Product", "name": "K", {given}}}</script>')).product
    assert found is not None
    assert (found.price, found.ratings, dict(found.ids)) == (None, None, {"mpn": "K-1"})


def test_a_group_without_an_offer_has_that_of_its_cheapest_variant():
    variants = ", ".join(f'{{"name": "Kettle {k}", "offers": {{"price": "{k}.50", "priceCurrency": "EUR"}}}}' for k in (49, 9, 30))
    found = read_metadata(
        parse(
            f'<script type="application/ld+json">{{"@type": "ProductGroup", "name": "Kettle", "hasVariant": [null, {variants}]}}</script>'
        )
    ).product
    assert found is not None
    assert (found.name, found.price, found.currency) == ("Kettle", "9.50", "EUR")


@pytest.mark.parametrize(
    ("offer", "price", "currency"),
    [
        ('"price": "Rp 1.450.000"', "1450000", "IDR"),
        ('"price": "3.490 Ft"', "3490", "HUF"),
        ('"price": "45.000", "priceCurrency": "VND"', "45000", "VND"),
        ('"price": "45.500", "priceCurrency": "KWD"', "45.500", "KWD"),
        ('"price": 45.5, "priceCurrency": "KWD"', "45.5", "KWD"),
        ('"price": "2.499,-", "priceCurrency": "EUR"', "2499", "EUR"),
        ('"price": "7€ 50"', "7.50", "EUR"),
        ('"price": "£.99"', "0.99", "GBP"),
        ('"price": "CHF 1\'250.00"', "1250.00", "CHF"),
        ('"price": "2 490 Kč"', "2490", "CZK"),
        ('"price": "2 490 грн."', "2490", "UAH"),
        ('"price": "NZ$ 24.90"', "24.90", "NZD"),
        ('"price": "HK$24.90"', "24.90", "HKD"),
        ('"price": "89,90 zł"', "89.90", "PLN"),
        ('"price": "89,90", "priceCurrency": "zł"', "89.90", "PLN"),
        ('"price": "89.90", "priceCurrency": "usd"', "89.90", "USD"),
        ('"price": "249 kr"', "249", "SEK"),
        ('"price": "R$ 1.249,90"', "1249.90", "BRL"),
        ('"price": "2.490.000đ"', "2490000", "VND"),
        ('"price": "1 299:-"', "1299", "SEK"),
        ('"price": "CHF 1’250.50"', "1250.50", "CHF"),
        ('"price": "S/ 49.90"', "49.90", "PEN"),
        ('"price": "149元"', "149", "CNY"),
        ('"price": "14,900원"', "14900", "KRW"),
        ('"price": "₨ 4,900"', "4900", "INR"),
        ('"price": "49.90 now"', "49.90", None),
        ('"price": "on request"', None, None),
    ],
)
def test_prices_as_shops_write_them(offer: str, price: str | None, currency: str | None):
    page = f'<html lang=sv><script type="application/ld+json">{{"@type": "Product", "name": "K", "offers": {{{offer}}}}}</script>'
    found = read_metadata(parse(page)).product
    assert found is not None
    assert (found.price, found.currency) == (price, currency)


@pytest.mark.parametrize(
    ("shown", "price"),
    [
        ("<s>31.00</s> <b>24.50</b>", "24.50"),
        ("<del><span>€31.00</span></del><ins>€24.50</ins>", "24.50"),
        ("<del>31.00</del>", "31.00"),
        ("<b>24</b><sup>50</sup> €", "24.50"),
        ("€ 7<sup>99</sup>", "7.99"),
        ("7.99<sup>*</sup>", "7.99"),
        ("7.99<sup>2</sup>", "7.99"),
    ],
)
def test_cents_may_be_raised_and_former_prices_are_struck_out(shown: str, price: str):
    page = f"<div itemscope itemtype='http://schema.org/Product'><b itemprop=name>K</b><p itemprop=price>{shown}</p>"
    found = read_metadata(parse(page)).product
    assert found is not None
    assert found.price == price


@pytest.mark.parametrize(
    ("text", "count"),
    [("4,7 von 5 (1.204 Bewertungen)", 1204), ("(18)", 18), ("18 ratings: 4.5/5", 18), ("4.8 / 5 · 18 avis", 18), ("-", None)],
)
def test_ratings_are_counted_beside_the_mean_one(text: str, count: int | None):
    parts = f"<b itemprop=name>K</b><i itemprop=price>3</i><u itemprop=reviewCount>{text}</u>"
    page = f"<div itemscope itemtype='http://schema.org/Product'>{parts}"
    found = read_metadata(parse(page)).product
    assert found is not None
    assert found.ratings == count


@pytest.mark.parametrize("kind", ["TheaterEvent", "LodgingBusiness", "Invoice", "Course"])
def test_what_is_sold_with_an_event_a_room_or_a_bill_is_no_product(kind: str):
    parts = "<b itemprop=name>K</b><p itemprop=offers itemscope><i itemprop=price>3</i></p>"
    page = f"<div itemscope itemtype='https://schema.org/{kind}'>{parts}</div>"
    assert read_metadata(parse(page)).product is None


def test_pages_call_norwegian_no():
    assert currency_of("kr", "no") == currency_of("kr", "nb") == "NOK"


def test_wide_signs_are_those_of_the_language():
    assert [currency_of(sign, language) for sign in "¥￥" for language in ("ja", "zh-CN")] == ["JPY", "CNY"] * 2


SHOWN = """<html lang={language}><title>Kettle of steel - Lantern</title><div><h1>Kettle of steel</h1>{price}
<form action=/cart><button>Add</button></form></div>
<p>It holds a litre and a half of water, and its handle stays cold on any stove."""


@pytest.mark.parametrize(
    ("price", "language", "value", "currency"),
    [
        ("<p>39,90 €</p>", "de", "39.90", "EUR"),
        ("<p class=price>¥358.00</p>", "zh", "358.00", "CNY"),
        ("<p class=price><del>$ 50.00</del> <ins>$ 39.90</ins></p>", "en", "39.90", "USD"),
        ("<p class=price>Before: <s>$ 50.00</s></p><p class=price>Now: $ 39.90</p>", "en", "39.90", "USD"),
        ("<p class=price>السعر 950 ر.س</p>", "ar", "950", "SAR"),
    ],
)
def test_a_price_that_is_only_shown_is_read_beside_a_way_to_the_cart(price, language, value, currency):
    page = SHOWN.format(language=language, price=price)
    found = read_metadata(parse(page)).product
    assert found is not None
    assert (found.name, found.price, found.currency, found.source) == ("Kettle of steel", value, currency, "page")
    assert read_metadata(parse(page.replace("/cart", "/vote"))).product is None


def test_a_stated_product_without_a_price_has_the_one_that_is_shown():
    stated = '<script type="application/ld+json">{"@type": "Product", "name": "Kettle of steel", "brand": "Lantern"}</script>'
    found = read_metadata(parse(SHOWN.format(language="en", price="<p>$ 39.90</p>") + stated)).product
    assert found is not None
    assert (found.brand, found.price, found.currency, found.source) == ("Lantern", "39.90", "USD", "page")


def test_goods_below_an_article_are_not_what_it_is_about():
    text = "<p>Whoever boils water every morning soon knows which kettle sings and which one only hisses.</p>" * 20
    page = SHOWN.format(language="en", price=text + "<p class=price>$ 39.90</p>")
    assert read_metadata(parse(page)).product is None
