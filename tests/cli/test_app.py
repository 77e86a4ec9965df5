"""The command line as a whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import tamis as package
from tamis import Attenuation, SourceError, UsageError
from tamis.cli import main as run_main
from tamis.cli import terminal
from tamis.cli.overview import COMMANDS, SUMMARIES, overview
from tamis.io.fetch import Limits


def test_the_version_is_printed(tamis):
    result = tamis("--version")
    assert (result.exit_code, result.stdout) == (0, f"tamis {package.__version__}\n")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["extract", "--help"], ["clean", "-h"]])
def test_help_has_examples_or_commands(tamis, words):
    result = tamis(*words)
    assert result.exit_code == 0
    assert "tamis clean" in result.stdout or "tamis extract" in result.stdout or "extract" in result.stdout


def test_help_fits_80_columns_and_names_values_without_types():
    from typer.testing import CliRunner

    from tamis.cli import app
    from tamis.cli.lazy import Commands

    for name, home in Commands.homes.items():
        subcommands = [None, "run", "plan", "find", "compare", "show", "edit"] if home.endswith(":app") else [None]
        for words in ([name, sub] if sub else [name] for sub in subcommands):
            shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80"}).output
            assert not re.search(r"<\w|\{\w|list\[|range>|x<=|x>=", shown), (words, shown)
            assert max(map(len, shown.splitlines())) <= 80
    assert max(map(len, overview().splitlines())) <= 80


@pytest.mark.parametrize(
    "words",
    [
        ["extract"],
        ["extract", "--nope"],
        ["extract", "a", "-f", "tex"],
        ["corpus", "rum"],
        ["--nope"],
        ["extract", "a", "--chunks", "0"],
        ["extract", "a", "b"],
        ["extract", "a", "--set"],
    ],
    ids=" ".join,
)
def test_a_mistake_in_the_command_line_is_one_sentence_that_names_the_help(tamis, words):
    result = tamis(*words)
    assert result.exit_code == 2
    (said,) = result.stderr.splitlines()
    assert said.startswith("tamis: ")
    assert said.endswith(" --help' shows what it takes")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["extract", "a", "--set"], "option '--set' needs a value;"),
        (["serve", "--port", "70000"], "'--port': it must be at most 65535;"),
        (["serve", "--port", "-1"], "'--port': it must be at least 0;"),
        (["serve", "--port", "http"], "'--port': it must be a whole number;"),
        (["extract", "a", "--timeout", "long"], "'--timeout': it must be a number;"),
        (["extract", "a", "b"], "more arguments than it takes: (b);"),
    ],
)
def test_mistakes_in_values_are_told_in_plain_words(tamis, words, said):
    assert said in tamis(*words).stderr


def test_the_shell_completes_commands_and_options():
    for line, completed in (("tamis ex", "extract"), ("tamis extract --mark", "--markdown"), ("tamis corpus r", "run")):
        command = "import sys; sys.argv = ['tamis']; from tamis.cli import main; main()"
        asked = {"_TAMIS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        done = subprocess.run([sys.executable, "-c", command], env={**os.environ, **asked}, capture_output=True, text=True, check=True)
        assert completed in done.stdout.split()


def test_help_states_the_defaults_of_the_library(tamis):
    shown = " ".join(tamis("extract", "--help").stdout.replace("│", " ").split())
    assert f"[default: {Attenuation().threshold}]" in shown
    assert f"[default: {Attenuation().link_density}]" in shown
    assert f"to fetch, render or clean one page. [default: {Limits().total:g}]" in shown
    assert f"[default: {Limits().max_bytes // 10**6}M]" in shown
    assert f"504). [default: {Limits().retries}]" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["extrat"], "there is no command 'extrat'; did you mean 'tamis extract'?"),
        (["brew"], "there is no command 'brew'; 'tamis --help' lists the commands"),
        (["https://example.org/x"], "for its main text: tamis extract https://example.org/x"),
    ],
)
def test_an_unknown_command_is_a_usage_error_with_a_suggestion(tamis, words, said):
    result = tamis(*words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_every_command_has_a_line_in_the_overview(tamis, process):
    assert {name for group in SUMMARIES.values() for name in group} >= set(COMMANDS)
    shown = process("--help").stdout.decode()
    assert shown.strip() == tamis("--help").stdout.strip()
    for name in COMMANDS:
        assert f"  {name}" in shown


def loaded(code, names):
    """Which of these modules a piece of code has loaded."""
    done = subprocess.run([sys.executable, "-c", f"import sys\n{code}\nprint({names} & set(sys.modules))"], capture_output=True, check=True)
    return done.stdout.decode().splitlines()[-1]


def test_help_loads_neither_typer_nor_parser_nor_network():
    code = "from tamis.cli import main\nsys.argv[1:] = ['--help']\ntry:\n main()\nexcept SystemExit:\n pass"
    assert loaded(code, {"numpy", "selectolax", "urllib3", "rich", "typer"}) == "set()"


def test_errors_are_one_sentence_with_their_code():
    for error, code in ((SourceError("no such page"), 1), (UsageError("not so"), 2), (OSError(28, "No space left", "out"), 1)):
        with pytest.raises(SystemExit) as ended, terminal.errors_in_a_sentence():
            raise error
        assert ended.value.code == code


def test_an_interruption_is_one_word(capsys):
    with pytest.raises(SystemExit) as ended, terminal.errors_in_a_sentence():
        raise KeyboardInterrupt
    assert ended.value.code == 130
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


COSTLY = set(
    "typer pydantic rich urllib3 urllib.request email ssl chardet pyarrow tamis.site.model "
    "tamis.document.metadata tamis.document.render.markdown tamis.document.render.tei".split()
)


def test_extracting_a_saved_page_loads_nothing_that_it_does_not_need(site):
    code = "from tamis.cli import main\nsys.argv[1:] = ['extract', 'site/a.html']\nmain()"
    assert loaded(code, COSTLY) == "set()"


@pytest.mark.parametrize("source", ["site/a.html", "site", "nowhere.html", "empty.html", "https://127.0.0.1:9/x"])
def test_the_short_way_to_extract_does_what_the_command_does(site, tamis, process, source):
    (site / "empty.html").write_text("<p> </p>", encoding="utf-8")
    done, command = process("extract", source), tamis("extract", source)
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (command.exit_code, command.stdout, command.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("words", [["extract", "site/a.html", "--explain"], ["denoise", "site/a.html", "--explain"]], ids=" ".join)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_explanations_have_colours_on_a_terminal(site, words, encoding):
    import os
    import pty

    control, terminal_end = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "PYTHONIOENCODING": f"{encoding}:strict"}
    subprocess.run(
        [sys.executable, "-m", "tamis", *words], stdout=terminal_end, stderr=subprocess.DEVNULL, env=environment, timeout=300, check=True
    )
    shown = os.read(control, 4_000).decode("utf-8", "replace")
    assert "\x1b[" in shown
    assert "\ufffd" not in shown
