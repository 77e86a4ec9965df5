"""A small web site of our own, with gold: for trying tamis, and for tests.

Lantern Bay Online has news, a handbook and a forum in English and Chinese, all the chrome that real sites have around them, pages in old
encodings, broken and empty pages, and a pair of pages that nearly repeat each other. Everything about it is invented.

>>> len(build_site())
50
"""

from __future__ import annotations

from demo.site import DemoPage, Gold, build_site, write_site

__all__ = ["DemoPage", "Gold", "build_site", "write_site"]
