//! Policing and shaping: whether cells keep to their contract, and when they may leave.
