//! Impairments of a line: losses and jitter.

pub use celltrain_proto::line::JitterLaw as Jitter;
pub use celltrain_proto::line::loss::Parameters as Loss;
