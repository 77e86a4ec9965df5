"""Near-duplicates: which texts are the same, or part of one another, and which of them to keep.

The room knows texts only. Chen and Niu's (2006) feature code and forest stand in :mod:`tamis.duplicates.feature_code` and
:mod:`tamis.duplicates.forest`; :func:`~tamis.duplicates.clusters.find_duplicates` and :class:`~tamis.duplicates.index.DuplicateIndex` are
what came of them.
"""
