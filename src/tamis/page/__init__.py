"""Pages: from bytes to a :class:`~tamis.page.tree.PageTree`."""
