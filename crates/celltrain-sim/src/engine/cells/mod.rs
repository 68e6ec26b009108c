//! Cells one by one: each arrival is an event. The reference for the train engine.

mod algorithm;
mod becn;
mod coupling;
mod forward;
mod label;
mod loss;
mod node;
mod shaping;
