"""Table: records under columns, to be written as CSV, JSON lines, Parquet, or handed to pandas or Arrow; types of the values of a column
(dates, prices, numbers or text), and how to read them.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from itertools import islice
from math import ceil, floor
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, get_args

from tamis.document.metadata.cldr import MONTH, WEEKDAYS
from tamis.document.metadata.dates import read_date
from tamis.errors import SourceError, UsageError, needs_extra
from tamis.page.lexicon import NUMBER, SPACES, amount_pattern, entries

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Kind = Literal["text", "link", "image"]

ValueType = Literal["text", "price", "number", "date"]

MOST = 0.8  #: Share of a column's values that are of one type where the column is.
MOST_PRICES = 0.5  #: The same for prices, beside ``Sold out``: more than this, for their currency is clear.
MAX_LENGTH = 40  #: Characters of a date, price or number at most.
_UNITS = {
    **dict.fromkeys(("k", "tsd", "тыс", "千", "천"), 1e3),
    **dict.fromkeys(("万", "萬", "만"), 1e4),
    **dict.fromkeys(("m", "mio", "млн"), 1e6),
    **dict.fromkeys(("亿", "億", "억"), 1e8),
    **dict.fromkeys(("b", "mrd", "млрд"), 1e9),
}
"""Factors of shortened counts."""
_PLAIN = re.compile(
    rf"(?P<open>\()?(?P<number>{NUMBER})(?:\s?(?P<unit>[kKM千천万萬만亿億억]|(?:Tsd|Mio|Mrd|тыс|млн|млрд)\.?|(?:(?<=[.,]\d)|(?<=[.,]\d\d))B))?(?(open)\))"
)
"""A number, perhaps a shortened one. ``512 B`` are bytes, ``75B`` is a size or a house."""
_LEADING_ZERO = re.compile(r"[(+−-]*0\d")  #: The beginning of a postcode or an article number.
_OTHER_MARK = {".": ",", ",": "."}
_DAY_AND_MONTH = re.compile(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2\d{4}")
_WORD = re.compile(r"(?<!\d)[^\W\d_]{2,}")
_WORDS_OF_DATES = frozenset(MONTH) | WEEKDAYS | frozenset(entries("before date"))
"""Names of months and days, and words before dates."""


@dataclass(frozen=True, slots=True)
class Price:
    """An amount of money."""

    amount: float
    currency: str  #: As it is written: ``$``, ``C$``, ``EUR``; the code of ``$5.99 USD``.


@dataclass(frozen=True, slots=True)
class Reading:
    """Format of a column's values that are ambiguous alone."""

    language: str | None = None  #: A language with the order of its dates (:func:`date_language`).
    decimal: str | None = None  #: The decimal mark of its numbers.


def read_price(text: str, decimal: str | None = None) -> Price | None:
    """Return a text that is a price and nothing else. ``decimal``: as in :func:`read_number`.

    >>> read_price("C$ 1,299.50"), read_price("12,90 €"), read_price("29 replies")
    (Price(amount=1299.5, currency='C$'), Price(amount=12.9, currency='€'), None)
    """
    found = amount_pattern().fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    if found is None:
        return None
    codes, signs = ([found[name] for name in names if found[name]] for names in (("first", "code"), ("sign", "after")))
    one_currency = len(codes) <= 1 and len(signs) <= 1 and (codes or signs)
    amount = _amount((found["minus"] or "") + found["number"], decimal) if one_currency else None
    return None if amount is None else Price(float(amount), (codes or signs)[0])


def read_number(text: str, decimal: str | None = None) -> float | None:
    """Return a text that is a number and nothing else, perhaps a shortened one or in brackets: a whole one is an int. Of two marks the last
    is the decimal one; one before three digits groups them unless it is ``decimal``. With leading zeros it is an identifier and none.

    >>> read_number("1.299,50"), read_number("1,299"), read_number("3.5"), read_number("v3"), read_number("1.1K"), read_number("2,3 Mio.")
    (1299.5, 1299, 3.5, None, 1100, 2300000)
    >>> read_number("(12)"), read_number("4.123", "."), read_number("4.123", ","), read_number("007")
    (12, 4.123, 4123, None)
    """
    found = _PLAIN.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    if found is None or _LEADING_ZERO.match(found["number"]):
        return None
    number = _amount(found["number"], decimal)
    if number is None or not found["unit"]:
        return number
    full = round(number * _UNITS[found["unit"].rstrip(".").lower()], 4)  # 1.1 * 1000 is not 1100
    return int(full) if full == int(full) else full


def _decimals(number: str, decimal: str | None) -> str:
    mark = _decimal_mark(number) or decimal
    return number.rpartition(mark)[2] if mark and mark in number else ""


def _amount(number: str, decimal: str | None) -> float | None:
    """The value of what :data:`NUMBER` fits; None for marks that contradict each other."""
    mark = _decimal_mark(number) or decimal or next((_OTHER_MARK[each] for each in number if each in ".,"), ".")
    bare = re.sub(rf"[{SPACES}{_OTHER_MARK[mark]}]", "", number).replace("−", "-").replace(mark, ".")
    return None if bare.count(".") > 1 else float(bare) if "." in bare else int(bare)


def _decimal_mark(number: str) -> str | None:
    """The decimal mark that a number shows: ``.`` of ``3.5``, ``0.125`` and ``1.000,5``, ``,`` of ``1.000.000``; none of ``1.000``."""
    marks = [each for each in number if each in ".,"]
    if len(marks) > 1:
        return marks[-1] if len(set(marks)) == 2 else _OTHER_MARK[marks[-1]]
    if not marks:
        return None
    whole, _, rest = number.partition(marks[0])
    return marks[0] if len(rest) != 3 or len(whole) > 4 or whole.lstrip("-+−") == "0" else None


def column_type(values: Iterable[str | None]) -> ValueType:
    """Return the type that most of a column's values have; ``text`` if no type has enough, for dates with other words (``by Ann 3 May
    2024``) and for numbers that include codes (``01067``).

    >>> column_type(["3 May 2024", None, "2024-05-07"]), column_type(["$3", "$4.50"]), column_type(["29", "73"]), column_type(["a", "1"])
    ('date', 'price', 'number', 'text')
    """
    texts = [value.strip() for value in values if value and value.strip()]
    if not texts:
        return "text"
    how = reading(texts)
    for kind in get_args(ValueType)[1:]:
        others = len(texts) - (floor(MOST_PRICES * len(texts)) + 1 if kind == "price" else ceil(MOST * len(texts)))
        misses = (text for text in texts if typed(text, kind, how) is text)
        if len(list(islice(misses, others + 1))) <= others:
            is_text = (kind == "date" and _says_more(texts)) or (kind == "number" and _are_identifiers(texts, how))
            return "text" if is_text else kind
    return "text"


def reading(values: Iterable[str | None]) -> Reading:
    """Return how to read a column's values: the meaning that one of them shows holds for all.

    >>> reading(["4.123", "2.5", None]).decimal, reading(["27/05/2024"]).language
    ('.', 'fr')
    """
    texts = [value.strip() for value in values if value]
    marked = (text for text in texts if len(text) <= MAX_LENGTH and ("." in text or "," in text))
    numbers = [found["number"] for text in marked if (found := _PLAIN.fullmatch(text) or amount_pattern().fullmatch(text))]
    marks = {_decimal_mark(number) for number in numbers} - {None}
    return Reading(date_language(texts), marks.pop() if len(marks) == 1 else None)


def _are_identifiers(texts: list[str], how: Reading) -> bool:
    """Return whether numbers would lose a significant digit: leading zeros (``00123``), the last zero of ``1.10`` beside ``1.9``."""
    numbers = (found["number"] for text in texts if (found := _PLAIN.fullmatch(text)) and not found["unit"])
    decimals = [digits for number in numbers if (digits := _decimals(number, how.decimal))]
    shortest = min(map(len, decimals), default=0)
    return any(map(_LEADING_ZERO.match, texts)) or any(len(each) > shortest and each.endswith("0") for each in decimals)


def date_language(values: Iterable[str | None]) -> str | None:
    """Return a language with the order of a column's dates, ``fr`` for days first, ``en`` for months first; None if no value shows it.

    >>> date_language(["03/05/2024", "27/05/2024"]), date_language(["03/05/2024", "05/27/2024"]), date_language(["03/05/2024"])
    ('fr', 'en', None)
    """
    numbers = [(int(found[1]), int(found[3])) for value in values if value and (found := _DAY_AND_MONTH.search(value))]
    days_first, months_first = any(first > 12 for first, _ in numbers), any(second > 12 for _, second in numbers)
    return None if days_first == months_first else "fr" if days_first else "en"


def _says_more(texts: list[str]) -> bool:
    """Return whether dates are among words that are not names of months or days and that differ from value to value."""
    words = [set(_WORD.findall(text.lower())) - _WORDS_OF_DATES for text in texts]
    having = Counter(word for own in words for word in own)
    return sum(any(2 * having[word] <= len(texts) for word in own) for own in words) > (1 - MOST) * len(texts)


def _read_shown_date(text: str, language: str | None) -> str | None:
    """A date with a day, as pages show it: bare years and epochs are numbers."""
    return read_date(text, language) if len(text) <= MAX_LENGTH and re.search(r"\d\D+\d|\d\D+$|^\D+\d", text) else None


_READERS = {"price": read_price, "number": read_number}


def typed(value: str | None, kind: ValueType, how: Reading = Reading()) -> str | float | Price | None:
    """Return a value as its column's type: a date in ISO 8601, a :class:`Price`, a number; what cannot be read stays text. ``how`` decides
    about ``03/05/2024`` and ``1.234`` (:func:`reading`)."""
    if value is None or kind == "text":
        return value
    found = _read_shown_date(value, how.language) if kind == "date" else _READERS[kind](value, how.decimal)
    return value if found is None else found


Row = tuple[str | None, ...]
_COMPUTED = re.compile(r"[=\t\r\n]|[-+] *[^\W\d_]|[-+@].*(?:[A-Za-z]\d{0,3}(?:\(| ?\||!\$?[A-Za-z])|\d ?[+*/^&] ?\d)", re.DOTALL)
"""Text that spreadsheets compute: formulas, words after a sign, functions and programs in an expression."""


def as_text_cell(value: str) -> str:
    """Return a value as a cell that no spreadsheet computes: with an apostrophe before a formula.

    >>> as_text_cell("=HYPERLINK(A1)"), as_text_cell("+cmd|' /C calc'!A0"), as_text_cell("-2+3")
    ("'=HYPERLINK(A1)", "'+cmd|' /C calc'!A0", "'-2+3")
    >>> as_text_cell("-$5"), as_text_cell("+49 30 1234"), as_text_cell("@name"), as_text_cell("-12.5 m")
    ('-$5', '+49 30 1234', '@name', '-12.5 m')
    """
    return "'" + value if _COMPUTED.match(value) else value


MAX_COLUMNS = 300  #: Columns of a table; what would need more joins the nearest column of its kind.
CELL = "cell "  #: Start of the path of a column of a data table.
_FIRST = ("title", "price", "date")  #: Types of texts in the order in which they come first in a record.
_MOST_IN_CELL = 32_767  #: Characters of a cell of Excel.
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML = '<?xml version="1.0" encoding="UTF-8"?>'
_OPEN = "http://schemas.openxmlformats.org"
_MAIN, _OFFICE = f"{_OPEN}/spreadsheetml/2006/main", f"{_OPEN}/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    kind: Kind = "text"  #: ``text``, ``link`` (a target) or ``image`` (a source).
    path: str = ""  #: Path of its fields within a record: tags with class names.
    type: ValueType = "text"  #: Type of its values; they stay texts in rows, and :meth:`Table.typed_records` converts them.
    tags: str = field(default="", repr=False)  #: The path without class names.
    said: str = field(default="", repr=False)  #: Label of its fields on the page, as in :class:`~tamis.records.labels.Key`.

    def to_dict(self) -> dict[str, str]:
        """Return the column as plain values."""
        plain = {"name": self.name, "kind": self.kind, "path": self.path}
        return plain | ({} if self.type == "text" else {"type": self.type}) | ({"said": self.said} if self.said else {})


@dataclass(frozen=True, slots=True)
class Table:
    """Records under columns; a missing field is None, rows are in the order of the page, equal rows stay."""

    columns: tuple[Column, ...] = ()
    rows: Sequence[Row] = ()
    caption: str = ""  #: The page's own caption of the table.

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise UsageError("every row has one value for each column")

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Table({len(self)} rows of {', '.join(self.names) or 'no columns'})"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def records(self) -> Iterator[dict[str, str | None]]:
        """Yield the rows as dictionaries by column name."""
        names = self.names
        return (dict(zip(names, row, strict=True)) for row in self.rows)

    def typed_records(self) -> Iterator[dict[str, str | float | Price | None]]:
        """Yield the rows as dictionaries, with dates in ISO 8601, prices as :class:`~tamis.records.table.Price`, and numbers."""
        of = [(column.name, column.type, reading(row[k] for row in self.rows)) for k, column in enumerate(self.columns)]
        return ({name: typed(value, kind, how) for (name, kind, how), value in zip(of, row, strict=True)} for row in self.rows)

    def only(self, *kinds: Kind) -> Table:
        """Return the table with the columns of some kinds."""
        return self._chosen([k for k, column in enumerate(self.columns) if column.kind in kinds])

    def arranged(self) -> Table:
        """Return the table with title, price and date first, then the other texts, then targets of links and sources of images. Without a
        title, as in a data table, texts keep their order."""
        has_title = "title" in self.names

        def rank(k: int) -> tuple[int, int]:
            column = self.columns[k]
            word = next((word for word in (column.name, column.type) if word in _FIRST), "") if has_title else ""
            place = _FIRST.index(word) if word and column.kind == "text" else len(_FIRST) - (column.name == "link")
            return get_args(Kind).index(column.kind), place

        return self._chosen(sorted(range(len(self.columns)), key=rank))

    def _chosen(self, places: Sequence[int]) -> Table:
        return Table(tuple(self.columns[k] for k in places), tuple(tuple(row[k] for k in places) for row in self.rows), self.caption)

    def to_csv(self, *, escape: bool = True) -> str:
        """Write CSV with a header (RFC 4180, lines end with ``\\n``); a missing field is empty.

        Args:
            escape: keep spreadsheets from reading values as formulas (:func:`as_text_cell`).
        """
        return "".join(self.csv_lines(escape=escape))

    def csv_lines(self, *, escape: bool = True) -> Iterator[str]:
        """Yield the lines of :meth:`to_csv`."""
        cells: Callable[[str], str] = as_text_cell if escape else str
        line: Callable[[Iterable[str]], str] = csv.writer(_Written(), lineterminator="\n").writerow
        yield line(map(cells, self.names))
        for row in self.rows:
            yield line("" if value is None else cells(value) for value in row)

    def to_jsonl(self) -> str:
        """Write JSON lines: an object for each row, missing fields as null."""
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self.records())

    def to_json(self) -> str:
        """Write one JSON array: an object for each row, missing fields as null."""
        return "".join(self.json_pieces()) + "\n"

    def json_pieces(self) -> Iterator[str]:
        """Yield the pieces of :meth:`to_json`, without the line end."""
        return json_array([json.dumps(record, ensure_ascii=False, indent=1)] for record in self.records())

    def to_xlsx(self) -> bytes:
        """Write an Excel workbook of one sheet: numbers are numbers, all else is text, which is never computed."""
        return workbook([self])

    def _sheet(self) -> str:
        rows: list[list[str | None]] = [list(self.names), *([_without_surrogates(value) for value in row] for row in self.rows)]
        numeric = [column.type == "number" for column in self.columns]
        how = [reading(row[k] for row in self.rows) for k in range(len(self.columns))]

        def cell(value: str | None, k: int, is_head: bool) -> str:
            number = typed(value, "number", how[k]) if numeric[k] and not is_head else None
            if isinstance(number, (int, float)):
                return f"<c><v>{number}</v></c>"
            text = escape(_NOT_IN_XML.sub("", value or "")[:_MOST_IN_CELL])
            return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>' if text else "<c/>"

        cells = ("".join(cell(value, k, number == 0) for k, value in enumerate(row)) for number, row in enumerate(rows))
        return f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>{"".join(f"<row>{row}</row>" for row in cells)}</sheetData></worksheet>'

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table, with kind, path and type of each column in the metadata of its field; needs pyarrow.

        Columns with a type have values: numbers, amounts of money, days (or ISO 8601 texts where one has a time). The currencies of a
        column ``price`` follow it as ``price currency``, and texts of it that cannot be read as ``price text``. Whole numbers are int64.
        """
        with needs_extra("a table in Arrow", "parquet"):
            import pyarrow as pa
        read = [_typed_values(column.type, [_without_surrogates(row[k]) for row in self.rows]) for k, column in enumerate(self.columns)]
        more = [f"{column.name} {what}" for column, (_, texts) in zip(self.columns, read, strict=True) for what in texts]
        of_more = iter(numbered([*self.names, *more])[len(self.names) :])
        of_type = {"number": pa.float64(), "price": pa.float64(), "date": pa.date32()}
        fields, arrays = [], []
        for column, (values, texts) in zip(self.columns, read, strict=True):
            known = next((type(value) for value in values if value is not None), None)
            kind = pa.string() if known is str else pa.int64() if known is int else of_type.get(column.type, pa.string())
            metadata = {key: value for key, value in column.to_dict().items() if key != "name"}
            fields += [pa.field(column.name, kind, metadata=metadata), *(pa.field(next(of_more), pa.string()) for _ in texts)]
            arrays += [pa.array(values, kind), *(pa.array(each, pa.string()) for each in texts.values())]
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame of strings, missing fields None; needs pandas."""
        with needs_extra("a data frame", "pandas"):
            import pandas as pd
        return pd.DataFrame(list(self.rows), columns=list(self.names), dtype=object)

    def to_parquet(self, path: str | PathLike[str] | BinaryIO) -> None:
        """Write a Parquet file, or its bytes to a stream; needs pyarrow."""
        table = self.to_arrow()
        import pyarrow.parquet as pq

        try:
            pq.write_table(table, path)
        except OSError as error:
            raise SourceError(f"cannot write {path}: {error}") from error


class _Written:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def json_array(items: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield an array of JSON in pieces, indented by a space, of items in pieces."""
    before = "["
    for pieces in items:
        yield f"{before}\n "
        yield from (piece.replace("\n", "\n ") for piece in pieces)
        before = ","
    yield "[]" if before == "[" else "\n]"


def workbook(tables: Sequence[Table]) -> bytes:
    """Return an Excel workbook (ECMA-376) with a sheet for each table."""
    numbers = range(1, len(tables) + 1)
    sheets = "".join(f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{_KIND}.worksheet+xml"/>' for k in numbers)
    listed = "".join(f'<sheet name="records{k if k > 1 else ""}" sheetId="{k}" r:id="r{k}"/>' for k in numbers)
    relations = "".join(f'<Relationship Id="r{k}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{k}.xml"/>' for k in numbers)
    parts = {
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_OPEN}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>{sheets}</Types>',
        "_rels/.rels": f'{_XML}<Relationships xmlns="{_OPEN}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{_XML}<Relationships xmlns="{_OPEN}/package/2006/relationships">{relations}</Relationships>',
        **{f"xl/worksheets/sheet{k}.xml": table._sheet() for k, table in zip(numbers, tables, strict=True)},
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def numbered(names: Iterable[str], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names, equal ones told apart by numbers; those without one are texts. ``taken``: names that others have.

    >>> numbered(["a", "", "a", "a 2", ""])
    ('a', 'text 1', 'a 2', 'a 2 2', 'text 2')
    """
    used = set(taken)
    found = []
    for name in names:
        free, number = name or "text 1", 1
        while free in used:
            number += 1
            free = f"{name or 'text'} {number}"
        used.add(free)
        found.append(free)
    return tuple(found)


def _typed_values(kind: ValueType, cells: list[str | None]) -> tuple[list[Any], dict[str, list[str | None]]]:
    """The cells of a column as values of its type, and what else they say: currencies, and texts that cannot be read."""
    if kind == "text":
        return cells, {}
    how = reading(cells)
    found = [typed(cell, kind, how) for cell in cells]
    values: list[Any] = [None if value is cell else value for value, cell in zip(found, cells, strict=True)]
    texts = [cell if value is None else None for value, cell in zip(values, cells, strict=True)]
    more = {"text": texts} if any(texts) else {}
    if kind == "price":
        more = {"currency": [value and value.currency for value in values]} | more
        values = [value and value.amount for value in values]
    elif kind == "number" and not all(isinstance(value, int) and abs(value) < 1 << 63 for value in values if value is not None):
        values = [None if value is None else float(value) for value in values]
    elif kind == "date" and all(len(value) == len("2024-05-03") for value in values if value):
        values = [value and date.fromisoformat(value) for value in values]
    return values, more


def _without_surrogates(value: str | None) -> str | None:
    """Text that UTF-8 can hold: lone surrogates of a damaged page become question marks."""
    return None if value is None else value.encode("utf-8", "replace").decode("utf-8")
