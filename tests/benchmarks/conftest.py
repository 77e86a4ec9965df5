"""Tiny hand-made folders with gold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

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


def sentence_of_its_own(seed: str) -> str:
    """Eighteen made-up words that no other seed gives."""
    chance = Random(seed)
    return " ".join("".join(chance.choices(("ka", "lo", "mi", "ru", "ste", "von", "pra", "ti"), k=3)) for _ in range(18)).capitalize() + "."


def site_page(site: str, title: str, paragraphs: list[str], main: bool = True) -> str:
    """A page of a template with static text, a menu, and links that vary."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    article = f"<article class=post><h1>{title}</h1><div class=text>{body}</div><div class=share>Share this page</div></article>"
    listing = f"<ul class=list>{''.join(f'<li><a href=/{text}>{text}</a>' for text in paragraphs)}</ul>"
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body class={site}>"
        f"<header><a href=/>The {site} pages</a><nav><a href=/a>Birds</a> <a href=/b>Nests</a> <a href=/c>Rivers</a></nav></header>"
        f"<main>{article if main else listing}</main>"
        f"<aside class=about><h2>About the {site}</h2><p>The {site} pages are written by people who walk along the river.</p></aside>"
        f"<footer>All rights reserved by the {site} society, founded long ago</footer></body></html>"
    )


@pytest.fixture
def larger_sites(tmp_path: Path) -> Path:
    """Two sites of twelve content pages with texts of their own, and two list pages."""
    selectors = {"main": ["div.text"], "drop": [".share"], "ignore": ["h1"]}
    for name in ("heron", "stork"):
        folder = tmp_path / "larger" / name
        (folder / "pages").mkdir(parents=True)
        (folder / "site.json").write_text(json.dumps({"name": name, "lang": "en", "selectors": selectors}))
        listed = []
        for k in range(14):
            file = f"{k:04}.html.gz"
            own = [sentence_of_its_own(f"{name} {k} {j}") for j in range(3)]
            html = site_page(name, f"Page {k} of {name}", own if k < 12 else [f"Page {j} of {name}" for j in range(k)], main=k < 12)
            (folder / "pages" / file).write_bytes(gzip.compress(html.encode()))
            kind, page_type = ("content", "post") if k < 12 else ("other", "list")
            listed.append({"file": file, "url": f"https://{name}.example/{k}", "kind": kind, "page_type": page_type})
        (folder / "pages.json").write_text(json.dumps(listed))
    return tmp_path / "larger"


@pytest.fixture
def topic_pages(tmp_path: Path) -> Path:
    """Single pages with texts of two topics, and one of none."""
    folder = tmp_path / "topics"
    folder.mkdir()
    sentences = {
        "home": "The garden has plants that grow in wood and soil, said neighbour {k}.\n",
        "health": "The doctor saw patients in the hospital with symptoms of disease {k}.\n",
        "none": "A heron stands in the reeds and waits for the quiet of evening {k}.\n",
    }
    count = {"home": 9, "health": 8, "none": 1}
    records = [
        {"id": f"{topic}-{n}", "main_content": "".join(sentence.format(k=n * 100 + k) for k in range(20))}
        for topic, sentence in sentences.items()
        for n in range(count[topic])
    ]
    (folder / "gold.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))
    return folder
