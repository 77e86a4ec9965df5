"""The demo site in the form of the benchmarks' data: sites, lists, near-duplicates and texts of topics, all with gold.

====================  ==============================================================================================
``sites/``            English and Chinese pages, with selectors of main text and noise (``site.json``, ``pages.json``)
``records/lists/``    selectors of the records of list pages
``near-duplicates/``  pages, and which of them are one
``topics/``           invented texts of a few topics, for the experiment of the style tree's paper
====================  ==============================================================================================
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.topics import TOPICS
from demo.dice import Dice
from demo.site import SEED, DemoPage

_TYPES = {"news": "article", "handbook": "documentation", "forum": "forum", "list": "listing"}
_RECORDS = {"news": ".card", "handbook": "#content ol > li"}  #: Selectors of the records of list pages.
_COPIES = {"news/sea-wall-update.html": "news/sea-wall.html", "odd/broken.html": "news/oysters.html"}
_TEXTS, _SENTENCES = 12, 24  #: Texts of each topic, and sentences of each text.
_FILLING = "near the old harbour many people talk about this every year and some of them know a better way to do it".split()


def write_gold(folder: Path, pages: Sequence[DemoPage]) -> None:
    """Write the pages of :func:`demo.site.build_site` as sets with gold."""
    lists: list[dict[str, Any]] = []
    for language in ("en", "zh"):
        own = [page for page in pages if page.marked and page.gold.language.startswith(language)]
        listed = []
        for page in own:
            file = page.path.replace("/", "-")
            _write(folder / "sites" / language / "pages" / file, page.marked.encode())
            kind = "list" if page.gold.layout == "list" else "content"
            url = f"https://lantern-bay.example/{page.path}"
            listed.append({"file": file, "url": url, "kind": kind, "page_type": _TYPES[page.gold.layout]})
            if kind == "list" and (selector := _RECORDS.get(page.path.split("/")[-2] if "/" in page.path else "")):
                entry = {"site": language, "file": f"sites/{language}/pages/{file}", "record_selector": selector, "records": [selector]}
                lists.append(entry)
        roles = {"main": ["[data-role=main]"], "ignore": ["[data-role=either]"], "drop": ["[data-role=noise]"]}
        _write_json(folder / "sites" / language / "site.json", {"name": language, "lang": language, "selectors": roles})
        _write_json(folder / "sites" / language / "pages.json", listed)
    _write_json(folder / "records/lists/gold.json", lists)
    near = []
    for page in pages:
        if page.gold.language == "en" and page.gold.layout in ("news", "odd") and page.raw:
            file = page.path.replace("/", "-")
            _write(folder / "near-duplicates/pages" / file, page.raw)
            near.append({"file": file, "cluster": _COPIES.get(page.path, page.path), "set": "lantern-bay"})
    _write_json(folder / "near-duplicates/gold.json", near)
    rows = (json.dumps(text) for text in _texts())
    _write(folder / "topics/gold.jsonl.gz", gzip.compress("".join(f"{row}\n" for row in rows).encode(), mtime=0))


def _texts() -> list[dict[str, str]]:
    """Texts of topics: in every sentence two words of the topic."""
    found = []
    for topic, words in TOPICS.items():
        for number in range(_TEXTS):
            dice = Dice(f"{SEED}/{topic}/{number}")
            lines = []
            for _ in range(_SENTENCES):
                some = [dice.pick(sorted(words)), *(dice.pick(_FILLING) for _ in range(7)), dice.pick(sorted(words)), dice.pick(_FILLING)]
                lines.append(" ".join(some).capitalize() + ".")
            paragraphs = [" ".join(lines[k : k + 4]) for k in range(0, len(lines), 4)]
            found.append({"id": f"{topic}-{number}", "page_type": "article", "url": "", "main_content": "\n".join(paragraphs)})
    return found


def _write(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _write_json(path: Path, values: Any) -> None:
    _write(path, (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode())
