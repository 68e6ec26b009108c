"""Checks that no files import each other in a circle: those of each Rust crate, and those of each Python package."""
