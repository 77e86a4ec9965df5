"""Benchmarks: pages with gold, measures, peers in processes of their own, and the papers' tables.

Each bench is a module with a ``run``, which measures and gives a frozen result, a ``report`` of the result as tables and plots, and the
``command`` made of both (:mod:`~benchmarks.command`). What they share: :mod:`~benchmarks.gold` (pages and what is right about them),
:mod:`~benchmarks.metric`, :mod:`~benchmarks.peers`, :mod:`~benchmarks.tool_process`, :mod:`~benchmarks.timing`,
:mod:`~benchmarks.report`.
"""
