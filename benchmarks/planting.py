"""Other text in the place of a page's main text: real chrome around a text of one's choice.

Where the content place is, a site's gold says (``site.json``, see :mod:`benchmarks.gold`). Everything that the gold labels main text is
taken out: texts, and the elements that hold nothing else (images and tables go with them). What the gold labels noise or ignores stays,
also where it stands inside of the content place (share bars, bylines), unless it has no letters (line numbers of code). The other
text then stands, a ``p`` for each of its paragraphs, at the beginning of the first content element; where that is no container (a ``p``,
a list), in its place. Noise without an element of its own (lines that a site's line rules name) goes with the main text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.gold import Label, SiteGold, _body
from tamis.page.decode import decode
from tamis.page.parsing import read_file

if TYPE_CHECKING:
    from lxml.etree import _Element

_MARK = "\ue000tamis\ue001"  #: Stands where text goes; in no page.
_CONTAINERS = frozenset("article aside blockquote body center dd div fieldset form main section td th".split())
_CONTROL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  #: What lxml takes from a page but lets nobody write.
LEAST = 20  #: Characters from which on a piece of main text is made different in variants.


@dataclass(frozen=True, slots=True)
class Pot:
    """A page around its content place."""

    url: str
    before: str = field(repr=False)
    after: str = field(repr=False)

    def plant(self, paragraphs: Sequence[str]) -> str:
        """The page with this text in the content place."""
        return self.before + "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in paragraphs) + self.after


@dataclass(frozen=True, slots=True)
class Original:
    """A page of which any number of variants can be made, all of one template and each of different text."""

    url: str
    html: str = field(repr=False)

    def variant(self, number: int) -> str:
        """The page with a number of its own at the end of every piece of main text of at least :data:`LEAST` characters."""
        return self.html.replace(_MARK, f" {number}")


@dataclass(frozen=True, slots=True)
class Site:
    """A site's content pages and how they are labelled."""

    name: str
    gold: SiteGold = field(repr=False)
    pages: tuple[tuple[str, Path], ...] = field(repr=False)  #: URL and file of each content page.

    def pot(self, page: int) -> Pot | None:
        """One of its pages without its main text; None where it has no content place."""
        url, path = self.pages[page]
        return make_pot(decode(read_file(path)), self.gold, url)

    def original(self, page: int) -> Original:
        """One of its pages, ready for variants."""
        url, path = self.pages[page]
        return make_original(decode(read_file(path)), self.gold, url)


def read_site(folder: Path) -> Site:
    """A site's content pages.

    Raises:
        MissingExtraError: lxml or cssselect is not installed.
    """
    site = json.loads((folder / "site.json").read_text("utf-8"))
    listed = json.loads((folder / "pages.json").read_text("utf-8"))
    pages = tuple((page["url"], folder / "pages" / page["file"]) for page in listed if page["kind"] == "content")
    return Site(site["name"], SiteGold.read(site["selectors"]), pages)


def make_pot(html: str, gold: SiteGold, url: str = "") -> Pot | None:
    """A page without its main text; None where it has no content place."""
    body = _body(html)
    if body is None:
        return None
    label = _with_wordless(_labels(body, gold))
    first = next((element for element in label if label[element] == "main" and _outermost(element, label)), None)
    if first is None:
        return None
    _mark(first)
    _take_out(label)
    before, _, after = _page(body).partition(_MARK)
    return Pot(url, before, after)


def make_original(html: str, gold: SiteGold, url: str = "") -> Original:
    """A page ready for variants; one without main text has none."""
    body = _body(html)
    if body is None:
        return Original(url, html)
    for element, label in _labels(body, gold).items():
        if label == "main":
            element.text = _marked(element.text)
            for child in element:
                child.tail = _marked(child.tail)
    return Original(url, _page(body))


def _marked(text: str | None) -> str | None:
    text = _CONTROL.sub("", text or "")
    return text + _MARK if len(text.strip()) >= LEAST else text


def _page(body: _Element) -> str:
    from lxml.html import tostring

    return "<!doctype html>" + str(tostring(body.getroottree(), encoding="unicode", doctype=""))


def _labels(body: _Element, gold: SiteGold) -> dict[_Element, Label]:
    """The label of every element of a page, that of the nearest labelled one around it, in document order."""
    own = {element: label for label, select in gold.selectors for element in select(body.getroottree())}
    labels: dict[_Element, Label] = {}
    for element in body.iter("*"):
        parent = element.getparent()
        around: Label = labels.get(parent, "noise") if parent is not None else "noise"
        labels[element] = own.get(element, around)
    return labels


def _outermost(element: _Element, label: Mapping[_Element, Label]) -> bool:
    parent = element.getparent()
    return parent is None or label.get(parent, "noise") != "main"


def _with_wordless(label: Mapping[_Element, Label]) -> dict[_Element, Label]:
    """The labels, but that what has no letters in the content place is main text: the line numbers of code go with the code."""
    found: dict[_Element, Label] = {}
    for element, own in label.items():
        parent = element.getparent()
        inside = own != "main" and parent is not None and found.get(parent) == "main"
        found[element] = "main" if inside and not any(map(str.isalpha, "".join(map(str, element.itertext())))) else own
    return found


def _mark(first: _Element) -> None:
    """Put the mark where text goes: into a container, before anything else."""
    parent, previous = first.getparent(), first.getprevious()
    if first.tag in _CONTAINERS or parent is None:
        first.text = _MARK
    elif previous is not None:
        previous.tail = (previous.tail or "") + _MARK
    else:
        parent.text = (parent.text or "") + _MARK


def _take_out(label: Mapping[_Element, Label]) -> None:
    """Take out main text, and the elements of the content place that hold nothing else."""
    mixed: set[_Element] = set()
    for element in label:
        above = element.getparent()
        while label[element] != "main" and above is not None and label.get(above) == "main" and above not in mixed:
            mixed.add(above)
            above = above.getparent()
    for element in reversed(list(label)):
        if label[element] != "main":
            continue
        if element.text and _MARK not in element.text:
            element.text = None
        for child in element:
            child.tail = _MARK if child.tail and _MARK in child.tail else None
        parent = element.getparent()
        if parent is None or element in mixed:
            continue
        if not _outermost(element, label):
            parent.remove(element)  # with its tail, which is main text
        elif element.tag not in _CONTAINERS:
            element.drop_tree()  # type: ignore[attr-defined]  # elements of lxml.html have it
