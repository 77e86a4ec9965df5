"""Alternative texts of images, said once: not where the caption or a heading says the same, nor again for the next image."""

from __future__ import annotations

from itertools import chain, takewhile

from tamis.document.render.runs import LINES, Run

_SHORTEST = 4  #: Characters of an alternative text that is compared.


def say_once(runs: list[Run]) -> None:
    """Take from images the alternative text that the page says beside them.

    That is: the text that follows begins with it, a heading is it, or an image with another address before it has the same. In tables
    and links images stand for words, and keep them.
    """
    said = {_key("".join(leaf.text for leaf in run.leaves)): "" for run in runs if run.block.name in LINES}
    for number, run in enumerate(runs):
        if run.block.table:
            continue
        for place, leaf in enumerate(run.leaves):
            if leaf.image and not any(mark.kind == "a" for mark in leaf.marks) and len(key := _key(leaf.image.alt)) >= _SHORTEST:
                again = said.setdefault(key, leaf.image.url) != leaf.image.url
                if again or _text_after(runs, number, place, len(key)).startswith(key):
                    run.leaves[place] = leaf._replace(image=leaf.image._replace(alt=""))


def _text_after(runs: list[Run], number: int, place: int, length: int) -> str:
    """The beginning of the text after a leaf, in its run and the next one, up to the next image, as a key."""
    found = ""
    following = chain(runs[number].leaves[place + 1 :], *(run.leaves for run in runs[number + 1 : number + 2]))
    for leaf in takewhile(lambda leaf: not leaf.image, following):
        found += _key(leaf.text)
        if len(found) >= length:
            break
    return found


def _key(text: str) -> str:
    return "".join(text.split()).casefold()
