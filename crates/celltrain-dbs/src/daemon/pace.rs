//! When the sender of an order writes.

use std::io;
use std::ops::ControlFlow;

use super::shared::Shared;
use crate::order::Order;
use crate::os::{now_ns, sleep_until};
use crate::pattern::{Schedule, Step};

/// Calls `write` with size and time whenever the order's pattern requires a write, until its time is over, the run is
/// stopped, or `write` breaks. `start` is the common start on this host's clock.
pub(super) fn carry_out(
    order: &Order,
    start: u64,
    shared: &Shared,
    mut write: impl FnMut(u32, u64) -> io::Result<ControlFlow<()>>,
) -> io::Result<()> {
    let (begin, end) = (start + order.start_ns, start + order.end_ns());
    let mut schedule = Schedule::new(order.pattern.clone(), order.write, order.bytes);
    sleep_until(begin, &shared.stop);
    loop {
        let now = now_ns();
        if shared.is_stopped() || now >= end {
            return Ok(());
        }
        match schedule.step(now - begin.min(now)) {
            Step::Finished => return Ok(()),
            Step::WaitUntil(due) => sleep_until((begin + due).min(end), &shared.stop),
            Step::Write(size) => {
                if write(size, now)?.is_break() {
                    return Ok(());
                }
                schedule.wrote(now - begin.min(now), now_ns() - begin, size);
            }
        }
    }
}
