"""How Sphinx builds the documentation: scripts/docs. Nothing in the site is loaded from elsewhere."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

project = "schedtest"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "reference"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["conformance/**"]  # notes, which docs/conformance.md has

smartquotes = False  # options begin with two hyphens

html_theme = "furo"
html_title = "schedtest"
html_copy_source = False
html_show_sphinx = False
html_use_index = False

myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
#: ``object`` in a signature is Python's, and an attribute of two classes is called so, too
suppress_warnings = ["ref.python"]
