//! AAL type 5: segmentation, reassembly and encapsulations.
