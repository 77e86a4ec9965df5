"""The command line as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tamis as package
from tamis import Attenuation, SourceError, UsageError
from tamis.cli import Commands, terminal
from tamis.cli import main as run_main
from tamis.io.fetch import Limits


def test_the_version_is_printed(tamis):
    result = tamis("--version")
    assert (result.exit_code, result.stdout) == (0, f"tamis {package.__version__}\n")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["extract", "--help"], ["clean", "-h"]])
def test_help_has_examples_or_commands(tamis, words):
    result = tamis(*words)
    assert result.exit_code == 0
    assert "tamis clean" in result.stdout or "tamis extract" in result.stdout or "extract" in result.stdout


def test_help_states_the_defaults_of_the_library(tamis):
    shown = " ".join(tamis("extract", "--help").stdout.replace("│", " ").split())
    assert f"[default: {Attenuation().threshold}]" in shown
    assert f"[default: {Attenuation().link_density}]" in shown
    assert f"to fetch, render or clean it. [default: {Limits().total:g};" in shown
    assert f"[default: {Limits().max_bytes // 10**6}M]" in shown
    assert f"504). [default: {Limits().retries}]" in shown


def test_commands_that_are_not_installed_are_not_offered(tamis, monkeypatch):
    monkeypatch.setitem(Commands.homes, "brew", "tamis.cli.no_such_module:brew")
    assert "brew" not in tamis("--help").stdout
    assert tamis("brew").exit_code == 2


def test_an_unknown_command_is_a_usage_error(tamis):
    assert tamis("extrakt").exit_code == 2


def test_help_loads_neither_parser_nor_network():
    heavy = "{'numpy', 'selectolax', 'urllib3', 'pebble', 'rich.progress'}"
    code = f"import sys\nfrom tamis.cli import app\ntry:\n app(['--version'])\nexcept SystemExit:\n print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_errors_are_one_sentence_with_their_code():
    for error, code in ((SourceError("no such page"), 1), (UsageError("not so"), 2), (OSError(28, "No space left", "out"), 1)):
        with pytest.raises(terminal.typer.Exit) as ended, terminal.errors_in_a_sentence():
            raise error
        assert ended.value.exit_code == code


def test_an_interruption_is_one_word(capsys):
    with pytest.raises(terminal.typer.Exit) as ended, terminal.errors_in_a_sentence():
        raise KeyboardInterrupt
    assert ended.value.exit_code == 130
    assert capsys.readouterr().err == "tamis: interrupted\n"


def test_a_bug_of_ours_is_a_sentence_too_and_a_traceback_only_when_asked_for(site, monkeypatch, capsys):
    def broken(*args, **kwargs):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("tamis.content.node_model.select", broken)
    monkeypatch.setattr("sys.argv", ["tamis", "extract", "site/a.html"])
    with pytest.raises(SystemExit) as ended:
        run_main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "tamis: an error within tamis, ZeroDivisionError: oh (-v shows where)\n"
    monkeypatch.setattr("sys.argv", ["tamis", "-v", "extract", "site/a.html"])
    with pytest.raises(ZeroDivisionError):
        run_main()


def test_what_is_shown_cannot_command_the_terminal():
    assert terminal.harmless("a\x1b[2Jb\x07\x9b\tc\nd") == "a\ufffd[2Jb\ufffd\ufffd\tc\nd"
