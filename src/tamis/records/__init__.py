"""Records: the repeated parts of a page as tables (``docs/methods/records.md``)."""
