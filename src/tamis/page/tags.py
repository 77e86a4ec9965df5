"""The vocabulary of tags: small integer codes and the sets that methods ask about.

Code 0 is a text node; codes of known HTML elements are fixed by the order of :data:`KNOWN`; a tree numbers
the names that it meets beyond them after these (:attr:`tamis.page.tree.PageTree.names`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TEXT = 0  #: Code of a text node.

KNOWN: tuple[str, ...] = (
    "#text",
    *(
        "a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br "
        "button canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div "
        "dl dt element em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header "
        "hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link listing main map mark marquee "
        "math menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p "
        "param picture plaintext portal pre progress q rb rp rt rtc ruby s samp script search section select shadow slot "
        "small source spacer span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead "
        "time title tr track tt u ul var video wbr xmp "
        # parts of svg and math that inline icons and formulas are made of
        "animate circle clippath defs desc ellipse fegaussianblur filter foreignobject g line lineargradient mask metadata "
        "path pattern polygon polyline radialgradient rect stop symbol text tspan use view "
        "annotation mfrac mi mn mo mover mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics"
    ).split(),
)
"""Names by code."""

CODE: dict[str, int] = {name: code for code, name in enumerate(KNOWN)}  #: Codes by name.


def codes(names: str) -> frozenset[int]:
    """Return the codes of a space-separated list of known names.

    >>> sorted(codes("a b")) == sorted([CODE["a"], CODE["b"]])
    True
    """
    return frozenset(CODE[name] for name in names.split())


def lookup(of: frozenset[int]) -> NDArray[np.bool_]:
    """Return a set of codes as a table for :func:`within`: bool, one entry per known code and a last one for all others."""
    table = np.zeros(len(KNOWN) + 1, dtype=np.bool_)
    table[list(of)] = True
    return table


def flags(*sets: frozenset[int]) -> bytes:
    """Return the sets that each known code is in: a bit a set, the lowest for the first; uint8, for more sets uint32."""
    bits = [sum(1 << bit for bit, codes in enumerate(sets) if code in codes) for code in range(len(KNOWN))]
    return np.array(bits, dtype=np.uint8 if len(sets) <= 8 else np.uint32).tobytes()


def within(table: NDArray[np.bool_], tag: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which entries of a tag column are in a set made by :func:`lookup`, bool, of the column's shape."""
    return np.asarray(table.take(tag, mode="clip"))


HEADINGS = codes("h1 h2 h3 h4 h5 h6")
CELLS = codes("td th")
LISTS = codes("ul ol menu dir")
MEDIA = codes("video audio iframe embed object")
PREFORMATTED = codes("pre listing xmp plaintext textarea")
VOID = codes("area base basefont bgsound br col command embed frame hr image img input keygen link meta param source track wbr")
RAW = codes("script style noscript noframes noembed iframe template")
"""Elements whose text is not markup a reader sees: their text nodes are left out of the tree."""

UNSEEN = (RAW - codes("noscript")) | codes("head title svg canvas object applet audio video select option optgroup datalist textarea input")
"""Elements that hold no running text: what paper 2 drops, and what HTML has gained since. The markup in a ``noscript`` is only
in a tree where it is the page's text (:func:`tamis.page.parsing.from_html`), so it counts."""

BLOCKS = codes(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form "
    "frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search "
    "section select summary table tbody td tfoot th thead tr ul xmp"
)
"""Elements that start and end a line (the HTML standard's default ``display`` is not inline)."""

BREAKS = BLOCKS | codes("br")
