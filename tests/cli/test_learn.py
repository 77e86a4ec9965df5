"""``tamis learn``, ``tamis template`` and ``tamis clean`` with a model."""

from __future__ import annotations

import json

import pytest

from tests.site.pages import article


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    for number in range(8):
        (tmp_path / "site" / f"{number}.html").write_text(article(number), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def texts(path):
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_learning_says_what_was_learned(folder, tamis):
    result = tamis("learn", "site", "-o", "m")
    assert result.exit_code == 0
    assert "learned from 8 pages in 1 layout" in result.stderr
    assert "content place: html > body > div#main > div.entry.post-0" in result.stderr


def test_a_file_is_no_model(folder, tamis):
    (folder / "file").write_text("x", encoding="utf-8")
    for words in (("template", "show", "file"), ("clean", "site", "--model", "file", "-o", "x.jsonl")):
        result = tamis(*words)
        assert (result.exit_code, result.stderr) == (1, "tamis: file is a file, and a site model is a folder (tamis learn makes one)\n")


def test_pages_of_several_sites_are_told(folder, tamis):
    for number in range(16):
        link = f"<link rel=canonical href=https://{'ab'[number % 2]}.org/{number}>"
        (folder / "site" / f"{number}.html").write_text(link + article(number), encoding="utf-8")
    said = tamis("learn", "site", "-o", "m").stderr
    assert "note: the pages are of several sites (a.org, b.org), and a template is of one: learn that of each by itself" in said
    said = tamis("clean", "site", "-o", "out.jsonl", "-j", 1).stderr
    assert "note: site was taken for one site, but has pages of several (a.org, b.org): put those of each into a folder" in said


def test_pages_of_another_site_are_told(folder, tamis):
    tamis("learn", "site", "-o", "m")
    (folder / "other.html").write_text("<section class=x><ul class=y>" + "<li class=z>A line of another site.</li>" * 9, encoding="utf-8")
    note = "note: the page has no known layout: cleaned on its own"
    assert note in tamis("extract", "other.html", "--model", "m").stderr
    assert note not in tamis("extract", "site/3.html", "--model", "m").stderr
    asks = "note: no page has a layout that the model knew: are the pages of the same site?"
    assert asks not in tamis("learn", "site/3.html", "-o", "m", "--update").stderr
    assert asks in tamis("learn", "other.html", "-o", "m", "--update").stderr


def test_a_model_cleans_one_page(folder, tamis):
    tamis("learn", "site", "-o", "m")
    result = tamis("clean", "site/3.html", "--model", "m", "-o", "out.jsonl", "-j", 1)
    assert result.exit_code == 0
    assert "Copyright" not in texts(folder / "out.jsonl")[0]


def test_a_folder_is_learned_and_cleaned_in_one_go(folder, tamis):
    result = tamis("clean", "site", "-o", "out.jsonl", "-j", 1)
    assert "learned the template of" in result.stderr
    assert not [text for text in texts(folder / "out.jsonl") if "Copyright" in text or "Share this" in text]


def test_alone_every_page_is_by_itself(folder, tamis):
    result = tamis("clean", "site", "-o", "out.jsonl", "-j", 1, "--alone")
    assert "learned" not in result.stderr


def test_learning_on_adds_pages(folder, tamis):
    tamis("learn", "site/[0-3].html", "-o", "m")
    result = tamis("learn", "site/[4-7].html", "-o", "m", "--update")
    assert "learned from 8 pages" in result.stderr
    tamis("learn", "site", "-o", "whole")
    assert tamis("template", "diff", "m", "whole").exit_code == 0


def test_a_model_is_shown(folder, tamis):
    tamis("learn", "site", "-o", "m", "--drop", "h1")
    shown = tamis("template", "show", "m").stdout
    assert "8 pages" in shown
    assert "div#foot" in shown
    assert "rule: drop h1" in shown
    described = json.loads(tamis("template", "show", "m", "--json").stdout)
    assert described["rules"]["drop"] == ["h1"]
    assert {part["verdict"] for part in described["template"]} == {"template text", "template links"}


def test_the_template_text_is_printed_once(folder, tamis):
    tamis("learn", "site", "-o", "m")
    lines = tamis("template", "text", "m", "site").stdout.splitlines()
    assert "Home" in lines
    assert len(lines) == len(set(lines))
    assert json.loads(tamis("template", "text", "m", "site", "--json").stdout) == lines


def test_rules_are_edited(folder, tamis):
    tamis("learn", "site", "-o", "m")
    assert tamis("template", "edit", "m", "--keep", "#foot", "--drop", "h1").exit_code == 0
    tamis("clean", "site", "--model", "m", "-o", "out.jsonl", "-j", 1)
    assert all("Copyright" in text and "Heading" not in text for text in texts(folder / "out.jsonl"))
    edited = json.loads(tamis("template", "edit", "m", "--forget", "#foot", "--json").stdout)
    assert (edited["keep"], edited["drop"]) == ([], ["h1"])
    wrong = tamis("template", "edit", "m", "--forget", "#foot")
    assert (wrong.exit_code, "no rule" in wrong.stderr) == (2, True)


def test_models_are_compared(folder, tamis):
    tamis("learn", "site", "-o", "m")
    tamis("learn", "site", "-o", "n", "--drop", "h1")
    result = tamis("template", "diff", "m", "n")
    assert (result.exit_code, result.stdout) == (1, "+ rule: drop h1\n")
    found = tamis("template", "diff", "m", "n", "--json")
    assert (found.exit_code, json.loads(found.stdout)) == (
        1,
        {"removed": {}, "added": {}, "changed": {}, "removed rules": [], "added rules": ["drop h1"]},
    )
    tamis("learn", "site/[0-3].html", "-o", "few")
    (folder / "site" / "0.html").write_text("<body><div id=other><p>Another page of the site, made in another way.</div>")
    tamis("learn", "site/[0-1].html", "-o", "other")
    there, back = (json.loads(tamis("template", "diff", *names, "--json").stdout) for names in (("few", "other"), ("other", "few")))
    assert there["removed"] == back["added"] != {}
    assert there["changed"] == {place: verdicts[::-1] for place, verdicts in back["changed"].items()}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("learn", "nowhere", "-o", "m"), 1, "nowhere"),
        (("learn", "site", "-o", "m", "--drop", "p..x"), 2, "is not a CSS selector"),
        (("learn", "site", "-o", "site"), 1, "not a site model"),
        (("learn", "site", "-o", "m", "--update"), 1, "no model.json"),
        (("template", "show", "site"), 1, "no model.json"),
        (("template", "edit", "site"), 1, "no model.json"),
        (("clean", "site", "--model", "site", "-o", "out.jsonl"), 1, "no model.json"),
    ],
)
def test_mistakes_are_told_in_a_sentence(folder, tamis, words, code, said):
    result = tamis(*words)
    assert result.exit_code == code
    assert said in result.stderr
    assert "Traceback" not in result.stderr
