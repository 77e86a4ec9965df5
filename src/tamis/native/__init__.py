"""The compiled modules of the library."""

from __future__ import annotations

from importlib import import_module
from typing import Any

try:
    from tamis.native import columns as columns
except ImportError as error:
    raise ImportError(
        f"the compiled modules of tamis are missing ({error}): install a wheel, or a C compiler and reinstall tamis"
    ) from error


def load(name: str) -> Any:
    """A compiled module by name."""
    return import_module(f"tamis.native.{name}")
