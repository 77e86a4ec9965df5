"""Two runs with one output."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tamis.errors import UsageError
from tamis.io.writing import alone_in, check_outputs, folder_written_whole, written_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs locks")


def test_a_second_run_does_not_write_to_the_same_output(tmp_path):
    path = tmp_path / "texts.jsonl"
    with written_whole(path) as first:
        first.write(b"of the first run")
        with pytest.raises(UsageError, match=r"another run is writing to .*texts\.jsonl\.partial: wait until it ends"), written_whole(path):
            pass
    assert path.read_bytes() == b"of the first run"
    with written_whole(path) as second:
        second.write(b"2")
    assert path.read_bytes() == b"2"
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_folder_keeps_its_other_files_and_its_permissions(tmp_path):
    for name in ("a.txt", "sub/b.txt"):
        (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "out" / name).write_text("old")
    for folder in ("out", "out/sub"):
        (tmp_path / folder).chmod(0o700)
    with folder_written_whole(tmp_path / "out") as draft:
        for name in ("sub/b.txt", "sub/deep/c.txt"):
            (draft / name).parent.mkdir(exist_ok=True)
            (draft / name).write_text("new")
    assert {path.name: path.read_text() for path in tmp_path.rglob("*.txt")} == {"a.txt": "old", "b.txt": "new", "c.txt": "new"}
    assert [stat.S_IMODE((tmp_path / folder).stat().st_mode) for folder in ("out", "out/sub")] == [0o700, 0o700]
    assert not (tmp_path / "out.partial").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_fails_leaves_nothing_unless_it_is_to_be_kept(tmp_path, error):
    def fails(into, *, write):
        with into as out:
            if write:
                (out / "1.txt").write_bytes(b"half") if isinstance(out, Path) else out.write(b"half")
            raise error

    for whole in (written_whole, folder_written_whole):
        for keep, write in ((False, True), (True, False)):
            with pytest.raises(error):
                fails(whole(tmp_path / "out", keep=keep), write=write)
            assert not list(tmp_path.iterdir())
        with pytest.raises(error):
            fails(whole(tmp_path / "out" / whole.__name__, keep=True), write=True)
        assert (tmp_path / "out" / f"{whole.__name__}.partial").exists()
        shutil.rmtree(tmp_path / "out")


def test_what_a_killed_run_left_is_written_over(tmp_path):
    (tmp_path / "texts.jsonl.partial").write_bytes(b"half of a longer text")
    with written_whole(tmp_path / "texts.jsonl") as stream:
        stream.write(b"whole")
    assert (tmp_path / "texts.jsonl").read_bytes() == b"whole"


def test_an_output_that_cannot_be_written_is_known_before_any_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    for name in ("file/x.txt", "file/more/x.txt"):
        with pytest.raises(UsageError, match=r"x\.txt cannot be written: .*file is a file, not a folder"):
            check_outputs(tmp_path / name, overwrite=True)
    check_outputs(tmp_path / "new/folder/x.txt", tmp_path / "x.txt", tmp_path, Path(os.devnull), Path(os.devnull), overwrite=True)

    def refused(dir):
        raise OSError(errno.EROFS, "Read-only file system", dir / "tmp1")

    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    check_outputs(Path(os.devnull), overwrite=True)
    for name in ("x.txt", "new/x.txt", "file", ""):
        with pytest.raises(OSError, match="Read-only file system") as raised:
            check_outputs(tmp_path / name, overwrite=True)
        assert raised.value.filename == str(tmp_path)


def test_standard_output_has_a_name_too(tmp_path):
    code = "import sys; from pathlib import Path; from tamis.io.writing import written_whole\n"
    code += "with written_whole(Path('/dev/stdout')) as stream: stream.write(b'text')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"text"


def test_an_index_is_for_one_run_at_a_time(tmp_path):
    pytest.importorskip("lmdb")
    from typer.testing import CliRunner

    from tamis.cli import app

    (tmp_path / "texts.jsonl").write_text('{"id": "1", "text": "Reeds bend where rushes would break."}\n', encoding="utf-8")
    words = ["dedup", str(tmp_path / "texts.jsonl"), "--index", str(tmp_path / "index")]
    assert CliRunner().invoke(app, words).exit_code == 0
    with alone_in(tmp_path / "index"):
        done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
