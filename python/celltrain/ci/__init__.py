"""Tests over lines: commands in real time and scenarios in virtual time, judged by thresholds, for use in CI."""
