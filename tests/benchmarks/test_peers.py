from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import peers as table
from benchmarks import tool_process
from benchmarks.peers import BY_NAME, PEERS, Peer
from benchmarks.tool_process import ToolProcess, choose
from tamis.errors import UsageError

from .conftest import SENTENCES, page

MODULES = {
    "tamis": "tamis",
    "trafilatura": "trafilatura",
    "resiliparse": "resiliparse",
    "readability-lxml": "readability",
    "justext": "justext",
    "turbohtml": "turbohtml",
    "newspaper4k": "newspaper",
    "boilerpy3": "boilerpy3",
    "goose3": "goose3",
    "all-text": "selectolax",
}


@pytest.mark.parametrize("name", MODULES)
def test_a_peer_finds_the_text_of_a_plain_article(name: str):
    if find_spec(MODULES[name]) is None:
        pytest.skip(f"{name} is not installed")
    with ToolProcess(BY_NAME[name]) as tool:
        assert tool.runs, tool.standing.reason
        assert tool.standing.version not in (None, "unknown")
        long = [sentence * 3 for sentence in SENTENCES]
        answer = tool.ask(page("The heron", long))
        assert answer.error is None
        assert long[1].split()[4] in answer.text
        if tool.peer.takes_bytes:
            assert tool.ask(page("The heron", long).encode()).text == answer.text


def test_names_are_told_apart_and_unknown_ones_are_an_error_that_lists_the_known():
    assert len(BY_NAME) == len(PEERS)
    assert choose(None) == PEERS
    assert [peer.name for peer in choose(["justext", "tamis", "justext"])] == ["justext", "tamis"]
    with pytest.raises(UsageError, match=r"no peer 'nosuch'; peers are tamis, .*trafilatura"):
        choose(["nosuch"])


# -- peers that misbehave: a peers.py of our own beside a worker of our own -------------------------------------------

BROKEN = """
import os, time
class Peer:
    distribution = "tamis"
    def __init__(self, load): self.load = load
def crash(page): os._exit(3)
def hang(page): time.sleep(60)
def fail(page): raise ValueError("no such page")
def chatter(page):
    print("noise on standard output", flush=True)
    return page.upper()
def missing(): raise ImportError("No module named 'nowhere'")
RUNNABLE = {name: Peer(lambda f=f: f) for name, f in dict(crash=crash, hang=hang, fail=fail, chatter=chatter).items()}
RUNNABLE["missing"] = Peer(missing)
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "peers.py").write_text(BROKEN)
    (tmp_path / "worker.py").write_text(tool_process.WORKER.read_text("utf-8"))
    monkeypatch.setattr(tool_process, "WORKER", tmp_path / "worker.py")

    def peer(name: str) -> Peer:
        return Peer(name, "tamis", "", lambda: str, remark="a remark")

    return peer


def test_what_a_tool_raises_is_its_answer(broken):
    with ToolProcess(broken("fail")) as tool:
        assert tool.ask("x").error == "ValueError: no such page"


def test_a_crash_is_a_failure_of_one_page_and_the_tool_is_started_again(broken):
    with ToolProcess(broken("crash")) as tool:
        assert tool.ask("x").error == "the process ended (exit code 3)"
        assert tool.ask("y").error == "the process ended (exit code 3)"


def test_a_page_that_takes_too_long_is_a_failure(broken):
    with ToolProcess(broken("hang"), timeout=0.3) as tool:
        assert tool.ask("x").error == "no answer within 0.3 s"


def test_what_a_tool_prints_does_not_disturb_its_answers(broken):
    with ToolProcess(broken("chatter")) as tool:
        assert [tool.ask("a\ud800").text, tool.ask("ж").text] == ["A\ud800", "Ж"]


def test_a_tool_that_cannot_be_imported_says_why(broken):
    with ToolProcess(broken("missing"), pythons=(sys.executable, "/nowhere/python")) as tool:
        assert not tool.runs
        assert tool.standing.reason == (
            "ImportError: No module named 'nowhere'; cannot run /nowhere/python: No such file or directory; a remark"
        )


@pytest.mark.parametrize(
    ("html", "language"), [("<html lang=cs-CZ>", "cs"), ('<HTML class=x LANG="zh">', "zh"), (b"<html lang=de>", "de"), ("<p>", "en")]
)
def test_the_stoplist_follows_the_declared_language(html: str | bytes, language: str):
    assert table._declared_language(html) == language


def test_blocks_of_an_html_result_stay_apart_and_words_whole():
    assert table._text_of_html("<div><p>one</p><p>t<b>w</b>o</p></div>").split() == ["one", "two"]
    assert table._text_of_html("") == ""
