"""Main-text methods: each takes a page tree and gives a :class:`~tamis.document.selection.Selection`."""
