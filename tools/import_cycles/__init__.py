"""Checks for import cycles between the files of a Rust crate or a Python package."""
