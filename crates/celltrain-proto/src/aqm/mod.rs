//! Active queue management at packet boundaries, for comparison with discard by cells.
