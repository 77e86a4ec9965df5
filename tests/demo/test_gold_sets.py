"""The demo's gold in the form of the benchmarks says what the demo's own gold says."""

from __future__ import annotations

from benchmarks.dedup_sets import read_collections
from benchmarks.gold import read_gold
from benchmarks.record_gold import locate, read_record_pages
from benchmarks.topics import TOPICS, read_topics
from demo import build_site
from demo.gold_sets import write_gold
from tamis import parse


def test_the_sets_are_read_by_the_benchmarks(tmp_path):
    pages = build_site()
    write_gold(tmp_path, pages)
    gold = {page.path: page.gold for page in pages}
    found = read_gold(tmp_path / "sites")
    assert len(found) == sum(page.marked != "" and page.gold.layout != "list" for page in pages)
    for page in found:
        wanted = gold[page.url.removeprefix("https://lantern-bay.example/")]
        assert "".join(page.main.split()) == "".join("".join(wanted.main).split())
    lists = read_record_pages(tmp_path / "records")
    assert [len(locate(page, parse(page.path))[1]) for page in lists] == [7, 8, 5, 4]
    assert set(read_topics(tmp_path / "topics", 200)) == set(TOPICS)
    raw, cleaned = read_collections(tmp_path / "near-duplicates", sources=2, edits=1)
    assert len(raw) == len(cleaned) > len(set(raw.groups))
