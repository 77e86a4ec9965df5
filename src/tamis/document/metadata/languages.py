"""The language of a page: as declared, in the form of BCP 47; else from its script, where the script leaves no doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import itemgetter

SAMPLE = 1_500
"""Characters of text whose scripts are counted."""
MIN_LETTERS = 20
"""Letters of scripts other than Latin below which a text tells nothing."""

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-[a-z]{3})?(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*"
    r"(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?",
    re.IGNORECASE,
)
_ALIASES = {
    "iw": "he",
    "in": "id",
    "ji": "yi",
    "cn": "zh-CN",
    "jp": "ja",
    "kr": "ko",
    "cz": "cs",
    "gr": "el",
    "ua": "uk",
    "vn": "vi",
    "zh-cht": "zh-Hant",
    "zh-chs": "zh-Hans",
}
_NAMES = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "français": "fr", "spanish": "es", "español": "es", "italian": "it",
    "italiano": "it", "portuguese": "pt", "português": "pt", "dutch": "nl", "nederlands": "nl", "russian": "ru", "русский": "ru",
    "polish": "pl", "polski": "pl", "chinese": "zh", "中文": "zh", "japanese": "ja", "日本語": "ja", "korean": "ko", "한국어": "ko",
    "arabic": "ar", "turkish": "tr", "türkçe": "tr", "swedish": "sv", "svenska": "sv", "czech": "cs", "čeština": "cs",
}  # fmt: skip
_NO_LANGUAGE = frozenset("und mul zxx mis xx xxx".split())

_SCRIPTS = {
    "ko": "\uac00-\ud7a3\u1100-\u11ff", "kana": "\u3041-\u3096\u30a1-\u30fa", "han": "\u4e00-\u9fff\u3400-\u4dbf",
    "th": "\u0e01-\u0e4e", "el": "\u0370-\u03ff", "he": "\u05d0-\u05ea",
    "ka": "\u10d0-\u10ff", "hy": "\u0531-\u0587", "km": "\u1780-\u17b3",
    "lo": "\u0e81-\u0edf", "my": "\u1000-\u109f", "si": "\u0d80-\u0dff",
    "ta": "\u0b80-\u0bff", "te": "\u0c00-\u0c7f", "kn": "\u0c80-\u0cff",
    "ml": "\u0d00-\u0d7f", "gu": "\u0a80-\u0aff",
}  # fmt: skip
_OF_SCRIPT = {name: re.compile(f"[{ranges}]+") for name, ranges in _SCRIPTS.items()}
_OF_ANY = re.compile(f"[{''.join(_SCRIPTS.values())}]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def language_tag(value: str) -> str | None:
    """A declared language as BCP 47 writes it; None where it is none.

    >>> language_tag("zh_cn"), language_tag("EN"), language_tag("zh-hant-tw"), language_tag("en-US, en"), language_tag("{{ lang }}")
    ('zh-CN', 'en', 'zh-Hant-TW', 'en-US', None)
    """
    value = re.split(r"[,;\s.@]", value[:100].strip(), maxsplit=1)[0].replace("_", "-")
    lower = value.lower()
    value = _ALIASES.get(lower) or _NAMES.get(lower) or value
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


def language_of_script(texts: Iterable[str]) -> str | None:
    """The language of a text whose script no other language is commonly written in, else None (Latin, Cyrillic, Arabic, ...).

    Han alone is Chinese, Han with kana Japanese. A third of the letters must be of such scripts.

    >>> language_of_script(["これは日本語で書かれた文章です。とても短いですね。"]), language_of_script(["plain English text, nothing else"])
    ('ja', None)
    """
    sample, length = [], 0
    for text in texts:
        sample.append(text[:SAMPLE])
        length += len(text)
        if length >= SAMPLE:
            break
    joined = "".join(sample)[:SAMPLE]
    if joined.isascii():
        return None
    known = "".join(_OF_ANY.findall(joined))
    total = len(known)
    if total < MIN_LETTERS or 3 * total < _count(_LETTERS, joined):
        return None
    counts = {name: _count(form, known) for name, form in _OF_SCRIPT.items()}
    if counts["kana"] + counts["han"] > total / 2:
        return "ja" if 10 * counts["kana"] > counts["kana"] + counts["han"] else "zh"
    language, count = max(counts.items(), key=itemgetter(1))
    return language if count > 0.8 * total and language not in ("han", "kana") else None


def _count(runs: re.Pattern[str], text: str) -> int:
    """Characters in the runs that a pattern finds."""
    return sum(map(len, runs.findall(text)))
