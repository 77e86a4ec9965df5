"""The errors tamis raises: one tree under :class:`TamisError`.

Caller mistakes and input/output raise; bad HTML never does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class TamisError(Exception):
    """Base class of all errors that tamis raises on purpose."""


class UsageError(TamisError, ValueError):
    """An argument or an option does not make sense; the message says what to do."""


def check_numbers(
    settings: object, *, positive: Iterable[str] = (), natural: Iterable[str] = (), shares: Iterable[str] = (), parts: Iterable[str] = ()
) -> None:
    """Raise UsageError unless these fields are above 0, 0 or more, shares (``parts``: above 0), and none is larger than the system can
    count. None passes."""
    for names, what, least, most in (
        (positive, "must be above 0", operator.gt, math.inf),
        (natural, "must be 0 or more", operator.ge, math.inf),
        (shares, "is a share from 0 to 1", operator.ge, 1),
        (parts, "is a share above 0 and up to 1", operator.gt, 1),
    ):
        for name in names:
            if (value := getattr(settings, name)) is not None and not (least(value, 0) and value <= most):
                raise UsageError(f"{name} {what}, not {value}")
            limit = 10**9 if isinstance(value, float) else 1 << 42  # seconds of a timer; megabytes of memory in bytes
            if value is not None and value > limit:
                raise UsageError(f"{name} must be at most {limit:,}, not {value}")


class SourceError(TamisError, OSError):
    """A page could not be read from a file, a folder or a list."""


class FetchError(SourceError):
    """A page could not be fetched: network, status, size, time or redirect limit."""


class RenderError(SourceError):
    """A browser could not render a page: the page hung, crashed the tab, or is not a page; or no browser starts."""


class MissingExtraError(TamisError, ImportError):
    """A feature needs an optional dependency; the message names the extra to install."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}: in a clone of tamis, pip install '.[{extra}]'")
        self.feature = feature
        self.extra = extra

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        return type(self), (self.feature, self.extra)  # workers send it to the process that started them


@contextmanager
def needs_extra(feature: str, extra: str) -> Iterator[None]:
    """Around the imports of a feature: raise MissingExtraError where one of them is not installed."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(feature, extra) from error


class ModelError(TamisError):
    """A saved site model is missing, damaged, or of a version this tamis cannot read."""


class CorpusError(TamisError):
    """A run over a corpus cannot go on: a task fails by itself, a folder cannot be written, settings do not fit what is there."""
