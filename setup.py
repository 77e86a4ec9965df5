"""The compiled parts: where there is no compiler they are left out, and their plain forms do the work."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension("tamis._walk", ["src/tamis/_walk.c"], optional=True),
        Extension("tamis._columns", ["src/tamis/_columns.c"], optional=True),
        Extension("tamis.content._evidence", ["src/tamis/content/_evidence.c"], optional=True),
        Extension("tamis.structure._matching", ["src/tamis/structure/_matching.c"], optional=True),
        Extension("tamis.duplicates._candidates", ["src/tamis/duplicates/_candidates.c"], optional=True),
        Extension("tamis.duplicates._shingles", ["src/tamis/duplicates/_shingles.c"], optional=True),
    ]
)
