"""How Sphinx builds these pages: ``sphinx-build -W --keep-going -b html docs docs/_build/html``."""

from __future__ import annotations

import sys
from pathlib import Path

import tamis

sys.path.insert(0, str(Path(__file__).parent))

project = "tamis"
author = "The tamis authors"
copyright = "the tamis authors"
version = release = tamis.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "_extension.reference",
    "_extension.mathml",
]
exclude_patterns = ["_build"]
suppress_warnings = [
    "myst.header",  # the changelog and the contributing notes start below their title
    "ref.python",  # a name that several rooms use (Evidence, site) is looked up by annotations without its room: the first will do
]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3
smartquotes = False  # they make one dash of the two of an option

autodoc_default_options = {"members": True, "show-inheritance": True, "ignore-module-all": True}
autodoc_mock_imports = ["daft", "datatrove", "langchain_core", "llama_index"]  # adapters are documented without their tools
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
autodoc_type_aliases = {"Page": "Page", "IntColumn": "IntColumn", "BoolColumn": "BoolColumn", "Hashes": "Hashes"}
add_module_names = False
toc_object_entries = False  # thousands of entries in the navigation of each page take most of the time to build
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"tamis {release}"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["tamis.css"]
