"""The compiled modules of the library."""

from __future__ import annotations

try:
    from tamis.native import columns as columns
except ImportError as error:
    raise ImportError(
        f"the compiled modules of tamis are missing ({error}): install a wheel, or a C compiler and reinstall tamis"
    ) from error

if getattr(columns, "VERSION", 0) != 14:  # as in native.h
    raise ImportError("the compiled modules of tamis are older than its sources: reinstall tamis (in a clone: pip install -e .)")
