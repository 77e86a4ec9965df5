"""Character references, such as ``&amp;``, undone."""

from __future__ import annotations

import re
from html import unescape

_LONG = re.compile(r"&#\d{1000,}+;?")  #: A number that Python's ``int`` refuses to read.


def unescaped(text: str) -> str:
    """Return a text with its character references undone; a number of more digits than any character has becomes U+FFFD.

    >>> unescaped("&lt;&#65;&#" + "9" * 5000 + ";")
    '<A\\ufffd'
    """
    return unescape(_LONG.sub("\ufffd", text)) if "&" in text else text
