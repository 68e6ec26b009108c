"""Experiments of a study in real time: the kernel's TCP over the study's line, beside the simulator and the paper."""
