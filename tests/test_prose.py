"""Docstrings, comments and docs are plain English: first a verb, and no phrase that hides who does what."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "tamis").rglob("*.py"))
PAGES = [*ROOT.glob("*.md"), *sorted(path for path in (ROOT / "docs").rglob("*.md") if not {"_build", "reference"} & set(path.parts))]
NATIVE = sorted((ROOT / "src" / "tamis" / "native").glob("*.[ch]"))

_EVASIVE = re.compile(
    r"\b(?:stands?|stood|of which|so far|as of|such an?|so many)\b"
    r"|(?<![Tt]here )\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more|of)\b)"
)
"""Phrases in place of a plain verb or number; "there is no" and "no longer" are plain."""
_QUESTION = re.compile(r"(?:What|Whether|How|Those|Such|Where|When|Which|Who|Why)\b")
_NO_VERB = re.compile(r"(?:The|An?|All|One|Each|Every|Both|Its|This|As|Of|For|More|It|Also)\b")
"""Beginnings of a function's docstring that is no sentence with a verb."""


def documented(path: Path) -> Iterator[tuple[ast.AST, int, str]]:
    """Docstrings and the strings below attributes, with their owners and lines."""
    for owner in ast.walk(ast.parse(path.read_bytes())):
        body = getattr(owner, "body", None)
        for node in body if isinstance(body, list) else ():
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
                yield (owner if node is body[0] else node), node.lineno, node.value.value.strip()


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(decorator) for decorator in function.decorator_list)


def place(path: Path, line: int, text: str) -> str:
    return f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0][:100]}"


def test_the_first_line_of_a_docstring_says_what_something_does_or_is():
    assert [place(path, line, text) for path in SOURCES for _, line, text in documented(path) if _QUESTION.match(text)] == []


def test_docstrings_of_public_functions_begin_with_a_verb():
    assert [
        place(path, line, text)
        for path in SOURCES
        for owner, line, text in documented(path)
        if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef)
        and not owner.name.startswith("_")
        and not is_property(owner)
        and _NO_VERB.match(text)
    ] == []


def test_comments_of_constants_say_what_they_are():
    said = re.compile(rf"#: {_QUESTION.pattern}")
    lines = ((path, number, line) for path in SOURCES for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
    assert [place(path, number, line) for path, number, line in lines if said.search(line)] == []


def test_sentences_of_source_and_docs_are_plain():
    lines = (
        (path, number, line)
        for path in (*SOURCES, *NATIVE, *PAGES)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    )
    assert [place(path, number, line) for path, number, line in lines if _EVASIVE.search(line)] == []
