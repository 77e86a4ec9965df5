"""What a main-text method asks of a page's site."""

from __future__ import annotations

from typing import Any, Protocol

from tamis.document.selection import Selection
from tamis.page.tree import PageTree


class Site(Protocol):
    """A site whose template is known: :class:`tamis.site.model.SiteModel`."""

    def template_selection(self, tree: PageTree) -> Selection:
        """What the template by itself keeps of a page."""
        ...

    def select(self, tree: PageTree, settings: Any) -> Selection:
        """What the node model keeps of a page, with the template's evidence."""
        ...
