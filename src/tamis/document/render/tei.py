"""TEI: the encoding of texts that corpus tools read (TEI P5), from clean HTML and metadata."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

from tamis.document.metadata import Metadata

_VOID = re.compile(r"<(br|hr|img)((?: [a-z]+=\"[^\"]*\")*)>")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAMES = {
    **{f"h{level}": "head" for level in range(1, 7)},
    **dict.fromkeys("ul ol dl".split(), "list"),
    **dict.fromkeys("li dd".split(), "item"),
    **dict.fromkeys("th td".split(), "cell"),
    **dict.fromkeys("code kbd samp".split(), "code"),
    **dict.fromkeys("b strong em i u small mark s sub sup cite dfn var".split(), "hi"),
    **dict.fromkeys("caption figcaption".split(), "head"),
    "dt": "label",
    "table": "table",
    "tr": "row",
    "blockquote": "quote",
    "q": "quote",
    "pre": "ab",
    **dict.fromkeys("p summary".split(), "p"),
    "div": "note",
    "figure": "figure",
    "a": "ref",
    "img": "graphic",
    "br": "lb",
    "hr": "milestone",
    "del": "del",
    "ins": "add",
    "abbr": "abbr",
    "time": "date",
}
"""TEI elements by those of HTML; others are left out, and what they hold stays."""
_LEFT_OUT = frozenset("thead tbody tfoot details".split())  #: Elements whose content alone is written.
_ATTRIBUTES = (("href", "target"), ("src", "url"), ("colspan", "cols"), ("rowspan", "rows"), ("lang", "xml:lang"))
_BLOCKS = frozenset("p list item label quote ab table row cell figure note head milestone".split())
_PHRASES = frozenset("head label abbr date".split())  #: TEI elements that hold no blocks.
_TEXTS = frozenset("p list quote ab table".split())  #: A body without a division needs one of these.
_KINDS = {"ol": ("rend", "numbered"), "dl": ("rend", "gloss"), "th": ("role", "label")}
_KINDS |= {"pre": ("type", "code"), "hr": ("unit", "section")}
"""Attributes that distinguish elements of one TEI name, by HTML elements."""


def to_tei(html: str, about: Metadata, url: str | None = None) -> str:
    """Return a page as a TEI document that is valid by TEI P5. ``html``: its text, of :func:`tamis.document.render.html.write_html`.

    >>> print(to_tei("<h2>Reeds</h2><p>They <em>bend</em>.</p>", Metadata(title="Reeds")).partition("<body>")[2])
    <div><head rendition="h2">Reeds</head><p>They <hi rendition="em">bend</hi>.</p></div></body></text></TEI>
    """
    closed = _VOID.sub(r"<\1\2/>", _FORBIDDEN.sub("", html))
    parser = ET.XMLParser(target=_TeiWriter())
    parser.feed(f"<body>{closed}</body>")  # written by this library
    content = ET.tostring(parser.close(), encoding="unicode").partition(">")[2].removesuffix("</body>")
    return f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{_header(about, url)}<text><body>{content}</body></text></TEI>'


class _TeiWriter:
    """Writes TEI elements as those of HTML come.

    A heading of the page begins a division, which the next one of its rank ends. Elsewhere, and where TEI allows no such element, what an
    element holds stays without it.
    """

    def __init__(self) -> None:
        self.out = ET.TreeBuilder()
        self.within: list[str] = []  #: The open TEI elements.
        self.closing: list[int] = []  #: For each open element of HTML, how many of TEI end with it.
        self.ranks: list[int] = []  #: Ranks of the open divisions.
        self.before: list[str] = []  #: In each open list, the element before: label or item.
        self.has_text = False  #: The page's body holds more than notes, figures and rules.

    def start(self, source: str, given: dict[str, str]) -> None:
        """Open an element."""
        open_before = len(self.within)
        if source == "body" and not self.within:
            self._open("body")
        else:
            self._start(source, given)
        self.closing.append(len(self.within) - open_before)

    def _start(self, source: str, given: dict[str, str]) -> None:
        name, rank = _NAMES.get(source, "seg"), int(source[1:]) if source[0] == "h" and source[1:].isdigit() else 0
        if rank and self.within[-1] in ("body", "div"):
            while self.ranks and self.ranks[-1] >= rank:
                self._close()
                self.ranks.pop()
            self.ranks.append(rank)
            self._open("div")
        elif rank:
            name = "ab"
        here = frozenset(self.within[-3:])
        if source in _LEFT_OUT or "code" in here or (name in _BLOCKS and here & _PHRASES):
            if name in _BLOCKS:
                self.out.data(" ")
            return
        if name == "quote" and self.within[-1] in _PHRASES - {"head"}:
            name = "hi"
        attributes = {"rendition": source} if rank or name == "hi" else dict([_KINDS[source]] if source in _KINDS else [])
        attributes |= {to: given[name] for name, to in _ATTRIBUTES if name in given}
        if source in ("dt", "dd"):
            self._alternate(name)
        if self.within[-1] == "figure" and name not in _BLOCKS | {"graphic"}:
            self._open("p")
        self.has_text |= name in _TEXTS
        if name == "list":
            self.before.append("")
        self._open(name, attributes)
        if given.get("alt"):
            self._open("desc")
            self.out.data(given["alt"])
            self._close()

    def _alternate(self, name: str) -> None:
        """Write the term or definition that is missing before another one of its kind."""
        if name == (self.before[-1] or "item"):
            other = "label" if name == "item" else "item"
            self._open(other)
            self._close()
        self.before[-1] = name

    def _open(self, name: str, attributes: dict[str, str] | None = None) -> None:
        self.within.append(name)
        self.out.start(name, attributes or {})

    def _close(self) -> None:
        name = self.within.pop()
        if name == "list" and self.before.pop() == "label":
            self.out.start("item", {})
            self.out.end("item")
        self.out.end(name)

    def end(self, source: str) -> None:
        """Close an element; at the end of the page, all divisions."""
        count = self.closing.pop()
        if source[0] == "h" and count > 1:
            count = 1  # the division stays open
        if not self.closing:
            if not self.ranks and not self.has_text:
                self._open("p")
                self._close()
            count += len(self.ranks)
        for _ in range(count):
            self._close()

    def data(self, text: str) -> None:
        """Write text."""
        self.out.data(text)

    def close(self) -> ET.Element:
        """Return the whole body."""
        return self.out.close()


def _header(about: Metadata, url: str | None) -> str:
    def one(name: str, value: str | None, attributes: str = "") -> str:
        return f"<{name}{attributes}>{escape(_FORBIDDEN.sub('', value))}</{name}>" if value else ""

    address = url or about.canonical_url
    stated = one("title", about.title or "Untitled") + "".join(one("author", name) for name in (about.author or "").split("; "))
    published = one("publisher", about.site_name or "Unknown") + (f"<date when={quoteattr(about.date)}/>" if about.date else "")
    source = one("bibl", " ".join(filter(None, (about.title, address))) or "Unknown")
    number = one("idno", address, ' type="URL"')
    language = f"<profileDesc><langUsage><language ident={quoteattr(about.language)}/></langUsage></profileDesc>" if about.language else ""
    return (
        f"<teiHeader><fileDesc><titleStmt>{stated}</titleStmt><publicationStmt>{published}{number}</publicationStmt>"
        f"<sourceDesc>{source}</sourceDesc></fileDesc>{language}</teiHeader>"
    )
