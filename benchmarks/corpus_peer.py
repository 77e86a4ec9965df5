"""A corpus cleaned by what others do today: a pool of processes with trafilatura, then MinHash LSH (datasketch) over the texts.

``python -m benchmarks.corpus_peer OUT WORKERS FILE...`` writes ``OUT`` as JSON lines (url, text) and prints one line of JSON:
seconds of the two steps, documents and duplicates.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import Any

THRESHOLD = 0.8
PERMUTATIONS = 128
WORDS = 3
_WORD = re.compile(r"\w+")


def clean(page: tuple[str, bytes]) -> tuple[str, str]:
    """The main text by trafilatura, as its documentation says for speed and no comments."""
    import trafilatura

    url, html = page
    try:
        return url, trafilatura.extract(html, url=url, include_comments=False, fast=True) or ""
    except Exception:
        return url, ""


def sign(document: tuple[str, str]) -> tuple[str, Any]:
    """The MinHash of a text's word triples."""
    from datasketch import MinHash

    words = _WORD.findall(document[1].lower())
    made = MinHash(num_perm=PERMUTATIONS)
    made.update_batch({" ".join(words[at : at + WORDS]).encode() for at in range(max(len(words) - WORDS + 1, 1))})
    return document[0], made


def pages(files: list[str]) -> Iterator[tuple[str, bytes]]:
    """Pages of archives by FastWARC, of Parquet by pyarrow."""
    for file in files:
        if file.endswith(".parquet"):
            import pyarrow.parquet as pq

            for batch in pq.ParquetFile(file).iter_batches(64):
                yield from ((row["url"], row["html"]) for row in batch.to_pylist())
            continue
        from fastwarc.warc import ArchiveIterator, WarcRecordType

        with Path(file).open("rb") as stream:
            for found in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
                yield str(found.headers["WARC-Target-URI"]), found.reader.read()


def main(output: str, workers: int, files: list[str]) -> None:
    """Clean, collapse, write."""
    from datasketch import MinHashLSH

    start = time.perf_counter()
    with Pool(workers) as pool:
        documents = list(pool.imap(clean, pages(files), chunksize=16))
        cleaned = time.perf_counter()
        index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
        kept = set()
        for number, (_, made) in enumerate(pool.imap(sign, documents, chunksize=64)):
            if documents[number][1] and not index.query(made):
                index.insert(str(number), made)
                kept.add(number)
    with Path(output).open("w", encoding="utf-8", errors="replace") as stream:
        for number, (url, text) in enumerate(documents):
            stream.write(json.dumps({"url": url, "text": text, "kept": number in kept}) + "\n")
    done = time.perf_counter()
    answer = {"clean": cleaned - start, "duplicates": done - cleaned, "documents": len(kept), "pages": len(documents)}
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
