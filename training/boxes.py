"""Boxes inserted into pages with gold: what stands between the paragraphs of an article and is no part of it.

The sets have few of these boxes, so what they teach of them is little: "follow us", "the story continues below", a form for a newsletter, a
list of other articles. Here short texts that are noise on other pages, in the language of the page, and phrases of known kinds are put
after paragraphs of the main text, and teasers of other pages below it. Class names are random, telling, or missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from random import Random

from selectolax.lexbor import LexborHTMLParser, LexborNode

BOX = "data-inserted-box"
"""Attribute of the elements that were inserted."""
LEAST_PARAGRAPH = 60
"""Characters of a paragraph after which a box may stand."""
FEWEST, MOST = 1, 4
"""Boxes of a page."""
TEASED = 0.4
"""Share of the pages with teasers of other pages below the main text."""


def _read_phrases() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    kind = ""
    for line in Path(__file__).with_name("phrases.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            kind = line[1 : line.index("]")]
        elif line and line[0] != "#":
            language, _, phrases = line.partition(" ")
            found.setdefault(language, {})[kind] = phrases
    return found


PHRASES: Mapping[str, Mapping[str, str]] = _read_phrases()
"""Phrases by language and kind (``phrases.txt``), with ``|`` between; ``{a/b}`` is one of some alternatives, ``{title}`` stands for that of
another page, ``{name}`` for that of a site."""
PHRASE_PAGES, PHRASES_OF_PAGE = 28_800, 20
"""Pages of phrases alone that teach words, and phrases of each."""
_ALTERNATIVES = re.compile(r"\{([^{}]*)\}")

_TELLING = {
    "follow": "social-follow follow-us fb-like social-box",
    "continues": "ad-label advert story-continues ad-wrapper",
    "newsletter": "newsletter-signup subscribe-box email-form",
    "video": "video-js player video-fallback",
    "read": "read-more related-link see-also inline-link",
    "related": "related-posts recommended more-stories",
    "share": "share-buttons addtoany social-share",
    "support": "paywall membership support-box",
    "app": "app-banner app-promo download-app",
    "consent": "embed-consent cookie-wall external-embed",
    "say": "comment-prompt tip-line feedback",
    "promo": "podcast-promo event-box affiliate-note",
    "machine": "audio-player ai-summary translate-note",
    "noise": "widget promo module aside-box",
}
LINKED: Mapping[str, float] = {"read": 0.95, "follow": 0.6, "share": 0.7, "support": 0.4, "app": 0.4, "promo": 0.4, "video": 0.2}
"""Share of the phrases of a kind that are links; .1 of the others."""
_SYLLABLES = "ba co da el fu go ha in ju ka lo mi na or pe qu ri so ta un va wi xo ys zu".split()


@dataclass(frozen=True, slots=True)
class Material:
    """What boxes for pages of one language are made of, from other domains than the page's."""

    noise: Sequence[str]
    """Short texts that are noise."""
    titles: Sequence[str]
    """Titles of pages."""
    beginnings: Sequence[str]
    """First paragraphs of pages."""


def language_of(tag: str | None) -> str:
    """Return the language of a tag such as ``pt-BR``, as :data:`PHRASES` calls it."""
    return re.split(r"[-_ (+]", (tag or "en").lower())[0]


def insert_boxes(html: str, main: str, language: str, material: Material, dice: Random) -> str | None:
    """Insert boxes after paragraphs of the main text; each element of them has the attribute :data:`BOX`.

    Args:
        html: the page.
        main: its main text.
        language: of the page, a key of :data:`PHRASES`; the boxes of another are of other pages' texts only.
        material: what they are made of.
        dice: where chance comes from.

    Returns:
        The page; None if the main text has too few paragraphs.
    """
    parser = LexborHTMLParser(html)
    paragraphs = paragraphs_in(parser, main)
    if len(paragraphs) < 3:
        return None
    count = min(dice.randint(FEWEST, MOST), len(paragraphs) - 1)
    inserted: dict[str, str] = {}
    for place in dice.sample(range(len(paragraphs) - 1), count):
        _put_after(paragraphs[place], _box(language, material, dice), inserted)
    if dice.random() < TEASED:
        _put_after(paragraphs[-1], _teasers(language, material, dice), inserted)
    result = parser.html or ""
    for mark, box in inserted.items():
        result = result.replace(mark, box)
    return result


def paragraphs_in(parser: LexborHTMLParser, main: str) -> list[LexborNode]:
    """Return the paragraphs of the main text after which a box may stand."""
    said = _letters(main)
    return [
        node
        for node in parser.css("p")
        if len(text := _letters(node.text())) >= LEAST_PARAGRAPH and text in said and not node.css_matches("td p, li p, figure p")
    ]


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def _put_after(node: LexborNode, box: str, inserted: dict[str, str]) -> None:
    mark = f"@@box{len(inserted)}@@"
    node.insert_after(mark)
    inserted[mark] = box


def _open(tag: str, kind: str, dice: Random, attributes: str = "") -> str:
    """A start tag with a class name: none, one that tells, or one by chance."""
    chance = dice.random()
    if chance < 0.3:
        named = ""
    elif chance < 0.5:
        named = f' class="{dice.choice(_TELLING[kind].split())}"'
    else:
        named = f' class="{"".join(dice.choices(_SYLLABLES, k=3))}-{dice.randint(1, 99)}"'
    return f"<{tag} {BOX}{named}{attributes}>"


def _phrase(language: str, kind: str, material: Material, dice: Random) -> str:
    title = dice.choice(material.titles) if material.titles else "…"
    phrase = dice.choice(PHRASES[language][kind].split("|")).replace("{title}", "\0").replace("{name}", "\1")
    while "{" in phrase:
        phrase = _ALTERNATIVES.sub(lambda found: dice.choice(found[1].split("/")), phrase)
    return phrase.replace("\0", title).replace("\1", "".join(dice.choices(_SYLLABLES, k=2)).capitalize()).strip()


def phrase_pages(titles: Sequence[str], dice: Random) -> Iterator[tuple[str, str]]:
    """Yield pages of phrases alone, each with its language: what they say is noise wherever it stands."""
    material, languages = Material((), titles, ()), list(PHRASES)
    for number in range(PHRASE_PAGES):
        language = languages[number % len(languages)]
        drawn = [(kind, _phrase(language, kind, material, dice)) for kind in dice.choices(list(PHRASES[language]), k=PHRASES_OF_PAGE)]
        shown = (_linked(text, kind, dice) if dice.random() < LINKED.get(kind, 0.1) else escape(text) for kind, text in drawn)
        yield "".join(f"<p>{text}</p>" for text in shown), language


def _address(kind: str, dice: Random) -> str:
    word = "-".join("".join(dice.choices(_SYLLABLES, k=2)) for _ in range(dice.randint(1, 5)))
    if kind in ("follow", "share"):
        host = dice.choice(("facebook.com", "twitter.com", "instagram.com", "t.me", "youtube.com", "whatsapp.com"))
        return f"https://www.{host}/{'sharer.php?u=' if kind == 'share' and dice.random() < 0.5 else ''}{word}"
    return dice.choice(
        (f"/{word}", f"/{dice.randint(2008, 2026)}/{dice.randint(1, 12):02}/{word}", f"https://www.{word[:8]}.com/{word}", "#")
    )


def _linked(text: str, kind: str, dice: Random) -> str:
    return f'<a href="{_address(kind, dice)}">{escape(text)}</a>'


def _box(language: str, material: Material, dice: Random) -> str:
    kinds = [*PHRASES.get(language, {}), *["noise"] * (6 if material.noise else 0)]
    if not kinds:
        return ""
    kind = dice.choice(kinds)
    if kind == "noise":
        text = dice.choice(material.noise)
        shown = _linked(text, kind, dice) if dice.random() < 0.3 else escape(text)
        form = dice.choice(("p", "strong", "div", "form", "list"))
    else:
        text = _phrase(language, kind, material, dice)
        link = dice.random() < LINKED.get(kind, 0.1)
        head, colon, tail = text.partition(": ")
        shown = _linked(text, kind, dice) if link else escape(text)
        if link and colon and dice.random() < 0.5:
            shown = f"<strong>{escape(head)}:</strong> {_linked(tail, kind, dice)}"
        forms = {"newsletter": ("form", "form", "div", "p"), "related": ("list", "list", "div")}
        form = dice.choice(forms.get(kind, ("p", "p", "strong", "div", "div", "aside")))
    if form == "form":
        more = _phrase(language, "newsletter", material, dice) if language in PHRASES else text
        return (
            f"{_open('div', kind, dice)}<h3 {BOX}>{shown}</h3><form {BOX}><p {BOX}>{escape(more)}</p><input type=email>"
            f"<button {BOX}>{escape(more.split()[0])}</button></form></div>"
        )
    if form == "list":
        titles = dice.sample(list(material.titles), min(dice.randint(2, 5), len(material.titles)))
        items = "".join(f"<li {BOX}>{_linked(title, 'noise', dice)}</li>" for title in titles)
        return f"{_open('aside', kind, dice)}<h3 {BOX}>{shown}</h3><ul {BOX}>{items}</ul></aside>"
    if form == "strong":
        return f"{_open('p', kind, dice)}<strong>{shown}</strong></p>"
    if form == "aside":
        return f"{_open('aside', kind, dice)}<p {BOX}>{shown}</p></aside>"
    return f"{_open(form, kind, dice)}{shown}</{form}>"


def _teasers(language: str, material: Material, dice: Random) -> str:
    """Teasers of other pages: a title and the beginning of the text, in one of several forms."""
    count = min(dice.randint(2, 6), len(material.titles), len(material.beginnings))
    tag = dice.choice(("h2", "h3", "h4", "p"))
    heading = (
        f"<h3 {BOX}>{escape(_phrase(language, 'related', material, dice))}</h3>" if language in PHRASES and dice.random() < 0.7 else ""
    )
    cut = dice.choice((90, 160, 300, 800))
    items = []
    for title, beginning in zip(dice.sample(list(material.titles), count), dice.sample(list(material.beginnings), count), strict=True):
        text = beginning[:cut] + ("..." if len(beginning) > cut else "")
        items.append(f"{_open('div', 'related', dice)}<{tag} {BOX}>{_linked(title, 'read', dice)}</{tag}><p {BOX}>{escape(text)}</p></div>")
    return f"{_open('div', 'related', dice)}{heading}{''.join(items)}</div>" if items else ""
