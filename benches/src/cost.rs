//! What a run costs this process: CPU and elapsed time, and memory.

use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

/// CPU time and elapsed time since an instant. CPU time is that of the whole process: on a machine that others use
/// too, it is what can be compared.
pub(crate) struct Clock {
    cpu: Duration,
    wall: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            cpu: process_time(),
            wall: Instant::now(),
        }
    }

    /// CPU and elapsed seconds.
    pub(crate) fn seconds(&self) -> (f64, f64) {
        (
            (process_time() - self.cpu).as_secs_f64(),
            self.wall.elapsed().as_secs_f64(),
        )
    }
}

fn process_time() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .expect("the system has a clock of the process's CPU time")
        .into()
}

/// The most memory that this process has held, in KiB; none where the system has no `/proc`.
pub(crate) fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
