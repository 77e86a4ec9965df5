"""Types of columns: dates, prices, numbers."""

import pytest

from tamis import find_records
from tamis.records.table import Price, column_type, read_number, read_price, typed


def rows(*cells):
    return "<table>" + "".join(f"<tr><td><a href=/{k}>Boat number {k}</a><td>{cell}" for k, cell in enumerate(cells)) + "</table>"


@pytest.mark.parametrize(
    ("cells", "kind", "first"),
    [
        (("$4,200", "$2,900", "$17.50"), "price", Price(4200.0, "$")),
        (("12,90 €", "8 €", "1.299,00 €"), "price", Price(12.9, "€")),
        (("١٢٨ ر.س", "٩٦ ر.س", "٢١٠ ر.س"), "price", Price(128.0, "ر.س")),
        (("120.000đ", "90.000đ", "85.500đ"), "price", Price(120000.0, "đ")),
        (("2019-07-12", "2019-08-19", "2020-01-02"), "date", "2019-07-12"),
        (("5 March 2024", "6 March 2024", "7 April 2024"), "date", "2024-03-05"),
        (("03/05/2024", "27/05/2024", "11/06/2024"), "date", "2024-05-03"),
        (("03/05/2024", "05/27/2024", "11/06/2024"), "date", "2024-03-05"),
        (("03/05/2024", "04/05/2024", "11/06/2024"), "text", "03/05/2024"),
        (("by Ann 03 Aug 2024", "by Bob 04 Aug 2024", "by Cleo 5 May 2024"), "text", "by Ann 03 Aug 2024"),
        (("Published on Mon, 5 Aug 2024", "Published on Tue, 6 Aug 2024", "Published on Wed, 1 May 2024"), "date", "2024-08-05"),
        (("29", "1,173", "4"), "number", 29.0),
        (("29 replies", "red", "12"), "text", "29 replies"),
        (("1.1K", "856", "2M"), "number", 1100.0),
        (("2,3 Mio.", "640 Tsd.", "12"), "number", 2.3e6),
        (("1.2万", "3万", "988"), "number", 12000.0),
        (("10 m", "12 m", "13 m"), "text", "10 m"),
        (("$20", "Sold out", "$30"), "price", Price(20.0, "$")),
        (("$20", "Sold out", "$30", "on request"), "text", "$20"),
        (("1", "2", "3", "4", "many"), "number", 1.0),
        (("01067", "10115", "20095", "50667", "80331"), "text", "01067"),
        (("512 B", "980 B", "64 B"), "text", "512 B"),
        (("1.10", "1.9", "2.1"), "text", "1.10"),
        (("10.0", "4.123", "2.5"), "number", 10.0),
        (("MEW 005", "MEW 006", "MEW 007"), "text", "MEW 005"),
        (("ISO 9001", "ISO 9002", "ISO 14001"), "text", "ISO 9001"),
        (("101 CSE", "102 CSE", "201 CSE"), "text", "101 CSE"),
        (("From $12", "From $14", "From $9"), "text", "From $12"),
        (("4.123", "2.5", "3.1"), "number", 4.123),
        (("4.123", "2,5", "3,1"), "number", 4123),
        (("1.299 €", "899,50 €", "8 €"), "price", Price(1299.0, "€")),
        (("€1.299", "€0.50", "€8"), "price", Price(1.299, "€")),
        (("(1,204)", "(2)", "(31)"), "number", 1204),
        (("0.81", "0.80", "0.78"), "number", 0.81),
        (("4.50", "3.20", "9.90"), "number", 4.5),
        (("TOP 10", "TOP 50", "TOP 100"), "text", "TOP 10"),
        (("49 Euro", "5 Euro", "1.299 Euro"), "price", Price(49.0, "Euro")),
        (("-$5", "$9", "$12"), "price", Price(-5.0, "$")),
        (("75B", "80B", "75C"), "text", "75B"),
        (("\u22125", "+3", "4"), "number", -5),
    ],
)
def test_columns_say_what_their_values_are(cells, kind, first):
    table = find_records(rows(*cells)).table.only("text")
    assert table.columns[1].type == kind
    assert list(next(table.typed_records()).values())[1] == first
    assert table.rows[0][1] == cells[0]


@pytest.mark.parametrize("text", ["", "price", "$", "1 2", "$5 to $9", "1" * 50, "EUR", "€1€", "USD 5 EUR", "1.234,567.89 €", "-$-5"])
def test_what_is_no_price_is_none(text):
    assert read_price(text) is None


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("250 грн", Price(250, "грн")),
        ("12,50 lei", Price(12.5, "lei")),
        ("1.250,00 TL", Price(1250, "TL")),
        ("Rp 15.000", Price(15000, "Rp")),
        ("￥1,200", Price(1200, "￥")),
        ("$5.99 USD", Price(5.99, "USD")),
        ("USD $5.99", Price(5.99, "USD")),
        ("CHF 1’299.50", Price(1299.5, "CHF")),
        ("−€5,50", Price(-5.5, "€")),
        ("-EUR 5", Price(-5, "EUR")),
        ("100 TRY", Price(100, "TRY")),
        ("12 dollars", Price(12, "dollars")),
    ],
)
def test_prices(text, price):
    assert read_price(text) == price


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.234,567.89", None),
        ("0.125", 0.125),
        ("1'000", 1000.0),
        ("-4", -4.0),
        ("0,5", 0.5),
        ("1.000.000", 1e6),
        ("", None),
        ("1e5", None),
        ("007", None),
        ("1.2B", 1.2e9),
        ("75B", None),
    ],
)
def test_numbers(text, number):
    assert read_number(text) == number


def test_a_value_that_cannot_be_read_stays_text():
    assert typed("on request", "price") == "on request"
    assert typed(None, "date") is None
    assert column_type([]) == "text"
