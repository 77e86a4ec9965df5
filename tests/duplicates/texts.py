"""Invented texts, and edits of them, for the tests of this room."""

from __future__ import annotations

import random

WORDS = (
    "harbour ferry island morning market oyster basket captain quay lantern winter council school garden bridge river letter window street "
    "kitchen singer painter carpenter engine weather signal anchor rope sail net pier tower clock museum library ticket bicycle dog baker "
    "bread cheese apple cider storm fog light wave tide sand stone path meadow horse wagon miller village mayor teacher doctor nurse sailor"
).split()
HAN = "海港渡轮岛屿早晨市场牡蛎篮子船长码头灯笼冬天学校花园桥梁河流信件窗户街道厨房歌手画家木匠天气信号绳索风帆塔楼时钟博物馆图书"


def text(seed: int, words: int = 120) -> str:
    """Sentences in paragraphs, the same for the same seed."""
    dice = random.Random(seed)
    lines, sentence = [], []
    for number in range(words):
        sentence.append(dice.choice(WORDS))
        if number % 11 == 10:
            sentence[-1] += "."
        if number % 33 == 32:
            lines.append(" ".join(sentence).capitalize())
            sentence = []
    return "\n".join([*lines, " ".join(sentence).capitalize()])


def chinese(seed: int, characters: int = 240) -> str:
    dice = random.Random(seed)
    return "".join(dice.choice(HAN) + ("，" if number % 9 == 8 else "") for number in range(characters))


def without_words(original: str, share: float, seed: int = 0) -> str:
    dice = random.Random(seed)
    return "\n".join(" ".join(word for word in line.split() if dice.random() >= share) for line in original.split("\n"))


def misread(original: str, share: float, seed: int = 0) -> str:
    dice = random.Random(seed)
    return "".join(dice.choice("abcdefghij") if character.isalpha() and dice.random() < share else character for character in original)


def moved(original: str, seed: int = 0) -> str:
    lines = original.split("\n")
    random.Random(seed).shuffle(lines)
    return "\n".join(lines)


def framed(original: str) -> str:
    return f"Home News Contact Imprint\nRead also our letter of the week\n{original}\nAll rights reserved\nPrivacy Cookies"


def excerpt(original: str, share: float = 0.6) -> str:
    return original[: int(len(original) * share)]


EDITS = {
    "copy": lambda original: original,
    "capitals": str.upper,
    "words dropped": lambda original: without_words(original, 0.08),
    "misread": lambda original: misread(original, 0.015),
    "paragraphs moved": moved,
    "framed": framed,
    "excerpt": excerpt,
}
