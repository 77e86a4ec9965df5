"""The language of a page as declared, in the form of BCP 47."""

from __future__ import annotations

import re

from tamis.page.lexicon import entries

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-[a-z]{3})?(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*"
    r"(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?",
    re.IGNORECASE,
)
_ALIASES = dict(pair.split("=") for pair in entries("language code"))
_NO_LANGUAGE = frozenset("und mul zxx mis xx xxx".split())


def language_tag(value: str) -> str | None:
    """Return a declared language as BCP 47 writes it; None for other texts.

    >>> language_tag("zh_cn"), language_tag("EN"), language_tag("zh-hant-tw"), language_tag("en-US, en"), language_tag("{{ lang }}")
    ('zh-CN', 'en', 'zh-Hant-TW', 'en-US', None)
    >>> language_tag("eng"), language_tag("chi-TW")
    ('en', 'zh-TW')
    """
    value = re.split(r"[,;\s.@]", value[:100].strip(), maxsplit=1)[0].replace("_", "-")
    lower = value.lower()
    value = _ALIASES.get(lower) or value
    match = _TAG.fullmatch(value)
    if match is None or match["language"].lower() in _NO_LANGUAGE:
        return None
    language = match["language"].lower()
    parts = [_ALIASES.get(language, language)[:3].rstrip("-")]
    if match["script"]:
        parts.append(match["script"].title())
    if match["region"]:
        parts.append(match["region"].upper())
    return "-".join(parts)
