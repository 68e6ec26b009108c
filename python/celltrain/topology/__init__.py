"""Drawings of the topology of a scenario."""
