"""Markup that says by a style, a role or a name of its own what HTML has an element for, read as that element.

A ``div`` that is shown within a line counts as a ``span``, what has the role of a heading or table as one; line breaks that a style
shows become ``br``, and ``code`` with them ``pre``; a declarative shadow root becomes a part of the page, AMP's images and media become
those of HTML, tables of code lines code, and a page of frames what it shows without them.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape, unescape
from textwrap import dedent

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tamis.page import tags
from tamis.page.styles import IN_BOX, IN_LINE, LINES, styled, styles_of
from tamis.page.tree import PageTree

_LINED = frozenset("div p span td li code blockquote section article".split())  #: Elements whose line breaks a style may show.
_IN_LINE, _NOT_IN_LINE = tags.lookup(tags.codes("div p section")), tags.lookup(tags.BLOCKS - tags.codes("div section"))
_LONGEST_TAG = 500  #: Bytes of a start tag before a shadow root.
_LONGEST = 100_000  #: Bytes of a shadow root.
_SHADOW = re.compile(rb"<template\s[^<>]*\bshadowrootmode\b[^<>]*+>", re.I)
_AMP = re.compile(rb"<(/?)amp-(img|video|audio|iframe)\b", re.I)
_AMP_NAMES = {"amp-img", "amp-video", "amp-audio", "amp-iframe"}
_HOST = re.compile(rb"<([a-z][\w.-]{0,60})(?:\s[^<>]*+)?>\s*+\Z", re.I)
_SLOT = re.compile(rb"<slot\s*>", re.I)
_ROLES = {"table": "table", "grid": "table", "treegrid": "table", "rowgroup": "tbody", "row": "tr", "cell": "td", "gridcell": "td"}
_ROLES |= {"columnheader": "th", "rowheader": "th", "heading": "h2"}
_RANKS = {level: tags.CODE[f"h{level}"] for level in "23456"}  #: A title of level 1 may name the page less fully than its ``title``.
_TITLED, _BLOCKS = tags.lookup(tags.codes("div p")), tags.lookup(tags.BLOCKS)
_FRAMESET = tags.lookup(tags.codes("frameset"))
_TABLE = tags.lookup(tags.CELLS | tags.codes("table tbody thead tfoot tr #text"))
_CELLS = ("td", "th")
_CELL, _CODED = tags.lookup(tags.CELLS), tags.lookup(tags.codes("pre code"))
_CODE_NAME = re.compile(r"(?:^|[\s_-])(?:code|line|src)(?:$|[\s\d_-])", re.I)  #: Classes of cells and lines of code.
_CODE_LINE = re.compile(r"line(?<![^\s_-]line)(?!\S)")  #: Classes of a line of code, in lower case.
_OF_CODE_BOXES = ("code", "highlight", "syntax", "monaco", "view-lines", "terminal")
_CODE_BOX = re.compile("|".join(_OF_CODE_BOXES), re.I)  #: Classes of a box of code.
_LINED_CODE = ("div", "pre", "span")  #: Elements that are lines of code.
_INLINE_CODE, _BREAKS, _LINE_TAGS = map(tags.lookup, (tags.codes("code"), tags.codes("br div p"), tags.codes(" ".join(_LINED_CODE))))
_NOT_IN_CODE = "a, img, ul, ol, h1, h2, h3, h4, script, iframe"  #: Elements of a page in a ``code`` that lacks its end tag.
_SOURCE_BREAK = re.compile(r"(?<![ \t\r\f])[ \t\r\f]*\n\s*+")  #: A line break of the source, which is shown as a blank.
_TYPEWRITTEN = re.compile(r"font[^;]{0,40}:[^;]*(?:mono|courier|consolas|menlo)", re.I)  #: Styles of code, where line breaks are shown.
_LEVELS = 5  #: Elements around code that are looked at.
_READINGS = 4  #: Most readings, in all, of a page's text for boxes of code.
_SIDE_NOTE = re.compile(r"(?:^|\s)(?:side|margin)-?note(?:\s|$)", re.I)  #: Classes of a note that is shown beside its line.
_SPAN = tags.lookup(tags.codes("span"))
_NOTE_MARK = re.compile(r"[\[(]?(?:\d{1,3}|\W?)[\])]?")  #: The number of a note before it, or a sign to open it.
_NOTHING = np.zeros(0, dtype=np.intp)
_INLINE = ("a", "b", "em", "i", "span", "strong", "sup")
MAX_CODE_TABLES = 200  #: Tables of a page that are read as code.
MAX_LINED = 2_000  #: Elements of a page whose line breaks are shown.
MAX_SHADOWS = 200  #: Shadow roots of a page that are read.
_ARTICLE_BODY = re.compile(r'"articleBody"\s*:\s*"((?>(?:[^"\\]|\\.)*))"', re.S)
_BAD_ESCAPE, _MARKUP = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})'), re.compile(r"</(?:p|div|br|h[1-6])\b|<br", re.I)
_FRAMES, _UNFRAMED = re.compile(rb"<frameset\b", re.I), re.compile(rb"<noframes\b[^<>]*+>", re.I)


def needs_restating(tree: PageTree) -> bool:
    """Return whether a page has markup that :func:`restated` rewrites; rare markup is searched in the page's columns, not its bytes."""
    shadows, own_names = tree.values("shadowrootmode").distinct, tree.names[len(tags.KNOWN) :]
    return bool(shadows) or len(tree.tagged(_FRAMESET)) > 0 or not _AMP_NAMES.isdisjoint(own_names)


def restated(html: bytes) -> bytes:
    """Return a page, in UTF-8, in HTML's own elements.

    >>> restated(b"<amp-img src=a></amp-img>")
    b'<img src=a></img>'
    """
    if b"shadowrootmode" in html:
        html = _with_open_shadows(html)
    if b"<amp-" in html:
        html = _AMP.sub(rb"<\1\2", html)
    if (frames := _FRAMES.search(html)) and (unframed := _UNFRAMED.search(html, frames.end())):
        html = html[: frames.start()] + html[unframed.end() :]
    return html


def with_stated_text(html: bytes, json_ld: tuple[str, ...], least: int) -> bytes:
    """Return a page with the text of the article that its JSON-LD states, if that has more than ``least`` characters.

    >>> with_stated_text(b"<p>Hi</body>", ('{"articleBody": "Reeds\\\\ngrow."}',), 2)
    b'<p>Hi<article><p>Reeds</p><p>grow.</p></article></body>'
    """
    stated = [found[1] for block in json_ld if (found := _ARTICLE_BODY.search(block)) and len(found[1]) > least]
    if len(stated) != 1:  # several are a list of articles
        return html
    text = json.JSONDecoder(strict=False).decode(f'"{stated[0]}"') if not _BAD_ESCAPE.search(stated[0]) else ""
    if len(text) <= least:
        return html
    text = text if _MARKUP.search(text) else unescape(text)
    lines = text if _MARKUP.search(text) else "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())
    ends = [html.rfind(end) for end in (b"</main>", b"</article>", b"</body>")]
    at = next((end for end in ends if end >= 0), len(html))
    return b"%b<article>%b</article>%b" % (html[:at], lines.encode("utf-8", "replace"), html[at:])


def _end_of(html: bytes | bytearray, name: bytes, start: int) -> int:
    """Return the end tag of an element whose content begins at ``start``; -1 if there is none near."""
    depth = 1
    for tag in re.finditer(rb"<(/?)%b(?=[\s>])" % re.escape(name), html[start : start + _LONGEST], re.I):
        depth += -1 if tag[1] else 1
        if not depth:
            return start + tag.start()
    return -1


def _with_open_shadows(html: bytes) -> bytes:
    """Return a page with its declarative shadow roots as elements of the page; other content of a root's element moves to its slot."""
    page = bytearray(html)  # what follows a root is moved, not copied
    for start in list(_SHADOW.finditer(html))[:MAX_SHADOWS][::-1]:  # inner ones before those around them
        close = _end_of(page, b"template", start.end())
        after = page.find(b">", close) + 1
        if close < 0 or not after:
            continue
        host = _HOST.search(page, max(0, start.start() - _LONGEST_TAG), start.start())
        slot = _SLOT.search(page, start.end(), close)
        stop = _end_of(page, host[1], after) if host and slot else -1
        root, rest = page[start.end() : close], after
        if slot and stop >= 0:
            root, rest = page[start.end() : slot.end()] + page[after:stop] + page[slot.end() : close], stop
        page[start.start() : rest] = b"<shadow-root>" + root + b"</shadow-root>"
    return bytes(page)


def with_stated_tags(tree: PageTree) -> PageTree:
    """Return a page whose elements with the roles of headings, or of a table, its rows and cells, or shown within a line, have the tags of
    such ones."""
    roles, in_line = tree.values("role"), _in_line(tree)
    if _ROLES.keys().isdisjoint(roles.distinct) and not len(in_line):
        return tree
    new = np.array([tags.CODE.get(_ROLES.get(role, ""), 0) for role in (*roles.distinct, "")], dtype=np.int32)[roles.codes]
    titles = ((new == _RANKS["2"]) & tree.of_tags(_TITLED)).nonzero()[0]
    titles = titles[tree.count_below(titles, tree.tagged(_BLOCKS)) == 1]
    new[tree.of_tags(_TABLE) | ~tree.subtree_mask(new == tags.CODE["table"])] = 0
    new[in_line] = tags.CODE["span"]
    new[titles] = [_RANKS.get((tree.attribute(node, "aria-level") or "").strip(), _RANKS["2"]) for node in titles.tolist()]
    return replace(tree, tag=np.where(new > 0, new, tree.tag), written=tree.tag) if new.any() else tree


def _in_line(tree: PageTree) -> NDArray[np.intp]:
    """Return blocks that a style shows within a line of text, intp ``(k,)``; boxes only if text of the line is beside them."""
    if not any((*styles_of(tree, IN_LINE), *styles_of(tree, IN_BOX))):
        return _NOTHING
    found = styled(tree, IN_LINE)
    boxes = (styled(tree, IN_BOX) & tree.of_tags(_IN_LINE)).nonzero()[0]
    if len(boxes):
        texts = np.append(tree.tag == tags.TEXT, False)
        after = tree.end[boxes]
        beside = texts[boxes - 1] & (tree.parent[boxes - 1] == tree.parent[boxes])
        beside |= texts[after] & (np.append(tree.parent, -1)[after] == tree.parent[boxes])
        found[boxes[beside]] = True
    nodes = (found & tree.of_tags(_IN_LINE)).nonzero()[0]
    if not len(nodes):
        return nodes
    nodes = nodes[tree.count_below(nodes, tree.tagged(_NOT_IN_LINE)) == tree.of_tags(_NOT_IN_LINE)[nodes]]
    return np.append(nodes, [before for node in nodes.tolist() if (before := _cut_off(tree, node)) >= 0]).astype(np.intp)


def _cut_off(tree: PageTree, node: int) -> int:
    """The paragraph that the parser ended before a block within its line, and whose end tag it made an empty paragraph of; -1 for none."""
    before, parent = node - 1, tree.parent[node]
    while before > parent and tree.parent[before] != parent:
        before = int(tree.parent[before])
    after = int(tree.end[node])
    while after < tree.end[parent] and not tags.within(_NOT_IN_LINE, tree.tag[after : after + 1])[0]:
        after = int(tree.end[after])
    closed = after < tree.end[parent] and tree.tag[after] == tags.CODE["p"] and tree.end[after] == after + 1
    return before if closed and before > parent and tree.tag[before] == tags.CODE["p"] else -1


def show_line_breaks(parser: LexborHTMLParser, names: frozenset[str]) -> bool:
    """Put a ``br`` for each line break between words that a style shows, and ``pre`` around ``code`` with them; return whether it did.

    ``names``: the classes that show line breaks.
    """
    done, blocks = set[int](), 0
    for element in parser.css(", ".join(("[style*=white-space i]", *(f'[class~="{name}"]' for name in sorted(names)))))[:MAX_LINED]:
        given = element.attributes
        declared = LINES.declared_in(given.get("style") or "") or not names.isdisjoint((given.get("class") or "").split())
        if not declared or element.tag not in _LINED:
            continue
        texts = [node for node in element.traverse(include_text=True) if node.is_text_node]
        if element.tag == "code" or _TYPEWRITTEN.search(given.get("style") or ""):
            within = element.parent is not None and element.parent.tag == "pre"
            if not within and (element.css_first("br") or "\n" in element.text().strip()):
                block = parser.create_node("pre")
                block.insert_child(element)
                element.replace_with(block)
                blocks += 1
            continue
        worded = [k for k, node in enumerate(texts) if (node.text_content or "").strip()]
        for k in range(worded[0], worded[-1] + 1) if worded else ():
            node, text = texts[k], texts[k].text_content or ""
            text = text.lstrip() if k == worded[0] else text
            text = text.rstrip() if k == worded[-1] else text
            if node.mem_id in done or "\n" not in text or not text.strip():
                continue
            for at, line in enumerate(text.split("\n")):
                if at:
                    node.insert_before(parser.create_node("br"))
                node.insert_before(line)
            done.add(node.mem_id)
            node.decompose()
    return bool(done or blocks)


def show_code_lines(parser: LexborHTMLParser) -> bool:
    """Put preformatted text in place of code whose lines end with ``br``, or are elements of their own in a box; return whether it did."""
    boxes: dict[int, tuple[LexborNode, list[LexborNode]]] = {}
    for line in parser.css('[class*="line" i]')[:MAX_LINED]:
        if line.tag in _LINED_CODE and _names_line(line.attributes.get("class") or "") and (box := line.parent) is not None:
            box = box.parent if box.parent is not None and not box.attributes.get("class") else box  # its number is beside it
            boxes.setdefault(box.mem_id, (box, []))[1].append(line)
    found = [each for each in boxes.values() if len(each[1]) > 1]
    found += [(code, [code]) for code in parser.css("code")[:MAX_LINED]]
    many, drawn = len(found) > _READINGS, []
    left = _READINGS * len(parser.html or "") if many else 0
    for box, lines in found:
        left -= len((box if box.tag != "code" else box.parent or box).html or "") if many else 0
        if left < 0:  # boxes in boxes, and each would be read again
            break
        if _is_code_box(box, lines):
            drawn.append((box, lines))
    for box, lines in drawn:
        block = parser.create_node("pre")
        if named := box.attributes.get("class"):
            block.attrs["class"] = named
        block.insert_child(
            _written_lines(box) if lines == [box] else "\n".join(line.text().replace("\xa0", " ").strip("\r\n") for line in lines)
        )
        box.replace_with(block)
    return bool(drawn)


def _is_code_box(box: LexborNode, lines: list[LexborNode]) -> bool:
    """Return whether an element is a box of code that is drawn in lines: it is called so, and holds the lines and their numbers alone."""
    around = [box]
    while len(around) < _LEVELS and (above := around[-1].parent) is not None:
        around.append(above)
    if any(each.tag in ("pre", "table") for each in around):
        return False
    if box.tag == "code":
        if box.css_first(_NOT_IN_CODE) or not box.css_first("br, div, p"):
            return False
        above = around[1] if len(around) > 1 else box
        return above.text().strip() == box.text().strip()
    said = "".join(line.text() for line in lines)
    named = any(_CODE_BOX.search(each.attributes.get("class") or "") for each in around)
    return named and sorted(re.sub(r"[\s\d]", "", said)) == sorted(re.sub(r"[\s\d]", "", box.text()))


def _written_lines(element: LexborNode) -> str:
    """The text of an element with the line breaks that its ``br`` and blocks make."""
    text = ""
    for node in element.traverse(include_text=True):
        if node.is_text_node:
            said = (node.text_content or "").replace("\xa0", " ")
            text += _SOURCE_BREAK.sub(" ", said.lstrip("\r\n") if text[-1:] in ("", "\n") else said)
        elif node.tag == "br" or (node.tag in ("div", "p") and text and not text.endswith("\n")):
            text += "\n"
    return dedent(text.strip("\n"))


def has_code_lines(tree: PageTree) -> bool:
    """Return whether a page may have code that is drawn in lines without ``pre``."""
    code = tree.tagged(_INLINE_CODE)
    if len(code) and (tree.count_below(code, tree.tagged(_BREAKS)) > 0).any():
        return True
    names = tree.values("class")
    if not (lines := names.passing(_names_line, ("line",))) or not names.passing(_CODE_BOX.search, _OF_CODE_BOXES):
        return False
    return bool(np.count_nonzero(tags.within(_LINE_TAGS, tree.tag[names.nodes_of(lines)])) > 1)


def _names_line(classes: str) -> bool:
    return _CODE_LINE.search(classes.lower()) is not None


def has_side_notes(tree: PageTree) -> bool:
    """Return whether a page may have notes within its lines that a style shows beside them."""
    notes = tree.values("class").nodes(_SIDE_NOTE.search, ("note",))
    return len(notes) > 0 and bool(tags.within(_SPAN, tree.tag[notes]).any())


def show_side_notes(parser: LexborHTMLParser) -> bool:
    """Move each note within a line that a style shows beside it behind its block, with a link to it in its place; return whether there was
    any."""
    last: dict[int, LexborNode] = {}  # by block the note that was put behind it
    notes = [note for note in parser.css('span[class*="note" i]') if _SIDE_NOTE.search(note.attributes.get("class") or "")]
    known, placed = {note.mem_id for note in notes}, list[tuple[LexborNode, LexborNode]]()
    for note in notes[:MAX_LINED]:
        block = note.parent
        while block is not None and block.tag in _INLINE and block.mem_id not in known:  # notes in others go with them
            block = block.parent
        if block is not None and block.tag in _LINED and block.mem_id not in known:
            placed.append((note, block))
    for number, (note, block) in enumerate(placed, 1):
        outer = note
        while outer.prev is None and outer.parent is not None and outer.parent.tag == "span":
            outer = outer.parent
        before = outer.prev
        while before is not None and (before.tag == "input" or (before.is_text_node and not (before.text_content or "").strip())):
            before = before.prev
        marked = before is not None and before.tag in ("label", "sup", "span") and _NOTE_MARK.fullmatch(before.text().strip())
        link, moved = parser.create_node("a"), parser.create_node("p")
        link.attrs["href"], moved.attrs["id"], moved.attrs["class"] = f"#side-note-{number}", f"side-note-{number}", "footnote"
        link.insert_child(str(number))
        (before if marked and before is not None else note).insert_before(link)
        if marked and before is not None:
            before.decompose()
        moved.insert_child(note)  # a copy
        note.decompose()
        after = last.get(block.mem_id, block)
        after.insert_child(moved) if after.tag in ("li", "td") else after.insert_after(moved)
        last[block.mem_id] = after if after.tag in ("li", "td") else moved
    return bool(placed)


def show_code_tables(parser: LexborHTMLParser) -> bool:
    """Put preformatted text in place of tables of code: a line in each row, or each element of a cell, often beside its number; return
    whether there was any."""
    found = False
    for table in parser.css("table")[:MAX_CODE_TABLES]:
        lines = [line.text().replace("\xa0", " ").strip("\r\n") for line in _code_lines(table)]
        if any(map(str.strip, lines)):
            code = parser.create_node("pre")
            code.insert_child("\n".join(line.rstrip() for line in lines))
            table.replace_with(code)
            found = True
    return found


def _code_lines(table: LexborNode) -> list[LexborNode]:
    """The lines of code that a table holds; none where it holds anything else."""
    rows = [[cell for cell in row.iter() if cell.tag in _CELLS] for row in table.css("tr")]
    if not rows or not all(rows) or any(cell.css_first("table") for row in rows for cell in row):
        return []
    beside = [cell for row in rows for cell in row[-2:-1]]
    numbers = [word for cell in beside for word in (cell.text(separator=" ") or cell.attributes.get("data-line-number") or "").split()]
    counted = bool(numbers) and numbers[0].isdecimal() and numbers == [str(int(numbers[0]) + k) for k in range(len(numbers))]
    cells = [row[-1] for row in rows]
    if len(rows) > 1:
        coded = all(_names_code(cell) or _holds_code(cell) for cell in cells)
        return cells if coded and (counted or (not numbers and _names_code(table))) and len(numbers) in (0, len(rows)) else []
    box, named = cells[0], _names_code(cells[0])
    while len(inside := list(box.iter())) == 1 and inside[0].tag != "pre":
        box = inside[0]
    if not inside or inside[0].tag == "pre":
        return []
    return inside if all(map(_names_code, inside)) or (named and counted and len(inside) == len(numbers)) else []


def _names_code(node: LexborNode) -> bool:
    return _CODE_NAME.search(node.attributes.get("class") or "") is not None


def _holds_code(cell: LexborNode) -> bool:
    inside = list(cell.iter())
    return len(inside) == 1 and inside[0].tag in ("pre", "code") and inside[0].text().strip() == cell.text().strip()


def has_code_tables(tree: PageTree) -> bool:
    """Return whether a page has a table that may hold lines of code."""
    cells = tree.tagged(_CELL)
    if not len(cells):
        return False
    named = tree.values("class").where(_CODE_NAME.search, ("code", "line", "src"))
    return bool(((named | tree.of_tags(_CODED)) & tree.subtree_mask(cells)).any())
