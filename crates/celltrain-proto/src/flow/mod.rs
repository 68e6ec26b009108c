//! First form; the rules of the standard follow.
pub mod gfc;
