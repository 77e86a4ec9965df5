"""Alternative texts of images, said once: not where the caption or a heading says the same, nor again for the next image."""

from __future__ import annotations

from itertools import zip_longest

from tamis.document.render.runs import LINES, Leaf, Run

_SHORTEST = 4  #: Characters of an alternative text that is compared.
_NEAR = 8  #: Leaves after an image that may be its caption.


def say_once(runs: list[Run]) -> None:
    """Take from images the alternative text that is also beside them.

    That is: the text that follows begins with it, a heading is it, or an image with another address before it has the same. In tables and
    links images replace words, and keep them."""
    said = {_letters_of_leaves(run.leaves): "" for run in runs if run.block.name in LINES}
    for run, after in zip_longest(runs, runs[1:]):
        for place, leaf in enumerate(run.leaves if not run.block.table else ()):
            if leaf.image and not any(mark.kind == "a" for mark in leaf.marks) and len(key := _without_spaces(leaf.image.alt)) >= _SHORTEST:
                again = said.setdefault(key, leaf.image.url) != leaf.image.url
                following = [*run.leaves[place + 1 : place + _NEAR], *(after.leaves[:_NEAR] if after else ())]
                if again or _letters_of_leaves(following).startswith(key):
                    run.leaves[place] = leaf._replace(image=leaf.image._replace(alt=""))


def _letters_of_leaves(leaves: list[Leaf]) -> str:
    return _without_spaces("".join(leaf.text for leaf in leaves))


def _without_spaces(text: str) -> str:
    return "".join(text.split()).casefold()
