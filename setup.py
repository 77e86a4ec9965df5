"""The one compiled part: where there is no compiler it is left out, and the plain form does the work."""

from setuptools import Extension, setup

setup(ext_modules=[Extension("tamis._walk", ["src/tamis/_walk.c"], optional=True)])
