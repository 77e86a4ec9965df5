"""Chunks of a document for retrieval: cut along headings, each with the path of headings above it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import zip_longest
from typing import Any

from tamis.document.quality import WORD, words_of
from tamis.errors import FetchError, UsageError, needs_extra
from tamis.page.budget import Budget
from tamis.page.references import unescaped

_HEADING = re.compile(r"(#{1,6}) (.*)")
_FENCE = re.compile(r"(?>(?:[>\s]|[-*+] |\d+[.)] )*)(`{3,})([^`]*)")  #: The line that code begins with, also in quotes and lists.
_TABLE = re.compile(r"(.*?<tbody>(?:\n\s*<tr>(?:\n\s*<th\b[^\n]*)+\n\s*</tr>)?)\n(.*)\n(\s*</tbody>\s*</table>)", re.DOTALL)
"""An HTML table: its beginning with names of columns, its rows, its end."""
_GRID = re.compile(r"\s*(?:<table|\|[^\n]*\n\s*\| -)")  #: The beginning of a table. A paragraph may begin with a stroke, too.
_ROW = re.compile(r"\n(?=[ \t]*<tr>)")
_RULE = re.compile(r"[-_]{3}")
_CUTS = (re.compile(r"(?<=[.!?…]\s)(?=\S)|(?<=[。！？])"), re.compile(r"(?<=[,;:]\s)(?=\S)|(?<=[，；：、])"))
"""Places to cut a paragraph: between sentences, and between clauses."""
_INLINE = re.compile(
    r"\\([!-/:-@\[-`{-~])|(?<!`)`++([^`]++)`++|!?\[((?:\\.|[^\\\[\]])*)\]\((?:\\.|[^()\\]|\([^()]*\))*\)|</?[a-zA-Z][^<>]*>|[*~]+"
)
"""Inline Markdown: a plain character, code, a link or an image, a tag, emphasis."""
_TERM = re.compile(r"\*\*(?>(?:\\.|(?!\*\*(?!\*))[^\\])+)\*\*", re.DOTALL)  #: A paragraph that is bold as a whole, such as a term.
_LIST = re.compile(r"[-*+] |\d+[.)] |\*\*|\||```|<table")  #: The beginning of a list, term, table or code.


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document."""

    text: str  #: Markdown, without the headings above it.
    headings: tuple[str, ...]  #: Headings above the text, outermost first, as plain text; without any, the page's title.
    size: int  #: Size of ``text`` by the caller's count.

    def to_dict(self) -> dict[str, Any]:
        """Return the chunk as plain values."""
        return {"text": self.text, "headings": list(self.headings), "size": self.size}


@dataclass(frozen=True, slots=True)
class Chunking:
    """Settings for cutting a text into chunks.

    Raises:
        UsageError: a number is out of its range, or there is no such count.
    """

    size: int = 500
    """The most that a chunk holds, in what ``count`` counts."""
    count: str = "words"
    """``words`` (each Chinese character is one), ``characters``, or ``tiktoken:NAME`` for the tokens of an encoding or a model of
    `tiktoken <https://github.com/openai/tiktoken>`_, such as ``tiktoken:cl100k_base`` (extra ``tiktoken``)."""
    overlap: int = 0
    """Most of the end of a chunk that the next one of its section repeats, in whole sentences. It counts to ``size``."""
    headings: bool = False
    """Begin each text with its headings, as a line ``Tides > High water``. It does not count to ``size``."""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise UsageError(f"the size of a chunk is a number from 1, not {self.size}")
        if not 0 <= self.overlap < self.size:
            raise UsageError(f"overlap is a number from 0 and below the size of a chunk, not {self.overlap}")
        if self.count not in _COUNTS and not self.count.startswith(_TOKENS):
            raise UsageError(f"chunks are counted in {', '.join(_COUNTS)} or {_TOKENS}NAME, not in {self.count}")

    def counter(self) -> Callable[[str], int]:
        """Return the function that counts a text.

        Raises:
            MissingExtraError: tiktoken is not installed.
            UsageError: tiktoken knows no such encoding.
            FetchError: tiktoken cannot download it.
        """
        return _COUNTS.get(self.count) or _token_counter(self.count.removeprefix(_TOKENS))

    def cut(self, markdown: str, title: Callable[[], str | None], count: Callable[[str], int] | None = None) -> tuple[Chunk, ...]:
        """Cut Markdown into chunks.

        Args:
            markdown: the text.
            title: gives the heading of text without one.
            count: counts a text, in place of :attr:`count`.
        """
        found = chunks(markdown, self.size, count or self.counter(), self.overlap)
        budget = Budget(len(markdown))
        if not all(chunk.headings for chunk in found) and (named := title()) is not None and budget.take(len(named), len(found)):
            found = tuple(chunk if chunk.headings else replace(chunk, headings=(named,)) for chunk in found)
        found = tuple(each if budget.take(sum(map(len, each.headings))) else replace(each, headings=()) for each in found)
        if self.headings:
            found = tuple(replace(each, text=f"{' > '.join(each.headings)}\n\n{each.text}") if each.headings else each for each in found)
        return found


def _count_words(text: str) -> int:
    return len(words_of(text))


_COUNTS: dict[str, Callable[[str], int]] = {"words": _count_words, "characters": len}
_TOKENS = "tiktoken:"


@cache
def _token_counter(name: str) -> Callable[[str], int]:
    """Count the tokens of an encoding or of a model's encoding."""
    with needs_extra("counting tokens", "tiktoken"):
        import tiktoken
    try:
        encoding = tiktoken.get_encoding(name) if name in tiktoken.list_encoding_names() else tiktoken.encoding_for_model(name)
    except KeyError:
        known = ", ".join(tiktoken.list_encoding_names())
        raise UsageError(f"tiktoken knows no encoding or model {name!r}; its encodings are {known}") from None
    except OSError as error:  # also of the library that it fetches with
        where = "download it once on a machine with a network, and name its folder in TIKTOKEN_CACHE_DIR"
        raise FetchError(f"tiktoken cannot download the encoding {name}: {where}") from error
    return lambda text: len(encoding.encode_ordinary(text))


def chunks(markdown: str, size: int = 500, count: Callable[[str], int] | None = None, overlap: int = 0) -> tuple[Chunk, ...]:
    """Cut Markdown along its headings into chunks of at most ``size``.

    It is counted in words (:func:`tamis.document.quality.words_of`), or in what ``count`` counts of a text. ``overlap``: how much of its
    end the next chunk of the section repeats, in whole sentences (:attr:`Chunking.overlap`).

    A chunk holds blocks (paragraphs, lists, tables, code) of one section. A paragraph that is too long is cut between sentences, a list
    between lines; a sentence that is too long at commas, or else between words. Code and tables are cut between lines and rows, and each
    part has the fences and the language, or the names of the columns; only a row or a line may be larger than ``size``, or what is left of
    a table where these names would be out of proportion to the text. Terms stay with the beginning of their definition, and a text that
    ends in a colon with that of its list, table or code, unless they take more than half of ``size``. Rules are left out, and so are chunks
    of pictures without words.

    Raises:
        UsageError: ``size`` is below 1, or ``overlap`` not below ``size``.

    >>> [(chunk.headings, chunk.text) for chunk in chunks("# A\\n\\nOne.\\n\\n## B\\n\\nTwo. Three.\\n\\nFour.", size=2)]
    [(('A',), 'One.'), (('A', 'B'), 'Two. Three.'), (('A', 'B'), 'Four.')]
    """
    Chunking(size, overlap=overlap)
    counted = count or _count_words
    adds_up = counted is _count_words  # tokens may not
    budget = Budget(len(markdown))
    done: list[Chunk] = []
    for path, blocks in _sections(markdown):
        text, taken = "", 0
        for piece, joint in _pieces(blocks, size, counted, budget):
            longer = f"{text}{joint}{piece}" if text else piece
            own = counted(piece) if adds_up or overlap else 0
            total = taken + own if adds_up else counted(longer)
            if text and total > size:
                done.append(Chunk(text.rstrip(), path, taken))
                longer = _overlapping(text, piece, joint, min(overlap, size - own), counted) if overlap else piece
                longer = longer if budget.take(len(longer) - len(piece)) else piece
                total = own if adds_up and len(longer) == len(piece) else counted(longer)
            text, taken = longer, total
        if text:
            done.append(Chunk(text.rstrip(), path, taken))
    return tuple(chunk for chunk in done if "![" not in chunk.text or any(map(str.isalnum, _without_markup(chunk.text))))


_LONG = 100  #: Characters of a value that is left out of the rows where they would be out of proportion.
OF_PRODUCTS = ("price", "currency", "availability", "brand", "rating")  #: Columns of chunks of pages that state a product.
OF_CHUNKS = ("id", "source", "url", "title", "author", "date", "language", *OF_PRODUCTS, "number", "text", "headings", "size")
"""Columns of chunks."""


def rows_of_chunks(
    source: str, url: str | None, about: Mapping[str, Any], chunks: Iterable[dict[str, Any]], again: str = ""
) -> Iterator[dict[str, Any]]:
    """Yield a row for each chunk of a page, which says where it is from (:data:`OF_CHUNKS`).

    Without an address, the page has the canonical one; ids leave that out, since several pages may state the same. Where all of that would
    be out of proportion to the chunks, long values are left out, and ids begin with a hash.

    Args:
        source: the page as it was named.
        url: its address.
        about: its metadata.
        chunks: of its text.
        again: what tells the page from earlier ones of its address.
    """
    known = {"source": source, "url": url or about.get("canonical_url")}
    known |= {name: about.get(name) for name in ("title", "author", "date", "language")}
    if product := about.get("product"):
        known |= {name: product[name] for name in OF_PRODUCTS}
    found, name = list(chunks), f"{url or source}{again}"
    if not Budget(sum(len(chunk["text"]) for chunk in found)).take(
        len(name) + sum(len(str(value)) for value in known.values()), len(found)
    ):
        known = {key: None if len(str(value)) > _LONG else value for key, value in known.items()}
        name = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    for number, chunk in enumerate(found):
        yield {"id": f"{name}#{number}", **known, "number": number, **chunk}


def _overlapping(text: str, piece: str, joint: str, most: int, count: Callable[[str], int]) -> str:
    """Return a piece after the last sentences of the chunk before it, at most ``most`` of them; code and tables are not repeated."""
    last = text.rstrip().rpartition("\n\n")[2]
    if most < 1 or _GRID.match(last) or "```" in last:
        return piece
    repeated = ""
    for sentence in reversed([part for line in last.splitlines(keepends=True) for part in _CUTS[0].split(line) if part]):
        if count(sentence + repeated) > most:
            break
        repeated = sentence + repeated
    return f"{repeated.rstrip()}{joint or ' '}{piece}" if repeated.strip() else piece


def _sections(markdown: str) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield the blocks between headings, with the path of headings."""
    path: list[tuple[int, str]] = []
    blocks: list[str] = []
    for block in _blocks_of(markdown):
        heading = _HEADING.fullmatch(block)
        if heading is None:
            blocks += [] if _RULE.fullmatch(block) else [block]
            continue
        if blocks:
            yield tuple(text for _, text in path), blocks
            blocks = []
        path = [(level, text) for level, text in path if level < len(heading[1])]
        path.append((len(heading[1]), _without_markup(heading[2])))
    if blocks:
        yield tuple(text for _, text in path), blocks


def _blocks_of(markdown: str) -> Iterator[str]:
    """Yield blocks: fenced code, and text between blank lines."""
    block: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        opens = None if fence else _FENCE.fullmatch(line)
        if block and not fence and (opens or not line.strip()):
            yield "\n".join(block)
            block = []
        if fence or line.strip():
            block.append(line)
        if fence and line.lstrip("> ") == fence:
            yield "\n".join(block)
            block, fence = [], ""
        elif opens:
            fence = opens[1]
    if block:
        yield "\n".join(block)


def _pieces(blocks: list[str], size: int, count: Callable[[str], int], budget: Budget) -> Iterator[tuple[str, str]]:
    """Blocks, those that are too long in parts, each with what joins it to the one before; what leads to a block is in its first part."""
    lead, taken = "", 0
    for block, after in zip_longest(blocks, blocks[1:], fillvalue=""):
        rowed = _GRID.match(block) is not None or _FENCE.fullmatch(block.partition("\n")[0]) is not None
        if not rowed and _leads(block, after) and (own := count(block)) <= size // 2:
            if lead and taken + own > size // 2:
                yield lead.rstrip("\n"), "\n\n"
                lead, taken = "", 0
            lead, taken = f"{lead}{block}\n\n", taken + own
            continue

        def led(text: str, lead: str = lead) -> int:
            return count(lead + text)

        lines = [block] if rowed or led(block) <= size else block.split("\n")
        for number, line in enumerate(lines):
            parts = list(_cut_rows(block, size, led, count, budget) if rowed else _cut_line(line, size, count if number else led))
            if lead and led(parts[0]) > size >= count(parts[0]):
                yield lead.rstrip("\n"), "\n\n"
                lead, taken = "", 0
            for part, piece in enumerate(parts):
                yield lead + piece, "\n\n" if rowed or part == number == 0 else "" if part else "\n"
                lead, taken = "", 0


def _leads(block: str, after: str) -> bool:
    """Return whether a block introduces the one after it: a term, or text that ends in a colon before a list, a table or code."""
    if not after:
        return False
    text = block.strip()
    return (text.startswith("**") and _TERM.fullmatch(text) is not None) or (
        text.rstrip("*")[-1:] in (":", "：") and _LIST.match(after.lstrip()) is not None
    )


def _cut_rows(block: str, size: int, led: Callable[[str], int], count: Callable[[str], int], budget: Budget) -> Iterator[str]:
    """Code or a table in parts of at most ``size``, each with the lines around its rows. ``led``: counts the first part."""
    lines = block.split("\n")
    head, rows, end, again = lines[:2], lines[2:], [], lines[:2]
    if code := _FENCE.fullmatch(lines[0]):
        closed = lines[-1].endswith(code[1])
        head, rows, end, again = lines[:1], lines[1:-1] if closed else [], lines[-1:], [lines[-1] + code[2]]
    elif block.lstrip().startswith("<"):
        html = _TABLE.fullmatch(block)
        head, rows, end = ([html[1]], _ROW.split(html[2]), [html[3]]) if html and block.count("<table") == 1 else ([], [], [])
        again = head
    if count(block) <= size or not rows:
        yield block
        return

    def fits(number: int) -> bool:
        return counted("\n".join([*head, *rows[at : at + number], *end])) <= size

    at, counted = 0, led
    while at < len(rows):
        number, left = 1, len(rows) - at
        while number < left and fits(2 * number):
            number *= 2
        number += bisect_left(range(number + 1, min(2 * number, left + 1)), True, key=lambda more: not fits(more))
        if not budget.take(sum(map(len, (*again, *end)))):
            number = left
        yield "\n".join([*head, *rows[at : at + number], *end])
        head, counted, at = again, count, at + number


def _cut_line(text: str, size: int, count: Callable[[str], int], cuts: tuple[re.Pattern[str], ...] = _CUTS) -> Iterator[str]:
    """Yield a line in parts of at most ``size``: at the first of ``cuts``, parts that are too long at the next; at last between words."""
    if count(text) <= size:
        yield text
        return
    for number, cut in enumerate(cuts, start=1):
        parts = [*filter(None, cut.split(text))]
        if len(parts) > 1:
            for part in parts:
                yield from _cut_line(part, size, count, cuts[number:])
            return
    starts = array("Q", (found.start() for found in WORD.finditer(text)))
    yield from _cut_words(text, starts, 0, len(starts), size, count)


def _cut_words(text: str, starts: Sequence[int], first: int, last: int, size: int, count: Callable[[str], int]) -> Iterator[str]:
    """Yield words ``first`` to before ``last`` of a text in parts of at most ``size``, by halves. ``starts``: of its words."""
    part = text[starts[first] if first else 0 : starts[last] if last < len(starts) else len(text)]
    if last - first < 2 or count(part) <= size:
        yield part
        return
    middle = (first + last) // 2
    yield from _cut_words(text, starts, first, middle, size, count)
    yield from _cut_words(text, starts, middle, last, size, count)


def _without_markup(line: str) -> str:
    return _INLINE.sub(lambda found: found[1] or found[2] or (_without_markup(found[3]) if found[3] else ""), unescaped(line)).strip()
