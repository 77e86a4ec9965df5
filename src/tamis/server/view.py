"""A page for the inspector: sanitised HTML whose texts name the blocks they belong to, and the blocks.

The HTML is generated from the page tree, with elements and attributes of a short list and everything escaped. It has no scripts,
frames, forms, links, SVG or MathML, and no images but those that were saved with the page, as ``data:``. It is shown in a sandboxed frame
as an additional protection.
"""

from __future__ import annotations

import mimetypes
import re
from base64 import b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser

from tamis.document.document import Document
from tamis.io.addresses import joined
from tamis.io.browser.saved import NOWHERE, SavedPage
from tamis.page import tags
from tamis.page.tree import PageTree

MOST_BLOCKS = 20_000  #: blocks of a page that are described; further ones are shown without a decision
_DEEPEST = 200  # levels of a page down to which blocks are named by a path
_CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_ELEMENTS = frozenset(
    "a abbr address article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd del details dfn div dl dt em "
    "fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd label legend li main mark nav ol p pre q rp rt "
    "ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr".split()
)
_VOID = frozenset("br col hr wbr".split())
_LEFT_OUT = frozenset("head script style noscript template iframe object embed".split())
_INLINE = frozenset("button font label select option output data picture".split())
_ATTRIBUTES = ("class", "id", "dir", "lang", "colspan", "rowspan", "start", "style")
_NAME = re.compile(r"[A-Za-z][A-Za-z_-]*")
_URL_IN_CSS = re.compile(r"@import|url\s*\(|expression\s*\(|-moz-binding|behavior\s*:", re.I)


def blocks_of(document: Document) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the blocks of a page as plain values, and for each text node the number of its block (-1: none)."""
    tree, probability = document.tree, document.selection.scores.get("probability")
    number = [-1] * len(tree.texts)
    described: list[dict[str, Any]] = []
    for block in document.blocks[:MOST_BLOCKS]:
        first, after = block.first, block.after
        number[first:after] = [len(described)] * (after - first)
        shallow = int(tree.depth[block.node]) <= _DEEPEST
        at = next(k for k in range(first, after) if tree.texts[k].strip())
        share = None if probability is None else round(float(probability[tree.text_nodes[at]]), 4)
        about = {"number": len(described), "text": block.text, "kept": bool(block.kept), "reason": block.reason, "probability": share}
        about |= {
            "role": block.role,
            "link_density": float(block.link_density),
            "tag": tree.name(block.node),
            "css": block.css if shallow else "",
        }
        described.append({**about, "selectors": selectors(tree, block.node) if shallow else []})
    return described, number


def selectors(tree: PageTree, node: int) -> list[str]:
    """CSS selectors of an element and its ancestors that hold on all pages of a site, the nearest first; last its path on this page."""
    found: list[str] = []
    for step in [node, *tree.ancestors(node)]:
        name = tree.name(step)
        if name in ("html", "body") or len(found) == 4:
            break
        given = tree.attributes[step]
        classes = [each for each in given.get("class", "").split() if _NAME.fullmatch(each)][:2]
        if _NAME.fullmatch(given.get("id", "")):
            found.append(f"{name}#{given['id']}")
        elif classes:
            found.append(".".join([name, *classes]))
    return list(filter(None, dict.fromkeys([*found, tree.css(node)])))


MOST_SAVED = 10_000_000  #: Bytes of the files of a saved page that its view has.
SavedFile: TypeAlias = Callable[[str], tuple[str, bytes]]
"""Gives a file by its address on a page: its type and its bytes, both empty where there is none."""


def saved_files(folder: str, name: str) -> SavedFile:
    """Return the files that were saved with a page, those in its folder, up to :data:`MOST_SAVED`. ``name``: its path in the folder."""
    page = SavedPage(b"", f"http://{NOWHERE}/{quote(name)}", Path(folder))
    left = MOST_SAVED

    def file(address: str) -> tuple[str, bytes]:
        nonlocal left
        found = page.file(joined(page.address, address) or "") if address else None
        if found is None or found.stat().st_size > left:
            return "", b""
        data = found.read_bytes()
        left -= len(data)
        return mimetypes.guess_type(found.name)[0] or "", data

    return file


def page_styles(html: str, file: SavedFile) -> str:
    """Return the style sheets that a page holds or links to, in their order; at most :data:`MOST_CSS` characters of them."""
    found = []
    for element in LexborHTMLParser(html).css("style, link"):
        given = {name: value or "" for name, value in element.attributes.items()}
        if element.tag == "style":
            found.append(element.text())
        elif "stylesheet" in given.get("rel", "").lower().split():
            kind, data = file(given.get("href", "").strip())
            found.append(data.decode("utf-8", "replace") if kind == "text/css" else "")
    return "\n".join(found)[:MOST_CSS]


def page_view(document: Document, number: list[int], css: str = "", file: SavedFile = lambda address: ("", b"")) -> str:
    """Return the page as a complete HTML document for a sandboxed frame.

    ``number``: for each text node its block (:func:`blocks_of`); ``css``: style sheets of the page; whatever loads anything is left out.
    ``file``: gives the pictures of the page; one that it has not is shown by its text.
    """
    tree = document.tree
    parts: list[str] = []
    open_tags: list[tuple[int, str]] = []
    text_of = dict(zip(tree.text_nodes.tolist(), range(len(number)), strict=True))
    end = tree.end.tolist()
    body = ""
    node = 0
    while node < len(tree):
        while open_tags and open_tags[-1][0] <= node:
            parts.append(open_tags.pop()[1])
        if tree.tag[node] == tags.TEXT:
            text = text_of[node]
            parts.append(f'<span data-b="{number[text]}">{escape(tree.texts[text])}</span>' if number[text] >= 0 else " ")
            node += 1
            continue
        name = tree.name(node)
        if name in _LEFT_OUT:
            node = end[node]
            continue
        if name == "body" and not body:
            body = _safe_attributes(tree, node)
        elif name == "img":
            alt, (kind, data) = tree.attributes[node].get("alt", "").strip(), file(tree.attributes[node].get("src", "").strip())
            shown = f'<span class="tamis-image">{escape(alt)}</span>' if alt else ""
            if kind.startswith("image/"):
                source, more = f"data:{kind};base64,{b64encode(data).decode()}", _safe_attributes(tree, node, ("class", "width", "height"))
                shown = f'<img src="{source}" alt="{escape(alt)}" style="max-width:100%"{more}>'
            parts.append(shown)
        elif name not in ("html", "body"):
            shown = name if name in _ELEMENTS else "span" if name in _INLINE else "div"
            parts.append(f"<{shown}{_safe_attributes(tree, node)}>")
            if shown not in _VOID:
                open_tags.append((end[node], f"</{shown}>"))
        node += 1
    parts.extend(closing for _, closing in reversed(open_tags))
    # style sheets load nothing and cannot end their element; the frame's policy forbids both, too
    style = _URL_IN_CSS.sub("none(", css).replace("<", "\\3c ") or PLAIN
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_CSP}"><style>{style}</style>'
    return f"<!DOCTYPE html><html><head>{head}</head><body{body}>{''.join(parts)}</body></html>"


MOST_CSS = 500_000  #: Characters of style sheets that a view has.
PLAIN = "body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:1.5rem auto;padding:0 1rem}a+a{margin-inline-start:.4em}"
"""The look of a page without style sheets."""


def _safe_attributes(tree: PageTree, node: int, names: tuple[str, ...] = _ATTRIBUTES) -> str:
    given = tree.attributes[node]
    written = ""
    for name in names:
        if (value := given.get(name)) and not (name == "style" and _URL_IN_CSS.search(value)):
            written += f' {name}="{escape(value)}"'
    return written
