"""Every command: shared options have one spelling, one help and one default, and nothing is overwritten in silence."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from typer.main import get_command

from tamis.cli import app
from tamis.cli.options import Fetching, bounds_of
from tamis.cli.overview import COMMANDS
from tamis.cli.serve import Listening
from tamis.crawl import CrawlSettings
from tamis.errors import UsageError
from tamis.io.fetch import Limits
from tamis.server import ServerSettings

SHARED = (
    "overwrite",
    "limit",
    "timeout",
    "json",
    "workers",
    "quiet",
    "verbose",
    "url",
    "model",
    "max-error-ratio",
    "precision",
    "recall",
    "allow-private",
)
"""Options with the same spelling, help, metavar and default wherever they are."""
SPELLED = {"output": {"--output", "-o"}, "threshold": {"--threshold"}, "format": {"--format", "-f"}, "siblings": {"--siblings"}}
"""Options with the same spelling; what they write, or compare, is the command's."""
OWN_DEFAULT = {"limit", "workers", "timeout"}  #: What some commands describe in their own words, with their own default.
GONE = {"--page-timeout", "--page-seconds", "--pages", "--out", "--alike", "--coverage"}


def leaves():
    group = get_command(app)
    for name in COMMANDS:
        command = group.get_command(None, name)
        inner = getattr(command, "commands", None)
        if inner:
            yield from ((f"{name} {each}", inner[each]) for each in inner)
        else:
            yield name, command


COMMAND = dict(leaves())
every_command = pytest.mark.parametrize("command", COMMAND.values(), ids=COMMAND)


def options(command):
    return {max(param.opts, key=len).lstrip("-"): param for param in command.params if param.param_type_name == "option"}


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_option_is_the_same_everywhere(name):
    found = {
        (
            tuple(param.opts),
            param.help if name not in OWN_DEFAULT else "",
            str(param.metavar),
            str(param.default) if name != "max-error-ratio" else "",
        )
        for command in COMMAND.values()
        if (param := options(command).get(name))
    }
    assert len(found) == 1, found


@every_command
def test_options_are_spelled_one_way(command):
    spelled = {spelling for param in command.params for spelling in (*param.opts, *param.secondary_opts)}
    assert not spelled & GONE
    for name, spellings in SPELLED.items():
        if name in options(command):
            assert set(options(command)[name].opts) == spellings


@every_command
def test_every_command_can_be_quiet_and_verbose(command):
    assert {"quiet", "verbose"} <= set(options(command))


@every_command
def test_what_writes_can_overwrite(command):
    found = options(command)
    if {"output", "picture", "save", "heat-map", "report"} & set(found):
        assert "overwrite" in found


@every_command
def test_every_option_has_a_help(command):
    own = {name for name, param in options(command).items() if not param.help}
    assert not own - {"id-field", "text-field", "url-field", "time-field"}


OUT = "there"


@pytest.mark.parametrize(
    "words",
    [
        ["extract", "site/a.html", "-o", OUT],
        ["clean", "site", "-o", "there.jsonl"],
        ["clean", "site", "-o", "there.parquet"],
        ["denoise", "site/a.html", "-o", OUT],
        ["records", "site/a.html", "-o", "there.csv"],
        ["records", "site/a.html", "--save", "there.json"],
        ["segment", "site/a.html", "--estimated", "--picture", "there.png"],
        ["render", "site/a.html", "-o", "there.png"],
        ["similarity", "site", "-o", "there.csv"],
        ["similarity", "site", "--heat-map", "there.png"],
        ["dedup", "find", "texts.jsonl", "-o", "there.jsonl"],
        ["dedup", "find", "texts.jsonl", "--report", "there.jsonl"],
        ["corpus", "report", "site", "-o", "there.html"],
        ["papers", "site", "-o", "there.html"],
        ["learn", "site", "-o", "model"],
    ],
    ids=" ".join,
)
def test_nothing_is_overwritten_in_silence(site, tamis, words):
    (site / "texts.jsonl").write_text('{"id": "1", "text": "words"}\n', encoding="utf-8")
    assert tamis("learn", "site", "-o", "model").exit_code == 0
    target = site / words[-1]
    if words[-1] != "model":
        target.write_text("mine", encoding="utf-8")
    result = tamis(*words)
    assert result.exit_code == 2
    assert f"{words[-1]} exists already" in result.stderr
    assert "--overwrite replaces it" in result.stderr
    if words[-1] != "model":
        assert target.read_text(encoding="utf-8") == "mine"


RUNS = {
    "extract": ["site/a.html"],
    "render": ["site/a.html", "-o", "a.html"],
    "denoise": ["list.html", "--siblings", "site"],
    "segment": ["site/a.html", "--estimated"],
    "clean": ["site", "-o", "a.jsonl"],
    "crawl": ["http://127.0.0.1:9/", "-o", "crawl"],
    "map": ["http://127.0.0.1:9/"],
    "learn": ["site", "-o", "m"],
    "template show": ["model"],
    "template diff": ["model", "model"],
    "template text": ["model", "site"],
    "template edit": ["model", "--keep", "p"],
    "similarity": ["site"],
    "corpus plan": ["site"],
    "corpus run": ["site", "-o", "corpus"],
    "corpus retry": ["run"],
    "corpus report": ["run"],
    "records": ["list.html"],
    "dedup find": ["texts.jsonl", "-o", "b.jsonl"],
    "dedup compare": ["site/a.html", "site/b.htm"],
    "papers": ["site/a.html"],
    "doctor": [],
}
"""A command line for every command that ends by itself."""
SERVERS = {"serve", "inspect", "mcp"}
MISTAKES = {
    "extract": ["no.html"],
    "render": ["no.html"],
    "denoise": ["no.html"],
    "segment": ["no.html", "--estimated"],
    "clean": ["no.html", "-o", "x.jsonl"],
    "crawl": ["no", "-o", "x"],
    "map": ["no"],
    "learn": ["no", "-o", "x"],
    "template show": ["no"],
    "template diff": ["no", "no"],
    "template text": ["no", "no"],
    "template edit": ["no", "--keep", "p"],
    "similarity": ["no.html", "no.htm"],
    "corpus plan": ["no"],
    "corpus run": ["no", "-o", "x"],
    "corpus retry": ["no"],
    "corpus report": ["no"],
    "records": ["no.html"],
    "dedup find": ["no.jsonl", "-o", "x.jsonl"],
    "dedup compare": ["no.txt", "no.txt"],
    "papers": ["no.html"],
    "doctor": ["no"],
}
"""The same, of things that are not there."""


@pytest.fixture
def things(site, tamis):
    """What the commands of :data:`RUNS` need."""
    (site / "texts.jsonl").write_text('{"id": "1", "text": "words"}\n', encoding="utf-8")
    rows = "".join(f"<li><a href=/{n}>Boat number {n}</a><p>Words of boat {n}, and its price of {n}0 euros.</p></li>" for n in range(6))
    (site / "list.html").write_text(f"<ul>{rows}</ul>", encoding="utf-8")
    assert tamis("learn", "site", "-o", "model").exit_code == 0
    return site


def test_every_command_is_walked():
    assert RUNS.keys() | SERVERS == COMMAND.keys()
    assert MISTAKES.keys() == RUNS.keys()


@pytest.mark.parametrize("name", RUNS)
def test_a_quiet_command_says_nothing_besides_its_result(things, tamis, name, request):
    if name == "render":
        request.getfixturevalue("browser")
    if name.startswith("corpus re"):
        assert tamis("corpus", "run", "site", "-o", "run", "-j", "1", "-q").exit_code == 0
    result = tamis(*name.split(), *RUNS[name], "-q")
    if name in ("crawl", "map"):  # an error is no message
        assert (result.exit_code, result.stderr.count("\n")) == ({"crawl": 3, "map": 1}[name], 1)
    else:
        assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_ends_with_one_sentence_and_a_documented_code(things, tamis, name):
    result = tamis(*name.split(), *MISTAKES[name])
    assert result.exit_code in (1, 2), result.stderr
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith(("tamis: ", "Usage: ")), result.stderr
    assert "no" in result.stderr
    assert not (things / "x").exists() or not any((things / "x").iterdir())
    assert not (things / "x.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["extract", "site/a.html", "--precision", "--recall"], "exclude each other"),
        (["extract", "site/a.html", "--precision", "--method", "attenuation"], "of the node model"),
        (["extract", "site/a.html", "--format", "html", "--markdown"], "--markdown contradicts --format html"),
        (["extract", "site/a.html", "--markdown", "-o", "x.html"], "x.html is a name for html, not for --format markdown: name it .md"),
        (["denoise", "site/a.html", "-f", "text", "-o", "x.json"], "x.json is a name for json, not for --format text: name it .txt"),
        (["records", "site/a.html", "-f", "parquet", "-o", "x.csv"], "x.csv is a name for csv, not for --format parquet: name it .parquet"),
        (["extract", "site/a.html", "--allow-private"], "--allow-private is for --browser"),
        (["clean", "site", "-o", "x.jsonl", "--model", "m", "--alone"], "choose one"),
        (["learn", "site", "-o", "m", "--update", "--overwrite"], "choose one"),
        (["segment", "site/a.html", "--estimated", "--javascript"], "works without a browser"),
    ],
)
def test_contradicting_options_are_an_error(site, tamis, words, said):
    result = tamis(*words)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize("kind", [Limits, CrawlSettings, ServerSettings])
def test_every_limit_is_an_option(kind):
    with pytest.raises(UsageError) as told:
        bounds_of(kind, ["="])
    for each in fields(kind):
        if type(each.default) in (int, float):
            assert each.name in str(told.value)
            assert bounds_of(kind, [f"{each.name}=7"]) == {each.name: 7}
    assert bounds_of(kind, None) == {}


@pytest.mark.parametrize(
    ("words", "told"), [("queue=0", "queue must be above 0"), ("queue=1.5", "names: body_seconds"), ("host=3", "names: ")]
)
def test_a_limit_that_is_none_is_told(tamis, words, told):
    done = tamis("serve", "--set", words)
    assert done.exit_code == 2
    assert told in done.stderr


def test_limits_reach_what_they_limit():
    assert Fetching(timeout=5, bounds=["connect=2", "redirects=0"]).limits() == Limits(2, 5, 5, redirects=0)
    settings = Listening(bounds=["queue=8", "body_seconds=1.5"]).settings(Path(), 1, page_seconds=3, max_bytes=None)
    assert (settings.queue, settings.body_seconds, settings.page_seconds) == (8, 1.5, 3)
