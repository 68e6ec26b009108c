//! Discard: which cells of a full or filling queue are refused.
