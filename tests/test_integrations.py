"""The scripts in docs/howto/integrations.md do what they say, with the real packages."""

from __future__ import annotations

import doctest
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from demo import write_site
from demo.server import serving

from .test_docs import ROOT, blocks

PAGE = (ROOT / "docs/howto/integrations.md").read_text(encoding="utf-8")
PACKAGES = {
    "pandas": "pandas",
    "Spark": "pyspark",
    "Ray": "ray.data",
    "Scrapy": "scrapy",
    "datatrove": "datatrove",
    "LangChain": "langchain_core",
    "LlamaIndex": "llama_index.core",
}
SECTIONS = dict(part.partition("\n")[::2] for part in PAGE.split("\n## ")[1:])


def test_every_section_has_a_test():
    assert SECTIONS.keys() == PACKAGES.keys()


@pytest.fixture
def site(tmp_path):
    write_site(tmp_path / "site")
    return tmp_path


def run(name, folder, *words):
    """Run the script of a section; what it prints, and what the page says that it prints."""
    pytest.importorskip(PACKAGES[name], reason=f"{name} is not installed")
    script, *shown = (block.body for block in blocks(SECTIONS[name]) if block.kind in ("python", "text"))
    (folder / "script.py").write_text(script, encoding="utf-8")
    environment = os.environ | {"PYTHONUTF8": "1", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, "script.py", *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout, "".join(shown)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pandas", "Spark", "Ray", "LangChain", "LlamaIndex"])
def test_a_script_prints_what_the_page_says(name, site):
    if name == "Spark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    printed, expected = run(name, site)
    assert doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), printed


@pytest.mark.slow
def test_a_scrapy_spider_writes_texts(site):
    with serving(site / "site") as url:
        run("Scrapy", site, f"{url}news/index.html")
    rows = [json.loads(line) for line in (site / "news.jsonl").read_text(encoding="utf-8").splitlines()]
    by_name = {Path(row["url"]).name: row for row in rows}
    assert len(rows) >= 5
    assert by_name["oysters.html"]["title"]
    assert len(by_name["oysters.html"]["text"]) > 1_000


@pytest.mark.slow
def test_a_datatrove_pipeline_writes_texts(site):
    run("datatrove", site)
    (file,) = (site / "out").glob("*.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(list((site / "site/news").glob("*.html")))
    assert all("<" not in row["text"][:50] and len(row["text"]) > 500 for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pandas", "LangChain", "LlamaIndex"])
def test_a_script_takes_a_hundred_pages(name, site):
    """So many are cleaned by worker processes, which must not run the script again."""
    page = (site / "site/news/oysters.html").read_bytes()
    for number in range(100):
        (site / f"site/news/more-{number}.html").write_bytes(page)
    printed, _ = run(name, site)
    assert printed.strip()
