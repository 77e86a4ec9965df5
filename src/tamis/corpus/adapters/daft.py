"""Daft: a column function (extra ``daft``)."""

from __future__ import annotations

from typing import Any

from tamis.corpus.adapters import FIELDS, clean_batch
from tamis.errors import needs_extra

with needs_extra("the function for Daft", "daft"):
    import daft


@daft.func.batch(return_dtype=daft.DataType.struct(dict.fromkeys(FIELDS, daft.DataType.string())))  # type: ignore[untyped-decorator,unused-ignore]
def clean_pages(pages: Any) -> Any:
    """Clean a column of pages to a struct of :data:`FIELDS`: ``frame.with_column("clean", clean_pages(frame["html"]))``."""
    return clean_batch(pages.to_pylist())
