//! Delivery-rate samples.
