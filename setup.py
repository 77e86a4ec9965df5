"""The compiled modules. The walk has a plain form and may fail to build; the others need a C compiler, from which wheels spare users."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(f"tamis.native.{name}", [f"src/tamis/native/{name}.c"], depends=["src/tamis/native/native.h"], optional=name == "walk")
        for name in ("walk", "columns", "evidence", "candidates", "shingles")
    ]
)
