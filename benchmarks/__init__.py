"""Benchmarks: pages with gold, measures, peers in processes of their own, and the papers' tables.

Each bench is a module with a ``run`` that gives a frozen result, a table and a plot: :mod:`~benchmarks.content`,
:mod:`~benchmarks.attenuation`. What they share: :mod:`~benchmarks.gold` (pages and what is right about them),
:mod:`~benchmarks.metric`, :mod:`~benchmarks.peers`, :mod:`~benchmarks.tool_process`, :mod:`~benchmarks.timing`,
:mod:`~benchmarks.report`.
"""
