"""What lines make of IP packets: octets on the line for each framing, and finding the framing of a line."""

from celltrain.framing.detect import Detection, Sample, detect
from celltrain.framing.sizes import FRAMINGS, Size, sizes

__all__ = ["FRAMINGS", "Detection", "Sample", "Size", "detect", "sizes"]
