"""Lists made of the pages of a site: its home page and its archives, which the sets have few of.

What an article has beside it as noise, titles of other pages, is the main text of such a page. So that boxes (:mod:`training.boxes`) do not
teach that titles are noise everywhere, the main text of some pages is replaced by a list of the site's other pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from random import Random

from selectolax.lexbor import LexborHTMLParser

FEWEST, MOST = 5, 30
"""Pages of a list."""
_MARK = "@@ list @@"


def make_list(html: str, selectors: Sequence[str], pages: Sequence[tuple[str, str]], dice: Random) -> str | None:
    """Replace the main text of a page by a list of other pages.

    Args:
        html: the page.
        selectors: of its main text.
        pages: title and first paragraph of each of the others.
        dice: where chance comes from.

    Returns:
        The page; None if its main text stands in several elements, or there are too few pages.
    """
    parser = LexborHTMLParser(html)
    holders = [node for selector in selectors for node in parser.css(selector)]
    if len(holders) != 1 or len(pages) < FEWEST:
        return None
    for child in list(holders[0].iter(include_text=True)):
        child.decompose()
    holders[0].insert_child(_MARK)
    taken = dice.sample(list(pages), min(dice.randint(FEWEST, MOST), len(pages)))
    sections = dice.choice((1, 1, 1, 2, 3))
    write = _form(dice)
    parts = []
    for section in range(sections):
        own = taken[section::sections]
        if sections > 1:
            parts.append(f"<h2>{escape(' '.join(own[0][0].split()[-2:]))}</h2>")
        parts.append(write(own))
    return (parser.html or "").replace(_MARK, "".join(parts))


def _form(dice: Random) -> Callable[[Sequence[tuple[str, str]]], str]:
    """One of several ways to write a list."""
    heading, cut = dice.choice(("h2", "h3", "h4", "div")), dice.choice((0, 0, 90, 160, 300))
    image, dated, plain = dice.random() < 0.5, dice.random() < 0.5, dice.random() < 0.35
    outer, inner = dice.choice((("ul", "li"), ("div", "div"), ("div", "article"), ("section", "div"), ("ol", "li")))
    name = dice.choice(("", ' class="post"', ' class="item"', ' class="card"', ' class="entry"', ' class="media"'))

    def one(number: int, title: str, beginning: str) -> str:
        address = f"/{'-'.join(title.lower().split()[:4])}-{number}.html".replace('"', "")
        link = f'<a href="{escape(address)}">{escape(title)}</a>'
        date = f"<time>{dice.randint(2005, 2025)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}</time>" if dated else ""
        if plain:
            return f"<{inner}>{date} {link}</{inner}>"
        picture = f'<a href="{escape(address)}"><img src="/{number}.jpg" alt=""></a>' if image else ""
        text = f"<p>{escape(beginning[:cut])}{'...' if len(beginning) > cut else ''}</p>" if cut else ""
        return f"<{inner}{name}>{picture}<{heading}>{link}</{heading}>{f'<p>{date}</p>' if date else ''}{text}</{inner}>"

    return lambda pages: f"<{outer}>{''.join(one(k, *page) for k, page in enumerate(pages))}</{outer}>"
