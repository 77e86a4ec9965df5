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
    "p": "p",
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
_KINDS = {"ol": ("rend", "numbered"), "dl": ("rend", "gloss"), "th": ("role", "label")}
_KINDS |= {"pre": ("type", "code"), "hr": ("unit", "section")}
"""What tells elements of one TEI name apart, by those of HTML."""


def to_tei(html: str, about: Metadata, url: str | None = None) -> str:
    """A page as a TEI document. ``html``: its text, as :func:`tamis.document.render.html.write_html` writes it.

    >>> print(to_tei("<h2>Reeds</h2><p>They <em>bend</em>.</p>", Metadata(title="Reeds")).partition("<body>")[2])
    <head rendition="h2">Reeds</head><p>They <hi rendition="em">bend</hi>.</p></body></text></TEI>
    """
    closed = _VOID.sub(r"<\1\2/>", _FORBIDDEN.sub("", html))
    body = ET.fromstring(f"<div>{closed}</div>")  # written by this library
    _rename(body)
    content = ET.tostring(body, encoding="unicode").partition(">")[2].removesuffix("</body>")
    return f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{_header(about, url)}<text><body>{content}</body></text></TEI>'


def _rename(body: ET.Element) -> None:
    for element in list(body.iter()):
        source, given = element.tag, dict(element.attrib)
        element.attrib.clear()
        element.tag = _NAMES.get(source, "seg")
        if (source[0] == "h" and source[1:].isdigit()) or element.tag == "hi":
            element.set("rendition", source)
        elif source in _KINDS:
            element.set(*_KINDS[source])
        for name, target in (("href", "target"), ("src", "url"), ("colspan", "cols"), ("rowspan", "rows"), ("lang", "xml:lang")):
            if name in given:
                element.set(target, given[name])
        if given.get("alt"):
            ET.SubElement(element, "desc").text = given["alt"]
    body.tag = "body"


def _header(about: Metadata, url: str | None) -> str:
    def one(name: str, value: str | None, attributes: str = "") -> str:
        return f"<{name}{attributes}>{escape(_FORBIDDEN.sub('', value))}</{name}>" if value else ""

    address = url or about.canonical_url
    stated = one("title", about.title or "Untitled") + "".join(one("author", name) for name in (about.author or "").split("; "))
    published = one("publisher", about.site_name or "Unknown") + (f"<date when={quoteattr(about.date)}/>" if about.date else "")
    source = one("bibl", " ".join(filter(None, (about.title, address))) or "Unknown")
    pointer = f"<ptr target={quoteattr(address)}/>" if address else ""
    language = f"<profileDesc><langUsage><language ident={quoteattr(about.language)}/></langUsage></profileDesc>" if about.language else ""
    return (
        f"<teiHeader><fileDesc><titleStmt>{stated}</titleStmt><publicationStmt>{published}{pointer}</publicationStmt>"
        f"<sourceDesc>{source}</sourceDesc></fileDesc>{language}</teiHeader>"
    )
