"""Work on a whole page without looks for garbage: a large page makes a million small objects, and to look through them doubles the time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector, if it is on. Also a decorator: ``@gc_paused()``."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
