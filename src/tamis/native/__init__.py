"""The compiled modules of the library. The source describes the input and output of each function above it.

Columns are contiguous buffers of the types that the C code names; those that do not fit each other raise ValueError.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


try:
    columns: Any = import_module("tamis.native.columns")
except ImportError as error:
    raise ImportError(
        f"the compiled modules of tamis are missing ({error}): install a wheel, or a C compiler and reinstall tamis"
    ) from error

if getattr(columns, "VERSION", 0) != 22:  # as in native.h
    raise ImportError("the compiled modules of tamis are older than its sources: reinstall tamis (in a clone: pip install -e .)")
