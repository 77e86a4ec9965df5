"""The parts of a site model that are saved (:mod:`tamis.site.folders`): ``model.json``, to be read and edited by hand, and arrays.

``model.json`` has the settings, manual rules, layouts and names. Of the arrays, those with ``sample_`` before are the fields of
:class:`~tamis.site.places.Sample`, and ``pages`` are the digests that :meth:`~tamis.site.model.SiteModel.update` needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.io.plain import made
from tamis.site.digest import PageDigest, from_bytes, to_bytes
from tamis.site.folders import Arrays, pack, unpack
from tamis.site.learned import Rules, SiteSettings
from tamis.site.places import CONTAINER, PLACE, Sample
from tamis.structure.layouts import Layout

if TYPE_CHECKING:
    from tamis.site.model import SiteModel

FORMAT, VERSION = "tamis-site-model", 8
_OF_SAMPLE = {"text": ("text_pages", 1), "text_at": ("text_at_pages", 1)}
_OF_SAMPLE |= {"place": ("place_sums", len(PLACE)), "container": ("container_sums", len(CONTAINER))}
"""Keys of the sample, the sums of each, and how many a key has."""


def parts_of(model: SiteModel, *, evidence: bool) -> tuple[dict[str, Any], Arrays]:
    """Return a model as plain values and arrays; ``evidence``: with the digests of the pages learned from."""
    import tamis

    sample = model.sample
    head = {
        "tamis": tamis.__version__,
        "rules": asdict(model.rules),
        "settings": asdict(model.settings),
        "pages": sample.pages,
        "layouts": [
            {"pages": list(layout.members), "sketch": [f"{value:016x}" for value in sorted(layout.sketch)]} for layout in model.layouts
        ],
        "names": sorted(sample.names),
    }
    columns: dict[str, Any] = {"sample_keys": sample.keys}
    for key, (sums, _) in _OF_SAMPLE.items():
        columns |= {f"sample_{key}": getattr(sample, key), f"sample_{sums}": getattr(sample, sums).astype(np.int64)}
    return head, columns | (_digest_columns(model.evidence) if evidence else {})


def fields_of(head: dict[str, Any], columns: Arrays) -> dict[str, Any]:
    """Return the fields of the model that has these parts. What does not fit together raises one of the errors of damage."""
    return {
        "sample": _sample_of(head, columns),
        "layouts": tuple(
            Layout(frozenset(int(value, 16) for value in layout["sketch"]), tuple(map(int, layout["pages"]))) for layout in head["layouts"]
        ),
        "settings": made(SiteSettings, head["settings"], "its settings"),
        "rules": Rules(tuple(_strings(head["rules"]["keep"])), tuple(_strings(head["rules"]["drop"]))),
        "evidence": _unpacked_digests(columns) if "pages" in columns else (),
    }


def pack_digests(pages: Iterable[PageDigest]) -> bytes:
    """Return the digests of pages as bytes."""
    return pack(FORMAT, VERSION, {}, _digest_columns(pages))


def unpack_digests(packed: bytes) -> tuple[PageDigest, ...]:
    """Return the digests of :func:`pack_digests`. Raises :class:`~tamis.errors.ModelError` if they are damaged."""
    return unpack(packed, FORMAT, VERSION, lambda _, columns: _unpacked_digests(columns))


def _digest_columns(pages: Iterable[PageDigest]) -> dict[str, Any]:
    packed = [to_bytes(page) for page in pages]
    return {"pages": np.frombuffer(b"".join(packed), np.uint8), "page_bytes": np.array([*map(len, packed)], np.int64)}


def _unpacked_digests(columns: Arrays) -> tuple[PageDigest, ...]:
    data, ends = columns["pages"].tobytes(), np.cumsum(_checked_column(columns, "page_bytes", np.int64))
    if len(data) != (ends[-1] if len(ends) else 0):
        raise ValueError("the digests of its pages are not whole")
    return tuple(_checked_digest(from_bytes(data[start:end])) for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=False))


def _strings(values: object) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"a list of strings is wanted, not {str(values)[:60]}")
    return values


def _sample_of(head: dict[str, Any], columns: Arrays) -> Sample:
    own: dict[str, Any] = {}
    for name, (of, width) in _OF_SAMPLE.items():
        key = own[name] = _checked_column(columns, f"sample_{name}", np.uint64)
        sums = columns[f"sample_{of}"]
        own[of] = sums.astype(np.float64)
        wanted = (len(key),) if width == 1 else (len(key), width)
        if sums.dtype != np.int64 or sums.shape != wanted or (sums.reshape(wanted[0], -1)[:, :1] < 1).any():
            raise ValueError(f"the sums of {name} do not fit")
        if (key[1:] <= key[:-1]).any():
            raise ValueError(f"the keys of {name} are not in order")
    keys = _checked_column(columns, "sample_keys", np.uint64)
    return Sample(keys=keys, pages=int(head["pages"]), names=frozenset(_strings(head["names"])), **own)


def _checked_digest(page: PageDigest) -> PageDigest:
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
        raise ValueError("the columns of a page do not fit together")
    return page


def _checked_column(columns: Arrays, name: str, kind: Any) -> Any:
    column = columns[name]
    if column.dtype != kind or column.ndim != 1:
        raise ValueError(f"the column {name} does not hold what it should")
    return column
