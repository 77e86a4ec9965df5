"""Markdown against Markdown: the measures of WebMainBench on pages of our own.

The paper (*Dripper*, arXiv 2511.23119) scores Markdown by the F1 of 5-grams of jieba's tokens (ROUGE-5). Its toolkit adds edit similarities
of text, code, formulas and tables, and TEDS, the similarity of tables as trees. All are 0..1. What differs here: the Markdown is parsed
(CommonMark with tables and dollar formulas), so that its spelling does not count; text is what is left without code, formulas and tables;
``th`` counts as ``td``; all tables of a page are one tree. Link targets and images do not count, as not every tool writes them.

The pages (``benchmarks/markdown_pages``) are written by hand, each with its Markdown: code, formulas, merged tables, nested lists, Chinese.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from selectolax.lexbor import LexborHTMLParser, LexborNode
from typer import Argument

from benchmarks.command import PeerPythons, bench
from benchmarks.peers import MARKDOWN_PEERS
from benchmarks.report import Report, Table
from benchmarks.timing import Progress, unseen
from benchmarks.tool_process import Standing, ToolProcess
from tamis.errors import SourceError, needs_extra

PAGES = Path(__file__).with_name("markdown_pages")
PARTS = ("text", "code", "formulas", "tables", "teds")  #: The measures that the toolkit takes the mean of.
MEASURES = ("rouge", *PARTS)
N = 5
_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\([^()\s]*(?: \"[^\"]*\")?\)")
_SPACE = re.compile(r"\s+")


@dataclass(slots=True)
class Cell:
    """A node of the tree of tables: the root, a table, a row or a cell."""

    kind: str  #: ``td 1 2`` is a cell of one row and two columns.
    text: str = ""
    children: list[Cell] = field(default_factory=list)

    def size(self) -> int:
        """Nodes of this tree."""
        return 1 + sum(child.size() for child in self.children)


@dataclass(frozen=True, slots=True)
class Parts:
    """What Markdown holds, by kind."""

    text: str
    code: str
    formulas: str
    tables: Cell  #: All tables below one root.

    @property
    def cells(self) -> str:
        """The text of all cells: a line a row, tabs between."""
        return "\n".join("\t".join(cell.text for cell in row.children) for table in self.tables.children for row in table.children)


@dataclass(frozen=True, slots=True)
class ToolScores:
    """One tool: for each page its measures; None where neither the gold nor the tool has such a part."""

    standing: Standing
    pages: dict[str, dict[str, float | None]]
    errors: dict[str, str]  #: By page.

    def mean(self, measure: str) -> float | None:
        """Mean over the pages that have such a part; ``overall``: the mean of all but ROUGE."""
        if measure == "overall":
            means = [mean for name in PARTS if (mean := self.mean(name)) is not None]
            return fmean(means) if means else None
        values = [value for page in self.pages.values() if (value := page[measure]) is not None]
        return fmean(values) if values else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        means = {measure: self.mean(measure) for measure in ("overall", *MEASURES)}
        return {
            "tool": self.standing.peer.name,
            "version": self.standing.version,
            "mean": means,
            "pages": self.pages,
            "errors": self.errors,
        }


def run(
    folder: Annotated[Path | None, Argument()] = None, *, peer_pythons: PeerPythons = None, progress: Progress = unseen
) -> list[ToolScores]:
    """Markdown with code, formulas and tables: tamis and its peers by the measures of WebMainBench.

    Options:
        folder: Pages NAME.html with gold NAME.md. [default: those in benchmarks/markdown_pages]
        by_page: Also print a table of each tool's measures on each page.
    """
    folder = folder or PAGES
    golds = {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.md")) if path.with_suffix(".html").is_file()}
    if not golds:
        raise SourceError(f"no pages with Markdown in {folder}: it needs NAME.html and NAME.md")
    found = []
    for number, peer in enumerate(MARKDOWN_PEERS):
        pages: dict[str, dict[str, float | None]] = {}
        errors = {}
        with ToolProcess(peer, pythons=[sys.executable, *(peer_pythons or ())]) as tool:
            for name, gold in golds.items() if tool.runs else ():
                answer = tool.ask((folder / f"{name}.html").read_text("utf-8"))
                pages[name] = compare(answer.text, gold)
                if answer.error is not None:
                    errors[name] = answer.error
                progress(number * len(golds) + len(pages), len(MARKDOWN_PEERS) * len(golds))
            found.append(ToolScores(tool.standing, pages, errors))
    return found


def compare(markdown: str, gold: str) -> dict[str, float | None]:
    """Every measure of Markdown against gold.

    >>> compare("# Tides\\n\\nTwice a day, the sea comes up.", "# Tides\\n\\nTwice a day, the sea comes up.")["rouge"]
    1.0
    """
    given, true = parts(markdown), parts(gold)
    return {
        "rouge": rouge(markdown, gold),
        "text": similarity(given.text, true.text),
        "code": similarity(given.code, true.code),
        "formulas": similarity(given.formulas, true.formulas),
        "tables": similarity(given.cells, true.cells),
        "teds": teds(given.tables, true.tables),
    }


def parts(markdown: str) -> Parts:
    """Take Markdown apart.

    >>> found = parts("Let $x$ be\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n\\n```python\\nx = 1\\n```")
    >>> found.text, found.code, found.formulas, found.cells
    ('Let be', 'x = 1', 'x', 'a\\tb\\n1\\t2')
    """
    tree = LexborHTMLParser(f"<body>{_renderer().render(_plain_links(markdown))}</body>")
    code, formulas, tables = [], [], Cell("tables")
    for node in tree.css("pre"):
        code.append(node.text().strip("\n"))
        node.decompose()
    for node in tree.css(".math"):
        formulas.append(_line(node.text()))
        node.decompose()
    for node in tree.css("table"):
        if node.css_matches("table table"):
            continue
        table = Cell("table")
        for row in node.css("tr"):
            cells = [_cell(cell) for cell in row.iter() if cell.tag in ("td", "th")]
            table.children.append(Cell("tr", "", cells))
        tables.children.append(table)
    for node in tree.css("table"):
        node.decompose()
    body = tree.body
    text = _line(body.text()) if body is not None else ""
    return Parts(text, "\n".join(code), "\n".join(formulas), tables)


def _cell(node: LexborNode) -> Cell:
    spans = (node.attributes.get(name) or "1" for name in ("rowspan", "colspan"))
    return Cell(" ".join(("td", *spans)), _line(node.text()))


def _line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _plain_links(markdown: str) -> str:
    return _LINK.sub(lambda match: "" if match[1] else match[2], markdown)


@cache
def _renderer() -> Any:
    with needs_extra("comparing Markdown", "bench"):
        from markdown_it import MarkdownIt
        from mdit_py_plugins.dollarmath import dollarmath_plugin
    return MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)


def similarity(given: str, true: str) -> float | None:
    """One minus the edit distance of two texts by the length of the longer; None where both are empty.

    >>> similarity("tide", "tides"), similarity("", "x"), similarity("", "")
    (0.8, 0.0, None)
    """
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(given, true) if given or true else None


def rouge(markdown: str, gold: str) -> float:
    """ROUGE-5: the F1 of the multisets of five tokens in a row, spaces left out."""
    given, true = (Counter(zip_longest(*(words[k:] for k in range(N)))) for words in map(_tokens, (markdown, gold)))
    return 2 * (given & true).total() / max(given.total() + true.total(), 1)


def _tokens(markdown: str) -> list[str]:
    with needs_extra("cutting text into words", "bench"):
        import jieba
    jieba.setLogLevel(60)
    return [word for word in jieba.lcut(_plain_links(markdown)) if word.strip()]


def teds(given: Cell, true: Cell) -> float | None:
    """One minus the tree edit distance by the nodes of the larger tree; None where both are without tables.

    A cell with other spans costs one, one with another text the distance of the texts by the length of the longer.
    """
    if not given.children and not true.children:
        return None
    from apted import APTED, Config

    class Costs(Config):  # type: ignore[misc]
        def rename(self, one: Cell, other: Cell) -> float:
            return 1.0 if one.kind != other.kind else 1 - (1.0 if one.text == other.text else similarity(one.text, other.text) or 0.0)

        def children(self, node: Cell) -> list[Cell]:
            return node.children

    distance: float = APTED(given, true, Costs()).compute_edit_distance()
    return max(0.0, 1 - distance / max(given.size(), true.size()))


# -- report -----------------------------------------------------------------------------------------------------------------


def report(scores: list[ToolScores], by_page: bool = False) -> Report:
    """One row a tool; then, where asked, one row a page for each."""
    ran = [score for score in scores if score.pages]
    measured = "; ".join(f"{name}|.3f" for name in MEASURES)
    rows = [(s.standing.peer.name, s.standing.version, *map(s.mean, (*MEASURES, "overall"))) for s in ran]
    pages = len(ran[0].pages) if ran else 0
    caption = (
        "text, code, formulas, tables: edit similarity; teds: of tables as trees; overall: mean of these five, where pages have the part"
    )
    tables = [Table(f"Markdown of {pages} pages", f"tool; version; {measured}; overall|.3f", rows, caption)]
    if by_page:
        tables += [
            Table(s.standing.peer.name, f"page; {measured}", [(name, *(page[each] for each in MEASURES)) for name, page in s.pages.items()])
            for s in ran
        ]
    remarks = [f"Not run: {s.standing.peer.name}: {s.standing.reason}" for s in scores if s.standing.reason is not None]
    for score in ran:
        remarks += [f"{score.standing.peer.name} failed on {n}: {error}" for error, n in Counter(score.errors.values()).items()]
    return Report(tables, remarks)


command = bench(run, report, "pages")
