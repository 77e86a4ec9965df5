"""Main-text methods: each takes a page tree and gives a :class:`~tamis.selection.Selection`."""
