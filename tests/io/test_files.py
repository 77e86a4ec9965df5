"""Files here and in storage, by name."""

import fsspec
import pytest

from tamis.errors import SourceError
from tamis.io.files import as_path, copy_to, find, is_remote, open_file, size_of, stamp_of, storage


@pytest.fixture
def bucket(tmp_path):
    """A storage in memory with three files."""
    system = fsspec.filesystem("memory")
    root = f"/{tmp_path.name}"
    for name in ("b.html", "a.html", "deep/c.html"):
        system.pipe(f"{root}/{name}", name.encode())
    yield f"memory://{root}"
    system.rm(root, recursive=True)


def test_folders_patterns_and_single_files_are_found_in_order(bucket):
    assert list(find(bucket)) == [f"{bucket}/{name}" for name in ("a.html", "b.html", "deep/c.html")]
    assert list(find(f"{bucket}/*.html")) == [f"{bucket}/a.html", f"{bucket}/b.html"]
    assert list(find(f"{bucket}/deep/c.html")) == [f"{bucket}/deep/c.html"]
    assert list(find(f"{bucket}/nothing")) == []


def test_a_file_is_read_measured_and_stamped_wherever_it_is(bucket, tmp_path):
    (tmp_path / "a.html").write_text("a.html")
    for name in (f"{bucket}/a.html", str(tmp_path / "a.html")):
        with open_file(name) as stream:
            assert stream.read() == b"a.html"
        assert size_of(name) == 6
        assert stamp_of(name)[0] == 6
    before = stamp_of(f"{bucket}/a.html")
    fsspec.filesystem("memory").pipe(bucket.removeprefix("memory://") + "/a.html", b"other")
    assert stamp_of(f"{bucket}/a.html") != before
    assert stamp_of(f"{bucket}/nothing") == stamp_of(str(tmp_path / "nothing")) == [0, 0]


def test_a_copy_appears_whole(bucket, tmp_path):
    (tmp_path / "rows").write_text("rows")
    copy_to(tmp_path / "rows", f"{bucket}/out/site=a/rows")
    assert [name.removeprefix(bucket) for name in find(f"{bucket}/out")] == ["/out/site=a/rows"]
    copy_to(tmp_path / "rows", (tmp_path / "out" / "rows").as_uri())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["rows"]
    with pytest.raises(SourceError, match="cannot write"):
        copy_to(tmp_path / "missing", f"{bucket}/rows")


def test_storage_that_there_is_not_is_named():
    assert is_remote("gs://bucket/a")
    assert not is_remote("http://example.org/a.warc")
    assert as_path("FILE:///a%20b") == "/a b"
    with pytest.raises(SourceError, match="nosuch://bucket/a"):
        storage("nosuch://bucket/a")
