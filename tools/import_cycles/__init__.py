"""Checks that there are no import cycles between the files of a Rust crate or a Python package."""
