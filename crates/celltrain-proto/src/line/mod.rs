//! Lines: processes by which their rate changes.
