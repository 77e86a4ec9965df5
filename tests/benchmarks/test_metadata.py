import gzip
import json

import pytest

from benchmarks import metadata
from benchmarks.metadata import score_metadata


def test_titles_are_compared_by_words():
    score = score_metadata([("Ripe  Tomatoes!", "ripe tomatoes"), ("tomatoes ripe", "ripe tomatoes"), ("番茄", "番茄")], "title")
    assert (score.right, score.exact, score.with_gold) == (2, 1, 3)


def test_authors_are_compared_in_any_order():
    assert score_metadata([("Bo Ek; Ann Lee", "By Ann Lee and Bo Ek"), ("Ann", "Ann Lee")], "author").accuracy == 0.5


def test_the_day_decides_about_dates():
    score = score_metadata([("2024-03-05T10:00:00", "2024-03-05"), ("2024-03-05", "2024-03"), ("2024-03", "2024-03-05")], "date")
    assert (score.right, score.exact) == (2, 2)


def test_pages_without_gold_count_only_what_is_invented():
    score = score_metadata([("a", None), ("", ""), (None, "b")], "title")
    assert (score.pages, score.invented, score.with_gold, score.given, score.accuracy, score.precision) == (3, 1, 1, 0, 0.0, 0.0)
    assert score_metadata([], "title").exact_accuracy == 0.0


def test_products_are_compared_with_what_the_page_states(tmp_path):
    pytest.importorskip("extruct")
    pytest.importorskip("trafilatura")
    pytest.importorskip("htmldate")
    pytest.importorskip("dateparser")
    stated = {
        "@type": "Product", "name": "Deck knife", "sku": "K-4", "brand": {"@type": "Brand", "name": "Quay"},
        "offers": {"@type": "Offer", "price": "1,031.00", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"},
    }  # fmt: skip
    page = f'<title>Deck knife</title><script type="application/ld+json">{json.dumps(stated)}</script><h1>Deck knife</h1><p>It cuts.'
    several = page.replace("</script>", "</script>" + page.replace("Deck knife", "Another"), 1)
    (tmp_path / "html").mkdir()
    for name, html in {"one": page, "several": several}.items():
        (tmp_path / "html" / f"{name}.html.gz").write_bytes(gzip.compress(html.encode()))
    gold = [
        {"id": name, "url": "https://a.test/", "title": "Deck knife", "author": None, "publish_date": ""} for name in ("one", "several")
    ]
    (tmp_path / "gold.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, gold)).encode()))
    result = metadata.run(tmp_path)
    assert result.fields["tamis"]["title"].right >= 1
    assert set(result.fields["htmldate"]) == {"date"}
    assert sum(row[2] for row in result.languages) > 0.9 * sum(row[1] for row in result.languages)
    assert metadata.report(result).tables[-1].rows[0][0] == "all"
    assert set(result.products) == {"name", "price", "currency", "availability", "brand", "id"}
    assert all((score.stated, score.given, score.same) == (1, 1, 1) for score in result.products.values())
    assert not result.differing
