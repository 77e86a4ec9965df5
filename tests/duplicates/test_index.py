"""DuplicateIndex: complete, incremental, safe, on disk and in memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.duplicates import intake, lmdb_store
from tamis.duplicates.clusters import Deduplication
from tamis.duplicates.documents import TextDocument
from tamis.duplicates.finding import find_duplicates
from tamis.duplicates.index import DuplicateIndex
from tamis.duplicates.rule import DuplicateRule
from tamis.duplicates.signature import SignatureSettings
from tamis.errors import ModelError, UsageError
from tests.duplicates import plain
from tests.duplicates.texts import EDITS, excerpt, framed, text

ROOT = Path(__file__).parents[2]

pytest.importorskip("lmdb", reason="an index on disk needs lmdb")


def documents(count: int = 8, first: int = 0) -> list[TextDocument]:
    return [TextDocument(f"{seed}/{name}", edit(text(seed, 200))) for seed in range(first, first + count) for name, edit in EDITS.items()]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Blocks of a few rows, so that a few documents fill several."""
    monkeypatch.setattr(lmdb_store, "_BLOCK", 5000)


@pytest.fixture(params=["memory", "disk"])
def index(request, tmp_path):
    with DuplicateIndex(None if request.param == "memory" else tmp_path / "index") as opened:
        yield opened


def test_matches_are_those_of_comparing_with_all(index):
    stored = documents(3)
    index.add(stored)
    for asked in documents(4):
        expected = {
            pair for pair in plain.pairs([*[each for each in stored if each.id != asked.id], asked], index.rule) if asked.id in pair
        }
        assert {tuple(sorted((asked.id, match.id))) for match in index.matches(asked)} == expected


sentences = st.sampled_from([text(seed, words) for seed, words in enumerate([8, 9, 11, 13, 15, 17, 20, 24, 30, 36])])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(sentences, max_size=6).map(" ".join), max_size=12), st.integers(1, 5))
def test_any_question_to_any_index_is_answered_in_full(texts, size):
    rule = DuplicateRule(SignatureSettings(words=1, one_in=1), least=4, window=8)
    everything = [TextDocument(f"{number:02d}", each) for number, each in enumerate(texts)]
    with DuplicateIndex(rule=rule) as opened:
        for start in range(0, len(everything), size):
            opened.add(everything[start : start + size])
        found = {tuple(sorted((each.id, match.id))) for each in everything for match in opened.matches(each)}
    assert found == set(plain.pairs(everything, rule))


def test_adding_an_id_twice_changes_nothing(index):
    assert index.add(documents(2)) == 2 * len(EDITS)
    assert index.add(documents(2)) == 0
    assert len(index) == 2 * len(EDITS)
    assert [match.id for match in index.matches(text(0, 200))].count("0/copy") == 1


def test_another_text_by_a_known_id_replaces_the_one_before(index):
    index.add([TextDocument("a", text(1, 200))])
    index.add([TextDocument("a", text(2, 200))])
    assert index.matches(text(1, 200)) == []
    assert [match.id for match in index.matches(text(2, 200))] == ["a"]
    assert len(index) == 1


def test_a_document_does_not_match_itself(index):
    index.add([TextDocument("a", text(1, 200))])
    assert index.matches(TextDocument("a", text(1, 200))) == []
    assert len(index.matches(text(1, 200))) == 1


def test_an_update_against_an_empty_index_is_find_duplicates(index):
    assert index.update(documents()) == find_duplicates(documents())


def test_what_came_earlier_is_kept(index):
    index.update([TextDocument("old", text(1, 200))])
    found = index.update([TextDocument("new", framed(text(1, 200))), TextDocument("other", text(2, 200))])
    assert [(cluster.kept, cluster.earlier, cluster.ids) for cluster in found.clusters] == [("old", True, ("old", "new"))]
    assert found.survivors == ("other",)
    assert index.fate("new").member["of"] == "old"


def test_the_same_update_again_gives_the_same(index):
    first = index.update(documents())
    assert index.update(documents()) == first


def test_an_update_replaces_texts_by_known_ids(index):
    index.update([TextDocument("a", text(1, 200))])
    found = index.update([TextDocument("a", text(2, 200)), TextDocument("b", excerpt(text(1, 200)))])
    assert found.copies == 0
    assert found.survivors == ("a", "b")


def test_addresses_are_remembered(index):
    index.update([TextDocument("a", text(1, 200), "http://a.org/?x=1&y=2")])
    found = index.update([TextDocument("b", text(2, 200), "http://A.org/?y=2&x=1#end")])
    assert found.clusters[0].members[0].likeness == "same address"


def test_too_little_text_matches_nothing(index):
    index.add([TextDocument("a", "Not found"), TextDocument("b", "")])
    assert index.matches("Not found") == []
    assert "a" in index
    assert "c" not in index


def test_an_index_is_there_when_it_is_opened_again(tmp_path):
    with DuplicateIndex(tmp_path / "deep" / "index") as first:
        first.add(documents(3))
    with DuplicateIndex(tmp_path / "deep" / "index", readonly=True) as again:
        assert len(again) == 3 * len(EDITS)
        assert len(again.matches(text(1, 200))) == len(EDITS)
        with pytest.raises(UsageError, match="read only"):
            again.add(documents(1))


def test_a_folder_without_index_and_a_file_are_refused(tmp_path):
    with pytest.raises(ModelError, match="no index"):
        DuplicateIndex(tmp_path / "nothing", readonly=True)
    (tmp_path / "file").write_text("text")
    with pytest.raises(ModelError, match="folder"):
        DuplicateIndex(tmp_path / "file")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("text")
    with pytest.raises(ModelError, match="other files"):
        DuplicateIndex(tmp_path / "texts")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "data.mdb").write_bytes(b"no database" * 1000)
    with pytest.raises(ModelError, match="broken"):
        DuplicateIndex(tmp_path / "broken")


def test_the_rule_of_an_index_is_fixed_when_it_is_made(tmp_path):
    rule = DuplicateRule(coverage=0.9)
    with DuplicateIndex(tmp_path / "index", rule) as made:
        made.add(documents(1))
    with DuplicateIndex(tmp_path / "index") as again:
        assert again.rule == rule
        with pytest.raises(UsageError, match="rule"):
            again.update(documents(1), Deduplication())
    with pytest.raises(UsageError, match="rule"):
        DuplicateIndex(tmp_path / "index", DuplicateRule())


_LOOK = """
import sys
from tamis.duplicates.index import DuplicateIndex
with DuplicateIndex(sys.argv[1], readonly=True) as index:
    for line in sys.stdin:
        print(len(index), flush=True)
"""


def test_readers_see_whole_batches_beside_a_writer(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "BATCH", 9)
    with DuplicateIndex(tmp_path / "index") as writer:
        command = [sys.executable, "-c", _LOOK, str(tmp_path / "index")]
        readers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        seen = []

        def look(done):
            for reader in readers:
                reader.stdin.write("\n")
                reader.stdin.flush()
                seen.append((done, int(reader.stdout.readline())))

        writer.update(documents(4), progress=look)
        for reader in readers:
            reader.communicate()
    assert seen == [(done, done) for done in (9, 18, 27, 28) for _ in readers]


def test_an_index_is_open_once_in_a_process(tmp_path):
    with DuplicateIndex(tmp_path / "index"), pytest.raises(UsageError, match="close it"):
        DuplicateIndex(tmp_path / "index")


_UPDATE = """
import sys
from tamis.duplicates import intake
from tamis.duplicates.index import DuplicateIndex
from tests.duplicates.test_index import documents
intake.BATCH = 6
with DuplicateIndex(sys.argv[1]) as index:
    index.update(documents(8), progress=lambda done: print(done, flush=True))
"""


@pytest.mark.parametrize("batches", [0, 1, 4])
def test_after_kill_9_nothing_is_lost_and_nothing_is_there_twice(tmp_path, batches):
    path = tmp_path / "index"
    process = subprocess.Popen([sys.executable, "-c", _UPDATE, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    told = [int(process.stdout.readline()) for _ in range(batches)]
    process.kill()  # wherever it is: most likely in the middle of the next batch
    process.wait()
    process.stdout.close()
    if batches:
        with DuplicateIndex(path, readonly=True) as reopened:
            assert len(reopened) >= told[-1]
    with DuplicateIndex(path) as reopened:
        found = reopened.update(documents(8))
        assert found == find_duplicates(documents(8))
        assert len(reopened) == 8 * len(EDITS)
        matched = [match.id for match in reopened.matches(text(1, 200))]
    assert len(matched) == len(set(matched))


def test_the_map_grows_with_what_is_put_in(tmp_path, monkeypatch):
    monkeypatch.setattr(lmdb_store, "_FIRST_SIZE", 1 << 17)
    monkeypatch.setattr(lmdb_store, "_ROOM", 1 << 20)
    with DuplicateIndex(tmp_path / "index") as index:
        for first in range(0, 30, 10):
            index.add(documents(10, first))
        assert len(index) == 30 * len(EDITS)


def test_fates_can_be_written_as_json(index):
    index.update([TextDocument("a", text(1, 200)), TextDocument("b", excerpt(text(1, 200))), TextDocument("c", "")])
    assert [index.fate(id).status for id in "abc"] == ["kept", "removed", "left alone"]
    assert index.fate("d") is None
    assert "part of" in json.dumps(index.fate("b").member)


def test_an_index_whose_file_was_cut_off_is_refused(tmp_path):
    with DuplicateIndex(tmp_path / "index") as index:
        index.add([TextDocument(str(number), text(number, 200)) for number in range(50)])
    file = tmp_path / "index" / "data.mdb"
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 2)
    with pytest.raises(ModelError, match="damaged"):
        DuplicateIndex(tmp_path / "index")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damage") / "index"
    with DuplicateIndex(folder) as index:
        index.add([TextDocument(str(number), text(number, 200)) for number in range(50)])
    return folder


@pytest.mark.parametrize("noted", [b"", b"1234567", b"1234567\xe6", b"\xff" * 1000])
def test_an_index_with_another_checksum_is_refused(written, tmp_path, noted):
    folder = tmp_path / "index"
    shutil.copytree(written, folder)
    (folder / "checksum").write_bytes(noted)
    with pytest.raises(ModelError, match="damaged"):
        DuplicateIndex(folder)


@pytest.mark.parametrize("part", range(20))
def test_an_index_with_changed_bytes_is_refused(written, tmp_path, part):
    """Wherever they are: in the pages of the database, in rows, in postings, in what is no longer used."""
    folder = tmp_path / "index"
    shutil.copytree(written, folder)
    file = folder / "data.mdb"
    data = bytearray(file.read_bytes())
    data[len(data) * part // 20 + 8 * 7 + 3] ^= 1 << part % 8
    file.write_bytes(data)
    for readonly in (True, False):
        with pytest.raises(ModelError, match=r"damaged|holds no index"):
            DuplicateIndex(folder, readonly=readonly)


def test_an_index_is_checked_while_nobody_writes(written, tmp_path):
    folder = tmp_path / "index"
    shutil.copytree(written, folder)
    ask = "import sys; from tamis import DuplicateIndex; print(len(DuplicateIndex(sys.argv[1], readonly=True)))"
    command = [sys.executable, "-c", ask, str(folder)]
    with DuplicateIndex(folder) as index:
        assert (folder / "checksum").exists()
        index.add([TextDocument("another", text(77, 200))])
        assert not (folder / "checksum").exists()
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "51\n"
    assert sorted(path.name for path in folder.iterdir()) == ["checksum", "data.mdb", "lock.mdb"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "51\n"
