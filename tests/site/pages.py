"""A small site, made on the spot."""

import random

WORDS = "stone river winter market letter garden window music paper engine harbour island bread copper village summer road bridge".split()


def sentence(rng, words=12):
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def article(number, *, layout="post", paragraphs=4, body=None):
    """A page of a small site: menu, side box, related links that vary, footer; the text differs from page to page."""
    rng = random.Random(number)
    text = body or [sentence(rng, 25) for _ in range(paragraphs)]
    related = "".join(f"<li><a href=/{rng.randrange(999)}>{sentence(rng, 5)}</a>" for _ in range(5))
    return f"""<!DOCTYPE html><html><head><title>Page {number}</title></head><body class="{layout} page-{number}">
<div id=top><ul class=menu><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About us</a></ul></div>
<div id=main><div class="entry post-{number}"><h1>Heading {number}</h1>{"".join(f"<p>{line}</p>" for line in text)}
<p class=share>Share this article with your friends and family.</p></div>
<div class=related><h3>You may also like</h3><ul>{related}</ul></div></div>
<div id=side><h3>About this site</h3><p>This site tells stories of the harbour town, written by its people since 1987.</p></div>
<div id=foot><p>Copyright 2020 by the harbour people. All rights reserved. No part may be copied.</p></div></body></html>"""
