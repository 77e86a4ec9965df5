"""``tamis extract``."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import pytest

from tamis.document.document import ENDINGS
from tests.cli.conftest import article, text


def test_the_text_of_a_page_is_printed(site, tamis):
    result = tamis("extract", "site/a.html")
    assert (result.exit_code, result.stdout, result.stderr) == (0, text(1), "")
    assert tamis("extract", "site/deep/c.html.gz").stdout == text(3)


def test_a_dash_as_output_is_standard_output(site, tamis):
    assert tamis("extract", "site/a.html", "-o", "-").stdout == text(1)
    assert not (site.parent / "-").exists()


def test_a_page_comes_from_standard_input(tamis):
    assert tamis("extract", "-", input=article(4)).stdout == text(4)


@pytest.mark.parametrize(("form", "start"), [("markdown", "Paragraph 1"), ("html", "<"), ("json", "{")])
def test_each_form_has_a_short_option(site, tamis, form, start):
    result = tamis("extract", "site/a.html", f"--{form}")
    assert result.stdout.startswith(start)
    assert result.stdout == tamis("extract", "site/a.html", "-f", form).stdout
    assert result.stdout.endswith("\n")
    assert not result.stdout.endswith("\n\n")


@pytest.mark.parametrize(("name", "form"), [("x.md", "markdown"), ("x.HTML", "html"), ("x.json", "json"), ("x.xml", "xml"), ("x", "text")])
def test_the_format_follows_the_name_of_the_file(site, tamis, name, form):
    assert tamis("extract", "site/a.html", "-o", name).exit_code == 0
    assert (site / name).read_text(encoding="utf-8") == tamis("extract", "site/a.html", "-f", form).stdout


def test_a_text_file_may_hold_any_format(site, tamis):
    assert tamis("extract", "site/a.html", "--html", "-o", "x.txt").exit_code == 0
    assert (site / "x.txt").read_text(encoding="utf-8").startswith("<")


def test_json_holds_text_metadata_and_address(site, tamis):
    result = json.loads(tamis("extract", "site/a.html", "--json", "--url", "https://example.org/a").stdout)
    assert result["text"] + "\n" == text(1)
    assert result["url"] == "https://example.org/a"
    assert result["encoding"]["name"] == "utf-8"
    assert result["metadata"]["title"] == "Page 1"


def test_links_can_be_left_out(site, tamis):
    page = (
        "<p>Read <a href=https://example.org/more>more</a> about the tides, which come and go.</p><p>There is a lot to say about them.</p>"
    )
    assert "https://example.org/more" in tamis("extract", "-", "--markdown", input=page).stdout
    assert "https://example.org/more" not in tamis("extract", "-", "--markdown", "--no-links", input=page).stdout


def test_what_is_missing_of_a_page_is_said(tamis):
    page = "".join(f"<p>Paragraph {number} has the square {number**2}." for number in range(900))
    result = tamis("extract", "-", input=gzip.compress(page.encode())[:-500])
    assert result.stdout.startswith("Paragraph 0 has the square 0.\n")
    assert result.stderr == "note: the gzip data are damaged or cut off: the rest of the page is missing\n"


def test_the_encoding_can_be_named(tamis):
    page = "<p>Сказка о рыбаке и рыбке.</p>".encode("koi8-r")
    assert tamis("extract", "-", "--encoding", "koi8-r", input=page).stdout == "Сказка о рыбаке и рыбке.\n"
    result = tamis("extract", "-", "--encoding", "klingon", input=page)
    assert (result.exit_code, result.stderr) == (2, "tamis: there is no encoding 'klingon'\n")


def test_chunks_are_json_lines(site, tamis):
    page = f"<main><h1>Reeds</h1><p>{'Reeds grow where the water is calm. ' * 20}</main>"
    chunks = [json.loads(line) for line in tamis("extract", "-", "--chunks", 50, input=page).stdout.splitlines()]
    assert len(chunks) > 1
    assert all(chunk["headings"] == ["Reeds"] and chunk["size"] <= 50 for chunk in chunks)
    assert [chunk["number"] for chunk in chunks] == list(range(len(chunks)))
    assert all((chunk["source"], chunk["url"], chunk["title"]) == ("-", None, "Reeds") for chunk in chunks)
    head = "<html lang=en><head><meta name=author content='Ann Lee'><link rel=canonical href=https://example.org/reeds></head>"
    chunk = json.loads(tamis("extract", "-", "--chunks", 500, input=f"{head}{page}").stdout)
    known = (chunk[name] for name in ("id", "url", "author", "date", "language"))
    assert tuple(known) == ("-#0", "https://example.org/reeds", "Ann Lee", None, "en")
    assert tamis("extract", "-", "--chunks", 50, input="<p>").exit_code == 3
    refused = tamis("extract", "-", "--chunks", 50, "--json", "--explain", input=page)
    said = "tamis: --chunks prints JSON lines: leave out --format, --markdown, --html, --json and --explain\n"
    assert (refused.exit_code, refused.stderr) == (2, said)


@pytest.mark.parametrize("name", ["c.jsonl", "c.csv"])
def test_a_file_of_an_unknown_format_is_refused(site, tamis, name):
    refused = tamis("extract", "site/a.html", "-o", name)
    known = f"tamis: unknown format of {name}: name it {', '.join(ENDINGS.values())}, or use --format\n"
    assert (refused.exit_code, refused.stderr) == (2, known)
    assert not (site / name).exists()
    assert tamis("extract", "site/a.html", "-o", name, "--format", "text").exit_code == 0


def test_chunks_go_into_files_for_json_lines(site, tamis):
    refused = tamis("extract", "site/a.html", "--chunks", 50, "-o", "chunks.md")
    assert (refused.exit_code, refused.stderr) == (2, "tamis: --chunks prints JSON lines: name the file .jsonl, not chunks.md\n")
    assert tamis("extract", "site/a.html", "--chunks", 50, "-o", "chunks.jsonl", "--url", "https://reeds.example/a").exit_code == 0
    first = json.loads((site / "chunks.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (first["source"], first["url"]) == ("site/a.html", "https://reeds.example/a")


def test_a_file_is_written_whole(site, tamis):
    result = tamis("extract", "site/a.html", "-o", "a.txt")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "written to a.txt\n")
    assert (site / "a.txt").read_text(encoding="utf-8") == text(1)
    assert not list(site.glob("*.partial"))
    assert tamis("extract", "site/a.html", "-o", "a.txt", "--overwrite", "--quiet").stderr == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_device_is_written_to_and_not_replaced(site, tamis):
    os.mkfifo(site / "pipe")
    reading = os.open(site / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert tamis("extract", "site/a.html", "-o", "pipe", "--overwrite").exit_code == 0
    assert os.read(reading, 10_000).decode() == text(1)
    assert (site / "pipe").is_fifo()
    refused = tamis("clean", "site", "-o", "pipe", "--overwrite")
    assert (refused.exit_code, refused.stderr) == (2, "tamis: pipe is neither a file nor a folder\n")
    os.close(reading)


def test_what_a_link_leads_to_is_written(site, tamis):
    (site / "link").symlink_to("far.txt")
    assert tamis("extract", "site/a.html", "-o", "link").exit_code == 0
    assert (site / "link").is_symlink()
    assert (site / "far.txt").read_text(encoding="utf-8") == text(1)
    (site / "circle").symlink_to("circle")
    assert tamis("extract", "site/a.html", "-o", "circle").exit_code == 0
    assert (site / "circle").read_text(encoding="utf-8") == text(1)
    (site / "folder").symlink_to("far")
    assert tamis("clean", "site", "-o", "folder").exit_code == 0
    assert (site / "folder").is_symlink()
    assert any((site / "far").iterdir())


@pytest.mark.skipif(os.name == "nt", reason="needs a shell of Unix")
def test_a_closed_standard_output_is_an_error_only_where_it_is_written_to(site):
    command = f"{sys.executable} -m tamis extract site/a.html"
    printed = subprocess.run(f"{command} >&-", shell=True, capture_output=True, text=True, check=False)
    assert (printed.returncode, printed.stderr) == (1, "tamis: Bad file descriptor\n")
    helped = subprocess.run(f"{sys.executable} -m tamis --help >&-", shell=True, capture_output=True, text=True, check=False)
    assert (helped.returncode, helped.stderr) == (1, "tamis: Bad file descriptor\n")
    assert subprocess.run(f"{command} -o a.txt >&- 2>&-", shell=True, check=False).returncode == 0
    assert (site / "a.txt").exists()


def test_nothing_selected_has_a_code_of_its_own_and_a_reason(site, tamis):
    result = tamis("extract", "-", "-o", "empty.txt", input="<body></body>")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "tamis: nothing was selected: the page has no text (--explain shows all blocks)\n"
    assert not (site / "empty.txt").exists()
    result = tamis("extract", "-", "--json", input="<body></body>")
    assert (result.exit_code, json.loads(result.stdout)["problems"]) == (3, ["the page has no text"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["missing.html"], 1, "there is no file or folder 'missing.html'"),
        (["site"], 1, "site holds many pages: 'tamis clean' cleans them all"),
        (["ftp://example.org"], 2, "pages are fetched with http and https, not ftp"),
        (["https://["], 2, "is not a valid address"),
        (["http://127.0.0.1:1/"], 1, "no connection to 127.0.0.1, port 1"),
        (["site/a.html", "--json", "--html"], 2, "--json contradicts --format html"),
        (["site/a.html", "--max-bytes", "10"], 1, "larger than the limit of 10 bytes (--max-bytes)"),
    ],
)
def test_errors_are_one_sentence(site, tamis, words, code, said):
    result = tamis("extract", *words)
    assert result.exit_code == code
    assert said in result.stderr
    assert result.stderr.startswith("tamis: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [[], ["site/a.html", "--threshold", "3"], ["site/a.html", "--max-bytes", "many"], ["a", "-f", "pdf"]])
def test_mistakes_in_the_command_have_code_2(site, tamis, words):
    assert tamis("extract", *words).exit_code == 2


def test_the_limits_of_the_method_can_be_set(site, tamis):
    page = "<div>An aside.</div><div><p>The first paragraph of the text.</p><p>And the second one follows.</p></div>"
    assert "An aside." not in tamis("extract", "-", "--method", "attenuation", input=page).stdout
    assert "An aside." in tamis("extract", "-", "--threshold", "0", input=page).stdout


def test_an_explanation_shows_the_descent_and_each_block(site, tamis):
    result = tamis("extract", "site/a.html", "--explain", "--method", "attenuation")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Descent (attenuation)")
    assert any(line.endswith("/html[1]/body[1]/article[1]") for line in lines)
    assert "+ Paragraph 1 says something." in lines
    assert "- Home" in lines
    assert "outside the main element · links 100%" in lines[lines.index("- Home") + 1]


def test_an_explanation_as_json_holds_the_same(site, tamis):
    result = json.loads(tamis("extract", "site/a.html", "--explain", "--json", "--method", "attenuation").stdout)
    assert "model" not in result
    assert result["trail"][-1]["path"] == "/html[1]/body[1]/article[1]"
    assert [block["text"] for block in result["blocks"] if block["kept"]] == text(1).splitlines()


def test_an_explanation_of_the_model_shows_the_type_of_page_and_all_evidence(site, tamis):
    lines = tamis("extract", "site/a.html", "--explain").stdout.splitlines()
    assert lines[0].startswith("Node model: page type ")
    assert "+ Paragraph 1 says something." in lines
    assert "main text with a probability of" in lines[lines.index("- Home") + 1]
    result = json.loads(tamis("extract", "site/a.html", "--explain", "--json").stdout)["model"]
    of_home = next(block for block in result["evidence"] if block["text"] == "Home")
    assert of_home["links"] == 1
    assert of_home["probability"] < 0.5
    assert sum(result["page_types"].values()) == pytest.approx(1)


def test_an_explanation_can_be_written_and_cannot_command_a_terminal(site, tamis):
    tamis("extract", "-", "--explain", "-o", "why.txt", input="<p>Danger \x1b[2J here.</p><p>And some more text.</p>")
    written = (site / "why.txt").read_text(encoding="utf-8")
    assert "\x1b" not in written
    assert "+ Danger \ufffd[2J here." in written


def test_output_is_utf_8_whatever_the_locale_says(site, process):
    (site / "z.html").write_text("<meta charset=utf-8><p>漢字の文章です。</p>", encoding="utf-8")
    done = process("extract", "z.html", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (done.returncode, done.stdout.decode()) == (0, "漢字の文章です。\n")


def test_a_reader_that_has_had_enough_causes_no_noise(site):
    page = "<p>" + "</p><p>".join(f"Line {number} of a very long page." for number in range(20_000))
    (site / "long.html").write_text(page, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "tamis", "extract", "long.html"]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert writer.stdout.readline() == b"Line 0 of a very long page.\n"
    writer.stdout.close()
    assert writer.stderr.read() == b""
    writer.stderr.close()
    writer.wait(timeout=300)


def test_the_node_model_is_asked_for_by_name(tamis, site):
    result = tamis("extract", "site/a.html", "--method", "model")
    assert result.exit_code == 0
    assert result.stdout == text(1)
    explained = tamis("extract", "site/a.html", "--method", "model", "--explain")
    assert "kept: main text with a probability of" in explained.stdout
    assert "Descent" not in explained.stdout


def test_settings_of_one_method_are_refused_by_the_other(tamis, site):
    result = tamis("extract", "site/a.html", "--method", "model", "--threshold", "0.5")
    assert result.exit_code == 2
    assert "options of attenuation" in result.stderr


def test_comments_title_and_front_matter_are_options(tamis, tmp_path):
    page = tmp_path / "gulls.html"
    page.write_text(
        "<html><head><title>Gulls</title></head><body><article>"
        + "<p>Gulls follow the boats home, and they know every skipper by the sound of the engine, says the harbour master.</p>" * 3
        + "</article><div id=comments>"
        + "<div class=comment><span class=author>Ann</span><time>2024-05-01</time><p>I have seen one open a bin.</p></div>"
        + "<div class=comment><span class=author>Bo</span><time>2024-05-02</time><p>They once took my lunch.</p></div></div>",
        encoding="utf-8",
    )
    assert tamis("extract", page, "--markdown", "--front-matter").stdout.startswith('---\ntitle: "Gulls"')
    assert tamis("extract", page, "--title").stdout.startswith("Gulls\n")
    assert "open a bin" not in tamis("extract", page).stdout
    listed = json.loads(tamis("extract", page, "--json", "--comments").stdout)["comments"]
    assert [comment["author"] for comment in listed] == ["Ann", "Bo"]
    assert tamis("extract", page, "--front-matter").exit_code == 2
