"""A folder of pages as the current folder, and the command line to run there."""

from __future__ import annotations

import gzip
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tamis.cli import app


def article(number: int) -> str:
    return (
        f"<html><head><title>Page {number}</title></head><body><ul><li><a href=/>Home</a><li><a href=/all>All</a></ul>"
        f"<article><p>Paragraph {number} says something.</p><p>And here is more of it, for the {number}. time.</p></article></body></html>"
    )


def text(number: int) -> str:
    return f"Paragraph {number} says something.\nAnd here is more of it, for the {number}. time.\n"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Three pages, one of them in gzip and a subfolder."""
    (tmp_path / "site/deep").mkdir(parents=True)
    (tmp_path / "site/a.html").write_text(article(1), encoding="utf-8")
    (tmp_path / "site/b.htm").write_text(article(2), encoding="utf-8")
    (tmp_path / "site/deep/c.html.gz").write_bytes(gzip.compress(article(3).encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tamis():
    """Runs the command line within this process."""

    def run(*words, **options):
        return CliRunner().invoke(app, [str(word) for word in words], **options)

    return run


@pytest.fixture
def process():
    """Runs the command line in a process of its own."""

    def run(*words, **options):
        return subprocess.run([sys.executable, "-m", "tamis", *words], capture_output=True, timeout=300, check=False, **options)

    return run
