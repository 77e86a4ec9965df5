"""Compiled parts of the library, which are left out where there was no compiler: each has a plain form with the same result."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any


def load(name: str) -> Any:
    """A compiled module of the package; None where it was not built, or the environment variable ``TAMIS_PLAIN=1`` forbids it."""
    if os.environ.get("TAMIS_PLAIN", "0") not in ("", "0"):
        return None
    try:
        return import_module(f"tamis.native.{name}")
    except ImportError:
        return None
