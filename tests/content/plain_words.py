"""Words by plain Python: what the compiled form must agree with, bit by bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.content.evidence.characters import _DIGIT, _WIDE, _WORD, kinds
from tamis.content.evidence.words import SOURCES, WORDS, LearnedWords, PageWords
from tamis.page.blocks import TextBlocks
from tamis.page.tree import PageTree
from tamis.structure.hashing import mix

START, FINISH, BRIEF, SHINGLE, EDGES, SHORT = 12, 6, 45, 5, (3, 5), 40
NGRAM, AT_END, FIRST_WORD, LAST_WORD, BOTH_WORDS, WHOLE, SIGNS, BEGINNING, ENDING, ADDRESS_KIND, HOST, PATH, QUERY, WIDE_RUN = range(1, 15)
SCHEMES = ("#", "mailto:", "javascript:", "tel:", "//", "http://", "https://")
_LONG = (1 << 64) - 1
_STEP = 0x100000001B3
Word = tuple[int, bool]
"""A hash, and whether the word is a single wide character."""


def mixed(value: int) -> int:
    return int(mix(np.array([value & _LONG], dtype=np.uint64))[0])


def join(value: int, other: int) -> int:
    return mixed(value + other * 0x9E3779B97F4A7C15 + 1)


def kind_of(character: str) -> int:
    return int(kinds()[min(ord(character), 0xFFFF)])


def read(text: str) -> tuple[list[Word], str]:
    """The words of a block, and its text in lower case with zeros as digits and single spaces."""
    words: list[Word] = []
    shown = ""
    word = 0
    gap = False
    for character in text:
        kind = kind_of(character)
        if character.isspace():
            gap = bool(shown)
        else:
            lower = character.lower()[0]
            small = "0" if kind & _DIGIT else lower if kind & _WORD and not (kind & _WIDE) else character
            shown += " " * gap + small
            gap = False
            if kind & _WORD and not kind & _WIDE and not 0x0E00 <= ord(small) < 0x0E80:
                word = ((word or 0xCBF29CE484222325) ^ ord(small)) * _STEP & _LONG
                continue
        if word:
            words.append((mixed(word) & ~1, False))
            word = 0
        if not character.isspace() and (kind & _WIDE or 0x0E00 <= ord(small) < 0x0E80):
            words.append((mixed(ord(small)) | 1, True))
    if word:
        words.append((mixed(word) & ~1, False))
    return words, shown


def runs(words: list[Word], most: int, what: int) -> list[int]:
    found = []
    for start in range(len(words)):
        key = what
        for word, wide in words[start : start + most]:
            if wide:
                break
            key = join(key, word)
            found.append(key)
    return found


def wide_runs(words: list[Word]) -> list[int]:
    found = []
    for start in range(len(words)):
        key = WIDE_RUN
        for place, (word, wide) in enumerate(words[start : start + 3]):
            if not wide:
                break
            key = join(key, word)
            found += [key] if place else []
    return found


def further_keys(text: str) -> list[int]:
    words = read(text)[0]
    return wide_runs(words) + runs(words[START:], 3, NGRAM) if len(words) <= BRIEF else []


def own_keys(text: str) -> list[int]:
    words, shown = read(text)
    found = runs(words[:START], 3, NGRAM) + runs(words[max(len(words) - FINISH, 0) :], 2, AT_END)
    if words and not words[0][1] and not words[-1][1]:
        first, last = words[0][0], words[-1][0]
        found += [join(FIRST_WORD, first), join(LAST_WORD, last), join(BOTH_WORDS, join(first, last))]
    characters = shown.replace(" ", "")
    if len(characters) <= SHORT:
        whole = 0
        for character in shown:
            whole = (whole ^ ord(character)) * _STEP & _LONG
        found.append(join(WHOLE, whole))
    ends = [0 if not characters or kind_of(end) & (_WORD | _WIDE) else ord(end) for end in (characters[:1], characters[-1:])]
    length = min(len(words).bit_length(), 6)
    upper = lower = False
    for character in "".join(text.split()):
        if kind_of(character) & _WORD and not kind_of(character) & _DIGIT:
            small = character.lower()[0]
            letter = character.isalpha() if ord(character) < 128 else True
            upper |= letter and small != character
            lower |= letter and small == character
    found.append(join(SIGNS, ((ends[0] << 21) + ends[1] << 5) + (length << 2) + (upper << 1) + lower))
    start = finish = 0
    for count in range(1, min(max(EDGES), len(characters)) + 1):
        start, finish = join(start, ord(characters[count - 1])), join(finish, ord(characters[-count]))
        if count in EDGES:
            found += [join(BEGINNING, start), join(ENDING, finish)]
    return found


def address_words(text: str, most: int, what: int) -> list[int]:
    found: list[int] = []
    at = 0
    while at < len(text) and len(found) < most and text[at] not in "?#":
        if text[at] == "%":
            at += 3
            continue
        test = str.isdecimal if text[at].isdecimal() else (lambda c: "a" <= c <= "z")
        if not test(text[at]):
            at += 1
            continue
        key = ord("0") if text[at].isdecimal() else 0
        while at < len(text) and test(text[at]):
            key = key if test is str.isdecimal else join(key, ord(text[at]))
            at += 1
        found.append(join(what, key))
    return found


def address_keys(href: str) -> list[int]:
    href = "".join(chr(ord(c) | 32) if "A" <= c <= "Z" else c for c in href.strip())
    scheme = next((k for k, start in enumerate(SCHEMES) if href.startswith(start)), len(SCHEMES))
    found = [join(ADDRESS_KIND, 4 if 4 < scheme < len(SCHEMES) else scheme)]
    rest = href[len(SCHEMES[scheme]) :] if scheme < len(SCHEMES) else href
    if 4 <= scheme < len(SCHEMES):
        end = next((k for k, character in enumerate(rest) if character in "/?#:"), len(rest))
        labels = rest[:end].split(".")
        place = -3 if len(labels) > 2 and len(labels[-2]) <= 3 else -2 if len(labels) > 1 else -1
        key = 0
        for character in labels[place]:
            key = join(key, ord(character))
        found.append(join(HOST, key))
        rest = rest[end:]
    elif 0 < scheme < 4:
        return found
    found += address_words(rest, 4, PATH)
    if "?" in rest:
        found += address_words(rest[rest.index("?") + 1 :], 2, QUERY)
    return found


def folded(key: int) -> int:
    return (key >> 32 ^ key) & 0xFFFFFFFF or 1


def plain_words(tree: PageTree, blocks: TextBlocks) -> PageWords:
    """:func:`tamis.content.evidence.read_words`, not compiled."""
    hrefs = tree.values("href")
    links: list[list[str]] = [[] for _ in range(len(blocks))]
    of_text = np.full(len(tree.text_nodes), -1)
    for number, (first, last) in enumerate(zip(blocks.first.tolist(), blocks.last.tolist(), strict=True)):
        of_text[first:last] = number
    for node in np.flatnonzero(tree.link).tolist():
        start, stop = tree.texts_below(node)
        if hrefs.codes[node] >= 0 and start < stop and of_text[start] >= 0 and len(links[of_text[start]]) < 2:
            links[of_text[start]].append(hrefs.distinct[hrefs.codes[node]])
    keys: list[int] = []
    counts = []
    for number, (first, last) in enumerate(zip(blocks.first.tolist(), blocks.last.tolist(), strict=True)):
        text = "".join(tree.texts[first:last])
        found = own_keys(text), [key for href in links[number] for key in address_keys(href)], further_keys(text)
        counts.append([len(each) for each in found])
        keys += [folded(key) for each in found for key in each]
    return PageWords(np.array(keys, dtype=np.uint32), np.array(counts, dtype=np.int32).reshape(-1, SOURCES))


def plain_columns(tree: PageTree, blocks: TextBlocks, words: LearnedWords) -> NDArray[np.float32]:
    """The columns of words and of text that stands twice, float32 ``(4, b)``."""
    said = plain_words(tree, blocks)
    weight = dict(zip(words.key.tolist(), words.weight.tolist(), strict=True))
    columns = np.zeros((len(WORDS) + 2, len(blocks)), dtype=np.float32)
    at = 0
    for number, counts in enumerate(said.count.tolist()):
        for source, count in enumerate(counts):
            if source < len(WORDS):
                columns[source, number] = sum(weight.get(key, 0) for key in said.key[at : at + count].tolist())
            at += count
    shingles = []
    for first, last in zip(blocks.first.tolist(), blocks.last.tolist(), strict=True):
        own = read("".join(tree.texts[first:last]))[0]
        shingles.append([tuple(own[k : k + SHINGLE]) for k in range(len(own) - SHINGLE + 1)])
    first_of: dict[object, int] = {}
    last_of: dict[object, int] = {}
    for number, own_shingles in enumerate(shingles):
        for shingle in own_shingles:
            first_of.setdefault(shingle, number)
            last_of[shingle] = number
    for number, own_shingles in enumerate(shingles):
        before = sum(first_of[shingle] < number for shingle in own_shingles)
        after = sum(last_of[shingle] > number for shingle in own_shingles)
        count = len(own_shingles)
        columns[len(WORDS) :, number] = (before / count, after / count) if count else (np.nan, np.nan)
    return columns
