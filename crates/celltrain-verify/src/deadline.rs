//! Work with a deadline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The interval between checks of the caller's flag.
const LOOK: Duration = Duration::from_millis(5);

/// Runs `work` with a flag that is set when `deadline` has passed or `cancel` is set.
pub(crate) fn within<T>(
    deadline: Instant,
    cancel: &AtomicBool,
    work: impl FnOnce(&AtomicBool) -> T,
) -> T {
    let stop = AtomicBool::new(false);
    let (working, over) = channel::<()>();
    thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || watch(deadline, cancel, stop, &over));
        let done = work(stop);
        drop(working);
        done
    })
}

fn watch(deadline: Instant, cancel: &AtomicBool, stop: &AtomicBool, over: &Receiver<()>) {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match over.recv_timeout(left.min(LOOK)) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return,
        }
        if cancel.load(Ordering::Relaxed) || Instant::now() >= deadline {
            stop.store(true, Ordering::Relaxed);
            return;
        }
    }
}
