"""The XML is TEI: each element holds what TEI P5 lets it hold, whatever the page."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from lxml import etree

from tamis import extract
from tamis.document.metadata import Metadata
from tamis.document.render.tei import to_tei
from tests.document.pages import Made, pages, to_html

PHRASES = set("hi ref code graphic seg abbr del add date".split())
GLOBAL = set("lb milestone note figure".split())
INTER, PARTS = {"list", "quote", "table"}, {"p", "ab"}
HELD = {
    **dict.fromkeys("p hi ref seg ab del add head".split(), PHRASES | GLOBAL | INTER),
    **dict.fromkeys("item cell quote note".split(), PHRASES | GLOBAL | INTER | PARTS),
    **dict.fromkeys("label abbr date desc".split(), PHRASES | GLOBAL),
    "figure": {"head", "graphic"} | GLOBAL | INTER | PARTS,
    "body": {"div"} | GLOBAL | INTER | PARTS,
    "div": {"div", "head"} | GLOBAL | INTER | PARTS,
    "list": {"label", "item"},
    "table": {"head", "row"},
    "row": {"cell"},
    "graphic": {"desc"},
    "code": set(),
    "lb": set(),
    "milestone": set(),
}
"""What an element may hold, of the elements that are written (chapter "Elements" of the TEI Guidelines)."""
NO_TEXT = set("body div list table row figure graphic lb milestone".split())


def body_of(xml: str) -> ET.Element:
    body = next(element for element in ET.fromstring(xml).iter() if element.tag.endswith("}body"))
    for element in body.iter():
        element.tag = element.tag.partition("}")[2]
    return body


def faults(body: ET.Element) -> list[str]:
    """What TEI does not allow."""
    found = []
    for element in body.iter():
        name, inside = element.tag, [child.tag for child in element]
        found += [f"{name} > {child}" for child in inside if child not in HELD[name]]
        text = (element.text or "") + "".join(child.tail or "" for child in element)
        found += [f"text in {name}"] if name in NO_TEXT and text.strip() else []
        if name == "list" and element.get("rend") == "gloss":
            found += [] if inside == ["label", "item"] * (len(inside) // 2) and inside else [f"list of {inside}"]
        if name in ("body", "div") and "div" in inside:
            found += [] if set(inside[inside.index("div") :]) == {"div"} else ["something after a division"]
        if name in ("list", "table", "row"):
            found += [] if inside else [f"empty {name}"]
    if not {"div", *INTER, *PARTS} & {child.tag for child in body}:
        found.append("a body without text")
    return found


@given(made=pages())
def test_every_page_is_tei(made: Made):
    xml = to_tei(to_html(made.tree, made.keep, base="https://example.org/"), Metadata(title="Reeds"))
    assert faults(body_of(xml)) == []


def test_sections_are_divisions():
    body = body_of(to_tei("<p>One.</p><h2>A</h2><h3>B</h3><p>Two.</p><h2>C</h2>", Metadata()))
    assert [child.tag for child in body] == ["p", "div", "div"]
    assert [child.tag for child in body[1]] == ["head", "div"]
    assert "".join(body.itertext()) == "One.ABTwo.C"


def test_terms_and_definitions_take_turns():
    body = body_of(to_tei("<dl><dt>a</dt><dt>b</dt><dd>c</dd><dd>d</dd><dt>e</dt></dl>", Metadata()))
    assert [child.text for child in body[0]] == ["a", None, "b", "c", None, "d", "e", None]


def test_a_linked_picture_is_in_a_paragraph_of_its_figure():
    body = body_of(to_tei('<figure><a href="/w"><img src="/w.png" alt="Reeds"></a><figcaption>At dusk</figcaption></figure>', Metadata()))
    assert faults(body) == []
    assert [child.tag for child in body[0]] == ["p", "head"]
    assert body.find("figure/p/ref/graphic") is not None


def test_the_address_is_a_number_of_the_publication():
    """TEI has no pointer in the statement of publication."""
    publication = etree.fromstring(to_tei("<p>One.</p>", Metadata(site_name="Reeds", date="2024-05-03"), "https://example.org/a?b=1&c=2"))
    found = publication.find(".//{*}publicationStmt")
    assert [etree.QName(child).localname for child in found] == ["publisher", "date", "idno"]
    assert found[2].text == "https://example.org/a?b=1&c=2"


def test_a_page_is_valid_by_a_schema():
    package = find_spec("trafilatura")
    if package is None or package.origin is None:
        pytest.skip("needs the schema that trafilatura carries")
    schema = etree.DTD(str(Path(package.origin).parent / "data" / "tei_corpus.dtd"))
    page = "<h1>Reeds</h1><p>They <em>bend</em><br><a href=/w>in the wind</a>.<ul><li>one<li><p>two<p>three</ul>"
    page += "<blockquote><p>Bend.</blockquote>"
    page += (
        "<h2>Rushes</h2><dl><dt>term<dd>meaning<dd>other</dl><pre>a &lt; b</pre><hr><details><summary>More</summary><p>Sedges.</details>"
    )
    xml = extract(f"<html lang=en><title>Reeds</title><article>{page}</article>").render("xml")
    assert schema.validate(etree.fromstring(xml.replace(' xmlns="http://www.tei-c.org/ns/1.0"', ""))), schema.error_log
