"""The inspector on folders that are made to harm it."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.cli.conftest import article, text

pytest.importorskip("uvicorn")

PATIENCE = 300  #: Seconds that a busy machine may take.


def inspected(folder: Path, arguments: list[str] | None = None) -> dict:
    """Return what ``tamis inspect`` shows of a folder: what it said, its pages, and the first of them extracted."""
    command = [sys.executable, "-m", "tamis", "inspect", str(folder), "--no-open", "-j", "1", *(arguments or [])]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="surrogateescape") as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if "inspector: " in line:
                break
        found = re.search(r"inspector: (http\S+/)#(\S*)", said)
        try:
            if found is None:
                process.wait(PATIENCE)
                return {"said": said, "code": process.returncode}
            address, place = found[1], dict(part.split("=") for part in found[2].split("&"))
            if "report" in place:
                report = urlopen(f"{address}v1/jobs/{place['report']}/report", timeout=PATIENCE).read().decode()
                return {"said": said, "report": report}
            site = json.load(urlopen(f"{address}v1/sites/{place['site']}", timeout=PATIENCE))
            order = json.dumps({"site": place["site"], "page": place["page"], "view": True}).encode()
            asked = Request(f"{address}v1/extract", order, {"Content-Type": "application/json"})
            try:
                answer = json.load(urlopen(asked, timeout=PATIENCE))
            except HTTPError as error:
                answer = json.load(error)
            return {"said": said, "pages": site["pages"], "answer": answer}
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


@pytest.fixture
def hostile(tmp_path):
    """A folder with one page that is whole."""
    folder = tmp_path / "saved"
    folder.mkdir()
    (folder / "m.html").write_text(article(1))
    return folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="names and kinds of files that only others have")
def test_files_of_every_kind_leave_the_whole_page_as_it_is(hostile):
    secret = hostile.parent / "secret"
    secret.mkdir()
    (secret / "secret.html").write_text("<p>The secret of another folder.")
    (secret / "secret.css").write_text("p { content: 'secret' }")
    (hostile / "link.html").symlink_to(secret / "secret.html")
    (hostile / "link.css").symlink_to(secret / "secret.css")
    (hostile / "folder").symlink_to(secret)
    (hostile / "around").symlink_to(hostile)
    (hostile / "nowhere.html").symlink_to("nowhere")
    (hostile / "zero.css").symlink_to("/dev/zero")
    for name in ("pipe.html", "pipe.css", "run.json.html"):
        os.mkfifo(hostile / name)
    (hostile / "damaged.html.gz").write_bytes(gzip.compress(b"<p>x" * 1_000)[:-9])
    (hostile / "bomb.html.gz").write_bytes(gzip.compress(b"<p>" + b"\0" * 30_000_000))
    (hostile / "empty.html").write_bytes(b"")
    (hostile / "archive.warc.gz").write_bytes(b"\x1f\x8b no archive")
    (hostile / "rows.jsonl").write_text('{"html": 3}\n[]\nno JSON\n')
    (hostile / "table.parquet").write_bytes(b"PAR1PAR1")
    (hostile / "site.json").write_text("[]")
    for name in (b"\xff\xfe.html", b"a\nb\x1b[31m.html", b"<img src=x onerror=alert(1)>.html", "\u202egnp.html".encode()):
        (Path(os.fsdecode(bytes(hostile) + b"/" + name))).write_text(article(2))
    found = inspected(hostile)
    assert "secret" not in json.dumps(found)
    assert "\x1b" not in found["said"]
    characters = {page["name"]: page["characters"] for page in found["pages"]}
    assert characters.pop("empty.html", 0) == 0
    assert characters.pop("damaged.html.gz", 0) <= 4_000
    assert characters.pop("m.html") == len(article(1))
    assert sorted(characters.values()) == [len(article(2))] * 4
    assert text(2).strip() in found["answer"]["text"] or text(1).strip() in found["answer"]["text"]


@pytest.mark.slow
@pytest.mark.parametrize("content", ["[]", "null", "{}", "{", '{"stages": [[1]]}', "\xff", "[" * 100_000])
def test_a_damaged_run_is_one_sentence_or_a_report(hostile, content):
    (hostile / "run.json").write_text(content)
    found = inspected(hostile)
    assert "Traceback" not in found["said"]
    assert "report" in found or (found["code"] != 0 and len(found["said"].splitlines()) <= 2)
