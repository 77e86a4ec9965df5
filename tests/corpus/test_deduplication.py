"""Duplicates of a corpus are those that tamis.find_duplicates finds."""

import random

import pyarrow.parquet as pq
import pytest

from tamis.corpus import deduplication
from tamis.corpus.config import CorpusConfig
from tamis.corpus.deduplication import Signer
from tamis.corpus.tasks import Task, TaskStore
from tamis.duplicates import intake
from tamis.duplicates.clusters import Deduplication
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.finding import find_duplicates
from tamis.duplicates.rule import DuplicateRule

WORDS = [f"{a}{b}{c}" for a in ("lan", "mor", "ti", "ves") for b in ("ka", "de", "po", "ru", "si") for c in ("n", "l", "rt", "x", "")]


def text(rng, sentences=12):
    return [" ".join(rng.choices(WORDS, k=rng.randint(8, 14))) + "." for _ in range(sentences)]


def corpus(seed):
    """Originals, copies, copies of copies with ever more of other texts, parts, texts that say too little; some at the same address."""
    rng = random.Random(seed)
    found = []
    for original in range(12):
        lines = text(rng, rng.randint(6, 16))
        for copy in range(rng.randint(1, 5)):
            url = f"http://a.test/{original}" if rng.random() < 0.4 else f"http://{original}.test/{copy}?q={copy}"
            found.append((lines, url if rng.random() < 0.9 else None))
            kind = rng.randrange(5)
            if kind == 0:
                lines = [*lines, *text(rng, 1)]
            elif kind == 1:
                lines = lines[: max(len(lines) * 5 // 6, 3)]
            elif kind == 2:
                lines = [*lines[1:], *text(rng, 1)]
            elif kind == 3:
                lines = [line.upper() for line in lines]
    lines = text(rng, 24)
    for step in range(9):  # each is like the one before, and ever less like the first
        found.append((lines, None))
        lines = [*lines[3:], " ".join(rng.choices(WORDS, k=25 - step))]
    found.append((["Page not found."], "http://a.test/gone"))
    rng.shuffle(found)
    return [
        {"id": ((number % 3) << 32) | number, "text": "\n".join(lines), "url": url, "date": rng.choice([None, "2020-01-02", "2021"])}
        for number, (lines, url) in enumerate(found)
    ]


def sign(work):
    signer = Signer()
    for row in work.task.needs["rows"]:
        signer.add({"canonical_url": None, **row})
    signer.write(work)
    return {}


def collapsed(rows, root, shards, parts=True):
    """Copies and survivors by the tasks, each done here."""
    store = TaskStore(root)
    tasks = [Task("sign", number, f"{__name__}:sign", {"rows": rows[number::shards]}) for number in range(shards)]
    signed = [store.run(task) for task in tasks]
    needs = {"keys": [found.files["keys"] for found in signed], "config": CorpusConfig(("texts",), "out", parts=parts)}
    found = store.run(Task("deduplicate", 0, "tamis.corpus.deduplication:deduplicate", needs))
    table = pq.read_table(store.file(found, "duplicates")).to_pylist()
    assert [row["id"] for row in table] == sorted(row["id"] for row in table)
    return {row["id"]: (row["survivor"], row["relation"]) for row in table}


def by_one(rows, parts=True):
    settings = Deduplication(DuplicateRule(parts=parts))
    clusters = find_duplicates((TextDocument(f"{row['id']:020d}", row["text"], row["url"], row["date"]) for row in rows), settings)
    return {int(member.id): (int(cluster.kept), member.likeness) for cluster in clusters.clusters for member in cluster.members}


@pytest.mark.parametrize("seed", range(6))
def test_copies_are_those_of_find_duplicates_however_the_corpus_is_split(seed, tmp_path, monkeypatch):
    rows = corpus(seed)
    for number, (size, shards) in enumerate([(1000, 1), (7, 2), (3, 5)]):
        monkeypatch.setattr(intake, "BATCH", size)  # what is commonplace depends on the batches
        monkeypatch.setattr(deduplication, "BATCH", size)
        monkeypatch.setattr(deduplication, "LARGEST_SEGMENT", 40 * size)
        expected = by_one(rows)
        assert expected
        assert collapsed(rows, tmp_path / str(number), shards) == expected


def test_parts_of_longer_documents_are_kept_unless_they_are_not_wanted(tmp_path):
    rows = corpus(2)
    found = collapsed(rows, tmp_path, 2, parts=False)
    assert found == by_one(rows, parts=False)
    assert "part of" not in {relation for _, relation in found.values()}
    assert len(found) < len(by_one(rows))


def test_each_relation_occurs_among_the_examples():
    found = {relation for seed in range(6) for _, relation in by_one(corpus(seed)).values()}
    assert {"identical", "same address", "near", "part of"} <= found


def test_texts_that_say_too_little_are_copies_only_where_they_are_the_same_to_the_letter(tmp_path):
    texts = ["Page not found.", "***", "Page not found.", "page not found.", "+++", "Page not found."]
    rows = [{"id": number, "text": text, "url": "http://a.test/", "date": None} for number, text in enumerate(texts)]
    assert collapsed(rows, tmp_path, 2) == {2: (0, "identical"), 5: (0, "identical")}


def test_of_short_texts_that_are_the_same_the_one_with_the_best_address_is_kept(tmp_path):
    urls = ["http://a.test/b", "https://a.test/b?utm_source=x", "https://a.test/b", "https://a.test/c/b", None]
    rows = [{"id": number, "text": "Page not found.", "url": url, "date": None} for number, url in enumerate(urls)]
    assert collapsed(rows, tmp_path, 2) == dict.fromkeys((0, 1, 3, 4), (2, "identical"))


@pytest.mark.parametrize("size", [100, 8])
def test_documents_that_share_only_a_template_are_not_copies(size, tmp_path, monkeypatch):
    """Also where other documents that have the template were decided on before."""
    monkeypatch.setattr(deduplication, "BATCH", size)
    monkeypatch.setattr(deduplication, "LARGEST_SEGMENT", 4 * size)
    rng = random.Random(7)
    before, after = text(rng, 3), text(rng, 3)
    texts = ["\n".join([*before, *text(rng, 2), *after]) for _ in range(20)]
    rows = [{"id": number, "text": text, "url": f"http://a.test/{number}", "date": None} for number, text in enumerate(texts)]
    rows.append({**rows[3], "id": 20, "text": texts[3].upper(), "url": "https://a.test/3"})
    assert collapsed(rows, tmp_path, 2) == {3: (20, "identical")}


def near_copies(pages):
    """Rows of a text that is longer in each page; ``pages``: the path of each, and what it names as canonical."""
    lines = text(random.Random(7), 30)
    return [
        {"id": n, "text": "\n".join(lines[: 25 + n]), "url": f"http://www.a.test{path}", "date": None, "canonical_url": named}
        for n, (path, named) in enumerate(pages)
    ]


@pytest.mark.parametrize(
    ("pages", "kept"),
    [
        ([("/tides", "https://a.test/tides"), ("/print?id=1", "http://www.a.test/tides")], 0),
        ([("/tides", None), ("/print?id=1", "https://a.test/tides#top"), ("/amp", "https://a.test/tides?utm_source=b")], 0),
        ([("/tides", "https://a.test/tides"), ("/print", "https://a.test/print"), ("/amp", "https://a.test/tides")], 0),
        ([("/tides", "https://a.test/tides"), ("/print", "https://a.test/print"), ("/amp", "https://a.test/amp")], 2),
        ([("/tides", None), ("/print", "https://a.test/"), ("/amp", "https://a.test/")], 2),
        ([("/tides", None), ("/print", "https://elsewhere.test/tides"), ("/amp", None)], 2),
        ([("/tides", "/tides"), ("/print", "no address"), ("/amp", "http://[")], 2),
    ],
    ids="print named most each-itself home elsewhere damaged".split(),
)
def test_the_page_that_near_copies_name_as_canonical_is_kept_and_else_the_longest(pages, kept, tmp_path):
    rows = near_copies(pages)
    others = {row["id"]: (kept, "near") for row in rows if row["id"] != kept}
    assert collapsed(rows, tmp_path, 2) == collapsed(rows, tmp_path / "without-parts", 1, parts=False) == others


def test_a_canonical_link_that_all_pages_share_collapses_nothing_and_of_short_copies_the_canonical_one_is_kept(tmp_path):
    urls = ["http://a.test/", "http://a.test/page", "http://a.test/page/print"]
    rows = [{"id": n, "text": "Page not found.", "url": url, "date": None, "canonical_url": urls[2]} for n, url in enumerate(urls)]
    rng = random.Random(3)
    rows += [{**rows[0], "id": n, "text": "\n".join(text(rng)), "url": f"http://a.test/{n}", "canonical_url": urls[0]} for n in range(3, 9)]
    assert collapsed(rows, tmp_path, 2) == {0: (2, "identical"), 1: (2, "identical")}


def test_a_part_does_not_stand_for_what_holds_it(tmp_path):
    lines = text(random.Random(5), 40)
    rows = [
        {"id": n, "text": "\n".join(lines[:count]), "url": f"http://a.test/{n}", "date": None, "canonical_url": "http://a.test/1"}
        for n, count in enumerate((40, 8))
    ]
    assert collapsed(rows, tmp_path, 1) == {1: (0, "part of")}
