"""Choosing by name: methods, tools, sites."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tamis.errors import UsageError


def chosen(what: str, names: Iterable[str] | None, known: Collection[str], *, more: str = "", between: str = ", ") -> list[str]:
    """The names, each once; all that are known for None.

    Raises:
        UsageError: a name is not known.
    """
    wanted = list(dict.fromkeys(known if names is None else names))
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(f"there is no {what} {', '.join(map(repr, unknown))}{more}; {what}s are {between.join(known)}")
    return wanted
