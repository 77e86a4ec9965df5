"""Records: the repeated parts of a page, found with a sample or without, and put into tables.

:func:`~tamis.records.finding.find_records` finds them on a page, :func:`~tamis.records.learning.learn_records` learns a
:class:`~tamis.records.wrapper.Wrapper` of several. Between page and table: :mod:`~tamis.records.places` (what is asked of every node),
:mod:`~tamis.records.candidates` (groups of nodes of one kind), :mod:`~tamis.records.ranking` (which of them is the main
list), :mod:`~tamis.records.fields`, :mod:`~tamis.records.alignment`, :mod:`~tamis.records.columns`,
:mod:`~tamis.records.table`.
"""
