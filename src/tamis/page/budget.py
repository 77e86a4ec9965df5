"""Bounds on what a page may cost the parser, shared by :mod:`tamis.page.limits` and :mod:`tamis.page.weighing`."""

from __future__ import annotations

MAX_ATTRIBUTES = 1_000
"""Attributes kept on one tag."""
MAX_DEPTH = 20_000
"""Elements open at a time; what stands deeper is left out."""
MAX_STEPS = 250_000_000
"""Steps through lists of open elements and options, a few nanoseconds each; the page ends where they are used up."""
MAX_COPIES = 250_000
"""Formatting elements that are opened again; the page ends where they are used up."""
MAX_NAMES = 50_000
"""Names of tags and attributes that are told apart; the page ends after them."""
MAX_TAGS = 500_000
"""Start tags and comments; the page ends after them. Counted in pages that are gone through tag by tag, so in all of more than two
megabytes."""
MAX_NODES = 100_000
"""Nodes that methods look at whose cost per node is high: segmentation and same-layer noise; what comes after them is left out."""
MAX_LIST_NODES = 250_000
"""Nodes that are searched for records, which cost less; what comes after them is left out."""
MAX_NODE_DEPTH = 512
"""Ancestors of a node that the same methods look at; a Chromium opens no more elements either (``kMaximumHTMLParserDOMTreeDepth``)."""
ALIKE = 3
"""Formatting elements of one name and the same attributes that the parser opens again (HTML standard, 13.2.4.3)."""

NAME = rb"[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+"
"""An attribute's name, as the HTML standard's tokenizer reads it."""
VALUE = rb"""[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\r\f>"'][^ \t\n\r\f>]*+)?+"""
"""Its value, with the sign before it."""
ATTRIBUTE = rb"(?:[ \t\n\r\f/]*+%s(?:%s)?+)" % (NAME, VALUE)
