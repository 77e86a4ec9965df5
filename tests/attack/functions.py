"""Every public function that takes a page, by name: what the table of hostile shapes and the fuzzing call."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import tamis
from tamis.document.document import FORMATS, Document

URL = "https://lantern-bay.example/news/2024/herons.html"
OTHERS = (
    b"<body><div id=nav><a href=/>Home</a><a href=/news>News</a></div><div id=main><h1>Storks</h1><p>In spring all of them are back.</div>",
    b"<body><div id=nav><a href=/>Home</a><a href=/news>News</a></div><div id=main><h1>Cranes</h1><p>Few birds dance so well.</div>",
)
"""Pages of the same site for the functions that take several."""

Page = bytes | str | tamis.PageTree


def _attenuation(page: Page) -> list[str]:
    document = tamis.extract(page, url=URL, method="attenuation")
    _ = document.text
    return list(document.problems)


def _of_document(use: Callable[[Document], Any], page: Page) -> list[str]:
    document = tamis.extract(page, url=URL)
    use(document)
    return list(document.problems)


def _extract_with_model(page: Page) -> list[str]:
    return list(tamis.extract(page, url=URL, model=tamis.learn([page, *OTHERS])).problems)


def _denoise(page: Page) -> list[str]:
    done = tamis.denoise(page, [*OTHERS, page], url=URL)
    done.explain()
    return list(done.problems)


def _records(page: Page) -> list[str]:
    found = tamis.find_records(page, url=URL)
    for table in (found.table, *found.data_tables):
        table.to_csv()
        table.to_jsonl()
    return list(found.tree.notes)


def _learn_records(page: Page) -> list[str]:
    with suppress(tamis.TamisError):  # a page without records is the caller's mistake here
        tamis.find_records(page, wrapper=tamis.learn_records([page, page], like="one"))
    return []


def _segment(page: Page) -> list[str]:
    found = tamis.segment(page)
    found.to_dict()
    return list(found.tree.notes)


def _similarity(method: str) -> Callable[[Page], list[str]]:
    def call(page: Page) -> list[str]:
        assert 0 <= tamis.similarity(page, OTHERS[0], method) <= 1  # type: ignore[arg-type]
        assert tamis.similarity(page, page, method) > 0.99 or not len(tamis.parse(page))  # type: ignore[arg-type]
        return []

    return call


def _duplicates(page: Page) -> list[str]:
    text = page.decode("utf-8", "replace") if isinstance(page, bytes) else page if isinstance(page, str) else tamis.extract(page).text
    tamis.find_duplicates([tamis.TextDocument(str(n), each) for n, each in enumerate((text, text[:-20], "another text"))])
    return []


def members(kind: type) -> list[str]:
    """Return the public properties and methods of a type that can be asked for without arguments, from the type itself, so that a new one
    cannot be left out."""
    found = []
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        if name.startswith("_") or isinstance(value, (classmethod, staticmethod, type)):
            continue
        if callable(value) and not inspect.isfunction(value):
            continue  # inherited from a class of Python
        if callable(value):
            needed = list(inspect.signature(value).parameters.values())[1:]
            if any(each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in needed):
                continue
        found.append(name)
    return found


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "chunks": [{"size": 1}, {"size": 20}, {"size": 100_000}],
}
"""Arguments besides the defaults that methods are called with."""


def ask_everything(thing: Any, depth: int = 2) -> None:
    """Ask a returned object for all that it offers, and the tamis objects among the answers, too."""
    kind = type(thing)
    if isinstance(thing, (list, tuple)):
        for each_of in thing[:3]:
            ask_everything(each_of, depth)
        return
    if not kind.__module__.startswith("tamis.") or issubclass(kind, type) or depth < 0:
        return
    for name in members(kind):
        with suppress(tamis.TamisError):
            value = getattr(thing, name)
            answers = [value(), *(value(**more) for more in OPTIONS.get(name, ()))] if callable(value) else [value]
            for answer in answers:
                if not isinstance(answer, tamis.PageTree):
                    ask_everything(answer, depth - 1)


def _everything(function: Callable[..., Any]) -> Callable[[Page], list[str]]:
    def call(page: Page) -> list[str]:
        ask_everything(function(page))
        return []

    return call


DOCUMENT: dict[str, Callable[[Document], Any]] = {
    **{form: partial(Document.render, form=form) for form in FORMATS},
    "metadata": lambda document: (document.metadata, document.quality, document.base),
    "comments": lambda document: (document.comments, document.posts),
    "blocks": lambda document: [block.reason for block in document.blocks],
    "chunks": lambda document: document.chunks(),
}
"""What is asked of a document."""

OTHER: dict[str, Callable[[Page], list[str]]] = {
    "attenuation": _attenuation,
    "learn": _extract_with_model,
    "denoise": _denoise,
    "records": _records,
    "learn_records": _learn_records,
    "segment": _segment,
    "free similarity": _similarity("free"),
    "ordered similarity": _similarity("ordered"),
    "duplicates": _duplicates,
}

SURFACE: dict[str, Callable[[Page], list[str]]] = {
    "all of a document": _everything(partial(tamis.extract, url=URL, comments=True)),
    "all of a denoised page": _everything(lambda page: tamis.denoise(page, [*OTHERS], url=URL)),
    "all of records": _everything(partial(tamis.find_records, url=URL)),
    "all of a segmentation": _everything(tamis.segment),
    "all of a model": _everything(lambda page: tamis.learn([page, *OTHERS])),
    "all of a tree": _everything(tamis.parse),
}


def each(page: bytes, left_out: Container[str] = ()) -> Iterator[tuple[str, float, list[str]]]:
    """Every function on one page, which is parsed and extracted once: name, seconds of processor time, notes of what was cut."""
    tree, seconds = _timed(tamis.parse, page)
    yield "parse", seconds, list(tree.notes)
    document, seconds = _timed(partial(tamis.extract, url=URL), tree)
    yield "extract", seconds, list(document.problems)
    for name, use in DOCUMENT.items():
        if name not in left_out:
            yield name, _timed(use, document)[1], list(document.problems)
    for name, function in OTHER.items():
        if name not in left_out:
            notes, seconds = _timed(function, page if name == "duplicates" else tree)
            yield name, seconds, notes


def _timed(function: Callable[[Any], Any], given: Any) -> tuple[Any, float]:
    start = time.process_time()
    return function(given), time.process_time() - start


NAMES = ("parse", "extract", *DOCUMENT, *OTHER)
"""What :func:`each` gives, in order."""

FUNCTIONS: dict[str, Callable[[Page], list[str]]] = {
    "parse": lambda page: list(tamis.parse(page).notes),
    "extract": lambda page: list(tamis.extract(page, url=URL).problems),
    **{name: partial(_of_document, use) for name, use in DOCUMENT.items()},
    **OTHER,
}
"""Functions that take the page as served; they give the notes."""
