"""Configuration of Sphinx: `make docs`."""

project = "celltrain"
author = "The celltrain developers"
copyright = "The celltrain developers"

#: What `make reference` makes pages of.
exclude_patterns = ["templates"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nitpicky = False
#: An option, `--set`, stays what one types, also outside of code.
smartquotes = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_title = "celltrain"
