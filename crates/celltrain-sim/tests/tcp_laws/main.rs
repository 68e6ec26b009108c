//! Each law of a window, alone on a line, follows a closed form of its paper, and no other variant does.

#[path = "../common/mod.rs"]
mod common;
mod copa;
mod dctcp;
mod htcp;
mod illinois;
mod ledbat;
mod line;
mod vegas;
mod westwood;
