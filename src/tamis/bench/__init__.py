"""Benchmarks: pages with gold, measures, peers in processes of their own, and the papers' tables.

Each bench is a module with a ``run`` that gives a frozen result, a table and a plot: :mod:`~tamis.bench.content`,
:mod:`~tamis.bench.attenuation`. What they share: :mod:`~tamis.bench.gold` (pages and what is right about them),
:mod:`~tamis.bench.metric`, :mod:`~tamis.bench.peers`, :mod:`~tamis.bench.tool_process`, :mod:`~tamis.bench.timing`,
:mod:`~tamis.bench.report`.
"""
