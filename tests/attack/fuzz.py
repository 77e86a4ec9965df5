"""Feed damaged and repetitive pages to every public function, and damaged archives, JSON lines and Parquet to ``clean`` and ``corpus run``.

``python -m tests.attack.fuzz pages --count 20000``, ``... patterns``, ``... files`` or ``... corpus``. Looked for: an exception outside
:class:`~tamis.errors.TamisError`, a process that dies, a page that costs more than 50 times the median of its function, a pattern of 300 kB
on which a function takes more than 20 seconds, a run that ends.
The work happens in child processes, so that a crash is found, too. Inputs that fail are written to ``out/fuzz``, and counted.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import random
import resource
import shutil
import string
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import tamis
from demo import build_site
from tamis.errors import TamisError
from tests.attack.functions import SURFACE, each

FOUND = Path("out/fuzz")
PORTION = 100
"""Inputs of one child process."""
Use = Callable[[Any], dict[str, float]]
"""What is done with an input; it gives the seconds that each part took."""
OUTLIER = 50
FLOOR = 1.0
"""Seconds: what takes less is no outlier."""
SECONDS, MEMORY = 600, 4 << 30
"""Limits of one child process."""
SANITIZED = "ASAN_OPTIONS" in os.environ
HOSTILE = [
    b"<table><td rowspan=99999 colspan=99999>",
    b"<a href=",
    b"</p></div></body></html>",
    b"<template><svg><foreignObject><math><mi>",
    b"<frameset><noscript><plaintext>",
    b"<base href='http://[::1'>",
    b'<script type="application/ld+json">{"@graph": [[[',
    b'<script type="application/ld+json">{"@type": "Product", "offers": {"price": 1e999, "name": "\\ud800"}}</script>',
    b"<!--",
    b"&#x110000;&#0;&notit&#" + b"9" * 5_000 + b";",
    b"\x00\xff\xfe\xed\xa0\x80",
    b"<meta charset=utf-16>",
    b"<meta charset=iso-2022-jp>\x1b$B",
    b"<ul><li>" * 300,
    b"<p style='font-size:1e308px;width:-1e999%'>",
    b"<ol start=99999999999999999999><li value=-1>",
    b"<time datetime=99999-99-99T99:99:99+99:99>",
    b"<img srcset='a 1x, , 1e999w'>",
    b"<div class='comment' id='comment-1'><time>1 hour ago</time>",
    b"<dl><dt><dd></dl><figure><figcaption><pre><code class=language->",
]


TAGS = """h1 h2 h3 p p p div span a li ul table tr td dt dd button details summary article section main nav aside header footer form img
    figure figcaption time code pre blockquote b em textarea label select option video iframe noscript hr br dialog caption sup""".split()


def composed(rng: random.Random) -> bytes:
    """A page of sentences and words in elements of any kind, side by side or one in another."""
    page = ""
    for _ in range(rng.randint(1, 30)):
        tag = rng.choice(TAGS)
        words = " ".join("sea wall tide ferry bread gull 海港 rope".split()[rng.randrange(8)] for _ in range(rng.choice((1, 2, 12, 40))))
        words += "<sup><a href=#note>1</a></sup>" if rng.random() < 0.1 else ""
        inside = rng.random() < 0.3
        page = f"{page}<{tag}>{words}{rng.choice('.?: ')}{page if inside and len(page) < 2_000 else ''}</{tag}>"
    page = page.replace("<caption>", "<table><caption>").replace("</caption>", "</caption><tr><th>tide<td>4 m</table>")
    return f"<title>Sea wall</title>{page}<ol><li id=note>a note</ol>".encode()


def damaged(pages: list[bytes], rng: random.Random, markup: bool = True) -> bytes:
    """Data after a few accidents: pieces cut, doubled, moved from elsewhere, bytes changed, hostile markup put in."""
    page = rng.choice(pages)
    for _ in range(rng.randint(1, 12)):
        a, b = sorted(rng.randint(0, len(page)) for _ in range(2))
        b = min(b, a + rng.choice((1, 4, 40, 4_000)))
        other = rng.choice(pages)
        c = rng.randint(0, len(other))
        page = rng.choice(
            (
                page[:a] + page[b:],
                page[:b] + page[a:],
                page[:a] + other[c : c + 2_000] + page[a:],
                page[:a] + (rng.choice(HOSTILE) if markup else bytes([rng.randrange(256)])) + page[a:],
                page[:a] + rng.randbytes(rng.randint(1, 8)) + page[a:],
                page[:a] + bytes([page[a] ^ 1 << rng.randrange(8)]) + page[a + 1 :] if a < len(page) else page,
            )
        )
    return page


# -- pages ---------------------------------------------------------------------------------------------------------------


def pages(count: int, rng: random.Random) -> Iterator[bytes]:
    """Damaged pieces of pages of the demo site, most of them of a few kilobytes, some of them whole; and composed pages."""
    whole = [page.raw for page in build_site() if page.raw]

    def piece() -> bytes:
        page = rng.choice(whole)
        start = rng.randrange(len(page))
        return page if rng.random() < 0.02 else page[start : start + rng.choice((500, 2_000, 5_000))]

    for number in range(count):
        yield damaged([piece(), piece()], rng) if number % 2 else composed(rng)


def use_page(page: bytes) -> dict[str, float]:
    """Every function on one page; seconds of processor time."""
    costs = {name: seconds for name, seconds, _ in each(page)}
    for name, ask in SURFACE.items():
        start = time.process_time()
        ask(page)
        costs[name] = time.process_time() - start
    return costs


REPEATED = """
    <div> </div> <p> </p> <b> </b> <a&href=x> </a> <i&id=%d> </i> <table> <tr> <td> </table> <caption> <colgroup> <tbody>
    <select> <option> <optgroup> </select> <input> <svg> </svg> <math> <mi> <foreignObject> <desc> <template> </template>
    <form> </form> <button> </button> <li> <ul> <ol> <dd> <dt> <dl> <h1> <h2>Contents</h2> </h3> <ruby> <rt> <rp> <nobr>
    <object> </object> <x%d> </x%d> <p&a%d=1> <p&a%d&b%d> <font&color=%d> </font> <frameset> <body&a%d> <html&a%d> <br>
    </br> <hr> <plaintext> <textarea> <style> <title> <script> </script> <noscript> <iframe> <center> <pre> </pre>
    <details><summary> <span&class='c%d'> </span> <p&class=comment> <div&id=comments> <div&class=comment&id=c%d> <time>
    <cite> <blockquote> <em><strong> <a><b><i><u> <!-- --> <![CDATA[ ]]> &amp; &notit; \0 &#10; x word%d 中文%d 3&comments
    http://a.example/%d <h2><a&href=http://a.example>http://a.example</a></h2> <a&href=a.pdf>附件 Ann:&x $%d.00 2024-01-02
    <img&src=a.png> <main> <article> <nav> <footer> <li&class=item> <span&class=price>
""".split()
"""Pieces of patterns. ``&`` is a space, but not where it comes first; ``%d`` a number that is never the same."""
PATTERN_SIZE, SLOW = 300_000, 20.0


def patterns(count: int, rng: random.Random) -> Iterator[bytes]:
    """Pages of one to three patterns of up to four pieces, each repeated again and again."""
    pieces = [piece if piece.startswith("&") else piece.replace("&", " ") for piece in REPEATED]
    for _ in range(count):
        number, page = 0, list[str]()
        chosen = ["".join(rng.choices(pieces, k=rng.randint(1, 4))) for _ in range(rng.randint(1, 3))]
        for pattern in chosen:
            numbers, times = pattern.count("%d"), PATTERN_SIZE // len(chosen) // len(pattern)
            for _ in range(times):
                page.append(pattern % tuple(range(number, number + numbers)) if numbers else pattern)
                number += numbers
        yield "".join(page).encode()


def use_pattern(page: bytes) -> dict[str, float]:
    """Every function on one page. Raises where one takes long."""
    times = use_page(page)
    if slow := {name: round(seconds, 1) for name, seconds in times.items() if seconds > SLOW}:
        raise TimeoutError(f"seconds on {len(page)} bytes: {slow}")
    return times


# -- files ---------------------------------------------------------------------------------------------------------------


def whole_files() -> dict[str, list[bytes]]:
    """Small archives, JSON lines and Parquet with pages of the demo site, by suffix."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tamis.io.warc import record

    site = [page.raw for page in build_site() if page.raw][:40]
    date = datetime(2026, 1, 2, tzinfo=UTC)
    found: dict[str, list[bytes]] = {".warc": [], ".warc.gz": [], ".jsonl": [], ".jsonl.gz": [], ".parquet": []}
    for start in range(0, len(site), 4):
        some = site[start : start + 4]
        rows = [{"url": f"http://a.test/{start}/{n}", "html": page.decode("utf-8", "replace")} for n, page in enumerate(some)]
        members = []
        for number, page in enumerate(some):
            block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(page) + page
            identity = f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"
            headers = {"WARC-Target-URI": f"http://a.test/{start}/{number}"}
            members.append(record("response", identity, date, block, "application/http; msgtype=response", headers))
        packed = b"".join(members)
        found[".warc.gz"].append(packed)
        found[".warc"].append(b"".join(gzip.decompress(member) for member in members))
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        found[".jsonl"].append(lines)
        found[".jsonl.gz"].append(gzip.compress(lines, mtime=0))
        stream = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows), stream)
        found[".parquet"].append(stream.getvalue())
    return found


def files(count: int, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Damaged files with their suffixes; half of the compressed ones are damaged before they are compressed."""
    whole = whole_files()
    for _ in range(count):
        suffix = rng.choice(list(whole))
        if suffix.endswith(".gz") and rng.random() < 0.5:
            yield suffix, gzip.compress(damaged(whole[suffix.removesuffix(".gz")], rng, markup=False), mtime=0)
        else:
            yield suffix, damaged(whole[suffix], rng, markup=False)


def use_file(given: tuple[str, bytes]) -> dict[str, float]:
    """Clean what a file holds."""
    suffix, data = given
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"pages{suffix}"
        path.write_bytes(data)
        with suppress(TamisError):
            for record in tamis.clean(str(path), workers=1, formats=("text", "markdown")):
                record.to_dict()
    return {f"clean {suffix}": time.process_time() - start}


def whole_rows() -> list[dict[str, str]]:
    """Undamaged pages that are near-duplicates of no other."""
    rng = random.Random(0)

    def sentence() -> str:
        return " ".join("".join(rng.choices("aeiou" + string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(20)).capitalize()

    return [
        {
            "url": f"http://whole.test/{number}",
            "html": "<nav><a href=/>Home</a> <a href=/all>All pages</a></nav>"
            f"<article><h1>{sentence()}</h1>{''.join(f'<p>{sentence()}.' for _ in range(8))}</article>",
        }
        for number in range(5)
    ]


def use_folder(given: list[tuple[str, bytes]]) -> dict[str, float]:
    """A corpus run over such files, and one file that is whole: it must end, and have the pages of that one."""
    import pyarrow.parquet as pq

    from tamis.corpus.config import CorpusConfig
    from tamis.corpus.pipeline import run

    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        rows = whole_rows()
        whole = "".join(json.dumps(row) + "\n" for row in rows).encode()
        paths = [Path(folder, f"pages-{number}{suffix}") for number, (suffix, _) in enumerate([*given, (".jsonl", b"")])]
        for path, data in zip(paths, [*(data for _, data in given), whole], strict=True):
            path.write_bytes(data)
        run(CorpusConfig(tuple(map(str, paths)), f"{folder}/out", workers=1, records=True))
        documents = {row["url"] for row in pq.read_table(Path(folder, "out", "documents")).to_pylist()}
        missing = sorted({row["url"] for row in rows} - documents)
        assert not missing, f"pages of the whole file are missing: {missing}"
    return {"corpus": time.monotonic() - start}


# -- children ------------------------------------------------------------------------------------------------------------


def in_children(inputs: Iterator[Any], use: Use, until: float, portion: int = PORTION) -> Iterator[tuple[Any, Any]]:
    """Each input with what ``use`` says of it, or with the trouble as text. ``until``: monotonic time to stop at."""
    waiting: list[Any] = []
    for given in inputs:
        waiting.append(given)
        if len(waiting) == portion:
            yield from _children(waiting, use)
            waiting = []
            if time.monotonic() > until:
                return
    yield from _children(waiting, use)


def _children(inputs: list[Any], use: Use) -> Iterator[tuple[Any, Any]]:
    done = 0
    while done < len(inputs):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _serve(inputs[done:], use, writing)
        os.close(writing)
        with os.fdopen(reading) as answers:
            for answer in answers:
                yield inputs[done], json.loads(answer)
                done += 1
        _, status = os.waitpid(child, 0)
        if status:
            yield inputs[done], f"the process ended with signal {status & 127}"
            done += 1


def _serve(inputs: list[Any], use: Use, writing: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if not SANITIZED:  # a sanitizer reserves terabytes
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for given in inputs:
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                answer: Any = use(given)
        except BaseException:
            answer = traceback.format_exc()
        os.write(writing, (json.dumps(answer) + "\n").encode())
    os._exit(0)


def outliers(inputs: list[Any], times: list[dict[str, float]], use: Use) -> Iterator[tuple[Any, str]]:
    """Inputs that cost more than :data:`OUTLIER` times the median of a function, also when they are run again."""
    usual = {name: median(taken[name] for taken in times if name in taken) for name in {name for taken in times for name in taken}}
    for given, taken in zip(inputs, times, strict=True):
        if any(seconds > max(FLOOR, OUTLIER * usual[name]) for name, seconds in taken.items()):
            again = use(given)
            for name, seconds in again.items():
                if seconds > max(FLOOR, OUTLIER * usual[name]):
                    yield given, f"{name} takes {seconds:.2f} s, the median is {usual[name]:.4f} s"


def save(folder: Path, given: Any, trouble: str) -> None:
    """Write an input that failed, and why."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{len(list(folder.iterdir())):05d}"
    several = given if isinstance(given, list) else [given if isinstance(given, tuple) else (".html", given)]
    for number, (suffix, data) in enumerate(several):
        (folder / f"{name}{f'-{number}' if len(several) > 1 else ''}{suffix}").write_bytes(data)
    (folder / f"{name}.txt").write_text(trouble)


def main() -> int:
    """Run. Exit code 1: something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("pages", "patterns", "files", "corpus"))
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found_in = FOUND / options.what
    shutil.rmtree(found_in, ignore_errors=True)
    rng = random.Random(options.seed)
    inputs: Iterator[Any]
    use: Use
    if options.what in ("pages", "patterns"):
        use_page(b"<p>loads all modules")
    if options.what == "pages":
        inputs, use, portion = pages(options.count, rng), use_page, PORTION
    elif options.what == "patterns":
        inputs, use, portion = patterns(options.count, rng), use_pattern, 10
    elif options.what == "files":
        inputs, use, portion = files(options.count, rng), use_file, PORTION
    else:
        some = files(options.count, rng)
        inputs, use, portion = iter(lambda: [each for each, _ in zip(some, range(200), strict=False)], []), use_folder, 1
    seen, times = [], []
    found: Counter[str] = Counter()
    for given, answer in in_children(inputs, use, time.monotonic() + options.seconds, portion):
        seen.append(given)
        times.append(answer if isinstance(answer, dict) else {})
        if isinstance(answer, str):
            last = answer.strip().splitlines()[-1]
            found[last] += 1
            if found[last] <= 3:
                save(found_in, given, answer)
    for given, trouble in outliers(seen, times, use) if options.what in ("pages", "files") and not SANITIZED else ():
        found["outliers"] += 1
        save(found_in, given, trouble)
        print(trouble)
    number = sum(len(given) for given in seen) if options.what == "corpus" else len(seen)
    print(f"{number} {options.what} of seed {options.seed}: {sum(found.values())} findings" + (f", inputs in {FOUND}" if found else ""))
    for name, seconds in sorted(_costs(times).items()):
        print(f"  {name:20} median {seconds[0] * 1000:8.1f} ms, most {seconds[1] * 1000:8.1f} ms")
    for trouble, count in found.most_common():
        print(f"  {count:6} {trouble}")
    return int(bool(found))


def _costs(times: list[dict[str, float]]) -> dict[str, tuple[float, float]]:
    names = {name for taken in times for name in taken}
    columns = {name: [taken[name] for taken in times if name in taken] for name in names}
    return {name: (median(column), max(column)) for name, column in columns.items()}


if __name__ == "__main__":
    sys.exit(main())
