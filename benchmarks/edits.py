"""Planted edits: what copying, quoting, framing and scanning do to a text, as small functions of a text and dice.

Each makes of a text another one that a reader would call the same, or a part of it. In Chinese and Japanese, where words are not set
apart, two characters stand for a word. Dice are seeded by what is edited, so an edit of a text is the same whatever else is planted.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.metric import unit_of
from tamis.errors import needs_extra

Make = Callable[[str, Random], str]

_KANA = re.compile(r"[\u3040-\u30ff]")
_PAIR = re.compile(r"\n|.{1,2}")
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]*\s*")
_LOOKS_LIKE = {
    "a": "o", "b": "h", "c": "e", "d": "cl", "e": "c", "f": "t", "g": "q", "h": "b", "i": "l", "l": "1", "m": "rn", "n": "ri", "o": "0",
    "r": "n", "s": "5", "t": "f", "u": "v", "v": "y", "w": "vv", "0": "O", "1": "l", "5": "S", "8": "B", "B": "8", "I": "l", "O": "0",
}  # fmt: skip
"""What a scanner makes of a letter."""
_STRAY = ".,'` ;|"
_FRAME = (
    "Home", "News", "About us", "Contact", "Imprint", "Privacy", "Log in", "Register", "Search this site", "Share on",
    "Read more",
    "Subscribe to our newsletter, and never miss a story", "You may also like", "Most read this week", "Comments are closed",
    "Print this page", "All rights reserved", "We use cookies to make this site better for you", "Previous", "Next", "Back to the top",
    "Follow us", "Jobs",
)  # fmt: skip
_CHINESE_FRAME = (
    "首页", "新闻", "关于我们", "联系方式", "版权声明", "登录", "注册", "搜索本站", "分享到", "阅读全文",
    "订阅我们的邮件，不错过每一篇文章",
    "相关文章", "本周最热", "评论已关闭", "打印本页", "版权所有", "本站使用缓存以改善您的体验", "上一篇", "下一篇", "返回顶部", "招聘",
)  # fmt: skip
_FRAMED_BY = 0.15  #: Length of the frame, of that of the text, on each side.
_FEWEST_LINES = 6  #: Lines of the frame on each side, at least.


@dataclass(frozen=True, slots=True)
class Edit:
    """A way to make another text of one."""

    name: str
    make: Make
    chinese_only: bool = False  #: Whether it says something for Chinese texts only.

    def fits(self, text: str) -> bool:
        """Whether it can be made of a text."""
        return not self.chinese_only or (unit_of(None, text) == "character" and not _KANA.search(text))


def dropped(share: float) -> Make:
    """A share of the words is missing, here and there."""

    def make(text: str, dice: Random) -> str:
        if unit_of(None, text) == "character":
            return "".join(pair for pair in _PAIR.findall(text) if pair == "\n" or dice.random() >= share)
        return "\n".join(" ".join(word for word in line.split() if dice.random() >= share) for line in text.split("\n"))

    return make


def moved(text: str, dice: Random) -> str:
    """Paragraphs in another order; sentences, where there are fewer than three paragraphs.

    >>> sorted(moved("One. Two. Three.", Random(1)).split("\\n"))
    ['One.', 'Three.', 'Two.']
    """
    parts = [line for line in text.split("\n") if line.strip()]
    if len(parts) < 3:
        parts = [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip()]
    dice.shuffle(parts)
    return "\n".join(parts)


def framed(text: str, dice: Random) -> str:
    """A menu before the text, and links and notices behind it, as of a page that was not cleaned."""
    lines = _CHINESE_FRAME if unit_of(None, text) == "character" else _FRAME

    def side() -> str:
        chosen: list[str] = []
        while len(chosen) < _FEWEST_LINES or sum(map(len, chosen)) < _FRAMED_BY * len(text):
            chosen.append(dice.choice(lines))
        return "\n".join(chosen)

    return f"{side()}\n{text}\n{side()}"


def excerpt(share: float) -> Make:
    """A run of the text, cut anywhere."""

    def make(text: str, dice: Random) -> str:
        length = int(share * len(text))
        start = dice.randrange(len(text) - length + 1)
        return text[start : start + length]

    return make


def scanned(share: float) -> Make:
    """A share of the characters is misread: mistaken for another, lost, or followed by a speck."""

    def misread(character: str, dice: Random) -> str:
        what = dice.random()
        if what < 0.6:
            if "\u3400" <= character <= "\u9fff":
                return chr(min(max(ord(character) + dice.choice((-2, -1, 1, 2)), 0x3400), 0x9FFF))
            return _LOOKS_LIKE.get(character, dice.choice("abcdefghijklmnopqrstuvwxyz"))
        return "" if what < 0.8 else character + dice.choice(_STRAY)

    def make(text: str, dice: Random) -> str:
        return "".join(misread(character, dice) if dice.random() < share else character for character in text)

    return make


def other_script(text: str, dice: Random) -> str:
    """Simplified Chinese as it is written on Taiwan, words too, or the other way round; by a table that tamis does not use.

    Raises:
        MissingExtraError: zhconv is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it leaves its table's file open
        with needs_extra("traditional and simplified Chinese", "bench"):
            from zhconv import convert
        there = convert(text, "zh-tw")
        return str(there if there != text else convert(text, "zh-cn"))


EDITS: tuple[Edit, ...] = (
    Edit("copy", lambda text, dice: text),
    Edit("5 % of words dropped", dropped(0.05)),
    Edit("15 % of words dropped", dropped(0.15)),
    Edit("paragraphs moved", moved),
    Edit("frame added", framed),
    Edit("excerpt of 60 %", excerpt(0.6)),
    Edit("scanned, 1 % misread", scanned(0.01)),
    Edit("scanned, 4 % misread", scanned(0.04)),
    Edit("other Chinese script", other_script, chinese_only=True),
)
