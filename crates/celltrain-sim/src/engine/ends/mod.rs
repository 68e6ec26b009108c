//! The ends of paths: delivery of cells, the passage of segments through hosts, and connections whose ends lie outside.

mod deliver;
mod departure;
mod gfc;
mod joined;
mod outside;
mod passage;
