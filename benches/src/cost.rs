//! What a run costs this process: CPU and elapsed time, and memory.

use std::time::Instant;

/// CPU time and elapsed time since an instant. CPU time is that of the whole process: on a machine that others use
/// too, it is what can be compared.
pub(crate) struct Clock {
    cpu: f64,
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
        (process_time() - self.cpu, self.wall.elapsed().as_secs_f64())
    }
}

/// CPU seconds of this process since its start.
#[cfg(unix)]
fn process_time() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .expect("the system has a clock of the process's CPU time");
    std::time::Duration::from(time).as_secs_f64()
}

/// Not known on other systems, where this program makes profiles but measures nothing.
#[cfg(not(unix))]
fn process_time() -> f64 {
    f64::NAN
}

/// The most memory that this process has held, in KiB; none where the system has no `/proc`.
pub(crate) fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
