"""A site model on disk: a folder of open formats, to be read, compared and edited with ordinary tools.

======================  ================================================================================================
``model.json``          format and version, settings, manual rules, layouts, the descent to the content place, the pages learned from
``places.parquet``      one row a place: path, parent, counts, shares, verdict
``texts.parquet``       one row a repeated text: hash of its place and of the text, pages that have it
``seen.parquet``        one row a text of the sample: its hash, pages that have it
``seen_there.parquet``  the same of a place and a text in one hash
``sums.parquet``        one row a place of any kind: its hash, and sums over its blocks
``around.parquet``      one row an element: its hash, and sums over all blocks below it
``evidence.parquet``    one row a page learned from: its digest; only :meth:`~tamis.site.model.SiteModel.update` needs it
======================  ================================================================================================
"""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import tempfile
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tamis.content.attenuation import Attenuation
from tamis.errors import ModelError, needs_extra
from tamis.site.digest import PageDigest
from tamis.site.learned import Learned, Rules, SiteSettings
from tamis.site.places import CONTAINER, PLACE, Sample
from tamis.site.template import VERDICTS, Template, TemplateSettings
from tamis.structure.layouts import Layout

if TYPE_CHECKING:
    import pyarrow as pa

S = TypeVar("S")

FORMAT = "tamis-site-model"
VERSION = 5
_DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, RuntimeError)
"""What reading raises where a file does not hold what it should."""
_DIGEST_COLUMNS = {"name": np.int32, "parent": np.int32, "end": np.int32, "element": np.int32, "text": np.uint64}
_DIGEST_COLUMNS |= {"length": np.int32, "link_length": np.int32, "words": np.int32, "log_odds": np.int16}
_PLACE_COLUMNS = {"place": np.uint64, "parent": np.int32, "on_pages": np.int32, "elements": np.int32, "length": np.float64}
_TABLE_FIELDS = {"seen": ("text", "text_pages"), "seen_there": ("text_at", "text_at_pages")}
_TABLE_FIELDS |= {"sums": ("place", "place_sums"), "around": ("container", "container_sums")}
_SUMS = {"seen": ("pages",), "seen_there": ("pages",), "sums": PLACE, "around": CONTAINER}
_TABLES = ("places", "texts", *_TABLE_FIELDS)
_PLACE_COLUMNS |= {"link_share": np.float64, "repeated_share": np.float64, "own": np.float64}


def save(model: Learned, path: str | os.PathLike[str], *, evidence: bool = True) -> None:
    """Save a model as a folder. What stood there before is replaced in one move.

    Args:
        model: the model.
        path: the folder.
        evidence: save the digests too; without them the saved model can be applied but not updated.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ModelError: the folder cannot be written, or holds something else.
    """
    target = Path(path)
    if target.exists() and not (target / "model.json").exists() and any(target.iterdir() if target.is_dir() else [target]):
        raise ModelError(f"{target} exists and is not a site model: choose another folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise ModelError(f"cannot write {target}: {error.strerror or error}") from error
    try:
        (work / "model.json").write_text(json.dumps(_head(model), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        _write(work / "places.parquet", _places(model.template))
        _write(work / "texts.parquet", _texts(model.template))
        for name, table in _sample_tables(model.sample).items():
            _write(work / f"{name}.parquet", table)
        if evidence:
            _write(work / "evidence.parquet", _evidence(model.evidence))
        work.chmod(0o755)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
            target.rename(old / "old")
            work.rename(target)
            shutil.rmtree(old)
        else:
            work.rename(target)
    except OSError as error:
        shutil.rmtree(work, ignore_errors=True)
        raise ModelError(f"cannot write {target}: {error.strerror or error}") from error


def load(path: str | os.PathLike[str]) -> Learned:
    """Load a saved model.

    Raises:
        ModelError: there is none, it is damaged, or a newer tamis wrote it.
    """
    source = Path(path)
    try:
        head = json.loads((source / "model.json").read_text(encoding="utf-8"))
    except NotADirectoryError as error:
        raise ModelError(f"{source} is a file, and a site model is a folder (tamis learn makes one)") from error
    except FileNotFoundError as error:
        raise ModelError(f"{source} is not a site model: it has no model.json (tamis learn makes one)") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"cannot read {source / 'model.json'}: {error}") from error
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ModelError(f"{source / 'model.json'} is not of a site model")
    if head.get("version") != VERSION:
        raise ModelError(
            f"{source} is a site model of version {head.get('version')}; this tamis reads version {VERSION}: update tamis, or learn anew"
        )
    evidence = source / "evidence.parquet"
    try:
        known = _read(evidence) if evidence.exists() else None
        return _model(head, {name: _read(source / f"{name}.parquet") for name in _TABLES}, known)
    except _DAMAGE as error:
        said = f"it has no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ModelError(f"the site model {source} is damaged: {said}") from error


def _head(model: Learned) -> dict[str, Any]:
    import tamis

    template = model.template
    return {
        "format": FORMAT,
        "version": VERSION,
        "tamis": tamis.__version__,
        "rules": {"keep": list(model.rules.keep), "drop": list(model.rules.drop)},
        "content": [template.path(place) for place in (template.chain[-1] if template.chain else ())],
        "descent": [
            {"places": [int(place) for place in places], "path": template.path(places[0]), "attenuation": round(drop, 6)}
            for places, drop in zip(template.chain, template.attenuation, strict=True)
        ],
        "settings": asdict(model.settings),
        "pages": {
            "learned": template.pages,
            "judged": model.sample.pages,
            "given": [f"{key:016x}" for key in model.sample.keys.tolist()],
        },
        "layouts": [
            {"pages": list(layout.members), "sketch": [f"{value:016x}" for value in sorted(layout.sketch)]} for layout in model.layouts
        ],
        "vocabulary": sorted(template.vocabulary),
        "rarer": sorted(model.sample.rarer),
    }


def pack(model: Learned) -> bytes:
    """A model as one piece of bytes, the same for the same model: a zip archive of what :func:`save` writes without evidence, but tables in
    Arrow's own format, which is read several times as fast as Parquet.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("model.json"), json.dumps(_head(model), ensure_ascii=False), zipfile.ZIP_DEFLATED)
        tables = {"places": _places(model.template, paths=False), "texts": _texts(model.template), **_sample_tables(model.sample)}
        for name, table in tables.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.arrow"), _to_arrow(table))
    return packed.getvalue()


def pack_digests(pages: tuple[PageDigest, ...]) -> bytes:
    """Digests of pages as one piece of bytes: what :func:`pack` leaves out."""
    return _to_arrow(_evidence(pages))


def unpack_digests(packed: bytes) -> tuple[PageDigest, ...]:
    """Digests from :func:`pack_digests`.

    Raises:
        ModelError: these bytes are not such digests.
    """
    try:
        return _digests(_from_arrow(packed))
    except (OSError, *_DAMAGE) as error:
        raise ModelError(f"these bytes are no digests of pages: {error!r}") from error


def _to_arrow(table: pa.Table) -> bytes:
    pa = _arrow()
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)) as writer:
        writer.write_table(table)
    return file.getvalue()


def _from_arrow(packed: bytes) -> pa.Table:
    pa = _arrow()
    return pa.ipc.open_file(pa.BufferReader(packed), options=pa.ipc.IpcReadOptions(use_threads=False)).read_all()


def unpack(packed: bytes) -> Learned:
    """A model from :func:`pack`.

    Raises:
        ModelError: these bytes are not such a model.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            tables = {name: _from_arrow(archive.read(f"{name}.arrow")) for name in _TABLES}
            return _model(json.loads(archive.read("model.json")), tables, None)
    except (OSError, zipfile.BadZipFile, *_DAMAGE) as error:
        raise ModelError(f"these bytes are not a site model: {error!r}") from error


def _model(head: dict[str, Any], tables: dict[str, pa.Table], evidence: pa.Table | None) -> Learned:
    settings = dict(head["settings"])
    template = _settings(TemplateSettings, settings.pop("template"))
    single = _settings(Attenuation, settings.pop("single"))
    rules = Rules(tuple(_strings(head["rules"]["keep"])), tuple(_strings(head["rules"]["drop"])))
    learned = _template(head, tables["places"], tables["texts"])
    return Learned(
        template=learned,
        sample=_sample(head, tables, learned.vocabulary),
        layouts=tuple(
            Layout(frozenset(int(value, 16) for value in layout["sketch"]), tuple(map(int, layout["pages"]))) for layout in head["layouts"]
        ),
        settings=replace(_settings(SiteSettings, settings), template=template, single=single),
        rules=rules,
        evidence=() if evidence is None else _digests(evidence),
    )


def _strings(values: object) -> list[str]:
    """A list of strings from a file. Raises TypeError where it is none."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"a list of strings is wanted, not {str(values)[:60]}")
    return values


def _settings(kind: type[S], values: dict[str, Any]) -> S:
    """Settings from a file. Raises TypeError where a value is not of the type of its default, or is no number."""
    default = kind()
    for name, value in values.items():
        right = type(getattr(default, name))
        if not isinstance(value, (int, float) if right is float else right) or (right is not bool and isinstance(value, bool)):
            raise TypeError(f"{name} is {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise TypeError(f"{name} is {value}")
    return kind(**values)


def _template(head: dict[str, Any], places: pa.Table, texts: pa.Table) -> Template:
    columns = {name: _column(places, name, kind) for name, kind in _PLACE_COLUMNS.items()}
    count = len(columns["place"])
    chain = tuple(tuple(map(int, step["places"])) for step in head["descent"])
    if any(not places_ or not all(0 <= place < count for place in places_) for places_ in chain):
        raise ValueError("places.parquet and model.json do not belong together")
    if ((columns["parent"] < -1) | (columns["parent"] >= np.arange(count))).any():
        raise ValueError("places.parquet is no tree: a place comes before the one that holds it")
    if not all(np.isfinite(column).all() for column in columns.values()):
        raise ValueError("places.parquet has numbers that are none")
    return Template(
        pages=int(head["pages"]["learned"]),
        vocabulary=frozenset(_strings(head["vocabulary"])),
        label=tuple(_strings(places.column("label").to_pylist())),
        verdict=np.array([VERDICTS.index(verdict) for verdict in places.column("verdict").to_pylist()], dtype=np.uint8),
        repeated_place=_column(texts, "place", np.uint64),
        repeated_text=_column(texts, "text", np.uint64),
        repeated_pages=_column(texts, "pages", np.int32),
        chain=chain,
        attenuation=tuple(float(step["attenuation"]) for step in head["descent"]),
        **columns,
    )


def _arrow() -> Any:
    with needs_extra("saving and loading site models", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet  # pa.parquet is there after this
    return pa


def _places(template: Template, *, paths: bool = True) -> pa.Table:
    columns: dict[str, Any] = {"path": [template.path(place) for place in range(len(template.place))]} if paths else {}
    columns["label"] = list(template.label)
    columns |= {name: getattr(template, name) for name in _PLACE_COLUMNS}
    columns["verdict"] = [VERDICTS[verdict] for verdict in template.verdict.tolist()]
    return _arrow().table(columns)


def _texts(template: Template) -> pa.Table:
    return _arrow().table({"place": template.repeated_place, "text": template.repeated_text, "pages": template.repeated_pages})


def _sample_tables(sample: Sample) -> dict[str, pa.Table]:
    found = {}
    for name, (key, rows) in _TABLE_FIELDS.items():
        sums = getattr(sample, rows).reshape(len(getattr(sample, key)), -1)
        columns = zip(_SUMS[name], sums.T.astype(np.int64), strict=True)
        found[name] = _arrow().table({"key": getattr(sample, key), **dict(columns)})
    return found


def _sample(head: dict[str, Any], tables: dict[str, pa.Table], stable: frozenset[str]) -> Sample:
    columns: dict[str, Any] = {}
    for name, (key, rows) in _TABLE_FIELDS.items():
        columns[key] = _column(tables[name], "key", np.uint64)
        if (columns[key][1:] <= columns[key][:-1]).any():
            raise ValueError(f"{name}.parquet is not in order")
        sums = np.stack([_column(tables[name], column, np.int64).astype(np.float64) for column in _SUMS[name]], axis=1)
        if (sums[:, 0] < 1).any():
            raise ValueError(f"{name}.parquet has a row without pages")
        columns[rows] = np.ascontiguousarray(sums if len(_SUMS[name]) > 1 else sums[:, 0])
    keys = np.array(sorted(int(key, 16) for key in head["pages"]["given"]), dtype=np.uint64)
    return Sample(keys=keys, pages=int(head["pages"]["judged"]), stable=stable, rarer=frozenset(head["rarer"]), **columns)


def _evidence(pages: tuple[PageDigest, ...]) -> pa.Table:
    pa = _arrow()
    columns: dict[str, Any] = {"key": pa.array([page.key for page in pages], pa.uint64())}
    columns["names"] = pa.array([list(page.names) for page in pages], pa.list_(pa.string()))
    for name, kind in _DIGEST_COLUMNS.items():
        columns[name] = pa.array([getattr(page, name) for page in pages], pa.list_(pa.from_numpy_dtype(kind)))
    return pa.table(columns)


def _digests(table: pa.Table) -> tuple[PageDigest, ...]:
    return tuple(
        _checked(
            PageDigest(
                names=tuple(map(str, row["names"])),
                **{name: np.array(row[name], dtype=kind) for name, kind in _DIGEST_COLUMNS.items()},
            )
        )
        for row in table.to_pylist()
    )


def _checked(page: PageDigest) -> PageDigest:
    """A digest whose columns fit together."""
    elements, blocks = np.arange(len(page.name)), len(page.element)
    fits = (
        len(page.parent) == len(page.end) == len(elements)
        and len(page.text) == len(page.length) == len(page.link_length) == blocks
        and len(page.words) == len(page.log_odds)
        and len(page.words) in (0, blocks)
    )
    if not fits or not (
        ((page.name >= 0) & (page.name < len(page.names)) & (page.parent >= -1) & (page.parent < elements)).all()
        and ((page.end > elements) & (page.end <= len(elements))).all()
        and ((page.element >= 0) & (page.element < len(elements))).all()
    ):
        raise ValueError("evidence.parquet has a page whose columns do not fit together")
    return page


def _write(path: Path, table: pa.Table) -> None:
    _arrow().parquet.write_table(table, path, compression="zstd")


def _read(path: Path) -> pa.Table:
    pa = _arrow()
    try:
        return pa.parquet.read_table(path)
    except FileNotFoundError as error:
        raise ModelError(f"the site model {path.parent} is damaged: it has no {path.name}") from error
    except (OSError, pa.ArrowException) as error:
        raise ModelError(f"cannot read {path}: {error}") from error


def _column(table: pa.Table, name: str, kind: Any) -> Any:
    column, wanted = table.column(name), _arrow().from_numpy_dtype(kind)
    if column.type != wanted:
        column = column.cast(wanted)  # an error where a value does not fit
    if column.null_count:
        raise ValueError(f"the column {name} has gaps")
    return column.to_numpy()
