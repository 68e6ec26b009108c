//! What a switch does at a queue for ABR.

pub use celltrain_proto::switch::Parameters as Control;
