"""The text of a product's page has its name, price, author, brand and availability; that of a list of products has no more than before."""

from __future__ import annotations

import json

import pytest

from tamis import extract
from tamis.document.goods import GOODS

ABOUT = "<p>This reed grows in shallow water all over the north, and whoever cuts it in winter has it grow again in spring.</p>" * 2
MENU = "<nav><a href=/>Home</a> <a href=/reeds>Reeds</a></nav>"
CARD = "<li><a href=/r><h3>Other reed</h3></a><span class=price>$ 9.00</span><button class=add-to-cart>Add</button>"
FORM = (
    "<form action=/cart><h1>Common reed</h1><p class=byline>by Ann Brook</p><div class=price-box>$ 1,204.50</div>"
    "<p class=stock>In stock</p><button class=add-to-cart>Add</button></form>"
)


def shop(product: str, more: str = "", title: str = "Common reed - Reeds and more") -> str:
    return f"<html><head><title>{title}</title>{more}</head><body>{MENU}<main>{product}{ABOUT}<ul>{CARD * 6}</ul></main></body></html>"


def facts(page: str) -> list[str]:
    return [block.text for block in extract(page).blocks if block.reason == GOODS]


def stated(**offer: str) -> str:
    product = {"@type": "Product", "name": "Common reed", "brand": {"name": "Brook & Sons"}, "offers": {"@type": "Offer", **offer}}
    return f"<script type=application/ld+json>{json.dumps(product)}</script>"


def test_what_the_page_shows_beside_a_cart_is_kept():
    text = extract(shop(FORM)).text
    assert text.startswith("Common reed\nby Ann Brook\n$ 1,204.50\nIn stock\nThis reed")
    assert "Other reed" not in text
    assert "9.00" not in text


@pytest.mark.parametrize("name", ["product__inventory", "item-marca", "disponibilite", "kucun"])
def test_a_fact_is_known_by_the_name_of_its_element_in_several_languages(name):
    assert "\n12 left\nThis reed" in extract(shop(FORM.replace("<button", f"<p class={name}>12 left</p><button"))).text


def test_a_price_in_the_head_says_that_the_page_is_of_a_product():
    amount = "<meta property=og:type content=product><meta property=product:price:amount content=1204.50>"
    product = "<div><h1>Common reed</h1><b>$1,204.50</b></div>"
    assert "Common reed\n$1,204.50\nThis reed" in extract(shop(product, amount)).text
    assert "1,204.50" not in extract(shop(product)).text


@pytest.mark.parametrize("price", ["1204.50", "1204.5"])
def test_a_stated_price_is_found_however_it_is_written(price):
    product = "<div><h2>Common reed</h2><p>Brook & Sons</p><span>1.204,50 €</span></div>"
    text = extract(shop(product, stated(price=price, priceCurrency="EUR"))).text
    assert "Common reed\nBrook & Sons\n1.204,50 €\nThis reed" in text


@pytest.mark.parametrize(
    ("price", "shown"), [("1299.00", "1 299:-"), ("12990", "12\u202f990 Ft"), ("1250000", "Rp 1 250 000"), ("0", "$ 0")]
)
def test_thousands_may_have_blanks_between_them(price, shown):
    product = f"<div><h2>Common reed</h2><span class=price>{shown}</span></div>"
    assert f"Common reed\n{' '.join(shown.split())}\n" in " ".join(extract(shop(product, stated(price=price))).text.split(" "))


@pytest.mark.parametrize("shown", ["Free to play", "Gratis", "無料"])
def test_what_costs_nothing_may_say_so_in_words(shown):
    product = f"<div class=sidebar><h2>Common reed</h2><p class=price>{shown}</p><p class=price>$ 4.00</p></div>"
    assert facts(shop(product, stated(price="0.00")))[-1] == shown


def test_a_stated_product_without_a_shown_price_has_its_name():
    product = "<div><h1><a href=/b>Brook</a> <span>Common reed</span></h1><div>Add to list</div></div>"
    assert "Common reed" in extract(shop(product, stated(price="12.00"), "Brook Common reed")).text


def test_where_another_price_is_shown_than_stated_the_one_beside_the_cart_is_kept():
    assert extract(shop(FORM, stated(price="999.00"))).text.startswith("Common reed\nby Ann Brook\n$ 1,204.50\n")
    without_cart = FORM.replace("add-to-cart", "more").replace("/cart", "/more")
    assert "1,204.50" not in extract(shop(without_cart, stated(price="999.00"))).text


def test_a_product_that_a_script_shows_has_its_price():
    hidden = f"<div style='display:none'>{FORM}</div>"
    assert "$ 1,204.50" in extract(shop(hidden, stated(price="1204.50"))).text
    beside = "<div><h1>Common reed</h1><p hidden>$ 1,204.50</p></div>"
    assert "1,204.50" not in extract(shop(beside, stated(price="1204.50"))).text


def test_a_buying_box_may_stand_before_the_name():
    box = "<div class=buy><b>$ 1,204.50</b>" + "".join(f"<p>Offer {chr(65 + k % 26)}" for k in range(60)) + "</div>"
    assert "$ 1,204.50" in extract(shop(f"<section>{box}<h1>Common reed</h1></section>", stated(price="1204.50"))).text


@pytest.mark.parametrize("price", ["Preis: 1.204,50 €", "1 204 руб.", "￥1,204.50", "1204円（税込）"])
def test_where_no_name_marks_prices_a_currency_does(price):
    form = "<form action=/cart/add><button>+</button></form>"
    page = shop(f"<section><h1>Common reed</h1><p class=betrag>{price}</p>{form}</section>").replace("class=price", "class=betrag")
    assert price in extract(page.replace("add-to-cart", "more")).text
    assert facts(page.replace("add-to-cart", "more").replace("/cart", "/more")) == []


def test_facts_are_in_markdown_and_chunks():
    document = extract(shop(FORM))
    assert "$ 1,204.50" in document.markdown
    assert any("1,204.50" in chunk.text for chunk in document.chunks())


@pytest.mark.parametrize(
    "page",
    [
        shop("<h1>Reeds</h1>", title="Reeds"),  # a list
        shop("<h1>Common reed</h1><p>Last month it was $ 4.00 at the market.</p>").replace("add-to-cart", "more"),  # no shop
        shop("<h1>Common reed</h1>", stated()),  # no price
        f"<title>Common reed</title><div><p class=cart><b class=price>$ 0.00</b> 0</p><h1>Common reed</h1>{ABOUT}</div>",  # an empty cart
        '<title>Common reed</title><h1>Common reed</h1><script type=application/ld+json>{"@type": "Product"}</script>',
    ],
)
def test_other_pages_stay_as_they_are(page):
    assert facts(page) == []


def test_marked_prices_without_a_currency_hide_no_price_that_has_one():
    other = "<ul><li>Rush <span class=price>11</span><li>Sedge <span class=price>12</span></ul>"
    page = "<title>Reed</title><div><h1>Reed</h1><p class=kosten>4,50 €<p class=add-to-cart>Add</div><p>It grows in shallow water."
    assert "4,50 €" in extract(page + other).text
