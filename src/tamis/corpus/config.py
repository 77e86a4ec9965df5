"""Settings of a run over a corpus: read from TOML, checked, printed and compared."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from tamis.errors import UsageError, check_numbers
from tamis.io.addresses import Patterns
from tamis.io.files import as_path, is_remote, is_web
from tamis.io.pages import Fields
from tamis.io.plain import made

OutputFormat = Literal["parquet", "jsonl", "csv", "markdown"]
RunnerName = Literal["local", "ray"]
PartitionName = Literal["site", "language"]
MethodName = Literal["model", "attenuation", "style-tree", "papers"]
LEARNING = ("style-tree", "papers")  #: Methods that learn sites from whole pages, not from their digests.


@dataclass(frozen=True, slots=True)
class CorpusConfig:
    """Settings of a run.

    Raises:
        UsageError: a setting is out of its range.
    """

    sources: tuple[str, ...]
    """WARC archives, Parquet, JSON lines, lists of addresses, folders with any of these or with pages, patterns; paths, or addresses of
    storage (``s3://bucket/crawl/*.warc.gz``)."""
    output: str
    """The output folder."""
    formats: tuple[OutputFormat, ...] = ("parquet",)
    """Formats of documents."""
    partition: PartitionName | None = None
    """Parquet in folders by this column; None: one file for each shard."""
    target: str | None = None
    """A folder or an address of storage to copy the results to."""
    method: MethodName = "model"
    """Method that finds the main text. The node model and attenuation work with the templates of sites, the others with the sites' style
    trees (of a site of few pages, the papers' method with same-layer pages)."""
    markdown: bool = False
    """Also write the main text as Markdown."""
    front_matter: bool = False
    """Begin files of the format markdown with YAML: title, author, date, address, site and language."""
    include: tuple[str, ...] = ()
    """Clean only pages whose path with query matches one of these patterns, such as ``/news/*``; one that begins with ``http`` is compared
    with the whole address. A page without an address has the path of its file within the source. Empty: all pages."""
    exclude: tuple[str, ...] = ()
    """Leave out pages that match one of these patterns."""
    url_field: str = "url"
    """Column or field with the address of a page."""
    html_field: str | None = None
    """Column or field with the page; None: the first of html, content, body, raw_html."""
    sample: int = 50
    """Pages that the template of a site is learned from, chosen by a hash of their addresses."""
    models: str | None = None
    """A folder or an address of storage with the templates of sites: those of earlier runs are used and updated, new ones are added."""
    previous: str | None = None
    """The output folder of an earlier run with the same store of templates: results of pages that have not changed are taken from it."""
    languages: tuple[str, ...] = ()
    """Keep only documents in these languages (ISO 639-1), detected from their text; empty: keep all."""
    detect_language: bool = False
    """Detect the language of documents, and how sure that is; also on where ``languages`` are given."""
    quality: tuple[str, ...] = ()
    """Keep only documents whose text passes these rules (:data:`tamis.document.quality.RULES`, or ``gopher`` and ``fineweb``)."""
    filters: tuple[str, ...] = ()
    """Keep only documents that these functions keep, by name: ``my_filters:long_enough`` (:data:`tamis.corpus.page_steps.Filter`)."""
    duplicates: bool = True
    """Collapse near-duplicates."""
    parts: bool = False
    """A document that is part of a longer one is a copy of it. Archive pages that hold whole articles then replace the articles."""
    metadata: bool = True
    """Read title, author, date, language, and the canonical link, by which near-duplicates are chosen."""
    dropped: bool = True
    """Write the dropped text, by reason, beside the documents."""
    records: bool = False
    """Turn the lists of pages (results, products, posts) into a table beside the documents."""
    spool: bool = True
    """Keep pages in the output folder, compressed, until they are cleaned, so that sources are read once."""
    runner: RunnerName = "local"
    workers: int | None = None
    """Processes; None: one for each processor."""
    ray_address: str | None = None
    """Address of a Ray cluster; None: ``RAY_ADDRESS``, else a cluster on this machine."""
    page_seconds: float = 20.0
    """Time limit for one page in one stage; a page that takes longer fails."""
    memory_mb: int = 4096
    """Address space of one worker process, megabytes; 0: no limit."""
    shard_mb: int = 16
    """Size of the shards of archives and JSON lines, megabytes."""
    shard_rows: int = 10_000
    """Rows of a shard of Parquet; row groups are not cut."""
    shard_files: int = 2_000
    """Pages of a shard of a folder or a list."""

    def __post_init__(self) -> None:
        if not self.sources:
            raise UsageError("a corpus has at least one source")
        if not self.output:
            raise UsageError("a corpus needs an output folder")
        if is_remote(self.output):
            raise UsageError(f"the output is a folder that all workers see, not {self.output}; results are copied into storage by --target")
        if not self.formats or set(self.formats) - set(get_args(OutputFormat)):
            raise UsageError(f"formats are some of {', '.join(get_args(OutputFormat))}, not {', '.join(self.formats) or 'none'}")
        for name, choices in (("runner", RunnerName), ("partition", PartitionName), ("method", MethodName)):
            if (given := getattr(self, name)) is not None and given not in get_args(choices):
                raise UsageError(f"the setting {name} is {' or '.join(get_args(choices))}, not {given}")
        if self.partition is not None and "parquet" not in self.formats:
            raise UsageError("folders by site or language (--partition) are for Parquet: add the format parquet (--format)")
        if self.front_matter and "markdown" not in self.formats:
            raise UsageError("front matter is for files in Markdown: add the format markdown (--format)")
        if self.models is not None and self.method in LEARNING:
            raise UsageError(f"a store of templates (--models) is not for the method {self.method}")
        if self.previous is not None and self.models is None:
            raise UsageError(
                "results of an earlier run (--previous) are valid for the templates that it stored: name these, too (--models)"
            )
        if self.previous is not None and Path(self.previous).resolve() == Path(self.output).resolve():
            raise UsageError("the earlier run (--previous) is another one, not that in the output folder")
        if self.languages or self.detect_language or self.quality or self.filters:
            from tamis.corpus.page_steps import check_wanted

            check_wanted(self.languages, self.quality, self.filters, detected=self.detect_language)
        Patterns(self.include, self.exclude)  # which checks them
        check_numbers(self, positive=("sample", "shard_mb", "shard_rows", "shard_files", "workers", "page_seconds"), natural=("memory_mb",))

    @property
    def page_fields(self) -> Fields:
        """The names of fields and columns in sources."""
        return Fields(self.url_field, self.html_field)

    @property
    def with_markdown(self) -> bool:
        """Pages are written as Markdown, too."""
        return self.markdown or "markdown" in self.formats

    @property
    def detects_language(self) -> bool:
        """The language of documents is detected."""
        return self.detect_language or bool(self.languages)

    @property
    def cleaning(self) -> dict[str, Any]:
        """The settings that the results of a page depend on, by name."""
        names = "method metadata dropped duplicates records languages quality filters".split()
        effective = {"markdown": self.with_markdown, "detect_language": self.detects_language}
        return {name: getattr(self, name) for name in names} | effective

    @property
    def decisive(self) -> dict[str, Any]:
        """The settings that results depend on, as JSON values; paths are absolute."""
        values = asdict(self) | {"sources": tuple(map(_absolute_source, self.sources))}
        values |= {name: _absolute_source(value) for name in ("models", "previous") if (value := values[name]) is not None}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if name not in _INCIDENTAL}

    def to_toml(self) -> str:
        """Return the settings as TOML; those that are None are comments.

        >>> print(CorpusConfig(("a.warc.gz",), "out").to_toml().splitlines()[0])
        sources = ["a.warc.gz"]
        """
        lines = ((name, value, json.dumps(value, ensure_ascii=False)) for name, value in asdict(self).items())  # JSON that is TOML, too
        return "".join(f"# {name} =\n" if value is None else f"{name} = {text}\n" for name, value, text in lines)


def _absolute_source(name: str) -> str:
    return name if is_remote(name) or is_web(name) else os.path.abspath(as_path(name))  # noqa: PTH100  # symbolic links stay


_INCIDENTAL = frozenset(("output", "target", "spool", "runner", "workers", "ray_address", "page_seconds", "memory_mb"))


def load(path: str | Path, **given: Any) -> CorpusConfig:
    """Return settings from a TOML file; ``given`` ones win.

    Raises:
        UsageError: the file cannot be read, is not TOML, or has an unknown setting or one of another type.
    """
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    return make({**values, **given}, str(path))


def make(values: Mapping[str, Any], named: str = "the settings") -> CorpusConfig:
    """Return settings from plain values. Raises UsageError if one is unknown, missing, or of another type."""
    return made(CorpusConfig, values, named)
