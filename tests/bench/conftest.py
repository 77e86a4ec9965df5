"""Tiny hand-made folders with gold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

SENTENCES = [
    "The heron waits in the reeds until the water is quiet, and then it strikes at once.",
    "Its nest is a wide platform of sticks, high in a tree that others would call dead.",
    "In autumn some of the birds leave, others stay where a river never freezes over.",
]


def page(title: str, paragraphs: list[str], footer: str = "All rights reserved by the bird society") -> str:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body>"
        "<nav><ul><li><a href=/>Home</a><li><a href=/birds>Birds</a></ul></nav>"
        f"<article><h1>{title}</h1><div class=text>{body}<div class=share>Share this page</div></div></article>"
        f"<footer>{footer}</footer></body></html>"
    )


@pytest.fixture
def single_pages(tmp_path: Path) -> Path:
    """Three single pages of two types, one with an empty gold."""
    folder = tmp_path / "birds"
    (folder / "html").mkdir(parents=True)
    records = []
    for k in range(3):
        name = f"{k:04}"
        paragraphs = SENTENCES[k:] + SENTENCES[:k]
        (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(page(f"Bird {k}", paragraphs).encode()))
        gold = "\n\n".join(paragraphs) if k < 2 else ""
        kind = "article" if k < 2 else "product"
        records.append({"id": name, "url": f"https://birds.example/{k}", "page_type": kind, "title": f"Bird {k}", "main_content": gold})
    (folder / "gold.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))
    return folder


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    """Two sites with two content pages each, and a page that is none."""
    selectors = {
        "main": ["div.text"],
        "drop": [".share"],
        "ignore": ["h1"],
        "line_rules": [["^Ad: ", "noise"], ["^By ", "ignore"]],
    }
    for name, language in (("heron", "en"), ("stork", "en+de")):
        folder = tmp_path / "sites" / name
        (folder / "pages").mkdir(parents=True)
        (folder / "site.json").write_text(json.dumps({"name": name, "lang": language, "selectors": selectors}))
        listed = []
        for k in range(3):
            file = f"{k:04}.html.gz"
            html = page(f"{name} {k}", [*SENTENCES, "Ad: buy seeds", "By A. Writer"])
            (folder / "pages" / file).write_bytes(gzip.compress(html.encode()))
            kind = "content" if k < 2 else "other"
            listed.append({"file": file, "url": f"https://{name}.example/{k}", "kind": kind, "page_type": "post"})
        (folder / "pages.json").write_text(json.dumps(listed))
    return tmp_path / "sites"
