"""Code blocks: the language they are in, and the line numbers that some sites put beside or into them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.lexicon import entries
from tamis.page.tree import PageTree

_LI, _CODE = tags.CODE["li"], tags.lookup(tags.codes("code"))
_DIGIT_OR_SPACE = frozenset("0123456789 \n")
_BREAK = tags.lookup(tags.BREAKS)
_LINE = re.compile(r"(?:^|[\s_-])line(?:$|\s)", re.I)
_CODE_LINE = re.compile(r"(?:code|highlight(?:ed)?)[_-]line", re.I)
_LONGEST_NUMBER = 7
LONGEST_TOOL = 10  #: Characters behind a language in the line before code ("Copy code"), and texts of that line.
_ANCESTORS = 6  #: Most levels above a code block where its language may be named.

_NAMED = re.compile(
    r"(?:(?:mw-)?highlight-(?:source|lang|text)|language|lang|highlight|brush|gatsby-code)[-:]([a-z][\w+#.-]*)(?:\{.*)?", re.I
)
_HINTED = re.compile(r"(?:source|code|src|syntax|type)[-:]([a-z][\w+#.-]*)|([a-z][\w+#-]*)-code", re.I)
"""Classes that name a language, if it is a known one: such names are also those of parts of a page."""
_STATING = tuple(f"data-{name}" for name in "lang language enlighter-language code-language highlight-language".split())
_NAMING = ("class", "data-syntaxhighlighter-params")  #: Attributes that name a language among other things.
_BESIDE = frozenset("highlight sourcecode hljs prettyprint src brush: code-block codehilite syntax syntaxhighlighter".split())
_NAME = re.compile(r"[A-Za-z][\w+#.-]{0,29}", re.A)
_LANGUAGES = frozenset(entries("language"))
"""Language names that are also other words: they count if the class of the code is nothing else."""
_NO_LANGUAGE = frozenset(entries("no language"))


def gutters(tree: PageTree, cells: NDArray[np.intp], pres: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return those of the table ``cells`` that hold only the numbers of the code lines in the next cell. ``pres``: preformatted blocks.

    Such a cell is preformatted or holds ``pre``, so does the next cell of its row, and its text is a run of rising whole numbers.

    >>> from tamis import parse
    >>> tree = parse("<table><tr><td><pre>1\\n2</pre><td><pre>a = 1\\nb = 2</pre></table>")
    >>> cells, pres = (np.flatnonzero(tree.tag == tags.CODE[name]) for name in ("td", "pre"))
    >>> [tree.text(cell) for cell in gutters(tree, cells, pres)]
    ['1 2']
    """
    holds = np.searchsorted(pres, tree.end[cells]) > np.searchsorted(pres, cells)
    coded = holds | tree.subtree_mask(pres)[cells]
    following = np.searchsorted(cells, tree.end[cells])  # innermost cells are followed by the next cell
    following[following == len(cells)] = 0
    innermost = np.searchsorted(cells, tree.end[cells]) == np.arange(len(cells)) + 1
    candidates = coded & innermost & coded[following] & (tree.parent[cells[following]] == tree.parent[cells])
    return np.array([cell for cell in cells[candidates].tolist() if _counts_up(tree.text(cell).split())], dtype=np.intp)


def line_numbers(tree: PageTree, pres: NDArray[np.intp]) -> list[int]:
    """Return the positions of the texts in preformatted blocks that number their lines, at the beginning of each or in a list of their own;
    and of those in boxes beside the only ``code`` of a block, such as its language and a button.

    >>> from tamis import parse
    >>> tree = parse("<pre><i>1</i>a = 1\\n<i>2</i>b = 2</pre><pre>c = 3\\nd = 4<ul><li>1<li>2</ul></pre><pre><i>1</i>\\n<i>2</i></pre>")
    >>> [tree.texts[k] for k in line_numbers(tree, np.flatnonzero(tree.tag == tags.CODE["pre"]))]
    ['1', '2', '1', '2']
    """
    found: list[int] = []
    codes = (tree.tag == tags.CODE["code"]).nonzero()[0]
    for pre in tree.top_level(pres).tolist():
        first, last = tree.texts_below(pre)
        inside = codes[slice(*codes.searchsorted((pre, tree.end[pre])))]
        if len(inside) == 1 and (own := tree.texts_below(int(inside[0])))[0] < own[1]:
            here, code_lines = tree.line[first:last], tree.line[own[0] : own[1]]
            found += (first + ((here < code_lines[0]) | (here > code_lines[-1])).nonzero()[0]).tolist()
            first, last = own
        texts, nodes = tree.texts[first:last], tree.text_nodes[first:last]
        number = [
            k for k, text in enumerate(texts) if text[:1] in _DIGIT_OR_SPACE and text.strip().isdecimal() and tree.parent[nodes[k]] != pre
        ]
        if len(number) < 2:
            continue
        listed = [k for k in number if tree.tag[tree.parent[nodes[k]]] == _LI]
        begin = [k for k in number if k == 0 or texts[k - 1].endswith("\n") or not texts[k - 1].strip() or texts[k].startswith("\n")]
        starts = [k for k in begin if not texts[k].endswith("\n")]
        code = [k for k in starts if k + 1 < len(texts) and texts[k + 1].partition("\n")[0].strip() and texts[k + 1][0] not in ".,;:)|"]
        whole = 2 * len(code) > len(starts) and 2 * len(starts) > sum(text.count("\n") for text in texts)
        for numbering in (listed, starts if whole else []):
            if len(numbering) > 1 and _counts_up([texts[k].strip() for k in numbering]):
                found += [first + k for k in numbering]
                break
    return found


def broken_lines(tree: PageTree, pres: NDArray[np.intp]) -> list[str]:
    """Return the texts of a page, with a line break after each line of code that only a style sheet ends: ``<span class="line">``, or
    one of several ``code`` of a block.

    >>> from tamis import parse
    >>> tree = parse('<pre>a {\\n<span class="line">  b</span><span class="line">  c</span>}</pre>')
    >>> "".join(broken_lines(tree, np.flatnonzero(tree.tag == tags.CODE["pre"])))
    'a {\\n  b\\n  c\\n}'
    """
    classes = tree.values("class")
    ends = tags.within(_BREAK, tree.tag)
    found = classes.where(_LINE.search, ("line",)) & tree.subtree_mask(pres) & ~ends
    codes = tree.tagged(_CODE)
    codes = codes[np.isin(tree.parent[codes], pres)]
    block, which, count = np.unique(tree.parent[codes], return_inverse=True, return_counts=True)
    alone = np.bincount(which, tree.length_below[codes], len(block)) == tree.length_below[block]
    found[codes[((count > 1) & alone)[which]]] = True
    if not len(named := found.nonzero()[0]):
        return tree.texts
    texts, breaks = list(tree.texts), np.append(0, ends.cumsum())
    firsts, lasts = (tree.text_nodes.searchsorted(bound) for bound in (named, tree.end[named]))
    for pre in tree.top_level(pres).tolist():
        inside = slice(*named.searchsorted((pre, tree.end[pre])).tolist())
        begin, end = tree.texts_below(pre)
        spans = zip(firsts[inside].tolist(), lasts[inside].tolist(), strict=True)
        lines = [(first, last) for first, last in spans if not ("".join(texts[first:last]).strip() or "0").isdecimal()]
        begun, ended = ({line[side] for line in lines} for side in (0, 1))
        apart = _within_lines(tree, sorted(position for position in begun | ended if begin < position < end), breaks)
        is_code = any(_CODE_LINE.search(classes.of(line) or "") for line in named[inside].tolist())
        if not is_code and not begun.isdisjoint(set(apart) - ended):
            continue  # not all of them begin lines: they are something else
        for position in apart:
            texts[position - 1] += "\n"
    return texts


def _within_lines(tree: PageTree, positions: list[int], breaks: NDArray[np.int64]) -> list[int]:
    """Return those of some texts that do not begin a line. ``breaks``: line breaks before each node, int64 ``(n + 1,)``."""
    at = np.array(positions, dtype=np.intp)
    before, nodes = tree.text_nodes[at - 1], tree.text_nodes[at]
    same = (tree.line[at] == tree.line[at - 1]) & (breaks[nodes] == breaks[before])
    return [
        position
        for position in at[same].tolist()
        if not tree.texts[position - 1].rstrip(" \t").endswith("\n") and not tree.texts[position].lstrip(" \t").startswith(("\r", "\n"))
    ]


def _counts_up(words: list[str]) -> bool:
    if not (words and all(word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER for word in words)):
        return False
    return [int(word) for word in words] == list(range(int(words[0]), int(words[0]) + len(words)))


def language(tree: PageTree, pre: int) -> str | None:
    """Return the language of a code block, as the classes (or ``data-lang``) of ``pre``, its ``code`` or an element around it name it.

    >>> from tamis import parse
    >>> tree = parse('<pre><code class="hljs language-python">1</code></pre>')
    >>> language(tree, len(tree) - 3)
    'python'
    """
    inside = pre + 1 + (tree.tag[pre + 1 : tree.end[pre]] == tags.CODE["code"]).nonzero()[0]
    inner = (pre, *(inside.tolist() if len(inside) == 1 else ()))
    nodes = [*inner]
    for node, _ in zip(tree.ancestors(pre), range(_ANCESTORS), strict=False):
        if tree.tag[node] in (tags.CODE["body"], tags.CODE["article"], tags.CODE["main"]):
            break
        nodes.append(node)
    for node, attributes in zip(nodes, tree.attributes_of(nodes), strict=True):
        for name in (*_STATING, "lang") if tree.tag[node] == tags.CODE["code"] else _STATING:
            if name in attributes and (found := _language(attributes[name])):
                return found
        for name in _NAMING:
            if name in attributes and (found := _of_class(attributes[name], node in inner)):
                return found
    return None


def language_labels(tree: PageTree, pres: NDArray[np.intp]) -> list[int]:
    """Return the texts of lines right before code blocks that only name the language of the code, and those of a button behind it."""
    worded = (tree.text_length[tree.text_nodes] > 0).nonzero()[0]
    line, headed, found = tree.line[worded], tree.subtree_mask(tree.headings), list[int]()
    for pre, at in zip(pres.tolist(), worded.searchsorted(tree.text_nodes.searchsorted(pres)).tolist(), strict=True):
        first = max(int(line[:at].searchsorted(line[at - 1])), at - LONGEST_TOOL) if at else 0
        nodes = tree.text_nodes[worded[first:at]]
        if not at or line[at - 1] in line[at : at + 1] or headed[nodes[0]] or tree.text_length[nodes[1:]].sum() > LONGEST_TOOL:
            continue
        if (name := _language(tree.text(int(nodes[0])))) and name == language(tree, pre):
            found += nodes.tolist()
    return found


@lru_cache(maxsize=1024)  # the pages of a site share their classes
def _of_class(value: str, bare: bool = False) -> str | None:
    """Return the language that classes name. ``bare``: a class may be the name and nothing else, as on the code itself."""
    words = value.replace(";", " ").split()[:20]
    for word in words:
        if (match := _NAMED.fullmatch(word)) and (found := _language(match[1])):
            return found
        if (match := _HINTED.fullmatch(word)) and (found := _language(match[1] or match[2])) in _LANGUAGES:
            return found
    for word, following in pairwise(words):
        if word.lower() in _BESIDE and not _NAMED.fullmatch(following) and (found := _language(following)):
            return found
    return next((word.lower() for word in words if bare and word.lower() in _LANGUAGES), None)


def _language(name: str) -> str | None:
    name = name.strip().lower().removeprefix("source-").partition("{")[0]
    return name if _NAME.fullmatch(name) and name not in _NO_LANGUAGE else None
