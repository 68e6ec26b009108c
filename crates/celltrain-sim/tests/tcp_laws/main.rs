//! What each law of a window does alone on a line, from a closed form of its paper, and that no other variant does that.

#[path = "../common/mod.rs"]
mod common;
mod copa;
mod htcp;
mod illinois;
mod ledbat;
mod line;
mod vegas;
mod westwood;
