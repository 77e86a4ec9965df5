"""The compiled parts: where there is no compiler they are left out, and their plain forms do the work."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(f"tamis.native.{name}", [f"src/tamis/native/{name}.c"], depends=["src/tamis/native/native.h"], optional=True)
        for name in ("walk", "columns", "evidence", "matching", "candidates", "shingles")
    ]
)
