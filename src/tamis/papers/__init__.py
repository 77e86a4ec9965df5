"""The five methods of the papers as one system: main text of a page by its site, and a report of what each of them finds."""
