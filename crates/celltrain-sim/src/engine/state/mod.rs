//! The data of a run: cells, hops and arrays by direction, without behaviour.

pub(in crate::engine) mod by_direction;
pub(in crate::engine) mod cell;
pub(in crate::engine) mod end;
pub(in crate::engine) mod hop;
pub(in crate::engine) mod loss_cause;
pub(in crate::engine) mod mode;
pub(in crate::engine) mod paths;
pub(in crate::engine) mod rm_store;
pub(in crate::engine) mod room;
pub(in crate::engine) mod shaper;
pub(in crate::engine) mod sparse;
pub(in crate::engine) mod time;
pub(in crate::engine) mod train;
pub(in crate::engine) mod transit;
pub(in crate::engine) mod upc;
pub(in crate::engine) mod virtual_end;
pub(in crate::engine) mod ways;
