"""Measures speed: our engines on fixed workloads (`harness.bench`), and peers on the same (`harness.peers`).

Every measured program prints one line of JSON with ``cpu``, its CPU seconds in the run alone, set-up excluded. Programs
take turns in rounds on one core, so that a drift of the machine hits all alike.
"""
