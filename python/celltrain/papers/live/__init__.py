"""Experiments of a study in real time: the kernel's TCP over the study's line, compared with simulator and paper."""
