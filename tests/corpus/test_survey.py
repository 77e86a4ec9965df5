"""The survey: which pages sites are learned from is known before a page is parsed, and no page of the sample is passed over."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tamis.corpus.config import CorpusConfig
from tamis.corpus.shards import Shard
from tamis.corpus.stages import KNOWN, known_to
from tamis.corpus.tables import rows
from tamis.corpus.tasks import Task, TaskStore
from tamis.corpus.templates import Smallest, limits


@given(st.lists(st.integers(0, 40)), st.integers(0, 6))
def test_the_smallest_are_kept_each_once(values, most):
    held = Smallest(most)
    for place, value in enumerate(values):
        assert held.add(value) == (value in sorted(set(values[: place + 1]))[:most])
    assert held.held == sorted(set(values))[:most]


def test_a_shard_looks_at_its_own_hashes_and_those_of_a_few_others():
    assert known_to(2, 3) == [2, 0, 1]
    assert known_to(70, 100)[:2] == [70, 71]
    assert len(set(known_to(70, 100))) == KNOWN


def of_shards(tmp_path, sample, known):
    """Hashes that are digested in each of three shards of a site, with the hashes of some of them known."""
    store = TaskStore(tmp_path / f"work-{sample}-{known}")
    about = []
    for number in range(3):
        path = tmp_path / f"{number}.jsonl"
        pages = ({"url": f"http://a.test/{page}", "html": f"<p>Page {page}"} for page in range(number, 40, 3))
        path.write_text("".join(json.dumps(page) + "\n" for page in pages))
        shard = Shard("lines", str(path), 0, path.stat().st_size)
        about.append({"shard": shard, "partitions": 1, "known": [], "config": CorpusConfig((str(path),), "out", sample=sample)})
    pages = [store.run(Task("read", n, "tamis.corpus.cleaning:read_shard", need)).files["pages"] for n, need in enumerate(about)]
    digested = []
    for number, need in enumerate(about):
        found = store.run(
            Task("survey", number, "tamis.corpus.templates:survey", {**need, "pages": pages[number], "others": pages[:known]})
        )
        digested.append({row["hash"] for row in rows(store.file(found, "digests"), ["hash"])})
    return digested, limits([store.root / file for file in pages], sample)


def test_the_sample_is_digested_whatever_is_known_and_little_else_where_all_is(tmp_path):
    every, _ = of_shards(tmp_path, 1000, 0)
    assert len(set.union(*every)) == 40
    smallest = sorted(set.union(*every))[:6]
    digested = {known: of_shards(tmp_path, 6, known) for known in (0, 1, 3)}
    for found, limit in digested.values():
        assert set(smallest) <= set.union(*found)
        assert set(limit.values()) == {smallest[-1]}
    assert set.union(*digested[3][0]) == set(smallest)
    assert len(set.union(*digested[0][0])) > len(smallest)
